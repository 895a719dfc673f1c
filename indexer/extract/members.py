"""Documents within a document: files of archives, attachments of mails, each behind its own mark.

Each is read as the file that it is, by the registry, within one budget for all that one file holds.
Nothing is unpacked to disk: a member's name is a label, not a path. Links are not followed, devices
and pipes are named and nothing else. A file that is only compressed (gzip, bzip2, xz) is read as
the one file within.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from indexer.extract.container import ZipParts
from indexer.extract.extraction import BROKEN, Budget, Extraction, Within, readable, what_broke
from indexer.extract.normalise import lines_of, whole
from indexer.extract.pdf import read_pdf
from indexer.extract.text.kinds import is_tar
from indexer.files.paths import is_key, never_a_document
from indexer.records import Line, page_mark

MAX_NAME_CHARS = 100  # of a member in a mark; the end of a path says most
MAX_LABEL_CHARS = 240  # of a member in a member, with its page

# Reasons for which a member is skipped without a word: a file in a folder would be, too.
NO_DOCUMENT = frozenset({"binary", "no_bytes", "no_text", "secret", "symlink", "special"})
_FILE = "File "


@dataclass(frozen=True, slots=True)
class Member:
    """A document within another one, by the path that it has there, and what opens it.

    `open` raises UnreadableDocument or what the standard library raises for damage.
    """

    name: str
    open: Callable[[Within], Extraction]


def file_in(name: str, read: Callable[[int], bytes]) -> Member:
    """A member with bytes, of which `read` gives at most as many as it is told."""

    def opened(within: Within) -> Extraction:
        data = read(within.budget.most_bytes())
        within.budget.spend(len(data))
        return open_document(data, within.name, within=within)

    return Member(name, opened)


@dataclass(slots=True)
class Members:
    """State of reading the members of one document: what read them, and what could not be read."""

    within: Within
    engines: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reasons: set[str] = field(default_factory=set)
    given: Counter[str] = field(default_factory=Counter)
    left: int = 0  # members beyond the budget

    def extraction(self, title: str | None, lines: Iterable[Line], kind: str = "") -> Extraction:
        """The document of these lines; `kind` names an archive, which has no text of its own."""

        def to_the_end() -> Iterator[Line]:
            yield from lines
            if self.left:
                last = "the last file" if self.left == 1 else f"the last {self.left:,} files"
                self.unread.append(last)
            if kind:
                self._refuse_without_documents(kind)

        return Extraction(title, to_the_end(), self.engines, self.unread, self.notes)

    def lines(self, members: Iterable[Member]) -> Iterator[Line]:
        """The marks and lines of the members in their order.

        Where the list of members itself is damaged, those before it are read.
        """
        budget: Budget = self.within.budget
        for member in self._listed(members):
            *folders, base = path_parts(member.name)
            litter = any(never_a_document(folder, is_folder=True) for folder in folders)
            if litter or never_a_document(base, is_folder=False):
                continue
            if budget.members <= 0 or budget.chars < 0:
                self.left += 1
                continue
            budget.members -= 1
            name = _cut("/".join((*folders, base)), MAX_NAME_CHARS)
            self.given[name] += 1
            times = self.given[name]
            yield from self._member(name if times == 1 else f"{name} ({times})", member)

    def _refuse_without_documents(self, kind: str) -> None:
        if self.left and not self.reasons:
            raise UnreadableDocument("too_large_unpacked", "more files than are read")
        if self.reasons == {"encrypted"}:
            raise UnreadableDocument("encrypted")
        if self.reasons <= NO_DOCUMENT | {"unsupported"}:
            raise UnreadableDocument("unsupported", f"{kind} without documents")

    def _listed(self, members: Iterable[Member]) -> Iterator[Member]:
        try:
            yield from members
        except (UnreadableDocument, *BROKEN) as error:
            reason = _reason(error).reason
            self.reasons.add(reason)
            self.unread.append(f"the rest ({reason})")

    def _member(self, name: str, member: Member) -> Iterator[Line]:
        """The mark and the lines of a member; without text, the mark contains the reason."""
        begun = False
        try:
            if is_key(name.rpartition("/")[2]):
                raise UnreadableDocument("secret")
            opened = member.open(self.within.inner(name))
            for line in opened.lines:
                inner = line.part or (page_mark(line.page)[4:-4] if line.page is not None else "")
                if not inner.startswith(_FILE):  # else it has been counted there
                    self.within.budget.chars -= len(line.text) + 1
                if line.is_mark:
                    yield _marked(name, inner, line.text.removeprefix(f"--- {inner} ---"))
                else:
                    if not begun and not inner:
                        yield _marked(name)
                    yield replace(line, page=None, part=_part(name, inner))
                begun = True
        except (UnreadableDocument, *BROKEN) as raised:
            error = _reason(raised)
        else:
            self.reasons.add("read")
            self.engines |= opened.engines
            self.unread += [f"{name}: {each}" for each in opened.unread]
            self.notes += [f"{name}: {each}" for each in opened.notes]
            return
        self.reasons.add(error.reason)
        detail = error.detail if error.reason in ("binary", "unsupported") else ""
        kind = detail.partition(";")[0] or error.reason  # what it is, if that is the reason
        if not begun:
            advice = detail if error.reason == "unsupported" else ""
            yield _marked(name, "", f" (not read: {advice or kind})")
        if error.reason not in NO_DOCUMENT:
            self.unread.append(f"{name} ({kind})")


def path_parts(name: str) -> list[str]:
    """The path components of a member, without empty ones, "." and ".."; at least one."""
    names = whole(name).replace("\0", "").replace("\\", "/").split("/")
    return [" ".join(n.split()) for n in names if n.strip() not in ("", ".", "..")] or ["unnamed"]


def _reason(error: BaseException) -> UnreadableDocument:
    return error if isinstance(error, UnreadableDocument) else UnreadableDocument("malformed")


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"…{name[1 - most :]}"


def _part(name: str, inner: str) -> str:
    """The name of a part of a member; `inner` is its name within the member, "" for its text."""
    if inner.startswith(_FILE):
        name = _cut(f"{name}/{inner.removeprefix(_FILE)}", MAX_LABEL_CHARS)
    elif inner:
        name = f"{name}, {inner}"
    return next(lines_of(f"{_FILE}{name}".replace("---", "--")))


def _marked(name: str, inner: str = "", remark: str = "") -> Line:
    part = _part(name, inner)
    return Line(f"--- {part} ---{remark}", None, part)


# --- Archives -------------------------------------------------------------------------------------

_BLOCK = 512  # the first of a TAR archive
_SUFFIXES = {".gz": "", ".bz2": "", ".xz": "", ".tgz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}


def read_zip(data: bytes, within: Within) -> Extraction:
    """The lines of all members; raises UnreadableDocument("malformed").

    While they are read also "encrypted" where every member needs a password, and "unsupported"
    where none is a document.
    """
    parts, members = ZipParts(data, locked=True), Members(within)
    # Of several with one name the last, as programs unpack it.
    stored = {info.filename: info for info in parts.members() if not info.is_dir()}
    found = (file_in(_zip_name(i), partial(_zip_bytes, parts, i)) for i in stored.values())
    return members.extraction(None, members.lines(found), "ZIP archive")


def _zip_name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x800:  # said to be UTF-8
        return info.filename
    try:  # zipfile took it for the first PC's page
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _zip_bytes(parts: ZipParts, info: zipfile.ZipInfo, most: int) -> bytes:
    if stat.S_ISLNK(info.external_attr >> 16):
        raise UnreadableDocument("symlink")
    if info.flag_bits & 1:
        raise UnreadableDocument("encrypted")
    return parts.unpacked(info, most)


def read_tar(data: bytes, within: Within) -> Extraction:
    """The lines of all members; raises UnreadableDocument as a ZIP archive does."""
    members = Members(within)
    return members.extraction(None, members.lines(_tar_members(data)), "tar archive")


def _tar_members(data: bytes) -> Iterator[Member]:
    def read(info: tarfile.TarInfo, most: int) -> bytes:
        if info.issym() or info.islnk():
            raise UnreadableDocument("symlink")
        if not info.isreg():
            raise UnreadableDocument("special")
        if info.size > most:
            raise UnreadableDocument("too_large_unpacked")
        with readable("tar", tarfile.TarError):
            file = archive.extractfile(info)
            assert file is not None, "a file has bytes"
            return file.read()

    with readable("tar", tarfile.TarError):
        archive = tarfile.open(fileobj=io.BytesIO(data), mode="r|")  # noqa: SIM115 - of memory
        while (info := archive.next()) is not None:
            if not info.isdir():
                yield file_in(info.name, partial(read, info))


def read_packed(data: bytes, within: Within) -> Extraction:
    """The title and lines of the file within; raises UnreadableDocument as its reader does."""
    budget = within.budget
    try:
        file = _opened(data)
        holds_files = is_tar(file.peek(_BLOCK)[:_BLOCK])  # which are counted one by one
        most = budget.unpacked_bytes if holds_files else budget.most_bytes()
        inner = file.read(most + 1)
    except (*BROKEN, lzma.LZMAError) as error:
        raise UnreadableDocument("malformed", what_broke(error)) from None
    except MemoryError:  # a window as large as the file says that it needs
        raise UnreadableDocument("too_large_unpacked") from None
    if len(inner) > most:
        raise UnreadableDocument("too_large_unpacked")
    if holds_files:
        return read_tar(inner, within)
    budget.spend(len(inner))
    path = PurePosixPath("/".join(path_parts(within.name)))
    path = path.with_suffix(_SUFFIXES.get(path.suffix.lower(), path.suffix))
    if is_key(path.name):
        raise UnreadableDocument("secret")
    return open_document(inner, str(path), within=within.inner(str(path)))


def _opened(data: bytes) -> gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    file = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    return bz2.BZ2File(file) if data.startswith(b"BZh") else lzma.LZMAFile(file)


# --- Apple's Pages, Keynote and Numbers -----------------------------------------------------------

_EXPORT = "Pages, Numbers or Keynote document; export as PDF from Pages, Numbers or Keynote"
_PREVIEWED = "read from its preview, which may show the first page alone"


def read_iwork(data: bytes) -> Extraction:
    """The lines of its PDF preview; raises UnreadableDocument("unsupported") without one."""
    preview = ZipParts(data).read("QuickLook/Preview.pdf")
    if preview is None:
        raise UnreadableDocument("unsupported", _EXPORT)
    extraction = read_pdf(preview)
    extraction.notes.append(_PREVIEWED)
    return extraction
