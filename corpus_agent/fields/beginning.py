"""When an agreement begins, where no label says so: "the term runs from 1 April 2024 to". Pure."""

from __future__ import annotations

import regex

from corpus_agent.fields.clauses import effective_date
from corpus_agent.fields.expiry import is_about_the_term, period_from
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue

_RUNS_FROM = regex.compile(
    r"(?i)(?<!\p{L})(?:runs?|running|lasts?|valid|in\s+(?:full\s+)?force|läuft|gilt|dauert|gültig|court|dure|valable|en\s+vigueur|corre|dura|vigente|vale|valido|loopt|geldt|geldig|vigora|válid[oa])(?!\p{L})(?:\s+for\s+[^.;,]{1,40})?,?\s+(?:initially\s+)?(?:from|as\s+of|since|vom|ab|von|seit|du|dès|à\s+(?:partir|compter)\s+du|depuis|del?|desde|a\s+partir\s+del?|dal|van|vanaf)\s+(?:(?:and\s+including|the|dem|le|el|il)\s+)*$"
)
_SURE = 0.85


def beginning(document: DocumentText) -> list[ProposedValue]:
    """The day that a document calls its effective date; else the one from which its term runs."""
    called = effective_date(document)
    if called:
        return called
    found = []
    for reading in document.dates:
        before = document.before(reading.start, 160)
        runs = _RUNS_FROM.search(before) and is_about_the_term(document, reading, before)
        if len(reading.normal) == len("2024-03-12") and (runs or period_from(document, reading)):
            first, last = document.sentence(reading.start, reading.end)
            score = _SURE - reading.start / 1_000_000
            found.append(ProposedValue((reading,), first, last, score))
    return found
