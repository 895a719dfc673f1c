"""Dates, terms and laws in sentences: one reader, whose cues stand in the lexicon. Pure.

A cue says what stands right before a date or a span of time, right behind it, in its clause or in
its sentence, and what must not. A term that is counted ("for three years from the Effective Date")
is computed and says so: until the same day of another year.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import regex

from corpus_agent.fields import lexicon
from corpus_agent.fields.names import place_at
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue
from corpus_agent.text.dates import add_duration, find_dates
from corpus_agent.text.sentences import refers_back
from corpus_agent.text.values import Reading

_BEFORE, _BEHIND = 320, 120  # characters beside a value in which its cues stand
_HEAD = 9_000  # characters of a document in which it says its own date
_TITLE = 300  # characters at the beginning of a document, which say what it is
_INVOICE_TITLE, _INVOICE_HEAD = 120, 12  # characters; lines in which the date of an invoice stands
_HEADING_ABOVE, _HEADING = 400, 60  # characters before a clause and of a heading
_LINES_OF_HEAD, _WORDS_OF_LINE = 25, 4  # of a date in a line of its own
_LEAST = 0.75
_NO_DAY = 0.3  # less for a month alone
_DAY = len("2024-03-12")
_SHORTEST_TERM = 90  # days
_SIGNATURES = 3_000  # characters over which one set of signatures runs
# Not within a day: "1. April 2024".
_SENTENCE = regex.compile(
    r"(?<=[\p{Ll}\p{N})\"”])[.;]\s+(?=[\p{Lu}(\"“])(?!\p{Lu}\p{Ll}{2,12}\s+(?:19|20)\d\d)"
)
_NO_PLACES = frozenset(
    ["Territory", "State", "Country", "Jurisdiction", "Nation", "Section", "Article"]
)
_FEDERAL = r"\s*(?:,?\s*and\s+(?:of\s+)?|,\s*)(?P<place>@state_of@(?-i:\p{Lu}))"


@dataclass(frozen=True)
class _Place:
    """A value where it stands, with the text that its cues are looked for in."""

    document: DocumentText
    value: Reading

    @cached_property
    def before(self) -> str:
        return self.document.before(self.value.start, _BEFORE)

    @cached_property
    def behind(self) -> str:
        return self.document.after(self.value.end, _BEHIND)

    @cached_property
    def clause(self) -> str:
        """The words of its sentence before the value, of a date with what "it" refers to."""
        clause = _SENTENCE.split(self.before)[-1]
        if self.value.normal[:1] != "P" and refers_back(clause):
            led = self.before.removesuffix(clause).rstrip(" .;")
            clause = f"{_SENTENCE.split(led)[-1]} {clause}"
        return clause

    @cached_property
    def sentence(self) -> str:
        return self.document.text[slice(*self.document.sentence(self.value.start, self.value.end))]

    def fits(self, cue: Mapping[str, Any]) -> bool:
        """Whether all that a cue asks for stands there, and nothing that it excludes."""
        for key in ("before", "behind", "clause", "sentence"):
            wanted, excluded = cue.get(key), cue.get(f"not_{key}")
            if wanted and not lexicon.compiled(wanted).search(getattr(self, key)):
                return False
            if excluded and lexicon.compiled(excluded).search(getattr(self, key)):
                return False
        return {
            "subject": self._is_about_the_document,
            "agreement": lambda: is_agreement(self.document),
            "line": self._is_line,
        }.get(cue.get("of", ""), lambda: True)()

    def _is_about_the_document(self) -> bool:
        """Whether the clause, or a heading above it, speaks of the term of the document."""
        if lexicon.near()["subject"].search(self.clause):
            return True
        start = self.value.start
        above = self.document.text[max(0, start - _HEADING_ABOVE) : start].split("\n")[:-1]
        heads = (line for line in above if len(line) < _HEADING)
        return any(lexicon.near()["heading"].search(line) for line in heads)

    def _is_line(self) -> bool:
        """Whether a date has a line of the head for itself, with a place before it at most."""
        start, end = self.document.line_span(self.value.start)
        text = self.document.text
        rest = text[start : self.value.start] + text[self.value.end : end]
        near = self.document.line_at(self.value.start) <= _LINES_OF_HEAD
        return near and len(rest.split()) <= _WORDS_OF_LINE and ":" not in rest


def cued(
    document: DocumentText, field: str, values: Iterable[Reading], later: float = 1e-6
) -> list[ProposedValue]:
    """The values that a cue of a field leads to, best first; `later` is off for each character."""
    cues = [cue for cue in lexicon.content()["cue"] if cue["field"] == field]
    found = []
    for value in values:
        place = _Place(document, value)
        score = max((cue["score"] for cue in cues if place.fits(cue)), default=0.0)
        if score:
            month_alone = value.normal[:1].isdigit() and len(value.normal) < _DAY
            score -= value.start * later + _NO_DAY * month_alone
            span = document.sentence(value.start, value.end)
            found.append(ProposedValue((value,), *span, score))
    return sorted(found, key=lambda proposal: -proposal.score)


def is_agreement(document: DocumentText) -> bool:
    """Whether a document calls itself one that runs for a time, and no invoice for such a time."""
    title = document.text[:_TITLE]
    return lexicon.near()["agreement"].search(title) is not None and not is_invoice(document)


def is_invoice(document: DocumentText) -> bool:
    """Whether a document begins as an invoice does."""
    return lexicon.near()["invoice"].search(document.text.lstrip()[:_INVOICE_TITLE]) is not None


# ---- When it was made, begins and ends


def document_date(document: DocumentText) -> list[ProposedValue]:
    """When the document was made, from its opening; else from its first signatures.

    None where it leaves the place of its date blank: a form says no date.
    """
    blank = lexicon.document()["blank"].search(document.text, 0, _HEAD)
    head = (one for one in document.dates if one.start <= _HEAD)
    found = [one for one in cued(document, "made", head, 1 / 40_000) if one.score >= 0.5]
    if not found:
        return [] if blank else _signed(document)
    first = found[0].readings[0].start
    if blank and blank.start() < first:
        return []
    return [one for one in found if one.readings[0].start == first]


def _signed(document: DocumentText) -> list[ProposedValue]:
    """The latest date of the first set of signatures."""
    signed = [
        one
        for one in document.dates
        if len(one.normal) == _DAY
        and lexicon.near()["signed"].search(document.before(one.start, 200))
        and lexicon.near()["signature"].search(document.before(one.start, 240))
    ]
    together = [one for one in signed if one.start - signed[0].start <= _SIGNATURES]
    latest = max(together, key=lambda one: one.normal, default=None)
    return [
        ProposedValue((one,), one.start, one.end, 0.5)
        for one in together
        if latest is not None and one.start == latest.start
    ]


def beginning(document: DocumentText) -> list[ProposedValue]:
    """The day that a document calls its effective date; else the one from which its term runs."""
    return cued(document, "effective date", document.dates, 1e-5)


def expiry(document: DocumentText) -> list[ProposedValue]:
    """The day on which an agreement ends, as written or computed; [] if it has none."""
    stated = cued(document, "expiry", (*_year_ends(document), *document.dates))
    if stated and stated[0].score >= _LEAST:
        return [one for one in stated if one.score >= _LEAST]
    return list(_counted(document))[:1]


def _year_ends(document: DocumentText) -> Iterator[Reading]:
    """The last days of years: "until the end of 2026"."""
    for match in lexicon.document()["year_end"].finditer(document.text):
        plain = " ".join(match["end"].split())
        yield Reading(match.start("end"), match.end("end"), plain, f"{match['year']}-12-31")


def _counted(document: DocumentText) -> Iterator[ProposedValue]:
    """The ends of terms that are counted from the day on which the agreement begins, best first."""
    anchor = next(iter(beginning(document)), None)
    if anchor is None and not _begins_by_event(document):
        anchor = next(iter(document_date(document)), None)
    long = (
        one
        for one in document.durations
        if one.normal[-1] != "D" or int(one.normal[1:-1]) >= _SHORTEST_TERM
    )
    for term in cued(document, "term", long):
        begins = _begins(document, (term.start, term.end))
        if begins is None and anchor is not None and len(anchor.readings) == 1:
            begins = anchor.readings[0]
        if begins is not None and term.score >= _LEAST:
            yield from _until(document, term, begins)


def _until(document: DocumentText, term: ProposedValue, begins: Reading) -> Iterator[ProposedValue]:
    """The day that a span of time ends on, quoted with the day that it begins on."""
    day = add_duration(begins.normal, term.normal)
    if day is not None:
        value = replace(
            term.readings[0], text=f"{term.text} from {begins.text}: until {day}", normal=day
        )
        stated = document.sentence(begins.start, begins.end)
        yield replace(term, readings=(value,), also=(stated,))


def _begins_by_event(document: DocumentText) -> bool:
    """Whether the effective date is the day of an event, which no date of the document is."""
    defined = lexicon.document()["effective_date"].search(document.text)
    if defined is None:
        return False
    said = document.before(defined.start(), 90) + document.after(defined.end(), 90)
    return not lexicon.near()["by_signing"].search(said)


def _begins(document: DocumentText, clause: tuple[int, int]) -> Reading | None:
    """The day that the clause itself counts from: "commencing on 1 May 2024, for two years"."""
    first, last = clause
    for day in find_dates(document.text[first:last], day_first=document.day_first):
        before = document.text[max(first, first + day.start - 50) : first + day.start]
        if len(day.normal) == _DAY and lexicon.near()["begins"].search(before):
            return replace(day, start=day.start + first, end=day.end + first)
    return None


# ---- Notice, and days to pay


def notice_periods(document: DocumentText, beside: Sequence[ProposedValue]) -> list[ProposedValue]:
    """The durations that are notice of an ending, best first, with those `beside` its phrases.

    Notice of something else (a meeting, an inspection, a higher price) is none of it.
    """
    ending, of_else = (
        lexicon.compiled(rf"(?<!\p{{L}})@{name}@(?!\p{{L}})") for name in ("ending", "of_else")
    )
    kept = []
    for one in beside:
        sentence = document.text[slice(*document.sentence(one.start, one.end))]
        if ending.search(sentence) or not of_else.search(sentence):
            kept.append(one)
    found = [*kept, *cued(document, "notice period", document.durations)]
    return sorted(found, key=lambda proposal: -proposal.score)


def renewal_terms(document: DocumentText) -> list[ProposedValue]:
    """How long an agreement goes on each time that it renews, quoted with what it depends on."""
    return cued(document, "renewal", document.durations)


def due_in_days(document: DocumentText) -> list[ProposedValue]:
    """The day on which an invoice is due that says in how many days, counted from its date."""
    if not is_invoice(document):
        return []
    for days in cued(document, "due in days", document.durations):
        dated = _dated(document, days.readings[0].start)
        if dated is not None:
            return list(_until(document, days, dated))
    return []


def _dated(document: DocumentText, before: int) -> Reading | None:
    """The date of an invoice: one with a label or a line of its own, or the only one of its head.

    Of the head what stands before the days: "Paid on" stands behind.
    """
    made = next(iter(document_date(document)), None)
    if made is not None:
        return made.readings[0]
    last = min(before, document.line_start(min(_INVOICE_HEAD, len(document.lines))))
    head = [one for one in document.dates if one.start < last]
    return head[0] if len({one.normal for one in head}) == 1 else None


# ---- Whose law governs


def governing_law(document: DocumentText) -> list[ProposedValue]:
    """The places whose law governs, from the clauses that say so, surest first."""
    text, found = document.text, []
    for rank, law in enumerate(lexicon.laws()):
        for match in law.finditer(text):
            place = _law_of(text, match)
            if place is None or lexicon.compiled("@law_of_others@").search(match[0]):
                continue
            around = document.before(match.start(), 260) + match[0]
            score = 0.95 - 0.1 * min(rank, 3)
            score -= 0.15 * (not lexicon.compiled("@law_of_this@").search(around))
            score += 0.05 * bool(lexicon.compiled("@law_head@").search(around))
            found.append(ProposedValue((place,), match.start(), place.end, score))
    return sorted(found, key=lambda proposal: (-proposal.score, proposal.start))


def _law_of(text: str, match: regex.Match[str]) -> Reading | None:
    """The place of a clause, of "the United States and the State of Ohio" the second."""
    if match.capturesdict().get("law"):
        return Reading(match.start("law"), match.end("law"), match["law"], match["law"])
    place = _place_from(text, match.start("place"))
    if place is not None and place.normal.startswith("United States"):
        state = lexicon.compiled(_FEDERAL).match(text, place.end)
        place = _place_from(text, state.start("place")) if state else place
    return place


def _place_from(text: str, start: int) -> Reading | None:
    """The place behind "the State of"; of "the laws of the Territory" there is none."""
    lead = lexicon.compiled("(?:@state_of@)?").match(text, start)
    place = place_at(text, lead.end() if lead else start)
    return None if place is None or place.normal in _NO_PLACES else place
