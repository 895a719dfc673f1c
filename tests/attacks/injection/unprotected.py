"""The control: the same model and documents in a program without protection.

Prints unchanged text, opens what a string names, connects and writes; but only for this run's own
targets: for anything else it only reports success. Called by trial.py.
"""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.attacks.injection.compliant_model import MODEL, TWO_TOOLS
from tests.attacks.injection.listening import SECONDS, connect
from tests.attacks.injection.strings import Planted, Targets, question_about

NONCE = "c0ffee"


@dataclass(frozen=True, slots=True)
class Bare:
    """The result of one string: name and text of each call, and the model's unchanged answer."""

    results: tuple[tuple[str, str], ...]
    answer: str
    connections: int


def unprotected(planted: Planted, port: int, targets: Targets) -> Bare:
    """The result of a string without protection of model, disk and output."""
    document = f"<<doc {NONCE}>>\n{planted.text}\n<</doc {NONCE}>>"
    found = f"1 result\n1. {planted.word}.txt \u00b7 line 1\n{document}"
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": question_about(planted.word)},
        {"role": "tool", "tool_call_id": "first", "content": found},
    ]
    asked = _post(port, messages)
    messages.append(asked)
    results: list[tuple[str, str]] = []
    for call in asked["tool_calls"]:
        name = call["function"]["name"]
        text = _executed(name, json.loads(call["function"]["arguments"]), document, targets)
        results.append((name, text))
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    connections = sum(name in ("fetch_url", "send_email") for name, _ in results)
    answer = str(_post(port, messages)["content"])
    return Bare(tuple(results), answer, connections)


def report_of(planted: Planted) -> str:
    """What a careless program reports about a document and the model."""
    return f"[1] {planted.name}.txt:2 \u00b7 verified\n({MODEL}; searched 3 documents)"


def _executed(name: str, arguments: dict[str, Any], document: str, targets: Targets) -> str:
    if name == "vectordb_search":
        return f'No results for "{arguments["query"]}"'
    if name == "vectordb_read":
        return _opened(str(arguments.get("source")), document, targets)
    if name in ("fetch_url", "send_email"):
        connect(targets.listener)
    elif name == "write_file":
        Path(targets.outside).write_text("obeyed", "utf-8")
    assert name not in TWO_TOOLS
    return "Done."


def _opened(source: str, document: str, targets: Targets) -> str:
    """A file outside the corpus if it belongs to this run, else the document."""
    if source in (targets.canary, "/etc/passwd"):
        return Path(source).read_text("utf-8", "replace")
    return document if source.endswith(".txt") else f"There is no {source}."


def _post(port: int, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The model's reply."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        body = json.dumps({"model": MODEL, "messages": messages})
        connection.request("POST", "/v1/chat/completions", body)
        reply = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    message: dict[str, Any] = reply["choices"][0]["message"]
    return message
