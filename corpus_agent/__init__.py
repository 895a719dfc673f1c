"""A question in, a checked answer out.

    from corpus_agent import Corpus

Importing it loads nothing heavy, starts nothing and touches nothing; see docs/python.md.
"""

from typing import TYPE_CHECKING

from indexer import __version__

__all__ = ["Corpus", "CorpusError", "__version__"]

if TYPE_CHECKING:
    from corpus_agent.api import Corpus
    from indexer import CorpusError


def __getattr__(name: str) -> object:
    """The public names, looked up when they are asked for."""
    if name == "Corpus":
        from corpus_agent.api import Corpus

        return Corpus
    if name == "CorpusError":
        from indexer import CorpusError

        return CorpusError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
