"""A quotation looked up in the documents as they are now: found by words, compared word by word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.comparable import (
    LEAST_RUN,
    Difference,
    Run,
    Text,
    aligned,
    cuts_number,
    differences,
    one_line,
)
from corpus_agent.answering.extractive import passage_of
from corpus_agent.answering.quotations import citation, standing
from corpus_agent.check.records import WORDS, Finding, Kind, Named, Piece
from corpus_agent.text.polarity import denials
from corpus_agent.text.tokens import content_terms, terms
from indexer import Query, Refused

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from corpus_agent.text.wording import Verdict
    from indexer import Index, Line

HITS = 8  # passages that a quotation is compared with
QUERY_CHARACTERS = 400  # of a quotation that passages are found by
AROUND = 20  # lines on either side of a passage that a quotation may go on in
KEPT = 64  # windows of documents
SAME_PLACE_LINES = 2  # a place that is named so far off still leads there
WORDS_BESIDE = 3  # shown on either side of words that differ
MAX_LEFT_OUT = 600  # characters that "…" may stand for
_BRIEF = 30  # characters of a line or cell that may take back what is beside it
WHOLE = 0.9  # of the words of a quotation that its parts have together

_ELLIPSIS = regex.compile(r"(?<!\s)\s*+[(\[]?(?:\.\s?\.\s?\.+|…)[)\]]?\s*")
_CONDITIONS = WORDS["condition"]
CONDITION = regex.compile(_CONDITIONS, regex.IGNORECASE)
# What follows in a clause of its own says something else, but for a condition or a "but".
_CLAUSE = regex.compile(
    rf"[;；](?!\s*(?:{_CONDITIONS}|but|however|aber|jedoch|mais|pero|ma\b|但))", regex.IGNORECASE
)
_ASIDE = regex.compile(WORDS["aside"], regex.IGNORECASE)
_SIGNS = " -‐‑–—−+±.,(<>≤≥~"
_LISTED = regex.compile(r"\s*(?:[-*+•▪◦–・]|\(?(?:\p{N}{1,3}|\p{L})[.)])\s+")  # the sign of an item
_STOPS = regex.compile(r"\W*?(?:[;:；]|[.!?。！？](?!\s*[\p{Ll}\p{N}]))")
_STOP = regex.compile(r"[.!?。！？][\"'”’»)\]]*$")


@dataclass(frozen=True, slots=True)
class Nearby:
    """Lines of a document around a passage; `before` are those above the first of them."""

    source: str
    before: int
    lines: Sequence[Line]
    words: Text
    heading: str = ""
    language: str = ""

    def standing(self, words: str, named: Named | None) -> Citation | None:
        """The whole sentences that hold these words as they are, nearest to a line; or None."""
        line = named.line if named is not None and named.source == self.source else None
        found = standing(self.lines, words, max(1, (line or 1) - self.before), self.language)
        return found and citation(0, self.source, self.lines, found, self.before)

    def cited(self, run: Run, verdict: Verdict) -> Citation:
        """The lines that a part of a quotation stands in."""
        first, last = run.lines
        text = "\n".join(line.text for line in self.lines[first : last + 1] if not line.is_mark)
        located = first + 1, last + 1, text, verdict
        return citation(0, self.source, self.lines, located, self.before)


class QuotationFinder:
    """Finds quotations in a corpus; keeps what it read for the next one."""

    def __init__(self, corpus: Index) -> None:
        self._corpus = corpus
        self._kept = lru_cache(KEPT)(self._read)

    def find(self, piece: Piece) -> Finding:
        """Where a quotation stands, or what differs from it."""
        nearby = list(self._nearby(piece.text, piece.named))
        return self._standing(piece, nearby) or self._differing(piece, nearby)

    def _nearby(self, words: str, named: Named | None) -> Iterator[Nearby]:
        """The places that are most likely to hold some words; first those that the text names."""
        asked = Query(words[:QUERY_CHARACTERS], HITS, None, only_words=True)
        own = [] if named is None else [replace(asked, among=frozenset([named.source]))]
        hits = [hit.chunk for query in (*own, asked) for hit in self._corpus.search(query)]
        places = [(c.source, c.line_start, c.line_end, c.heading, c.language) for c in hits]
        if named is not None and named.line:
            at, line = named.source, named.line
            above = (p[3:] for p in places if p[0] == at and p[1] <= line <= p[2])
            places.insert(0, (at, line, line, *next(above, ("", ""))))
        yield from filter(None, (self._kept(*place) for place in dict.fromkeys(places)))

    def _read(self, source: str, first: int, last: int, *of: str) -> Nearby | None:
        start = max(1, first - AROUND)
        try:
            lines = self._corpus.read(source, start, last + AROUND - start + 1).lines
        except Refused:  # gone, or shorter than it was
            return None
        words = Text.of("\n".join("" if line.is_mark else line.text for line in lines))
        return Nearby(source, start - 1, lines, words, *of)

    def _standing(self, piece: Piece, nearby: Sequence[Nearby]) -> Finding | None:
        """A quotation that stands as it is, or all parts of which do; None if one does not."""
        found = [(c, near) for near in nearby if (c := near.standing(piece.text, piece.named))]
        if found:
            right = [each for each in found if is_at(each[0], piece.named)]
            cited, near = (right or found)[0]
            cited = passage_of(self._corpus, cited).citation  # with what is shown above it
            lost = sense_lost(piece.text, cited)
            above = [line.text for line in near.lines[: cited.line_start - near.before - 1]]
            if lost := lost or taken_back(piece.text, [near.heading, *stands_over(cited, above)]):
                return Finding(piece, "pieced_together", (cited,), (lost,))
            return Finding(piece, "quoted" if right else "elsewhere", (cited,))
        parts = [part for part in _ELLIPSIS.split(piece.text) if len(Text.of(part).words) > 1]
        for near in nearby if len(parts) > 1 else ():
            stand = [near.standing(part, piece.named) for part in parts]
            cited_parts = [passage_of(self._corpus, c).citation for c in stand if c is not None]
            left_out = _between(near.words, [Text.of(part).words for part in parts])
            if len(cited_parts) == len(parts) and left_out is not None:
                kind: Kind = "quoted" if is_at(cited_parts[0], piece.named) else "elsewhere"
                pairs = zip(parts, cited_parts, strict=True)  # within a sentence, or whole ones
                whole = all(Text.of(part).words == Text.of(c.quote).words for part, c in pairs)
                apart = len(left_out) > MAX_LEFT_OUT or (len(set(cited_parts)) > 1 and not whole)
                if apart or _turning(left_out, near.words.text):
                    kind = "pieced_together"
                return Finding(piece, kind, tuple(dict.fromkeys(cited_parts)), (("…", left_out),))
        return None

    def _differing(self, piece: Piece, nearby: Sequence[Nearby]) -> Finding:
        wanted = Text.of(piece.text)
        runs = [(n, run) for n in nearby if (run := aligned(n.words, wanted.words))]
        near, best = max(runs, key=lambda found: found[1].share, default=(None, None))
        if best is None or not best.is_of_one_place:
            joined = self._joined(piece, wanted, runs)
            if joined is not None:
                return joined
        if near is None or best is None or not best.is_alike:
            return Finding(piece, "not_found")
        differs = tuple(differences(wanted, best))
        differs = differs or ((wanted.text, best.there.shown(*best.range)),)
        beside = tuple(differences(wanted, best, WORDS_BESIDE)) or differs
        return Finding(piece, "altered", (near.cited(best, "altered"),), differs, beside)

    def _joined(
        self, piece: Piece, wanted: Text, runs: Sequence[tuple[Nearby, Run]]
    ) -> Finding | None:
        """A quotation that is made of two places or three: the rest of a run stands elsewhere."""
        for near, run in sorted(runs, key=lambda found: -found[1].longest[2])[:2]:
            _, begin, covered = run.longest
            cited = [near.cited(replace(run, blocks=(run.longest,)), "partial")]
            for start, stop in ((0, begin), (begin + covered, run.wanted)):
                if stop - start < LEAST_RUN:
                    continue
                searched = self._nearby(wanted.shown(start, stop), piece.named)
                places = [*(near for near, _ in runs), *searched]
                rest = wanted.words[start:stop]
                others = ((n, each) for n in places if (each := aligned(n.words, rest)))
                found = max(others, key=lambda found: found[1].longest[2], default=None)
                if found and found[1].longest[2] >= max(LEAST_RUN, WHOLE * (stop - start)):
                    covered += found[1].longest[2]
                    cited.append(found[0].cited(found[1], "partial"))
            if len(cited) > 1 and run.longest[2] >= LEAST_RUN and covered >= WHOLE * run.wanted:
                return Finding(piece, "pieced_together", tuple(cited))
        return None


def is_at(cited: Citation, named: Named | None) -> bool:
    """Whether a citation stands where a text says, or directly beside, if it says anything."""
    if named is None or named.source != cited.source:
        return named is None
    if named.page is not None and cited.page is not None:
        return named.page <= cited.page <= max(named.page, named.last or 0)
    if named.line is None:
        return True
    last = max(named.line, named.last or 0) + SAME_PLACE_LINES
    return named.line - SAME_PLACE_LINES <= cited.line_end and cited.line_start <= last


def stands_over(cited: Citation, above: Sequence[str]) -> Sequence[str]:
    """What says of what a quotation is: headings, and brief lines or cells, as "[Repealed]"."""
    lines = [*filter(str.strip, above[-2:])][-1:] + regex.split(r"[|\n]", cited.quote)[:-1]
    return [
        cited.heading,
        *cited.above.split("\n"),
        *(line for line in lines if len(line) < _BRIEF),
    ]


def taken_back(said: str, beside: Sequence[str], whole: str = "") -> Difference | None:
    """What takes words back that are said without it: a title or a cell (Rejected), a condition."""
    own = said.casefold()
    for text in beside:
        aside = _ASIDE.search(text)
        denied = denials(text, said) and not denials(said, text)
        if denied or (aside and aside[0].casefold() not in own):
            return "", one_line(text)
    words = frozenset(content_terms(said))
    for clause in _CLAUSE.split(whole):
        for match in CONDITION.finditer(clause) if not words.isdisjoint(terms(clause)) else ():
            behind = content_terms(clause[match.end() :])
            is_said = 2 * sum(word in words for word in behind) >= max(1, len(behind))
            if match[0].casefold() not in own and not is_said:
                return "", one_line(clause[match.start() :])
    return None


def sense_lost(quote: str, cited: Citation) -> Difference | None:
    """What a sentence says beside a piece that changes its sense: a "not", a condition, its end."""
    if cited.struck and "~~" not in quote:
        return "", "~~"
    whole = cited.quote
    words, own = Text.of(whole), Text.of(quote).words
    at = _place(words.words, own)
    if at is None:
        return None
    first, last = words.spans[at][0], words.spans[at + len(own) - 1][1]
    before, behind = words.text[:first], words.text[last:]
    signs = quote[: len(quote) - len(quote.lstrip(_SIGNS))].strip()  # that the piece has itself
    line = before.rpartition("\n")[2]
    minus = line.strip() in ("-", "–") and not "".join(own[1:2]).isalpha()  # "– 17 %"
    ahead = "" if _LISTED.fullmatch(line) and not minus else before[: len(before) - len(signs)]
    if cuts_number(ahead, own, behind):
        return "", one_line(before[-40:] if Text.of(before).words else behind) or line.strip()
    whose = quote[:80]  # "without" counts with what is missing
    if len(denials(f"{_CLAUSE.split(before)[-1]} {whose}", whole)) > len(denials(whose, whole)):
        return "", one_line(before)
    if before.count("~~") % 2:
        return "", "~~"  # struck
    if before.rstrip().endswith("[ ]"):
        return "", "[ ]"  # not ticked
    for rest in (_CLAUSE.split(before)[-1], _CLAUSE.split(behind)[0]):
        if lost := _turning(rest, whole):
            return "", lost
    goes_on = Text.of(behind).words and not _STOPS.match(behind)
    return ("", one_line(behind)) if goes_on and _STOP.search(quote.strip()) else None


def _turning(left_out: str, whole: str) -> str:
    """The words that are left out, if a negation or a condition is among them."""
    turns = left_out and (denials(left_out, whole) or CONDITION.search(left_out))
    return one_line(left_out) if turns else ""


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
