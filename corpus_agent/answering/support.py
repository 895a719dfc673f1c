"""Whether documents say a sentence of an answer, and by which of their sentences.

It is compared with whole sentences, and with rows of tables in the columns that it is about, of its
year or month. Words are compared, not truth: what supports a sentence is quoted with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from corpus_agent.answering.claims import (
    CLAUSES,
    LEAST_WORDS,
    Cell,
    Evidence,
    codes,
    in_quarters,
    in_units,
    kinds_of,
    meant,
    names,
    period_of,
    periods,
    share_covered,
)
from corpus_agent.answering.differences import difference, missing_figures, other_sense
from corpus_agent.text.numbers import figures, found
from corpus_agent.text.polarity import answers
from corpus_agent.text.sentences import is_title, units
from corpus_agent.text.tables import (
    TextTable,
    ends_with_figures,
    is_row,
    named_cells,
    names_of_columns,
    tables_of,
)
from corpus_agent.text.tokens import STOP_WORDS, content_terms, fold, has_digit, same_word, terms

if TYPE_CHECKING:
    from corpus_agent.answering.coverage import EncodeTokens
    from indexer import Chunk

SupportVerdict = Literal["supported", "differs", "unsupported"]

LONGEST_WINDOW = 2  # sentences of one passage that may support a claim together
CONTEXT = 800  # characters on either side of a window that count as its context
MAX_LIKELY = 30  # windows that are compared in full for one claim
MAX_COMPARED = 8  # of those, the ones with the most words in common are encoded
# Measured on sentences that a passage supports or does not.
SURELY_COVERED = 0.9  # with this share of words in common no vectors are needed
ENOUGH = 0.525  # mean of the words covered and the cosine
ENOUGH_CITED = 0.45  # the same of a sentence that a claim cites
ENOUGH_COVERED = 0.7  # words covered, without vectors
SPEAKS_OF = 0.5  # words covered by a text on the same topic: only there a difference means much
CLEARLY = 0.2  # covered words by which a passage that differs prevails over one that does not
_BEGINNING = 3  # letters that two forms of a word share: windows are told apart by them fast

_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{12,})[\"”“»]")
_LINE_END = re.compile(r"(?<!\n)\n(?=[^\W\d_])")  # within a sentence: "$737.9" and "million"
_HEADING = re.compile(r"(?m)^(#+) (.+)")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What texts say of a claim; where they differ, its words and theirs, and which text does."""

    verdict: SupportVerdict
    claimed: str = ""
    found: str = ""
    window: Window | None = None


@dataclass(frozen=True)
class Window:
    """Sentences or a row of a passage that may support a claim, and its period by a heading."""

    passage: Chunk
    start: int
    end: int
    cells: tuple[Cell, ...] = ()
    dated: str = ""
    several: bool = False

    @property
    def quote(self) -> str:
        """The words as they stand in the document."""
        return self.passage.text[self.start : self.end]

    @property
    def under(self) -> str:
        """The headings that they stand under, without the title of the document."""
        return path_below(self.passage.heading, self.passage.text[: self.start])

    @cached_property
    def evidence(self) -> Evidence:
        """The sentences, or what the row says, with their context."""
        whole = self.passage.text
        row = " | ".join(f"{name}: {text}" if name else text for name, text in self.cells)
        return Evidence(
            in_quarters(f"{self.dated} {row or _LINE_END.sub(' ', self.quote)}".strip()),
            f"{self.passage.source} {self.passage.heading}",
            whole[max(0, self.start - CONTEXT) : self.start],
            whole[self.end : self.end + CONTEXT],
        )

    def is_of_another(self, claim: str, wanted: frozenset[str]) -> bool:
        """Whether they are of another period, or a figure they share is nearest to another year."""
        text = self.evidence.text
        every, named = found(text), periods(text)
        own = (words for _, words in _HEADING.findall(self.passage.text[: self.start]))
        heads = [self.passage.heading, *own]
        above = (periods(heads[-1]) or periods(heads[0])) - wanted
        if not kinds_of(above).isdisjoint(kinds_of(wanted) - kinds_of(named - periods(self.dated))):
            return True
        years = [f for f in every if any(f"year {value}" in named for value in f.values)]
        shared = [f for f in every if f not in years and figures(claim).intersection(f.values)]
        for figure in shared if "year" in kinds_of(wanted) and years else ():
            apart = (text[min(figure.end, y.end) : max(figure.start, y.start)] for y in years)
            gaps = [len(gap) + len(text) * (gap.count(", ") + gap.count("; ")) for gap in apart]
            near = (year for year, gap in zip(years, gaps, strict=True) if gap == min(gaps))
            if wanted.isdisjoint(f"year {value}" for year in near for value in year.values):
                return True
        return False

    def about(self, claim: str, wanted: frozenset[str]) -> Window:
        """The cells alone whose columns a claim names, with the period that a heading gives."""
        named = [cell for cell in self.cells[1:] if _names_column(claim, wanted, cell[0])]
        cells = tuple(c for n, c in enumerate(self.cells) if not (n and c[0]) or c in named)
        above = (wanted & periods(self.passage.heading)) - periods(self.evidence.text)
        own = kinds_of(periods(self.evidence.text))
        dated = sorted(each for each in above if kinds_of([each]).isdisjoint(own | {"month"}))
        written = (each.replace("quarter ", "Q").removeprefix("year ") for each in dated)
        return replace(self, cells=cells if named else self.cells, dated=" ".join(written))

    def is_exchanged(self, claim: str) -> bool:
        """Whether a claim gives two columns of a row the cells of each other."""
        cells = [(name, text) for name, text in self.cells if name.casefold() not in fold(text)]
        said = ((_place(claim, name), _cell_at(claim, text)) for name, text in cells)
        places = sorted(place for place in said if -1 not in place)
        return [cell for _, cell in places] != sorted(cell for _, cell in places)

    @property
    def line(self) -> int:
        """The line in which they begin."""
        return self.passage.line_start + self.passage.text.count("\n", 0, self.start)


def path_below(heading: str, text: str) -> str:
    """The headings at the end of a text that begins under a heading, without the first title."""
    title, *path = heading.split(" > ")
    path = [title, *path]
    for marks, words in _HEADING.findall(text):
        path[len(marks) - 1 :] = [words]
    return " > ".join(path[path[0] == title :])


def _place(claim: str, words: str) -> int:
    """Where a claim has words; -1 where it has not."""
    at = words and re.search(rf"\b{re.escape(words)}\b", claim, re.IGNORECASE)
    return at.start() if at else -1


def _cell_at(claim: str, text: str) -> int:
    """Where a claim has a cell; of one in other units its figure."""
    whole = _place(claim, text)
    return next((_place(claim, text[f.start : f.end]) for f in found(text) if whole < 0), whole)


def together(windows: Sequence[Window]) -> Evidence:
    """Several windows as one text."""
    texts = ((e.text, e.titles, e.before, e.behind) for e in (w.evidence for w in windows))
    parts = (" . ".join(part) for part in zip(*texts, strict=True))
    return Evidence(*parts) if len(windows) > 1 else windows[0].evidence


def is_pieced(claim: str, text: Evidence) -> bool:
    """Whether a clause of a claim has words of several sentences: who does one, what another."""
    return any(
        share_covered(clause, text) > max(share_covered(clause, one) for one in text.sentences)
        for clause in CLAUSES.split(claim)
    )


def windows_of(passage: Chunk) -> Iterator[Window]:
    """Each sentence and row of a passage, and each few sentences; titles say nothing."""
    lines = passage.text.split("\n")
    tables = [*tables_of(lines)]
    rows = {row: table for table in tables for row in table.rows}
    headers = {table.header for table in tables}
    every = [unit for unit in units(passage.text, passage.language) if unit.kind != "page"]
    for first, unit in enumerate(every):
        number = passage.text.count("\n", 0, unit.start) + 1
        opens = passage.line_start == number == 1
        titled = opens and is_title(passage.text[unit.start : unit.end])
        if unit.kind == "head" or titled or number in headers:
            continue
        yield Window(passage, unit.start, unit.end, columns(lines[:number], rows.get(number)))
        for last in every[first + 1 : first + LONGEST_WINDOW]:
            if "row" not in (unit.kind, last.kind) and last.kind != "head":
                yield Window(passage, unit.start, last.end, several=True)


def columns(lines: Sequence[str], table: TextTable | None) -> tuple[Cell, ...]:
    """The cells of the last of these lines, a row, behind the names of their columns."""
    row = lines[-1]
    if is_row(row):
        cells = named_cells(table.names if table else (), row)
        return in_units([(name, row[start:end]) for name, start, end in cells])
    count, above, words = ends_with_figures(row), names_of_columns(lines), row.split()
    names = " ".join(lines[slice(above[0], above[1] + 1)] if above else ()).split()[-count:]
    if len(names) < count or not count or not all(map(periods, names)):
        return ()
    label, figures = ("", " ".join(words[:-count])), words[-count:]
    return (
        in_units([label, *zip(names, figures, strict=True)]) if all(map(has_digit, figures)) else ()
    )


def _names_column(claim: str, wanted: frozenset[str], name: str) -> bool:
    """Whether a claim is about a column: of its year or quarter, or with all words of its name."""
    if own := periods(name):
        return bool(own & wanted) and kinds_of(own - wanted).isdisjoint(kinds_of(wanted))
    words = [word for word in content_terms(name) if word not in STOP_WORDS]
    said = terms(claim)
    return bool(words) and all(any(same_word(word, other) for other in said) for word in words)


# ---- One claim and the sentences that it cites


def judged(
    claim: str, windows: Sequence[Window], encode: EncodeTokens | None = None, question: str = ""
) -> Judgement:
    """Whether sentences say a claim, or where they differ; a yes or no is the question's words."""
    reply = answers(claim)
    if reply is not None:
        rest = claim.lstrip("*_ ").partition(" ")[2]
        if not meant(rest):
            return _judged_reply(question, together(windows), yes=reply)
        claim = rest
    claim, evidence = in_quarters(claim), together(windows)
    texts = dict.fromkeys([evidence, *(window.evidence for window in windows)])
    differing = {text: difference(claim, text, question) for text in texts}
    agreeing = [text for text in texts if differing[text] is None]
    if not any(_has_all(claim, text, question) for text in agreeing):
        about = [
            other for text, other in differing.items() if share_covered(claim, text) >= SPEAKS_OF
        ]
        other = next(filter(None, about), None)
        return (
            Judgement("unsupported") if agreeing or other is None else Judgement("differs", *other)
        )
    share, short = share_covered(claim, evidence), len(meant(claim)) < LEAST_WORDS
    enough = short or share >= ENOUGH_COVERED
    if encode is not None and not short and share < SURELY_COVERED:
        enough = (share + max(_cosines(claim, windows, encode))) / 2 >= ENOUGH_CITED
    return Judgement("supported" if enough else "unsupported")


def _judged_reply(question: str, evidence: Evidence, *, yes: bool) -> Judgement:
    """What a text says of a yes or a no to a question."""
    other = other_sense(question, evidence.text)
    if yes and other:
        return Judgement("differs", "yes", other[1] or other[0])
    denied = not yes and not other and share_covered(question, evidence) >= ENOUGH_COVERED
    return Judgement("differs", "no", "yes") if denied else Judgement("supported")


def _cosines(claim: str, windows: Sequence[Window], encode: EncodeTokens) -> list[float]:
    own, *others = (each.vector for each in encode([claim, *(w.evidence.text for w in windows)]))
    return [float(own @ other) for other in others]


# ---- What a text must have


def _has_all(claim: str, evidence: Evidence, question: str) -> bool:
    """Whether a text has the figures, codes, names and quoted words of a claim."""
    if missing_figures(claim, evidence.text, question):
        return False
    if not codes(claim) <= evidence.words | evidence.named | codes(question):
        return False
    quoted = (fold(" ".join(words.split())) for words in _QUOTED.findall(claim))
    if not all(words in fold(" ".join(evidence.text.split())) for words in quoted):
        return False
    return names(claim) - names(question) <= evidence.around


# ---- The support of a claim among all passages that were shown


class Supporter:
    """The passages that an answer was written from, searchable for support."""

    def __init__(self, passages: Iterable[Chunk], encode: EncodeTokens | None = None) -> None:
        """Without `encode` a word is covered only by its own forms."""
        self._encode = encode
        own = dict.fromkeys(passages)
        self.sources = frozenset(passage.source for passage in own)
        self._windows = [
            (window, {word[:_BEGINNING] for word in window.evidence.words})
            for passage in own
            for window in windows_of(passage)
        ]

    def support(self, claim: str, under: str = "") -> tuple[Window, ...] | Judgement:
        """The window that says a claim best, or two together; else what the nearest says of it.

        Nothing of another period than the claim, or than the title it stands `under`, is compared.
        """
        claim, wanted = in_quarters(claim), period_of(claim, under)
        every = [window.about(claim, wanted) for window in self._likely(claim)]
        rows = {w for w in every if w.cells and _place(claim, w.cells[0][1]) >= 0}
        likely = [
            w
            for w in every
            if not (wanted and (w.several or w.is_of_another(claim, wanted)))
            and not (w.is_exchanged(claim) or (rows and w.cells and w not in rows))
        ]
        shares = {window: share_covered(claim, window.evidence) for window in likely}
        likely.sort(key=lambda window: (-shares[window], len(window.evidence.text)))
        dated = {window for window in likely if wanted <= periods(window.evidence.text)}
        differs = cache(lambda window: difference(claim, window.evidence))
        whole = (
            w
            for w in likely
            if w in dated and _has_all(claim, w.evidence, "")
            if not ((w.several and is_pieced(claim, w.evidence)) or differs(w))
        )
        best = self._best(claim, [*islice(whole, MAX_COMPARED)], shares)
        own = shares[best] if best is not None else 0.0
        speaking = (
            w
            for w in likely
            if (shares[w] >= ENOUGH_COVERED if best is None else shares[w] > own + CLEARLY)
        )
        nearest = next((w for w in speaking if w in dated and differs(w)), None)
        if best is not None and (own >= SURELY_COVERED or nearest is None):
            return (best,)
        agreeing = (w for w in likely if not differs(w))
        both = () if best is not None else self._of_two(claim, [*islice(agreeing, MAX_COMPARED)])
        if both or nearest is None or shares[nearest] < ENOUGH_COVERED:
            return both or Judgement("unsupported")
        return replace(judged(claim, [nearest], self._encode), window=nearest)

    def _best(
        self, claim: str, whole: Sequence[Window], shares: dict[Window, float]
    ) -> Window | None:
        """The window with enough of a claim's words, by form or by meaning."""
        if not whole:
            return None
        if self._encode is None or shares[whole[0]] >= SURELY_COVERED:
            return whole[0] if shares[whole[0]] >= ENOUGH_COVERED else None
        near = _cosines(claim, whole, self._encode)
        scores = [(shares[w] + cosine) / 2 for w, cosine in zip(whole, near, strict=True)]
        return whole[scores.index(max(scores))] if max(scores) >= ENOUGH else None

    def _of_two(self, claim: str, agreeing: Sequence[Window]) -> tuple[Window, ...]:
        """Two windows that have all words of a claim between them."""
        for one in agreeing[:2]:
            for other in agreeing:
                both = together([one, other])
                if share_covered(claim, both) < SURELY_COVERED or not _has_all(claim, both, ""):
                    continue
                if not (difference(claim, both) or is_pieced(claim, both)):
                    return one, other
        return ()

    def _likely(self, claim: str) -> list[Window]:
        """The windows with most of a claim's words, by the beginnings of the words."""
        own = {word[:_BEGINNING] for word in terms(claim) if word not in STOP_WORDS}
        held = sorted(((len(own & b), w) for w, b in self._windows), key=lambda each: -each[0])
        return [window for shared, window in held[:MAX_LIKELY] if shared]
