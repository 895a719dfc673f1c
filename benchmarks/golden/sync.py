"""What a run plans and does after each change of a folder, and what the index then holds.

A base of ten toy documents and a toy encoder; the table of changes is changes.toml. Times, ids,
seconds and the versions of readers are left out. A kill is SIGKILL of a real process at a named
moment; then what is left is recorded, what the next run does, and that it equals a fresh index.
"""

from __future__ import annotations

if __name__ == "__main__":  # permissions stop the superuser too from here on; before any thread
    from tests.support import processes

    processes.give_up_the_superusers_right()

import itertools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from benchmarks.golden import REPOSITORY, digest
from benchmarks.golden.changes import STORE, TABLE, change
from indexer import CorpusError, forget_document, plan_folder, sync_folder
from indexer.records import Choices
from indexer.store.manifest import MANIFEST_NAME, read_manifest
from indexer.store.snapshot import Snapshot
from indexer.store.storage import make_store
from tests.support import toy_index
from tests.support.fakes import ToyEncoder
from tests.support.rows import chunk_rows

NAME = "sync"
ROWS = {f"{part}/{name}": row for part in ("change", "kill") for name, row in TABLE[part].items()}
PROCESSES = 2
CHOICES = ("force", "verify", "prune_unreachable")
# Other in each run, of what the tables are made of, or words for people.
LEFT_OUT = {"updated", "walked_ns", "contents", "fingerprint", "chunks_version", "files_version"}
LEFT_OUT |= {"seconds", "reasons", "rules"}
SHORTENED: dict[str, Callable[[Any], int]] = {"keep": len, "repaired": bool}


def take(names: set[str] | None, report: Callable[[str], None]) -> dict[str, Any]:
    """An entry for each row of the table below the names, "change" and "kill"; None: all."""
    wanted = [key for key in ROWS if names is None or key.split("/")[0] in names]
    with tempfile.TemporaryDirectory() as state:
        processes = [
            subprocess.Popen(
                [sys.executable, "-m", __name__, *wanted[number::PROCESSES]],
                cwd=REPOSITORY,
                env={**os.environ, "XDG_STATE_HOME": state},
                stdout=subprocess.PIPE,
            )
            for number in range(PROCESSES)
        ]
        texts = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        sys.exit("sync: the table of changes could not be gone through")
    entries = {key: value for text in texts for key, value in json.loads(text).items()}
    report(f"{len(entries)} rows of changes")
    return entries


def gone_through(keys: list[str]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    with tempfile.TemporaryDirectory() as folder:
        base, place = Path(folder) / "base", Path(folder) / "place"
        (base / "docs").mkdir(parents=True)
        list(runs(base, TABLE["base"]))
        for key in keys:
            shutil.copytree(base, place, symlinks=True)
            yield key, list(runs(place, ROWS[key]))
            subprocess.run(["chmod", "-R", "u+rwx", place], check=True)
            shutil.rmtree(place)


def runs(place: Path, row: list[str]) -> Iterator[dict[str, Any]]:
    for command in row:
        words = shlex.split(command)
        if command.startswith("@"):
            yield from runs(place, TABLE["sets"][command[1:]])
        elif words[0] in ("index", "forget"):
            yield run(place, words) | held(place)
        elif words[0] == "kill":
            yield killed(place, words[1:3], words[3:])
            yield run(place, words[3:]) | held(place) | as_fresh(place, words[3:])
        else:
            change(place / "docs", words)


def killed(place: Path, moment: list[str], words: list[str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.golden.sync", "--kill", str(place)]
    ended = subprocess.run([*command, *moment, *words], cwd=REPOSITORY, check=False)
    return {"killed": ended.returncode == -signal.SIGKILL} | held(place)


def as_fresh(place: Path, words: list[str]) -> dict[str, bool]:
    """Whether the index equals a fresh one of its folder; not of one that has to forget."""
    if words[0] == "forget":
        return {}
    fresh = place / "fresh"
    shutil.copytree(place / "docs", fresh / "docs", symlinks=True)
    run(fresh, words)
    same = held(fresh).get("files") == held(place).get("files")
    shutil.rmtree(fresh)
    return {"as a fresh index": same}


def run(place: Path, words: list[str], kill: tuple[str, int] = ("", 0)) -> dict[str, Any]:
    """The plan and the outcome of a run, or its error."""
    root, store = place / "docs", place / STORE
    make_store(store)
    said: dict[str, Any] = {}
    try:
        if words[0] == "forget":
            at_the_moment(kill, ToyEncoder())
            return {"forgotten": plain(forget_document(store, root, words[1]))}
        pairs = (word.partition("=") for word in words[1:])
        given = {name: int(value or 1) for name, _, value in pairs}
        choices = Choices(**{name: bool(given.pop(name)) for name in CHOICES if name in given})
        encoder = ToyEncoder(dimension=given.pop("dimension", 64))
        stop, asked = given.pop("stop", None), at_the_moment(kill, encoder)
        if "commit_seconds" in given:
            return {"outcome": plain(toy_index.sync(root, store, encoder, **given))}
        if not any(kill):
            try:
                said["plan"] = plain(plan_folder(store, root, encoder, choices, **given))
            except CorpusError as error:  # a run may mend what a plan cannot read
                said["plan"] = type(error).__name__
        outcome = sync_folder(
            *(store, root, encoder, choices),
            **given,
            ocr="off",
            should_stop=lambda: asked() == stop,
        )
        return said | {"outcome": plain(outcome)}
    except CorpusError as error:
        return said | {"error": [type(error).__name__, getattr(error, "code", None)]}


def at_the_moment(kill: tuple[str, int], encoder: ToyEncoder) -> Callable[[], int]:
    """How often it was called. Has this process killed, as by a power cut, at a moment.

    ("asked", 2): as that is called again; ("vectors", 2): before the second batch is embedded;
    ("manifest", 1): before the first manifest is in its place; ("committed", 1): right behind that.
    """
    counts = {name: itertools.count(1) for name in ("asked", "vectors", "manifest")}
    encode = encoder.encode

    def reached(moment: str) -> int:
        number = next(counts[moment])
        if (moment, number) == kill:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    def encoded(texts: Any) -> Any:  # noqa: ANN401
        reached("vectors")
        return encode(texts)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal behind
        if event == "os.rename" and str(arguments[1]).endswith(f"/{MANIFEST_NAME}"):
            behind = ("committed", reached("manifest"))
        elif behind == kill and event != "os.kill":
            os.kill(os.getpid(), signal.SIGKILL)

    behind = ("", -1)
    encoder.encode = encoded  # type: ignore[method-assign]
    if any(kill):
        sys.addaudithook(hook)
    return lambda: reached("asked")


def held(place: Path) -> dict[str, Any]:
    """What an index holds: its manifest, and of each file the state and hash of its passages."""
    try:
        manifest = plain(read_manifest(place / STORE))
        snapshot = Snapshot(place / STORE)
    except CorpusError as error:
        return {"index": type(error).__name__}
    columns = ["source", "ordinal", "line_start", "line_end", "heading", "text"]
    rows: dict[str, list[str]] = {}
    for row in chunk_rows(snapshot).select(columns).sort_by("ordinal").to_pylist():
        rows.setdefault(row.pop("source"), []).append(digest(*row.values()))
    passages = {source: f"{len(some)} {digest(*some)}" for source, some in rows.items()}
    files = {
        row.source: " ".join(filter(None, (row.status, row.reason, passages.pop(row.source, ""))))
        for row in snapshot.rows()
    }
    snapshot.close()
    return {"manifest": manifest, "files": files} | ({"ownerless": passages} if passages else {})


def plain(value: Any) -> Any:  # noqa: ANN401
    """A record as JSON without what is empty; a file of it as its source and what is said of it."""
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "source") and not hasattr(value, "rules"):
        said = (getattr(value, name, None) for name in ("status", "problem", "reason", "place"))
        return " ".join([value.source, *filter(None, said)])
    if not is_dataclass(value):
        return value if isinstance(value, int | float | dict) else str(value)
    named = {one.name: getattr(value, one.name) for one in fields(value)}
    return {
        name: SHORTENED.get(name, plain)(each)
        for name, each in named.items()
        if each and name not in LEFT_OUT
    }


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--kill"]:
        place, moment, count, *words = arguments[1:]
        run(Path(place), words, (moment, int(count)))
    else:
        print(json.dumps(dict(gone_through(arguments))))


if __name__ == "__main__":
    main(sys.argv[1:])
