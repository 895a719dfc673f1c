"""Whose store it is, by the user's own record; its modules are imported on first use."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.trust import known as known
    from corpus_agent.trust import stores as stores
else:
    __getattr__ = lazy_modules(__name__, ("known", "stores"))
