"""From a question to a checked answer: read, ranked, decided, quoted, kept.

Its modules are imported on first use, so that importing the package before the seal loads none of
them.
"""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

__all__ = ["decision", "extractive", "quotations", "reading", "receipt"]

if TYPE_CHECKING:
    from corpus_agent.answering import decision as decision
    from corpus_agent.answering import extractive as extractive
    from corpus_agent.answering import quotations as quotations
    from corpus_agent.answering import reading as reading
    from corpus_agent.answering import receipt as receipt
else:
    __getattr__ = lazy_modules(__name__, __all__)
