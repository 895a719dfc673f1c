"""Attacks by the content of an index, and what a program without checks would do with it.

Each attack changes the index of a home of this run, names the command that its user then runs, and
has a control that trusts the same content. Runs no command: boundaries.py does.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus_agent.selftest.injection.listening import connect
from corpus_agent.selftest.stores.home import Home, run
from indexer import storage

QUESTION = "When does the lease end?"
LIE = "The lease ends on 1 April 1999."  # a sentence in the index of another folder
BESIDE = "another"  # the folder of that index, in the home


@dataclass(frozen=True, slots=True)
class Store:
    """One attack on an index.

    `alter` makes the attack. `unchecked` is the control: what a program without checks would print.
    `command` is what the user runs. `refused`: it must end in an error even if the user had trusted
    the index before. `root` is the user's record: the folder of documents, in the home. `lists` is
    a file that the tables of the index claim to be a document.
    """

    name: str
    what: str
    alter: Callable[[Home, str], object]
    command: tuple[str, ...]
    unchecked: Callable[[Home], str]
    refused: bool = True
    root: str = "cloned/project"
    lists: str | None = None
    over: str | None = None  # the folder that the user names for the index, in the place of it


def change_manifest(store: Path, **fields: object) -> None:
    """Change values in the manifest of an index, with the sum that who has seen it can make."""
    path = store / "manifest.json"
    content = {**json.loads(path.read_text("utf-8")), **fields}
    del content["check"]
    path.write_text(json.dumps({**content, "check": storage.sum_of(store, content)}), "utf-8")


def set_in_store(home: Home, setting: str) -> None:
    """Write a config.toml into the index."""
    (home.store / "config.toml").write_text(f"{setting}\n", "utf-8")


def root_and_settings(store: Path) -> tuple[Path, dict[str, Any]]:
    """The folder that the manifest names, and the settings: what a program could believe."""
    content = json.loads((store / "manifest.json").read_text("utf-8"))
    path = store / "config.toml"
    settings = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    return (store.parent / str(content["root"])).resolve(), settings


def _link(name: str, target: str) -> Callable[[Home, str], None]:
    """Replace `name` by a link to `target` of the home."""

    def alter(home: Home, _: str) -> None:
        path = home.store / name
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(home.home / target)

    return alter


def _all_of(folder: Path) -> str:
    """The content of all files in a folder, as a reader of documents, tables or weights gets it."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return "\n".join(path.read_text("utf-8", "replace") for path in files)


def _wrote(path: Path, content: str) -> str:
    path.write_text(content, "utf-8")
    return ""


def _connected(home: Home) -> str:
    _, settings = root_and_settings(home.store)
    connect(settings["llm"].removeprefix("http://"))
    return ""


def _put_another(home: Home, _: str) -> None:
    """Replace the index by that of another folder, with this one's marker."""
    marker = (home.store / "corpus-agent.store").read_bytes()
    home.store.rename(home.store.with_name("moved"))
    shutil.copytree(home.home / BESIDE / ".corpus-agent", home.store)
    (home.store / "corpus-agent.store").write_bytes(marker)
    change_manifest(home.store)


def _believed(home: Home) -> str:
    """The content of the index, if its replacement is believed."""
    named = ("--store", home.store, "--trust-store")
    return run(home, "corpus_agent", *named, "search", QUESTION).out


def _read_listed(home: Home) -> str:
    """The document that the tables name, below the root, without any check."""
    listed = run(home, "corpus_agent", "--store", home.store, "--trust-store", "files", "--json")
    sources = [row["source"] for row in json.loads(listed.out)["files"]]
    texts = ((home.home / name).read_text("utf-8") for name in sources if name[:1] == ".")
    return "\n".join(texts)


def _strew(home: Home) -> str:
    """Make an index in any folder that is named."""
    (home.private / ".gitignore").write_text("*\n", "utf-8")
    shutil.rmtree(home.private / "lance")
    return ""


_SEARCH = ("search", "lease")

STORES = (
    Store(
        "root",
        "the manifest names another folder of documents",
        lambda home, _: change_manifest(home.store, root="../../private"),
        ("index",),
        lambda home: _all_of(root_and_settings(home.store)[0]),
        refused=False,
    ),
    Store(
        "ignore-link",
        ".gitignore leads to a file of the home",
        _link(".gitignore", ".bashrc"),
        ("index",),
        lambda home: _wrote(home.store / ".gitignore", "*\n"),
    ),
    Store(
        "manifest-link",
        "the manifest leads to a private file",
        _link("manifest.json", "private/data.json"),
        ("status",),
        lambda home: (home.store / "manifest.json").read_text("utf-8"),
    ),
    Store(
        "tmp-link",
        "the folder of temporary files leads to a private one",
        _link("tmp", "private"),
        ("index", "--force"),
        lambda home: _wrote(home.store / "tmp" / "new.txt", "words"),
    ),
    Store(
        "log-link",
        "a log leads to what the next shell runs",
        _link("tmp/llama-server.log", ".bashrc"),
        ("status",),
        lambda home: _wrote(home.store / "tmp" / "llama-server.log", "log"),
    ),
    Store(
        "tables-link",
        "the tables lead to a private folder",
        _link("lance", "private/lance"),
        _SEARCH,
        lambda home: _all_of(home.store / "lance"),
    ),
    Store(
        "setting-server",
        "its settings name a model server",
        lambda home, listener: set_in_store(home, f'llm = "http://{listener}"'),
        ("ask", QUESTION),
        _connected,
    ),
    Store(
        "setting-reranker",
        "its settings name a folder to read",
        lambda home, _: set_in_store(home, f'reranker = "{home.private}"'),
        _SEARCH,
        lambda home: _all_of(Path(root_and_settings(home.store)[1]["reranker"])),
    ),
    Store(
        "rows",
        "its tables claim that a key is a document",
        lambda home, _: change_manifest(home.store, root="."),
        ("read", ".ssh/id_rsa"),
        _read_listed,
        root=".",
        lists=".ssh/id_rsa",
    ),
    Store(
        "another-store",
        "another index lies in the place of the one that was made",
        _put_another,
        _SEARCH,
        _believed,
    ),
    Store(
        "over-documents",
        "the index is to be made over a folder of documents",
        lambda home, _: None,
        ("index",),
        _strew,
        over="private",
    ),
)
