"""Verifies on a live cluster that no process with a document has a socket, and the other way round.

The cluster indexes made documents in a network namespace of its own, while /proc is looked at:
two processes of this machine, and Ray's where it is installed. Each claim has a control.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from indexer import CorpusError
from indexer.confine import starting

SECONDS = 900.0
# Of numbers too: with its first process all that was started within ends, Ray's daemons included.
_NAMESPACES = ("--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """What was found of one claim on one cluster.

    `found` counts the processes (or packets) that break it, among `looked`; `control` those of the
    control, without which the claim is not shown.
    """

    cluster: str
    what: str
    looked: int
    found: int
    control: int
    passed: bool


def run_cluster_selftest(kinds: Sequence[str] = ()) -> list[ClaimResult]:
    """The claims on each cluster: "local", and "ray" where it is installed.

    Raises CorpusError where there is no network namespace to be had, or an index cannot be made.
    """
    unshare = starting.find_program("unshare")
    if unshare is None:
        raise _no_namespace("there is no program 'unshare'")
    kinds = kinds or ("local", *(["ray"] if find_spec("ray") else []))
    with tempfile.TemporaryDirectory(prefix="corpus-agent-") as name:
        return [row for kind in kinds for row in _claims(kind, _seen(kind, unshare, Path(name)))]


def _seen(kind: str, unshare: Path, folder: Path) -> dict[str, Any]:
    module = "tests.attacks.clustered.inside"
    inside = starting.python_module(module, str(folder), kind)
    command = (str(unshare), *_NAMESPACES, *inside)
    environment = starting.common_variables()
    done = starting.run(starting.Command(command, environment), seconds=SECONDS)
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        said = (done.stderr.strip().splitlines() or ["it ended"])[-1]
        raise (
            _no_namespace(said)
            if "unshare" in said
            else CorpusError(
                f"The self-test of a cluster did not come to its end: {said[:500]}",
                "Run: corpus-agent selftest",
            )
        )
    found: dict[str, Any] = json.loads(lines[-1])
    if found["code"] or not found["documents"]:
        raise CorpusError(
            f"The cluster made no index: {found['said'].strip()[-500:]}",
            "Run: corpus-agent doctor",
        )
    return found


def _claims(kind: str, seen: dict[str, Any]) -> list[ClaimResult]:
    """The claims by what was seen; pure."""
    readers, others, control = seen["readers"], seen["others"], seen["control"]
    cluster = "local:2" if kind == "local" else "Ray"
    rows = [
        ("processes with documents that have a socket", readers, "sockets"),
        ("other processes with a document open", others, "documents"),
        ("other processes with its text in memory", others, "texts"),
    ]
    found = [
        _claim(cluster, what, group["processes"], group[key], control[key])
        for what, group, key in rows
        if kind == "ray" or group is readers  # without Ray all processes read documents
    ]
    packets = seen["out"] + seen["own"]
    return [
        *found,
        _claim(cluster, "packets out of the namespace", packets, seen["out"], seen["own"]),
    ]


def _claim(cluster: str, what: str, looked: int, found: int, control: int) -> ClaimResult:
    return ClaimResult(cluster, what, looked, found, control, looked > 0 < control and not found)


def _no_namespace(why: str) -> CorpusError:
    return CorpusError(
        f"No network namespace can be had here: {why[:300]}.",
        "Without one this cannot be shown. Permit user namespaces, or run it as root.",
    )
