"""Small true implementations for tests: a corpus in memory, an encoder, a model server.

Nothing here patches or imitates a call: the corpus searches and reads, the encoder embeds, the
server speaks HTTP on loopback. Used by every test that needs one of them.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import select
import socket
import socketserver
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from corpus_agent.answering.records import Citation, Passage, alone
from corpus_agent.models.discovery import Server
from corpus_agent.seal import Gate, TcpAddress, UnixAddress
from corpus_agent.seal.broker import Broker, Exchange, OnFrame
from corpus_agent.seal.frames import Head, ReplyKind, packed_failure, packed_head
from corpus_agent.seal.frames import Reply as Frame
from corpus_agent.seal.routes import ROUTES, body_to_send, number_of
from corpus_agent.seal.upstream import Failed, replies
from corpus_agent.seal.upstream import Line as Connection
from corpus_agent.text.naming import quoted
from corpus_agent.text.tokens import terms
from indexer.embed import Encoded, Tokens
from indexer.errors import Refused, Unreachable
from indexer.fusion import diverse
from indexer.records import Chunk, Coverage, FileRow, Hit, Line, Query, page_mark
from indexer.store.document_names import Names
from indexer.window import MAX_WINDOW_LINES, Window, check_numbers, cut_window

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_TITLE = re.compile(r"(#{1,6})\s+(\S.*)")


class MemoryCorpus:
    """The `CorpusView` protocol over texts in memory; a list of texts is a document with pages.

    A list of lines is a document as it is. A passage is a paragraph, its score the share of the
    query's distinct words that it holds. `unreadable` files count as empty; sources in `stale`
    count as changed after indexing, those in `unreachable` as on a disk that is not there now.
    """

    def __init__(
        self,
        documents: Mapping[str, str | Sequence[str | Line]],
        unreadable: int = 0,
        stale: Collection[str] = (),
        unreachable: Collection[str] = (),
    ) -> None:
        self.encoder = ToyEncoder()
        self._unreachable = frozenset(unreachable)
        self._lines = {source: _lines(text) for source, text in documents.items()}
        self._unreadable = unreadable
        self._stale = frozenset(stale)

    @property
    def version(self) -> int:
        return 1

    def coverage(self) -> Coverage:
        return Coverage(indexed=len(self._lines), empty=self._unreadable)

    def search(self, query: Query) -> list[Hit]:
        wanted = set(terms(query.text))
        if not wanted:
            raise Refused("The query holds no words.", "Search for what the text would say.")
        among = self._lines.keys() if query.among is None else query.among & self._lines.keys()
        hits = [hit for source in sorted(among) for hit in self._hits(source, wanted)]
        names = Names(self._lines)
        full, short = names.find(query.text)
        named = names.nearness(full.union(*short.values()), query.text)
        hits = [replace(hit, named=named.get(hit.chunk.source, 0.0)) for hit in hits]
        hits.sort(key=_rank)
        places = [(hit.chunk.source, hit.chunk.page_start) for hit in hits]
        return [hits[number] for number in diverse(places, query)]

    def read(self, source: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Window:
        check_numbers(offset, limit)
        if source not in self._lines:
            near = get_close_matches(source, self._lines, n=3, cutoff=0.5)
            hint = f"Did you mean {', '.join(map(repr, near))}? " if near else ""
            raise Refused(f"{source!r} is not in the index.", f"{hint}Search to find sources.")
        if source in self._unreachable:
            raise Unreachable(f"{source!r} cannot be read now.", "Use other documents.")
        stale = source in self._stale
        return cut_window(source, self._lines[source], offset, limit, stale=stale, quote=quoted)

    def amendments(self, source: str) -> list[str]:
        return Names(self._lines).amendments(source)

    def heading(self, name: str, line: int) -> str:
        return [c.heading for c in paragraphs(name, self._lines[name]) if c.line_start <= line][-1]

    def _hits(self, source: str, wanted: set[str]) -> Iterator[Hit]:
        for chunk in paragraphs(source, self._lines[source]):
            common = len(wanted.intersection(terms(chunk.text)))
            if common:
                score = common / len(wanted)
                away = source in self._unreachable
                hit = Hit(chunk, score, score, float(common), relevance=score)
                yield replace(hit, stale=away or source in self._stale, unreachable=away)


class ListedCorpus(MemoryCorpus):
    """The same with a list of its files; `unread` are names of those that gave no text."""

    def __init__(
        self,
        documents: Mapping[str, str | Sequence[str | Line]],
        unread: Sequence[str] = (),
        stale: Collection[str] = (),
    ) -> None:
        super().__init__(documents, len(unread), stale)
        self._unread = unread
        self.notices: tuple[str, ...] = ()

    def files(self, paths: Sequence[str] = (), not_paths: Sequence[str] = ()) -> list[FileRow]:
        rows = [FileRow(source, "indexed", chunks=1) for source in sorted(self._lines)]
        return [*rows, *(FileRow(source, "failed", reason="malformed") for source in self._unread)]


def passages(*citations: Citation) -> tuple[Passage, ...]:
    return tuple(map(alone, citations))


def _rank(hit: Hit) -> tuple[float, str, int]:
    return -hit.score, hit.chunk.source, hit.chunk.ordinal


def _lines(text: str | Sequence[str | Line]) -> tuple[Line, ...]:
    if isinstance(text, str):
        return tuple(Line(line) for line in text.splitlines())
    lines: list[Line] = []
    for page, part in enumerate(text, start=1):
        if isinstance(part, Line):
            lines.append(part)
        else:
            lines += [Line(line, page) for line in (page_mark(page), *part.splitlines())]
    return tuple(lines)


def paragraphs(source: str, lines: Sequence[Line]) -> list[Chunk]:
    """The runs of lines that hold text, each under the path of `#` titles above it."""
    chunks: list[Chunk] = []
    titles: list[str] = []
    start = 0
    for number, line in enumerate([*lines, Line("")], start=1):
        title = _TITLE.fullmatch(line.text)
        blank = not line.text.strip() or line.text == page_mark(line.page or 0)
        if (blank or title) and start:
            chunks.append(_chunk(source, lines, len(chunks), start, number - 1, titles))
            start = 0
        if title:
            titles = [*titles[: len(title[1]) - 1], title[2]]
        elif not blank:
            start = start or number
    return chunks


def _chunk(
    source: str, lines: Sequence[Line], ordinal: int, start: int, end: int, titles: list[str]
) -> Chunk:
    text = "\n".join(line.text for line in lines[start - 1 : end])
    pages = lines[start - 1].page, lines[end - 1].page
    return Chunk(source, ordinal, text, " > ".join(titles), start, end, *pages)


class ToyEncoder:
    """An `Encoder` without weights: each word has its own place in the vector.

    Texts are near each other as far as they share words, in every process alike.
    """

    name = "toy"
    passage_tokens = 200
    document_prefix = ""
    query_prefix = ""

    def __init__(self, dimension: int = 64, max_tokens: int = 64) -> None:
        self.dimension = dimension
        self.max_tokens = max_tokens
        self.weights_sha256 = hashlib.sha256(f"toy {dimension}".encode()).hexdigest()

    @property
    def tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer, models, pre_tokenizers

        tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        return tokenizer

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        return [Tokens(t.ids, t.offsets) for t in self.tokenizer.encode_batch(list(texts))]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32, (len(texts), dimension), rows of length 1."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in terms(text) or [""]:
                digest = hashlib.sha256(word.encode()).digest()
                row[int.from_bytes(digest[:8]) % self.dimension] += 1.0
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        found = []
        for text, vector in zip(texts, self.encode(texts), strict=True):
            offsets = self.tokenizer.encode(text).offsets
            tokens = self.encode([text[start:end] for start, end in offsets])
            found.append(Encoded(vector, np.array(offsets, np.int64).reshape(-1, 2), tokens))
        return found


class DirectBroker(Broker):
    """A broker without a process of its own: the relay's client, in threads of this one."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(gate, -1, -1, 0)
        self._open: dict[int, Connection] = {}

    def ask(self, method: str, path: str, body: bytes, on_frame: OnFrame) -> Exchange:
        route = ROUTES[number_of(method, path)]
        content = body_to_send(route, body, self.gate.models)
        number, line = next(self._numbers), Connection()
        self._open[number] = line

        def answer() -> None:
            last = Frame(number, ReplyKind.END)
            try:
                for part in replies(self.gate, None, route, content, line):
                    if isinstance(part, Head):
                        on_frame(Frame(number, ReplyKind.HEAD, packed_head(part)))
                    else:
                        on_frame(Frame(number, ReplyKind.DATA, part))
            except Failed as error:
                last = Frame(number, ReplyKind.FAILED, packed_failure(error.failure))
            line.close()
            on_frame(last)

        threading.Thread(target=answer, daemon=True).start()
        return Exchange(self, number)

    def forget(self, number: int) -> None:
        self._open.pop(number).cut()


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers to one chat request; made by the functions below.

    `calls` are tool names with their arguments as the model writes them, valid JSON or not.
    `pause` seconds pass in the middle of the content, or fewer once `go_on` is set. `likeliest`
    are words in place of the first with the logarithms of their probabilities.
    """

    content: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str = "application/json"
    status: int = 200
    location: str = ""
    delay: float = 0.0
    pause: float = 0.0
    go_on: threading.Event | None = None
    likeliest: tuple[tuple[str, float], ...] = ()


def says(content: str, delay: float = 0.0) -> Reply:
    return Reply(content=content, delay=delay)


def reads(**probabilities: float) -> Reply:
    """A reply of the likeliest word, with the probability of each as the server reports it."""
    likeliest = sorted(probabilities.items(), key=lambda each: -each[1])
    named = tuple((word, math.log(p)) for word, p in likeliest)
    return Reply(content=likeliest[0][0], likeliest=named)


def calls(*tool_calls: tuple[str, dict[str, Any] | str]) -> Reply:
    written = ((n, a if isinstance(a, str) else json.dumps(a)) for n, a in tool_calls)
    return Reply(calls=tuple(written))


def raw(body: bytes, content_type: str = "application/json") -> Reply:
    return Reply(body=body, content_type=content_type)


def fails(status: int, message: str = "it broke") -> Reply:
    """A reply of an error status, as OpenAI-compatible servers send it."""
    return Reply(status=status, body=json.dumps({"error": {"message": message}}).encode())


def redirects(location: str) -> Reply:
    return Reply(status=307, body=b"", location=location)


def stalls(content: str, seconds: float, go_on: threading.Event | None = None) -> Reply:
    """A reply that stands still for `seconds`, or until `go_on`, in the middle of the text."""
    return Reply(content=content, pause=seconds, go_on=go_on)


@dataclass
class ScriptedModelServer:
    """A model server on loopback that plays back replies and records every request.

    Speaks the OpenAI chat-completions protocol, streamed. A request beyond the script gets
    status 500. `models` is what GET /v1/models lists; `listing` replaces that answer; `pages` are
    answers to other addresses, as "GET /props". Listens on a port of `host` that the system
    chooses, or `at` that one, or on the Unix socket `path`.
    """

    replies: Sequence[Reply] = ()
    models: Sequence[str] = ("toy-model",)
    listing: Reply | None = None
    pages: Mapping[str, Reply] = field(default_factory=dict)
    host: str = "127.0.0.1"
    at: int = 0
    path: Path | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)  # requests that were ended while it paused

    def __enter__(self) -> Self:
        self.over = threading.Event()
        self._http = _Listener(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def server(self) -> Server:
        address = UnixAddress(str(self.path)) if self.path else TcpAddress(self.host, self.port)
        return Server(address)

    @property
    def broker(self) -> Broker:
        names = frozenset([*self.models, "toy-model"])
        return DirectBroker(Gate(self.server.address, names, None))

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    def list_models(self) -> Reply:
        data = [{"id": name, "object": "model"} for name in self.models]
        return self.listing or raw(json.dumps({"object": "list", "data": data}).encode())

    def next_reply(self, request: dict[str, Any]) -> Reply:
        self.requests.append(request)
        at = len(self.requests) - 1
        return self.replies[at] if at < len(self.replies) else fails(500, "the script is over")


class _Listener(ThreadingHTTPServer):
    def __init__(self, script: ScriptedModelServer) -> None:
        self.script = script
        if script.path:
            self.address_family = socket.AF_UNIX
        super().__init__(str(script.path) if script.path else (script.host, script.at), _Handler)  # type: ignore[arg-type]

    def server_bind(self) -> None:
        """Bind; http.server's own also looks its host name up, which a path has not."""
        socketserver.TCPServer.server_bind(self)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener

    def do_GET(self) -> None:
        self._note()
        script = self.server.script
        page = script.pages.get(f"GET {self.path}")
        if page is None and self.path == "/v1/models":
            page = script.list_models()
        self._send(page or fails(404, "no such page"))

    def do_POST(self) -> None:
        self._note()
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            page = self.server.script.pages.get(f"POST {self.path}")
            return self._send(page or fails(404, "no such page"))
        reply = self.server.script.next_reply(request)
        self.server.script.over.wait(reply.delay)
        if reply.body is not None:
            self._send(reply)
        else:
            self._stream(reply, request["model"])
        return None

    def _stream(self, reply: Reply, model: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        events = _events(reply, model)
        try:
            for number, event in enumerate(events):
                if number == len(events) // 2:
                    self._pause(reply.pause, reply.go_on)
                self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _pause(self, seconds: float, go_on: threading.Event | None) -> None:
        """Wait, and note a client that ends the request meanwhile."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.server.script.over.wait(0.05):
            if go_on is not None and go_on.is_set():
                return
            ready, _, _ = select.select([self.connection], [], [], 0)
            if ready and not self.connection.recv(1, socket.MSG_PEEK):
                self.server.script.left.append(self.path)
                raise ConnectionResetError

    def address_string(self) -> str:
        """Who called, for the log; over a Unix socket there is no name."""
        return "client"

    def _note(self) -> None:
        self.server.script.paths.append(f"{self.command} {self.path}")
        self.server.script.headers.append(dict(self.headers.items()))

    def _send(self, reply: Reply) -> None:
        body = reply.body or b""
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(body)))
        if reply.location:
            self.send_header("Location", reply.location)
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing: the test says what it saw."""


def _events(reply: Reply, model: str) -> list[bytes]:
    """The reply as server-sent events: role, text in pieces, tool calls, end."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in re.findall(r"\S+\s*|\s+", reply.content)]
    deltas += [{"tool_calls": [{"index": i, **c}]} for i, c in enumerate(_tool_calls(reply))]
    choices: list[dict[str, Any]] = [{"delta": delta, "finish_reason": None} for delta in deltas]
    if reply.likeliest:
        top = [{"token": word, "logprob": p, "bytes": None} for word, p in reply.likeliest]
        choices[1]["logprobs"] = {"content": [{**top[0], "top_logprobs": top}], "refusal": None}
    choices.append({"delta": {}, "finish_reason": "tool_calls" if reply.calls else "stop"})
    about = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": model}
    events = [json.dumps({**about, "choices": [{"index": 0, **choice}]}) for choice in choices]
    return [f"data: {event}\n\n".encode() for event in [*events, "[DONE]"]]


def _tool_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": text}}
        for at, (name, text) in enumerate(reply.calls)
    ]
