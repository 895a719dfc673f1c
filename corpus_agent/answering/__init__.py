"""From a question to a checked answer, with these modules in the order of use.

Its modules are imported on first use, so that importing the package before the seal loads none of
them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_agent.answering import extractive as extractive
    from corpus_agent.answering import quotations as quotations
    from corpus_agent.answering import receipt as receipt

__all__ = ["extractive", "quotations", "receipt"]


def __getattr__(name: str) -> object:
    """A module of this package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
