"""Questions with known answers, and how well they are searched and answered.

Its modules are imported on first use, so that importing the package before the seal loads none of
them.
"""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

__all__ = ["measure", "questions"]

if TYPE_CHECKING:
    from corpus_agent.selftest.evaluation import measure as measure
    from corpus_agent.selftest.evaluation import questions as questions
else:
    __getattr__ = lazy_modules(__name__, __all__)
