"""A reranker behind HTTP on this machine: found before the seal, asked through its own relay.

Speaks `POST /v1/rerank` as llama.cpp (--reranking), vLLM, Infinity and LocalAI do. What it answers
is checked; what is wrong with it is a CorpusError, and the order of the search stays.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpus_agent.models import discovery
from corpus_agent.models.address import Server, parse
from corpus_agent.models.http import OK, Deadline, request
from corpus_agent.seal import Broker, Gate, start_broker
from indexer import CorpusError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SECONDS = 60.0  # for the passages of one search
MAX_BYTES = 1_000_000  # of an answer: a number for each passage


class ServedReranker:
    """Scores passages by a server, through the relay that was started for it."""

    def __init__(self, broker: Broker, model: str, where: str) -> None:
        self.name = f"{discovery.shown_name(model)} at {where}"
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
        scores = np.full(len(passages), np.nan, np.float32)
        times = {"first": SECONDS, "stall": SECONDS}
        with request(
            self.broker, "/v1/rerank", asked, deadline=Deadline(SECONDS), **times
        ) as response:
            if response.status != OK:
                raise CorpusError(f"it answers with status {response.status}")
            answer = response.page(MAX_BYTES, SECONDS)
        try:
            for each in json.loads(answer)["results"]:
                scores[_place(each["index"], len(passages))] = float(each["relevance_score"])
        except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
            raise CorpusError("it did not answer as a reranker does") from None
        if not np.isfinite(scores).all():
            raise CorpusError("it did not give each passage a score")
        return scores


def _place(index: object, count: int) -> int:
    if type(index) is not int or not 0 <= index < count:
        raise ValueError("no such passage")
    return index


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
