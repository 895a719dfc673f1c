"""Callbacks of one question, for an interface that shows what is going on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer


@dataclass(frozen=True, slots=True)
class Onlooker:
    """Called with each step, the unchecked draft so far, and what was found without a model.

    `wait` is called often while a model is waited for; it may raise, which ends the question. All
    are called in the thread that asks.
    """

    step: Callable[[str], None] = lambda _: None
    draft: Callable[[str], None] = lambda _: None
    passages: Callable[[Answer], None] = lambda _: None
    wait: Callable[[], None] = lambda: None
