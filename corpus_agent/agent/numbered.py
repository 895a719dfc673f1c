"""A model points at sentences of documents by their numbers: for an answer, or of a statement.

None of its own words is shown but one of judgement, so that nothing it writes can be false, or an
order to anybody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_agent.agent.conversation import PROMPTS, Message, sent
from corpus_agent.agent.request import ChatModel, stream_reply
from corpus_agent.answering.drafts import Draft
from corpus_agent.answering.quotations import MOST_WIDENED, check_quotation
from corpus_agent.answering.records import Numbers
from corpus_agent.answering.support import Window
from corpus_agent.models.discovery import ModelUnavailable, shown_name
from corpus_agent.models.http import Deadline
from corpus_agent.models.llama_server import wait_until_ready
from corpus_agent.text.delimiters import Frame
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.sentences import units
from indexer import Query

if TYPE_CHECKING:
    from corpus_agent.agent.conversation import Work
    from corpus_agent.answering.records import Citation
    from corpus_agent.check.records import Checked, Finding
    from corpus_agent.startup import Launch
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Chunk

MOST_CHOSEN = 6  # sentences of an answer
MOST_REPLY = 60  # tokens: a word and a few numbers
HITS = 3  # passages that a statement is judged by
MOST_BYTES = 6_000  # of their sentences, which a small model's window has room for
_BRACKETED = re.compile(r"\[(\d{1,3})\]")
_ALONE = re.compile(r"[\d\s,;.]+")
_JUDGED = re.compile(r"\W*(SUPPORTED|CONTRADICTED)\b[^\[]{0,20}\[(\d{1,3})\]", re.IGNORECASE)


def sentences_chosen(work: Work, model: ChatModel) -> Draft:
    """The sentences that the model chose, in its order, each with its citation."""
    offered = _sentences_of(work.shown_passages(), work.room)
    reply = _reply(model, PROMPTS["choose"], work.frame, offered, f"Question: {work.asked}")
    numbers = Numbers(work.known)
    cited: dict[int, Citation] = {}
    for at in _numbers(reply, len(offered)):
        found = _looked_up(work.corpus, offered[at - 1])
        if found.stands and len(cited) < MOST_CHOSEN:
            numbered = numbers.numbered(found)
            cited[numbered.n] = numbered
    text = "\n".join(f"{one_line(each.quote)} [{each.n}]" for each in cited.values())
    return Draft(text, tuple(cited.values()))


def judged(
    checked: Checked, corpus: CorpusView, launch: Launch, on_piece: Callable[[int, int], object]
) -> Checked:
    """The findings with a model's word for each statement that was not found."""
    model, broker = launch.model, launch.broker
    if model is None or broker is None:
        return replace(checked, notices=(*checked.notices, *launch.notices))
    wrong = [f.piece for f in checked.findings if f.piece.is_quotation and f.kind != "quoted"]
    findings, notices = list(checked.findings), (*checked.notices, *launch.notices)
    still_open = [
        number
        for number, finding in enumerate(findings)
        if finding.kind == "not_found"
        and not any(p.start < finding.piece.end and finding.piece.start < p.end for p in wrong)
    ]
    deadline = Deadline(launch.settings.llm_seconds)
    chat = ChatModel(broker, model.name, deadline)
    done = 0
    try:
        if launch.llama is not None:  # it may still load its model
            wait_until_ready(launch.llama, broker, deadline.left())
        for number in still_open:
            on_piece(done, len(still_open))
            findings[number] = _judged(findings[number], corpus, chat)
            done += 1
    except ModelUnavailable as error:
        left = f"{len(still_open) - done} statements were not judged by the model: {error.message}"
        notices = (*notices, left)
    shown, egress = shown_name(model.name), model.server.egress
    return replace(checked, findings=findings, notices=notices, model=shown, egress=egress)


def _judged(finding: Finding, corpus: CorpusView, chat: ChatModel) -> Finding:
    """A finding with the model's word, and the sentence that it points at."""
    hits = corpus.search(Query(finding.piece.text, HITS, None))
    offered, frame = _sentences_of((hit.chunk for hit in hits), MOST_BYTES), Frame()
    if not offered:
        return finding
    reply = _reply(
        chat, PROMPTS["judge"], frame, offered, f"Statement: {frame.wrap(finding.piece.text)}"
    )
    said = _JUDGED.match(reply)
    if said is not None and 1 <= int(said[2]) <= len(offered):
        cited = _looked_up(corpus, offered[int(said[2]) - 1])
        if cited.stands:
            return replace(finding, model=said[1].lower(), citations=(cited,))
    return replace(finding, model="undecided")


def _sentences_of(passages: Iterable[Chunk], room: int) -> list[Window]:
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


def _reply(
    model: ChatModel, rules: str, frame: Frame, offered: Sequence[Window], asked: str
) -> str:
    """What a model writes when it is asked about numbered sentences."""
    lines = [f"[{n}] {one_line(each.quote)}" for n, each in enumerate(offered, 1)]
    messages = sent(rules, [Message("user", "\n\n".join((frame.wrap("\n".join(lines)), asked)))])
    return stream_reply(model, messages, max_tokens=MOST_REPLY).text


def _numbers(reply: str, most: int) -> list[int]:
    """The numbers that a reply is made of, each once; none of one in words."""
    written = _BRACKETED.findall(reply)
    if not written and _ALONE.fullmatch(reply):
        written = re.findall(r"\d{1,3}", reply)
    return [n for n in dict.fromkeys(map(int, written)) if 1 <= n <= most]


def _looked_up(corpus: CorpusView, chosen: Window) -> Citation:
    """A sentence as it stands in its document today, which may have changed meanwhile."""
    source, text = chosen.passage.source, chosen.quote
    return check_quotation(corpus, 0, source, text, chosen.line)
