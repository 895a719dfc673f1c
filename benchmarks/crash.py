"""SIGKILL at random moments during `index`, then a run to the end.

    python benchmarks/crash.py [--kills 100] [--files 500] [--seed 1]

After every kill the store must open, be whole and be searchable; in the end it must equal a fresh
index of the same folder, vectors included. Kills are spread over the whole life of the process.
Documents change between runs, so that there is always something to kill. Exit 1 on any failure.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from benchmarks.common import print_table, timed
from benchmarks.golden import REPOSITORY
from indexer.errors import NoIndex
from tests.support.checks import check_same, check_store
from tests.support.folders import change_folder, make_folder
from tests.support.small_model import make_small_model

Json = dict[str, dict[str, float]]


def start(model: Path, store: Path, *arguments: str) -> subprocess.Popen[str]:
    """The real command with a small model."""
    command = [sys.executable, "-m", "corpus_agent", "--store", store, "--model", model]
    return subprocess.Popen(
        list(map(str, (*command, *arguments))),
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def whole(model: Path, store: Path, *arguments: str) -> Json:
    """What a run to the end says."""
    process = start(model, store, *arguments)
    output, errors = process.communicate()
    if process.returncode:
        sys.exit(f"{arguments[0]} failed: {errors}")
    return dict(json.loads(output))


def killed(process: subprocess.Popen[str], after: float) -> str:
    """How a run ended: "killed", "finished", or "failed" with its error printed."""
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    _, errors = process.communicate()
    if process.returncode in (0, -signal.SIGKILL):
        return "killed" if process.returncode else "finished"
    print(errors, file=sys.stderr)
    return "failed"


def looked_at(model: Path, store: Path, ends: Counter[str]) -> None:
    """Check the store after a kill; every tenth time the real `search` reads it too."""
    try:
        check_store(store).close()
    except NoIndex:
        ends["no index yet"] += 1
        return
    if (
        not ends["killed"] % 10
        and not whole(model, store, "search", "--json", "ba de fi")["results"]
    ):
        sys.exit("nothing is found")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random, ends = Random(options.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        root, store = scratch / "docs", scratch / "store"
        model = make_small_model(scratch / "small")
        make_folder(root, options.files, random)
        index = ("index", "--json", str(root))
        seconds, _, _ = timed(lambda: whole(model, scratch / "timed", *index))
        while ends["killed"] < options.kills:
            end = killed(start(model, store, *index), random.uniform(0, seconds))
            ends[end] += 1
            if end == "failed":
                sys.exit(1)
            looked_at(model, store, ends)
            if end == "finished" or random.random() < 0.2:
                change_folder(root, 0.4, random)
        final = whole(model, store, *index)["index"]
        whole(model, scratch / "fresh", *index)
        check_store(store)
        check_same(store, scratch / "fresh")
    print_table(
        ("kills", "finished before", "no index yet", "embedded by the last run"),
        [(ends["killed"], ends["finished"], ends["no index yet"],
          f"{final['embedded']} of {final['chunks']}")],
    )  # fmt: skip


if __name__ == "__main__":
    main()
