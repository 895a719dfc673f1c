"""Whether a value holds: its quotation is looked up and shows it, and nothing makes it doubtful."""

from __future__ import annotations

import regex

from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.records import Citation
from corpus_agent.fields import lexicon
from corpus_agent.fields.amounts import loses_its_sign
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import FieldType, FieldValue, ProposedValue
from corpus_agent.text.dates import Reading
from corpus_agent.text.tokens import fold

_AMOUNTS: tuple[FieldType, ...] = ("money", "percent", "rate", "number")
_MINUS = regex.compile(r"(?<![\p{L}\p{N}])[-−]\s?(?=(?:\p{Sc}|[A-Z]{3})?\s?\d)")


def checked_value(
    document: DocumentText, proposal: ProposedValue, doubt: str = ""
) -> FieldValue | None:
    """The value with its quotations; None if one does not stand in the document or shows it not."""
    span, citations = (proposal.start, proposal.end), list[Citation]()
    for n, each in enumerate((span, *proposal.also), start=1):
        citation = quoted_span(document, n, each)
        if citation is None:
            return None
        citations.append(citation)
    if not proposal.computed and not all(
        span[0] <= reading.start
        and reading.end <= span[1]
        and shows(document, citations[0], reading)
        for reading in proposal.readings
    ):
        return None
    return FieldValue(
        proposal.text, proposal.normal, tuple(citations), proposal.computed, doubt, proposal.notes
    )


_BEHIND = 90  # characters of the same sentence behind a value that may turn it
_NEAR = 60  # characters before it in which a denial is one of the value
_TITLE = 300  # characters of a document in which it calls itself a draft
_QUOTE_ENDS = regex.compile(r"[^“”„«»\"\n]*[”“»\"]")
_LED = 3  # words before a statement that lead to it from elsewhere
_SHORT_QUOTE = 4  # words: a defined term, and no quotation


def doubt_of(document: DocumentText, value: Reading, kind: FieldType) -> str:
    """Why a value does not count though its sentence has it; "" where nothing speaks against it."""
    if kind in _AMOUNTS and loses_its_sign(document.written, value):
        return "it may be below zero"
    first, last = document.sentence(value.start, value.end)
    before, behind = document.text[first : value.start], document.text[value.end : last]
    contrast = lexicon.near("contrast")
    before, behind = contrast.split(before)[-1], contrast.split(behind)[0]
    ends, bound = lexicon.near("clause_ends"), lexicon.compiled("@=bound@")
    clause = bound.sub(" ", ends.split(before)[-1])
    rest = ends.split(behind)[0][:_BEHIND].lstrip(" \n,(")
    said = {
        "title": document.text[:_TITLE],
        "above": document.heading_above(value.start) + document.row_at(value.start),
        "sentence": f"{before}{value.text}{behind}",
        "clause": clause,
        "near": clause[-_NEAR:],
        "behind": rest,
        "value": f"{clause[-_NEAR:]}{value.text}",
    }
    for cue in lexicon.content()["doubt"]:
        if kind in cue.get("of", kind) and lexicon.fits(cue, said.__getitem__):
            return str(cue["why"])
    opened = before.count('"') % 2 or max(map(before.rfind, "“„«")) > max(map(before.rfind, "”»"))
    closed = _QUOTE_ENDS.match(behind) if opened else None
    start, end = document.line_span(value.start)
    if document.text[start:end].lstrip().startswith(">"):
        return "a quotation"
    if closed is None:
        return ""
    quoted = before[max(map(before.rfind, '"“„«')) + 1 :] + value.text + closed[0]
    return "a quotation" if len(quoted.split()) > _SHORT_QUOTE else ""


def stated_outright(document: DocumentText, proposal: ProposedValue) -> bool:
    """Whether a statement begins its clause: "The rent is", and not "He wrote that the rent is"."""
    first, _ = document.sentence(proposal.start, proposal.end)
    led = lexicon.near("clause_ends").split(document.text[first : proposal.start])[-1]
    own = lexicon.words("articles") | lexicon.words("patterns", "this")
    return sum(word not in own for word in regex.findall(r"\p{L}+", fold(led))) < _LED


def quoted_span(document: DocumentText, n: int, span: tuple[int, int]) -> Citation | None:
    """The sentences of a span as a quotation looked up, else its lines and those around."""
    if not 0 <= span[0] < span[1] <= len(document.written):
        return None
    around = (document.lines_around(*span, beside) for beside in (0, 1, 3))
    for start, end in (document.sentence(*span), *around):
        quote, line = document.written[start:end], document.line_at(start)
        if quote in document.unquotable:
            continue
        citation = check_quotation(document, n, document.source, quote, line, elsewhere=False)
        if citation.stands:
            return citation
        document.unquotable.add(quote)
    return None


def shows(document: DocumentText, citation: Citation, reading: Reading) -> bool:
    """Whether a value stands at its place in the document as it is read, and in its quotation."""
    there = _letters(document.written[reading.start : reading.end])
    return bool(there) and there == _letters(reading.text) and there in _letters(citation.quote)


def _letters(text: str) -> str:
    """The letters and figures of a text without mark-up, with "⁻" for the minus of an amount."""
    return "".join(each for each in _MINUS.sub("⁻", text) if each.isalnum() or each == "⁻")
