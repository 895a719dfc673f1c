"""Answers a question about all documents from a list, as "Which of my contracts end in 2025?".

Only where code understands the whole question and knows the field; any other is left to the
answerer. Every document is looked at. Called by session.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_agent import answering, fields
from corpus_agent.answering.records import Answer, Citation, alone
from corpus_agent.text.naming import EXTRACTIVE, called_in_answer
from indexer import UsageError

if TYPE_CHECKING:
    from corpus_agent.answering.records import OnEvent
    from corpus_agent.fields.condition import FieldCondition
    from corpus_agent.fields.records import DocumentRow
    from indexer import Index

# No more than `likely`: a document may say it in words that the rules do not find.
_FOUND = "Every document was looked at, by rules: one that is silent may say it in other words."


def answer_from_all(question: str, corpus: Index, on_event: OnEvent) -> Answer | None:
    """The documents that fulfil the condition of a question, None where it states none."""
    condition = _condition(question) if answering.whole_corpus.asks_all(question) else None
    if condition is None:
        return None
    on_event(f"looking at every document: {condition.shown}")
    listed = fields.timeline.listed(corpus, condition)
    lines: list[str] = []
    citations: list[Citation] = []
    for wanted in ("yes", "unclear"):
        for row, verdict in zip(listed.table.rows, listed.verdicts, strict=True):
            if verdict == wanted:
                lines.append(_line(row, citations, unclear=verdict == "unclear"))
    return Answer(
        question,
        "\n".join(lines) or f"No document was found that has {condition.shown}.",
        "likely" if lines else "not_found",
        EXTRACTIVE,
        tuple(map(alone, citations)),
        corpus.coverage(),
        corpus.version,
        notices=(f"{listed.counted}.", _FOUND),
    )


def _condition(question: str) -> FieldCondition | None:
    """The condition that a question about all documents states on a field that is known."""
    try:
        condition = fields.condition.parse_condition(question)
    except UsageError:
        return None
    return condition if condition.field.is_known else None


def _line(row: DocumentRow, citations: list[Citation], *, unclear: bool) -> str:
    """A document with its values and the marks of their quotations, which are appended."""
    said = []
    for value in row.cells[0].values:
        marks = []
        for citation in value.citations:
            citations.append(replace(citation, n=len(citations) + 1))
            marks.append(f" [{len(citations)}]")
        said.append(f"{value.shown}{''.join(marks)}")
    changed = " (changed after it was indexed)" if row.changed else ""
    doubt = "unclear, " if unclear else ""
    return f"{called_in_answer(row.source)}{changed}: {doubt}{'; '.join(said)}"
