"""Model servers: addresses, discovery, requests, and a llama-server of our own."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

__all__ = ["discovery", "http", "llama_server"]

if TYPE_CHECKING:
    from corpus_agent.models import discovery as discovery
    from corpus_agent.models import http as http
    from corpus_agent.models import llama_server as llama_server
else:
    __getattr__ = lazy_modules(__name__, __all__)
