"""Receipts: records of an answer in a file and the store's log, checked again without a model."""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from corpus_agent.answering.quotations import check_quotation
from corpus_agent.settings import MARK
from corpus_agent.text.sanitize import inert, visible
from indexer import (
    CorpusError,
    FileRow,
    Refused,
    Unreachable,
    UsageError,
    __version__,
    read_regular,
)

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Citation, Passage
    from corpus_agent.tools.corpus import CorpusView
    from indexer import OpenStore

RECEIPT_VERSION = 1
LOG_NAME, OLD_LOG_NAME = "receipts.jsonl", "receipts.1.jsonl"
MAX_LOG_BYTES = 4_000_000  # of each of the two files; the older is replaced when the newer is full
MAX_RECEIPT_BYTES = 50_000_000  # read back by `check`
_KEY_CHARACTERS = 32

Receipt = dict[str, Any]
RowOf = Callable[[str], FileRow | None]
FileState = Literal["unchanged", "changed", "gone", "unreachable"]
_NEEDED: dict[str, type | tuple[type, ...]] = {
    "source": str,
    "quote": str,
    "line_start": int,
    "line_end": int,
    "file_sha256": (str, type(None)),
}


def receipt(
    answer: Answer,
    row_of: RowOf,
    *,
    seal: str,
    server: str | None,
    started: datetime,
    seconds: float,
    stores: Sequence[OpenStore] = (),
    follows: str | None = None,
    conversation: str | None = None,
) -> Receipt:
    """The record of one answer; quotations are kept as in the documents.

    `stores` are those that were read together, `follows` the question before it in a conversation.
    """
    read_together = [{**asdict(one), "store": str(one.store)} for one in stores]
    return {
        "receipt": RECEIPT_VERSION,
        "program": f"corpus-agent {__version__}",
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "seal": seal,
        "question": answer.question,
        "follows": follows,
        "conversation": conversation,
        "answer": inert(answer.text),
        "status": answer.status,
        "probability": answer.probability,
        "changed": list(answer.changed),
        "answerer": answer.answerer,
        "server": server,
        "version": answer.version,
        "coverage": asdict(answer.coverage),
        "calls": [asdict(call) for call in answer.calls],
        "citations": [_cited(passage, row_of) for passage in answer.passages],
        "unsupported": list(answer.unsupported),
        "notices": list(answer.notices),
        "egress": answer.egress,
        "model_server": answer.model_server and asdict(answer.model_server),
        **({"stores": read_together} if read_together else {}),
    }


def _cited(passage: Passage, row_of: RowOf) -> dict[str, Any]:
    row = row_of(passage.citation.source)
    return {
        **asdict(passage.citation),
        "text": passage.text,
        "probability": passage.probability,
        "file_sha256": row.sha256 if row else None,
    }


def line_of(content: Receipt) -> bytes:
    """A receipt as one line of JSON; ASCII, so that it cannot control a terminal."""
    return (json.dumps(content) + "\n").encode("ascii")


def signed(content: Receipt, key: bytes | None) -> Receipt:
    """The receipt with its signature; without one where there is no key."""
    return content if key is None else {**content, "signature": _signature(content, key)}


def is_own(content: Receipt, key: bytes | None) -> bool:
    """Whether this program made the receipt here, and nobody changed it since."""
    given = content.get("signature")
    if key is None or not isinstance(given, str) or not given.isascii():
        return False
    return hmac.compare_digest(given, _signature(content, key))


def _signature(content: Receipt, key: bytes) -> str:
    """HMAC-SHA256 of the canonical JSON of all but the signature itself."""
    rest = {name: value for name, value in content.items() if name != "signature"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, text.encode("ascii"), hashlib.sha256).hexdigest()


# ---- Writing


def log(store: Path, content: Receipt, max_bytes: int = MAX_LOG_BYTES) -> str | None:
    """Append a receipt to the store's log; returns the reason if the store cannot be written.

    A log of `max_bytes` is renamed to the old one, which it replaces.
    """
    path, line = store / LOG_NAME, line_of(content)
    try:
        descriptor = _open_log(path, max_bytes - len(line))
        try:
            if os.fstat(descriptor).st_nlink > 1:
                return "This answer is not in the store's log, which has another name elsewhere."
            written = os.write(descriptor, line)  # one call: concurrent answers do not interleave
            if written < len(line):  # the next answer is to begin a line
                os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
                return "This answer is not in the store's log: the disk is full."
        finally:
            os.close(descriptor)
    except OSError as error:
        return f"This answer is not in the store's log: {error.strerror}."
    return None


def _open_log(path: Path, most: int) -> int:
    """The log, locked and with at most so many bytes; a longer one is put away."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        descriptor = os.open(path, flags | os.O_NONBLOCK, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # until it is closed
            size = os.fstat(descriptor).st_size
            # Another answer may have put it away meanwhile: what is locked is then the old log.
            if os.path.samestat(os.fstat(descriptor), path.stat(follow_symlinks=False)):
                if size <= max(most, 0):
                    return descriptor
                path.replace(path.with_name(OLD_LOG_NAME))
        except FileNotFoundError:
            pass  # put away, and not begun anew yet
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)


# ---- The log, read back


def key_of(content: Receipt) -> str:
    """What names a receipt of the log: the beginning of the SHA-256 of its line."""
    return hashlib.sha256(line_of(content)).hexdigest()[:_KEY_CHARACTERS]


def logged(store: Path) -> tuple[list[Receipt], int]:
    """The receipts of a log, the newest first, and how many lines are none. Raises CorpusError."""
    found: list[Receipt] = []
    bad = 0
    for name in (OLD_LOG_NAME, LOG_NAME):
        try:
            data = read_regular(store / name, MAX_RECEIPT_BYTES)
        except FileNotFoundError:  # most stores have no old log, a new one has none at all
            continue
        except OSError as error:
            raise CorpusError(f"The store's log cannot be read: {error.strerror}.") from None
        for line in filter(bytes.strip, data.splitlines()):
            try:
                found.append(_receipt_in(line, name))
            except UsageError:
                bad += 1
    return found[::-1], bad


def delete(store: Path, key: str) -> bool:
    """Blank out the receipt of that key in the log; whether it was there. Raises CorpusError.

    In place, so that an answer that is logged meanwhile is not lost.
    """
    for name in (LOG_NAME, OLD_LOG_NAME):
        try:
            flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(store / name, flags)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise CorpusError(f"The store's log cannot be written: {error.strerror}.") from None
        with os.fdopen(descriptor, "r+b") as file:
            info = os.fstat(file.fileno())
            if not stat.S_ISREG(info.st_mode) or info.st_nlink > 1:
                raise CorpusError("The store's log is no file of its own.")
            at = 0
            for line in file:
                if hashlib.sha256(line).hexdigest()[:_KEY_CHARACTERS] == key:
                    os.pwrite(file.fileno(), b" " * (len(line) - 1), at)
                    return True
                at += len(line)
    return False


# ---- Checking


@dataclass(frozen=True, slots=True)
class Rechecked:
    """A citation of a receipt, checked again: as it stands `now`, without a quote if nowhere.

    `was` are its lines in the receipt; `file` is whether the document is the one that was quoted.
    """

    now: Citation
    was: tuple[int, int]
    file: FileState

    @property
    def holds(self) -> bool:
        """Whether the document still contains the quotation, there or elsewhere."""
        return self.now.stands


def load(path: Path) -> list[Receipt]:
    """The receipts of a file: one, or the lines of a log. Raises UsageError for any other file."""
    try:
        data = read_regular(path, MAX_RECEIPT_BYTES)
    except OSError as error:
        raise UsageError(f"The receipt {str(path)!r} cannot be read: {error.strerror}.") from None
    return receipts_in(data, str(path))


def receipts_in(data: bytes, name: str) -> list[Receipt]:
    """The receipts of a file's bytes; raises UsageError for any other file."""
    lines = enumerate(data.splitlines(), start=1)
    found = [_receipt_in(line, f"{name!r}, line {n}") for n, line in lines if line.strip()]
    if not found:
        raise UsageError(f"{name!r} holds no receipt.", "Make one: corpus-agent ask --receipt")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys all differ: of two equal ones, readers take the first or the last."""
    if len(found := dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _receipt_in(line: bytes, where: str) -> Receipt:
    try:
        content = json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or not isinstance(content.get("citations"), list):
        raise UsageError(f"{where}: not a receipt of corpus-agent.")
    version = content.get("receipt")
    if version != RECEIPT_VERSION:
        # The content of another program's file is not repeated in a message.
        shown = version if isinstance(version, int | None) else "unknown"
        reads = f"this program reads version {RECEIPT_VERSION}."
        raise UsageError(f"{where}: a receipt of version {shown}; {reads}")
    for cited in content["citations"]:
        known = cited if isinstance(cited, dict) else {}
        if not all(isinstance(known.get(key), kind) for key, kind in _NEEDED.items()):
            raise UsageError(f"{where}: a citation lacks one of {', '.join(_NEEDED)}.")
    return content


def check(
    content: Receipt, corpus: CorpusView, row_of: RowOf, stores: Sequence[OpenStore] = ()
) -> Iterable[Rechecked]:
    """Each quotation of a receipt, checked in the current file.

    `stores` are those of the corpus if they are several. Raises UsageError for one of others.
    """
    names = _names_now(content, stores)
    for number, cited in enumerate(content["citations"], start=1):
        line, last = cited["line_start"], cited["line_end"]
        name, mark, rest = cited["source"].partition(MARK)
        source = f"{names[name]}{mark}{rest}" if name in names else cited["source"]
        n = cited["n"] if isinstance(cited.get("n"), int) else number
        now = check_quotation(corpus, n, source, cited["quote"], line)
        if now.verdict == "not_found":
            now = replace(now, line_end=last, quote="")
        state = _state(source, cited.get("file_sha256"), corpus, row_of)
        yield Rechecked(now, (line, last), state)


def _names_now(content: Receipt, stores: Sequence[OpenStore]) -> dict[str, str]:
    """Today's names of the stores that a receipt is of, by their names then; none of one store.

    A receipt opens no store: its own are compared with those that the user named.
    """
    listed = content.get("stores")
    then = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    today = {str(one.store): one.name for one in stores}
    named = {str(one.get("name")): today.get(str(one.get("store"))) for one in then}
    found = {was: now for was, now in named.items() if now is not None}
    if then and len(found) < len(named):
        of = ", ".join(visible(name)[:60] for name in named)
        raise UsageError(
            f"A receipt is of several indexes, and not all of them are named: {of}.",
            "Name them: corpus-agent check FILE -s NAME -s NAME; their names: corpus-agent stores",
        )
    if stores and not then and content["citations"]:
        raise UsageError(
            f"A receipt is of one index, and {len(stores)} are named.", "Name the one: -s NAME"
        )
    return found


def _state(source: str, digest: str | None, corpus: CorpusView, row_of: RowOf) -> FileState:
    """The state of a document: whether its bytes are those that were quoted."""
    row = row_of(source)
    try:
        stale = corpus.read(source, limit=1).stale
    except Unreachable:
        return "unreachable"
    except Refused:
        return "gone"
    return "unchanged" if row is not None and row.sha256 == digest and not stale else "changed"
