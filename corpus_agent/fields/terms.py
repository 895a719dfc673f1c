"""Dates, terms and laws in sentences: one reader, whose cues stand in the lexicon. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter

import regex

from corpus_agent.fields import lexicon
from corpus_agent.fields.page import NOT_OUTRIGHT, DocumentText, FieldValue
from corpus_agent.fields.parties import place_at
from corpus_agent.text.dates import Reading, add_duration
from corpus_agent.text.sentences import refers_back
from corpus_agent.text.tokens import fold

_BEFORE, _BEHIND = 320, 120  # characters beside a value in which its cues stand
_HEAD = 9_000  # characters of a document in which it says its own date
_TOP, _TITLE = 2_000, 300  # characters at the beginning of a document, which say what it is
_LEAST = 0.75  # score of a value that is stated, and needs no computing
_NO_DAY = 0.3  # less for a month alone
_DAY = len("2024-03-12")
_SIGNATURES = 3_000  # characters over which one set of signatures runs
# Not within a day: "1. April 2024".
_SENTENCE = regex.compile(
    r"(?<=[\p{Ll}\p{N})\"”])[.;]\s+(?=(?:\d+(?:\.\d+)+\.?\s+)?[\p{Lu}(\"“§])(?!\p{Lu}\p{Ll}{2,12}\s+(?:19|20)\d\d)"
)
_BARE = 3  # with fewer words before "is governed by", nothing else is what is governed
_LAW_FIRST = (1, 4)  # by their order in the lexicon, those of "the laws of Ohio govern"


def _around(document: DocumentText, value: Reading) -> dict[str, str]:
    """The texts around a value in which its cues are looked for.

    The clause of a date begins with the sentence before, where "it" refers to that.
    """
    text, (start, end) = document.text, document.line_span(value.start)
    before = document.before(value.start, _BEFORE).rstrip("_")
    clause = _SENTENCE.split(before)[-1]
    if value.normal[:1] != "P" and refers_back(clause):
        led = before.removesuffix(clause).rstrip(" .;")
        clause = f"{_SENTENCE.split(led)[-1]} {clause}"
    return {
        "before": before,
        "behind": document.after(value.end, _BEHIND),
        "clause": clause,
        "sentence": text[slice(*document.sentence(value.start, value.end))],
        "title": text[:_TOP].lstrip()[:_TITLE],
        "line": text[start : value.start] + text[value.end : end],
    }


def _is_about_the_document(document: DocumentText, value: Reading, clause: str) -> bool:
    """Whether a clause, or a heading above it, speaks of the term of the document."""
    if lexicon.near("subject").search(clause) or refers_back(clause):
        return True
    return lexicon.near("heading").search(document.heading_above(value.start)) is not None


def cued(
    document: DocumentText, field: str, values: Iterable[Reading], later: float = 1e-6
) -> list[FieldValue]:
    """The values that a cue of a field leads to, best first; each character costs `later`."""
    cues = [cue for cue in lexicon.content()["cue"] if cue["field"] == field]
    found = []
    for value in values:
        around = _around(document, value)
        fitting = (cue for cue in cues if lexicon.fits(cue, around.__getitem__))
        about = (
            cue["score"]
            for cue in fitting
            if "of" not in cue or _is_about_the_document(document, value, around["clause"])
        )
        if score := max(about, default=0.0):
            month_alone = value.normal[:1].isdigit() and len(value.normal) < _DAY
            score -= value.start * later + _NO_DAY * month_alone
            span = document.sentence(value.start, value.end)
            found.append(FieldValue((value,), *span, score))
    return sorted(found, key=lambda proposal: -proposal.score)


def document_date(document: DocumentText) -> list[FieldValue]:
    """When the document was made, from its opening; else from its first signatures."""
    blank = lexicon.document("blank").search(document.text, 0, _HEAD)
    entries = lexicon.words_of("no_columns")  # of a sheet each row has a date
    head = [one for one in document.dates if one.start <= _HEAD]
    head = [one for one in head if fold(document.column_at(one.start)) not in entries]
    found = [one for one in cued(document, "made", head, 1 / 40_000) if one.score >= 0.5]
    if not found:
        return [] if blank else _signed(document)
    first = found[0].readings[0].start
    if blank and blank.start() < first:
        return []
    return [one for one in found if one.readings[0].start == first]


def _signed(document: DocumentText) -> list[FieldValue]:
    """The latest date of the first set of signatures."""
    signed = [
        one
        for one in document.dates
        if len(one.normal) == _DAY
        and lexicon.near("signed").search(document.before(one.start, 200))
        and lexicon.near("signature").search(document.before(one.start, 240))
    ]
    together = [one for one in signed if one.start - signed[0].start <= _SIGNATURES]
    latest = max((one.normal for one in together), default="")
    return [FieldValue((o,), o.start, o.end, 0.5) for o in together if o.normal == latest][:1]


def beginning(document: DocumentText) -> list[FieldValue]:
    """The day that a document calls its effective date, else the one from which its term runs."""
    found = cued(document, "effective date", document.dates, 1e-5)
    says = None if found and found[0].score >= _LEAST else _begins_when_made(document)
    if says is None:
        return found
    made = document_date(document)
    if lexicon.near("by_signatures").search(says[0]):  # whoever signs last, but not before that
        made = sorted((*made, *_signed(document)), key=attrgetter("normal"))[-1:]
    return [replace(one, also=(says.span(),)) for one in made] or found


def _begins_when_made(document: DocumentText) -> regex.Match[str] | None:
    """Where a document says that it begins on the day on which it is made or signed."""
    every = lexicon.document("begins_when_made").finditer(document.text)
    said = ((one, document.text[slice(*document.sentence(*one.span()))]) for one in every)
    return next((one for one, whole in said if not lexicon.near("copies").search(whole)), None)


def expiry(document: DocumentText) -> list[FieldValue]:
    """The day on which an agreement ends, as written or computed; [] if it has none."""
    every = cued(document, "expiry", (*_year_ends(document), *document.dates))
    if stated := [one for one in every if one.score >= _LEAST]:
        return stated
    relative = cued(document, "relative end", document.durations)[:1]
    counted = list(_counted(document))[:1]
    return counted or [replace(one, doubt="from a day that is not stated") for one in relative]


def _year_ends(document: DocumentText) -> Iterator[Reading]:
    """The last days of years: "until the end of 2026"."""
    for match in lexicon.document("year_end").finditer(document.text):
        plain = " ".join(match["end"].split())
        yield Reading(match.start("end"), match.end("end"), plain, f"{match['year']}-12-31")


def _counted(document: DocumentText) -> Iterator[FieldValue]:
    """The ends of terms that are counted from the day on which the agreement begins, best first."""
    begins, made = beginning(document), document_date(document)
    if not begins and lexicon.document("effective_date").search(document.text) is None:
        begins = made  # else it begins on the day of an event
    for term in cued(document, "term", document.durations):
        counted = document.after(term.readings[0].end, _BEHIND)
        dates = made if lexicon.near("from_its_date").search(counted) and made else begins
        dates = [one for one in dates if term.start <= one.start < term.end] or dates
        if term.score < _LEAST or len({one.normal for one in dates}) != 1:
            continue
        day = dates[0]
        if end := add_duration(day.normal, term.normal):
            written = f"{term.text} from {day.text}: until {end}"
            value = replace(term.readings[0], text=written, normal=end)
            yield replace(term, readings=(value,), also=((day.start, day.end),), computed=True)


def dated(document: DocumentText) -> list[FieldValue]:
    """Every day that a document names, once a sentence, with its column and whose year it is."""
    made = next((one.readings[0] for one in document_date(document)), None)
    every = [*((reading, "") for reading in document.dates), *document.dates_of(made)]
    times = Counter(reading.start for reading, _ in every)
    found = dict[tuple[str, tuple[int, int]], FieldValue]()
    for day, year_from in every:
        if day.start >= document.matter[1]:
            notes = document.column_at(day.start), year_from
            either = "the day and the month may be the other way round" * (times[day.start] > 1)
            one = FieldValue((day,), day.start, day.end, 1.0, notes=notes, doubt=either)
            found.setdefault((day.normal, document.sentence(day.start, day.end)), one)
    return list(found.values())


def governing_law(document: DocumentText) -> list[FieldValue]:
    """The places whose law governs, from the clauses that say so, surest first."""
    text, found, not_it = document.text, [], lexicon.compiled("@law_of_others@|@finished@")
    for rank, law in enumerate(lexicon.content()["laws"]):
        for match in lexicon.compiled(law).finditer(text):
            adjective = match.groupdict().get("law")
            place = None if adjective else _place_from(text, match.start("place"))
            if adjective:
                place = Reading(*match.span("law"), adjective, adjective)
            if place is None or not_it.search(text[match.start() : place.start]):
                continue
            first, last = document.sentence(*match.span())
            ends = lexicon.near("clause_ends")
            lead = ends.split(text[first : match.start()])[-1]
            clause = lead + match[0] + ends.split(text[match.end() : last])[0]
            named = lexicon.compiled("@law_of_this@").search(clause) is not None
            said = named or len(lead.split()) < _BARE
            if rank in _LAW_FIRST:  # "any law but the law of France governs"
                said = said and lexicon.near("leading").match(lead) is not None
            score = 0.95 - 0.1 * min(rank, 3) - 0.15 * (not named)
            doubt = "" if said else NOT_OUTRIGHT
            place = replace(place, normal=law_called(place.text) or place.normal)
            one = FieldValue((place,), match.start(), place.end, score, doubt=doubt)
            found.append(one)
    return sorted(found, key=lambda proposal: (-proposal.score, proposal.start))


def law_called(words: str) -> str | None:
    """The place whose law is called so by an adjective, as "English"; None where none is."""
    first = {fold(word) for word in words.split()}
    known = lexicon.content()["adjectives"]
    return next((one for one in known if first & lexicon.words_of("adjectives", one)), None)


def _place_from(text: str, start: int) -> Reading | None:
    """The place behind "the State of"; of "the laws of the Territory" there is none."""
    lead = lexicon.compiled("(?:@state_of@)?").match(text, start)
    place = place_at(text, lead.end() if lead else start)
    of_thing = place and lexicon.near("of_thing").match(text, place.end)  # "of the Low contract"
    unnamed = place is None or of_thing or fold(place.normal) in lexicon.words_of("no_places")
    return None if unnamed else place
