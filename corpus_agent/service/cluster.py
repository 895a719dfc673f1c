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
import re
import subprocess
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_agent.settings import Settings, model_folder
from indexer import CorpusError, LocalHands, UsageError
from indexer.confine import starting

if TYPE_CHECKING:
    from indexer import Hands

MOST_SLOTS = 256
MAX_REPLY_BYTES = 64 * 2**10
MAX_SHOWN = 500  # characters of what the other side says
LEAST_BYTES = 128 * 2**10  # of a shard

_LOCAL = re.compile(r"local:([0-9]{1,4})")
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})")
_COMMAND = starting.python_module("corpus_agent.service.ray_side")  # our number and ADDRESS follow
_TLS = ("RAY_USE_TLS", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")


def hands_for(where: str, settings: Settings) -> Hands:
    """The hands that `--cluster` names, which embed with the model of the settings."""
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
        self, where: str, model: Path | None = None, command: tuple[str, ...] = _COMMAND
    ) -> None:
        self.where = where
        self.model = model
        self.egress = egress_of(where)
        self.least_bytes = LEAST_BYTES
        self._process = _started((*command, str(os.getpid()), where))
        self.slots = self._greeted()

    def made(self, opening: str, orders: Sequence[tuple[str, str]]) -> Generator[tuple[int, str]]:
        """See indexer.Hands; the other side reads all orders before it answers the first."""
        lines = [opening, *({"name": name, "order": order} for name, order in orders)]
        assert self._process.stdin is not None
        left = {*range(len(orders))}
        try:
            with contextlib.suppress(BrokenPipeError):  # its end is seen below
                for line in lines:
                    self._process.stdin.write(json.dumps(line).encode() + b"\n")
                self._process.stdin.write(b"\n")
                self._process.stdin.flush()
            while left:
                reply = self._reply()
                number, why = reply.get("number"), reply.get("why")
                if type(number) is not int or number not in left or not isinstance(why, str):
                    raise CorpusError(
                        f"The connection to the cluster {self.where!r} ended.",
                        "What was finished is kept; run the same command again.",
                    )
                left.remove(number)
                yield number, why[:MAX_SHOWN]
        finally:
            self.close()

    def close(self) -> None:
        """Part from the cluster, which then ends the tasks of this run.

        The seal lets no signal reach a process that was started before it: it ends with its pipe.
        """
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._process.wait()

    def _greeted(self) -> int:
        """The number of slots; raises CorpusError where there is no cluster."""
        said = self._reply()
        slots = said.get("slots")
        if type(slots) is int and slots > 0:
            return min(slots, MOST_SLOTS)
        self.close()
        refused = str(said.get("refused", "it ended"))[:MAX_SHOWN]
        missing = "No module named 'ray'" in refused
        raise CorpusError(
            f"The cluster {self.where!r} cannot be used: {refused}.",
            "pip install 'corpus-agent[cluster]'" if missing else "Does it run? Try: ray status",
        )

    def _reply(self) -> dict[str, Any]:
        """The next line of the other side; empty at its end, and for what it should not send."""
        assert self._process.stdout is not None
        try:
            said = json.loads(self._process.stdout.readline(MAX_REPLY_BYTES))
        except (ValueError, RecursionError):
            said = None
        return said if isinstance(said, dict) else {}


def _started(command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    variables = starting.common_variables() | starting.variables(*_TLS)
    pipe = subprocess.PIPE
    return starting.popen(
        starting.Command(command, variables),
        stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, own_session=True,
    )  # fmt: skip
