"""The program put to the test: attempts against its claims, and questions with known answers."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.selftest import escape as escape
    from corpus_agent.selftest import evaluation as evaluation
else:
    __getattr__ = lazy_modules(__name__, ("escape", "evaluation"))
