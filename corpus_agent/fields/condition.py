"""A condition on a field: from a person's words to bounds, and whether a document fulfils it.

"governing law = Florida", "deposit > 500 euros", "without dog", "contracts that end in 2025". What
is not understood whole is refused: a list that passes over half of it is wrong with confidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Literal, cast

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
_BETWEEN_NAMES = re.compile(r"; |, | and ")
Sign = Literal["=", "<", "<=", ">", ">=", "contains"]

MAX_CHARS = 500
UNDERSTOOD = (
    "Write it like: corpus-agent list 'governing law = Florida', 'subject contains heating', "
    "'rent > 1000 euros', 'without dog', or \"contracts that end in 2025\"."
)
_QUOTES = "\"'“”„«»‘’"
_WITHOUT = re.compile(r"(?i)(?:documents )?without (?P<term>.+)")
_COMPARED = re.compile(r"(?P<field>[^=<>≤≥]+?) ?(?P<sign>[=≤≥]|[<>]=?| contains )(?P<value>.+)")
_SIGNS = {"≤": "<=", "≥": ">=", " contains ": "contains"}
_KINDS: tuple[FieldType, ...] = ("date", "duration", "percent", "money", "number")
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
        return _by_sign(compared["field"], compared["sign"], compared["value"].strip())
    problem: UsageError | None = None
    spoken = _without_request(asked.split())
    for at in range(1, len(spoken)):
        try:
            found = _spoken(spoken, at)
        except UsageError as error:
            problem = problem or error
            continue
        if found is not None and (problem is None or found.field.is_known):
            return found
    if problem is None and (without := _WITHOUT.fullmatch(asked)):
        term = without["term"].strip(_QUOTES)
        return FieldCondition(mention_of(term), (), f"without the words “{term}”")
    raise problem or _refused(asked, "states no condition on a field")


def _refused(words: str, why: str) -> UsageError:
    return UsageError(f"{words[:80]!r} {why}.", UNDERSTOOD)


def _by_sign(named: str, written: str, value: str) -> FieldCondition:
    """A field and a value with a sign between them."""
    sign = _SIGNS.get(written, written)
    shown = f"{' '.join(named.split())} {written.strip()} {value}"
    field = field_of(named)
    if sign == "contains" or (sign == "=" and field.type in WORDED):
        return FieldCondition(
            field, (Bound(cast("Sign", sign), fold(value.strip(_QUOTES))),), shown
        )
    kind, bounds = _bounds([sign], [value])
    return FieldCondition(_of_type(field, named, kind, shown), bounds, shown)


# ---- Words of seven languages


def _folded(word: str) -> str:
    return fold(word.replace("’", "'")).strip(",;:")


def _words(key: str) -> frozenset[str]:
    return lexicon.words("condition", key)


@cache
def _comparisons() -> dict[tuple[str, ...], str]:
    """The words of all comparisons."""
    said = (*lexicon.by_word("dates"), *lexicon.by_word("amounts"), *_words("between"))
    return {tuple(phrase.split()): phrase for phrase in said}


def _without_request(words: list[str]) -> list[str]:
    """The words from the documents on: without "please list" and "all of my"."""
    requests = (tuple(each.split()) for each in _words("requests"))
    for phrase in sorted(requests, key=len, reverse=True):
        if tuple(map(_folded, words[: len(phrase)])) == phrase:
            words = words[len(phrase) :]
            break
    while len(words) > 1 and _folded(words[0]) in _words("of_them"):
        words = words[1:]
    return words


def _spoken(words: list[str], at: int) -> FieldCondition | None:
    """The condition with a comparison at a word, or a year alone; None where none begins there.

    Raises UsageError where it is one that is not understood.
    """
    folded, verbs = [*map(_folded, words)], lexicon.by_word("verbs")
    lengths = range(max(map(len, _comparisons())), 0, -1)
    length = next((n for n in lengths if tuple(folded[at : at + n]) in _comparisons()), 0)
    if not length and not _YEAR.fullmatch(folded[at]):
        return None
    sign = _comparisons()[tuple(folded[at : at + length])] if length else "in"
    end = len(words)
    while end > at + length and folded[end - 1] in _words("fillers"):
        end -= 1
    verb = folded[end - 1] if end - 1 > at + length and folded[end - 1] in verbs else ""
    value = " ".join(words[at + length : end - bool(verb)])
    if not value:
        return None
    before, written = " ".join(words[:at]), " ".join(words[at : end - bool(verb)])
    if lexicon.holds("turning", before):
        raise _refused(before[-80:], "denies, restricts or excepts: that is not understood")
    between = sign in _words("between")
    parts = _halves(value) if between else [value]
    dated = lexicon.by_word("dates").get(sign, "")
    signs = [">=", "<="] if between else [dated or lexicon.by_word("amounts")[sign]]
    kind, bounds = _bounds(signs, parts, dates_alone=bool(dated) and not _is_amount_too(sign))
    if kind != "date" and dated and not between:
        bounds = (replace(bounds[0], sign=cast("Sign", lexicon.by_word("amounts")[sign])),)
    links = (n for n in range(1, min(at, _MOST_DOCUMENTS + 1)) if folded[n] in _words("links"))
    link = next(links, 0)
    named = [
        (folded[n], words[n].strip(",;:"))
        for n in range(link + 1 if link else 1, at)
        if folded[n] not in _words("fillers")
    ]
    named += [(verb, verb)] if verb else []
    asked_by_verb = verbs.get(named[0][0], "") if kind == "date" and len(named) == 1 else ""
    if not named or ((verb or not length) and not asked_by_verb):
        raise UsageError(f"No field is named before {written!r}.", UNDERSTOOD)
    if asked_by_verb == "expiry" and folded[0].startswith(tuple(_words("to_be_paid"))):
        asked_by_verb = "due date"
    name = asked_by_verb or " ".join(word for _, word in named).casefold()
    field = _of_type(field_of(name), name, kind, written)
    said = _ENGLISH[bounds[0].sign][kind != "date"]
    shown = f"between {' and '.join(parts)}" if between else f"{said} {value}"
    return FieldCondition(field, bounds, f"{field.name} {shown}")


def _is_amount_too(sign: str) -> bool:
    """Whether the words of a comparison go with amounts, as well as with dates: "until"."""
    return sign in lexicon.by_word("amounts")


def _halves(value: str) -> list[str]:
    """What stands before and behind the word between two bounds."""
    words = value.split()
    for at, word in enumerate(words):
        if fold(word) in _words("and"):
            return [" ".join(words[:at]), " ".join(words[at + 1 :])]
    return [value]


# ---- What it is compared with


def _bounds(
    signs: Sequence[str], parts: Sequence[str], *, dates_alone: bool = False
) -> tuple[FieldType, tuple[Bound, ...]]:
    """The bounds that dates, amounts or spans of time are; raises UsageError for others."""
    value = " ".join(parts)
    periods = [_period(part) for part in parts]
    amounts = [None if dates_alone else _amount(part) for part in parts]
    if len(parts) == len(signs) and None not in periods:
        read: list[tuple[FieldType, str, str]] = [("date", one or "", "") for one in periods]
    elif len(parts) == len(signs) and None not in amounts:
        read = [one for one in amounts if one is not None]
    else:
        raise _refused(value, f"is no {'date' if dates_alone else 'amount'} that is understood")
    kinds = {kind for kind, _, _ in read}
    kind = next(one for one in _KINDS if one in kinds)
    if kind in ("date", "duration") and len(kinds) > 1:
        raise _refused(value, "is no span of time that is understood")
    currency = next((code for _, _, code in read if code), "")
    return kind, tuple(
        Bound(cast("Sign", sign), number, currency)
        for sign, (_, number, _) in zip(signs, read, strict=True)
    )


def _period(text: str) -> str | None:
    """A year, a month or a day in ISO form; None where the text is none, or may be two."""
    words = text.split()
    while len(words) > 1 and fold(words[0]) in _words("before_dates"):
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
    finders = (find_durations, find_percentages, find_money, find_numbers)
    for kind, find in zip(_KINDS[1:], finders, strict=True):
        for reading in find(text):  # what is not understood is not passed over
            whole = (reading.start, reading.end) == (0, len(text))
            if whole and not (kind == "duration" and is_of_more(text, reading)):
                code, _, number = reading.normal.rstrip("%").rpartition(" ")
                return kind, number, code
    return None


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
    except InvalidOperation:  # words: any of several names, as in "England and Wales"
        names = [fold(normal), *map(fold, _BETWEEN_NAMES.split(normal))]
        return bound.value in names if bound.sign == "=" else None
    return _compared(bound.sign, (mine > other) - (mine < other))


def _compared(sign: Sign, order: int) -> bool:
    return {"=": order == 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[
        sign
    ]
