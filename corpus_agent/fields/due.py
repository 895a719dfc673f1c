# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read
"""When an invoice is due that names no day: "due within 30 days", counted from its date. Pure.

Computed, and said so. Days from receipt, or to the end of a month, have no day.
"""

from __future__ import annotations

import regex

from corpus_agent.fields.amounts import find_durations
from corpus_agent.fields.clauses import document_date
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue
from corpus_agent.text.dates import add_duration
from corpus_agent.text.values import Reading

_TITLE = 120  # characters at the beginning of a document, which say that it is an invoice
_HEAD_LINES = 12  # in which the date of an invoice stands
_INVOICE = regex.compile(
    r"(?<!\p{L})(?:(?i:invoice|\p{L}{0,20}rechnung|facture|factura|fattura|factuur|fatura)|bill)(?!\p{L})"
)
# With a capital it may be a person: the word stands in a heading, or before what a bill has.
_BILL = regex.compile(
    r"(?m)^[^\p{L}\n]*(?!(?i:dear|hello|hi|hey)\s)(?:\p{Lu}[\p{L}'’.&-]*[ ]+){0,4}B(?i:ill)(?=[ ]*(?:$|[:#(|–—-]|,?[ ]*\d|(?i:no|number|dated?|to|for|from)(?!\p{L})))"
)
_TO_PAY = regex.compile(
    r"(?i)(?<!\p{L})(?:due|payable|pay|payment|net|zahlbar|fällig|zahlung|zahlungsziel|zahlen|payer|paiement|règlement|pagadero|pagadera|pago|pagar|pagamento|pagabile|betaling|betalen|betaalbaar|vencimiento|vencimento|scadenza|échéance)(?!\p{L})[^.;\n]{0,40}$"
)
# What may stand behind the days: the end of a sentence, or the date that they are counted from.
_FROM_DATE = regex.compile(
    r"(?i)\s*(?:(?:net(?:to)?|strictly|ohne\s+abzug)\b\s*)?(?:[.;|]|$|(?:of|from|after|ab|nach|à\s+compter|après|de|da|desde|na|vanaf|a\s+partir)\s+(?!receipt|erhalt|ricevimento|ontvangst)(?:\p{L}+\s+){0,5}(?:invoice|\p{L}{0,20}rechnung\p{Ll}*|rechnungsdatum|facture|factura|fattura|factuurdatum|factuur|fatura|issue)(?!\p{L}))"
)
_RECEIVED = regex.compile(
    r"(?i)\b(?:receipt|receiv\p{Ll}*|erhalt|eingang|réception|recepción|ricevimento|ontvangst|receção|recebimento)\b"
)


def is_invoice(document: DocumentText) -> bool:
    """Whether a document begins as an invoice does."""
    title = document.text.lstrip()[:_TITLE]
    return _INVOICE.search(title) is not None or _BILL.search(title) is not None


def due_in_days(document: DocumentText) -> list[ProposedValue]:
    """The day on which an invoice is due that says in how many days; [] if it is none, or has no date."""
    if not is_invoice(document):
        return []
    for reading in find_durations(document.text):
        behind = document.after(reading.end, 80)
        leads = _TO_PAY.search(document.before(reading.start, 60))
        if not leads or not _FROM_DATE.match(behind) or _RECEIVED.search(behind):
            continue
        dated = _dated(document, reading.start)
        day = add_duration(dated.normal, reading.normal) if dated is not None else None
        if dated is not None and day is not None:
            text = f"{reading.text} from {dated.text}: until {day}"
            value = Reading(reading.start, reading.end, text, day)
            first, last = document.sentence(reading.start, reading.end)
            stated = document.sentence(dated.start, dated.end)
            return [ProposedValue((value,), first, last, 0.8, also=(stated,))]
    return []


def _dated(document: DocumentText, before: int) -> Reading | None:
    """The date of an invoice: one with a label or a line of its own, or the only one of its head.

    Of the head what stands before the days: "Paid on" stands behind.
    """
    made = next(iter(document_date(document)), None)
    if made is not None and len(made.readings) == 1:
        return made.readings[0]
    last = min(before, document.line_start(min(_HEAD_LINES, len(document.lines))))
    head = [one for one in document.dates if one.start < last]
    return head[0] if len({one.normal for one in head}) == 1 else None
