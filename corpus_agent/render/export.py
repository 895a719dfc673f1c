"""Renders answers as Markdown, a file to keep or to send.

All text is from documents and models: it is cleaned here, and nothing in it is mark-up or a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from corpus_agent.render.answers import answer_foot_lines, block_lines, headed
from corpus_agent.text.sanitize import message, one_line, unlinked

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer


def export_markdown(answers: Iterable[Answer]) -> str:
    """Answers as Markdown, each below its question."""
    return "\n".join(chain.from_iterable(map(_markdown, answers))) + "\n"


def _markdown(answer: Answer) -> Iterator[str]:
    """An answer's question, status and text, its passages, its foot.

    Text of models and documents is quoted as a block, so that no heading, rule or open fence in it
    can imitate or swallow what is around it.
    """
    yield f"# {one_line(unlinked(answer.question))}\n"
    yield f"*{answer.status.replace('_', ' ')}*\n"
    if answer.text:
        yield from (f"> {line}".rstrip() for line in unlinked(answer.text).splitlines())
        yield ""
    for passage in answer.passages:
        yield f"[{passage.citation.n}] {headed(passage, worded=True, breaking=unlinked)}\n"
        lines = block_lines(passage.text, passage.likely)
        yield from (f"> {unlinked(line)}".rstrip() for line in lines)
        yield ""
    for line in answer_foot_lines(answer):
        yield f"{message(line)}\n"
