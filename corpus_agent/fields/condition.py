"""A condition on a field: from a person's words to bounds, and whether a document fulfils it.

"governing law = Florida", "deposit > 500 euros", "without dog", "contracts that end in 2025". What
is not understood whole is refused: a list that passes over half of it is wrong with confidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Literal

from corpus_agent.fields import lexicon
from corpus_agent.fields.amounts import (
    find_durations,
    find_money,
    find_numbers,
    find_percentages,
    is_of_more,
)
from corpus_agent.fields.definition import MENTION, field_of, mention_of
from corpus_agent.fields.records import WORDED, Cell, Field, FieldType, FieldValue
from corpus_agent.text.dates import add_duration, compare_durations, find_dates, is_duration
from corpus_agent.text.tokens import fold
from indexer import UsageError

ListVerdict = Literal["yes", "no", "unclear", "silent", "unreadable"]
Sign = Literal["=", "<", "<=", ">", ">=", "contains"]

MAX_CHARS = 500
UNDERSTOOD = (
    "Write it like: corpus-agent list 'governing law = Florida', 'subject contains heating', "
    "'rent > 1000 euros', 'without dog', or \"contracts that end in 2025\"."
)
_QUOTES = "\"'“”„«»‘’"
_WITHOUT = re.compile(r"(?i)(?:documents )?without (?P<term>.+)")
_COMPARED = re.compile(r"(?P<field>[^=<>≤≥]+?) ?(?P<sign>[=≤≥]|[<>]=?| contains )(?P<value>.+)")
_SIGNS: dict[str, Sign] = {"≤": "<=", "≥": ">=", " contains ": "contains"}
_YEAR = re.compile(r"(?:1[89]|20|21)[0-9]{2}", re.ASCII)
_PERIOD = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?", re.ASCII)
_MOST_DOCUMENTS = 4  # words for them before what leads to the field
_ENGLISH: dict[Sign, tuple[str, str]] = {  # of dates, of amounts
    "=": ("in", "of"),
    "<": ("before", "less than"),
    "<=": ("until", "at most"),
    ">": ("after", "more than"),
    ">=": ("since", "at least"),
}


@dataclass(frozen=True, slots=True)
class Bound:
    """One comparison: with a year, month or day, a span of time ("P2M"), an amount, or words.

    `currency` is that of an amount, "" for any.
    """

    sign: Sign
    value: str
    currency: str = ""


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """A field, what its value must be (all bounds; none: no value), and how that is said."""

    field: Field
    bounds: tuple[Bound, ...]
    shown: str


def parse_condition(words: str) -> FieldCondition:
    """The condition that words state; raises UsageError with what is understood.

    Of words without a sign each place is tried where a comparison may stand. Where the first of
    them is none ("dont le loyer est supérieur à"), the field before a later one has to be known.
    """
    if len(words) > MAX_CHARS:
        raise UsageError(f"A condition of {len(words):,} characters; at most {MAX_CHARS}.")
    asked = " ".join(words.split()).strip(" ?.!¿¡")
    if compared := _COMPARED.fullmatch(asked):
        return _compared_by_sign(compared["field"], compared["sign"], compared["value"].strip())
    problem: UsageError | None = None
    for reading in _readings(_documents([_Word.of(word) for word in asked.split()])):
        try:
            found = _condition(reading)
        except UsageError as error:
            problem = problem or error
            continue
        if problem is None or found.field.is_known:
            return found
    if problem is None and (without := _WITHOUT.fullmatch(asked)):
        term = without["term"].strip(_QUOTES)
        return FieldCondition(mention_of(term), (), f"without “{term}”")
    raise problem or _refused(asked, "states no condition on a field")


def _refused(words: str, why: str) -> UsageError:
    return UsageError(f"{words[:80]!r} {why}.", UNDERSTOOD)


def _compared_by_sign(named: str, written: str, value: str) -> FieldCondition:
    """A field and a value with a sign between them."""
    sign: Sign = _SIGNS.get(written) or written  # type: ignore[assignment]
    shown = f"{' '.join(named.split())} {written.strip()} {value}"
    field = field_of(named)
    if sign == "contains" or (sign == "=" and field.type in WORDED):
        value = value.strip(_QUOTES)
        return FieldCondition(field, (Bound(sign, fold(value)),), shown)
    if period := _period(value):
        return FieldCondition(_of_type(field, named, "date", shown), (Bound(sign, period),), shown)
    kind, bounds = _amount_bounds([sign], [value], value)
    return FieldCondition(_of_type(field, named, kind, shown), bounds, shown)


# ---- Words of seven languages


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as it is written, and as it is compared."""

    written: str
    folded: str

    @classmethod
    def of(cls, written: str) -> _Word:
        return cls(written, fold(written.replace("’", "'")).strip(",;:"))


@dataclass(frozen=True, slots=True)
class _Reading:
    """The documents, what of them is compared, how, and with what.

    `before` is all that stands before the comparison, `written` the comparison as it stands there.
    With `by_verb` the field has to be one that a verb asks for: "die 2025 enden".
    """

    before: str
    what: str
    field: tuple[_Word, ...]
    sign: str
    value: str
    written: str
    by_verb: bool = False


@cache
def _signs() -> dict[tuple[str, ...], str]:
    """The words of all comparisons."""
    said = (*lexicon.by_word("dates"), *lexicon.by_word("amounts"), *_between())
    return {tuple(phrase.split()): phrase for phrase in said}


def _between() -> frozenset[str]:
    return lexicon.words("condition", "between")


def _documents(words: list[_Word]) -> list[_Word]:
    """The words from the documents on: without a request, and without "all of my"."""
    requests = (tuple(each.split()) for each in lexicon.words("condition", "requests"))
    for phrase in sorted(requests, key=len, reverse=True):
        if tuple(word.folded for word in words[: len(phrase)]) == phrase:
            words = words[len(phrase) :]
            break
    while len(words) > 1 and words[0].folded in lexicon.words("condition", "of_them"):
        words = words[1:]
    return words


def _readings(words: list[_Word]) -> Iterator[_Reading]:
    """Each way to read the words, from the left."""
    fillers, verbs = lexicon.words("condition", "fillers"), lexicon.by_word("verbs")
    for at in range(1, len(words)):
        sign, behind = _sign_at(words, at)
        year = not sign and _YEAR.fullmatch(words[at].folded)
        if not (sign or year):
            continue
        what, field = _what_and_field(words[:at])
        value = words[behind:]
        while value and value[-1].folded in fillers:
            value = value[:-1]
        verb = value[-1:] if len(value) > 1 and value[-1].folded in verbs else []
        compared = _written(value[: len(value) - len(verb)])
        if compared:
            written = f"{_written(words[at:behind])} {compared}".strip()
            by_verb, said = bool(verb or year), (*field, *verb)
            before = _written(words[:at])
            yield _Reading(before, what, said, sign or "in", compared, written, by_verb)


def _sign_at(words: list[_Word], at: int) -> tuple[str, int]:
    """The longest comparison that begins at a word, "" for none, and the place behind it."""
    for length in range(max(map(len, _signs())), 0, -1):
        phrase = _signs().get(tuple(word.folded for word in words[at : at + length]))
        if phrase is not None:
            return phrase, at + length
    return "", at


def _what_and_field(words: list[_Word]) -> tuple[str, tuple[_Word, ...]]:
    """The words for the documents, and those for the field: behind "that" or "with", if any."""
    near = range(1, min(len(words), _MOST_DOCUMENTS + 1))
    links = lexicon.words("condition", "links")
    at = next((at for at in near if words[at].folded in links), 0)
    return _written(words[: at or 1]).strip(","), tuple(words[at + 1 if at else 1 :])


def _written(words: Sequence[_Word]) -> str:
    return " ".join(word.written for word in words)


def _condition(reading: _Reading) -> FieldCondition:
    """The condition of a reading; raises UsageError where it is none."""
    sign, value = reading.sign, reading.value
    if lexicon.holds("turning", reading.before):
        raise _refused(reading.before[-80:], "denies, restricts or excepts: that is not understood")
    between = sign in _between()
    parts = _halves(value) if between else [value]
    dates, amounts = lexicon.by_word("dates"), lexicon.by_word("amounts")
    dated = [_period(part) for part in parts]
    kind: FieldType = "date"
    if (sign in dates and (None not in dated or sign not in amounts)) or (
        between and None not in dated
    ):
        periods = [period for period in dated if period is not None]
        if len(periods) != 1 + between:
            raise _refused(value, "is no date that is understood")
        signs = [">=", "<="] if between else [dates[sign]]
        bounds = tuple(map(Bound, signs, periods))  # type: ignore[arg-type]
    else:
        kind, bounds = _amount_bounds([">=", "<="] if between else [amounts[sign]], parts, value)
    field = _field(reading, kind)
    said = _ENGLISH[bounds[0].sign][kind != "date"]
    shown = f"between {' and '.join(parts)}" if between else f"{said} {value}"
    return FieldCondition(field, bounds, f"{field.name} {shown}")


def _halves(value: str) -> list[str]:
    """What stands before and behind the word between two bounds."""
    words = value.split()
    for at, word in enumerate(words):
        if fold(word) in lexicon.words("condition", "and"):
            return [" ".join(words[:at]), " ".join(words[at + 1 :])]
    return [value]


def _amount_bounds(
    signs: Sequence[str], parts: Sequence[str], value: str
) -> tuple[FieldType, tuple[Bound, ...]]:
    amounts = [_amount(part) for part in parts]
    known = [amount for amount in amounts if amount is not None]
    if len(known) != len(parts) or len(known) != len(signs):
        raise _refused(value, "is no amount that is understood")
    kinds = {kind for kind, _, _ in known}
    kind: FieldType = next(
        one for one in ("duration", "percent", "money", "number") if one in kinds
    )
    if kind == "duration" and len(kinds) > 1:
        raise _refused(value, "is no span of time that is understood")
    currency = next((code for _, _, code in known if code), "")
    return kind, tuple(
        Bound(sign, number, currency)  # type: ignore[arg-type]
        for sign, (_, number, _) in zip(signs, known, strict=True)
    )


def _period(text: str) -> str | None:
    """A year, a month or a day in ISO form; None where the text is none, or may be two."""
    words = text.split()
    while len(words) > 1 and fold(words[0]) in lexicon.words("condition", "before_dates"):
        words = words[1:]
    text = " ".join(words)
    if _PERIOD.fullmatch(text):
        whole = f"{text}-01-01"[:10] if len(text) < 10 else text
        return text if find_dates(whole) else None
    found = {reading.normal for reading in find_dates(text)}
    covered = max((reading.end - reading.start for reading in find_dates(text)), default=0)
    return found.pop() if len(found) == 1 and covered >= len(text.rstrip(".,")) else None


def _amount(text: str) -> tuple[FieldType, str, str] | None:
    """Kind, number and currency of an amount or a span of time; None where the text is neither."""
    whole = (0, len(text))  # what is not understood is not passed over
    kinds: tuple[FieldType, ...] = ("percent", "money", "number", "duration")
    finders = (find_percentages, find_money, find_numbers, find_durations)
    for kind, find in zip(kinds, finders, strict=True):
        for reading in find(text):
            if (reading.start, reading.end) != whole:
                continue
            if kind == "duration" and is_of_more(text, reading):
                continue
            code, _, number = reading.normal.rstrip("%").rpartition(" ")
            return kind, number, code
    return None


def _field(reading: _Reading, kind: FieldType) -> Field:
    """The field that the words before a comparison, or the verb behind it, name."""
    fillers = lexicon.words("condition", "fillers")
    named = [word for word in reading.field if word.folded not in fillers]
    verb = lexicon.by_word("verbs").get(named[0].folded) if len(named) == 1 else None
    verb = verb if kind == "date" else None
    if not named or (reading.by_verb and verb is None):
        raise UsageError(f"No field is named before {reading.written!r}.", UNDERSTOOD)
    if verb == "expiry" and fold(reading.what).startswith(
        tuple(lexicon.words("condition", "to_be_paid"))
    ):
        verb = "due date"
    words = " ".join(word.written.strip(",;:") for word in named).casefold()
    return _of_type(field_of(verb or words), verb or words, kind, reading.written)


def _of_type(field: Field, words: str, kind: FieldType, asked: str) -> Field:
    """The field, of the type that it is compared with; an unknown one is made so."""
    of_number = kind == "number" and field.type in ("money", "percent", "rate", "number")
    if field.type == kind or of_number:
        return field
    if not field.is_known:
        return field_of(words, kind)
    raise UsageError(
        f"{field.name!r} is of the type {field.type}, and {asked!r} asks for a {kind}.", UNDERSTOOD
    )


# ---- Whether a document fulfils it


def verdict(condition: FieldCondition, cell: Cell) -> ListVerdict:
    """Whether a document fulfils a condition by what it says; unclear where its values differ.

    A term that was counted ends on that day or on the one before it: as its words are understood.
    """
    if condition.field.clause == MENTION and cell.status != "unreadable":
        return "yes" if cell.status == "silent" else "no"
    if cell.status == "doubtful":
        return "unclear"
    if cell.status in ("silent", "unreadable"):
        return "silent" if cell.status == "silent" else "unreadable"
    found = set()
    for value in cell.values:
        day = add_duration(value.normal, "P-1D") if value.computed else None
        normals = [value.normal, *filter(None, [day])]
        whole = not _is_of_more(value)
        found |= {holds(condition.bounds, each) if whole else None for each in normals}
    if found == {True}:
        return "yes"
    return "no" if found == {False} else "unclear"


def _is_of_more(value: FieldValue) -> bool:
    """Whether a span of time is not all that its quotation says: "1 year and 6 months"."""
    return is_duration(value.normal) and any(
        is_of_more(citation.quote, reading)
        for citation in value.citations
        for reading in find_durations(citation.quote)
        if reading.normal == value.normal
    )


def holds(bounds: Iterable[Bound], normal: str) -> bool | None:
    """Whether a value in its normal form fulfils all bounds; None where that cannot be told."""
    each = [_holds(bound, normal) for bound in bounds]
    if False in each:
        return False
    return None if None in each else True


def _holds(bound: Bound, normal: str) -> bool | None:
    if bound.sign == "contains":
        return bound.value in fold(normal)
    if _PERIOD.fullmatch(bound.value) and _PERIOD.fullmatch(normal) and not bound.currency:
        width = min(len(normal), len(bound.value))
        here, there = normal[:width], bound.value[:width]
        if here == there and len(normal) < len(bound.value):
            return None  # in the same year or month, and no more is said
        return _compared(bound.sign, (here > there) - (here < there))
    if is_duration(bound.value):
        order = compare_durations(normal, bound.value)
        return None if order is None else _compared(bound.sign, order)
    code, _, number = normal.rstrip("%").rpartition(" ")
    if bound.currency and code != bound.currency:
        return None
    try:
        mine, other = Decimal(number), Decimal(bound.value)
    except InvalidOperation:  # words: any of several names
        return bound.value in map(fold, normal.split("; ")) if bound.sign == "=" else None
    return _compared(bound.sign, (mine > other) - (mine < other))


def _compared(sign: Sign, order: int) -> bool:
    return {"=": order == 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[
        sign
    ]
