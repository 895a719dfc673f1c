"""Code that took over a run: what it leaves for the next run, and what it reaches then.

    python -m corpus_agent.selftest.stores.taken_over leave NAME sealed|control < surroundings.json
    python -m corpus_agent.selftest.stores.taken_over reach next|believing < surroundings.json

Starts as the commands do, from the user's own record and settings, seals itself, and then attacks.
`believing` is the control: a run whose boundary is taken from the index. Prints the outcome as
JSON. Called by boundaries.py.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corpus_agent.seal import policy, seal
from corpus_agent.selftest.injection.listening import connect
from corpus_agent.selftest.stores.home import Home
from corpus_agent.selftest.stores.hostile_stores import (
    change_manifest,
    root_and_settings,
    set_in_store,
)
from corpus_agent.settings import existing_place, load
from corpus_agent.startup import for_reading
from indexer import CorpusError


@dataclass(frozen=True, slots=True)
class Legacy:
    """Something left for the next run; `leave` gets the listener's address.

    `outside`: it lies where no sealed process may write. The next run of the control is then an
    ordinary one, after the same was left without a seal.
    """

    name: str
    what: str
    leave: Callable[[Home, str], object]
    outside: bool = False


def _marker(home: Home, _: str) -> None:
    """Another identity, with another root."""
    marker = home.store / "corpus-agent.store"
    marker.write_text(f"corpus-agent store\nid = {'a' * 32}\n", "utf-8")
    change_manifest(home.store, root="../..")


def _leftovers(home: Home, _: str) -> None:
    """Lock, receipts, kept texts, temporary files and tables, as far as they can be written."""
    lock = {"pid": 1, "command": "\x1b]0;owned\x07", "since": "now"}
    (home.store / "writer.lock").write_text(json.dumps(lock), "utf-8")
    (home.store / "receipts.jsonl").write_text('{"receipt": 1}\n', "utf-8")
    (home.store / "tmp").mkdir(exist_ok=True)
    for path in sorted((home.store / "texts").rglob("*")):
        if path.is_file():
            path.write_bytes(b"\xff\x00words")
    change_manifest(home.store, root="../..", updated="\x1b]0;owned\x07")


def _record(home: Home, _: str) -> None:
    """The user's own record of stores."""
    content = json.loads(home.record.read_text("utf-8"))
    for entry in content["stores"].values():
        entry["root"] = str(home.home)
    home.record.write_text(json.dumps(content, indent=1), "utf-8")


LEGACIES = {
    legacy.name: legacy
    for legacy in (
        Legacy(
            "manifest-root",
            "the manifest names the home as the folder of documents",
            lambda home, _: change_manifest(home.store, root="../.."),
        ),
        Legacy(
            "setting-server",
            "config.toml names a model server",
            lambda home, listener: set_in_store(home, f'llm = "http://{listener}"'),
        ),
        Legacy(
            "setting-reranker",
            "config.toml names the home as a reranker's folder",
            lambda home, _: set_in_store(home, f'reranker = "{home.home}"'),
        ),
        Legacy("marker", "the index has another identity and another root", _marker),
        Legacy("leftovers", "lock, receipts, texts, tmp and root are its own", _leftovers),
        Legacy("record", "the user's record names the home", _record, outside=True),
    )
}


def leave(home: Home, listener: str, name: str, mode: str) -> dict[str, object]:
    """The errno of a failed write; None if all succeeded."""
    if mode == "sealed":
        for_reading(load({"store": home.store}, None, os.environ))
    try:
        LEGACIES[name].leave(home, listener)
    except OSError as error:
        return {"errno": error.errno}
    return {"errno": None}


def reach(home: Home, listener: str, mode: str) -> dict[str, object]:
    """The boundary of a run, and what code inside reaches beyond it."""
    if mode == "believing":
        root, settings = root_and_settings(home.store)
        server = settings.get("llm")
        if server is not None:
            connect(server.removeprefix("http://"))
        folders = [Path(settings[key]) for key in ("model", "reranker") if key in settings]
        seal(policy(root, home.store, read=folders))
    else:
        launch = for_reading(load({"store": home.store}, None, os.environ), asking=True)
        _, root = existing_place(launch.settings)
        server = str(launch.model.server) if launch.model is not None else None
    reached = [str(path) for path in home.secrets_named() if _opens(path)]
    return {"root": os.path.relpath(root, home.base), "server": server, "reached": reached}


def _opens(path: Path) -> bool:
    try:
        return bool(path.read_bytes())
    except OSError:
        return False


def main(act: str, *words: str) -> int:
    """The exit code: 0 with the outcome as JSON on standard output, or that of the refusal."""
    around = json.load(sys.stdin)
    home = Home(Path(around["base"]), "")
    try:
        outcome = (leave if act == "leave" else reach)(home, around["listener"], *words)
    except CorpusError as error:
        sys.stderr.write(f"Error: {error.message}\n{error.hint}\n")
        return error.exit_code
    sys.stdout.write(json.dumps(outcome))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    os._exit(status)
