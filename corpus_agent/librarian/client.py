"""The librarian's interface for programs: checked answers to questions, sync or async."""

from __future__ import annotations

import asyncio
import subprocess
import threading
import weakref
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Self

from corpus_agent.answering.records import Answer
from corpus_agent.librarian.process import Child, LibrarianFailed, LibrarianTimeout
from corpus_agent.render.answers import answer_object
from corpus_agent.render.for_parent import CheckedClaim, claims, handed_over, render
from corpus_agent.text.delimiters import Frame
from corpus_agent.trust.known import stores_from_here

if TYPE_CHECKING:
    from corpus_agent.seal.enforce import SealState

ASK_SECONDS = 600.0  # a model on a CPU takes minutes
START_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarianAnswer(Answer):
    """An answer of the librarian: sanitised, and tainted, since it comes from foreign documents.

    `seal` is the state of the process that answered.
    """

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
        found = [
            {"text": claim.text, "citations": list(claim.citations), "supported": claim.supported}
            for claim in self.claims
        ]
        content: dict[str, Any] = {**answer_object(self, self.seal)}
        seal = content.pop("seal")  # moved behind the claims
        return {**content, "claims": found, "seal": seal, "tainted": True}


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
        self._several = [(one.name, str(one.store)) for one in stores] if len(stores) > 1 else []
        place = stores[0].store if len(stores) == 1 else None
        flags = {"store": place, "llm": llm, "llm_model": llm_model}
        self._flags: dict[str, str | bool] = {
            name: str(value) for name, value in flags.items() if value is not None
        }
        if trust_store:
            self._flags["trust_store"] = True
        self._tools = frozenset(parent_tools)
        self._quotes_only = bool(parent_tools) if quotes_only is None else quotes_only
        self._timeout = timeout
        self._unsealed = unsealed
        self._stderr = stderr
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The id of the process, None if none is running."""
        child = self._child
        return child.pid if child is not None and child.alive else None

    def start(self) -> Self:
        """Start the process and wait until it is sealed.

        Raises SealUnavailable if it cannot be sealed, NoIndex, UsageError, LibrarianFailed.
        """
        try:
            self._running().ready.result(START_SECONDS)
        except TimeoutError:
            raise self._too_slow("start", START_SECONDS) from None
        return self

    def ask(self, task: str, *, timeout: float | None = None) -> LibrarianAnswer:
        """The answer to one question.

        Raises LibrarianTimeout after `timeout` seconds, LibrarianFailed if the process ended, and
        the errors of `start` and session.ask. A timeout or Ctrl-C also stops the question there.
        """
        seconds = self._timeout if timeout is None else timeout
        child, future = self._submit(task)
        try:
            return self._crossed(child, future.result(seconds))
        except TimeoutError:
            raise self._too_slow("answer", seconds) from None
        finally:
            future.cancel()

    async def ask_async(self, task: str, *, timeout: float | None = None) -> LibrarianAnswer:
        """As `ask`; cancelling the task stops the question."""
        seconds = self._timeout if timeout is None else timeout
        child, future = self._submit(task)
        try:
            async with asyncio.timeout(seconds):
                return self._crossed(child, await asyncio.wrap_future(future))
        except TimeoutError:
            raise self._too_slow("answer", seconds) from None

    def close(self) -> None:
        """End the process; open questions fail, and no further ones can be asked."""
        with self._lock:
            self._closed = True
            child = self._child
        if child is not None:
            child.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.start)

    async def __aexit__(self, *exception: object) -> None:
        await asyncio.to_thread(self.close)

    def _running(self) -> Child:
        with self._lock:
            if self._closed:
                raise LibrarianFailed("The librarian is closed.", "Make another one.")
            if self._child is None or not self._child.alive:
                child = Child(
                    self._flags, self._several, unsealed=self._unsealed, stderr=self._stderr
                )
                weakref.finalize(self, child.let_go)
                self._child = child
            return self._child

    def _submit(self, task: str) -> tuple[Child, Future[Answer]]:
        while True:
            child = self._running()
            future = child.submit(task, quotes_only=self._quotes_only)
            if future is not None:
                return child, future

    def _crossed(self, child: Child, answer: Answer) -> LibrarianAnswer:
        cleaned = handed_over(answer, self._tools, again=True)
        values = {field.name: getattr(cleaned, field.name) for field in fields(Answer)}
        return LibrarianAnswer(**values, seal=child.ready.result())

    def _too_slow(self, what: str, seconds: float) -> LibrarianTimeout:
        return LibrarianTimeout(
            f"The librarian did not {what} within {seconds:g} s.",
            "Ask for less at once, or give it more time.",
        )
