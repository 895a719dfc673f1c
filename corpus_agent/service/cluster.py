"""Who makes the shards of `index --cluster`: processes of this machine, or those of a Ray cluster.

A cluster is spoken to by a process of its own (ray_side.py), started before the seal: this process
then has no socket, and that one is given no text. What comes from it is checked here, what was
staged by indexer.sync. Nothing heavy is imported.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import queue
import re
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_agent.service.ray_side import PATIENCE_SECONDS
from corpus_agent.settings import Settings, model_folder
from indexer import CorpusError, LocalHands, ShardLost, UsageError, error_said
from indexer.confine import starting

if TYPE_CHECKING:
    from indexer import Hands

MOST_SLOTS = 256
MAX_REPLY_BYTES = 64 * 2**10
MAX_SHOWN = 500  # characters of what the other side says
LEAST_BYTES = 128 * 2**10  # of a shard
MOST_PATIENCE = PATIENCE_SECONDS + 60.0  # the other side gives up before

_LOCAL = re.compile(r"local:([0-9]{1,4})")
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})")
_COMMAND = starting.python_module("corpus_agent.service.ray_side")  # our number and ADDRESS follow
_TLS = ("RAY_USE_TLS", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")


def hands_for(where: str, settings: Settings) -> Hands:
    """The hands that `--cluster` names, which embed with the model of the settings.

    Called before the seal. Raises UsageError for what names none, CorpusError where no cluster
    answers.
    """
    if settings.embedder is not None:
        raise UsageError(
            "--cluster and --embedder contradict each other.", "Embed in this process alone."
        )
    model = model_folder(settings.model, "--model")
    local = _LOCAL.fullmatch(where)
    if local and 1 <= int(local[1]) <= MOST_SLOTS:
        return LocalHands(int(local[1]), model)
    if where == "auto" or (_ADDRESS.fullmatch(where) and not where.startswith("local:")):
        return RayHands(where, model)
    raise UsageError(
        f"{where!r} names no cluster.",
        f"local:N (1 to {MOST_SLOTS} processes of this machine), auto (a Ray cluster that runs on "
        "it) or HOST:PORT of a Ray cluster.",
    )


def egress_of(where: str) -> str | None:
    """What the JSON says of a cluster that is not on this machine alone."""
    found = _ADDRESS.fullmatch(where)
    host = found[1].strip("[]") if found else ""
    try:
        own = ipaddress.ip_address(host).is_loopback
    except ValueError:
        own = False  # "localhost" is what the resolver makes of it
    return None if own else f"cluster {where}"


class RayHands:
    """The hands of a Ray cluster; `slots` at a time, one for each of its cores."""

    def __init__(
        self,
        where: str,
        model: Path | None = None,
        command: tuple[str, ...] = _COMMAND,
        patience: float = MOST_PATIENCE,
    ) -> None:
        """`patience`: seconds beyond the time of a shard in which the other side is to answer."""
        self.where = where
        self.model = model
        self.egress = egress_of(where)
        self.least_bytes = LEAST_BYTES
        self._patience = patience
        self._process = _started((*command, str(os.getpid()), where))
        self._lock = threading.Lock()
        self._reader: threading.Thread | None = None
        self._waiting: dict[int, queue.SimpleQueue[Mapping[str, Any] | None]] = {}
        self._number = 0
        self._over = False
        self.slots = self._greeted()

    @property
    def pid(self) -> int:
        """The number of the process that speaks to the cluster."""
        return self._process.pid

    def work(self, opening: Mapping[str, Any], order: str, seconds: float, *, fresh: bool) -> str:
        """Have a shard made in the cluster; see indexer.Hands."""
        number, answer = self._sent(
            {"opening": json.dumps(opening), "order": order, "seconds": seconds, "fresh": fresh}
        )
        try:
            reply = answer.get(timeout=seconds + self._patience)
        except queue.Empty:  # it is still known: an answer that comes late is none to a stranger
            raise ShardLost("no answer in time") from None
        with self._lock:
            self._waiting.pop(number, None)
        if reply is None:
            raise self._gone("ended")
        done, error = reply.get("done"), reply.get("error")
        if isinstance(error, dict):
            raise error_said(error.get("kind"), error.get("message", ""), error.get("hint", ""))
        if not isinstance(done, str) or done != json.loads(order)["shard"]:
            raise ShardLost(str(reply.get("lost", "answered another order"))[:MAX_SHOWN])
        return done

    def stop(self) -> None:
        """Part from the cluster, which then ends the tasks of this run."""
        self._over = True
        self._part()

    def close(self) -> None:
        """Wait for the end of the process that speaks to the cluster."""
        self.stop()
        self._process.wait()
        if self._reader is not None:
            self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _greeted(self) -> int:
        """The number of slots; raises CorpusError where there is no cluster."""
        try:
            said = json.loads(_line(self._process.stdout) or b"{}")
            slots = said.get("slots")
        except (ValueError, AttributeError, RecursionError):
            said, slots = {}, None
        if type(slots) is int and slots > 0:
            return min(slots, MOST_SLOTS)
        self.close()
        refused = said.get("refused", "it ended") if isinstance(said, dict) else "it ended"
        missing = "No module named 'ray'" in str(refused)
        raise CorpusError(
            f"The cluster {self.where!r} cannot be used: {str(refused)[:MAX_SHOWN]}.",
            "pip install 'corpus-agent[cluster]'" if missing else "Does it run? Try: ray status",
        )

    def _sent(
        self, request: dict[str, Any]
    ) -> tuple[int, queue.SimpleQueue[Mapping[str, Any] | None]]:
        assert self._process.stdin is not None
        answer: queue.SimpleQueue[Mapping[str, Any] | None] = queue.SimpleQueue()
        with self._lock:
            if self._over:
                raise self._gone("was closed")
            if self._reader is None:  # not before the seal, which wants no other thread
                self._reader = threading.Thread(target=self._read, daemon=True)
                self._reader.start()
            self._number += 1
            self._waiting[self._number] = answer
            try:
                line = json.dumps({"id": self._number, **request}).encode() + b"\n"
                self._process.stdin.write(line)
                self._process.stdin.flush()
            except OSError:
                raise self._gone("ended") from None
            return self._number, answer

    def _read(self) -> None:
        """Hand each reply to the thread that waits for it, until the other side ends."""
        while line := _line(self._process.stdout):
            try:
                said = json.loads(line)
                answer, reply = self._waiting[said["id"]], said["reply"]
            except (ValueError, TypeError, KeyError, RecursionError):
                break  # no line that it should send
            answer.put(reply if isinstance(reply, dict) else {})
        self._over = True
        self._part()

    def _part(self) -> None:
        """Close the pipe, at whose end the other side ends, and release those who wait for it.

        The seal lets no signal reach a process that was started before it.
        """
        with self._lock:
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):
                    self._process.stdin.close()
            for answer in self._waiting.values():
                answer.put(None)

    def _gone(self, how: str) -> CorpusError:
        return CorpusError(
            f"The connection to the cluster {self.where!r} {how}.",
            "What was finished is kept; run the same command again.",
        )


def _started(command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    variables = starting.common_variables() | starting.variables(*_TLS)
    pipe = subprocess.PIPE
    return starting.popen(
        starting.Command(command, variables),
        stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, own_session=True,
    )  # fmt: skip


def _line(stream: Any) -> bytes:  # noqa: ANN401 - of Popen
    """The next line; none that is too long."""
    line: bytes = stream.readline(MAX_REPLY_BYTES)
    return line if line.endswith(b"\n") else b""
