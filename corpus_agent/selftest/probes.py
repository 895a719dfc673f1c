"""The table of ways out that selftest tries, and the process that makes one attempt.

`python -m corpus_agent.selftest.probes NAME sealed|control` makes one attempt, with the
surroundings as JSON on standard input, and prints the resulting errno. trial.py judges.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from corpus_agent.seal import policy, seal
from corpus_agent.selftest import attempts, network
from corpus_agent.selftest.attempts import Surroundings
from indexer.confine import confine, die_with_parent, restrict_syscalls
from indexer.errors import SealUnavailable
from indexer.parsers.limits import ocr_policy, worker_policy

Listener = Literal["tcp4", "tcp6", "udp4", "stream", "datagram", "abstract"]
_ATTEMPTS: dict[str, Any] = {**vars(network), **vars(attempts)}
_CONFINED = {"parser": worker_policy, "recogniser": ocr_policy}


@dataclass(frozen=True, slots=True)
class Probe:
    """One way out.

    `attempt` and `prepare` are functions with their arguments; `prepare` runs before the seal.
    `expected` are the errnos that the seal may answer with, `lacking` those with which a system may
    refuse the attempt without a seal: too old, too strict, or not root. `connected`: `prepare`
    opens the connection, so that only data sent over it counts. `confined` is the process that is
    confined further inside the seal. `serves`: `prepare` makes a socket that listens, and the seal
    leaves it. `since_abi` is the first Landlock ABI with which the seal closes it. `directly`
    replaces `attempt` in the control where that goes through something outside the seal.
    """

    name: str
    attempt: tuple[str, ...]
    what: str = ""
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
    """A row of the table; what it says nothing of is described by its attempt."""
    said = _ATTEMPTS[row["attempt"][0]].__doc__.rstrip(".")
    given = {"what": said[:1].lower() + said[1:], **row}
    for key in ("expected", "lacking"):
        if key in row:
            given[key] = tuple(getattr(errno, each) for each in row[key])
    return Probe(name, **given)


PROBES = {
    name: _probe(name, row)
    for name, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}


def main(name: str, mode: str) -> int:
    """The exit code: 0 with errno and walls as JSON on standard output, or SealUnavailable's."""
    die_with_parent(os.getppid())
    probe = PROBES[name]
    around = Surroundings(**json.load(sys.stdin))
    walls: tuple[str, ...] = ()
    prepared: Any = None
    if probe.prepare:
        prepared = _ATTEMPTS[probe.prepare[0]](around, *probe.prepare[1:])
    if mode == "sealed":
        try:
            walls = _close(probe, around, prepared.fileno() if probe.serves else None)
        except SealUnavailable as error:
            sys.stderr.write(f"{error}\n")
            return error.exit_code
    met: int | None = None
    made = (probe.directly,) if probe.directly and mode == "control" else probe.attempt
    try:
        _ATTEMPTS[made[0]](around, prepared, *made[1:])
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
        confine(_CONFINED[probe.confined]())
    return sealed.walls


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    os._exit(status)
