"""All ways out that selftest tries, and the process that makes one attempt.

`python -m corpus_agent.selftest.escape.probes NAME sealed|control` makes one attempt, with the
surroundings as JSON on standard input, and prints the resulting errno. trial.py judges.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from corpus_agent.seal import policy, seal
from corpus_agent.selftest.escape import network, system
from corpus_agent.selftest.escape.probe import PROBES, Probe, Surroundings
from indexer.confine import confine, die_with_parent, restrict_syscalls
from indexer.errors import SealUnavailable

__all__ = ["PROBES", "network", "system"]


def main(name: str, mode: str) -> int:
    """The exit code: 0 with errno and walls as JSON on standard output, or SealUnavailable's."""
    die_with_parent(os.getppid())
    probe = PROBES[name]
    around = Surroundings(**json.load(sys.stdin))
    walls: tuple[str, ...] = ()
    prepared = probe.prepare(around)
    if mode == "sealed":
        try:
            walls = _close(probe, around, prepared.fileno() if probe.serves else None)
        except SealUnavailable as error:
            sys.stderr.write(f"{error}\n")
            return error.exit_code
    met: int | None = None
    directly = probe.directly if mode == "control" else None
    try:
        (directly or probe.attempt)(around, prepared)
    except OSError as error:
        met = error.errno
    sys.stdout.write(json.dumps({"errno": met, "walls": walls}))
    sys.stdout.flush()
    return 0


def _close(probe: Probe, around: Surroundings, listener: int | None) -> tuple[str, ...]:
    """The walls behind the seal; none if there are other threads, where only calls are closed.

    A parser's process is confined inside the seal, since its parent is sealed first.
    """
    chosen = policy(Path(around.root), Path(around.store), listener=listener)
    if probe.threads:
        restrict_syscalls(chosen.confinement.calls)
        return ()
    sealed = seal(chosen)
    if probe.confined:
        confine(probe.confined())
    return sealed.walls


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    os._exit(status)
