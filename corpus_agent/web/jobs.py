"""What goes on in threads of the server: conversations, and index runs. Knows no HTTP."""

from __future__ import annotations

import secrets
import threading
import time
import traceback
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from corpus_agent import service
from corpus_agent.answering.records import Answer, Turn
from corpus_agent.render import file_line, progress_line
from corpus_agent.service.process import Cancel, Cancelled, Onlooker
from indexer import CorpusError, Progress, RunDisplay, UsageError

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Receipt
    from corpus_agent.service.service import Service
    from corpus_agent.settings import Settings
    from indexer import FileRow, Outcome, Plan

MAX_CONVERSATIONS = 200  # the oldest is dropped from memory; its receipts stay
MAX_TURNS = 100
AT_ONCE = 4  # questions; more wait
SHOWN_DRAFT_CHARACTERS = 20_000
SHOWN_STEPS = 12
PAGE_SECONDS = 8.0  # that the first page of an answer waits for it, where no script follows it

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
    turn: Future[None] | None = None

    def wait(self) -> None:
        """Wait until it is answered, but no longer than a person waits for a page."""
        wait([self.turn] if self.turn else [], PAGE_SECONDS)

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

    def stop(self) -> None:
        """Stop what is being answered."""
        for question in self.questions:
            question.cancel.set()
            if question.stage == "waiting":
                question.stage = "stopped"


class Conversations:
    """All conversations of a server. Thread-safe."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._kept: dict[str, WebConversation] = {}
        self._turns = ThreadPoolExecutor(AT_ONCE, "question")

    def find(self, key: str) -> WebConversation | None:
        """The conversation of that key, None if it is not in memory (any more)."""
        with self._lock:
            return self._kept.get(key)

    def ask(self, text: str, key: str = "") -> WebConversation:
        """Begin to answer a question in that conversation, or in a new one."""
        text = text.strip()
        if not any(char.isalnum() for char in text):
            raise UsageError("The question holds no words.", "Ask as you would a colleague.")
        with self._lock:
            conversation = self._kept.get(key)
            if conversation is None or len(conversation.questions) >= MAX_TURNS:
                conversation = self._new()
            if any(each.is_open for each in conversation.questions):
                raise UsageError("The question before is not answered yet.", "Stop it, or wait.")
            history = conversation.turns()
            question = AskedQuestion(text, time.monotonic())
            conversation.questions.append(question)
        question.turn = self._turns.submit(self._answer, question, history)
        return conversation

    def stop(self) -> None:
        """Stop all questions."""
        with self._lock:
            for conversation in self._kept.values():
                conversation.stop()

    def _new(self) -> WebConversation:
        conversation = WebConversation(secrets.token_hex(8))
        self._kept[conversation.key] = conversation
        if len(self._kept) > MAX_CONVERSATIONS:
            self._kept.pop(next(iter(self._kept))).stop()
        return conversation

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
            question.stage = "working"
            question.answer, question.receipt = self._service.ask(
                question.text,
                history,
                cancel=question.cancel,
                onlooker=Onlooker(step, draft, passages),
            )
            ended = "answered"
        except Cancelled:
            ended = "stopped"
        except CorpusError as error:
            question.problem = error
        finally:  # of any other error the page says that it failed
            question.seconds = time.monotonic() - question.began
            question.stage = ended
            question.seen += 1
            if ended == "failed" and question.problem is None:
                traceback.print_exc()


SHOWN_PROBLEMS = 50


@dataclass(slots=True)
class IndexRun(RunDisplay):
    """One run of `index`, which is told how far it is: what it met and how it ended."""

    is_open: bool = True
    cancel: Cancel = field(default_factory=Cancel)
    done: Progress | None = None
    notes: list[str] = field(default_factory=list)
    outcome: Outcome | None = None
    failure: str = ""

    @property
    def share(self) -> float:
        """How much is done, 0 to 1: of the pages while scans are read, else of the bytes."""
        if (done := self.done) is None:
            return 0.0
        made, every = (
            (done.pages, done.all_pages) if done.all_pages else (done.bytes, done.all_bytes)
        )
        return min(1.0, made / max(1, every))

    def progress(self) -> str:
        """How far it is."""
        return progress_line(self.done) if self.done is not None else "Looking at the folder …"

    # -- the display of the run

    def start(self, todo: Plan, rebuilding: bool) -> None:
        """The plan is made."""
        self.notes.extend(todo.reasons)
        if rebuilding:
            self.notes.append("The old index answers until the new one is complete.")

    def advance(self, done: Progress) -> None:
        """A file or a page is done, or scans are read next."""
        self.done = done

    def problem(self, row: FileRow) -> None:
        """A file gave no text."""
        if len(self.notes) < SHOWN_PROBLEMS:
            self.notes.append(file_line(row))


class IndexRuns:
    """The run of a server that goes on, or went on last. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self.last: IndexRun | None = None
        self.seen = 0  # counts what begins and ends, for a page that follows it

    def begin(self) -> None:
        """Begin a run, unless one goes on."""
        with self._lock:
            if self.last is None or not self.last.is_open:
                self.last = IndexRun()
                self.seen += 1
                threading.Thread(target=self._index, args=(self.last,), daemon=True).start()

    def stop(self) -> None:
        """Stop what goes on; what it has done is kept."""
        if self.last is not None:
            self.last.cancel.set()

    def _index(self, run: IndexRun) -> None:
        run.failure = "It failed; the terminal of the server says why."
        try:
            run.outcome = service.session.index(
                self._settings, None, display=run, should_stop=run.cancel.is_set
            )
            run.failure = ""
        except CorpusError as error:
            run.failure = str(error)
        finally:  # of any other error a traceback is printed
            run.is_open = False
            self.seen += 1
