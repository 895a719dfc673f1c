"""A page on this machine: search, ask, and see the words where they stand."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.web import listening as listening
else:
    __getattr__ = lazy_modules(__name__, ("listening",))
