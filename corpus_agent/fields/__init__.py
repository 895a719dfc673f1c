"""What every document says about a field: a value, typed, quoted and looked up."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.fields import condition as condition
    from corpus_agent.fields import lexicon as lexicon
    from corpus_agent.fields import table as table
else:
    __getattr__ = lazy_modules(__name__, ["condition", "lexicon", "table"])
