"""Asks a model whether the passages answer the question: one word, with its probability.

The request shares its beginning with the one for the draft, whose passages the server then has
processed. Called by answerer.py for models that are asked without tools.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from corpus_agent.agent.request import whole_reply

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

    from corpus_agent.agent.request import ChatModel

LEAST = 1e-6  # probability of a word that is not among the likeliest
ROUNDING = 1e-3  # by which the logarithm of a probability may be above zero
# Log-odds of a word without its probability: what the words of Qwen2.5-Coder-1.5B mean.
WORD_ALONE = 1.0
_WORDS = {"yes": 1.0, "part": 0.5, "partly": 0.5, "no": 0.0}  # the share of yes in each


async def read(chat_model: ChatModel, messages: Sequence[ModelMessage]) -> float | None:
    """The log-odds that the passages answer, by the first token; None if it is no such word.

    Raises ModelUnavailable if the server fails.
    """
    text, first = await whole_reply(chat_model, messages)
    likeliest = [(each["token"], each["logprob"]) for each in first]
    return log_odds(likeliest) if likeliest else of_word(text)


def log_odds(likeliest: Iterable[tuple[str, float]]) -> float | None:
    """The log-odds of yes against no among the likeliest tokens; partly is half of each.

    What is no probability counts nothing, as a server may report anything.
    """
    yes = no = 0.0
    for token, logprob in likeliest:
        share = _WORDS.get(token.strip().casefold())
        if share is not None and logprob <= ROUNDING:
            yes += share * math.exp(logprob)
            no += (1 - share) * math.exp(logprob)
    return math.log((yes + LEAST) / (no + LEAST)) if yes + no > LEAST else None


def of_word(text: str) -> float | None:
    """The log-odds for a word whose probability is not given."""
    share = _WORDS.get(text.strip(" .!*\n\"'").casefold())
    return None if share is None else WORD_ALONE * (2 * share - 1)
