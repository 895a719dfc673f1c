"""Model servers: addresses, discovery, capabilities, and a llama-server of our own.

Its modules are imported on first use, so that importing the package before the seal loads none of
them.
"""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

__all__ = ["capabilities", "http"]

if TYPE_CHECKING:
    from corpus_agent.models import capabilities as capabilities
    from corpus_agent.models import http as http
else:
    __getattr__ = lazy_modules(__name__, __all__)
