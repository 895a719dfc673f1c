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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from corpus_agent.models.discovery import BUSY_SECONDS, RETRY_SECONDS, ModelUnavailable
from corpus_agent.seal.broker import Broker
from corpus_agent.seal.frames import BadFrame, Cause, Failure, Kind, Reply, failure_in, head_in
from corpus_agent.seal.routes import NotListed

if TYPE_CHECKING:
    from corpus_agent.seal.broker import Broker


TICK_SECONDS = 0.1
OK, BUSY = 200, 503


class TookTooLong(ModelUnavailable):
    """The question's time is over."""

    code = "model_too_slow"


class Deadline:
    """The end of a question, which every loop of it looks at."""

    def __init__(self, seconds: float, check: Callable[[], None] = lambda: None) -> None:
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
    """The status and content type of a reply, and its content in pieces."""

    status: int
    content_type: str
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
                yield Response(head.status, head.content_type, frames)
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
        while frame.kind is not Kind.END:
            if frame.kind is Kind.FAILED:
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


ASKING_SECONDS = 2.0  # for each endpoint
MAX_PAGE_BYTES = 4_000_000  # Ollama includes licence and template of a model
LEAST_WINDOW = 512  # tokens; a smaller number is an error
# Parameters. Qwen2.5-Coder-1.5B (1.8 billion with its vocabulary) refuses with tools what it
# answers without (docs/decisions/agent.md); larger ones were not measured: asking finds out.
SMALL = 2_000_000_000
_OLLAMA_DEFAULT = 4_096  # tokens, on machines with less than 24 GB of graphics memory


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


Page = Mapping[str, Any]
# Where each kind of server reports them: its page, the list with an entry for each model, and in
# that entry the window, the support of tools and the parameters. Ollama's /api/show: `_ollama`.
_PAGES = (
    ("/props", "", "default_generation_settings/n_ctx", "chat_template_caps/supports_tools", ""),
    ("/api/ps", "models", "context_length", "", ""),
    ("/api/show", "", "", "", "model_info/general.parameter_count"),
    ("/v1/models", "data", "max_model_len", "", "meta/n_params"),
    ("/api/v0/models", "data", "loaded_context_length", "", ""),
)


def _reported(page: Page, where: tuple[str, ...], model: str) -> Capabilities:
    path, listed, window, tools, parameters = where
    entry: object = page
    if listed:
        entries = _list(page.get(listed))
        others = entries[:1] if path == "/v1/models" else []  # llama.cpp takes any name
        named = [one for one in entries if model in _names_of(one)]
        entry = next(iter(named or others), None)
    if path == "/api/show":
        return replace(_ollama(page), parameters=_count(_at(entry, parameters)))
    able = _at(entry, tools)
    return Capabilities(
        _window(_at(entry, window)),
        able if isinstance(able, bool) else None,
        _count(_at(entry, parameters)),
    )


def _ollama(page: Page) -> Capabilities:
    """The window is num_ctx of the Modelfile, else the default."""
    able = page.get("capabilities")
    written = re.search(r"^num_ctx\s+(\d{1,9})", str(page.get("parameters", "")), re.MULTILINE)
    known = "model_info" in page or "details" in page
    window = int(written[1]) if written else _OLLAMA_DEFAULT if known else None
    return Capabilities(_window(window), "tools" in able if isinstance(able, list) else None)


def _at(value: object, path: str) -> object:
    """What stands at a path of keys in an object; None if nothing does."""
    for key in path.split("/"):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _names_of(entry: Page) -> tuple[object, ...]:
    return entry.get("id"), entry.get("name"), entry.get("model")


def fetch_capabilities(broker: Broker, model: str, deadline: Deadline) -> Capabilities:
    """The model's capabilities as its server reports them; the first report wins."""
    found = Capabilities()
    for where in _PAGES:
        asked = {"model": model} if where[0] == "/api/show" else None
        page = _page(broker, where[0], asked, deadline)
        if page is None:
            continue
        reported = _reported(page, where, model)
        found = Capabilities(
            found.window or reported.window,
            reported.tools if found.tools is None else found.tools,
            found.parameters or reported.parameters,
        )
        if found.window and found.tools is not None and found.parameters:
            break
    return found


def _page(
    broker: Broker, path: str, question: dict[str, str] | None, deadline: Deadline
) -> Page | None:
    """The JSON object at a path; None if there is none."""
    seconds = {"first": ASKING_SECONDS, "stall": ASKING_SECONDS}
    try:
        with request(broker, path, question, deadline=deadline, **seconds) as response:
            if response.status != OK:
                return None
            page = json.loads(response.page(MAX_PAGE_BYTES, ASKING_SECONDS))
    except TookTooLong:
        raise
    except (ModelUnavailable, ValueError, RecursionError):
        return None
    return page if isinstance(page, dict) else None


def _list(value: object) -> list[Page]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _window(value: object) -> int | None:
    return value if isinstance(value, int) and value >= LEAST_WINDOW else None
