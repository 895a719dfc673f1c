"""What `ask` costs beside the model: sealed, through the broker, a server that answers at once.

    python benchmarks/ask_overhead.py [--store DIR] [--questions 30]

The first question is cold (libraries are imported, weights loaded); the others are warm.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

SAMPLE = Path(__file__).parent.parent / "sample_corpus"
QUESTIONS = (
    "How long can the sourdough starter stay in the fridge without being fed?",
    "How much deposit did we pay for the flat?",
    "What should the boiler pressure be when the system is cold?",
)
DRAFT = 'Up to 12 days [kitchen/sourdough.md:15] "In the fridge he is fine for up to 12 days".'


class Instant(BaseHTTPRequestHandler):
    """Answers every chat with the same draft, at once."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        props = {"default_generation_settings": {"n_ctx": 8192}}
        caps = {"chat_template_caps": {"supports_tools": True}}
        page = {"data": [{"id": "instant"}]} if self.path == "/v1/models" else {**props, **caps}
        self._send(json.dumps(page).encode(), "application/json")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        about = {"id": "0", "object": "chat.completion.chunk", "created": 0, "model": "instant"}
        deltas = [({"content": DRAFT}, None), ({}, "stop")]
        chunks = [
            {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
            for delta, reason in deltas
        ]
        lines = [*map(json.dumps, chunks), "[DONE]"]
        self._send("".join(f"data: {line}\n\n" for line in lines).encode(), "text/event-stream")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def serve() -> None:
    """Serve until the standard input ends: a sealed process can send no signal."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Instant)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


def measured(store: Path, port: int, count: int) -> list[tuple[float, float]]:
    """Wall and CPU seconds of each question, the first one cold."""
    from corpus_agent.settings import Settings
    from corpus_agent.startup import for_reading

    settings = Settings(store=store, llm=f"http://127.0.0.1:{port}")
    launch = for_reading(settings, asking=True)
    settings = launch.settings
    from corpus_agent.service import session

    corpus = session.open_corpus(settings)
    answerer = session.answerer_for(corpus, launch, settings)
    found = []
    for number in range(count + 1):
        question = QUESTIONS[number % len(QUESTIONS)]
        wall, cpu = time.perf_counter(), time.process_time()
        answer, _ = session.ask_recorded(question, corpus, answerer, launch, settings)
        found.append((time.perf_counter() - wall, time.process_time() - cpu))
        assert answer.answerer == "instant" and answer.citations, answer
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve()
    if arguments.port:
        return show(measured(arguments.store, arguments.port, arguments.questions))
    me = [sys.executable, __file__]
    with tempfile.TemporaryDirectory() as scratch:
        store = arguments.store or Path(scratch) / "store"
        if not store.exists():
            index = [sys.executable, "-m", "corpus_agent", "--store", store, "index", SAMPLE]
            subprocess.run(index, check=True)
        pipe = subprocess.PIPE
        with subprocess.Popen([*me, "--serve"], stdin=pipe, stdout=pipe, text=True) as server:
            assert server.stdout is not None and server.stdin is not None
            given = ["--store", store, "--questions", arguments.questions]
            port = server.stdout.readline().strip()
            subprocess.run([*me, "--port", port, *map(str, given)], check=False)
            server.stdin.close()
    return None


def show(rows: list[tuple[float, float]]) -> None:
    """The figures, once for the first question and once for the others."""
    (cold, _), warm = rows[0], rows[1:]
    walls, cpus = sorted(wall for wall, _ in warm), [cpu for _, cpu in warm]
    late = walls[int(0.95 * len(walls))]
    print(f"cold {cold * 1e3:,.0f} ms")
    print(f"warm {median(walls) * 1e3:.0f} ms median, {late * 1e3:.0f} ms at .95, of which")
    print(f"CPU {median(cpus) * 1e3:.0f} ms; {len(warm)} questions")


if __name__ == "__main__":
    main()
