"""Answers from a model on this machine that has two tools and nothing else.

passages ──> first search ──> conversation.py ──> draft ──> drafts.py ──> answer
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from corpus_agent.agent.conversation import (
    DEFAULT_WINDOW,
    MAX_STEPS,
    NOT_FOUND,
    PROMPTS,
    Conversation,
    Message,
    Work,
    refuses,
    reply_tokens,
    sent,
)
from corpus_agent.agent.numbered import sentences_chosen
from corpus_agent.agent.request import ChatModel, NoTools, first_word, stream_reply
from corpus_agent.answering.decision import READ_NO, READ_YES, Said, decided, odds_of, said_by
from corpus_agent.answering.drafts import Draft, repair_request
from corpus_agent.answering.extractive import passage_of
from corpus_agent.answering.records import (
    NOBODY,
    Answer,
    Answerer,
    ModelServer,
    Onlooker,
    Turn,
)
from corpus_agent.models.discovery import ModelUnavailable, shown_name
from corpus_agent.models.http import Capabilities, Deadline, fetch_capabilities
from corpus_agent.text.naming import EXTRACTIVE, quoted
from corpus_agent.text.tokens import lazy
from corpus_agent.text.wording import EVERYDAY, OWN_WORDS, number_of

if TYPE_CHECKING:
    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.models.discovery import Server
    from corpus_agent.seal.broker import Broker
    from corpus_agent.tools.corpus import CorpusView

QUESTION_SECONDS = 600.0  # for all requests of a question, the repair of quotations included
MAX_DRAFT_TOKENS = 400  # of one without tools: a sentence or two are asked for

Judged = tuple[Draft, Said]
"""A finished draft, and what it says."""
_NOTHING: Judged = Draft(""), "no"
_SILENT = ("no", "nothing")  # nothing in it is from the documents


@dataclass
class ModelAnswerer:
    """An answerer that uses a model; implements the `Answerer` protocol.

    `seconds` are a question's; `window` in tokens if the user sets it, not the server.
    `own` answers without the model, as evidence beside it; with `encode` a sentence can be
    supported by synonyms.
    """

    server: Server
    model: str
    broker: Broker
    _: KW_ONLY
    steps: int = MAX_STEPS
    seconds: float = QUESTION_SECONDS
    window: int | None = None
    encode: EncodeTokens | None = None
    quotes_only: bool = False
    own: Answerer | None = None
    # Learned while it answers, for the questions that follow.
    capabilities: Capabilities | None = None
    answers_worse_with_tools: bool = False

    @property
    def name(self) -> str:
        """The model's name, made distinct from the program's own names."""
        name = shown_name(self.model)
        return quoted(name) if name.casefold() == EXTRACTIVE else name

    def stamped(self, answer: Answer) -> Answer:
        """The answer with the server, the owner of its process, and the host if it is elsewhere."""
        server = ModelServer(str(self.server.address), self.server.owner)
        return replace(answer, egress=self.server.egress, model_server=server)

    def answer(
        self,
        question: str,
        corpus: CorpusView,
        history: Sequence[Turn] = (),
        onlooker: Onlooker = NOBODY,
    ) -> Answer:
        """An answer whose citations are verified or moved; see the protocol."""
        own = None
        if self.own is not None:
            own = self.own.answer(question, corpus, history)
            onlooker.passages(own)
        deadline = Deadline(self.seconds, onlooker.wait)
        if self.capabilities is None:
            self.capabilities = fetch_capabilities(self.broker, self.model, deadline)
            self.answers_worse_with_tools |= self.capabilities.answers_better_without_tools
        window = self.window or self.capabilities.window or DEFAULT_WINDOW
        work = Work(question, corpus, history, onlooker.step, self.encode, own, window)
        model = ChatModel(self.broker, self.model, deadline, onlooker.draft)
        draft, said = self._drafted(work, model)
        answer = Answer(
            question=question,
            text=draft.text,
            status="perhaps",
            answerer=self.name,
            passages=tuple(passage_of(corpus, citation) for citation in draft.citations),
            coverage=corpus.coverage(),
            version=corpus.version,
            notices=(*work.notices, *_notices(draft)),
            unsupported=draft.unsupported,
            calls=tuple(work.toolbox.calls),
        )
        return decided(answer, own, said)

    def _drafted(self, work: Work, model: ChatModel) -> Judged:
        """The checked draft; one without tools if the model refuses what the program finds."""
        if self.quotes_only:
            chosen = sentences_chosen(work, model)
            surer = work.quotes_own(chosen.citations)  # the program shows one of them, too
            return (chosen, "yes" if surer else "partly") if chosen.text else _NOTHING
        if self.answers_worse_with_tools:
            return self._from_passages(work, model)
        try:
            draft, said = self._with_tools(work, model)
        except NoTools:
            self.answers_worse_with_tools = True  # for the questions that follow, too
            return self._from_passages(work, model)
        searched_again = len(work.toolbox.calls) > 1
        if said not in _SILENT or searched_again or not work.own_passages:
            return draft, said
        work.step("the model found no answer; asking it once more without tools")
        try:
            again, said_again = self._from_passages(work, model)
        except ModelUnavailable as error:
            work.notices.append(f"The model could not be asked again: {error.message}")
            return draft, said
        if said_again in _SILENT:
            return draft, said
        self.answers_worse_with_tools = True
        return again, said_again

    def _with_tools(self, work: Work, model: ChatModel) -> Judged:
        """The draft of a conversation with the two tools; failed quotations are repaired once."""
        conversation = Conversation(model, work)
        text = conversation.answer(self.steps)
        if not text:
            work.notices.append(f"The model gave no answer to {self.steps} requests.")
            return _NOTHING
        settled = work.settled(text)
        if settled.failed:
            work.step("some quotations are not in the documents; asking the model for others")
            try:
                again = conversation.ask(repair_request(settled.failed, work.frame))
                mended = work.settled(again) if again else settled
                settled = mended if len(mended.failed) < len(settled.failed) else settled
            except ModelUnavailable:
                work.step("the model gave no others")
        return self._checked(work, settled, model.deadline)

    def _from_passages(self, work: Work, model: ChatModel) -> Judged:
        """The draft of a model without tools; none where its first word denies the passages."""
        message = f"{work.passages_text()}\n\nQuestion: {work.asked}"
        if self._denied(work, model, message):
            return _NOTHING
        asked = sent(PROMPTS["passages"], [Message("user", message)])
        tokens = min(MAX_DRAFT_TOKENS, reply_tokens(work.window))
        text = stream_reply(model, asked, max_tokens=tokens).text
        draft, said = self._checked(work, work.settled(text), model.deadline)
        elsewhere = work.own_passages and not work.quotes_own(draft.citations)
        if said == "yes" and (elsewhere or work.odds < READ_YES):
            return draft, "partly"
        return draft, said

    def _denied(self, work: Work, model: ChatModel, message: str) -> bool:
        """Whether program and model, asked for one word, doubt that the passages answer."""
        read = None
        if work.own is not None:
            message = f"{message}\n\n{PROMPTS['reader']}"
            asked = sent(PROMPTS["passages"], [Message("user", message)])
            try:
                read = log_odds(*first_word(model, asked))
            except ModelUnavailable as error:
                model.deadline.left()
                work.notices.append(
                    f"The model did not say whether the passages answer: {error.message}"
                )
            work.odds = odds_of(work.own.probability, read)
        return read is not None and work.odds < READ_NO

    def _checked(self, work: Work, settled: Draft, deadline: Deadline) -> Judged:
        """A draft whose sentences have support, or are marked."""
        if not settled.citations and refuses(settled.text):
            return _NOTHING
        text = without_own_words(settled.text.replace(NOT_FOUND, ""))
        draft = work.evidence.finish(replace(settled, text=text), deadline.left)
        said = said_by(
            draft.citations,
            len(draft.unsupported),
            text=bool(draft.text),
            whole=not draft.failed,
        )
        return draft, said


def _notices(draft: Draft) -> Iterator[str]:
    """What a reader has to know about how the draft was changed."""
    if draft.failed:
        left_out = number_of(len(draft.failed), "citation was", "citations were")
        yield f"{left_out} left out: the documents do not have these words."
    if draft.unsupported:
        marked = number_of(len(draft.unsupported), "sentence is", "sentences are")
        yield f"{marked} marked: no passage says so."


# ---- One word of a model, with its probability

LEAST = 1e-6  # probability of a word that is not among the likeliest
ROUNDING = 1e-3  # by which the logarithm of a probability may be above zero
WORD_ALONE = 1.0  # log-odds of a word without its probability: measured with Qwen2.5-Coder-1.5B
_WORDS = {"yes": 1.0, "part": 0.5, "partly": 0.5, "no": 0.0}  # the share of yes in each


def log_odds(text: str, likeliest: Iterable[tuple[str, float]]) -> float | None:
    """The log-odds of yes against no in a model's first word; None if it is no such word."""
    yes = no = 0.0
    for token, logprob in likeliest:
        share = _WORDS.get(token.strip().casefold())
        if share is not None and logprob <= ROUNDING:
            yes += share * math.exp(logprob)
            no += (1 - share) * math.exp(logprob)
    if yes + no > LEAST:
        return math.log((yes + LEAST) / (no + LEAST))
    share = None if likeliest else _WORDS.get(text.strip(" .!*\n\"'").casefold())
    return None if share is None else WORD_ALONE * (2 * share - 1)


# ---- The program's own words in a draft

_OWN = tomllib.loads(Path(__file__).with_name("own_words.toml").read_text("utf-8"))
_PIECES = _OWN["pieces"] | {
    "everyday": "|".join(EVERYDAY),
    "others": "|".join(word.replace("_", "[_ ]") for word in OWN_WORDS if word not in EVERYDAY),
}


def _pattern(written: str) -> regex.Pattern[str]:
    """A pattern with the pieces that it is made of in their places."""
    for piece, words in _PIECES.items():
        written = written.replace(f"@{piece}@", words)
    return lazy(written.replace("\n", ""), regex.MULTILINE)


_LOOKS = {name: _pattern(written) for name, written in _OWN["patterns"].items()}


def without_own_words(draft: str) -> str:
    """A draft without text that looks like the program's own, which readers trust.

    To be applied after quotations were replaced by numbers: a document may contain "(verified)".
    """
    text = _LOOKS["fences"].sub(r"\1", draft)  # what stands behind one is no sentence to be marked
    text = "\n".join(_undressed(line) for line in text.split("\n"))
    for name in ("footnotes", "alone", "lines", "within"):
        text = _LOOKS[name].sub("", text)
    text = _LOOKS["alone"].sub("", _LOOKS["labels"].sub(r"\1", text))
    return text if text == draft else regex.sub(r"\n{3,}", "\n\n", text).strip()


def _undressed(line: str) -> str:
    """A line as rendered if emphasis, entities or dots disguise the program's words in it."""
    if not line or line.isspace():
        return line
    bare = _LOOKS["blanks"].sub(" ", _LOOKS["dress"].sub("", unescape(line)))
    bare = _LOOKS["starts"].sub("", _LOOKS["dots"].sub("·", _LOOKS["before_colon"].sub("", bare)))
    if bare == line:
        return line
    own = (_LOOKS[name] for name in ("alone", "lines", "within", "labels"))
    return bare if any(len(p.findall(bare)) > len(p.findall(line)) for p in own) else line
