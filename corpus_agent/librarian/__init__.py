"""The librarian: a sub-agent over private documents for an agent that may have a network.

    with Librarian("docs/.corpus-agent") as librarian:
        answer = librarian.ask("When does the lease end?")

It runs in a sealed process of its own and returns one structured answer, sanitised and marked as
tainted, never the transcript. Does not prove that an answer is true, and cannot keep a parent's
model from following it.
"""

from __future__ import annotations

import asyncio
import subprocess
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Self, TypeVar

from corpus_agent.answering.records import Answer
from corpus_agent.librarian.process import (
    COMMAND,
    LibrarianFailed,
    LibrarianProcess,
    LibrarianTimeout,
)
from corpus_agent.render.answers import answer_object
from corpus_agent.render.for_parent import (
    CheckedClaim,
    claims,
    disarmed,
    handed_over,
    render,
)
from corpus_agent.text.delimiters import Frame
from corpus_agent.text.sanitize import message
from corpus_agent.tools.corpus import ToolResult, failure
from corpus_agent.tools.toolbox import ASK_CORPUS as SPEC
from corpus_agent.tools.toolbox import check_arguments
from corpus_agent.trust.which_index import stores_from_here
from indexer import CorpusError

if TYPE_CHECKING:
    from pydantic_ai import RunContext, Tool

    from corpus_agent.seal.enforce import SealState

__all__ = [
    "Librarian", "LibrarianAnswer", "LibrarianFailed", "LibrarianTimeout", "call", "call_async",
    "function_schema", "pydantic_ai_tool",
]  # fmt: skip

_T = TypeVar("_T")
ASK_SECONDS = 600.0  # a model on a CPU takes minutes
START_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarianAnswer(Answer):
    """An answer of the librarian: sanitised, and tainted, since it comes from foreign documents."""

    seal: SealState
    tainted: Literal[True] = True

    @property
    def claims(self) -> list[CheckedClaim]:
        """The sentences, each with its citations; see render.for_parent.CheckedClaim."""
        return claims(self)

    def for_model(self) -> str:
        """The text for a parent's model, framed as data, of limited length."""
        return render(Frame(outside=True), self, self.seal)

    def as_object(self) -> dict[str, Any]:
        """The JSON of `ask`, with `seal`, `tainted` and `claims`."""
        found = [{**asdict(claim), "citations": [*claim.citations]} for claim in self.claims]
        return {**answer_object(self), "seal": self.seal, "claims": found, "tainted": True}


class Librarian:
    """A sub-agent that can only read one corpus; a context manager, sync and async.

    Its process is sealed like the commands: no network, no file but the corpus and the index, and
    no tool but search and read, whatever a document makes its model attempt. It is started at the
    first question, or on entering the context, and again after it was killed. Safe for several
    threads and tasks.
    """

    def __init__(
        self,
        store: str | Path | Sequence[str | Path] | None = None,
        *,
        all_stores: bool = False,
        llm: str | None = None,
        llm_model: str | None = None,
        parent_tools: Collection[str] = (),
        quotes_only: bool | None = None,
        timeout: float = ASK_SECONDS,
        unsealed: bool = False,
        trust_store: bool = False,
        stderr: int | IO[str] = subprocess.DEVNULL,
    ) -> None:
        """`store`, `llm`, `llm_model` and `trust_store` are as on the command line, and so are
        their defaults. Several stores, or with `all_stores` all that this user has recorded, are
        read as one corpus, each source with the name of its store before it; the process is sealed
        to exactly these.

        The names in `parent_tools` are broken in answers, so that no program recognises them. With
        `quotes_only` a model only chooses whole sentences of the documents; that is so for a
        parent with tools unless it says otherwise.
        `timeout` is in seconds, for one question. `stderr` is for debugging, as in subprocess;
        what libraries write there may contain text of documents.
        """
        given = [] if store is None else [store] if isinstance(store, str | Path) else store
        named = store is not None or all_stores
        stores = stores_from_here(given, everything=all_stores) if named else ()
        several = [(one.name, str(one.store)) for one in stores] if len(stores) > 1 else []
        place = stores[0].store if len(stores) == 1 else None
        named_flags = {"store": place, "llm": llm, "llm_model": llm_model}
        flags: dict[str, str | bool] = {k: str(v) for k, v in named_flags.items() if v is not None}
        if trust_store:
            flags["trust_store"] = True
        self._opening = {"flags": flags, "several": several, "unsealed": unsealed}
        self._tools = frozenset(parent_tools)
        self._quotes_only = bool(parent_tools) if quotes_only is None else quotes_only
        self._timeout = timeout
        self._stderr = stderr
        self._command = COMMAND
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "librarian")
        self._now: Future[Any] | None = None  # the turn that the process works for
        self._child: LibrarianProcess | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The id of the process, None if none is running."""
        child = self._child
        return None if child is None else child.pid

    def start(self) -> Self:
        """Start the process and wait until it is sealed.

        Raises SealUnavailable if it cannot be sealed, NoIndex, UsageError, LibrarianFailed.
        """
        self._within(START_SECONDS, "start", self._turn(self._running))
        return self

    def ask(self, task: str, *, timeout: float | None = None) -> LibrarianAnswer:
        """The answer to one question; questions of several threads and tasks take turns.

        Raises LibrarianTimeout after `timeout` seconds, LibrarianFailed if the process ended, and
        the errors of `start` and session.ask. A timeout or Ctrl-C ends the process with it.
        """
        seconds = self._timeout if timeout is None else timeout
        return self._within(seconds, "answer", self._turn(self._answer, task))

    def _within(self, seconds: float, what: str, turn: Future[_T]) -> _T:
        """What a turn comes to; one that takes longer is dropped."""
        try:
            return turn.result(seconds)
        except TimeoutError:
            raise _too_slow(what, seconds) from None
        finally:
            self._stop(turn)

    async def ask_async(self, task: str, *, timeout: float | None = None) -> LibrarianAnswer:
        """As `ask`; cancelling the task stops the question."""
        seconds = self._timeout if timeout is None else timeout
        turn = self._turn(self._answer, task)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(turn)
        except TimeoutError:
            raise _too_slow("answer", seconds) from None
        finally:
            self._stop(turn)

    def close(self) -> None:
        """End the process; open questions fail, and no further ones can be asked."""
        with self._lock:
            self._closed = True
            if self._child is not None:
                self._child.kill()
        self._thread.shutdown()
        if self._child is not None:
            self._child.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.start)

    async def __aexit__(self, *exception: object) -> None:
        await asyncio.to_thread(self.close)

    # -- the turns, in the one thread that owns the process

    def _turn(self, work: Callable[..., _T], *given: object) -> Future[_T]:
        """What `work` comes to in its turn."""

        def run() -> _T:
            with self._lock:
                self._check_open()
                self._now = turn
            return work(*given)

        with self._lock:
            self._check_open()
            turn = self._thread.submit(run)
        return turn

    def _check_open(self) -> None:
        if self._closed:
            raise LibrarianFailed("The librarian is closed.", "Make another one.")

    def _stop(self, turn: Future[Any]) -> None:
        """Drop a turn that has not ended; the process that works for it is ended."""
        if turn.done() or turn.cancel():
            return
        with self._lock:
            if self._now is turn and self._child is not None:
                self._child.kill()

    def _running(self) -> LibrarianProcess:
        """The process, started anew if it has ended."""
        if self._child is not None and self._child.pid is not None:
            return self._child
        if self._child is not None:
            self._child.close()
        self._child = child = LibrarianProcess(
            self._opening, stderr=self._stderr, command=self._command
        )
        self._seal = child.begin()
        return child

    def _answer(self, task: str) -> LibrarianAnswer:
        answer = self._running().ask(task, quotes_only=self._quotes_only)
        cleaned = handed_over(answer, self._tools, again=True)
        values = {field.name: getattr(cleaned, field.name) for field in fields(Answer)}
        return LibrarianAnswer(**values, seal=self._seal)


def _too_slow(what: str, seconds: float) -> LibrarianTimeout:
    return LibrarianTimeout(
        f"The librarian did not {what} within {seconds:g} s.",
        "Ask for less at once, or give it more time.",
    )


# -- the librarian as a tool of another agent: text, framed, or one that begins with `Error:`


def function_schema() -> dict[str, Any]:
    """The tool as the `tools` of an OpenAI-style request list it."""
    function = {"name": SPEC.name, "description": SPEC.description, "parameters": {**SPEC.schema}}
    return {"type": "function", "function": function}


def call(librarian: Librarian, arguments: Mapping[str, Any] | str) -> str:
    """The result of a call for the model; `arguments` is an object or its JSON."""
    checked = check_arguments(SPEC, arguments)
    if isinstance(checked, ToolResult):
        return checked.text
    try:
        return librarian.ask(checked["question"]).for_model()
    except CorpusError as error:
        return failure(message(str(error)), code=error.code).text


async def call_async(librarian: Librarian, arguments: Mapping[str, Any] | str) -> str:
    """As `call`, without blocking the event loop; a task that is cancelled stops its question."""
    checked = check_arguments(SPEC, arguments)
    if isinstance(checked, ToolResult):
        return checked.text
    try:
        return (await librarian.ask_async(checked["question"])).for_model()
    except CorpusError as error:
        return failure(message(str(error)), code=error.code).text


def pydantic_ai_tool(librarian: Librarian) -> Tool[Any]:
    """The tool for a pydantic-ai agent; answers have the names of its other tools broken."""
    from pydantic_ai import Tool

    async def ask_corpus(ctx: RunContext[Any], **arguments: Any) -> str:  # noqa: ANN401
        text = await call_async(librarian, arguments)
        manager = ctx.tool_manager
        others = set(manager.tools or ()) - {SPEC.name} if manager is not None else set()
        return disarmed(text, others)

    return Tool.from_schema(
        ask_corpus, SPEC.name, SPEC.description, dict(SPEC.schema), takes_ctx=True
    )
