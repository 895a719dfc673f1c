"""What every document says about a field: a value, typed, quoted and looked up.

`table` looks at each document; `definition` says what is looked for; the words of seven languages
stand in `lexicon.toml`. Modules are imported on first use, so that importing the package before the
seal loads none of them.
"""

from typing import TYPE_CHECKING

from corpus_agent import lazy_modules

__all__ = ["condition", "definition", "table", "timeline"]

if TYPE_CHECKING:
    from corpus_agent.fields import condition as condition
    from corpus_agent.fields import definition as definition
    from corpus_agent.fields import table as table
    from corpus_agent.fields import timeline as timeline
else:
    __getattr__ = lazy_modules(__name__, __all__)
