"""A question in, a checked answer out.

    from corpus_agent import Corpus

Importing it loads nothing heavy, starts nothing and touches nothing; see docs/python.md.
"""

from typing import TYPE_CHECKING

from corpus_agent.lazy import lazy_names
from indexer import __version__

__all__ = ["Corpus", "CorpusError", "__version__"]

if TYPE_CHECKING:
    from corpus_agent.api import Corpus
    from indexer import CorpusError
else:
    __getattr__ = lazy_names(
        __name__, {"corpus_agent.api": ("Corpus",), "indexer": ("CorpusError",)}
    )
