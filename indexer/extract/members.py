"""Documents within a document: files of archives, attachments of mails, each behind its own mark.

Each is read as the file that it is, by the registry, within one budget for all that one file holds.
Nothing is unpacked to disk: a member's name is a label, not a path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from indexer.errors import UnreadableDocument
from indexer.extract import Opened, open_document, opened_as
from indexer.extract.extraction import BROKEN, Budget, Extraction, Within
from indexer.extract.normalise import lines_of, whole
from indexer.files.names import is_key, never_a_document
from indexer.records import Line, page_mark

MAX_NAME_CHARS = 100  # of a member in a mark; the end of a path says most
MAX_LABEL_CHARS = 240  # of a member in a member, with its page

# For these a member is no document, as a file in a folder would be none; nothing is lost.
NO_DOCUMENT = frozenset({"binary", "no_bytes", "no_text", "secret", "symlink", "special"})
_FILE = "File "


@dataclass(frozen=True, slots=True)
class Member:
    """A document within another one, by the path that it has there.

    `read` gives its bytes, at most as many as it is told; it raises UnreadableDocument or what the
    standard library raises for damage. A message in a message has no bytes of its own: then
    `document` opens it.
    """

    name: str
    read: Callable[[int], bytes] = lambda most: b""
    document: Callable[[Within], Extraction] | None = None


@dataclass(slots=True)
class Members:
    """State of reading the members of one document: what read them, and what could not be read."""

    within: Within
    engines: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    given: Counter[str] = field(default_factory=Counter)
    left: int = 0  # members beyond the budget

    def extraction(self, title: str | None, lines: Iterable[Line], kind: str = "") -> Extraction:
        """The document of these lines; one of a `kind` has nothing but its members."""

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
        found = iter(members)
        while (member := self._next(found)) is not None:
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
        reasons = set(self.reasons)
        if self.left and not reasons:
            raise UnreadableDocument("too_large_unpacked", "more files than are read")
        if reasons == {"encrypted"}:
            raise UnreadableDocument("encrypted", "a password is needed")
        if reasons <= NO_DOCUMENT | {"unsupported"}:
            raise UnreadableDocument("unsupported", f"{kind} without documents")

    def _next(self, members: Iterator[Member]) -> Member | None:
        try:
            return next(members, None)
        except (UnreadableDocument, *BROKEN) as error:
            reason = _reason(error).reason
        self.reasons[reason] += 1
        self.unread.append(f"the rest ({reason})")
        return None

    def _member(self, name: str, member: Member) -> Iterator[Line]:
        """The mark and the lines of a member; without text, the mark contains the reason."""
        begun = False
        try:
            for line in self._lines(name, member):
                begun = True
                yield line
        except (UnreadableDocument, *BROKEN) as raised:
            error = _reason(raised)
        else:
            self.reasons["read"] += 1
            return
        self.reasons[error.reason] += 1
        detail = error.detail if error.reason in ("binary", "unsupported") else ""
        kind = detail.partition(";")[0] or error.reason  # what it is, if that is the reason
        if not begun:
            advice = detail if error.reason == "unsupported" else ""
            yield from _marked(name, "", f" (not read: {advice or kind})")
        if error.reason not in NO_DOCUMENT:
            self.unread.append(f"{name} ({kind})")

    def _lines(self, name: str, member: Member) -> Iterator[Line]:
        """The lines of a member, its name added to the marks; raises as readers do."""
        opened = self._opened(name, member)
        begun = False
        for line in opened.lines:
            inner = line.part or (page_mark(line.page)[4:-4] if line.page is not None else "")
            if not inner.startswith(_FILE):  # else it has been counted there
                self.within.budget.chars -= len(line.text) + 1
            if line.is_mark:
                yield from _marked(name, inner, line.text.removeprefix(f"--- {inner} ---"))
            else:
                if not begun and not inner:
                    yield from _marked(name)
                yield replace(line, page=None, part=_part(name, inner))
            begun = True
        self.engines |= opened.engines
        self.unread += [f"{name}: {each}" for each in opened.unread]
        self.notes += [f"{name}: {each}" for each in opened.notes]

    def _opened(self, name: str, member: Member) -> Opened:
        if is_key(name.rpartition("/")[2]):
            raise UnreadableDocument("secret")
        within, budget = self.within.inner(name), self.within.budget
        if member.document is not None:
            return opened_as("eml", member.document, within)
        data = member.read(budget.most_bytes())
        budget.spend(len(data))
        return open_document(data, name, within=within)


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


def _marked(name: str, inner: str = "", remark: str = "") -> Iterator[Line]:
    part = _part(name, inner)
    yield Line(f"--- {part} ---{remark}", None, part)
