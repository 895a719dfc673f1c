"""Which columns, rows and bounds of a table the words of a question name. Pure.

Each word is bound once: to a column's name, to cells of one column that choose rows, to a bound
("at least 60"), or to what the table stands under. Called by computation.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from corpus_agent.answering.pitfalls import chooses_clearly, names_over
from corpus_agent.answering.records import Condition
from corpus_agent.answering.summable import UNIT_IN_NAME, YEAR, values_of
from corpus_agent.text.table_rows import TableRow, TextTable
from corpus_agent.text.tokens import terms

# Words that may stand in a question and choose nothing. All others are bound or nothing is
# computed: "not", "first", "between", "each", "above" choose, though no search asks for them.
_EMPTY_TEXT = """
a an the of in on at for to by from with is are was were be been do does did has have had there that
which who what when where how many much it its this these those we us our i my you your they their
he his she her make made amount number table list listed row rows s
"""
_EMPTY = frozenset(_EMPTY_TEXT.split())

Mention = tuple[str, list[int]]
"""A column, and the places of its name among the words of a question."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a question in order, and which of them are bound."""

    every: tuple[str, ...]
    bound: frozenset[int]

    def free(self) -> list[int]:
        """The places of the words that are not bound and may choose something."""
        return [i for i, w in enumerate(self.every) if i not in self.bound and w not in _EMPTY]

    def bind(self, places: Iterable[int]) -> Words:
        """The same words, those at some places bound as well."""
        return replace(self, bound=self.bound | frozenset(places))


def _same(one: str, other: str) -> bool:
    """Whether two folded words are one, in the singular or the plural: county is not country."""
    short, long = sorted((one, other), key=len)
    ies = short.endswith("y") and long == f"{short[:-1]}ies"
    return short == long or ies or (len(short) > 2 and long in (f"{short}s", f"{short}es"))


def _places(words: Sequence[str], wanted: Sequence[str], free: Collection[int]) -> list[int] | None:
    """Where a run of words stands in the question, all of it free; None if nowhere or twice."""
    found = [
        start
        for start in range(len(words) - len(wanted) + 1)
        if all(start + n in free and _same(words[start + n], w) for n, w in enumerate(wanted))
    ]
    return list(range(found[0], found[0] + len(wanted))) if wanted and len(found) == 1 else None


def _name_terms(name: str) -> list[str]:
    return [word for word in terms(UNIT_IN_NAME.sub(" ", name)) if word != "the"]


def named_columns(words: Words, names: Iterable[str]) -> list[Mention]:
    """The columns whose whole name stands in the question, the longest of those that overlap."""
    free = {i for i in range(len(words.every)) if i not in words.bound}
    found = [
        (name, places)
        for name in names
        if name and (places := _places(words.every, _name_terms(name), free))
    ]
    return [
        (name, places)
        for name, places in found
        if not any(
            set(places) & set(other) and (len(other), other) > (len(places), places)
            for _, other in found
        )
    ]


def next_to(words: Words, found: Iterable[Mention], at: int) -> Mention | None:
    """The mention of a column that begins at a word of the question, empty ones passed over."""
    starts = {places[0]: (name, places) for name, places in found}
    while at < len(words.every) and at not in starts and words.every[at] in _EMPTY:
        at += 1
    return starts.get(at)


def the_column(words: Words, names: Iterable[str]) -> Mention | None:
    """The column that is named right behind what is asked for, or the only one that is named."""
    found = named_columns(words, names)
    if (near := next_to(words, found, max(words.bound, default=-1) + 1)) is not None:
        return near
    return found[0] if len(found) == 1 else None


def conditions_of(
    words: Words, table: TextTable
) -> tuple[Words, list[tuple[Condition, list[int]]]] | None:
    """The conditions that the free words are, each on the cells of one column.

    The longest run of words that a cell begins with, ends with or is; None where a run stands in
    the cells of several columns.
    """
    found: list[tuple[Condition, list[int]]] = []
    held = {
        name: {row.cells[name]: terms(row.cells[name]) for row in table.rows if name in row.cells}
        for name in table.names
    }
    while free := words.free():
        best: tuple[int, list[int], set[str]] | None = None
        for start in free:
            for stop in range(len(words.every), start, -1):
                span = list(range(start, stop))
                if any(i in words.bound for i in span) or (stop - 1) not in free:
                    continue
                run = words.every[start:stop]
                columns = {
                    n for n, cells in held.items() if any(_has(c, run) for c in cells.values())
                }
                if columns:
                    if best is None or stop - start > best[0]:
                        best = (stop - start, span, columns)
                    break
        if best is None:
            break
        _, span, columns = best
        if len(columns) != 1:
            return None
        run, name = words.every[span[0] : span[-1] + 1], columns.pop()
        if not chooses_clearly(run, name, table, partial(_has, run=run)):
            return None
        found.append((Condition(name, " ".join(run)), span))
        words = words.bind(span)
    return words, found


def _has(cell: Sequence[str], run: Sequence[str]) -> bool:
    """Whether the words of a cell hold a run of words; figures alone must be all of a cell.

    A year may be part of a date.
    """
    if not any(any(map(str.isalpha, word)) for word in run):
        dated = len(run) == 1 and YEAR.fullmatch(run[0]) and len(cell) == 3
        return list(cell) == list(run) or bool(dated and run[0] in (cell[0], cell[-1]))
    size = len(run)
    return any(tuple(cell[n : n + size]) == tuple(run) for n in range(len(cell) - size + 1))


def chosen(table: TextTable, conditions: Iterable[Condition]) -> tuple[TableRow, ...]:
    """The rows that meet all conditions."""
    kept = table.rows
    for condition in conditions:
        sense, _, bound = condition.text.rpartition(" ")
        if sense in _SENSES:
            kept = _within(kept, condition.column, _SENSES[sense], Decimal(bound))
        else:
            run = terms(condition.text)
            kept = tuple(r for r in kept if _has(terms(r.cells.get(condition.column, "")), run))
    return kept


_SENSES: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "at least": lambda value, bound: value >= bound,
    "at most": lambda value, bound: value <= bound,
    "above": lambda value, bound: value > bound,
    "below": lambda value, bound: value < bound,
}


def _within(
    rows: Sequence[TableRow],
    column: str,
    holds: Callable[[Decimal, Decimal], bool],
    bound: Decimal,
) -> tuple[TableRow, ...]:
    """The rows whose cell is on that side of a bound; none if a cell of the column is no number."""
    found = values_of(rows, column)
    if found is None:
        return ()
    return tuple(r for r, v in zip(rows, found[0], strict=True) if holds(v.number, bound))


def titled(words: Words, about: str) -> Words:
    """The words that the table stands under are bound: they choose all of it."""
    over = names_over(about)
    return words.bind(
        i for i, word in enumerate(words.every) if any(_same(word, own) for own in over)
    )


def wheres(words: Words, table: TextTable, about: str) -> tuple[Condition, ...] | None:
    """All other words as conditions; None if one is left, or two speak of one column."""
    compared = _comparisons(words, table)
    if compared is None:
        return None
    bound = conditions_of(compared[0], table)
    if bound is None:
        return None
    left, found = bound
    conditions = [*compared[1], *(condition for condition, _ in found)]
    columns = [condition.column for condition in conditions]
    for column in columns:  # "in the year 2010", "of the region Zemplin"
        places = _places(left.every, _name_terms(column), left.free())
        left = left.bind(places or ())
    if titled(left, about).free() or len(set(columns)) < len(columns):
        return None
    return tuple(conditions)


_COMPARED: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("at least", (("at", "least"), ("no", "less", "than"), ("no", "fewer", "than"))),
    ("at most", (("at", "most"), ("no", "more", "than"))),
    ("above", (("more", "than"), ("greater", "than"), ("higher", "than"), ("above",), ("over",))),
    ("below", (("less", "than"), ("fewer", "than"), ("lower", "than"), ("below",), ("under",))),
)


def _comparisons(words: Words, table: TextTable) -> tuple[Words, list[Condition]] | None:
    """The conditions "at least 60", each on the one column beside it; None if there is none."""
    found: list[Condition] = []
    for sense, spellings in _COMPARED:
        for spelling in spellings:
            size = len(spelling)
            for at in range(len(words.every) - size):
                span = range(at, at + size)
                if words.every[at : at + size] != spelling or words.bound & set(span):
                    continue
                stop = at + size
                while stop < len(words.every) and words.every[stop].isdigit():
                    stop += 1
                digits = words.every[at + size : stop]
                whole = len(digits) == 1 or all(len(part) == 3 for part in digits[1:])
                if not digits or not whole:
                    return None
                words = words.bind(range(at, stop))
                near = [
                    (name, places)
                    for name, places in named_columns(words, table.names)
                    if places[0] - stop in (0, 1) or 1 <= at - places[-1] <= 3
                ]
                if len(near) != 1:
                    return None
                words = words.bind(near[0][1])
                found.append(Condition(near[0][0], f"{sense} {''.join(digits)}"))
    return words, found
