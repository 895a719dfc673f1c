"""A quotation looked up in every document: found by its words, then compared word by word.

What is compared is the document as it is now, some lines around each passage that was found.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.comparable import SAME, without_markup
from corpus_agent.answering.quotations import ALTERED_SHARE, citation, standing
from corpus_agent.check.records import Difference, Finding, Kind, Named, Piece
from corpus_agent.text.polarity import denials
from corpus_agent.text.sanitize import visible
from indexer import Query, Refused

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Line

HITS = 8  # passages that a quotation is compared with
QUERY_CHARACTERS = 400  # of a quotation that passages are found by
AROUND = 20  # lines on either side of a passage that a quotation may go on in
KEPT = 64  # windows of documents
SAME_PLACE_LINES = 10  # a place that is named so far off still leads there
LONGEST_GAP = 12  # words left out within a quotation; more were two places
FEW = 2  # words that stand anywhere by chance
LEAST_RUN = 4  # words of a part of a quotation that stands at another place
LONG_RUN, LONG_SHARE = 8, 0.4  # words in a row, and of all, that are an altered quotation as well
LIKELY = 0.8  # of the words of a quotation are there where it may stand as it is
WHOLE = 0.9  # of the words of a quotation that its parts have together
_SLACK = 6
_MOST_VOTES = 200  # places of one pair of words
_TRIED = 3  # places of a window that a quotation is aligned with

_TOKEN = regex.compile(
    r"\p{N}+(?:[.,:/’']\p{N}+)*|[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]"
    r"|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|[%‰°€$£¥§±<>≤≥=]"
)
_BROKEN = regex.compile(r"(?<=\p{L})[-‐]\s*\n\s*(\p{Ll}\S*)")
_ELLIPSIS = regex.compile(r"\s*[(\[]?(?:\.\s?\.\s?\.+|…)[)\]]?\s*")
_CONDITIONS = (
    r"(?:\b(?:unless|except|provided|if|only|until|subject to|sofern|falls|wenn|außer|nur"
    r"|es sei denn|sauf|à moins|si|seulement|excepto|salvo|siempre que|solo|sólo|se|tranne)\b"
    r"|如果|除非|仅|只)"
)
_CONDITION = regex.compile(_CONDITIONS, regex.IGNORECASE)
# What follows in a clause of its own says something else, but for a condition or a "but".
_CLAUSE = regex.compile(
    rf"[;；](?!\s*(?:{_CONDITIONS}|but|however|aber|jedoch|mais|pero|ma\b|但))", regex.IGNORECASE
)
_STOP = regex.compile(r"[.!?。！？][\"'”’»)\]]*$")


@dataclass(frozen=True)
class Text:
    """A text as words that can be compared, with the way back."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str) -> Text:
        """A text without mark-up, its words in one form."""
        lines = (without_markup(line, linked=False) for line in visible(text).split("\n"))
        plain = _BROKEN.sub(r"\1\n", "\n".join(lines))
        found = [*_TOKEN.finditer(plain)]
        words = (unicodedata.normalize("NFKC", m[0].translate(SAME)).casefold() for m in found)
        return cls(plain, tuple(words), tuple(match.span() for match in found))

    def shown(self, start: int, end: int) -> str:
        """The words of a range as they are written."""
        if start >= end:
            return ""
        return " ".join(self.text[self.spans[start][0] : self.spans[end - 1][1]].split())


@dataclass(frozen=True)
class Nearby:
    """Lines of a document around a passage; `before` are those above the first of them."""

    source: str
    before: int
    lines: Sequence[Line]
    words: Text
    pairs: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words that occur."""
        return frozenset(self.words.words)

    def line(self, word: int) -> int:
        """The place among `lines` of the line that a word stands in."""
        return self.words.text.count("\n", 0, self.words.spans[word][0])


@dataclass(frozen=True, slots=True)
class Run:
    """A quotation beside some words of a document: where both are equal, in order."""

    nearby: Nearby
    start: int
    end: int
    blocks: tuple[tuple[int, int, int], ...]
    share: float

    @property
    def longest(self) -> int:
        """The most words in a row that are equal."""
        return max((size for _, _, size in self.blocks), default=0)


class QuotationFinder:
    """Finds quotations in a corpus; keeps what it read for the next one."""

    def __init__(self, corpus: CorpusView) -> None:
        self._corpus = corpus
        self._kept: OrderedDict[tuple[str, int], Nearby | None] = OrderedDict()

    def find(self, piece: Piece) -> Finding:
        """Where a quotation stands, or what differs from it."""
        nearby = list(self._nearby(piece.text, piece.named))
        exact = self._exact(piece, nearby)
        if exact is not None:
            return exact
        parts = [part for part in _ELLIPSIS.split(piece.text) if len(Text.of(part).words) > 1]
        if len(parts) > 1 and (found := self._of_parts(piece, parts, nearby)) is not None:
            return found
        return self._differing(piece, nearby)

    # ---- Passages

    def _nearby(self, words: str, named: Named | None) -> Iterator[Nearby]:
        """The places that are most likely to hold some words; first those that the text names."""
        seen: set[tuple[str, int]] = set()
        text = words[:QUERY_CHARACTERS]
        asked = [Query(text, HITS, None, only_words=True)]
        if named is not None:
            asked.insert(0, replace(asked[0], paths=(named.source,)))
            if named.line is not None:
                yield from self._read(named.source, named.line, named.line, seen)
        for query in asked if any(map(str.isalnum, text)) else ():
            for hit in self._corpus.search(query):
                chunk = hit.chunk
                yield from self._read(chunk.source, chunk.line_start, chunk.line_end, seen)

    def _read(
        self, source: str, first: int, last: int, seen: set[tuple[str, int]]
    ) -> Iterator[Nearby]:
        key = source, first
        if key in seen:
            return
        seen.add(key)
        if key not in self._kept:
            self._kept[key] = self._lines(source, max(1, first - AROUND), last + AROUND)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        found = self._kept[key]
        if found is not None:
            yield found

    def _lines(self, source: str, first: int, last: int) -> Nearby | None:
        lines: list[Line] = []
        offset: int | None = first
        try:
            while offset is not None and offset <= last:
                window = self._corpus.read(source, offset, last - offset + 1)
                lines += window.lines
                offset = window.next_offset
        except Refused:  # gone, or shorter than it was
            if not lines:
                return None
        text = Text.of("\n".join("" if line.is_mark else line.text for line in lines))
        nearby = Nearby(source, first - 1, lines, text)
        for at, pair in enumerate(pairwise(text.words)):
            nearby.pairs.setdefault(pair, []).append(at)
        return nearby

    # ---- As it stands

    def _exact(self, piece: Piece, nearby: Sequence[Nearby]) -> Finding | None:
        found = [(near, cited) for near in nearby if (cited := _standing(near, piece.text))]
        if not found:
            return None
        right = [cited for _, cited in found if is_at(cited, piece.named)]
        cited = (right or [cited for _, cited in found])[0]
        if (lost := _sense_lost(piece.text, cited.quote)) is not None:
            return Finding(piece, "pieced_together", (cited,), (lost,))
        kind: Kind = "quoted" if right else "elsewhere"
        return Finding(piece, kind, (cited,))

    def _of_parts(
        self, piece: Piece, parts: Sequence[str], nearby: Sequence[Nearby]
    ) -> Finding | None:
        """A quotation with "…" in it, all parts of which stand somewhere; None if one does not."""
        for near in nearby:
            cited = [_standing(near, part) for part in parts]
            whole = [each for each in cited if each is not None]
            if len(whole) < len(parts):
                continue
            left_out = _between(near.words, [Text.of(part).words for part in parts])
            if left_out is None:
                continue
            kind: Kind = "quoted" if is_at(whole[0], piece.named) else "elsewhere"
            differs = _turning(left_out, near.words.text)
            if differs is not None or len(left_out.split()) > 8 * LONGEST_GAP:
                kind = "pieced_together"
            return Finding(piece, kind, tuple(dict.fromkeys(whole)), (("…", left_out),))
        cited = []
        for part in parts:
            own = (_standing(near, part) for near in self._nearby(part, piece.named))
            cited.append(next(filter(None, own), None))
        whole = [each for each in cited if each is not None]
        if len(whole) < len(parts):
            return None
        return Finding(piece, "pieced_together", tuple(dict.fromkeys(whole)))

    # ---- Otherwise

    def _differing(self, piece: Piece, nearby: Sequence[Nearby]) -> Finding:
        wanted = Text.of(piece.text)
        runs = [run for near in nearby if (run := aligned(near, wanted.words)) is not None]
        best = max(runs, key=lambda run: run.share, default=None)
        if best is None or not _is_within(best, wanted.words):
            joined = self._joined(piece, wanted, runs)
            if joined is not None:
                return joined
        like = best is not None and (
            best.share >= ALTERED_SHARE or (best.longest >= LONG_RUN and best.share >= LONG_SHARE)
        )
        if best is None or not like:
            return Finding(piece, "not_found")
        differs = tuple(differences(wanted, best)) or ((wanted.text, _whole(best)),)
        return Finding(piece, "altered", (_cited(best, "altered"),), differs)

    def _joined(self, piece: Piece, wanted: Text, runs: Sequence[Run]) -> Finding | None:
        """A quotation that is made of two places: its beginning of one, its end of another."""
        size = len(wanted.words)
        for run in sorted(runs, key=lambda run: -run.longest)[:2]:
            block = max(run.blocks, key=lambda block: block[2])
            begin, end = block[1], block[1] + block[2]
            rests = [(s, e) for s, e in ((0, begin), (end, size)) if e - s >= LEAST_RUN]
            if block[2] < LEAST_RUN or not rests:
                continue
            covered, cited = block[2], [_cited(replace(run, blocks=(block,)), "partial")]
            for start, stop in rests:
                words = wanted.words[start:stop]
                places = self._nearby(wanted.shown(start, stop), piece.named)
                others = (aligned(near, words) for near in places)
                other = max(filter(None, others), key=lambda each: each.longest, default=None)
                if other is not None and other.longest >= max(LEAST_RUN, WHOLE * len(words)):
                    covered += other.longest
                    cited.append(_cited(other, "partial"))
            if len(cited) > 1 and covered >= WHOLE * size:
                return Finding(piece, "pieced_together", tuple(cited))
        return None


def _standing(near: Nearby, words: str) -> Citation | None:
    """The whole sentences of a place that hold these words as they are; None if none does."""
    wanted = Text.of(words).words
    if sum(word in near.vocabulary for word in wanted) < LIKELY * len(wanted):
        return None
    found = standing(near.lines, words)
    return None if found is None else citation(0, near.source, near.lines, found, near.before)


def is_at(cited: Citation, named: Named | None) -> bool:
    """Whether a citation stands where a text says, if it says anything."""
    if named is None:
        return True
    if named.source != cited.source:
        return False
    if named.page is not None and cited.page is not None:
        return named.page == cited.page
    first, last = cited.line_start - SAME_PLACE_LINES, cited.line_end + SAME_PLACE_LINES
    return named.line is None or first <= named.line <= last


# ---- What is left out


def _sense_lost(quote: str, whole: str) -> Difference | None:
    """What a sentence says beside a piece of it that changes its sense: a "not", a condition.

    Also where a piece that ends with a full stop is not the end.
    """
    words, own = Text.of(whole), Text.of(quote).words
    at = _place(words.words, own)
    if at is None:
        return None
    start, end = words.spans[at][0], words.spans[at + len(own) - 1][1]
    before, behind = words.text[:start], words.text[end:]
    for rest in (_CLAUSE.split(before)[-1], _CLAUSE.split(behind)[0]):
        if (lost := _turning(rest, whole)) is not None:
            return lost
    goes_on = Text.of(behind).words and not regex.match(r"\W*?[.!?;:。！？；\n]", behind)
    if _STOP.search(quote.strip()) and goes_on:
        return "", _one_line(behind)
    return None


def _turning(left_out: str, whole: str) -> Difference | None:
    """The words that are left out, if a negation or a condition is among them."""
    if left_out and (denials(left_out, whole) or _CONDITION.search(left_out)):
        return "", _one_line(left_out)
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split()).strip(" ,;.-–—")


def _place(words: Sequence[str], wanted: Sequence[str]) -> int | None:
    size = len(wanted)
    starts = (at for at in range(len(words) - size + 1) if words[at] == wanted[0])
    return next((at for at in starts if tuple(words[at : at + size]) == tuple(wanted)), None)


def _between(words: Text, parts: Sequence[Sequence[str]]) -> str | None:
    """The words between parts that follow each other; None where they do not."""
    left_out, end = [], 0
    for number, part in enumerate(parts):
        at = _place(words.words[end:], part)
        if at is None:
            return None
        if number:
            left_out.append(words.shown(end, end + at))
        end += at + len(part)
    return " … ".join(left_out)


# ---- Alignment


def aligned(near: Nearby, wanted: Sequence[str]) -> Run | None:
    """Where a place is most like a quotation; each pair of words votes for a beginning."""
    votes: Counter[int] = Counter()
    for number, pair in enumerate(pairwise(wanted)):
        for at in near.pairs.get(pair, ())[:_MOST_VOTES]:
            votes[max(0, at - number)] += 1
    best: Run | None = None
    slack = _SLACK + len(wanted) // 3
    tried: list[int] = []
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(wanted)
    for begin, _ in votes.most_common():
        if any(abs(begin - other) <= 2 for other in tried):
            continue
        tried.append(begin)
        start, end = max(0, begin - slack), begin + len(wanted) + slack
        matcher.set_seq1(near.words.words[start:end])
        blocks = [(a + start, b, n) for a, b, n in matcher.get_matching_blocks() if n]
        blocks = _together(blocks)
        share = sum(size for _, _, size in blocks) / len(wanted)
        if blocks and (best is None or share > best.share):
            first, last = blocks[0], blocks[-1]
            least = max(0, first[0] - first[1])
            most = last[0] + last[2] + len(wanted) - last[1] - last[2]
            best = Run(near, least, min(len(near.words.words), most), tuple(blocks), share)
        if len(tried) == _TRIED:
            break
    return best


def _together(blocks: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The longest block and those near it, without words at either end that stand far from it."""
    if not blocks:
        return blocks
    first = last = max(range(len(blocks)), key=lambda at: blocks[at][2])

    def are_near(one: int, other: int, outer: int) -> bool:
        (a, b, size), (c, d, _) = blocks[one], blocks[other]
        gap, own = c - a - size, d - b - size
        return blocks[outer][2] > FEW or (gap <= own + FEW and own <= FEW + 1)

    while first and are_near(first - 1, first, first - 1):
        first -= 1
    while last < len(blocks) - 1 and are_near(last, last + 1, last + 1):
        last += 1
    return blocks[first : last + 1]


def _is_within(run: Run, wanted: Sequence[str]) -> bool:
    """Whether all of a quotation is of one place: what it has otherwise is short or in between."""
    first, last = run.blocks[0], run.blocks[-1]
    ends = first[1], len(wanted) - last[1] - last[2]
    gaps = [b[0] - a[0] - a[2] for a, b in pairwise(run.blocks)]
    return (
        max(ends) < LEAST_RUN
        and run.share >= ALTERED_SHARE
        and max(gaps, default=0) <= max(LONGEST_GAP, len(wanted) // 4)
    )


def differences(wanted: Text, run: Run) -> Iterator[Difference]:
    """The words of a quotation and those of the document where they differ.

    An empty side is shown with the word beside it, and words that changed places as one.
    """
    there = run.nearby.words
    theirs = there.words[run.start : run.end]
    codes = SequenceMatcher(None, wanted.words, theirs, autojunk=False).get_opcodes()
    spans: list[list[int]] = []
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal":
            continue
        if spans and i1 - spans[-1][1] <= 2:
            spans[-1][1], spans[-1][3] = i2, j2
        else:
            spans.append([i1, i2, j1, j2])
    for i1, i2, j1, j2 in spans:
        if i1 == i2 or j1 == j2:
            if i1 and j1:
                i1, j1 = i1 - 1, j1 - 1
            elif i2 < len(wanted.words) and j2 < len(theirs):
                i2, j2 = i2 + 1, j2 + 1
        yield wanted.shown(i1, i2), there.shown(run.start + j1, run.start + j2)


def _whole(run: Run) -> str:
    return run.nearby.words.shown(run.start, run.end)


def _cited(run: Run, verdict: str) -> Citation:
    """The lines that a run stands in, as a citation."""
    near, lines = run.nearby, run.nearby.lines
    first = near.line(run.blocks[0][0])
    last = near.line(run.blocks[-1][0] + run.blocks[-1][2] - 1)
    text = "\n".join(line.text for line in lines[first : last + 1] if not line.is_mark)
    assert verdict in ("altered", "partial")
    located = first + 1, last + 1, text, verdict
    return citation(0, near.source, lines, located, near.before)  # type: ignore[arg-type]
