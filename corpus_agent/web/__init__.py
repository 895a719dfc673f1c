"""A page on this machine: search, ask, and see the words where they stand.

`listening` makes the one socket before the seal, `server` serves it after, `door` refuses all
without the key; `site` knows the addresses, and the other modules make a page each. They are
imported on first use, so that importing the package before the seal loads none of them.
"""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

__all__ = ["listening", "server"]

if TYPE_CHECKING:
    from corpus_agent.web import listening as listening
    from corpus_agent.web import server as server
else:
    __getattr__ = lazy_modules(__name__, __all__)
