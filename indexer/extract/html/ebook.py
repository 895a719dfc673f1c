"""E-books (EPUB) as Markdown, chapter by chapter.

The parts of an EPUB are its files in reading order, named by the headings that they begin with.
Called through the registry.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import (
    ZipParts,
    attribute,
    child,
    tag_of,
    text_of,
)
from indexer.extract.extraction import Extraction, OwnProperties, own_properties, part_lines
from indexer.extract.html import decode_html, html_text
from indexer.extract.text import decode_part
from indexer.records import Line

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# Obfuscated fonts are marked as encrypted too, and hide no text.
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_DETAILS = {name: name.capitalize() for name in ("publisher", "date", "description", "subject")}
_DETAILS["creator"] = "Author"  # what a reader asks for


def read_epub(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, "encrypted" or "malformed"."""
    parts = ZipParts(data)
    container = parts.xml("META-INF/container.xml")
    rootfile = child(container, "rootfiles", "rootfile")
    main = (attribute(rootfile, "full-path") or "") if rootfile is not None else "content.opf"
    package = parts.xml(main)
    if package is None:
        raise UnreadableDocument("malformed", "no package part")
    metadata = child(package, "metadata")
    title = markdown.one_line(text_of(child(metadata, "title"))) or None
    chapters = _spine(package, posixpath.dirname(main))
    locked = _locked(parts)
    if chapters and all(name in locked for name in chapters):
        raise UnreadableDocument("encrypted", "the book is protected")
    about = "\n".join(_details(metadata))
    unread: list[str] = []
    lines = _lines(parts, chapters, about, unread)
    return Extraction(title, lines, unread=unread, own=_properties(metadata))


def _properties(metadata: Element | None) -> OwnProperties:
    """All who made the book, and the day it was published."""
    found: dict[str, list[str]] = {"creator": [], "date": []}
    for each in metadata if metadata is not None else ():
        found.get(tag_of(each), []).append(text_of(each))
    return own_properties(None, found["creator"], *found["date"])


def _lines(parts: ZipParts, chapters: list[str], about: str, unread: list[str]) -> Iterator[Line]:
    if about:
        yield from part_lines("About", "this book", [about])
    number = 0
    for name in chapters:
        data = parts.read(name)
        if data is None:
            unread.append(name)
            continue
        text = html_text(decode_html(data, decode_part), titled=False)[1]
        if text.strip():
            number += 1
            yield from part_lines("Chapter", _named(number, text), [text])


# The heading that a chapter begins with, without its number.
_HEADING = re.compile(r"(?i)#+ (?:chapter\s+)?(?:\d+\s*(?:[:.–—-]\s*|$))?(.*)")


def _named(number: int, text: str) -> str:
    """The name of a chapter in its mark: its number in the file, and its heading."""
    heading = _HEADING.match(text)
    return f"{number}: {heading[1]}" if heading and heading[1] else str(number)


def _details(metadata: Element | None) -> Iterator[str]:
    for each in metadata if metadata is not None else ():
        text = markdown.one_line(html_text(text_of(each))[1])
        if tag_of(each) in _DETAILS and text:
            yield f"{_DETAILS[tag_of(each)]}: {text}"


def _spine(package: Element, folder: str) -> list[str]:
    """Names of the book's files in reading order."""
    items = {
        attribute(each, "id"): posixpath.normpath(
            posixpath.join(folder, unquote(attribute(each, "href") or ""))
        )
        for each in package.iter()
        if tag_of(each) == "item"
        and "html" in (attribute(each, "media-type") or "html")
        and "nav" not in (attribute(each, "properties") or "").split()
    }
    order = (attribute(each, "idref") for each in package.iter() if tag_of(each) == "itemref")
    return [items[key] for key in order if key in items]


def _locked(parts: ZipParts) -> set[str]:
    """Names of the members that cannot be read without a key."""
    root = parts.xml("META-INF/encryption.xml")
    names = set()
    for each in root if root is not None else ():
        method = next((e for e in each.iter() if tag_of(e) == "EncryptionMethod"), None)
        algorithm = (attribute(method, "Algorithm") or "") if method is not None else ""
        for reference in each.iter():
            if tag_of(reference) == "CipherReference" and algorithm not in _FONTS:
                names.add(unquote(attribute(reference, "URI") or ""))
    return names
