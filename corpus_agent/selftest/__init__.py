"""Attempts at every way out of the seal, and questions with known answers."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.selftest import evaluation as evaluation
    from corpus_agent.selftest import trial as trial
else:
    __getattr__ = lazy_modules(__name__, ("evaluation", "trial"))
