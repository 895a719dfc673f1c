"""An answer of whole sentences of documents: the model says which ones, by their numbers.

None of its own words is shown, so that nothing it writes can be false, or an order to anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from corpus_agent.agent.messages import UserMessage, sent
from corpus_agent.agent.prompts import QUOTES_PROMPT
from corpus_agent.agent.request import stream_reply
from corpus_agent.answering.citations import Numbers
from corpus_agent.answering.drafts import Finished
from corpus_agent.answering.quotations import MOST_WIDENED, check_quotation
from corpus_agent.answering.support import Window
from corpus_agent.text.sentences import units

if TYPE_CHECKING:
    from corpus_agent.agent.request import ChatModel
    from corpus_agent.agent.work import Work
    from corpus_agent.answering.records import Citation
    from indexer import Chunk

MOST_CHOSEN = 6  # sentences of an answer
MOST_REPLY = 60  # tokens: a few numbers
_BRACKETED = re.compile(r"\[(\d{1,3})\]")
_ALONE = re.compile(r"[\d\s,;.]+")


def sentences_chosen(work: Work, model: ChatModel) -> Finished | None:
    """The sentences that the model chose, in its order, each with its citation; None for none."""
    offered = sentences_of(work.shown_passages(), work.room)
    lines = [f"[{n}] {_on_one_line(each.evidence.text)}" for n, each in enumerate(offered, 1)]
    message = f"{work.frame.wrap(chr(10).join(lines))}\n\nQuestion: {work.asked}"
    asked = sent(QUOTES_PROMPT, [UserMessage(message)])
    reply = stream_reply(model, asked, as_written=True, max_tokens=MOST_REPLY).message.text
    numbers = Numbers(work.known)
    cited: dict[int, Citation] = {}
    for at in _numbers(reply, len(offered)):
        window = offered[at - 1]
        found = check_quotation(
            work.corpus, 0, window.passage.source, window.evidence.text, window.line
        )
        if found.stands and len(cited) < MOST_CHOSEN:
            numbered = numbers.numbered(found)
            cited[numbered.n] = numbered
    text = "\n".join(f"{_on_one_line(each.quote)} [{each.n}]" for each in cited.values())
    return Finished(text, tuple(cited.values()), (), 0) if cited else None


def sentences_of(passages: Iterable[Chunk], room: int) -> list[Window]:
    """The sentences and rows of passages, each once, as many as so many bytes hold."""
    seen, found = set[str](), []
    for passage in passages:
        for unit in units(passage.text, passage.language):
            text = passage.text[unit.start : unit.end]
            known = unit.kind in ("head", "page", "property") or text in seen
            if known or len(text) > MOST_WIDENED or (room := room - len(text.encode())) < 0:
                continue
            seen.add(text)
            found.append(Window(passage, unit.start, unit.end))
    return found


def _numbers(reply: str, most: int) -> list[int]:
    """The numbers that a reply is made of, each once; none of one in words."""
    written = _BRACKETED.findall(reply)
    if not written and _ALONE.fullmatch(reply):
        written = re.findall(r"\d{1,3}", reply)
    return [n for n in dict.fromkeys(map(int, written)) if 1 <= n <= most]


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
