"""A question in, a checked answer out.

    from corpus_agent import Corpus

Importing it loads nothing heavy, starts nothing and touches nothing; see docs/python.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from indexer import __version__

__all__ = ["Corpus", "CorpusError", "__version__"]

if TYPE_CHECKING:
    from corpus_agent.api import Corpus
    from indexer import CorpusError

_MODULES = {"Corpus": "corpus_agent.api", "CorpusError": "indexer"}


def __getattr__(name: str) -> object:
    """A public name; its module is imported on first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_MODULES[name]), name)
    return found
