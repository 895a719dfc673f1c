"""Renders answers as Markdown, a file to keep or to send.

All text is from documents and models: it is cleaned here, and nothing in it is mark-up or a link.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_agent.answering.records import alone
from corpus_agent.answering.signing import is_own
from corpus_agent.render.answers import answer_foot_lines, block_lines, headed
from corpus_agent.render.common import place_of
from corpus_agent.render.receipts import became, heading, standing
from corpus_agent.text.sanitize import inert, one_line

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Passage
    from corpus_agent.render.receipts import CheckedReceipt


@dataclass(frozen=True, slots=True)
class ExportedPassage:
    """A passage and what is said of it."""

    passage: Passage
    about: str


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """An answer as it is written to a file; `foot` are lines about it."""

    question: str
    status: str
    text: str
    passages: tuple[ExportedPassage, ...]
    foot: tuple[str, ...]


def exported_answer(answer: Answer) -> ExportedAnswer:
    """An answer as it is written to a file."""
    return ExportedAnswer(
        answer.question,
        answer.status.replace("_", " "),
        answer.text,
        tuple(
            ExportedPassage(passage, headed(passage, worded=True)) for passage in answer.passages
        ),
        tuple(answer_foot_lines(answer)),
    )


def exported_receipt(checked: CheckedReceipt, key: bytes | None = None) -> ExportedAnswer:
    """The answer of a receipt, its quotations as they stand in the documents today.

    With the `key` of this user its heading says whether the receipt is this program's own.
    """
    content, rows = checked
    return ExportedAnswer(
        str(content.get("question", "")),
        heading(content, own=is_own(content, key)),
        str(content.get("answer", "")),
        tuple(
            ExportedPassage(
                alone(found.now),
                f"{place_of(found.now.source, found.now.line_start, found.now.page)}"
                f" · {became(found)}",
            )
            for found in rows
        ),
        (f"{standing(rows)}.",),
    )


# ---- Markdown


def export_markdown(answers: Sequence[ExportedAnswer]) -> str:
    """Answers as Markdown, each below its question.

    Text of models and documents is quoted as a block, so that no heading, rule or open fence in it
    can imitate or swallow what is around it.
    """
    return "\n".join(line for answer in answers for line in _markdown(answer)) + "\n"


def _markdown(answer: ExportedAnswer) -> Iterator[str]:
    yield f"# {one_line(inert(answer.question))}\n"
    yield f"*{one_line(inert(answer.status))}*\n"
    if answer.text:
        yield from (f"> {line}".rstrip() for line in inert(answer.text).splitlines())
        yield ""
    for one in answer.passages:
        yield f"[{one.passage.citation.n}] {one_line(inert(one.about))}\n"
        lines = block_lines(one.passage.text, one.passage.likely)
        yield from (f"> {line}".rstrip() for line in lines)
        yield ""
    for line in answer.foot:
        yield f"{one_line(line)}\n"
