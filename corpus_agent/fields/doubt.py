"""Why a value does not count though its sentence has it: denied, conditional, quoted. Pure."""

from __future__ import annotations

import regex

from corpus_agent.fields import lexicon
from corpus_agent.fields.lexicon import Field
from corpus_agent.fields.page import DocumentText, FieldValue

_BEHIND = 90  # characters of the same sentence behind a value that may turn it
_AROUND = 8  # lines on either side of a figure that say what it is of
_NEAR = 60  # characters before it in which a denial is one of the value
_TITLE = 300  # characters of a document in which it calls itself a draft
_SIGN = 24  # characters on either side of an amount in which its sign stands
# Emphasis, escapes and what nobody sees stand between a sign and its amount, and change nothing.
_MARKS = regex.compile(r"[*_`\\]|\p{Cf}")
_QUOTE_ENDS = regex.compile(r"[^“”„«»\"\n]*[”“»\"]")
_SHORT_QUOTE = 4  # words: a defined term, and no quotation


def doubt_of(document: DocumentText, proposal: FieldValue, field: Field) -> str:
    """Why a value does not count though its sentence has it; "" where nothing speaks against it."""
    value = proposal.readings[0]
    first, last = document.sentence(value.start, value.end)
    before, behind = document.text[first : value.start], document.text[value.end : last]
    contrast = lexicon.near("contrast")
    before, behind = contrast.split(before)[-1], contrast.split(behind)[0]
    ends, bound = lexicon.near("clause_ends"), lexicon.compiled("@=bound@")
    clause = bound.sub(" ", lexicon.near("aside").sub(" ", ends.split(before)[-1]))
    rest = ends.split(behind)[0][:_BEHIND].lstrip(" \n,([")
    said = {
        "title": document.text[:_TITLE],
        "above": document.heading_above(value.start) + document.row_at(value.start),
        "sentence": f"{before}{value.text}{behind}",
        "clause": clause,
        "near": clause[-_NEAR:],
        "behind": rest,
        "around": document.text[slice(*document.lines_around(value.start, value.end, _AROUND))],
        "value": f"{clause[-_NEAR:]}{value.text}",
        "lead": document.text[document.line_span(value.start)[0] : value.start],
        "column": document.column_at(value.start),
        "asked": field.name,
        "normal": value.normal,
        "led": _MARKS.sub("", document.written[max(0, value.start - _SIGN) : value.start]),
        "followed": _MARKS.sub("", document.written[value.end : value.end + _SIGN]),
    }
    for cue in lexicon.content()["doubt"]:
        if field.type in cue.get("of", field.type) and lexicon.fits(cue, said.__getitem__):
            return str(cue["why"])
    opened = before.count('"') % 2 or max(map(before.rfind, "“„«")) > max(map(before.rfind, "”»"))
    closed = _QUOTE_ENDS.match(behind) if opened else None
    at = max(map(before.rfind, '"“„«'))
    quoted = before[at + 1 :] + value.text + closed[0] if closed else ""
    if len(quoted.split()) > _SHORT_QUOTE and not lexicon.near("reads_now").search(before[:at]):
        return "a quotation"
    return proposal.doubt
