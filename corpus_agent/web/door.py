"""Who may enter: the key, the name of the server, where a form comes from; and what may go out.

An ASGI middleware around all pages. Everything without the cookie is refused, whatever it asks for;
the token of the printed address becomes the cookie once. Knows no page and no document.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import parse_qs

from corpus_agent.web.listening import DoorKeys, ServedSocket

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "corpus-agent"
MAX_BODY_BYTES = 64 * 1024
MAX_TEXT_BYTES = 12_000_000  # of a text to be checked: a million characters, escaped
MAX_TARGET_CHARACTERS = 12_000  # a quotation of 1,000 characters in a script of three bytes
MAX_HEADER_CHARACTERS = 8_000
_MOST_DIGITS = 12  # of a length: more than any form has
MAX_FIELDS = 20
REQUEST_SECONDS = 600  # a page that looks at every document of a large index
FORM = "application/x-www-form-urlencoded"
NO_KEY = 401
_CHANGING = "POST"
_METHODS = ("GET", "HEAD", _CHANGING)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# Not a redirect, which a browser that came from elsewhere would follow without the cookie.
_ENTERED = """<!doctype html><html lang="en"><meta charset="utf-8"><title>corpus-agent</title>
<link rel="icon" href="{base}/static/icon.svg">
<meta http-equiv="refresh" content="0;url={base}/"><p><a href="{base}/">Go on</a></p></html>"""
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>corpus-agent</title>
<h1>{title}</h1>{text}</html>"""
_CLOSED = _PAGE.format(title="This address is closed", text="<p>{reason}</p>")
# No refusal to a person: after a restart every bookmark and every open page leads here.
_NO_KEY = _PAGE.format(
    title="One command opens this page",
    text="<p>The server was started again, or in another browser. In a terminal, type</p>"
    "<pre><code>corpus-agent web --open</code></pre>"
    "<p>or open the address that the server printed in its terminal.</p>",
)

_USED = _PAGE.format(
    title="This address was used already",
    text="<p>Type <code>corpus-agent web --open</code> for a new one.</p>",
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not let in: the status of the answer and the reason."""

    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What decides about a request: its first line and its headers, names in lower case."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    target: str = ""
    version: str = "1.1"

    def every(self, name: str) -> list[str]:
        """All values of a header."""
        return [value for each, value in self.headers if each == name]

    def one(self, name: str) -> str:
        """The value of a header that stands once, "" otherwise."""
        found = self.every(name)
        return found[0] if len(found) == 1 else ""


def refusal(asked: Asked, listener: ServedSocket, keys: DoorKeys) -> Refusal | None:
    """Why a request with no token is refused; None if it may go on to the pages."""
    if (found := malformed(asked) or misnamed(asked, listener)) is not None:
        return found
    if not asked.path.startswith(f"{keys.base}/") or not _has_cookie(asked, keys.cookie):
        return Refusal(NO_KEY, "The key of this server is missing.")
    if asked.one("sec-fetch-site") not in ("", "same-origin", "none"):
        return Refusal(403, "Another page asked for this.")
    if asked.method == _CHANGING:
        if asked.one("origin") != listener.origin:
            return Refusal(403, "This form is of another page.")
        if asked.one("content-type").partition(";")[0].strip().lower() != FORM:
            return Refusal(415, "Only plain forms are read.")
    return None


def malformed(asked: Asked) -> Refusal | None:
    """The refusal of what two readers could understand differently, or that is no plain request."""
    if asked.version not in ("1.0", "1.1"):
        return Refusal(505, "This server speaks HTTP 1.1.")
    if len(asked.target) > MAX_TARGET_CHARACTERS:
        return Refusal(414, "The address is too long.")
    if sum(len(name) + len(value) for name, value in asked.headers) > MAX_HEADER_CHARACTERS:
        return Refusal(431, "The headers are too long.")
    if asked.method not in _METHODS:
        return Refusal(405, "Pages are read with GET and changed with POST.")
    sizes, codings = asked.every("content-length"), asked.every("transfer-encoding")
    if len(asked.every("host")) != 1 or len(sizes) > 1 or codings:
        return Refusal(400, "The request can be read in more than one way.")
    if asked.every("upgrade"):
        return Refusal(400, "Nothing else than HTTP is spoken here.")
    is_number = bool(sizes) and sizes[0].isdecimal() and len(sizes[0]) <= _MOST_DIGITS
    most = MAX_TEXT_BYTES if asked.path.endswith("/check") else MAX_BODY_BYTES
    if sizes and not (is_number and int(sizes[0]) <= most):
        return Refusal(413, f"A form has at most {most:,} bytes.")
    return None


def misnamed(asked: Asked, listener: ServedSocket) -> Refusal | None:
    """The refusal of a request for another server: a name elsewhere may lead to this machine."""
    if asked.one("host").lower() == listener.host:
        return None
    return Refusal(403, "This server has another name.")


def _has_cookie(asked: Asked, value: str) -> bool:
    pairs = (
        pair.strip().partition("=") for line in asked.every("cookie") for pair in line.split(";")
    )
    given = [each for name, _, each in pairs if name == COOKIE]
    return any(hmac.compare_digest(each.encode(), value.encode()) for each in given)


class Door:
    """The middleware; `keys.token` opens it once."""

    def __init__(self, app: App, listener: ServedSocket, keys: DoorKeys) -> None:
        self._app = app
        self._listener = listener
        self._keys = keys
        self._used = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer why not."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        asked = _asked(scope)
        out = _closing(send)
        if self._is_token(asked, scope):
            return await self._enter(out)
        refused = refusal(asked, self._listener, self._keys)
        if refused is not None:
            closed = _CLOSED.format(reason=escape(refused.reason))
            page = _NO_KEY if refused.status == NO_KEY else closed
            return await _answer(out, refused.status, page)
        body = await _body(receive, asked)
        if body is None:
            return None  # the other side has gone
        scope.setdefault("state", {})["form"] = _form(body) if asked.method == _CHANGING else {}
        scope["root_path"] = self._keys.base
        async with asyncio.timeout(REQUEST_SECONDS):
            await self._app(scope, _once(body), out)
        return None

    def _is_token(self, asked: Asked, scope: Scope) -> bool:
        """Whether a request brings the token, used up or not."""
        if asked.method != "GET" or asked.path != "/":
            return False
        if malformed(asked) is not None or misnamed(asked, self._listener) is not None:
            return False
        query = scope["query_string"].decode("ascii", "replace")
        return hmac.compare_digest(query.encode(), f"token={self._keys.token}".encode())

    async def _enter(self, send: Send) -> None:
        """Give the cookie for the token, once."""
        if self._used:
            return await _answer(send, NO_KEY, _USED)
        self._used = True
        value = f"{COOKIE}={self._keys.cookie}; Path={self._keys.base}/; HttpOnly; SameSite=Strict"
        entered = _ENTERED.format(base=self._keys.base)
        return await _answer(send, 200, entered, {"Set-Cookie": value})


def _asked(scope: Scope) -> Asked:
    headers = tuple((n.decode("latin-1").lower(), v.decode("latin-1")) for n, v in scope["headers"])
    target = scope["raw_path"] + b"?" + scope["query_string"]
    return Asked(
        scope["method"], scope["path"], headers, target.decode("latin-1"), scope["http_version"]
    )


def _closing(send: Send) -> Send:
    """`send`, with the headers that every answer has."""

    async def closed(message: Message) -> None:
        if message["type"] == "http.response.start":
            ours = [(n.lower().encode(), v.encode()) for n, v in HEADERS.items()]
            names = {name for name, _ in ours}
            kept = [(n, v) for n, v in message.get("headers", ()) if n.lower() not in names]
            message["headers"] = [*kept, *ours]
        await send(message)

    return closed


async def _answer(
    send: Send, status: int, page: str, more: Mapping[str, str] | None = None
) -> None:
    body = page.encode()
    headers = {"content-type": "text/html; charset=utf-8", "content-length": str(len(body))}
    if status != 200:
        headers["connection"] = "close"  # what is left of a refused body is not read
    listed = [(n.lower().encode(), v.encode()) for n, v in (headers | dict(more or {})).items()]
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": body})


async def _body(receive: Receive, asked: Asked) -> bytes | None:
    """The whole body, whose size was bounded by its header; None if the connection was closed."""
    if not asked.every("content-length"):
        return b""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _form(body: bytes) -> dict[str, str]:
    """The fields of a form; of one that stands twice the last, none of one that is no form."""
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        return {}
    return {name: values[-1] for name, values in fields.items()}


def _once(body: bytes) -> Receive:
    """A receiver of a body that was read already."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
