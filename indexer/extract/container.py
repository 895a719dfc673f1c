"""Reads parts of untrusted containers (ZIP, OLE2) and XML, within limits.

XML is parsed without foreign entities, DTDs, network or unlimited depth; archives are unpacked in
memory, up to limits that do not depend on their directory.
"""

from __future__ import annotations

import io
import posixpath
import re
import struct
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import (
    MAX_PART_BYTES,
    MAX_UNPACKED_BYTES,
    OwnProperties,
    own_properties,
    readable,
    words,
)
from indexer.extract.text import decode_named

if TYPE_CHECKING:  # they are imported when a file needs them
    import olefile
    from lxml.etree import _Element

Element: TypeAlias = "_Element"
_KNOWN = re.compile("|".join(words("office", "known")))


class Parts(Protocol):
    """The named parts of a document, in any container."""

    def xml(self, name: str) -> Element | None:
        """The root of a part that is XML; None where there is none of that name."""
        ...


class ZipParts:
    """The members of a ZIP file as parts."""

    def __init__(self, data: bytes, locked: bool = False) -> None:
        """Raises UnreadableDocument, "malformed", or "encrypted" if a member needs a password.

        With `locked` such members are no reason to refuse the others.
        """
        with readable("ZIP", zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        self._unpacked = 0
        self._stored = {info.filename.lstrip("/"): info for info in self._archive.infolist()}
        self._lower = {name.lower(): name for name in self._stored}
        if not locked and any(info.flag_bits & 1 for info in self._stored.values()):
            raise UnreadableDocument("encrypted")

    def members(self) -> list[zipfile.ZipInfo]:
        """What the archive's directory lists, in its order; names may be there twice."""
        return self._archive.infolist()

    def read(self, name: str) -> bytes | None:
        """The bytes of a part, whatever its case; None where there is none of that name.

        Raises as `unpacked` does.
        """
        stored = self._lower.get(name.lstrip("/").lower())
        return None if stored is None else self.unpacked(self._stored[stored])

    def unpacked(self, info: zipfile.ZipInfo, most: int = MAX_PART_BYTES) -> bytes:
        """The bytes of a member, at most so many.

        Raises UnreadableDocument("too_large_unpacked") past the limits, whatever sizes the archive
        claims, and what `zipfile` and `zlib` raise for damaged members.
        """
        limit = min(most, MAX_UNPACKED_BYTES - self._unpacked)
        with self._archive.open(info) as member:
            data = member.read(limit + 1)
        self._unpacked += len(data)
        if len(data) > limit:
            raise UnreadableDocument(
                "too_large_unpacked", f"{info.filename!r} unpacks to more than {limit:,} bytes"
            )
        return data

    def xml(self, name: str) -> Element | None:
        """The root of a part that is XML; None where there is none of that name."""
        data = self.read(name)
        return None if data is None else parse_xml(data)


def parse_xml(data: bytes) -> Element:
    """The root element; raises UnreadableDocument("malformed").

    Entities that the file itself defines are resolved, as far as libxml2 bounds their growth; where
    others stand beside them, all stay as they are written. Nothing is fetched.
    """
    from lxml import etree

    resolved: tuple[Literal["internal", False], ...] = ("internal", False)
    for entities in resolved if b"<!DOCTYPE" in data else resolved[:1]:
        parser = etree.XMLParser(
            resolve_entities=entities, no_network=True, remove_comments=True, remove_pis=True
        )
        try:
            return _chosen(etree.fromstring(data, parser))
        except (etree.LxmlError, ValueError) as error:
            says = "nested too deeply" if "Excessive depth" in str(error) else str(error)
    raise UnreadableDocument("malformed", f"XML: {says}"[:200])


def _chosen(root: Element) -> Element:
    """The root with what Office shows of what is written for newer and for older programs."""
    from lxml import etree

    space = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
    says = root.xpath("//*[@m:Ignorable]", namespaces={"m": space[1:-1]})
    ignored = {f"{{{each}}}*" for one in says for each in _unknown(one, f"{space}Ignorable")}
    etree.strip_elements(root, *ignored - {"{}*"}, with_tail=False)
    for each in list(root.iter(f"{space}AlternateContent")):  # a tree that changes ends `iter`
        newer = [one for one in each.iterfind(f"{space}Choice") if not _unknown(one, "Requires")]
        each[:] = [*newer, *each.iterfind(f"{space}Fallback")][:1]
    return root


def _unknown(element: Element, named: str) -> list[str]:
    """The namespaces whose prefixes an attribute names, without those that Office knows."""
    spaces = (element.nsmap.get(prefix) or "" for prefix in element.get(named, "").split())
    return [space for space in spaces if not _KNOWN.fullmatch(space)]


def tag_of(element: Element) -> str:
    """The name of an element without its namespace; "" for other nodes, such as entities."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, name: str) -> str | None:
    """The value of an attribute, whatever its namespace; None where there is no element either."""
    for key, value in element.attrib.items() if element is not None else ():
        if key == name or key.endswith(f"}}{name}"):
            return str(value)
    return None


def number_of(element: Element | None, name: str, otherwise: int = 0) -> int:
    """An attribute that is a whole number of at most nine digits."""
    value = attribute(element, name) or ""
    return int(value[:9]) if value.isdecimal() else otherwise


def signed(value: str | None) -> int:
    """A whole number of at most eleven digits; 0 for what is none."""
    value = (value or "")[:12]
    return int(value) if value.removeprefix("-").isdecimal() else 0


def child(element: Element | None, *names: str) -> Element | None:
    """The element reached by the first child of each name in turn; None if one is missing."""
    for name in names:
        if element is None:
            return None
        element = next((each for each in element if tag_of(each) == name), None)
    return element


def inside(element: Element | None, *names: str) -> Sequence[Element]:
    """The children of the element that `child` reaches; none where there is none."""
    found = child(element, *names)
    return () if found is None else found


def setting(element: Element | None, *names: str) -> str:
    """The `val` of the element that `child` reaches, as Office writes properties; "" for none."""
    return attribute(child(element, *names), "val") or ""


def is_on(element: Element | None) -> bool:
    """Whether a property of two states is there and set: ECMA-376-1, 17.17.4."""
    return element is not None and attribute(element, "val") not in ("0", "false", "off", "none")


def text_of(element: Element | None) -> str:
    """All character data in an element."""
    return "" if element is None else "".join(element.itertext())


def relations(parts: Parts, name: str) -> dict[str, tuple[str, str]]:
    """Relations of an Office part: id -> (last word of the type, name of the other part).

    External targets are omitted.
    """
    folder = posixpath.dirname(name)
    found = {}
    for relation in _related(parts, name, external=False):
        target = attribute(relation, "Target") or ""
        kind = (attribute(relation, "Type") or "").rpartition("/")[2]
        whole = target.lstrip("/") if target[:1] == "/" else posixpath.join(folder, target)
        if target:
            found[attribute(relation, "Id") or ""] = (kind, posixpath.normpath(whole))
    return found


def addresses(parts: Parts, name: str) -> dict[str, str]:
    """Addresses that an Office part links to: id -> target outside of the file."""
    outside = _related(parts, name, external=True)
    return {attribute(each, "Id") or "": attribute(each, "Target") or "" for each in outside}


def _related(parts: Parts, name: str, external: bool) -> Sequence[Element]:
    folder, base = posixpath.split(name)
    every = inside(parts.xml(posixpath.join(folder, "_rels", f"{base}.rels")))
    return [each for each in every if (attribute(each, "TargetMode") == "External") is external]


def relation_id(element: Element) -> str:
    """The `r:id` of an element, which may have an `id` of its own beside it."""
    return next((str(said) for key, said in element.attrib.items() if key.endswith("}id")), "")


def main_part(parts: Parts, usual: str, kind: str = "officeDocument") -> str:
    """The name of an Office file's main part, by its relations, else the usual one."""
    return next((name for one, name in relations(parts, "").values() if one == kind), usual)


def core_properties(parts: Parts) -> OwnProperties:
    """An Office file's properties: the day is that of its making, else of its last change."""
    name = main_part(parts, "docProps/core.xml", "core-properties")
    return own_properties(*_texts(parts, [name], "title", "creator", "created", "modified"))


def meta_properties(parts: Parts) -> OwnProperties:
    """An OpenDocument file's properties; the first author before the last one."""
    names = ("title", "initial-creator", "creator", "creation-date", "date")
    title, first, last, *days = _texts(parts, ["meta.xml", "meta"], *names)
    return own_properties(title, first or last, *days)


def _texts(parts: Parts, path: Sequence[str], *names: str) -> list[str]:
    """The texts of elements in a part, at a path below it; none where the part is broken."""
    part, *inner = path
    with suppress(UnreadableDocument):  # the text of the document is what counts
        return [text_of(child(parts.xml(part), *inner, name)) for name in names]
    return [""] * len(names)


def refuse_locked(parts: ZipParts) -> None:
    """Raise UnreadableDocument("encrypted") for an OpenDocument file that needs a password."""
    if b"encryption-data" in (parts.read("META-INF/manifest.xml") or b""):
        raise UnreadableDocument("encrypted")


# --- Compound files (OLE2): legacy Office documents and Outlook messages --------------------------

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# What olefile raises for damaged files, beside its own OSError.
OLE_ERRORS = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)


class Compound:
    """An opened compound file."""

    def __init__(self, data: bytes) -> None:
        """Raises UnreadableDocument("malformed")."""
        import olefile

        with readable("compound file", *OLE_ERRORS):
            self._ole: olefile.OleFileIO = olefile.OleFileIO(io.BytesIO(data))

    def names(self) -> list[str]:
        """Paths of all streams, "/" between storages; raises as `read` does."""
        with readable("compound file", *OLE_ERRORS):
            return ["/".join(path) for path in self._ole.listdir()]

    def read(self, name: str) -> bytes | None:
        """The bytes of a stream; None where there is none of that name.

        Raises UnreadableDocument("malformed") where its sectors cannot be followed.
        """
        with readable(name, *OLE_ERRORS):
            if not self._ole.exists(name):
                return None
            with self._ole.openstream(name) as stream:
                return bytes(stream.read())

    def properties(self) -> OwnProperties:
        """What it says of itself; nothing where that is damaged."""
        with suppress(UnreadableDocument, struct.error, *OLE_ERRORS):
            if _is_bounded(self.read(_SUMMARY) or b""):
                said = self._ole.getproperties(_SUMMARY, convert_time=True)
                page = (said.get(_CODE_PAGE) or _UTF_8) & 0xFFFF
                texts = (_text(said.get(number), f"cp{page}") for number in (_TITLE, _AUTHOR))
                return own_properties(*texts, *(str(said.get(number)) for number in _TIMES))
        return OwnProperties()


_SUMMARY, _UTF_8 = "\x05SummaryInformation", 65001
_CODE_PAGE, _TITLE, _AUTHOR, _TIMES = 1, 2, 4, (12, 13)
_VECTOR = 0x1000  # a type of values of which a file may claim any number
MAX_PROPERTIES = 64


def _is_bounded(stream: bytes) -> bool:
    """Whether a property set, [MS-OLEPS] 2.21, costs no more to read than it is long."""
    (start,) = struct.unpack_from("<I", stream, 44)
    (count,) = struct.unpack_from("<I", stream, start + 4)
    places = struct.unpack_from(f"<{2 * min(count, MAX_PROPERTIES)}I", stream, start + 8)[1::2]
    kinds = (struct.unpack_from("<I", stream, start + place)[0] for place in places)
    return count <= MAX_PROPERTIES and not any(kind & _VECTOR for kind in kinds)


def _text(value: object, code_page: str) -> str:
    if not isinstance(value, bytes):
        return str(value or "")
    return decode_named(value, code_page) or value.decode("cp1252", "replace")
