"""`doctor`: checks the installation and the index, and names the commands that repair them.

Checks are data: a name, a subject, and a function (`finding`). `environment` checks this machine
and installation and opens no document; `store` checks an index. These two are imported on first
use, so that importing the package loads neither.
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
