"""The server over the Model Context Protocol.

Its modules are imported on first use, so that importing the package before the seal loads none of
them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_agent.mcp import tools as tools

__all__ = ["tools"]


def __getattr__(name: str) -> object:
    """A module of this package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
