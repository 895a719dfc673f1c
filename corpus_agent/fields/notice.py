"""How much notice ends a contract, where no label says so: "two months' notice". Pure.

Notice of something else (a meeting, an inspection, a higher price) is none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import regex

from corpus_agent.fields.amounts import find_durations
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue
from corpus_agent.text.dates import near

_NOTICE = regex.compile(
    r"(?i)(?<!\p{L})(?:notice|frist|gekündigt|kündigen|kündbar|préavis|preaviso|antelación|antelação|antecedência|aviso|preavviso|anticipo|opzegtermijn|opzegging|opgezegd|opzeggen|advance|terme)(?!\p{L})"
)
# What stands between the duration and the word: "two months' prior written notice".
_BEHIND = regex.compile(
    r"(?i)^(?:[’']s?)?(?:\s*,?\s*(?:clear|full|prior|previous|advance|written|in|writing|formal|calendar|days?[’']?|of|at|least|no|less|than|and|de|di|con|van|prévio|previo|scritto|escrito|schriftliche[rn]?|schriftlich|vor(?:her)?|mit|im|voraus|einer|der))*\s*(?P<word>notice|préavis|preaviso|antelación|antelação|antecedência|aviso(?:\s+prévio)?|preavviso|anticipo|opzegtermijn|(?:in\s+)?advance)(?!\p{L})"
)
# What leads from the word to the duration: "notice of at least two months", "mit einer Frist von".
_AHEAD = regex.compile(
    r"(?i)(?<!\p{L})(?:(?:written|prior|advance)\s+)*(?:notice(?:\s+(?:in\s+writing|period))?|(?:mit|unter\s+einhaltung)\s+einer\s+frist|préavis|preaviso|preavviso|opzegtermijn|aviso\s+prévio|antelación|antecedência)(?:\s+(?:of|to|is|be|not|no|less|shorter|than|at|least|von|mindestens|de|d['’]au|moins|al|menos|di|almeno|van|ten|minste|pelo|écrit|escrito|scritto))*\s*$"
)
_ENDING = regex.compile(
    r"(?i)(?<!\p{L})(?:terminat\p{Ll}*|cancel\p{Ll}*|quit|leave|leaving|vacate|resign\p{Ll}*|end(?:s|ed|ing)?|either|break|withdraw\p{Ll}*|kündig\p{Ll}*|gekündigt|kündbar|beend\p{Ll}*|résili\p{Ll}*|dénonc\p{Ll}*|quitter|mettre\s+fin|congé|rescind\p{Ll}*|resolver|terminar|desist\p{Ll}*|baja|reced\p{Ll}*|recesso|disd\p{Ll}*|opzeg\p{Ll}*|opgezegd|beëindig\p{Ll}*|denunci\p{Ll}*|cessar)(?!\p{L})"
)
_OF_ELSE = regex.compile(
    r"(?i)(?<!\p{L})(?:meetings?|inspect\p{Ll}*|inspection|enter|entry|visit\p{Ll}*|viewings?|cure|remed\p{Ll}*|breach|default|increas\p{Ll}*|rais\p{Ll}*|chang\p{Ll}*|amend\p{Ll}*|hearing|shutdown|maintenance|delivery|audit|mieterhöhung|erhöh\p{Ll}*|besichtig\p{Ll}*|versammlung|betreten|einlad\p{Ll}*|visite|réunion|assemblée|augment\p{Ll}*|reunión|asamblea|visita|aument\p{Ll}*|subida|riunione|assemblea|vergadering|bezichtiging|huurverhoging|reunião|assembleia|vistoria)(?!\p{L})"
)
_GIVEN, _UNSAID = 0.86, 0.7  # with a word for an ending in its sentence, and without one


def notice_periods(document: DocumentText, beside: Sequence[ProposedValue]) -> list[ProposedValue]:
    """The durations that are notice of an ending, best first, with those `beside` its phrases."""
    text = document.text
    found = [
        each
        for each in beside
        if not _is_of_else(text[slice(*document.sentence(each.start, each.end))])
    ]
    for first, last in near(_NOTICE, text, 120, 120):
        for reading in find_durations(text[first:last]):
            start, end = reading.start + first, reading.end + first
            behind = _BEHIND.match(" ".join(text[end : end + 80].split()))
            ahead = _AHEAD.search(" ".join(text[max(0, start - 80) : start].split()))
            if not (behind or ahead):
                continue
            begin, stop = document.sentence(start, end)
            if _is_of_else(text[begin:stop]):
                continue
            moved = replace(reading, start=start, end=end)
            said = _GIVEN if _ENDING.search(text, begin, stop) else _UNSAID
            score = said - start / 1_000_000
            found.append(ProposedValue((moved,), begin, stop, score))
    return sorted(found, key=lambda proposal: -proposal.score)


def _is_of_else(sentence: str) -> bool:
    return _ENDING.search(sentence) is None and _OF_ELSE.search(sentence) is not None
