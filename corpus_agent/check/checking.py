"""A text taken apart into quotations, statements and the places it names; each then found."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.claims import Evidence, claims_something, names, share_covered
from corpus_agent.answering.differences import difference, missing_figures
from corpus_agent.check.quotations import QuotationFinder
from corpus_agent.check.records import WORDS, Checked, Named, Piece
from corpus_agent.check.statements import StatementFinder
from corpus_agent.text.naming import called, known
from corpus_agent.text.numbers import figures
from corpus_agent.text.sanitize import inert, visible
from corpus_agent.text.sentences import asks, is_title, leads_in, units
from corpus_agent.text.tokens import STOP_WORDS, content_terms, fold
from corpus_agent.text.wording import number_of
from indexer import CorpusError, UnreadableDocument, is_multilingual, language_of, parsed_lines

if TYPE_CHECKING:
    from indexer import Encoder, Index

MAX_CHARACTERS = 1_000_000
MAX_PIECES = 2_000  # quotations and statements of one text
MAX_QUOTATION = 2_000  # characters; a longer one is checked sentence by sentence
LEAST_WORDS, LEAST_SIGNS = 3, 5  # of a quotation; what is shorter is a term of its sentence
FRAME, OWN_WORDS = 5, 8  # content words beside quotations: as many state something, fewer a name
# Characters that are cut into sentences at a time.
_PART = regex.compile(r"(?s).{1,8000}(?:\n\n|$)|.{1,8000}[\n ]|.{1,8000}")

# Blocks between blank fences and behind ">"; a fence that nothing closes is none.
_BLOCK = regex.compile(
    r"(?ms)^[^\S\n]{0,3}(?P<fence>```|~~~)[^\S\n]*+(?P<language>\w*+)[^\n]*+\n(?P<fenced>.*?)"
    r"^[^\S\n]{0,3}(?P=fence)[^\n]*$|(?P<quoted>(?:^[^\S\n]{0,3}>[^\n]*(?:\n|\Z))+)"
)
_FENCE = regex.compile(r"(?m)^[^\S\n]{0,3}(?:```|~~~)[^\n]*$")
_QUOTES = frozenset(["quote", "quotation", "citation", "zitat"])
_SIGNS_BEFORE = regex.compile(r"(?m)^[^\S\n]{0,3}>(?:[^\S\n]?>)*[^\S\n]?(?:[^\S\n]*▸)?")
_BY = regex.compile(r"(?m)^[^\S\n]*+(?:[—–]|--)[^\S\n]*+[^\n]+")
_MARKS = regex.compile(r"[“”„«»‹›「」『』‘’\"]|\n[^\S\n]*\n")
_PAIRS = '“ ”|„ “”|« »|» «»|‹ ›|› ‹|「 」|『 』|‘ ’|” ”|" "'
_CLOSED_BY = dict(pair.split() for pair in _PAIRS.split("|"))
_LIKE_LETTERS = '‘’"'  # of these only one at the edge of a word opens or closes
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]"
_WORD = regex.compile(rf"(?P<sign>{_UNSPACED})|[\p{{L}}\p{{N}}][\p{{L}}\p{{M}}\p{{N}}]*")

_PAGE = r"(?:pages?|pp?\.|seiten?|s\.|página|pág\.|pagina|pag\.|第)\s*"
_LINE = r"(?:lines?|zeilen?|lignes?|líneas?|righe|riga)\s*"
_PLACE = regex.compile(
    r"(?<![\p{L}\p{N}_./-])(?P<name>[\p{L}\p{N}_](?:[^\s\"“”„«»()\[\]<>|`',;:]{0,200})"
    r"\.\p{L}[\p{L}\p{N}]{0,5})(?![\p{L}\p{N}_])[`'\"*]{0,2}"
    rf"(?:(?::|,?\s*\(?{_LINE})L?(?P<line>\d{{1,7}})(?:\s?[-–]\s?L?(?P<last>\d{{1,7}}))?"
    rf"(?:, ?{_PAGE}\d+)?|,?\s*\(?{_PAGE}(?P<page>\d{{1,6}})(?:\s?[-–]\s?(?P<last>\d{{1,6}}))?)?",
    regex.IGNORECASE,
)
_RUN, _BEGINNING = regex.compile(r"[\p{L}\p{N}]+"), 4  # letters of a name
_GAP = regex.compile(r"[\s(\[\"“„«'`]+")
_NOTE = regex.compile(r"\s{0,3}(?:[-*]\s+)?(?:\[\^?(?P<n>[\w-]{1,20})\]:?|(?P<n>\d{1,3})[.)])\s")
_NOTE_MARK = regex.compile(r"\[\^?([\w-]{1,20})\](?![(:])")
_LIST_MARK = regex.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")
_EMPTY = regex.compile(WORDS["place"], regex.IGNORECASE)
_OPINION = regex.compile(WORDS["opinion"], regex.IGNORECASE)

Resolve = Callable[[str], str | None]  # the document that a text means by a name


def text_of(data: bytes, name: str) -> str:
    """The text of a file as its kind is read, the marks of pages empty lines; CorpusError."""
    name = "text.md" if name == "-" else name  # standard input
    try:
        lines, _ = parsed_lines(data, name, lambda _, n: n > MAX_CHARACTERS)
    except UnreadableDocument as error:
        said = f"The text cannot be read: {error.detail or error.reason}."
        raise CorpusError(said, "Take text, Markdown, HTML, DOCX, PDF, or a receipt.") from None
    return "\n".join("" if line.is_mark else line.text for line in lines)


def check_text(
    text: str,
    corpus: Index,
    encoder: Encoder | None = None,
    on_piece: Callable[[int, int], object] = lambda *_: None,
) -> Checked:
    """What the documents say of each piece of a text; raises CorpusError for one beyond limits."""
    documents = [row for row in corpus.files() if row.is_document]
    names = document_names(likely_named(text, (row.source for row in documents)))
    pieces, left_out = take_apart(text, lambda name: names.get(fold(name)))
    quotations, statements = QuotationFinder(corpus), StatementFinder(corpus, encoder)
    findings = []
    for number, piece in enumerate(pieces):
        on_piece(number, len(pieces))
        findings.append((quotations if piece.is_quotation else statements).find(piece))
    notices = list(corpus.notices)
    language = language_of(text)  # a text that tells none is not parted from any
    apart = sum(bool(language and row.language) and row.language != language for row in documents)
    if apart and not (encoder and is_multilingual(encoder)):
        notices.append(f"Not compared by words: {number_of(apart, 'document')} in other languages.")
    cited = {each.source for found in findings for each in found.citations}
    stale = statements.stale | {name for name in cited if corpus.read(name, limit=1).stale}
    if stale:
        named = ", ".join(called(name, inert) for name in sorted(stale))
        notices.append(f"Changed since they were indexed (run index): {named}.")
    return Checked(text, findings, left_out, corpus.coverage(), corpus.version, notices)


def likely_named(text: str, sources: Iterable[str]) -> list[str]:
    """The documents that a text may name: it has the letters with which their last part begins.

    And those whose name is shown otherwise than it is.
    """
    said = {run[:_BEGINNING] for run in _RUN.findall(fold(text[:MAX_CHARACTERS]))}
    last = ((source, _RUN.search(fold(source.rpartition("/")[2]))) for source in sources)
    return [
        source
        for source, run in last
        if called(source) != source or (run and run[0][:_BEGINNING] in said)
    ]


def document_names(sources: Iterable[str]) -> dict[str, str]:
    """Each document by its names, without case: as it is shown, and its last part if alone."""
    whole = {fold(name): source for name, source in known(sources).items()}
    last = [(fold(source.rpartition("/")[2]), source) for source in {*whole.values()}]
    count = Counter(name for name, _ in last)
    return {name: source for name, source in last if count[name] == 1} | whole


# ---- Taken apart


def take_apart(text: str, resolve: Resolve) -> tuple[list[Piece], dict[str, int]]:
    """The quotations and statements in order, and how many state nothing; CorpusError if long."""
    reader = _Reader(text[:MAX_CHARACTERS], resolve)
    pieces = [*islice(reader.pieces(), MAX_PIECES + 1)]
    if len(text) > MAX_CHARACTERS or len(pieces) > MAX_PIECES:
        most = f"{MAX_CHARACTERS:,} characters or {MAX_PIECES:,} quotations and statements"
        raise CorpusError(f"The text has more than {most}.", "Check it in parts.")
    return sorted(pieces, key=lambda piece: piece.start), dict(reader.left_out)


class _Reader:
    def __init__(self, text: str, resolve: Resolve) -> None:
        self._text, self._resolve, self._under = text, resolve, ""
        self._language = language_of(text)
        self._lines = [0, *(match.end() for match in regex.finditer("\n", text))]
        self._notes: dict[str, Named] = {}  # the places of a list of sources: "[1] lease.md:32"
        for start in self._lines:
            line = text[start : start + 500].partition("\n")[0]
            if (note := _NOTE.match(line)) and (place := self._place(line, note.end())):
                self._notes[note["n"]] = place
        self.left_out: Counter[str] = Counter()

    def pieces(self) -> Iterator[Piece]:
        """All quotations and statements."""
        done = 0
        for block in _BLOCK.finditer(self._text):
            yield from self._sentences(done, block.start())
            done = block.end()
            if block["quoted"] is not None or block["language"].casefold() in _QUOTES:
                group = "fenced" if block["quoted"] is None else "quoted"
                yield from self._block_quotation(*block.span(group))
            elif block["language"]:
                self.left_out["block of code"] += 1
            else:
                yield from self._sentences(*block.span("fenced"))
        yield from self._sentences(done, len(self._text))

    def _block_quotation(self, start: int, end: int) -> Iterator[Piece]:
        """A block as one quotation; a line in it or behind it may say who is quoted."""
        body = _SIGNS_BEFORE.sub("", self._text[start:end])
        following = self._text[end : end + 300].lstrip("\n").partition("\n")[0]
        *rest, last = body.rstrip().split("\n")
        if _BY.match(last) and self._place(last) and not claims_something(self._bare(last), "text"):
            body, following = "\n".join(rest), last
        is_by = _BY.match(following) or following.startswith(("(", "["))
        named = self._place(following) if is_by else None
        yield from self._quotation(start, end, body.strip(), named)

    def _quotation(self, start: int, end: int, words: str, named: Named | None) -> Iterator[Piece]:
        """A quotation; the sentences of one that is too long."""
        if not _is_long_enough(words):
            return
        found = units(words) if len(words) > MAX_QUOTATION else []
        for part in [words[unit.start : unit.end] for unit in found] or [words]:
            yield Piece(start, end, bisect_right(self._lines, start), part, True, named)

    def _sentences(self, start: int, end: int) -> Iterator[Piece]:
        """What stands in quotation marks, and the statements of a range, a part at a time."""
        for part in _PART.finditer(self._text, start, end):
            yield from self._part(*part.span())

    def _part(self, at: int, stop: int) -> Iterator[Piece]:
        text = _FENCE.sub(lambda fence: " " * len(fence[0]), self._text[at:stop])
        spans = [span for span in _quoted(text) if _is_long_enough(text[slice(*span)])]
        done = 0
        for unit in units(text, self._language):
            body, first = text[unit.start : unit.end], max(0, done - 1)
            note = _NOTE.match(body)
            refers = note is not None and self._place(body, note.end()) is not None
            noted = (self._notes[mark] for mark in _NOTE_MARK.findall(body) if mark in self._notes)
            named = self._place(body) or next(noted, None)
            while done < len(spans) and spans[done][0] < unit.end:
                begin, end = spans[done]
                beside = self._place(text[end : end + 200].partition("\n")[0]) or named
                yield from self._quotation(at + begin, at + end, text[begin:end].strip(), beside)
                done += 1
            said, quoted = body, " ".join(text[begin:end] for begin, end in spans[first:done])
            for begin, end in reversed(spans[first:done]):
                said = said[: max(0, begin - unit.start)] + said[max(0, end - unit.start) :]
            if refers and not claims_something(self._bare(said), "text"):
                self.left_out["reference"] += 1
            elif said == body or _states_more(self._bare(said), Evidence(quoted)):
                yield from self._statement(at + unit.start, body, unit.kind, named)
        for begin, end in spans[done:]:
            yield from self._quotation(at + begin, at + end, text[begin:end].strip(), None)

    def _statement(self, start: int, body: str, kind: str, named: Named | None) -> Iterator[Piece]:
        said = self._bare(body)
        why = ""
        if kind != "text" and kind != "row":
            why = "block of code" if kind == "code" else "heading"
        elif leads_in(said) or (said and is_title(said) and body.lstrip()[:1] not in "-*+•–"):
            why = "heading"
        elif asks(said):
            why = "question"
        elif _OPINION.search(said) and not figures(said):
            why = "opinion"
        if why:
            self.left_out[why] += 1
            self._under = said if why == "heading" else self._under
        elif claims_something(said, kind):
            line = bisect_right(self._lines, start)
            yield Piece(start, start + len(body), line, said, False, named, self._under)

    def _bare(self, body: str) -> str:
        """A sentence without the places that it names, its notes and the sign of its list."""
        for start, end, _ in reversed([*self._places(body)]):
            body = body[:start] + body[end:]
        body = _NOTE_MARK.sub(lambda mark: "" if mark[1] in self._notes else mark[0], body)
        words = " ".join(_EMPTY.sub("", _LIST_MARK.sub("", visible(body))).split())
        return regex.sub(r" (?=[.,;:!?。])", "", words)

    def _place(self, text: str, start: int = 0) -> Named | None:
        """The first place that a text names and the index knows."""
        return next((named for begin, _, named in self._places(text) if begin >= start), None)

    def _places(self, text: str) -> Iterator[tuple[int, int, Named]]:
        """The places that a text names, and where; a name may have a few spaces."""
        for match in _PLACE.finditer(text):
            least = max(0, match.start() - 80)
            gaps = [gap.end() for gap in _GAP.finditer(text, least, match.start())]
            known = {
                at: self._resolve(text[at : match.end("name")]) for at in (*gaps, match.start())
            }
            begin = next((at for at, source in known.items() if source), None)
            if begin is not None and (source := known[begin]):
                places = (match[one] for one in ("line", "page", "last"))
                yield begin, match.end(), Named(source, *(int(n) if n else None for n in places))


def _states_more(said: str, quoted: Evidence) -> bool:
    """Whether the rest of a sentence states something that its quotations do not."""
    if share_covered(said, quoted) == 1 and not difference(said, quoted):
        return bool(missing_figures(said, quoted.text, ""))
    own = [word for word in content_terms(said) if word not in STOP_WORDS]
    return len(own) >= OWN_WORDS or bool(figures(said) or (len(own) >= FRAME and names(said)))


def _is_long_enough(words: str) -> bool:
    found = [match["sign"] for match in _WORD.finditer(words[:200])]
    return len(found) >= (LEAST_SIGNS if any(found) else LEAST_WORDS)


def _quoted(text: str) -> list[tuple[int, int]]:
    """What stands between quotation marks of one paragraph that belong together, the outermost."""
    found: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    for match in _MARKS.finditer(text):
        sign, at = match[0], match.start()
        if len(sign) > 1:
            opened.clear()
            continue
        before, behind = text[at - 1 : at], text[at + 1 : at + 2]
        closes = sign not in _LIKE_LETTERS or (not behind.isalnum() and bool(before.strip()))
        last = range(len(opened) - 1, max(-1, len(opened) - 4), -1) if closes else ()
        opener = next((n for n in last if sign in _CLOSED_BY[opened[n][0]]), None)
        if opener is not None:
            begin = opened[opener][1] + 1
            del opened[opener:]
            while found and found[-1][0] > begin:
                found.pop()
            found.append((begin, at))
        elif sign in _CLOSED_BY and not (sign in _LIKE_LETTERS and before.isalnum()):
            opened.append((sign, at))
    return found
