"""Answers a question about all documents from a list, as "Which of my contracts end in 2025?", and
"Which of them do not mention a deposit?".

Only where code understands the whole question and knows the field; any other is left to the
answerer. Every document is looked at. Called by session.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_agent import answering, fields
from corpus_agent.answering.records import Answer, Citation, alone
from corpus_agent.text.naming import EXTRACTIVE, called_in_answer
from corpus_agent.text.wording import number_of
from indexer import UsageError

if TYPE_CHECKING:
    from corpus_agent.answering.records import OnEvent
    from corpus_agent.fields.condition import FieldCondition
    from corpus_agent.fields.mention_question import MentionQuestion
    from corpus_agent.fields.records import DocumentRow, FieldTable, FieldValue
    from corpus_agent.fields.timeline import ListedDocuments
    from indexer import Index

# No more than `likely`: a document may say it in words that the rules do not find.
_FOUND = "Every document was looked at, by rules: one that is silent may say it in other words."

_WORDS_ALONE = (
    "Exactly these words were looked for, in any case: a document may say the same in other words."
)


def answer_from_all(question: str, corpus: Index, on_event: OnEvent) -> Answer | None:
    """The documents that fulfil the condition of a question, None where it states none."""
    if not answering.whole_corpus.asks_all(question):
        return None
    if (asked := fields.mention_question.parse_mention(question)) is not None:
        shown = " / ".join(asked.terms)
        on_event(f"looking at every document: {'no ' if asked.missing else ''}{shown}")
        columns = [fields.mentions.mention_of(term) for term in asked.terms]
        return _mentioned(question, asked, fields.table.table_of(corpus, columns), corpus)
    condition = _condition(question)
    if condition is None:
        return None
    on_event(f"looking at every document: {condition.shown}")
    return _answer(question, fields.timeline.listed(corpus, condition), corpus)


def _condition(question: str) -> FieldCondition | None:
    """The condition that a question about all documents states on a field that is known."""
    try:
        condition = fields.condition.parse_condition(question)
    except UsageError:
        return None
    return condition if condition.is_known else None


def _mentioned(question: str, asked: MentionQuestion, table: FieldTable, corpus: Index) -> Answer:
    """The documents that mention one of the terms, with the places; or those that mention none."""
    citations: list[Citation] = []
    lines: list[str] = []
    mention = 0
    for row in table.rows:
        found = [cell for cell in row.cells if cell.status == "found"]
        mention += bool(found)
        if row.reason or bool(found) == asked.missing:
            continue
        marks = "".join(_marked(value, citations) for cell in found for value in cell.values)
        lines.append(_named(row) + (f": {marks.strip()}" if marks else ""))
    sought = " or ".join(f"“{term}”" for term in asked.terms)
    none = f"Every document that could be read mentions {sought}."
    none = none if asked.missing and mention else f"No document was found that mentions {sought}."
    without = len(table.rows) - mention - table.unreadable
    counted = (
        f"{_looked_at(table)}: {number_of(mention, 'mentions', 'mention')} {sought}, "
        f"{number_of(without, 'does not', 'do not')}, "
        f"{table.unreadable:,} unreadable."
    )
    return Answer(
        question,
        "\n".join(lines) or none,
        "likely" if lines or mention else "not_found",
        EXTRACTIVE,
        tuple(map(alone, citations)),
        corpus.coverage(),
        corpus.version,
        notices=(counted, _WORDS_ALONE, *fields.languages.field_notices(table)),
    )


def _answer(question: str, listed: ListedDocuments, corpus: Index) -> Answer:
    lines: list[str] = []
    citations: list[Citation] = []
    for wanted in ("yes", "unclear"):
        for row, verdict in zip(listed.table.rows, listed.verdicts, strict=True):
            if verdict == wanted:
                lines.append(_line(row, citations, unclear=verdict == "unclear"))
    none = f"No document was found that has {listed.condition.shown}."
    return Answer(
        question,
        "\n".join(lines) or none,
        "likely" if lines else "not_found",
        EXTRACTIVE,
        tuple(map(alone, citations)),
        corpus.coverage(),
        corpus.version,
        notices=(_counted(listed), _FOUND, *fields.languages.field_notices(listed.table)),
    )


def _line(row: DocumentRow, citations: list[Citation], *, unclear: bool) -> str:
    """A document with its values and the marks of their quotations, which are appended."""
    said = []
    for value in row.cells[0].values:
        computed = " (computed)" if value.computed else ""
        hidden = " (hidden)" if value.hidden else ""
        said.append(f"{value.shown}{computed}{hidden}{_marked(value, citations)}")
    doubt = "unclear, " if unclear else ""
    return f"{_named(row)}: {doubt}{'; '.join(said)}"


def _marked(value: FieldValue, citations: list[Citation]) -> str:
    """The marks of a value's quotations, which are appended, each behind a blank."""
    marks = []
    for citation in value.citations:
        citations.append(replace(citation, n=len(citations) + 1))
        marks.append(f" [{len(citations)}]")
    return "".join(marks)


def _named(row: DocumentRow) -> str:
    changed = " (changed after it was indexed)" if row.changed else ""
    return f"{called_in_answer(row.source)}{changed}"


def _looked_at(table: FieldTable) -> str:
    changed = f", {table.changed:,} of them changed since" if table.changed else ""
    return f"{number_of(len(table.rows), 'document')} looked at{changed}"


def _counted(listed: ListedDocuments) -> str:
    return (
        f"{_looked_at(listed.table)}: {number_of(listed.count('yes'), 'has', 'have')} "
        f"{listed.condition.shown}, {number_of(listed.count('no'), 'has not', 'have not')}, "
        f"{listed.count('unclear'):,} unclear, {listed.count('silent'):,} silent, "
        f"{listed.count('unreadable'):,} unreadable."
    )
