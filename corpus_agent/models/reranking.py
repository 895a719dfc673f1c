"""A reranker behind HTTP on this machine: found before the seal, asked through its own relay.

Speaks `POST /v1/rerank` as llama.cpp (--reranking), vLLM, Infinity and LocalAI do. What it answers
is checked; what is wrong with it is a CorpusError, and the order of the search stays.
"""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpus_agent.models import discovery
from corpus_agent.models.address import Server, parse
from corpus_agent.seal import Broker, Gate, start_broker
from corpus_agent.seal.frames import BadFrame, Kind, Reply, failure_in, head_in
from corpus_agent.seal.routes import NotListed
from corpus_agent.text.sanitize import one_line
from indexer import CorpusError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SECONDS = 60.0  # for the passages of one search
MAX_BYTES = 1_000_000  # of an answer: a number for each passage
_OK = 200

MAX_NAME = 100  # characters of a model's name that are shown


class ServedReranker:
    """Scores passages by a server, through the relay that was started for it."""

    def __init__(self, broker: Broker, model: str, where: str) -> None:
        self.name = f"{one_line(model)[:MAX_NAME]} at {where}"  # the server chose it
        self.broker = broker
        self._model = model

    def fits(self, query: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """The score of each passage, float32, (passages,); raises CorpusError."""
        import numpy as np

        asked = {
            "model": self._model,
            "query": query,
            "documents": list(passages),
            "top_n": len(passages),
        }
        answer = self._answer(json.dumps(asked).encode())
        scores = np.full(len(passages), np.nan, np.float32)
        try:
            for each in json.loads(answer)["results"]:
                scores[_place(each["index"], len(passages))] = float(each["relevance_score"])
        except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
            raise CorpusError(f"it did not answer as a reranker does ({error})") from None
        if not np.isfinite(scores).all():
            raise CorpusError("it did not give each passage a score")
        return scores

    def _answer(self, body: bytes) -> bytes:
        """The body of its reply to the one request of a reranker."""
        frames: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        try:
            exchange = self.broker.ask("POST", "/v1/rerank", body, frames.put)
        except NotListed as error:
            raise CorpusError(str(error)) from None
        try:
            return _collected(frames, time.monotonic() + SECONDS)
        finally:
            exchange.cancel()


def _place(index: object, count: int) -> int:
    if type(index) is not int or not 0 <= index < count:
        raise ValueError(f"no passage {index!r}")
    return index


def _collected(frames: queue.SimpleQueue[Reply], until: float) -> bytes:
    body = b""
    while True:
        try:
            frame = frames.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise CorpusError(f"no answer within {SECONDS:.0f} s") from None
        try:
            if frame.kind is Kind.END:
                return body
            if frame.kind is Kind.FAILED:
                raise CorpusError(failure_in(frame.payload).reason)
            if frame.kind is Kind.HEAD and (status := head_in(frame.payload).status) != _OK:
                raise CorpusError(f"it answers with status {status}")
        except BadFrame:
            raise CorpusError("its relay ended") from None
        body += frame.payload if frame.kind is Kind.DATA else b""
        if len(body) > MAX_BYTES:
            raise CorpusError(f"an answer of more than {MAX_BYTES:,} bytes")


def connected(reranker: str) -> ServedReranker:
    """The reranker at an address of this machine, with its relay running; call before the seal.

    Raises UsageError for an address that is none, or not here, ModelUnavailable where no server
    answers.
    """
    try:
        server = parse(reranker)
    except UsageError as error:
        message, hint = (
            text.replace("--llm", "--reranker") for text in (error.message, error.hint)
        )
        raise UsageError(message, hint.partition("; to send passages there")[0]) from None
    assert isinstance(server, Server)
    listing = discovery.listing_of(server, seconds=10 * discovery.PROBE_SECONDS)
    if listing is None or not listing.names:
        raise discovery.ModelUnavailable(
            f"No reranker answers at {server}; the passages are in the order of the search alone.",
            "Start it, or leave --reranker out.",
        )
    name = next((each for each in listing.names if "rerank" in each.lower()), listing.names[0])
    gate = Gate(server.address, frozenset((name,)), listing.owners)
    return ServedReranker(start_broker(gate), name, str(server))
