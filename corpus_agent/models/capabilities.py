"""Capabilities of a model as its server reports them: window, support of tools, size.

Each kind of server has its own endpoint; a server without one is not an error. Sends no text of any
document. Called once per server, through the relay of the questions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus_agent.models.discovery import ModelUnavailable
from corpus_agent.models.http import OK, Deadline, TookTooLong, request

if TYPE_CHECKING:
    from corpus_agent.seal.broker import Broker

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


def _llama_cpp(page: Page, _: str) -> Capabilities:
    """GET /props: the context of one slot, and the capabilities of the chat template."""
    caps = _mapping(page.get("chat_template_caps"))
    tools = caps.get("supports_tools")
    window = _mapping(page.get("default_generation_settings")).get("n_ctx")
    return Capabilities(_window(window), tools if isinstance(tools, bool) else None)


def _ollama_loaded(page: Page, model: str) -> Capabilities:
    """GET /api/ps: the context of the model, if it is loaded."""
    for entry in _list(page.get("models")):
        if model in (entry.get("name"), entry.get("model")):
            return Capabilities(_window(entry.get("context_length")))
    return Capabilities()


def _ollama(page: Page, _: str) -> Capabilities:
    """POST /api/show: num_ctx of the Modelfile, else the default; and its capabilities."""
    able = page.get("capabilities")
    tools = "tools" in able if isinstance(able, list) else None
    written = re.search(r"^num_ctx\s+(\d{1,9})", str(page.get("parameters", "")), re.MULTILINE)
    known = "model_info" in page or "details" in page
    window = int(written[1]) if written else _OLLAMA_DEFAULT if known else None
    size = _mapping(page.get("model_info")).get("general.parameter_count")
    return Capabilities(_window(window), tools, _count(size))


def _listed(page: Page, model: str) -> Capabilities:
    """GET /v1/models: the context length that vLLM was started with, llama.cpp's parameters."""
    entries = _list(page.get("data"))
    named = [entry for entry in entries if entry.get("id") == model] or entries[:1]
    if not named:
        return Capabilities()
    size = _mapping(named[0].get("meta")).get("n_params")
    return Capabilities(_window(named[0].get("max_model_len")), parameters=_count(size))


def _lm_studio(page: Page, model: str) -> Capabilities:
    """GET /api/v0/models: the context that LM Studio loaded the model with."""
    for entry in _list(page.get("data")):
        if entry.get("id") == model:
            return Capabilities(_window(entry.get("loaded_context_length")))
    return Capabilities()


Read = Callable[[Page, str], Capabilities]
_ADDRESSES: tuple[tuple[str, str, Read], ...] = (
    ("GET", "/props", _llama_cpp),
    ("GET", "/api/ps", _ollama_loaded),
    ("POST", "/api/show", _ollama),
    ("GET", "/v1/models", _listed),
    ("GET", "/api/v0/models", _lm_studio),
)


def fetch_capabilities(broker: Broker, model: str, deadline: Deadline) -> Capabilities:
    """The model's capabilities as its server reports them; the first report wins."""
    found = Capabilities()
    for method, path, read in _ADDRESSES:
        page = _page(broker, path, {"model": model} if method == "POST" else None, deadline)
        if page is None:
            continue
        reported = read(page, model)
        found = Capabilities(
            found.window or reported.window,
            reported.tools if found.tools is None else found.tools,
            found.parameters or reported.parameters,
        )
        if found.window and found.tools is not None and found.parameters:
            break
    return found


def names(broker: Broker) -> list[str]:
    """The names of the models that a server lists; empty if it does not."""
    page = _page(broker, "/v1/models", None, Deadline(ASKING_SECONDS))
    listed = _list(page.get("data")) if page else []
    return [entry["id"] for entry in listed if isinstance(entry.get("id"), str)]


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


def _mapping(value: object) -> Page:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Page]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _window(value: object) -> int | None:
    return value if isinstance(value, int) and value >= LEAST_WINDOW else None
