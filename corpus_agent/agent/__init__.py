"""The conversation with a model; its modules are imported on first use, after the seal."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

__all__ = ["answerer", "numbered"]

if TYPE_CHECKING:
    from corpus_agent.agent import answerer as answerer
    from corpus_agent.agent import numbered as numbered
else:
    __getattr__ = lazy_modules(__name__, __all__)
