"""SIGKILL at random moments during `index` or `table`, then a run to the end.

    python benchmarks/crash.py [--kills 100] [--files 500] [--seed 1] [--model small|default]
                               [--command index|table]

After every kill the store must open, be whole and be searchable; in the end it must equal a fresh
index of the same folder, vectors included. Kills are spread over the whole life of the process.
Documents change between runs, so that there is always something to kill. With `--command table` it
is that which is killed: the committed version stays as it was, and the last table is that of a run
that nothing disturbed. Exit 1 on any failure.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from benchmarks.common import print_table  # noqa: E402
from indexer.errors import NoIndex  # noqa: E402
from tests.support.checks import check_same, check_store  # noqa: E402
from tests.support.folders import change_folder, make_folder  # noqa: E402
from tests.support.small_model import make_small_model  # noqa: E402


class Command:
    """The real command on one folder, its model chosen."""

    def __init__(self, root: Path, model: Path | None) -> None:
        self.root = root
        self._model = ["--model", str(model)] if model else []
        self._environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}

    def start(self, store: Path, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "corpus_agent", "--store", str(store), *self._model]
        return subprocess.Popen(
            [*command, *arguments],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def index(self, store: Path, *options: str) -> dict[str, float]:
        """A run to the end: its JSON, and the seconds that the whole process took."""
        started = time.monotonic()
        process = self.start(store, "index", "--json", *options, str(self.root))
        output, errors = process.communicate()
        if process.returncode:
            sys.exit(f"index failed: {errors}")
        return {**json.loads(output)["index"], "process_seconds": time.monotonic() - started}

    def killed(self, store: Path, after: float, *arguments: str) -> str:
        """How a run ended: "killed", "finished", or "failed" with its error printed."""
        process = self.start(store, *(arguments or ("index", str(self.root))))
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
        if process.returncode == -signal.SIGKILL:
            return "killed"
        if process.returncode:
            print(errors, file=sys.stderr)
        return "failed" if process.returncode else "finished"

    def search_works(self, store: Path) -> bool:
        process = self.start(store, "search", "--json", "ba de fi")
        output, errors = process.communicate()
        if process.returncode:
            print(errors, file=sys.stderr)
        return process.returncode == 0 and bool(json.loads(output)["results"])


def tables(command: Command, store: Path, kills: int, random: Random) -> None:
    """Kill `table`, which reads each document again, as long as a whole one takes."""
    asked = ("table", "due date", "total", "--json")
    committed = (store / "manifest.json").read_bytes()
    started = time.monotonic()
    whole, _ = command.start(store, *asked).communicate()
    seconds = time.monotonic() - started
    ends: Counter[str] = Counter()
    while ends["killed"] < kills:
        shutil.rmtree(store / "texts", ignore_errors=True)  # so that parsers are killed too
        end = command.killed(store, random.uniform(0, seconds), *asked)
        ends[end] += 1
        same = (store / "manifest.json").read_bytes() == committed
        ends["problems"] += end == "failed" or not same or not survived(store, command, ends)
    last, _ = command.start(store, *asked).communicate()
    rows = [
        ("kills", ends["killed"]),
        ("runs that finished before their kill", ends["finished"]),
        ("stores that were not as they were", ends["problems"]),
        ("documents of the last table", len(json.loads(last)["rows"])),
        ("the last table equals an undisturbed one", "yes" if last == whole else "no"),
    ]
    print_table(("figure", "value"), rows)
    sys.exit(1 if ends["problems"] or last != whole else 0)


def main() -> None:
    options = parse()
    random = Random(options.seed)
    scratch = Path(tempfile.mkdtemp(dir=options.scratch))
    model = make_small_model(scratch / "small") if options.model == "small" else None
    root, store = scratch / "docs", scratch / "store"
    make_folder(root, options.files, random)
    command = Command(root, model)
    whole = command.index(scratch / "timed")
    print(
        f"{options.files} files, {whole['chunks']} passages; a whole run: "
        f"{whole['process_seconds']:.1f} s, of which {whole['seconds']:.1f} s of work"
    )
    if options.command == "table":
        return tables(command, scratch / "timed", options.kills, random)
    ends: Counter[str] = Counter()
    while ends["killed"] < options.kills:
        end = command.killed(store, random.uniform(0, whole["process_seconds"]))
        ends[end] += 1
        ends["problems"] += end == "failed" or not survived(store, command, ends)
        if end == "finished" or random.random() < 0.2:
            change_folder(root, 0.4, random)
        if ends["killed"] % 10 == 0:
            print(dict(ends), flush=True)
    final = command.index(store)
    command.index(scratch / "fresh")
    check_store(store)
    check_same(store, scratch / "fresh")
    print_table(
        ("figure", "value"),
        [
            ("kills", ends["killed"]),
            ("runs that finished before their kill", ends["finished"]),
            ("kills before the first commit (no index yet)", ends["no index yet"]),
            ("stores that did not open, were not whole or could not be searched", ends["problems"]),
            ("embedded by the last run, of all passages", f"{final['embedded']}/{final['chunks']}"),
            ("final rows equal those of a fresh index", "yes"),
        ],
    )
    shutil.rmtree(scratch)
    sys.exit(1 if ends["problems"] else 0)


def survived(store: Path, command: Command, ends: Counter[str]) -> bool:
    """Whether the store is whole after a kill; every tenth time the real `search` says so too."""
    try:
        check_store(store).close()
    except NoIndex:
        ends["no index yet"] += 1
        return True
    return bool(ends["killed"] % 10) or command.search_works(store)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", choices=("small", "default"), default="small")
    parser.add_argument("--command", choices=("index", "table"), default="index")
    parser.add_argument("--scratch", type=Path, help="Where to work; default: the temp folder.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
