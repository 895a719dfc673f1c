"""Dates, terms and laws in sentences: one reader, whose cues stand in the lexicon. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import regex

from corpus_agent.fields import lexicon
from corpus_agent.fields.page import DocumentText, ProposedValue
from corpus_agent.fields.parties import place_at
from corpus_agent.text.dates import Reading, add_duration, find_dates
from corpus_agent.text.sentences import refers_back
from corpus_agent.text.tokens import fold

_BEFORE, _BEHIND = 320, 120  # characters beside a value in which its cues stand
_HEAD = 9_000  # characters of a document in which it says its own date
_TITLE = 300  # characters at the beginning of a document, which say what it is
_INVOICE_TITLE = 120  # characters in which an invoice calls itself one
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
_BARE = 3  # words before "is governed by", as many as name no other thing that is
_LAW_FIRST = (1, 4)  # of the patterns of laws: "the laws of Ohio govern"
_FEDERAL = r"\s*(?:,?\s*and\s+(?:of\s+)?|,\s*)(?P<place>@state_of@(?-i:\p{Lu}))"


@dataclass(frozen=True)
class _Place:
    """A value where it stands, with the text that its cues are looked for in."""

    document: DocumentText
    value: Reading

    @cached_property
    def before(self) -> str:
        return self.document.before(self.value.start, _BEFORE).rstrip("_")

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
        return (
            lexicon.fits(cue, self.__getattribute__)
            and {
                "subject": self._is_about_the_document,
                "agreement": lambda: is_agreement(self.document),
                "line": self._is_line,
            }.get(cue.get("of", ""), lambda: True)()
        )

    def _is_about_the_document(self) -> bool:
        """Whether the clause, or a heading above it, speaks of the term of the document."""
        if lexicon.near("subject").search(self.clause) or refers_back(self.clause):
            return True
        start = self.value.start
        above = self.document.text[max(0, start - _HEADING_ABOVE) : start].split("\n")[:-1]
        heads = (line for line in above if len(line) < _HEADING)
        return any(lexicon.near("heading").search(line) for line in heads)

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
    title = document.text.lstrip()[:_TITLE]
    is_bill = lexicon.near("invoice").search(title[:_INVOICE_TITLE]) is not None
    return lexicon.near("agreement").search(title) is not None and not is_bill


def document_date(document: DocumentText) -> list[ProposedValue]:
    """When the document was made, from its opening; else from its first signatures."""
    blank = lexicon.document("blank").search(document.text, 0, _HEAD)
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
        and lexicon.near("signed").search(document.before(one.start, 200))
        and lexicon.near("signature").search(document.before(one.start, 240))
    ]
    together = [one for one in signed if one.start - signed[0].start <= _SIGNATURES]
    latest = max(together, key=lambda one: one.normal, default=None)
    return [
        ProposedValue((one,), one.start, one.end, 0.5)
        for one in together
        if latest is not None and one.start == latest.start
    ]


def beginning(document: DocumentText) -> list[ProposedValue]:
    """The day that a document calls its effective date, else the one from which its term runs."""
    found = cued(document, "effective date", document.dates, 1e-5)
    says = None if found and found[0].score >= _LEAST else _begins_when_made(document)
    if says is None:
        return found
    signed = lexicon.near("by_signatures").search(says[0]) is not None
    dates = (_signed(document) if signed else []) or document_date(document)
    return [replace(one, also=(says.span(),)) for one in dates] or found


def _begins_when_made(document: DocumentText) -> regex.Match[str] | None:
    """Where a document says that it begins on the day on which it is made or signed."""
    every = lexicon.document("begins_when_made").finditer(document.text)
    said = ((one, document.text[slice(*document.sentence(*one.span()))]) for one in every)
    return next((one for one, whole in said if not lexicon.near("copies").search(whole)), None)


def expiry(document: DocumentText) -> list[ProposedValue]:
    """The day on which an agreement ends, as written or computed; [] if it has none."""
    stated = cued(document, "expiry", (*_year_ends(document), *document.dates))
    if stated and stated[0].score >= _LEAST:
        return [one for one in stated if one.score >= _LEAST]
    counted = list(_counted(document))[:1]
    relative = () if counted else cued(document, "relative end", document.durations)[:1]
    return counted or [replace(one, notes=("from a day that is not stated",)) for one in relative]


def _year_ends(document: DocumentText) -> Iterator[Reading]:
    """The last days of years: "until the end of 2026"."""
    for match in lexicon.document("year_end").finditer(document.text):
        plain = " ".join(match["end"].split())
        yield Reading(match.start("end"), match.end("end"), plain, f"{match['year']}-12-31")


def _counted(document: DocumentText) -> Iterator[ProposedValue]:
    """The ends of terms that are counted from the day on which the agreement begins, best first."""
    begins, made = beginning(document), document_date(document)
    event = lexicon.document("effective_date").search(document.text)
    if not begins and event is None:  # else it begins on the day of an event
        begins = made
    long = (
        one
        for one in document.durations
        if one.normal[-1] not in "BD" or int(one.normal[1:-1]) >= _SHORTEST_TERM
    )
    for term in cued(document, "term", long):
        day = _named_beginning(document, (term.start, term.end))
        counted = document.after(term.readings[0].end, _BEHIND)
        dates = made if lexicon.near("from_its_date").search(counted) and made else begins
        if day is None and dates and len({one.normal for one in dates}) == 1:
            day = dates[0].readings[0]
        end = add_duration(day.normal, term.normal) if day is not None else None
        if day is not None and end is not None and term.score >= _LEAST:
            written = f"{term.text} from {day.text}: until {end}"
            value = replace(term.readings[0], text=written, normal=end)
            stated = document.sentence(day.start, day.end)
            yield replace(term, readings=(value,), also=(stated,), computed=True)


def _named_beginning(document: DocumentText, clause: tuple[int, int]) -> Reading | None:
    """The day that the clause itself counts from: "commencing on 1 May 2024, for two years"."""
    first, last = clause
    for day in find_dates(document.text[first:last], day_first=document.day_first):
        before = document.text[max(first, first + day.start - 50) : first + day.start]
        if len(day.normal) == _DAY and lexicon.near("begins").search(before):
            return replace(day, start=day.start + first, end=day.end + first)
    return None


def notice_periods(document: DocumentText, beside: Sequence[ProposedValue]) -> list[ProposedValue]:
    """The durations that are notice of an ending, best first, with those `beside` its phrases."""
    kept = []
    for one in beside:
        sentence = document.text[slice(*document.sentence(one.start, one.end))]
        of_else = lexicon.compiled("@=of_else@").search(sentence)
        if not of_else or lexicon.compiled("@=ending@").search(sentence):
            kept.append(one)
    found = [*kept, *cued(document, "notice period", document.durations)]
    return sorted(found, key=lambda proposal: -proposal.score)


def renewal_terms(document: DocumentText) -> list[ProposedValue]:
    """How long an agreement goes on each time that it renews, with the notice that ends this."""
    notice = next(iter(cued(document, "renewal notice", document.durations)), None)
    return [
        replace(one, notes=(f"notice {notice.text}",)) if notice else one
        for one in cued(document, "renewal", document.durations)
    ]


def governing_law(document: DocumentText) -> list[ProposedValue]:
    """The places whose law governs, from the clauses that say so, surest first."""
    text, found = document.text, []
    for rank, law in enumerate(lexicon.content()["laws"]):
        for match in lexicon.compiled(law).finditer(text):
            place = _law_of(text, match)
            if place is None or lexicon.compiled("@law_of_others@").search(match[0]):
                continue
            first, last = document.sentence(*match.span())
            ends = lexicon.near("clause_ends")
            lead = ends.split(text[first : match.start()])[-1]
            clause = lead + match[0] + ends.split(text[match.end() : last])[0]
            named = lexicon.compiled("@law_of_this@").search(clause) is not None
            said = named or len(lead.split()) < _BARE
            if rank in _LAW_FIRST:  # "any law but the law of France governs"
                said = said and lexicon.near("leading").match(lead) is not None
            if lexicon.near("finished").search(text[match.start() : place.start]):
                continue
            around = document.before(match.start(), 260) + match[0]
            score = 0.95 - 0.1 * min(rank, 3)
            score -= 0.15 * (not lexicon.compiled("@law_of_this@").search(around))
            score += 0.05 * bool(lexicon.compiled("@law_head@").search(around))
            one = ProposedValue((place,), match.start(), place.end, score, outright=said)
            found.append(one)
    return sorted(found, key=lambda proposal: (-proposal.score, proposal.start))


def _law_of(text: str, match: regex.Match[str]) -> Reading | None:
    """The place of a clause, of "the United States and the State of Ohio" the second."""
    if match.capturesdict().get("law"):
        return _placed(Reading(match.start("law"), match.end("law"), match["law"], match["law"]))
    place = _place_from(text, match.start("place"))
    if place is not None and len(match["place"].split()[-1]) > 1:  # "PRC Laws" names the PRC
        place = place_at(text, place.start, match.end("place"))
        place = place and _placed(place)
    if place is not None and place.normal.startswith("United States"):
        state = lexicon.compiled(_FEDERAL).match(text, place.end)
        place = _place_from(text, state.start("place")) if state else place
    return place


def _placed(law: Reading) -> Reading:
    """A law under the name of its place, where it is called by an adjective: "English"."""
    first = {fold(word) for word in law.text.split()}
    for place in lexicon.content()["adjectives"]:
        if first & lexicon.words_of("adjectives", place):
            return replace(law, normal=place)
    return law


def _place_from(text: str, start: int) -> Reading | None:
    """The place behind "the State of"; of "the laws of the Territory" there is none."""
    lead = lexicon.compiled("(?:@state_of@)?").match(text, start)
    place = place_at(text, lead.end() if lead else start)
    unnamed = place is None or fold(place.normal) in lexicon.words_of("no_places")
    return None if unnamed else place
