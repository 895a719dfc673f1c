"""Who does the work of shards: an interface, and processes of this machine.

A hand is started by exec, gets orders and answers with the name of what it staged; what it says is
checked here, what it staged in shard_result.py.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from indexer.confine import starting
from indexer.errors import CorpusError, error_said
from indexer.extract import extensions
from indexer.sync.shards import LEAST_BYTES

START_SECONDS = 120.0
MAX_REPLY_BYTES = 64 * 2**10
TOO_LONG = "took too long"  # a shard that is lost for this is halved at once

COMMAND = starting.python_module("indexer.sync.shard_child")  # the parent's number follows
# One thread each: there are as many hands as there is to be work at a time.
_ONE_THREAD = dict.fromkeys((*starting.THREADS, "TOKENIZERS_PARALLELISM"), "1")


class ShardLost(Exception):
    """The hand ended, or took too long, or said what it must not."""


class Hands(Protocol):
    """Makes shards for the thread that asks, at most `slots` at a time.

    Shards of less than `least_bytes` are not worth handing over. `where` names the cluster, `model`
    is the folder of the embedding model, None for the packaged one. `egress` says what leaves this
    machine, None if nothing does.
    """

    slots: int
    least_bytes: int
    where: str
    model: Path | None
    egress: str | None

    def work(self, opening: Mapping[str, Any], order: str, seconds: float, *, fresh: bool) -> str:
        """Have a shard made, by another hand than before if `fresh`; the name of what was staged.

        Raises ShardLost, and CorpusError with what the hand says about itself or about its disk.
        """
        ...

    def stop(self) -> None:
        """Kill all hands, also amid a shard; for any thread."""
        ...

    def close(self) -> None:
        """Wait for the end of all hands, when no thread asks any more."""
        ...


class Hand:
    """One sealed process; ends with the thread that made it.

    Raises ShardLost if it does not start, CorpusError if it refuses.
    """

    def __init__(self, opening: Mapping[str, Any], command: tuple[str, ...] = COMMAND) -> None:
        environment = {**starting.common_variables(), **_ONE_THREAD, **extensions.variable()}
        started = starting.Command((*command, str(os.getpid())), environment)
        try:
            self._process = starting.popen(
                started, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, own_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ShardLost(f"did not start ({error.strerror})") from None
        self.pid = self._process.pid
        try:
            if type(self._asked(json.dumps(opening), START_SECONDS).get("ready")) is not int:
                raise ShardLost("did not say that it is sealed")
        except (ShardLost, CorpusError):
            self.end()
            raise

    def make(self, order: str, seconds: float) -> str:
        """Have a shard made; raises ShardLost, CorpusError. After either it must be ended."""
        name = self._asked(order, seconds).get("done")
        if not isinstance(name, str) or name != json.loads(order)["shard"]:
            raise ShardLost("answered another order")
        return name

    def kill(self) -> None:
        """Kill the process; for any thread."""
        self._process.kill()

    def end(self) -> None:
        """Kill the process and wait for its end."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:  # what was still to be written
                    continue

    def _asked(self, line: str, seconds: float) -> Mapping[str, Any]:
        """What it answers to a line within that time; its error is raised."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise ShardLost(self._ending()) from None
        try:
            reply = json.loads(self._line(time.monotonic() + seconds))
        except (ValueError, RecursionError):
            raise ShardLost("said what it must not") from None
        if not isinstance(reply, dict):
            raise ShardLost("said what it must not")
        if isinstance(error := reply.get("error"), dict):
            raise error_said(error.get("kind"), error.get("message", ""), error.get("hint", ""))
        return reply

    def _line(self, deadline: float) -> bytes:
        """The next line that it sends; raises ShardLost at its end and at the deadline."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        data = b""
        while not data.endswith(b"\n"):
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise ShardLost(TOO_LONG)
            more = os.read(descriptor, MAX_REPLY_BYTES)
            data += more
            if not more:
                raise ShardLost(self._ending())
            if len(data) > MAX_REPLY_BYTES:
                raise ShardLost("said too much")
        return data

    def _ending(self) -> str:
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "closed its pipe"
        return f"ended with signal {-code}" if code < 0 else f"ended with exit code {code}"


class LocalHands:
    """Processes of this machine, one for each of `slots`; each belongs to the thread that asks."""

    def __init__(
        self, slots: int, model: Path | None = None, command: tuple[str, ...] = COMMAND
    ) -> None:
        self.slots = slots
        self.least_bytes = LEAST_BYTES
        self.model = model
        self.egress: str | None = None
        self.where = f"local:{slots}"
        self._command = command
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: list[Hand] = []
        self._stopped = False

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that were started and not yet ended."""
        with self._lock:
            return [hand.pid for hand in self._all]

    def work(self, opening: Mapping[str, Any], order: str, seconds: float, *, fresh: bool) -> str:
        """Have a shard made by the process of this thread; see Hands."""
        if fresh:
            self._end_own()
        try:
            return self._of_thread(opening).make(order, seconds)
        except (ShardLost, CorpusError):
            self._end_own()
            raise

    def stop(self) -> None:
        """Kill all processes; no other is started afterwards."""
        with self._lock:
            self._stopped = True
            for hand in self._all:
                hand.kill()

    def close(self) -> None:
        """Wait for the end of all processes, when no thread asks any more."""
        self.stop()
        with self._lock:
            hands, self._all = self._all, []
        for hand in hands:
            hand.end()

    def _of_thread(self, opening: Mapping[str, Any]) -> Hand:
        hand: Hand | None = getattr(self._own, "hand", None)
        if hand is None:
            if self._stopped:
                raise ShardLost("was stopped")
            hand = Hand(opening, self._command)
            with self._lock:
                self._all.append(hand)
            self._own.hand = hand
            self._kill_if_stopped(hand)
        return hand

    def _kill_if_stopped(self, hand: Hand) -> None:
        if self._stopped:  # while it was started
            hand.kill()

    def _end_own(self) -> None:
        hand: Hand | None = getattr(self._own, "hand", None)
        self._own.hand = None
        if hand is not None:
            with self._lock:
                self._all.remove(hand)
            hand.end()
