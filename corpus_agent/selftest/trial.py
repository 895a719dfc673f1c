"""Verifies that the seal holds on this system: every way out is tried, sealed and unsealed.

Each attempt runs twice, each time in a process of its own, which is this module with the probe's
name and "sealed" or "control". Without the seal it must succeed, or its test would prove nothing;
with the seal it must fail with the errno of the policy, and nothing may reach its listener on this
machine. Uses no network but loopback.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from errno import errorcode
from pathlib import Path
from typing import Any, Literal

from corpus_agent.seal import policy, seal
from corpus_agent.selftest.attempts import named
from indexer import SealUnavailable
from indexer.confine import check_kernel, confine, die_with_parent, restrict_syscalls, starting
from indexer.parsers import limits

PROBE_SECONDS = 60  # for one process, which takes a tenth of a second
_AT_ONCE = 4
_DRAIN_SECONDS = 0.2  # how long the listener waits for what loopback delivers at once
_MAX_BYTES = 65536

Listener = Literal["tcp4", "tcp6", "udp4", "stream", "datagram", "abstract"]
_MEMORY = {"parser": limits.MOST_MEMORY_BYTES, "recogniser": limits.OCR_MEMORY_BYTES}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a probe runs: the folder of corpus, store and outside, and the listener's address."""

    folder: str
    address: str = ""
    port: int = 0

    @property
    def inet(self) -> tuple[str, int]:
        """The listener's address for a call of the socket module."""
        return self.address, self.port

    def at(self, place: str) -> Path:
        """A file or folder, as in "outside/secret.txt"."""
        return Path(self.folder) / place

    @property
    def secret(self) -> Path:
        """A file that lies outside the corpus and the store."""
        return self.at("outside/secret.txt")


@dataclass(frozen=True, slots=True)
class Probe:
    """One way out.

    `attempt` and `prepare` are names with arguments, the second for before the seal; `what` says it
    in words. `expected` are the errnos that the seal may answer with, `lacking` those with which a
    system may refuse the attempt without a seal: too old, too strict, or not root. `connected`:
    `prepare` opens the connection, so that only data sent over it counts. `confined` is the process
    that is confined further inside the seal. `serves`: `prepare` makes a socket that listens, and
    the seal leaves it. `since_abi` is the first Landlock ABI with which the seal closes it.
    `directly` replaces `attempt` in the control where that goes through something outside the seal.
    """

    name: str
    attempt: tuple[str, ...]
    what: str
    expected: tuple[int, ...] = (errno.EPERM,)
    lacking: tuple[int, ...] = ()
    listener: Listener | None = None
    prepare: tuple[str, ...] = ()
    connected: bool = False
    threads: bool = False
    confined: str = ""
    serves: bool = False
    since_abi: int = 1
    directly: str = ""


def _probe(name: str, row: dict[str, Any]) -> Probe:
    given = row | {
        key: tuple(getattr(errno, each) for each in row[key])
        for key in ("expected", "lacking")
        if key in row
    }
    return Probe(name, **given)


PROBES = {
    name: _probe(name, row)
    for name, row in tomllib.loads(
        Path(__file__).with_name("probes.toml").read_text("utf-8")
    ).items()
}


# ---- The judge


Control = Literal["worked", "impossible", "failed"]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of one way out.

    `control` is the outcome without the seal; `impossible` means that this system refuses it to
    this user in any case, with `control_error`. `sealed_error` is the errno or signal that stopped
    it under the seal, None if nothing did. `heard` counts what reached the listener under the seal.
    `walls` are the namespaces behind the seal.
    """

    name: str
    what: str
    control: Control
    control_error: str | None
    sealed_error: str | None
    heard: int
    passed: bool
    walls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Met:
    """What one process reports: its errno, or how it ended; and what reached the listener."""

    errno: int | None = None
    ended: str | None = None
    heard: int = 0
    listened: bool = True
    walls: tuple[str, ...] = ()

    @property
    def error(self) -> str | None:
        """The name of the errno, or how the process ended; None if the attempt succeeded."""
        return self.ended or (errorcode.get(self.errno, str(self.errno)) if self.errno else None)


def run_selftest() -> list[ProbeResult]:
    """One result per probe, in the table's order; the seal holds if all have `passed`."""
    _, abi = check_kernel()
    probes = [probe for probe in PROBES.values() if probe.since_abi <= abi]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(_result, probes))


def walls(results: Sequence[ProbeResult]) -> tuple[str, ...]:
    """The namespaces behind the seal in these runs; empty if none are available."""
    return max((result.walls for result in results), key=len, default=())


def table(results: Sequence[ProbeResult]) -> str:
    """The results as aligned lines for a terminal, and a last line that sums them up."""
    rows = [("", "probe", "unsealed", "sealed", "attempt")]
    for result in results:
        reason = f" ({result.control_error})" if result.control_error else ""
        control = result.control + reason
        heard = f", heard {result.heard}" if result.heard else ""
        sealed = (result.sealed_error or "SUCCEEDED") + heard
        rows.append(("ok" if result.passed else "FAIL", result.name, control, sealed, result.what))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join([*map(str.ljust, row, widths), row[4]]).rstrip() for row in rows]
    failed = sum(not result.passed for result in results)
    standing = walls(results)
    behind = f"namespaces: {', '.join(standing)}" if standing else "none can be had here"
    lines.append(f"Second wall behind the seal: {behind}.")
    lines.append(f"{len(results) - failed} of {len(results)} ways out are closed.")
    return "\n".join(lines)


def as_json(results: Sequence[ProbeResult]) -> dict[str, object]:
    """The results for `--json`; the caller adds schema_version and prints."""
    rows = [asdict(result) for result in results]
    for row in rows:
        del row["walls"]  # given once
    passed = all(result.passed for result in results)
    return {"passed": passed, "probes": rows, "walls": list(walls(results))}


def _result(probe: Probe) -> ProbeResult:
    control = _attempt(probe, "control")
    sealed = _attempt(probe, "sealed")
    went: Control = "failed"
    if not control.listened or control.errno in probe.lacking:
        went = "impossible"
    elif control.error is None and (control.heard or probe.listener is None):
        went = "worked"
    blocked = sealed.errno in probe.expected and not sealed.heard
    return ProbeResult(
        name=probe.name,
        what=probe.what,
        control=went,
        control_error=control.error,
        sealed_error=sealed.error,
        heard=sealed.heard,
        passed=blocked and went != "failed",
        walls=sealed.walls,
    )


def _attempt(probe: Probe, mode: str) -> _Met:
    """The outcome of a new process, with folders and a listener of its own."""
    with tempfile.TemporaryDirectory(prefix="corpus-agent-selftest-") as name:
        folder = Path(name)
        around = _surroundings(folder)
        if probe.listener is None:
            return _run(probe, mode, around)
        try:
            sock = _listening(probe.listener, folder)
        except OSError:  # no IPv6 here, for example; the sealed attempt must still fail
            around = replace(around, address="::1", port=9)
            return replace(_run(probe, mode, around), listened=False)
        with sock:
            place = sock.getsockname()  # of a Unix socket a name alone
            address, port = place[:2] if isinstance(place, tuple) else (os.fsdecode(place), 0)
            met = _run(probe, mode, replace(around, address=address, port=port))
            return replace(met, heard=_count_received(sock, only_data=probe.connected))


def _surroundings(folder: Path) -> Surroundings:
    """A new corpus, a new store and a secret outside both."""
    for name in ("corpus", "store", "outside"):
        (folder / name).mkdir()
    around = Surroundings(str(folder))
    around.secret.write_text("words that are nobody's business")
    around.at("corpus/document.txt").write_text("words of a document")
    around.at("corpus/link.txt").symlink_to(around.secret)
    return around


def _listening(kind: Listener, folder: Path) -> socket.socket:
    """A listening socket on this machine for a probe; raises OSError if there can be none."""
    places: dict[Listener, tuple[int, int, tuple[str, int] | str]] = {
        "tcp4": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        "tcp6": (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
        "udp4": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        "stream": (socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "outside" / "socket")),
        "datagram": (socket.AF_UNIX, socket.SOCK_DGRAM, str(folder / "outside" / "socket")),
        "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{folder.name}"),
    }
    family, of_type, address = places[kind]
    sock = socket.socket(family, of_type)
    try:
        sock.bind(address)
        if of_type == socket.SOCK_STREAM:
            sock.listen()
    except OSError:
        sock.close()
        raise
    sock.setblocking(False)
    return sock


def _count_received(sock: socket.socket, *, only_data: bool) -> int:
    """How much has reached a listener: bytes, and connections unless `only_data`."""
    count = 0
    while True:
        try:
            if sock.type == socket.SOCK_DGRAM:
                count += len(sock.recv(_MAX_BYTES))
                continue
            connection, _ = sock.accept()
        except BlockingIOError:
            return count
        count += 0 if only_data else 1
        with connection, suppress(TimeoutError, ConnectionResetError):
            connection.settimeout(_DRAIN_SECONDS)
            count += len(connection.recv(_MAX_BYTES))


def _run(probe: Probe, mode: str, around: Surroundings) -> _Met:
    """Run one attempt. Raises SealUnavailable if its process could not be sealed."""
    command = starting.Command(
        starting.python_module("corpus_agent.selftest.trial", probe.name, mode),
        starting.common_variables(),
    )
    done = starting.run(command, given=json.dumps(asdict(around)), seconds=PROBE_SECONDS)
    if done.returncode == SealUnavailable.exit_code:
        raise SealUnavailable(done.stderr.strip())
    if done.returncode < 0:
        return _Met(ended=signal.Signals(-done.returncode).name)
    if done.returncode:
        return _Met(ended=(done.stderr.strip().splitlines() or ["no reason given"])[-1])
    reported = json.loads(done.stdout)
    return _Met(errno=reported["errno"], walls=tuple(reported["walls"]))


# ---- One attempt, in a process of its own


def main(name: str, mode: str) -> int:
    """The exit code: 0 with errno and walls as JSON on standard output, or SealUnavailable's."""
    die_with_parent(os.getppid())
    probe = PROBES[name]
    around = Surroundings(**json.load(sys.stdin))
    walls: tuple[str, ...] = ()
    prepared: Any = None
    if probe.prepare:
        prepared = named(probe.prepare[0])(around, *probe.prepare[1:])
    if mode == "sealed":
        try:
            walls = _close(probe, around, prepared.fileno() if probe.serves else None)
        except SealUnavailable as error:
            sys.stderr.write(f"{error}\n")
            return error.exit_code
    met: int | None = None
    made = (probe.directly,) if probe.directly and mode == "control" else probe.attempt
    try:
        named(made[0])(around, prepared, *made[1:])
    except OSError as error:
        met = error.errno
    sys.stdout.write(json.dumps({"errno": met, "walls": walls}))
    sys.stdout.flush()
    return 0


def _close(probe: Probe, around: Surroundings, listener: int | None) -> tuple[str, ...]:
    """The walls behind the seal; none if there are other threads, where only calls are closed."""
    chosen = policy(around.at("corpus"), around.at("store"), listener=listener)
    if probe.threads:
        restrict_syscalls(chosen.confinement.calls)
        return ()
    sealed = seal(chosen)
    if probe.confined:
        confine(limits.policy(_MEMORY[probe.confined]))
    return sealed.walls


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    os._exit(status)
