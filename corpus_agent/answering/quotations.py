"""Verifies quotations in documents: whether the text is there, and in which whole sentences.

Compares text, not bytes: white space, line ends, hyphenation at line ends, ligatures, quotation
marks, dashes and Unicode forms are normalised on both sides. A changed word, number or name is a
changed quotation. The smallest thing that is verified is a whole sentence, list item or row: a true
piece is widened to it, so that nothing beside the piece that changes its sense is left out.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, product, takewhile
from typing import TYPE_CHECKING

from corpus_agent.answering.comparable import ALTERED_SHARE, LINKS, Signs, Text, aligned
from corpus_agent.answering.records import Citation
from corpus_agent.text.sentences import Unit, greets, is_item, leads_in, units, wants_more
from corpus_agent.text.tokens import piece_size
from corpus_agent.text.wording import Verdict
from indexer import Line, Refused, Window

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import Readable

NEAR_LINES = 30  # a quotation found within this distance of the claimed line is not moved
WIDENED_LINES = 15  # above and below a piece, that its sentence may go on in
MOST_WIDENED = 600  # characters of a whole sentence or row; a piece of a longer one is partial
MOST_BESIDE = 120  # the same of words or a number beside a longer one that is whole

_ELLIPSIS = re.compile(r"^\s*(?:\[?(?:\.{3}|…)\]?\s*)+|(?:\s*\[?(?:\.{3}|…)\]?)+\s*$")
_WITHIN_MARKS = re.compile(r"^\s*[\"'“„«]([^\"“”„«»]+)[\"'”“»]\s*$")
_BRACKETED_LETTER = re.compile(r"^\[(\w)\](?=\w)")
_FEW_WORDS = 2
_OPENING_MARKS = " \t\"'“„«‘(…."
_AROUND_BRACKETS = " \t\"'“”„«»‘’*_~.,;:!?。，；！？†‡¹²³⁴⁵⁶⁷⁸⁹⁰"
_NUMBERED = re.compile(r"(?i).[\s*\d]*+(?:[ivxlc]++|\w)?[\s*]*+[)\]]")  # "(II)", "[ * * * ]"
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", "：", "；")
_FORGED_MARK = re.compile(r"\s*- - - .{1,40}$")  # as the text of a document has what is like a mark


def _spellings(quote: str) -> list[str]:
    """The quotation as written, then as adapted to the sentence around it.

    Ellipses at its ends, another case of its first letter, another stop at its end. These carry no
    meaning; the document's text is checked in the same way.
    """
    bare = _BRACKETED_LETTER.sub(r"\1", _ELLIPSIS.sub("", quote))
    found = [quote, bare, re.sub(r"(?<=[\w\"'”’»)%€$£°])[.,;。，；]\s*$", "", bare)]
    found.append(_WITHIN_MARKS.sub(r"\1", found[-1]))
    found += [
        each[0].swapcase() + each[1:]
        for each in found[1:]
        if each[:1].isalpha() and (each[1:2].islower() or each[1:2].isspace())
    ]
    return list(dict.fromkeys(found))


def check_quotation(
    corpus: Readable,
    n: int,
    source: str,
    quote: str,
    near_line: int = 1,
    *,
    elsewhere: bool = True,
) -> Citation:
    """The citation numbered `n` for a quotation claimed to be near a line of `source`.

    `verified` at the claimed place, `moved` elsewhere in the source: both have the whole sentences
    of the source that the quotation stands in. `partial` is a piece of one that is too long to be
    shown, `altered` resembles the lines that it has. `not_found` keeps the claim. Without
    `elsewhere` what is not near the claimed line is not looked for in the rest of the source.
    """
    try:
        # Twice the distance downwards: a quotation may begin near and end further on.
        offset = max(1, near_line - NEAR_LINES - WIDENED_LINES)
        near = corpus.read(source, offset, near_line - offset + 2 * NEAR_LINES)
        found = _exactly(near.lines, quote, near_line - offset + 1)
        if found is not None and _surely_near(found, near, near_line):
            return citation(n, source, near.lines, _widened(near.lines, found), offset - 1)
    except Refused:
        pass  # the claimed line may be beyond the end: then the whole document is searched
    unknown = Citation(n, source, None, near_line, near_line, quote, "not_found")
    try:
        lines = read_all(corpus, source).lines
    except Refused:
        return unknown
    whole = locate(lines, quote, near_line)
    if whole is None or (not elsewhere and whole[3] == "moved"):
        return unknown
    return citation(n, source, lines, whole)


def citation(
    n: int, source: str, lines: Sequence[Line], found: Located, shift: int = 0
) -> Citation:
    """The citation of lines that were located, with what their extractor noted about them.

    `shift` lines of the document are before these.
    """
    first, last, text, verdict = found
    quoted = lines[first - 1 : last]
    confidences = [line.confidence for line in quoted if line.confidence is not None]
    hidden = any(line.hidden for line in quoted)
    page, lowest = quoted[0].page, min(confidences, default=None)
    place = first + shift, last + shift
    is_struck = _is_struck(lines, first, last, text)
    return Citation(n, source, page, *place, text, verdict, hidden, lowest, struck=is_struck)


_STRIKES = re.compile(r"(?<![~\\])~~(?!~)")


def _is_struck(lines: Sequence[Line], first: int, last: int, text: str) -> bool:
    """Whether a text is struck out: the sign before it in its paragraph ends behind it."""
    above = takewhile(str.strip, (line.text for line in reversed(lines[: first - 1])))
    below = takewhile(str.strip, (line.text for line in lines[last:]))
    begun = lines[first - 1].text.partition(text.partition("\n")[0])[0]
    ended = lines[last - 1].text.rpartition(text.rpartition("\n")[2])[2]
    opening = "\n".join([*above, begun + text[:2]])  # signs are counted, in any order
    parts = opening, text[2:-2], "\n".join([text[-2:] + ended, *below])
    before, within, behind = (len(_STRIKES.findall(part)) for part in parts)
    return before % 2 == 1 and within == 0 < behind


Located = tuple[int, int, str, Verdict]
"""First line, last line, the source's own text and the verdict."""


Found = tuple[int, int, int, int]
"""First line and the column in it, last line and the column behind the last character."""


def _surely_near(found: Found, window: Window, near_line: int) -> bool:
    """Whether a window contains a quotation near a line, with all that its sentence may have."""
    first, last = found[0] + window.offset - 1, found[2] + window.offset - 1
    begun = window.offset == 1 or first - window.offset >= WIDENED_LINES
    shown = window.offset + len(window.lines) - 1
    ended = window.next_offset is None or shown - last >= WIDENED_LINES
    return begun and ended and abs(first - near_line) <= NEAR_LINES


def read_all(corpus: Readable, source: str) -> Window:
    """All lines of a document as one window; raises Refused as `Readable.read` does."""
    whole = corpus.read(source)
    while (offset := whole.next_offset) is not None:
        more = corpus.read(source, offset)
        whole = replace(more, offset=1, lines=whole.lines + more.lines)
    return whole


def found_again(text: str, quote: str, start: int = 0) -> re.Match[str] | None:
    """Where a quotation stands; one that was widened over an empty line has a blank there."""
    return re.compile(r"\s+".join(map(re.escape, quote.split()))).search(text, start)


def locate(lines: Sequence[Line], quote: str, near_line: int = 1) -> Located | None:
    """Where a quotation is, as whole sentences, or what resembles it; None if not found."""
    found = standing(lines, quote, near_line)
    if found is None:
        return _resembling(lines, quote)
    first, last, text, verdict = found
    near = first - NEAR_LINES <= near_line <= last + NEAR_LINES
    return first, last, text, verdict if near or verdict == "partial" else "moved"


def standing(
    lines: Sequence[Line], quote: str, near_line: int = 1, language: str = ""
) -> Located | None:
    """The whole sentences that hold a quotation as it is; None if none does."""
    found = _exactly(lines, quote, near_line)
    return None if found is None else _widened(lines, found, language)


def _widened(lines: Sequence[Line], found: Found, language: str = "") -> Located:
    """The whole sentences, items or rows that a piece of a document stands in.

    With them what is no sentence without them: a word or two beside them, as "VOID.", and what
    announces them, as "Guests must not:".
    """
    first, left, last, right = found
    kept, text = _around(lines, first, last)
    starts = [*accumulate((len(lines[n - 1].text) + 1 for n in kept), initial=0)]
    start, end = starts[kept.index(first)] + left, starts[kept.index(last)] + right
    every = units(text, language)
    touched = [n for n, unit in enumerate(every) if unit.start < end and start < unit.end]
    begin, stop = start, end
    if touched:
        one, other = touched[0], touched[-1]
        while one and _is_one(text, every[one - 1], every[one]):
            one -= 1
        while other + 1 < len(every) and _is_one(text, every[other], every[other + 1]):
            other += 1
        stop = max(end, every[other].end)
        begin = min(start, _opening(text, every[: one + 1], stop))
    if stop - begin > max(MOST_WIDENED, end - start + MOST_BESIDE):
        return first, last, _between(lines, found), "partial"
    at = [bisect_left(starts, position + 1) - 1 for position in (begin, stop - 1)]
    return kept[at[0]], kept[at[1]], text[begin:stop], "verified"


def _is_one(text: str, one: Unit, other: Unit) -> bool:
    """Whether two units of a paragraph are one sentence: it goes on in small letters, or is short.

    A word or two are no sentence by themselves; they say what the one beside them is worth.
    """
    first, second = (text[unit.start : unit.end] for unit in (one, other))
    if {one.kind, other.kind} != {"text"}:
        return False
    is_below = "\n" in text[one.end : other.start]
    if _is_note(second, is_below) and not is_item(second):
        return True
    if is_below:
        return False
    goes_on = second.lstrip(_OPENING_MARKS)[:1].islower() and not is_item(second)
    goes_on = goes_on or second[0] in "—–―‒-"  # which begin no item within a line
    return goes_on or _is_short(second) or (_is_short(first) and not is_item(first))


def _is_note(text: str, is_below: bool) -> bool:
    """Whether a text begins with words in brackets of any kind; `is_below`: it has nothing else."""
    bare = text.lstrip(_AROUND_BRACKETS).rstrip(f"{_AROUND_BRACKETS}0123456789")
    kinds = [*map(unicodedata.category, bare)]
    alone = not is_below or kinds[-1:] == ["Pe"] or "Pe" not in kinds
    return kinds[:1] == ["Ps"] and alone and not _NUMBERED.match(bare)


def _is_short(text: str) -> bool:
    few = len(text.split()) <= _FEW_WORDS and len(text) <= _FEW_WORDS * 15  # characters of a word
    return few and (len(text) <= _FEW_WORDS * 4 or not any(map(piece_size, text)))


def _opening(text: str, every: Sequence[Unit], stop: int) -> int:
    """Where the last unit begins, with what announces it: the head of its list, a colon above."""
    *above, own = every
    begin, is_listed = own.start, is_item(text[own.start : own.end])
    for unit in reversed([unit for unit in above if unit.kind == "text"]):
        before = text[unit.start : unit.end]
        if leads_in(before) and stop - unit.start <= MOST_WIDENED:
            begin = unit.start  # which may be an item itself, below its own head
        elif not (is_listed and is_item(before)):
            break
        is_listed = is_item(before)
        if not is_listed:
            break
    return begin


def _around(lines: Sequence[Line], first: int, last: int) -> tuple[list[int], str]:
    """The numbers of the lines that a piece's sentence may stand in, and their text as one.

    To an empty line that ends it; those that it goes on over, and the marks of pages, are left out.
    """
    kept = [n for n in range(first, last + 1) if not lines[n - 1].is_mark]
    joined = set[int]()  # lines that go on the one before
    above = range(first - 1, max(0, first - 1 - WIDENED_LINES), -1)
    below = range(last + 1, min(len(lines), last + WIDENED_LINES) + 1)
    for numbers, at in ((above, 0), (below, -1)):
        passed = ""
        for number in numbers:
            line, edge = lines[number - 1], lines[kept[at] - 1]
            if line.is_mark or not line.text.strip() or _FORGED_MARK.match(line.text):
                passed += "" if line.is_mark else line.text or " "
                continue
            one, other = (line.text, edge.text) if at == 0 else (edge.text, line.text)
            goes_on = passed and _goes_on(one, other, is_marked=bool(passed.strip()))
            announced = at == 0 and (is_item(other) or leads_in(one.rstrip()))
            if line.hidden != edge.hidden or (passed and not (goes_on or announced)):
                break
            if goes_on:
                joined.add(max(number, kept[at]))
            kept.insert(len(kept) if at else 0, number)
            passed = ""
    pieces = [(" " if n in joined else "\n") + lines[n - 1].text for n in kept]
    return kept, "".join(pieces)[1:]


def _goes_on(above: str, below: str, *, is_marked: bool) -> bool:
    """Whether a sentence goes on over an empty line, or over a line that is like a page's mark."""
    if above.rstrip().endswith(_ENDS) or above.lstrip().startswith(("#", "|")) or is_item(below):
        return False
    if greets(above):
        return False
    goes_on = below.lstrip(_OPENING_MARKS)[:1].islower() or wants_more(above)
    return goes_on or is_marked or above.rstrip().endswith(",")


def _exactly(lines: Sequence[Line], quote: str, near_line: int) -> Found | None:
    """The occurrence nearest to a line: in its own letters, else in a text of capitals."""
    texts = ["" if line.is_mark else line.text for line in lines]
    begins = [*accumulate((len(text) + 1 for text in texts), initial=0)]
    linked, near = LINKS.search(quote) is not None, begins[max(1, min(near_line, len(lines))) - 1]
    there = [Signs("\n".join(texts), linked, broken) for broken in (False, True)]
    spellings = _spellings(unicodedata.normalize("NFC", quote))
    written = [one for one in spellings if any(map(str.isalnum, one))]
    written += [_capitals(one) for one in written if not any(map(str.isdigit, one))]
    for one in written:
        said = [Signs(one, linked, broken) for broken in (False, True)]
        for text, wanted in product(there, said):
            if place := text.nearest(wanted, near):
                start, end = place
                first, last = bisect_right(begins, start), bisect_left(begins, end)
                return first, start - begins[first - 1], last, end - begins[last - 1]
    return None


def _capitals(text: str) -> str:
    """The text in capitals, but for what becomes two letters: "Maße" is not "MASSE"."""
    return "".join(big if len(big := char.upper()) == 1 else char for char in text)


def _between(lines: Sequence[Line], found: Found) -> str:
    first, left, last, right = found
    text = [line.text for line in lines[first - 1 : last] if not line.is_mark]
    text[-1] = text[-1][:right]
    return "\n".join([text[0][left:], *text[1:]])


def _resembling(lines: Sequence[Line], quote: str) -> Located | None:
    """The lines most similar to the quotation, if they are similar enough."""
    text = Text.of("\n".join("" if line.is_mark else line.text for line in lines))
    run = aligned(text, Text.of(quote).words)
    if run is None or run.share < ALTERED_SHARE:
        return None
    first, last = run.lines
    there = (line.text for line in lines[first : last + 1] if not line.is_mark)
    return first + 1, last + 1, "\n".join(there), "altered"
