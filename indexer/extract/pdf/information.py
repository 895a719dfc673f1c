"""What a PDF says of itself: its document information, or metadata in XML (XMP)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.container import child, parse_xml, tag_of, text_of
from indexer.extract.own_properties import MAX_AUTHORS, OwnProperties, own_properties

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_XMP_BYTES = 2**20


def stated_by(entry: Callable[[str], object]) -> OwnProperties:
    """The properties that document information has, by its keys."""
    title, author, made, changed = map(entry, ("Title", "Author", "CreationDate", "ModDate"))
    return own_properties(title, author, made, changed)


def described_by(xmp: bytes) -> OwnProperties:
    """The properties that metadata in XML has, as elements or attributes; none if it is damaged."""
    if len(xmp) > MAX_XMP_BYTES:
        return OwnProperties()
    try:
        root = parse_xml(xmp.strip(b"\0 \r\n\t"))
    except UnreadableDocument:
        return OwnProperties()
    described = root if tag_of(root) == "RDF" else child(root, "RDF")
    found: dict[str, list[str]] = {"title": [], "creator": [], "CreateDate": [], "ModifyDate": []}
    for each in described if described is not None else ():
        for name, value in _values(each):
            if name in found and len(found[name]) < MAX_AUTHORS:
                found[name].append(value)
    title = next(iter(found["title"]), None)
    return own_properties(title, found["creator"], *found["CreateDate"], *found["ModifyDate"])


def _values(description: Element) -> list[tuple[str, str]]:
    """Names and values of a description: its attributes, and each item of its children."""
    values = [(key.rpartition("}")[2], str(value)) for key, value in description.attrib.items()]
    for each in description:
        items = [item for item in each.iter() if tag_of(item) == "li"] or [each]
        values += [(tag_of(each), text_of(item)) for item in items[:MAX_AUTHORS]]
    return values
