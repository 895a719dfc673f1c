"""The last conversation of a store, from the receipts of its log.

The log lies in the store, where a run that a document took over might write. So only receipts with
this user's signature go on, and their quotations are looked up anew.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent.answering.receipt import Receipt, check, logged
from corpus_agent.answering.records import Answer, Turn, alone
from corpus_agent.answering.signing import is_own
from corpus_agent.text.sanitize import one_line, visible

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView
    from indexer import FileRow

MAX_TURNS = 20  # the latest ones
MAX_ASKED = 5  # questions of no conversation that are listed


@dataclass(frozen=True, slots=True)
class ResumedConversation:
    """A conversation of a log: what tells its receipts from others, and its turns.

    `asked` are the last questions that were asked one by one, where there is none.
    """

    name: str = field(default_factory=lambda: secrets.token_hex(8))
    turns: tuple[Turn, ...] = ()
    asked: tuple[str, ...] = ()


def conversation(
    store: Path | None, corpus: CorpusView, key: bytes | None, *, resume: bool
) -> ResumedConversation:
    """A new conversation, or the one to `resume`; a new one without a log, as of several."""
    return last_conversation(store, corpus, key) if resume and store else ResumedConversation()


def last_conversation(store: Path, corpus: CorpusView, key: bytes | None) -> ResumedConversation:
    """The newest conversation of the log, the first turn first; a new one where there is none."""
    receipts = [each for each in logged(store)[0] if is_own(each, key)]  # the newest first
    # One without a name follows another question.
    at = next((n for n, each in enumerate(receipts) if _name(each) or each.get("follows")), None)
    if at is None:
        asked = [one_line(str(each.get("question", ""))) for each in receipts[:MAX_ASKED]]
        return ResumedConversation(asked=tuple(asked))
    name, wanted = _name(receipts[at]), receipts[at].get("question")
    chain: list[Receipt] = []
    for content in receipts[at:]:
        if wanted is None or len(chain) == MAX_TURNS:
            break
        if content.get("question") == wanted and _name(content) in (name, None):
            chain.append(content)
            wanted = content.get("follows")
    turns = tuple(_turn(content, corpus) for content in reversed(chain))
    return ResumedConversation(name, turns) if name else ResumedConversation(turns=turns)


def _name(content: Receipt) -> str | None:
    name = content.get("conversation")
    return name if isinstance(name, str) else None


def _turn(content: Receipt, corpus: CorpusView) -> Turn:
    def row_of(_: str) -> FileRow | None:
        return None  # whether a file changed is told of each quotation when it is opened

    question = one_line(str(content.get("question", "")))
    found = (checked.now for checked in check(content, corpus, row_of))
    return Turn(
        question,
        Answer(
            question=question,
            text=visible(str(content.get("answer", ""))),
            status="perhaps",
            answerer=one_line(str(content.get("answerer", ""))),
            passages=tuple(alone(citation) for citation in found if citation.stands),
            coverage=corpus.coverage(),
            version=corpus.version,
        ),
    )
