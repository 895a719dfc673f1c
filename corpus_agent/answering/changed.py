"""What is said where a passage was found and its file is no more as it was indexed. Pure.

That the documents do not say it would be false: nobody knows what the file says now.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from corpus_agent.answering.records import Answer
from corpus_agent.text.naming import called_in_answer
from corpus_agent.text.wording import number_of

MOST_NAMED = 3


def with_changed(answer: Answer, changed: Collection[str]) -> Answer:
    """The answer that nothing was found, with the files that changed in its first line, if any."""
    if not changed:
        return answer
    named = ", ".join(called_in_answer(source) for source in list(changed)[:MOST_NAMED])
    more = len(changed) - MOST_NAMED
    others = f" and {more} more" if more > 0 else ""
    it = "it was" if len(changed) == 1 else "they were"
    text = (
        f"{named}{others} changed or went away after {it} indexed, and no longer says what was "
        f"found there: run corpus-agent index. "
        f"({number_of(answer.coverage.searched, 'was', 'were')} searched.)"
    )
    return replace(answer, text=text, changed=tuple(changed))
