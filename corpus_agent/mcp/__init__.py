"""The server over the Model Context Protocol.

Its modules are imported on first use, so that importing the package before the seal loads none of
them.
"""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

__all__ = ["server", "tools"]

if TYPE_CHECKING:
    from corpus_agent.mcp import server as server
    from corpus_agent.mcp import tools as tools
else:
    __getattr__ = lazy_modules(__name__, __all__)
