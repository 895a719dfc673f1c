# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read
"""Governing law, the date of a document and its effective date: clauses with words of their own. Pure."""

from __future__ import annotations

import regex

from corpus_agent.fields.names import place_at
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue, Reading

_HEAD = 9_000  # characters of a document in which it says its own date

_GOVERNED = r"(?:govern(?:ed|s|ing)?|constru(?:ed|e)|interpret(?:ed)?|enforced?|controlled|subject\s+to|determined|resolved)"
_OF_PLACE = r"(?:the\s+|said\s+)?(?:(?i:state|commonwealth|province|republic|kingdom|federal\s+republic|canton)\s+of\s+)?(?:the\s+)?"
_LAWS = r"(?:laws?|legislation|statutes)"
_LAW_OF = regex.compile(
    rf"(?is)\b{_GOVERNED}\b(?:(?!\.\s+\p{{Lu}}\p{{Ll}})(?!\n\s*\n).){{0,260}}?\b{_LAWS}(?:\s*\([^()]{{0,100}}\)|,[^,.;]{{0,80}},)?\s+(?:(?:in\s+force|applicable|prevailing|and\s+regulations)\s+)?(?:of|in)\s+(?P<place>{_OF_PLACE}(?-i:\p{{Lu}}))"
)
_LAW_FIRST = regex.compile(
    rf"(?is)\b(?-i:[Tt]he\s+)?{_LAWS}\s+of\s+(?P<place>{_OF_PLACE}(?-i:\p{{Lu}}))[^.;]{{0,160}}?\b(?:govern|appl(?:y|ies|icable)|control)"
)
_NAMED_LAW = regex.compile(
    rf"(?i)(?<![\p{{L}}.])(?P<place>(?-i:\p{{Lu}}[\p{{L}}.]+(?:\s\p{{Lu}}[\p{{L}}.]+){{0,2}}))\s+{_LAWS}\s+(?:shall\s+|will\s+)?(?:govern|appl(?:y|ies)|control)"
)
_SOME_LAW = regex.compile(
    rf"(?is)\b(?:governed\s+(?:by|under)|(?:construed|interpreted)\s+(?:in\s+accordance\s+with|according\s+to|pursuant\s+to|under|by)|subject\s+to|accordance\s+with)\s+(?:and\s+[^.;]{{0,80}}?\s+)?(?:the\s+)?(?P<place>(?-i:\p{{Lu}}[\p{{L}}.]+(?:\s\p{{Lu}}[\p{{L}}.]+){{0,2}}))\s+{_LAWS}\b"
)
_OTHER_TONGUES = regex.compile(
    r"(?is)(?:\b(?:gilt|unterliegt|unterliegen|findet|anwendbar\p{Ll}*|anzuwenden)\b[^.;]{0,100}?\b(?:(?P<law>\p{L}+(?:es|em|e))\s+Recht\b|Rechts?\s+(?:der|des|von|dem)\s+(?P<place>(?-i:\p{Lu})))"
    r"|\b(?:régi|soumis|interprété|droit\s+applicable|loi\s+applicable)\p{Ll}*\b[^.;]{0,100}?\b(?:droit\s+(?P<law>\p{Ll}{4,})|(?:lois?|droit)\s+(?:de\s+la\s+|du\s+|de\s+l['’]|d['’]|de\s+)(?P<place>(?-i:\p{Lu}))|loi\s+(?P<law>\p{Ll}{4,}))"
    r"|\b(?:rige|regirá|regida?o?|sujeto|sujeta|somete)\p{Ll}*\b[^.;]{0,100}?\b(?:leyes?\s+(?:de\s+la\s+|del\s+|de\s+)(?P<place>(?-i:\p{Lu}))|(?:ley|legislación|derecho)\s+(?P<law>\p{Ll}{4,}))"
    r"|\b(?:regolato|disciplinato|retto|soggetto)\p{Ll}*\b[^.;]{0,100}?\blegge\s+(?P<law>\p{Ll}{4,})"
    r"|\b(?P<law>\p{Lu}\p{Ll}+s)\s+recht\s+(?:is\s+)?van\s+toepassing)"
)
_FEDERAL = regex.compile(
    r"(?i)\s*(?:,?\s*and\s+(?:of\s+)?|,\s*)(?P<place>(?:the\s+)?(?:state|commonwealth|province)\s+of\s+(?-i:\p{Lu}))"
)
_UNION = regex.compile(r"(?i)^United States")
_TO_CAPITAL = regex.compile(
    r"(?i)(?:the\s+|said\s+)*(?:(?:state|commonwealth|province|republic|kingdom|federal\s+republic|canton)\s+of\s+)?(?:the\s+)?"
)
_OF_OTHERS = regex.compile(
    r"(?i)\b(?:conflicts?\s+of|organi[sz]ed|incorporated|existing|compliance|comply)\b"
)


def governing_law(document: DocumentText) -> list[ProposedValue]:
    """The places whose law governs, from the clauses that say so."""
    text, found = document.text, []
    for rank, pattern in enumerate((_LAW_OF, _LAW_FIRST, _SOME_LAW, _OTHER_TONGUES, _NAMED_LAW)):
        for match in pattern.finditer(text):
            reading = _law_of(text, match)
            if reading is None or _OF_OTHERS.search(match[0]):
                continue
            score = 0.95 - 0.1 * min(rank, 3) - 0.15 * (not _of_this(document, match))
            score += 0.05 * bool(
                _LAW_HEAD.search(document.text, max(0, match.start() - 250), match.end())
            )
            found.append(ProposedValue((reading,), match.start(), reading.end, score))
    return sorted(found, key=lambda proposal: (-proposal.score, proposal.start))


_LAW_HEAD = regex.compile(
    r"(?i)\b(?:governing|applicable|choice\s+of|controlling|proper)\s+laws?\b|\b(?:anwendbares|geltendes)\s+recht\b|\b(?:droit|loi)\s+applicable|\b(?:ley|derecho|legislación)\s+aplicable"
)
_THIS = regex.compile(
    r"(?i)\b(?:this|the|present|these)\s+(?:[\p{L}-]+\s+){0,3}(?:agreement|contract|lease|licen[cs]e|amendment|deed|policy|terms|note|warranty|document|undertaking|instrument|dispute)\b|governing\s+law|hereof|dieser?\s+vertrag|vertragsverhältnis|contrat|contrato|contratto|overeenkomst"
)


def _of_this(document: DocumentText, match: regex.Match[str]) -> bool:
    """Whether a clause speaks of the document itself."""
    around = document.before(match.start(), 260) + match[0]
    return bool(_THIS.search(around))


def _law_of(text: str, match: regex.Match[str]) -> Reading | None:
    named = match.capturesdict()
    if named.get("law"):
        return Reading(match.start("law"), match.end("law"), match["law"], match["law"])
    if match["place"] is None:
        return None
    reading = _place_from(text, match.start("place"))
    if reading is not None and _UNION.match(reading.normal):
        state = _FEDERAL.match(text, reading.end)
        reading = _place_from(text, state.start("place")) if state else reading
    return reading


def _place_from(text: str, start: int) -> Reading | None:
    """The place behind "the State of"; of "the laws of the Territory" there is none."""
    lead = _TO_CAPITAL.match(text, start)
    reading = place_at(text, lead.end() if lead else start)
    if reading is None or reading.normal in _NO_PLACES:
        return None
    return reading


_NO_PLACES = frozenset(
    ["Territory", "State", "Country", "Jurisdiction", "Nation", "Section", "Article"]
)

_MADE = regex.compile(
    r"(?i)(?:(?:entered\s+into|made|dated|executed|signed|concluded|geschlossen|unterzeichnet|conclu|signé|firmad[oa]|celebrad[oa]|stipulat[oa]|firmat[oa]|sottoscritt[oa]|getekend|ondertekend|assinad[oa])\b[^.;]{0,60}|\b(?:as\s+of|effective(?:\s+on)?|this|on\s+the|date\s+of)\s*(?:the\s+)?)$"
)
_MADE_BEHIND = regex.compile(r"(?i)\s*(?:(?:ab)?geschlossen|unterzeichnet|unterschrieben)\b")
_LABEL = regex.compile(
    r"(?i)\b(?:date|dated|datum|fecha|data|effective\s+date|agreement\s+date)\s*(?:[:：.-]|of\s+(?:this\s+)?agreement\s*:?)\s*$"
)
_DEFINED = regex.compile(
    r"(?i)^[\s,)]*\(\s*(?:the\s+)?[“\"„']?\s*(?:effective\s+date|agreement\s+date|execution\s+date|signing\s+date|commencement\s+date|date\s+of\s+(?:this\s+)?agreement)"
)
# What is said before a date that is another document's, or the end of something.
_ANOTHERS = regex.compile(
    r"(?i)\b(?:that\s+certain|amended|pursuant\s+to|filed|registration|supersedes?|original|prior|under\s+(?:the|an?)|whereas|ha(?:s|ve|d)\s+(?:\p{L}+\s+)?(?:entered|executed|made|signed)|which|entered\s+into\s+(?:an?|the|that)(?!\s+date)|letter|in\s+effect|until|through|end(?:ing|s)|conclude|expires?|terminates?|commence|endet|enden|läuft|bis(?:\s+zum)?|beginnt|(?:se\s+)?termine|expire|prend\s+(?:fin|effet)|finaliza|vence|termina|scade|eindigt|by\s+and\s+between|plan\s+of|(?:to|under|of)\s+(?:the|that|an?)\s+(?-i:(?:\p{Lu}[\p{L}&-]*\s+|and\s+){1,6}Agreement))\b[^.;]{0,110}$"
)
# The place of a date that nobody filled in: "this ___ day of", "dated as of [●]".
_BLANK = regex.compile(
    r"(?i)\b(?:as\s+of|dated|this|on|the)\b[^.;\n\p{L}]{0,12}(?:_{2,}|\[[^\]\p{L}\p{N}]{0,8}\])|\b(?:this|the|as\s+of)\s{1,12}day\s+of\s*(?:,|_{2,}|\[)|\bday\s+of\s*(?:,|_{2,}|\[)|\b(?:as\s+of|dated|this|on)\s+(?:the\s+)?\p{Lu}\p{Ll}{2,8}\s*(?:_{2,}|\[)|\b(?-i:\p{Lu}\p{Ll}{2,8})\s*_{2,},?\s*(?:19|20)\d\d\b"
)
_EFFECTIVE = regex.compile(
    r"(?i)\beffective\s*(?:as\s+of|from|on|date\s*(?:of|is|means|shall\s+(?:be|mean)|[:：”\"]+\s*(?:is|means|shall\s+(?:be|mean))?)?)?[\s:,“”\"]*(?:the\s+)?$"
)
_EFFECTIVE_DEFINED = regex.compile(
    r"(?i)^[\s,)]*\(?\s*(?:the\s+|hereinafter\s+(?:the\s+)?)?[“\"„']?\s*(?:effective\s+date|commencement\s+date)"
)
_SIGNED = regex.compile(
    r"(?i)\b(?:date|dated|datum|fecha|data)\s*(?:signed)?\s*[:：.]?\s*_*\s*$|\bsigned\s+at\b[^.;]{0,160}\b(?:on|this)\s+(?:the\s+|this\s+)?$"
)
_SIGNATURE = regex.compile(
    r"(?i)/s/|\bby\s*:|\bsignatures?\b|\bname\s*:|\btitle\s*:?|\bsigned\b|\bunterschrift|\bfirma\b"
)
_SIGNATURES = 3_000  # characters over which one set of signatures runs


def document_date(document: DocumentText) -> list[ProposedValue]:
    """When the document was made, from its opening; else from its first signatures.

    None where it leaves the place of its date blank: a form says no date.
    """
    blank = _BLANK.search(document.text, 0, _HEAD)
    found = []
    for reading in document.dates:
        if reading.start > _HEAD:
            break
        score = _opening_score(document, reading) - reading.start / 40_000
        score -= 0.3 * (len(reading.normal) < len("2024-03-12"))
        found.append(ProposedValue((reading,), reading.start, reading.end, score))
    found = sorted(found, key=lambda proposal: -proposal.score)
    best = next((one for one in found if one.score >= 0.5), None)
    if best is None:
        return [] if blank else _signed(document)
    if blank and blank.start() < best.start:
        return []
    return [one for one in found if one.start == best.start]


def _opening_score(document: DocumentText, reading: Reading) -> float:
    before, behind = document.before(reading.start, 140), document.after(reading.end, 60)
    score = 0.0
    if _MADE.search(before):
        score = 0.8 if _EFFECTIVE.search(before) else 0.9
    elif _MADE_BEHIND.match(behind):
        score = 0.9
    elif _LABEL.search(before) or _DEFINED.match(behind):
        score = 0.85
    elif _is_line(document, reading) and document.line_at(reading.start) <= 25:
        score = 0.65
    return score - (0.5 if _ANOTHERS.search(before) else 0.0)


def _is_line(document: DocumentText, reading: Reading) -> bool:
    """Whether a date has a line for itself, with a place before it at most: "Leeds, 3 May 2024".

    Behind a label it is what that says.
    """
    start, end = document.line_span(reading.start)
    rest = document.text[start : reading.start] + document.text[reading.end : end]
    return len(rest.split()) <= 4 and ":" not in rest


def _signed(document: DocumentText) -> list[ProposedValue]:
    """The latest date of the first set of signatures."""
    signed = [
        one
        for one in document.dates
        if len(one.normal) == len("2024-03-12")
        and _SIGNED.search(document.before(one.start, 200))
        and _SIGNATURE.search(document.before(one.start, 240))
    ]
    together = [one for one in signed if one.start - signed[0].start <= _SIGNATURES]
    latest = max(together, key=lambda one: one.normal, default=None)
    return [
        ProposedValue((one,), one.start, one.end, 0.5)
        for one in together
        if latest is not None and one.start == latest.start
    ]


def effective_date(document: DocumentText) -> list[ProposedValue]:
    """The date that the document calls effective."""
    found = []
    for reading in document.dates:
        before, behind = document.before(reading.start, 60), document.after(reading.end, 40)
        defined = bool(_EFFECTIVE_DEFINED.match(behind))
        if defined or (_EFFECTIVE.search(before) and not _ANOTHERS.search(before)):
            score = 0.75 + 0.2 * defined - min(0.15, reading.start / 100_000)
            found.append(ProposedValue((reading,), reading.start, reading.end, score))
    return sorted(found, key=lambda proposal: -proposal.score)
