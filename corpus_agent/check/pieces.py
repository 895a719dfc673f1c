"""A text taken apart: its quotations, its statements, the places that it names. Pure.

Works line by line and paragraph by paragraph, so that its cost grows with the text and no more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import regex

from corpus_agent.answering.claims import claims_something
from corpus_agent.check.records import Named, Piece
from corpus_agent.text.numbers import figures
from corpus_agent.text.sanitize import visible
from corpus_agent.text.sentences import asks, is_title, leads_in, units
from corpus_agent.text.tokens import STOP_WORDS, content_terms
from indexer import CorpusError

MAX_CHARACTERS = 1_000_000
MAX_PIECES = 2_000  # quotations and statements of one text
MAX_QUOTATION = 2_000  # characters; a longer one is checked sentence by sentence
LEAST_WORDS, LEAST_SIGNS = 3, 5  # of a quotation; what is shorter is a term of its sentence
OWN_WORDS = 5  # content words beside its quotations that a sentence states something with
_LONGEST_LINE = 4_000  # characters
_PART = 8_000  # characters of lines that are cut into sentences at a time

_FENCE = regex.compile(r"\s{0,3}(?:```|~~~)\s*(\w*)")
_FENCE_LINE = regex.compile(r"(?m)^[^\S\n]{0,3}(?:```|~~~)[^\n]*$")
_QUOTED_LINE = regex.compile(r"[^\S\n]{0,3}>(?:[^\S\n]?>)*[^\S\n]?")
_SHOWN = regex.compile(r"^\s*▸ ?", regex.MULTILINE)
_BY = regex.compile(r"\s*(?:[—–]|--)\s*\S")
_MARKS = regex.compile(r"[“”„«»‹›「」『』‘’\"]|\n[^\S\n]*\n")
_PAIRS = '“ ”|„ “”|« »|» «»|‹ ›|› ‹|「 」|『 』|‘ ’|” ”|" "'
_CLOSED_BY = dict(pair.split() for pair in _PAIRS.split("|"))
_LIKE_LETTERS = '‘’"'  # of these only one at the edge of a word opens or closes
_SIGN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")

_PAGE = r"(?:pages?|pp?\.|seiten?|s\.|página|pág\.|pagina|pag\.|第)\s*"
_LINE = r"(?:lines?|zeilen?|lignes?|líneas?|righe|riga)\s*"
_PLACE = regex.compile(
    r"(?<![\p{L}\p{N}_./-])(?P<name>[\p{L}\p{N}_](?:[^\s\"“”„«»()\[\]<>|`',;:]{0,200})"
    r"\.\p{L}[\p{L}\p{N}]{0,5})(?![\p{L}\p{N}_])[`'\"*]{0,2}"
    rf"(?:(?::|,?\s*\(?{_LINE})L?(?P<line>\d{{1,7}})(?:\s?[-–]\s?L?\d{{1,7}})?"
    rf"|,?\s*\(?{_PAGE}(?P<page>\d{{1,6}})(?:\s?[-–]\s?\d{{1,6}})?)?",
    regex.IGNORECASE,
)
_NOTE = regex.compile(r"^\s{0,3}(?:[-*]\s+)?(?:\[\^?(?P<n>[\w-]{1,20})\]:?|(?P<n>\d{1,3})[.)])\s+")
_NOTE_MARK = regex.compile(r"\[\^?([\w-]{1,20})\](?![(:])")
_LIST_MARK = regex.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")
_EMPTY = regex.compile(r"[(\[]\s*(?:see|siehe|vgl\.?|cf\.?|voir|véase|source:?)?[\s,;]*[)\]]")
_OPINION = regex.compile(
    r"(?i)\b(?:(?:I|we)(?:['’]d| would)? (?:think|believe|feel|guess|suggest|recommend|hope|suppose"
    r"|assume|like|love)|in (?:my|our) (?:opinion|view)|seems?|probably|perhaps|maybe|arguably"
    r"|(?:un)?fortunately|hopefully|personally|let me know|feel free|you (?:might|may) want"
    r"|here (?:is|are)|ich (?:glaube|denke|finde|meine|empfehle)|meine[rs]? (?:Meinung|Ansicht)"
    r"|vermutlich|wahrscheinlich|vielleicht|leider|je (?:pense|crois|trouve)|à mon avis|peut-être"
    r"|probablement|creo que|pienso que|en mi opinión|quizás?|tal vez|probablemente|secondo me"
    r"|forse|probabilmente)\b|我(?:认为|觉得|想)|也许|大概"
)

Resolve = Callable[[str], str | None]
"""The document of the index that a text means by a name; None for none."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Characters of a text that are read alike: "text", "quote", or "code", which is left out."""

    start: int
    end: int
    kind: str


def take_apart(text: str, resolve: Resolve) -> tuple[list[Piece], dict[str, int]]:
    """The quotations and statements of a text in order, and how many sentences state nothing.

    Raises CorpusError for a text beyond the limits.
    """
    if len(text) > MAX_CHARACTERS:
        raise CorpusError(
            f"The text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are checked.",
            "Check it in parts.",
        )
    reader = _Reader(text, resolve)
    pieces: list[Piece] = []
    for piece in reader.pieces():
        pieces.append(piece)
        if len(pieces) > MAX_PIECES:
            raise CorpusError(
                f"The text has more than {MAX_PIECES:,} quotations and statements.",
                "Check it in parts.",
            )
    return sorted(pieces, key=lambda piece: piece.start), dict(reader.left_out)


class _Reader:
    def __init__(self, text: str, resolve: Resolve) -> None:
        self._text, self._resolve = text, resolve
        self._lines = [0, *(match.end() for match in regex.finditer("\n", text))]
        self._spans = [*_parts(self._lines, len(text))]
        self.left_out: Counter[str] = Counter()
        self._notes = dict(self._listed_notes())

    def pieces(self) -> Iterator[Piece]:
        for block in self._blocks():
            if block.kind == "quote":
                yield from self._block_quotation(block)
            elif block.kind == "code":
                self.left_out["block of code"] += 1
            else:
                yield from self._sentences(block)

    def _line(self, at: int) -> int:
        return bisect_right(self._lines, at)

    # ---- Blocks

    def _blocks(self) -> Iterator[_Block]:
        """Fenced and quoted blocks, and between them lines of text, a part at a time."""
        lines = self._spans
        fences = [n for n, (s, e) in enumerate(lines) if _FENCE.match(self._text, s, e)]
        closed = dict(zip(fences[::2], fences[1::2], strict=False))  # an open one is no fence
        begin, number = 0, 0
        while number < len(lines):
            start, end = lines[number]
            if number in closed:
                yield _Block(begin, start, "text")
                named = _FENCE.match(self._text, start, end)
                language = named[1].casefold() if named else ""
                kind = "quote" if language in ("quote", "quotation", "zitat", "citation") else ""
                last = closed[number]
                yield _Block(end, lines[last][0], kind or ("code" if language else "text"))
                begin, number = lines[last][1], last + 1
                continue
            if _QUOTED_LINE.match(self._text, start, end):
                yield _Block(begin, start, "text")
                while number < len(lines) and _QUOTED_LINE.match(self._text, *lines[number]):
                    number += 1
                begin = lines[number - 1][1]
                yield _Block(start, begin, "quote")
                continue
            blank = not self._text[start:end].strip()
            if end - begin > _PART or (blank and end - begin > _PART // 2):
                yield _Block(begin, end, "text")
                begin = end
            number += 1
        yield _Block(begin, len(self._text), "text")

    def _block_quotation(self, block: _Block) -> Iterator[Piece]:
        """A block as one quotation a paragraph; its last line may say who is quoted."""
        named, found, start = None, list[tuple[int, int]](), block.start
        for match in regex.finditer(
            r"[^\n]*(?:\n|$)", self._text, pos=block.start, endpos=block.end
        ):
            mark = _QUOTED_LINE.match(self._text, match.start(), match.end())
            body = self._text[mark.end() if mark else match.start() : match.end()]
            by = _BY.match(body) and self._place(body)
            if by or not body.strip():
                found.append((start, match.start()))
                start, named = match.end(), by or named
        found.append((start, block.end))
        following = self._text[block.end : block.end + 300].lstrip("\n").split("\n", 1)[0]
        if named is None and (_BY.match(following) or following.startswith(("(", "["))):
            named = self._place(following)
        for begin, end in found:
            body = regex.sub(rf"(?m)^{_QUOTED_LINE.pattern}", "", self._text[begin:end])
            words = _SHOWN.sub("", body).strip()
            if _is_long_enough(words):
                yield from self._quotation(begin, end, words, named)

    def _quotation(self, start: int, end: int, words: str, named: Named | None) -> Iterator[Piece]:
        """A quotation; one that is too long as runs of its sentences."""
        piece = Piece(start, end, self._line(start), words, True, named)
        if len(words) <= MAX_QUOTATION:
            yield piece
            return
        begin = last = 0
        for unit in units(words):
            if unit.end - begin > MAX_QUOTATION and last > begin:
                yield replace(piece, text=words[begin:last])
                begin = unit.start
            last = unit.end
        yield replace(piece, text=words[begin:last])

    # ---- Sentences

    def _sentences(self, block: _Block) -> Iterator[Piece]:
        # A fence that nothing closes hides nothing.
        text = _FENCE_LINE.sub(_blank, self._text[block.start : block.end])
        spans = [span for span in _quoted(text) if _is_long_enough(text[slice(*_inner(span))])]
        done = 0
        for unit in units(text):
            body = text[unit.start : unit.end]
            note = _NOTE.match(body)
            if note and self._place(body, note.end()):
                self.left_out["reference"] += 1
                continue
            named = self._place(body) or self._noted(body)
            first, own = max(0, done - 1), False
            while done < len(spans) and spans[done][0] < unit.end:
                begin, end = _inner(spans[done])
                own = True
                beside = self._place(text[end : end + 200].split("\n", 1)[0]) or named
                at = block.start
                yield from self._quotation(at + begin, at + end, text[begin:end].strip(), beside)
                done += 1
            said = _without(body, unit.start, [_inner(span) for span in spans[first:done]])
            if own or said != body:
                said = self._bare(said)
                words = [word for word in content_terms(said) if word not in STOP_WORDS]
                if len(words) < OWN_WORDS and not figures(said):
                    continue
            yield from self._statement(block.start + unit.start, body, unit.kind, named)

    def _statement(self, start: int, body: str, kind: str, named: Named | None) -> Iterator[Piece]:
        said = self._bare(body)
        why = self._states_nothing(said, kind)
        if why:
            self.left_out[why] += 1
        elif claims_something(said, kind):
            yield Piece(start, start + len(body), self._line(start), said, False, named)

    def _states_nothing(self, said: str, kind: str) -> str:
        """What a sentence is that states nothing; "" for a statement."""
        if kind in ("page", "property", "code"):
            return "block of code" if kind == "code" else "heading"
        if kind == "head" or leads_in(said) or (said and is_title(said)):
            return "heading"
        if asks(said):
            return "question"
        return "opinion" if _OPINION.search(said) and not figures(said) else ""

    def _bare(self, body: str) -> str:
        """A sentence without the places that it names, its notes and the sign of its list."""
        for match in reversed([*_PLACE.finditer(body)]):
            if self._resolve(match["name"]):
                body = body[: match.start()] + body[match.end() :]
        body = _NOTE_MARK.sub(lambda mark: "" if mark[1] in self._notes else mark[0], body)
        words = " ".join(_EMPTY.sub("", _LIST_MARK.sub("", visible(body))).split())
        return regex.sub(r" (?=[.,;:!?。])", "", words)

    # ---- Places

    def _place(self, text: str, start: int = 0) -> Named | None:
        """The first place that a text names and the index knows."""
        for match in _PLACE.finditer(text, start):
            source = self._resolve(match["name"])
            if source is not None:
                line, page = (int(match[one]) if match[one] else None for one in ("line", "page"))
                return Named(source, line, page)
        return None

    def _noted(self, body: str) -> Named | None:
        found = (self._notes.get(mark) for mark in _NOTE_MARK.findall(body))
        return next(filter(None, found), None)

    def _listed_notes(self) -> Iterator[tuple[str, Named]]:
        """The places of a list of sources by their number: "[1] lease.md:32"."""
        for start, end in self._spans:
            line = self._text[start : min(end, start + 500)]
            if (note := _NOTE.match(line)) and (place := self._place(line, note.end())):
                yield note["n"], place


def _parts(starts: list[int], end: int) -> Iterator[tuple[int, int]]:
    """The lines of a text, those that are too long in parts."""
    for start, stop in pairwise([*starts, end]):
        cuts = range(start, max(stop, start + 1), _LONGEST_LINE)
        yield from pairwise([*cuts, stop])


def _blank(match: regex.Match[str]) -> str:
    return " " * len(match[0])


def _is_long_enough(words: str) -> bool:
    signs = _SIGN.findall(words[:200])
    least = LEAST_SIGNS if any(map(_UNSPACED.match, signs)) else LEAST_WORDS
    return len(signs) >= least


def _inner(span: tuple[int, int]) -> tuple[int, int]:
    return span[0] + 1, span[1] - 1


def _without(body: str, start: int, spans: list[tuple[int, int]]) -> str:
    """A sentence without the quotations in it."""
    for begin, end in reversed(spans):
        body = body[: max(0, begin - start)] + body[max(0, end - start) :]
    return body


def _quoted(text: str) -> list[tuple[int, int]]:
    """What stands between quotation marks that belong together, the outermost, in order.

    A mark that nothing closes hides none behind it, and none reaches over a blank line.
    """
    found: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    for match in _MARKS.finditer(text):
        sign, at = match[0], match.start()
        if len(sign) > 1:
            opened.clear()
            continue
        before, behind = text[at - 1 : at], text[at + 1 : at + 2]
        closes = sign not in _LIKE_LETTERS or (not behind.isalnum() and bool(before.strip()))
        opener = next((n for n in (-1, -2, -3) if -n <= len(opened) and closes
                       and sign in _CLOSED_BY[opened[n][0]]), None)  # fmt: skip
        if opener is not None:
            begin = opened[opener][1]
            del opened[opener:]
            while found and found[-1][0] > begin:
                found.pop()
            found.append((begin, at + 1))
        elif sign in _CLOSED_BY and not (sign in _LIKE_LETTERS and before.isalnum()):
            opened.append((sign, at))
    return found
