"""Whether a question asks about all documents at once: to count, to list, to find what is missing.

An answerer reads the passages nearest to a question, which cannot answer such a one.
benchmarks/conversations.py has the figures. Called by service/session.py.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from corpus_agent.text.patterns import lazy
from corpus_agent.text.tokens import fold

# The one place that says what to do instead.
NOTICE = (
    "Only the passages nearest to the question were looked at, and a question about all documents"
    " needs every one of them. `corpus-agent table FIELD…` and `list CONDITION` look at each."
)
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_ASKS_ALL = lazy(
    re.sub("@([a-z]+)@", lambda at: "|".join(_WORDS[at[1]].split()), "|".join(_WORDS["asks_all"]))
)


def asks_all(question: str) -> bool:
    """Whether all documents are needed for an answer."""
    return bool(_ASKS_ALL.search(" ".join(fold(question).split())))
