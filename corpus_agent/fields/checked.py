"""Whether a value of a document holds: its quotation is looked up, and shows it.

Called by table.py and timeline.py for every value that they show, whoever proposed it.
"""

from __future__ import annotations

import regex

from corpus_agent.answering.comparable import without_markup
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.records import Citation
from corpus_agent.fields.amounts import loses_its_sign
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import FieldType, FieldValue, ProposedValue
from corpus_agent.text.values import Reading

_AMOUNTS: tuple[FieldType, ...] = ("money", "percent", "rate", "number")
_MINUS = regex.compile(r"(?<![\p{L}\p{N}])[-−]\s?(?=(?:\p{Sc}|[A-Z]{3})?\s?\d)")


def checked_value(
    document: DocumentText, proposal: ProposedValue, kind: FieldType
) -> FieldValue | None:
    """The value with its quotations; None if one does not stand in the document or shows it not.

    Also where the document has an amount with a minus that the value has not, or may have one.
    A computed value stands nowhere: it follows from its quotations.
    """
    if kind in _AMOUNTS and any(loses_its_sign(document.written, one) for one in proposal.readings):
        return None
    span, citations = (proposal.start, proposal.end), []
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
    return FieldValue(proposal.text, proposal.normal, tuple(citations), proposal.computed)


def quoted_span(document: DocumentText, n: int, span: tuple[int, int]) -> Citation | None:
    """The sentences of a span as a quotation that was looked up, else its lines and those around.

    A sentence may have been cut where a line ends; with the lines around it nothing is left out.
    """
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
    there = document.written[reading.start : reading.end]
    return _letters(there) == _letters(reading.text) and shown_in(there, citation.quote)


def shown_in(value: str, quote: str) -> bool:
    """Whether the words of a value stand in a quotation, with any blanks and mark-up in them.

    A quotation begins and ends with a character that counts, so a value may begin or end with
    mark-up that it lacks.
    """
    words, quoted = (" ".join(text.split()) for text in (value, quote))
    if words and words in quoted:
        return True
    pairs = ((_bare(value, linked), _bare(quote, linked)) for linked in (False, True))
    return any(bare and bare in of_quote for bare, of_quote in pairs)


def _bare(text: str, linked: bool) -> str:
    """The letters and figures of a text without its mark-up."""
    return _letters("".join(without_markup(line, linked) for line in text.split("\n")))


def _letters(text: str) -> str:
    """The letters and figures of a text, with "⁻" for the minus of an amount."""
    return "".join(each for each in _MINUS.sub("⁻", text) if each.isalnum() or each == "⁻")
