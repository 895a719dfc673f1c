"""The whole program from Python: `Corpus`, and `AsyncCorpus` for a program with an event loop."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_names

__all__ = ["AsyncCorpus", "Corpus"]

if TYPE_CHECKING:
    from corpus_agent.api.asynchronous import AsyncCorpus as AsyncCorpus
    from corpus_agent.api.corpus import Corpus as Corpus
else:
    __getattr__ = lazy_names(
        __name__,
        {"corpus_agent.api.asynchronous": "AsyncCorpus", "corpus_agent.api.corpus": "Corpus"},
    )
