"""The conversation with a model: requests, replies, and calls of the two tools.

Its modules are imported on first use, so that importing the package before the seal loads none of
them.
"""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

__all__ = ["answerer", "judging"]

if TYPE_CHECKING:
    from corpus_agent.agent import answerer as answerer
    from corpus_agent.agent import judging as judging
else:
    __getattr__ = lazy_modules(__name__, __all__)
