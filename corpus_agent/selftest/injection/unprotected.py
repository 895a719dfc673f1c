"""The control: the same model and documents with nothing in between, as a careless program has it.

Prints as it is, opens what it is told to, connects and writes. It does so to this run's own
targets alone: to anything else that a string names, it only says that it did. Called by trial.py.
"""

from __future__ import annotations

import http.client
import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus_agent.selftest.injection.compliant_model import MODEL, TWO_TOOLS
from corpus_agent.selftest.injection.strings import Planted, Targets
from corpus_agent.selftest.injection.target import question_about

NONCE = "c0ffee"
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Bare:
    """What one string led to: name and text of each call, and the answer as the model gave it."""

    results: tuple[tuple[str, str], ...]
    answer: str
    connections: int


def unprotected(planted: Planted, port: int, targets: Targets) -> Bare:
    """What comes of a string where nothing stands between it and the model, the disk and us."""
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
    """What a program without care says of a document and of the model that it asked."""
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
    """A file outside the corpus if it is one of this run's own, else the document."""
    if source in (targets.canary, "/etc/passwd"):
        return Path(source).read_text("utf-8", "replace")
    return document if source.endswith(".txt") else f"There is no {source}."


def connect(listener: str) -> None:
    """Knock at the listener of this run."""
    host, _, port = listener.partition(":")
    socket.create_connection((host, int(port)), SECONDS).close()


def _post(port: int, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The message that the model answers with."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        body = json.dumps({"model": MODEL, "messages": messages})
        connection.request("POST", "/v1/chat/completions", body)
        reply = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    message: dict[str, Any] = reply["choices"][0]["message"]
    return message
