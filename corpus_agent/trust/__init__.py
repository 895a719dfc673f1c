"""Whose store it is, by the user's own record; its modules are imported on first use."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.trust import stores as stores
    from corpus_agent.trust import which_index as which_index
else:
    __getattr__ = lazy_modules(__name__, ("which_index", "stores"))
