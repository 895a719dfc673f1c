"""ZIP archives as one document: each member is read as the file that it is, behind its own mark.

Nothing is unpacked to disk: a member's name is a label, not a path. Archives in archives are listed
and not opened, so that one limit bounds the unpacked size of a file. Called through the registry.
"""

from __future__ import annotations

import stat
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexer.errors import UnreadableDocument
from indexer.extract import claim, open_document
from indexer.extract.container import MAX_PART_BYTES, ZipParts
from indexer.extract.damage import BROKEN
from indexer.extract.extraction import Extraction
from indexer.extract.normalise import lines_of, whole
from indexer.files.names import is_key, never_a_document
from indexer.records import Line, page_mark

NAME = "zip"  # of this extractor
MAX_MEMBERS = 2_000  # that are looked at
MAX_TEXT_CHARS = 32 * 2**20  # of all members; the one that is being read then is read to its end
MAX_NAME_CHARS = 100  # in a mark; the end of a path says most

# For these a member is no document, as a file in a folder would be none; nothing is lost.
_NO_DOCUMENT = frozenset({"binary", "no_bytes", "no_text", "picture", "secret", "symlink"})


def read_zip(data: bytes) -> Extraction:
    """The lines of all members; raises UnreadableDocument("malformed").

    While they are read also "encrypted" where every member needs a password, and "unsupported"
    where none is a document.
    """
    reading = _ArchiveReading(ZipParts(data, locked=True))
    return Extraction(None, reading.lines(), reading.engines, reading.unread)


@dataclass(slots=True)
class _ArchiveReading:
    """State of reading one archive: its members, and those that could not be read."""

    parts: ZipParts
    engines: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    chars: int = 0

    def lines(self) -> Iterator[Line]:
        """The marks and lines of the members in the order of the archive's directory."""
        members = list(_members(self.parts))
        for index, (name, info) in enumerate(members):
            if index == MAX_MEMBERS or self.chars > MAX_TEXT_CHARS:
                self.unread.append(f"the last {len(members) - index:,} files")
                break
            for line in self._member(name, info):
                self.chars += len(line.text) + 1
                yield line
        told = set(self.reasons)
        if told == {"encrypted"}:
            raise UnreadableDocument("encrypted", "a password is needed")
        if told <= _NO_DOCUMENT | {"unsupported"}:
            raise UnreadableDocument("unsupported", "ZIP archive without documents")

    def _member(self, name: str, info: zipfile.ZipInfo) -> Iterator[Line]:
        """The mark and the lines of a member; without text, the mark contains the reason."""
        begun = False
        try:
            for line in _lines(name, self.parts, info, self.engines):
                begun = True
                yield line
            reason = "read"
        except UnreadableDocument as error:
            reason = error.reason
        except BROKEN:
            reason = "malformed"
        self.reasons[reason] += 1
        if reason != "read" and not begun:
            yield from _marked(name, f" (not read: {reason})")
        if reason not in _NO_DOCUMENT | {"read"}:
            self.unread.append(f"{name} ({reason})")


def _members(parts: ZipParts) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """The files in an archive that may be documents, with unique names."""
    stored = {info.filename: info for info in parts.members() if not info.is_dir()}
    given: Counter[str] = Counter()
    for info in stored.values():
        *folders, base = _path(info)
        if any(never_a_document(folder, is_folder=True) for folder in folders):
            continue
        if not never_a_document(base, is_folder=False):
            name = "/".join((*folders, base))
            name = name if len(name) <= MAX_NAME_CHARS else f"…{name[1 - MAX_NAME_CHARS :]}"
            given[name] += 1
            yield (name if given[name] == 1 else f"{name} ({given[name]})"), info


def _path(info: zipfile.ZipInfo) -> list[str]:
    """The path components of a member, without empty ones, "." and ".."; at least one."""
    name = info.filename
    if not info.flag_bits & 0x800:  # not said to be UTF-8; zipfile took it for the first PC's page
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = info.filename
    names = whole(name).replace("\0", "").replace("\\", "/").split("/")
    return [" ".join(n.split()) for n in names if n.strip() not in ("", ".", "..")] or ["unnamed"]


def _lines(name: str, parts: ZipParts, info: zipfile.ZipInfo, engines: set[str]) -> Iterator[Line]:
    """The lines of a member, its name added to the marks; raises as readers do."""
    if stat.S_ISLNK(info.external_attr >> 16):
        raise UnreadableDocument("symlink")
    if is_key(name.rpartition("/")[2]):
        raise UnreadableDocument("secret")
    if info.flag_bits & 1:
        raise UnreadableDocument("encrypted")
    if info.file_size > MAX_PART_BYTES:
        raise UnreadableDocument("too_large_unpacked")
    data = parts.unpacked(info)
    if data and claim(data, name).name == NAME:
        raise UnreadableDocument("unsupported")
    opened = open_document(data, name)
    begun = False
    for line in opened.lines:
        inner = line.part or (page_mark(line.page)[4:-4] if line.page is not None else "")
        if line.is_mark:
            yield from _marked(f"{name}, {inner}", line.text.removeprefix(f"--- {inner} ---"))
        else:
            if not begun and not inner:
                yield from _marked(name)
            yield Line(line.text, None, _part(f"{name}, {inner}" if inner else name))
        begun = True
    engines.update(opened.extractor.split("+")[1:])


def _part(name: str) -> str:
    return next(lines_of(f"File {name}"))


def _marked(name: str, remark: str = "") -> Iterator[Line]:
    part = _part(name)
    yield Line(f"--- {part} ---{remark}", None, part)
