"""What every document says about a field: a value, typed, quoted and looked up."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

if TYPE_CHECKING:
    from corpus_agent.fields import condition as condition
    from corpus_agent.fields import definition as definition
    from corpus_agent.fields import table as table
    from corpus_agent.fields import timeline as timeline
else:
    __getattr__ = lazy_modules(__name__, ["condition", "definition", "table", "timeline"])
