"""Conversations of the pages: what was asked in each, how far it is, and what was answered.

They live as long as the server; what was asked stays in the receipts of the store. A thread answers
each question, so that a page never waits for one. Knows no HTTP.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from corpus_agent.answering.records import Answer, Turn
from corpus_agent.service.cancel import Cancel, Cancelled, Onlooker
from indexer import CorpusError, UsageError

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Receipt
    from corpus_agent.service.service import Service

MAX_CONVERSATIONS = 200  # the oldest is dropped from memory; its receipts stay
MAX_TURNS = 100
MAX_QUESTION_CHARACTERS = 8_000
AT_ONCE = 4  # questions; more wait
TURN_SECONDS = 0.2  # between looks at whether one that waits was stopped
SHOWN_DRAFT_CHARACTERS = 20_000
SHOWN_STEPS = 12

Stage = Literal["waiting", "working", "answered", "stopped", "failed"]


@dataclass(slots=True)
class AskedQuestion:
    """One question of a conversation; `seen` counts its changes, for a page that follows them."""

    text: str
    began: float
    cancel: Cancel = field(default_factory=Cancel)
    stage: Stage = "waiting"
    seen: int = 0
    steps: list[str] = field(default_factory=list)
    draft: str = ""
    passages: Answer | None = None
    answer: Answer | None = None
    receipt: Receipt | None = None
    problem: CorpusError | None = None
    seconds: float = 0.0

    @property
    def is_open(self) -> bool:
        """Whether there may still be more to show."""
        return self.stage in ("waiting", "working")


@dataclass(slots=True)
class WebConversation:
    """Questions in the order in which they were asked."""

    key: str
    questions: list[AskedQuestion] = field(default_factory=list)

    def turns(self) -> list[Turn]:
        """What was answered so far, as the history of the next question."""
        return [Turn(each.text, each.answer) for each in self.questions if each.answer is not None]


class Conversations:
    """All conversations of a server. Thread-safe."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, WebConversation] = OrderedDict()
        self._turns = threading.Semaphore(AT_ONCE)

    def find(self, key: str) -> WebConversation | None:
        """The conversation of that key, None if it is not in memory (any more)."""
        with self._lock:
            return self._kept.get(key)

    def newest(self) -> Iterator[WebConversation]:
        """Conversations, the newest first."""
        with self._lock:
            return iter(list(reversed(self._kept.values())))

    def ask(self, text: str, key: str = "") -> WebConversation:
        """Begin to answer a question in that conversation, or in a new one.

        Raises UsageError for a question without words, too long, or while the one before is open.
        """
        text = text.strip()
        if not any(char.isalnum() for char in text):
            raise UsageError("The question holds no words.", "Ask as you would a colleague.")
        if len(text) > MAX_QUESTION_CHARACTERS:
            raise UsageError(
                f"The question has {len(text):,} characters, of {MAX_QUESTION_CHARACTERS:,}.",
                "Ask for less at once.",
            )
        with self._lock:
            conversation = self._kept.get(key) or self._new()
            if any(each.is_open for each in conversation.questions):
                raise UsageError("The question before is not answered yet.", "Stop it, or wait.")
            if len(conversation.questions) >= MAX_TURNS:
                conversation = self._new()
            history = conversation.turns()
            question = AskedQuestion(text, time.monotonic())
            conversation.questions.append(question)
        thread = threading.Thread(target=self._answer, args=(question, history), daemon=True)
        thread.start()
        return conversation

    def stop(self) -> None:
        """Stop all questions."""
        for conversation in self.newest():
            for question in conversation.questions:
                question.cancel.set()

    def _new(self) -> WebConversation:
        conversation = WebConversation(secrets.token_hex(8))
        self._kept[conversation.key] = conversation
        while len(self._kept) > MAX_CONVERSATIONS:
            _, oldest = self._kept.popitem(last=False)
            for question in oldest.questions:
                question.cancel.set()
        return conversation

    @contextmanager
    def _turn(self, cancel: Cancel) -> Iterator[None]:
        """One of those at once; raises Cancelled while it is waited for."""
        while not self._turns.acquire(timeout=TURN_SECONDS):
            cancel.check()
        try:
            yield
        finally:
            self._turns.release()

    def _answer(self, question: AskedQuestion, history: list[Turn]) -> None:
        def step(line: str) -> None:
            question.steps = [*question.steps[1 - SHOWN_STEPS :], line]
            question.draft = ""
            question.seen += 1

        def draft(text: str) -> None:
            question.draft = text[-SHOWN_DRAFT_CHARACTERS:]
            question.seen += 1

        def passages(found: Answer) -> None:
            question.passages = found
            question.seen += 1

        ended: Stage = "failed"
        try:
            with self._turn(question.cancel):
                question.stage = "working"
                question.answer, question.receipt = self._service.ask_after(
                    question.text, history, question.cancel, Onlooker(step, draft, passages)
                )
            ended = "answered"
        except Cancelled:
            ended = "stopped"
        except CorpusError as error:
            question.problem = error
        finally:  # of any other error a traceback is printed, and the page says that it failed
            question.seconds = time.monotonic() - question.began
            question.stage = ended
            question.seen += 1
