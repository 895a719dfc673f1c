"""Requests to a model's server through the relay, bounded in time, and what the server can do.

No exception has a word of the server in its message: `said` has them, for people.
"""

from __future__ import annotations

import json
import queue
import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from corpus_agent.models.discovery import BUSY_SECONDS, RETRY_SECONDS, ModelUnavailable
from corpus_agent.seal.broker import Broker
from corpus_agent.seal.frames import BadFrame, Cause, Failure, Reply, ReplyKind, failure_in, head_in
from corpus_agent.seal.routes import NotListed

TICK_SECONDS = 0.1
OK, BUSY = 200, 503


class TookTooLong(ModelUnavailable):
    """The question's time is over."""


class Deadline:
    """The end of a question, which every loop of it looks at."""

    def __init__(self, seconds: float, check: Callable[[], object] = lambda: None) -> None:
        """`check` is called at each look; it may raise, which ends the question."""
        self.seconds = seconds
        self._check = check
        self.looking: Callable[[], None] = lambda: None  # at each look, too
        self._end = time.monotonic() + seconds
        self._patience: float | None = None

    def left(self) -> float:
        """The seconds that are left. Raises TookTooLong, and what `check` raises."""
        self._check()
        self.looking()
        left = self._end - time.monotonic()
        if left <= 0:
            raise TookTooLong(
                f"The model took longer than {self.seconds:g} s for one question.",
                "Set llm_seconds higher, or use --llm none.",
            )
        return left

    def may_try_again(self) -> bool:
        """Whether a busy server may be asked again; waits a little if so."""
        now = time.monotonic()
        self._patience = self._patience or now + BUSY_SECONDS
        if now >= self._patience:
            return False
        while time.monotonic() < now + RETRY_SECONDS:
            time.sleep(min(TICK_SECONDS, self.left()))
        return True


@dataclass(frozen=True, slots=True)
class Response:
    """The status of a reply, and its content in pieces."""

    status: int
    pieces: Iterator[bytes]

    def page(self, most: int, seconds: float) -> bytes:
        """The content: at most so many bytes of it, and what comes within so many seconds."""
        until = time.monotonic() + seconds
        content = bytearray()
        for piece in self.pieces:
            content += piece
            if len(content) >= most or time.monotonic() > until:
                break
        return bytes(content[:most])


@contextmanager
def request(
    broker: Broker,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    deadline: Deadline,
    first: float,
    stall: float,
) -> Iterator[Response]:
    """The response to a POST of `body`, or a GET: within `first` seconds, `stall` a piece."""
    content = b"" if body is None else json.dumps(body).encode()
    method = "GET" if body is None else "POST"
    while True:
        frames = _frames(broker, (method, path, content), deadline, (first, stall))
        try:
            head = head_in(next(frames))
            if head.status != BUSY or not deadline.may_try_again():
                yield Response(head.status, frames)
                return
        except BadFrame:
            raise _unavailable(Failure(Cause.GONE)) from None
        finally:
            frames.close()


def _frames(
    broker: Broker,
    asked: tuple[str, str, bytes],
    deadline: Deadline,
    seconds: tuple[float, float],
) -> Generator[bytes]:
    """The payload of the head, then those of the content; the request is over when closed."""
    frames: queue.SimpleQueue[Reply] = queue.SimpleQueue()
    try:
        exchange = broker.ask(*asked, frames.put)
    except NotListed as error:
        raise ModelUnavailable(f"The seal does not let this request through: {error}.") from None
    first, stall = seconds
    try:
        frame = _next(frames, deadline, first)
        while frame.kind is not ReplyKind.END:
            if frame.kind is ReplyKind.FAILED:
                raise _unavailable(failure_in(frame.payload))
            yield frame.payload
            frame = _next(frames, deadline, stall)
    finally:
        exchange.cancel()


def _next(frames: queue.SimpleQueue[Reply], deadline: Deadline, seconds: float) -> Reply:
    """The next frame; raises ModelUnavailable if there is none within `seconds`."""
    until = time.monotonic() + seconds
    while True:
        left = min(deadline.left(), until - time.monotonic())
        if left <= 0:
            raise _unavailable(Failure(Cause.TIMEOUT))
        try:
            return frames.get(timeout=min(TICK_SECONDS, left))
        except queue.Empty:
            continue


def _unavailable(failure: Failure) -> ModelUnavailable:
    return ModelUnavailable(
        f"The connection to the model server failed ({failure.reason}).",
        "Look at the server's log, or use --llm none.",
    )


# ---- What a server says that its model can do; one that says nothing is no error

ASKING_SECONDS = 2.0  # for each page
MAX_PAGE_BYTES = 4_000_000  # Ollama includes licence and template of a model
LEAST_WINDOW = 512  # tokens; a smaller number is an error
# Parameters. Qwen2.5-Coder-1.5B (1.8 billion with its vocabulary) refuses with tools what it
# answers without (docs/decisions/agent.md); larger ones were not measured: asking finds out.
SMALL = 2_000_000_000
_OLLAMA_DEFAULT = 4_096  # tokens, on machines with less than 24 GB of graphics memory
_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})", re.MULTILINE)  # of a Modelfile
# Of llama.cpp; of Ollama, loaded, then of the model; of vLLM and llama.cpp; of LM Studio.
_PAGES = ("/props", "/api/ps", "/api/show", "/v1/models", "/api/v0/models")
_WINDOWS = ("n_ctx", "context_length", "max_model_len", "loaded_context_length")
_PARAMETERS = ("n_params", "general.parameter_count")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Window in tokens, support of tools, parameters; None if the server does not report it."""

    window: int | None = None
    tools: bool | None = None
    parameters: int | None = None

    @property
    def answers_better_without_tools(self) -> bool:
        """Whether it takes none, or is of a size that answers worse with them."""
        small = self.parameters is not None and self.parameters < SMALL
        return small or self.tools is False


def fetch_capabilities(broker: Broker, model: str, deadline: Deadline) -> Capabilities:
    """The model's capabilities as its server reports them; the first report wins."""
    found = Capabilities()
    for path in _PAGES:
        asked = {"model": model} if path == "/api/show" else None
        said = _reported(_page(broker, path, asked, deadline), model)
        found = Capabilities(
            found.window or said.window,
            said.tools if found.tools is None else found.tools,
            found.parameters or said.parameters,
        )
        if found.window and found.tools is not None and found.parameters:
            break
    return found


def _page(
    broker: Broker, path: str, question: dict[str, str] | None, deadline: Deadline
) -> dict[str, Any]:
    """The JSON object at a path; an empty one if there is none."""
    seconds = {"first": ASKING_SECONDS, "stall": ASKING_SECONDS}
    try:
        with request(broker, path, question, deadline=deadline, **seconds) as response:
            content = (
                response.page(MAX_PAGE_BYTES, ASKING_SECONDS) if response.status == OK else b""
            )
        page = json.loads(content)
    except TookTooLong:
        raise
    except (ModelUnavailable, ValueError, RecursionError):
        return {}
    return page if isinstance(page, dict) else {}


def _reported(page: dict[str, Any], model: str) -> Capabilities:
    """What a page says of a model: all of it, or its entry in a list of models."""
    lists = [page[key] for key in ("data", "models") if isinstance(page.get(key), list)]
    if lists:  # llama.cpp has both, and says more in the first
        listed = [entry for entries in lists for entry in entries if isinstance(entry, dict)]
        named = [e for e in listed if model in (e.get("id"), e.get("name"), e.get("model"))]
        # llama.cpp takes any name; Ollama lists those that are loaded.
        page = next(iter(named or ("data" in page and listed[:1]) or []), {})
    values = dict(_values(page))
    window = next((values[name] for name in _WINDOWS if name in values), None)
    able, written = page.get("capabilities"), _NUM_CTX.search(str(page.get("parameters", "")))
    if written:
        window = int(written[1])
    elif window is None and ("model_info" in page or "details" in page):
        window = _OLLAMA_DEFAULT
    tools = "tools" in able if isinstance(able, list) else values.get("supports_tools")
    return Capabilities(
        _whole(window, LEAST_WINDOW),
        tools if isinstance(tools, bool) else None,
        _whole(next((values[name] for name in _PARAMETERS if name in values), None), 1),
    )


def _values(page: object) -> Iterator[tuple[str, object]]:
    """Every key of a page with its value, of objects within objects too."""
    within = [page]
    while within:
        value = within.pop()
        if isinstance(value, dict):
            yield from value.items()
            within += value.values()


def _whole(value: object, least: int) -> int | None:
    return value if isinstance(value, int) and value >= least else None
