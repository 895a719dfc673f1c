"""The operations behind every interface: index, search, read, ask, watch, forget, clean up.

Its modules are imported on first use, so that importing the package before the seal loads none of
them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_agent.service import cancel as cancel
    from corpus_agent.service import cleanup as cleanup
    from corpus_agent.service import forgetting as forgetting
    from corpus_agent.service import service as service
    from corpus_agent.service import session as session
    from corpus_agent.service import stdio as stdio
    from corpus_agent.service import watching as watching

__all__ = ["cancel", "cleanup", "forgetting", "service", "session", "stdio", "watching"]


def __getattr__(name: str) -> object:
    """A module of this package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
