"""Anybody's text against the documents: where each quotation and statement of it stands."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.check import checking as checking
else:
    __getattr__ = lazy_modules(__name__, ["checking"])
