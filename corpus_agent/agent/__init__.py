"""The conversation with a model: requests, replies, and calls of the two tools.

Its modules are imported on first use, so that importing the package before the seal loads none of
them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_agent.agent import answerer as answerer

__all__ = ["answerer"]


def __getattr__(name: str) -> object:
    """A module of this package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
