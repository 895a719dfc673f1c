"""Ways out of a sealed process: the table of them, what each tries, and the trial of all."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.selftest.escape import trial as trial
else:
    __getattr__ = lazy_modules(__name__, ("trial",))
