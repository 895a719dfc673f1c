"""The operations behind every interface; its modules are imported on first use, after the seal."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.service import opening as opening
    from corpus_agent.service import places as places
    from corpus_agent.service import process as process
    from corpus_agent.service import service as service
    from corpus_agent.service import session as session
else:
    _MODULES = "opening places process service session"
    __getattr__ = lazy_modules(__name__, _MODULES.split())
