"""Renders answers as Markdown, a file to keep or to send.

All text is from documents and models: it is cleaned here, and nothing in it is mark-up or a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
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


def export_markdown(answers: Iterable[Answer]) -> str:
    """Answers as Markdown, each below its question."""
    lines = (
        _markdown(
            (answer.question, answer.status.replace("_", " "), answer.text),
            [(passage, headed(passage, worded=True)) for passage in answer.passages],
            answer_foot_lines(answer),
        )
        for answer in answers
    )
    return "\n".join(chain.from_iterable(lines)) + "\n"


def export_receipt(checked: CheckedReceipt, key: bytes | None = None) -> str:
    """The answer of a receipt as Markdown, its quotations as they stand in the documents today.

    With the `key` of this user its heading says whether the receipt is this program's own.
    """
    content, rows = checked
    passages = []
    for found in rows:
        where = place_of(found.now.source, found.now.line_start, found.now.page)
        passages.append((alone(found.now), f"{where} · {became(found)}"))
    said = heading(content, own=is_own(content, key))
    head = str(content.get("question", "")), said, str(content.get("answer", ""))
    return "\n".join(_markdown(head, passages, [f"{standing(rows)}."])) + "\n"


def _markdown(
    head: tuple[str, str, str], passages: Iterable[tuple[Passage, str]], foot: Iterable[str]
) -> Iterator[str]:
    """An answer's question, status and text, its passages with what is said of each, its foot.

    Text of models and documents is quoted as a block, so that no heading, rule or open fence in it
    can imitate or swallow what is around it.
    """
    question, status, text = head
    yield f"# {one_line(inert(question))}\n"
    yield f"*{one_line(inert(status))}*\n"
    if text:
        yield from (f"> {line}".rstrip() for line in inert(text).splitlines())
        yield ""
    for passage, about in passages:
        yield f"[{passage.citation.n}] {one_line(inert(about))}\n"
        lines = block_lines(passage.text, passage.likely)
        yield from (f"> {line}".rstrip() for line in lines)
        yield ""
    for line in foot:
        yield f"{one_line(line)}\n"
