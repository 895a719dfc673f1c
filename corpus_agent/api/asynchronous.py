"""`AsyncCorpus`: the methods of `Corpus` as coroutines, for a program with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from corpus_agent.api import Corpus

if TYPE_CHECKING:
    from collections.abc import Coroutine

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _coroutine(
    method: Callable[Concatenate[Corpus, _P], _R],
) -> Callable[Concatenate[AsyncCorpus, _P], Coroutine[None, None, _R]]:
    """A method of `Corpus` as a coroutine of `AsyncCorpus`."""

    @wraps(method)
    async def run(self: AsyncCorpus, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await self._run(partial(method, self._corpus, *args, **kwargs))

    return run


class AsyncCorpus:
    """A corpus for coroutines: each method is that of `Corpus`, awaited.

        async with AsyncCorpus.open("notes/.corpus-agent") as corpus:
            answer = await corpus.ask("When does the lease end?")

    Calls wait for each other, in their order. One whose task is cancelled and that has begun goes
    on to its end in its thread, and its result is dropped.
    """

    def __init__(self, corpus: Corpus) -> None:
        """Takes over `corpus`, which is to be used in no other way from here on."""
        self._corpus = corpus
        self._thread = ThreadPoolExecutor(1, "corpus")

    @classmethod
    def open(cls, store: Path | str | Sequence[Path | str], **options: Any) -> Self:  # noqa: ANN401
        """The corpus of `Corpus.open`, which takes the same `options`."""
        return cls(Corpus.open(store, **options))

    index = _coroutine(Corpus.index)
    search = _coroutine(Corpus.search)
    read = _coroutine(Corpus.read)
    ask = _coroutine(Corpus.ask)
    table = _coroutine(Corpus.table)
    list = _coroutine(Corpus.list)
    timeline = _coroutine(Corpus.timeline)
    files = _coroutine(Corpus.files)
    forget = _coroutine(Corpus.forget)
    check = _coroutine(Corpus.check)
    check_receipts = _coroutine(Corpus.check_receipts)
    status = _coroutine(Corpus.status)

    async def close(self) -> None:
        """End what was started for the corpus, once the calls before it are done."""
        await self._run(self._corpus.close)
        self._thread.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def _run(self, call: Callable[[], _R]) -> _R:
        if self._corpus.closed:
            return call()  # which refuses, in the words of the method
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)
