"""A follow-up question made to stand alone: what the first search of a later turn looks for.

By the model where there is one; by a rule where there is none, or where what it writes is no
question. Called by agent.py and extractive.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import regex

from corpus_agent.clean import one_line
from corpus_agent.sentences.words import content_terms, fold, terms

if TYPE_CHECKING:
    from corpus_agent.loop.hearing import Speaker

MAX_TURNS = 3  # earlier questions and answers that the model is shown
MAX_ANSWER = 300  # characters of each of those answers
MAX_STANDALONE = 300  # characters; what is longer is no question
REWRITE_TOKENS = 400  # thinking included
FEW_WORDS = 2  # that carry meaning: a question with no more leans on the one before
MAX_CARRIED = 6  # words that the rule takes over from the question before

REWRITE = """\
Rewrite the user's last question so that it can be understood without the conversation: put names \
in place of "it", "they", "that" and what is left out. Keep its language and its meaning. If it \
stands alone already, repeat it. Write the question and nothing else; do not answer it."""

_POINTING = frozenset(
    fold(word)
    for word in [
        "it",
        "its",
        "they",
        "them",
        "their",
        "he",
        "she",
        "him",
        "his",
        "her",
        "this",
        "that",
        "these",
        "those",
        "there",
        "then",
        "one",
        "ones",
        "same",
        "else",
        "former",
        "latter",
        "er",
        "sie",
        "es",
        "ihn",
        "ihm",
        "ihr",
        "ihre",
        "sein",
        "seine",
        "dies",
        "diese",
        "dieser",
        "dieses",
        "das",
        "dort",
        "da",
        "damit",
        "dafür",
        "davon",
        "daran",
        "dazu",
        "darin",
        "il",
        "elle",
        "ils",
        "elles",
        "ce",
        "cela",
        "ça",
        "y",
        "en",
        "leur",
        "él",
        "ella",
        "eso",
        "esto",
        "ellos",
        "allí",
        "lo",
    ]
)
_GOES_ON = regex.compile(
    r"(?i)^\W*(?:and|but|or|so|then|also|what about|how about|what if|why|und|aber|oder|wieso"
    r"|warum|auch|was ist mit|wie ist es mit|et|mais|ou|pourquoi|y|pero|por qué)\b"
)


def carried_over(question: str, before: str | None) -> str:
    """The question with the words that the one before was about, where it leans on that one.

    It does where it points ("it", "there"), goes on ("and ...") or has hardly a word of its own.
    """
    own = content_terms(question)
    points = bool(_POINTING.intersection(terms(question)))
    leans = points or _GOES_ON.match(question) or len(own) <= FEW_WORDS
    if before is None or not leans:
        return question
    words = [word for word in content_terms(before) if word not in own][:MAX_CARRIED]
    return f"{question} ({' '.join(words)})" if words else question


async def by_model(
    speaker: Speaker, question: str, history: Sequence[tuple[str, str]]
) -> str | None:
    """The question as the model makes it stand alone; None where it writes something else.

    Raises ModelUnavailable where the server fails.
    """
    from corpus_agent.loop.hearing import hear
    from corpus_agent.loop.transcript import Asked, native

    lines = []
    for asked, answered in history[-MAX_TURNS:]:
        lines += [f"User: {one_line(asked)}", f"Answer: {one_line(answered)[:MAX_ANSWER]}"]
    shown = "\n".join([*lines, f"Last question: {one_line(question)}"])
    heard = await hear(speaker, native(REWRITE, [Asked(shown)]), max_tokens=REWRITE_TOKENS)
    return _as_question(heard.reply.text)


def _as_question(said: str) -> str | None:
    """The one line that a model was asked for, without a label or quotation marks around it."""
    lines = [line.strip() for line in said.strip().splitlines() if line.strip()]
    if len(lines) != 1:
        return None
    line = regex.sub(r"(?i)^(?:last |standalone |rewritten )?question\s*:\s*", "", lines[0])
    line = one_line(line).strip("\"“”„«»'` ")
    words = any(char.isalnum() for char in line)
    return line if words and len(line) <= MAX_STANDALONE else None
