"""`doctor`: checks the installation and the index, and names the commands that repair them.

Checks are data: a name, a subject, and a function (`finding`). `environment` checks this machine
and installation and opens no document; `store` checks an index. These two are imported on first
use, so that importing the package loads neither.
"""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules
from corpus_agent.doctor.finding import Check, Finding, as_json, examine, lines

__all__ = ["Check", "Finding", "as_json", "environment", "examine", "lines", "store"]

if TYPE_CHECKING:
    from corpus_agent.doctor import environment as environment
    from corpus_agent.doctor import store as store
else:
    __getattr__ = lazy_modules(__name__, ("environment", "store"))
