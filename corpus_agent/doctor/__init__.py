"""`doctor`: is everything as it must be, and which command mends what is not.

Checks are data: a name, what is looked at, and a function that looks (`finding`). `environment`
looks at this machine and installation and opens no document; `store` looks at an index. These two
are looked up when they are asked for, so that naming the package loads nothing of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from corpus_agent.doctor.finding import Check, Finding, as_json, examine, lines

if TYPE_CHECKING:
    from corpus_agent.doctor import environment as environment
    from corpus_agent.doctor import store as store

__all__ = ["Check", "Finding", "as_json", "environment", "examine", "lines", "store"]


def __getattr__(name: str) -> object:
    """A module of this package."""
    if name not in ("environment", "store"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
