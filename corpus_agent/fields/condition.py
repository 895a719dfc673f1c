"""Conditions on one field, as in "contracts that end in 2025": parsed, and compared with values.

Pure. The words of seven languages are in condition_words.py; what is not understood is refused with
what is. A value that a condition cannot decide (a month where a day is asked for, another currency)
is None, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from corpus_agent.fields.amounts import (
    find_durations,
    find_money,
    find_numbers,
    find_percentages,
    is_of_more,
)
from corpus_agent.fields.condition_words import (
    AMOUNT_SIGNS,
    AND,
    BEFORE_DATES,
    BETWEEN,
    BY_VERB,
    DATE_SIGNS,
    ENGLISH,
    ENGLISH_SIGNS,
    FILLERS,
    LINKS,
    OF_THEM,
    REQUESTS,
    TO_BE_PAID,
    Sign,
)
from corpus_agent.fields.definition import field_of
from corpus_agent.fields.records import Cell, Field, FieldType, FieldValue
from corpus_agent.text.dates import add_duration, compare_durations, find_dates, is_duration
from corpus_agent.text.polarity import holds_turning_word
from corpus_agent.text.tokens import fold
from indexer import UsageError

ListVerdict = Literal["yes", "no", "unclear", "silent", "unreadable"]

MAX_CHARS = 500
UNDERSTOOD = (
    'Write it like: corpus-agent list "contracts that end in 2025", "invoices due before May 2024",'
    ' "leases with a rent over 1000 euros". After the field stands in, on, before, after, since, by'
    " or between … and … with a date, or more than, at least, less than, at most with an amount or"
    " a span of time."
)
_BETWEEN = frozenset(map(fold, BETWEEN))
_PHRASES = {
    tuple(phrase.split()): phrase for phrase in (*DATE_SIGNS, *AMOUNT_SIGNS, *map(fold, BETWEEN))
}
_LONGEST = max(map(len, _PHRASES))
_REQUESTS = sorted((tuple(phrase.split()) for phrase in REQUESTS), key=len, reverse=True)
_YEAR = re.compile(r"(?:1[89]|20|21)[0-9]{2}", re.ASCII)
_MOST_DOCUMENTS = 4  # words for them before what leads to the field
_PERIOD = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Bound:
    """One comparison: with a year, month or day, a span of time ("P2M"), or an amount.

    `currency` is that of an amount, "" for any.
    """

    sign: Sign
    value: str
    currency: str = ""


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """A field, what its value must be (all bounds), and the words for the documents, `what`.

    `is_known`: the field is in the lexicon, under several phrases.
    """

    field: Field
    bounds: tuple[Bound, ...]
    what: str
    shown: str

    @property
    def is_known(self) -> bool:
        """Whether the field is found by more than its own words."""
        return len(self.field.phrases) > 1


def parse_condition(words: str) -> FieldCondition:
    """The condition that words state; raises UsageError with what is understood.

    Words are read at each place where a comparison may stand. Where the first of them is none
    ("dont le loyer est supérieur à"), the field before a later one has to be a known one.
    """
    if len(words) > MAX_CHARS:
        raise UsageError(f"A condition of {len(words):,} characters; at most {MAX_CHARS}.")
    asked = " ".join(words.split()).strip(" ?.!¿¡")
    problem: UsageError | None = None
    for reading in _readings(_documents([_Word.of(word) for word in asked.split()])):
        try:
            found = _condition(reading)
        except UsageError as error:
            problem = problem or error
            continue
        if problem is None or found.is_known:
            return found
    raise problem or UsageError(f"{asked[:80]!r} states no condition on a field.", UNDERSTOOD)


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

    `before` is all that stands before the comparison, `written` the comparison as it stands there,
    and `asked` with the "in" that a year alone leaves out.
    With `by_verb` the field has to be one that a verb asks for: "die 2025 enden".
    """

    before: str
    what: str
    field: tuple[_Word, ...]
    sign: str
    value: str
    asked: str
    written: str
    by_verb: bool = False


def _documents(words: list[_Word]) -> list[_Word]:
    """The words from the documents on: without a request, and without "all of my"."""
    for phrase in _REQUESTS:
        if tuple(word.folded for word in words[: len(phrase)]) == phrase:
            words = words[len(phrase) :]
            break
    while len(words) > 1 and words[0].folded in OF_THEM:
        words = words[1:]
    return words


def _readings(words: list[_Word]) -> Iterator[_Reading]:
    """Each way to read the words, from the left."""
    for at in range(1, len(words)):
        sign, behind = _sign_at(words, at)
        year = not sign and _YEAR.fullmatch(words[at].folded)
        if not (sign or year):
            continue
        what, field = _what_and_field(words[:at])
        value = words[behind:]
        last = len(value)
        while last and value[last - 1].folded in FILLERS:
            last -= 1
        verb = value[last - 1 : last] if last > 1 and value[last - 1].folded in BY_VERB else []
        compared = _written(value[: last - len(verb)])
        written = f"{_written(words[at:behind])} {compared}".strip()
        asked = written if sign else f"in {compared}"
        if compared:
            by_verb = bool(verb or year)
            before = _written(words[:at])
            fields = (*field, *verb)
            yield _Reading(before, what, fields, sign or "in", compared, asked, written, by_verb)


def _sign_at(words: list[_Word], at: int) -> tuple[str, int]:
    """The longest comparison that begins at a word, "" for none, and the place behind it."""
    for length in range(_LONGEST, 0, -1):
        phrase = _PHRASES.get(tuple(word.folded for word in words[at : at + length]))
        if phrase is not None:
            return phrase, at + length
    return "", at


def _what_and_field(words: list[_Word]) -> tuple[str, tuple[_Word, ...]]:
    """The words for the documents, and those for the field: behind "that" or "with", if any."""
    near = range(1, min(len(words), _MOST_DOCUMENTS + 1))
    at = next((at for at in near if words[at].folded in LINKS), 0)
    return _written(words[: at or 1]).strip(","), tuple(words[at + 1 if at else 1 :])


def _written(words: Sequence[_Word]) -> str:
    return " ".join(word.written for word in words)


def _condition(reading: _Reading) -> FieldCondition:
    """The condition of a reading; raises UsageError where it is none."""
    sign, value = reading.sign, reading.value
    if holds_turning_word(reading.before):
        raise UsageError(
            f"{reading.before[-80:]!r} denies, restricts or excepts: that is not understood.",
            UNDERSTOOD,
        )
    parts = _halves(value) if sign in _BETWEEN else [value]
    dated = [_period(part) for part in parts]
    is_date = sign in DATE_SIGNS and (None not in dated or sign not in AMOUNT_SIGNS)
    kind: FieldType = "date"
    if is_date or (sign in _BETWEEN and None not in dated):
        bounds = _date_bounds(sign, dated, value)
    else:
        kind, bounds = _amount_bounds(sign, parts, value)
    field = _field(reading, kind)
    shown = f"{field.name} {_in_english(reading, bounds[0].sign, parts, is_date=kind == 'date')}"
    return FieldCondition(field, bounds, reading.what, shown)


def _in_english(reading: _Reading, sign: Sign, parts: Sequence[str], *, is_date: bool) -> str:
    """The comparison in an English sentence: as it was asked, where that is English."""
    if reading.sign in ENGLISH:
        return reading.asked
    if len(parts) > 1:
        return f"between {' and '.join(parts)}"
    return f"{ENGLISH_SIGNS[sign][not is_date]} {reading.value}"


def _halves(value: str) -> list[str]:
    """What stands before and behind the word between two bounds."""
    words = value.split()
    for at, word in enumerate(words):
        if fold(word) in AND:
            return [" ".join(words[:at]), " ".join(words[at + 1 :])]
    return [value]


def _date_bounds(sign: str, dated: list[str | None], value: str) -> tuple[Bound, ...]:
    periods = [period for period in dated if period is not None]
    if len(periods) != len(dated) or len(periods) != (2 if sign in _BETWEEN else 1):
        raise UsageError(f"{value[:80]!r} is no date that is understood.", UNDERSTOOD)
    if sign in _BETWEEN:
        return Bound(">=", periods[0]), Bound("<=", periods[1])
    return (Bound(DATE_SIGNS[sign], periods[0]),)


def _amount_bounds(sign: str, parts: list[str], value: str) -> tuple[FieldType, tuple[Bound, ...]]:
    kind: FieldType
    amounts = [_amount(part) for part in parts]
    known = [amount for amount in amounts if amount is not None]
    if len(known) != len(parts) or len(known) != (2 if sign in _BETWEEN else 1):
        raise UsageError(f"{value[:80]!r} is no amount that is understood.", UNDERSTOOD)
    kinds = {kind for kind, _, _ in known}
    kind = next(one for one in ("duration", "percent", "money", "number") if one in kinds)
    if kind == "duration" and len(kinds) > 1:
        raise UsageError(f"{value[:80]!r} is no span of time that is understood.", UNDERSTOOD)
    currency = next((code for _, _, code in known if code), "")
    signs: tuple[Sign, ...] = (">=", "<=") if sign in _BETWEEN else (AMOUNT_SIGNS[sign],)
    return kind, tuple(
        Bound(each, number, currency) for each, (_, number, _) in zip(signs, known, strict=True)
    )


def _period(text: str) -> str | None:
    """A year, a month or a day in ISO form; None where the text is none, or may be two."""
    words = text.split()
    while len(words) > 1 and fold(words[0]) in BEFORE_DATES:
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
    for reading in find_percentages(text):
        if (reading.start, reading.end) == whole:
            return "percent", reading.normal.rstrip("%"), ""
    for reading in find_money(text):
        if (reading.start, reading.end) == whole:
            code, _, number = reading.normal.partition(" ")
            return "money", number, code
    for reading in find_numbers(text):
        if (reading.start, reading.end) == whole:
            return "number", reading.normal, ""
    for reading in find_durations(text):
        is_whole = (reading.start, reading.end) == whole and not is_of_more(text, reading)
        if is_whole and is_duration(reading.normal):
            return "duration", reading.normal, ""
    return None


def _field(reading: _Reading, kind: FieldType) -> Field:
    """The field that the words before a comparison, or the verb behind it, name.

    Raises UsageError if there is none, or if it is of another type than what it is compared with.
    """
    named = [word for word in reading.field if word.folded not in FILLERS]
    if not named:
        raise UsageError(f"No field is named before {reading.written!r}.", UNDERSTOOD)
    words = " ".join(word.written.strip(",;:") for word in named).casefold()
    verb = BY_VERB.get(named[0].folded) if kind == "date" and len(named) == 1 else None
    if reading.by_verb and verb is None:
        raise UsageError(f"No field is named before {reading.written!r}.", UNDERSTOOD)
    if verb == "expiry" and fold(reading.what).startswith(TO_BE_PAID):
        verb = "due date"
    field = field_of(verb or words)
    is_known = len(field.phrases) > 1
    if not is_known:
        of_number = kind == "number" and field.type in ("money", "percent", "rate", "number")
        return field if of_number else field_of(words, kind)
    fits = field.type == kind or (kind == "number" and field.type in ("money", "percent"))
    if not fits:
        raise UsageError(
            f"{field.name!r} is of the type {field.type}, and {reading.asked!r} asks for a {kind}.",
            UNDERSTOOD,
        )
    return field


def verdict(condition: FieldCondition, cell: Cell) -> ListVerdict:
    """Whether a document fulfils a condition by what it says; unclear where its values differ.

    A term that was counted ends on that day or on the one before it: as its words are understood.
    """
    if cell.status in ("silent", "unreadable"):
        return "silent" if cell.status == "silent" else "unreadable"
    found = {
        None if _is_of_more(value) else holds(condition.bounds, normal)
        for value in cell.values
        for normal in (*value.normal.split("; "), *_days_before(value))
    }
    if found == {True}:
        return "yes"
    return "no" if found == {False} else "unclear"


def _is_of_more(value: FieldValue) -> bool:
    """Whether a span of time is not all that its quotation says: "1 year and 6 months"."""
    spans = value.normal.split("; ")
    return any(map(is_duration, spans)) and any(
        is_of_more(citation.quote, reading)
        for citation in value.citations
        for reading in find_durations(citation.quote)
        if reading.normal in spans
    )


def _days_before(value: FieldValue) -> list[str]:
    """The day before the one to which a term was counted."""
    return [day] if value.computed and (day := add_duration(value.normal, "P-1D")) else []


def holds(bounds: Iterable[Bound], normal: str) -> bool | None:
    """Whether a value in its normal form fulfils all bounds; None where that cannot be told."""
    each = [_holds(bound, normal) for bound in bounds]
    if False in each:
        return False
    return None if None in each else True


def _holds(bound: Bound, normal: str) -> bool | None:
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
    except InvalidOperation:
        return None
    return _compared(bound.sign, (mine > other) - (mine < other))


def _compared(sign: Sign, order: int) -> bool:
    return {"=": order == 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[
        sign
    ]
