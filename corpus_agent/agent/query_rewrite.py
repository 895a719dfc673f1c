"""Rewrites a follow-up question as a standalone one, for the first search of a later turn.

Uses the model; without one, answering/follow_up.py applies a rule. Called by answerer.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import regex

from corpus_agent.agent.messages import UserMessage, native
from corpus_agent.agent.request import stream_reply
from corpus_agent.text.sanitize import one_line

if TYPE_CHECKING:
    from corpus_agent.agent.request import ChatModel

MAX_TURNS = 3  # earlier questions and answers that the model is shown
MAX_ANSWER = 300  # characters of each of those answers
MAX_STANDALONE = 300  # characters; longer text is not a question
REWRITE_TOKENS = 400  # thinking included

REWRITE = """\
Rewrite the user's last question so that it can be understood without the conversation: put names \
in place of "it", "they", "that" and what is left out. Keep its language and its meaning. If it \
stands alone already, repeat it. Write the question and nothing else; do not answer it."""


async def by_model(
    chat_model: ChatModel, question: str, history: Sequence[tuple[str, str]]
) -> str | None:
    """The standalone question that the model writes; None if it writes something else.

    Raises ModelUnavailable if the server fails.
    """
    lines = []
    for asked, answered in history[-MAX_TURNS:]:
        lines += [f"User: {one_line(asked)}", f"Answer: {one_line(answered)[:MAX_ANSWER]}"]
    shown = "\n".join([*lines, f"Last question: {one_line(question)}"])
    reply = await stream_reply(
        chat_model, native(REWRITE, [UserMessage(shown)]), max_tokens=REWRITE_TOKENS
    )
    return _as_question(reply.message.text)


def _as_question(reply: str) -> str | None:
    """The requested line of a reply, without label or quotation marks; None if it is not one."""
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    if len(lines) != 1:
        return None
    line = regex.sub(r"(?i)^(?:last |standalone |rewritten )?question\s*:\s*", "", lines[0])
    line = one_line(line).strip("\"“”„«»'` ")
    words = any(char.isalnum() for char in line)
    return line if words and len(line) <= MAX_STANDALONE else None
