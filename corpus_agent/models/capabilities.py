"""Capabilities of a model as its server reports them; one without a report is no error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
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
