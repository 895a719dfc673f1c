"""Verifies quotations in documents: whether the text is there, and where.

Compares text, not bytes: white space, line ends, hyphenation at line ends, ligatures, quotation
marks, dashes and Unicode forms are normalised on both sides. A changed word, number or name is a
changed quotation. Words that are there but leave out too much are `cut`: part of a number, text
without its adjacent negation, too few words. The span reported is the source's own text, with
whether the document shows it and how surely it was recognised.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING

from corpus_agent.answering.comparable import LINKS, SAME, Comparable, comparable, comparable_quote
from corpus_agent.answering.cuts import CONTEXT_LINES, SHORT_UNIT, leaves_out
from corpus_agent.answering.gaps import gaps_differ
from corpus_agent.answering.records import Citation, Verdict
from corpus_agent.text.quantities import measured
from corpus_agent.text.tokens import STOP_WORDS, terms
from indexer import Line, Refused, Window

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import Readable

NEAR_LINES = 30  # a quotation found within this distance of the claimed line is not moved
ALTERED_SHARE = 0.6  # of the words in common, in order: then it is a version of that passage
_BEST_RUNS = 8  # candidate places of an altered quotation that are compared in full
_MOST_PLACES = 200  # of one pair of words in one document
# Characters of a quotation that are compared at all of its places, nearest first: a text that
# repeats itself has one at each period, and each may be a piece of what it says.
_MOST_COMPARED = 100_000
LEAST_WORDS = 3  # content words in a quotation without a figure

_WORD = re.compile(r"[^\W_]+")
_ELLIPSIS = re.compile(r"^\s*(?:\[?(?:\.{3}|…)\]?\s*)+|(?:\s*\[?(?:\.{3}|…)\]?)+\s*$")
_WITHIN_MARKS = re.compile(r"^\s*[\"'“„«]([^\"“”„«»]+)[\"'”“»]\s*$")
_BRACKETED_LETTER = re.compile(r"^\[(\w)\](?=\w)")


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

    `verified` at the claimed place, `moved` elsewhere in the source: both have the source's own
    text and lines, and both are `verified in recognised text` if a line of it was recognised from
    a picture. `cut` is there but leaves out too much, `altered` resembles a passage: both have
    the lines in question. `not_found` keeps the claim. Without `elsewhere` one that is cut at the
    claimed place is not looked for in the rest of the source.
    """
    try:
        # Twice the distance downwards: a quotation may begin near and end further on.
        offset = max(1, near_line - NEAR_LINES - CONTEXT_LINES)
        near = corpus.read(source, offset, near_line - offset + 2 * NEAR_LINES)
        found = _exactly(near.lines, quote, near_line - offset + 1)
        if found is not None and _surely_near(found, near, near_line, cut=not elsewhere):
            cited = _citation(n, source, near.lines, _located_near(near.lines, found))
            shift = offset - 1
            return replace(
                cited, line_start=cited.line_start + shift, line_end=cited.line_end + shift
            )
    except Refused:
        pass  # the claimed line may be beyond the end: then the whole document is searched
    try:
        lines = read_all(corpus, source)
    except Refused:
        return Citation(n, source, None, near_line, near_line, quote, "not_found")
    whole = locate(lines, quote, near_line)
    if whole is None:
        return Citation(n, source, None, near_line, near_line, quote, "not_found")
    return _citation(n, source, lines, whole)


def _citation(n: int, source: str, lines: Sequence[Line], found: Located) -> Citation:
    """The citation of lines that were located, with what their extractor noted about them."""
    first, last, text, verdict = found
    quoted = lines[first - 1 : last]
    confidences = [line.confidence for line in quoted if line.confidence is not None]
    hidden = any(line.hidden for line in quoted)
    page, lowest = quoted[0].page, min(confidences, default=None)
    return Citation(n, source, page, first, last, text, verdict, hidden, lowest)


Located = tuple[int, int, str, Verdict]
"""First line, last line, the source's own text and the verdict."""


Found = tuple[int, int, str, bool]
"""First line, last line, text, and whether the quotation is whole and not `cut`."""


def _surely_near(found: Found, window: Window, near_line: int, *, cut: bool) -> bool:
    """Whether a window contains a quotation near a line, whole or `cut`, and with its context."""
    first, last, _, whole = found
    first, last = first + window.offset - 1, last + window.offset - 1
    begun = window.offset == 1 or first - window.offset >= CONTEXT_LINES
    shown = window.offset + len(window.lines) - 1
    ended = window.next_offset is None or shown - last >= CONTEXT_LINES
    return (whole or cut) and begun and ended and abs(first - near_line) <= NEAR_LINES


def read_all(corpus: Readable, source: str) -> list[Line]:
    """All lines of a document, window by window; raises Refused as `Readable.read` does."""
    lines: list[Line] = []
    offset: int | None = 1
    while offset is not None:
        window = corpus.read(source, offset)
        lines += window.lines
        offset = window.next_offset
    return lines


def locate(lines: Sequence[Line], quote: str, near_line: int = 1) -> Located | None:
    """Where a quotation is, or what resembles it; None if not found."""
    found = _exactly(lines, quote, near_line)
    if found is None:
        return _resembling(lines, quote)
    located = _located_near(lines, found)
    first, last, text, verdict = located
    near = first - NEAR_LINES <= near_line <= last + NEAR_LINES
    return located if near or verdict == "partial" else (first, last, text, "moved")


def _located_near(lines: Sequence[Line], found: Found) -> Located:
    """What was found at the claimed place; of what is cut there, its whole lines."""
    first, last, text, whole = found
    if whole:
        return first, last, text, "verified"
    return first, last, _lines_of(lines, first, last), "partial"


def _exactly(lines: Sequence[Line], quote: str, near_line: int) -> Found | None:
    """The occurrence nearest to a line; whole ones come before cut ones."""
    linked = LINKS.search(quote) is not None
    haystack = comparable(lines, linked)
    cut: Found | None = None
    for capitals in (False, True):
        if capitals:
            haystack = replace(haystack, text=_small(haystack.text))
        for spelling in _spellings(quote):
            needle = comparable_quote(spelling, linked)
            if capitals:
                needle = replace(needle, text=_small(needle.text))
            found = _as_spelled(haystack, needle, near_line)
            if found is None or (capitals and not _in_capitals(found[2], spelling)):
                continue
            if found[3]:
                return found
            cut = cut or found
        if cut:
            break
    return cut


def _small(text: str) -> str:
    """The text in lower case, with the same number of characters."""
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _in_capitals(there: str, quoted: str) -> bool:
    """Whether a passage is all capitals, which a quotation may write in sentence case.

    False if a short unit would become another one: "5 MW" and "5 mW".
    """
    if there != there.upper():
        return False
    return SHORT_UNIT.findall(there) == SHORT_UNIT.findall(quoted)


def _as_spelled(haystack: Comparable, wanted: Comparable, near_line: int) -> Found | None:
    if not any(char.isalnum() for char in wanted.text):
        return None
    cut: Found | None = None
    starts = list(_occurrences(haystack.text, wanted.text))
    nearest = sorted(starts, key=lambda at: abs(haystack.line(at) - near_line))
    for start in nearest[: max(1, _MOST_COMPARED // len(wanted.text))]:
        end = start + len(wanted.text)
        first, last, text = _span(haystack, start, end)
        enough = says_enough(text) or (len(starts) == 1 and _is_all(haystack.text, start, end))
        if (cut and not enough) or gaps_differ(haystack, start, wanted):
            continue
        if enough and not leaves_out(haystack, start, end, text):
            return first, last, text, True
        cut = cut or (first, last, text, False)
    return cut


def _occurrences(text: str, needle: str) -> Iterator[int]:
    start = -1
    while (start := text.find(needle, start + 1)) >= 0:
        yield start


def _is_all(text: str, start: int, end: int) -> bool:
    """Whether a document says nothing besides."""
    return not any(map(str.isalnum, chain(text[:start], text[end:])))


@lru_cache(maxsize=256)  # of a text that stands in many lines
def says_enough(text: str) -> bool:
    """Whether a quotation has enough content words, or a figure with its unit or noun."""
    words = {word for word in terms(text) if word not in STOP_WORDS and len(word) > 1}
    return len(words) >= LEAST_WORDS or measured(text) is not None


def _lines_of(lines: Sequence[Line], first: int, last: int) -> str:
    return "\n".join(line.text for line in lines[first - 1 : last] if not line.is_mark)


def _span(haystack: Comparable, start: int, end: int) -> tuple[int, int, str]:
    """Lines and text of the source between two positions of the comparable text."""
    lines = haystack.lines
    first, last = haystack.line(start), haystack.line(end - 1)
    left, right = haystack.column(start), haystack.column(end - 1) + 1
    if first == last:
        return first, last, lines[first - 1].text[left:right]
    middle = [line.text for line in lines[first : last - 1] if not line.is_mark]
    parts = [lines[first - 1].text[left:], *middle, lines[last - 1].text[:right]]
    return first, last, "\n".join(parts)


def _resembling(lines: Sequence[Line], quote: str) -> Located | None:
    """The lines most similar to the quotation, if they are similar enough."""
    wanted = _words(quote)
    own = [(w, n) for n, line in enumerate(lines) if not line.is_mark for w in _words(line.text)]
    if not wanted or not own:
        return None
    words = [word for word, _ in own]
    best: Located | None = None
    best_share = ALTERED_SHARE
    slack = 1 + len(wanted) // 5
    for begin in _likely(words, wanted):
        start, end = max(0, begin - slack), begin + len(wanted) + slack
        matcher = SequenceMatcher(None, words[start:end], wanted, autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        share = sum(block.size for block in blocks) / len(wanted)
        if share >= best_share and blocks:
            first = own[start + blocks[0].a][1] + 1
            last = own[start + blocks[-1].a + blocks[-1].size - 1][1] + 1
            best, best_share = (first, last, _lines_of(lines, first, last), "altered"), share
    return best


def _words(text: str) -> list[str]:
    return _WORD.findall(text.translate(SAME).casefold())


def _likely(words: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """The likely start positions of a run of words that `wanted` is a version of, best first.

    Each pair of adjacent words in both votes for the start position that it implies; a run that
    shares most words in order shares pairs.
    """
    text = f" {' '.join(words)} "
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))
    votes: Counter[int] = Counter()
    for number, (one, other) in enumerate(pairwise(wanted)):
        for at in islice(_occurrences(text, f" {one} {other} "), _MOST_PLACES):
            votes[max(0, bisect_left(starts, at) - number)] += 1
    return [begin for begin, _ in votes.most_common(_BEST_RUNS)]
