"""What an attacker makes of an index: links, owners, roots, settings, types, sizes, rows, names.

Each case changes a copy of an honest index and says which commands the victim runs, and what the
commit before the defence (854f263) let happen: that is the control. None means that it was refused
already.
"""
# ruff: noqa: E501 - an attack a line, as a table

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.support.forged import signed, signed_text
from tests.support.hostile_stores import STORE, Alter, Kind, Scene, environment

OSC = "\x1b]0;owned\x07\x1b[2J\x9b31m"
STRANGER = 4321  # a user who is not this one
Answer = Literal["refused", "harmless"]


@dataclass(frozen=True, slots=True)
class Case:
    """One attack.

    `once_trusted` is what must become of it where this user had trusted the index before it was
    changed; None where that cannot be. `named` gives the index by --store. `rows` has the tables
    claim that private files are documents. `root` is what the user's record says, by default the
    folder. `control` are the commands that 854f263 was hurt by, by default the same. `anew` starts
    each command anew, since what it imports is what is attacked.
    """

    name: str
    alter: Alter
    commands: tuple[str, ...]
    got_through: Kind | None
    once_trusted: Answer | None = "harmless"
    named: bool = False
    rows: bool = False
    root: Callable[[Scene], Path] | None = None
    control: tuple[str, ...] = ()
    needs_root: bool = False
    anew: bool = False


# ---- How an index is changed


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _place(scene: Scene, name: str) -> Path:
    """The path `name` in the store, free; a `*` in it is the first that is there."""
    path = sorted(scene.store.glob(name))[0] if "*" in name else scene.store / name
    _remove(path)
    path.parent.mkdir(exist_ok=True)
    return path


def link(name: str, target: str) -> Alter:
    """A link in the place of `name`; `target` is relative to the victim's home, or absolute."""

    def alter(scene: Scene) -> None:
        path = _place(scene, name)
        path.symlink_to(target if target.startswith("/") else scene.home / target)

    return alter


def relative_link(name: str, target: str) -> Alter:
    """A link in the place of `name` as a repository carries one."""
    return lambda scene: _place(scene, name).symlink_to(target)


def hard_link(name: str, target: str) -> Alter:
    """A second name for a file of the victim's, in the place of `name`."""
    return lambda scene: _place(scene, name).hardlink_to(scene.home / target)


def fifo(name: str) -> Alter:
    """A pipe with no writer in the place of `name`."""
    return lambda scene: os.mkfifo(_place(scene, name))


def device(name: str) -> Alter:
    """A file without an end, /dev/zero, in the place of `name`."""
    return lambda scene: os.mknod(_place(scene, name), stat.S_IFCHR | 0o666, os.makedev(1, 5))


def folder(name: str) -> Alter:
    """A folder with a file in it in the place of `name`."""

    def alter(scene: Scene) -> None:
        path = _place(scene, name)
        path.mkdir()
        (path / "file").write_text("words")

    return alter


def file(name: str, content: str | bytes = "words\n") -> Alter:
    """A file of this content in the place of `name`."""

    def alter(scene: Scene) -> None:
        data = content.encode() if isinstance(content, str) else content
        _place(scene, name).write_bytes(data)

    return alter


def socket_file(name: str) -> Alter:
    """A socket that nobody listens on in the place of `name`."""

    def alter(scene: Scene) -> None:
        path = _place(scene, name)
        with socket.socket(socket.AF_UNIX) as made:
            here = os.open(path.parent, os.O_RDONLY)
            made.bind(f"/proc/self/fd/{here}/{path.name}")  # any length of path
            os.close(here)

    return alter


def sparse(name: str, size: int = 2**30) -> Alter:
    """A file of `size` bytes that takes no space in the place of `name`."""

    def alter(scene: Scene) -> None:
        path = _place(scene, name)
        path.touch()
        os.truncate(path, size)

    return alter


def both(*alterations: Alter) -> Alter:
    """One after the other."""

    def alter(scene: Scene) -> None:
        for one in alterations:
            one(scene)

    return alter


def said(scene: Scene) -> dict[str, Any]:
    """What the manifest says."""
    content: dict[str, Any] = json.loads((scene.store / "manifest.json").read_text())
    # Who can write it can leave out by what damage is found.
    return {key: value for key, value in content.items() if key not in ("check", "contents")}


def fields(**changes: object) -> Alter:
    """Other values of the manifest; `a__b` is the field b within a, Scene -> value is called."""

    def alter(scene: Scene) -> None:
        content = said(scene)
        for name, value in changes.items():
            *above, last = name.split("__")
            here = content
            for part in above:
                here = here[part]
            here[last] = value(scene) if callable(value) else value
        (scene.store / "manifest.json").write_text(signed(scene.store, content))

    return alter


def spelled(old: str, new: str) -> Alter:
    """Text of the manifest replaced, as no JSON writer would."""

    def alter(scene: Scene) -> None:
        path = scene.store / "manifest.json"
        text = re.sub(r',\s*"check": "\w+"', "", path.read_text())
        assert old in text, text
        path.write_text(signed_text(scene.store, text.replace(old, new, 1)))

    return alter


def settings(content: str | bytes) -> Alter:
    """A config.toml in the store; HOME and PORT stand for the victim's home and the listener."""

    def alter(scene: Scene) -> None:
        data = content.encode() if isinstance(content, str) else content
        port = str(scene.listener.port if scene.listener else 0)
        data = data.replace(b"HOME", str(scene.home).encode()).replace(b"PORT", port.encode())
        (scene.store / "config.toml").write_bytes(data)

    return alter


def owned(*names: str, uid: int = STRANGER) -> Alter:
    """Another owner for the store ("." itself, "*" everything)."""

    def alter(scene: Scene) -> None:
        for name in names:
            paths = [scene.store, *scene.store.rglob("*")] if name == "*" else [scene.store / name]
            for path in paths:
                os.chown(path, uid, uid, follow_symlinks=False)

    return alter


def mode(name: str, bits: int) -> Alter:
    """Other permissions."""
    return lambda scene: (scene.store / name).chmod(bits)


def cloned(*alterations: Alter) -> Alter:
    """The folder, changed first, as `git clone` brings it."""

    def alter(scene: Scene) -> None:
        both(*alterations)(scene)
        if not (scene.store / ".gitignore").is_symlink():
            (scene.store / ".gitignore").unlink(missing_ok=True)
        origin = scene.base / "origin"
        scene.project.rename(origin)
        git = [
            "git",
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "protocol.file.allow=always",
        ]
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        for arguments in (["init", "-q"], ["add", "-f", "."], ["commit", "-qm", "one"]):
            subprocess.run([*git, *arguments], cwd=origin, env=env, check=True, capture_output=True)
        command = [*git, "clone", "-q", str(origin), str(scene.project)]
        subprocess.run(command, env=env, check=True, capture_output=True)
        shutil.rmtree(origin)

    return alter


def unpacked(*alterations: Alter) -> Alter:
    """The folder, changed first, as `tar -x` unpacks it."""

    def alter(scene: Scene) -> None:
        both(*alterations)(scene)
        archive = scene.base / "archive.tar"
        at = scene.project.parent
        subprocess.run(["tar", "-cf", archive, "-C", at, scene.project.name], check=True)
        shutil.rmtree(scene.project)
        subprocess.run(["tar", "-xf", archive, "-C", at], check=True)
        archive.unlink()

    return alter


def another_store(scene: Scene) -> Path:
    """An honest index of the victim's, of private documents, elsewhere in the home."""
    other = scene.home / "documents" / STORE
    shutil.copytree(scene.store, other, symlinks=True)
    scene.private += [path for path in other.rglob("*") if path.is_file()]
    return other


def another_stores(name: str) -> Alter:
    """A link to `name` in another index of the victim's, in the place of our own."""

    def alter(scene: Scene) -> None:
        other = another_store(scene)
        _place(scene, name).symlink_to(other / name)

    return alter


def instead(make: Callable[[Path], object]) -> Alter:
    """What `make` makes in the place of the whole index."""

    def alter(scene: Scene) -> None:
        shutil.rmtree(scene.store)
        make(scene.store)

    return alter


def is_a_link(scene: Scene) -> None:
    """The store is a link to another index of the victim's."""
    other = another_store(scene)
    shutil.rmtree(scene.store)
    scene.store.symlink_to(other)


def in_a_parent(scene: Scene) -> None:
    """The index lies in a folder above that belongs to another user, as in /tmp."""
    above = scene.project.parent
    shutil.move(scene.store, above / STORE)
    scene.store = above / STORE
    fields_of = {**said(scene), "root": "project"}
    (above / STORE / "manifest.json").write_text(json.dumps(fields_of))
    for path in (above / STORE, *(above / STORE).rglob("*")):
        os.chown(path, STRANGER, STRANGER)
    os.chown(above, STRANGER, STRANGER)
    above.chmod(0o1777)


def borrowed_tables(scene: Scene) -> None:
    """The tables are shallow copies: no link, but their data is in another index of the victim's.

    What Lance writes for `clone_table`: a version that names the base path of every data file.
    """
    other = another_store(scene)
    import lancedb

    tables = scene.store / "lance"
    shutil.rmtree(tables)
    database = lancedb.connect(str(tables))
    content = said(scene)
    for name in ("chunks", "files"):
        made = database.clone_table(name, f"{other}/lance/{name}.lance", is_shallow=True)
        content[f"{name}_version"] = made.version
    (scene.store / "manifest.json").write_text(signed(scene.store, content))


def garbage(pattern: str) -> Alter:
    """Noise in the place of what is in every file of this name."""

    def alter(scene: Scene) -> None:
        paths = sorted(scene.store.glob(pattern))
        assert paths, pattern
        for path in paths:
            path.write_bytes(b"\xff\xfe\x00garbage" * 40)

    return alter


def nested(scene: Scene) -> None:
    """An index within the index."""
    shutil.copytree(scene.store, scene.base / "copy", symlinks=True)
    shutil.move(scene.base / "copy", scene.store / STORE)


def with_a_server(scene: Scene) -> None:
    """The victim has a llama-server, and asks it."""
    program = scene.home / "bin" / "llama-server"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho touch it-ran\n")
    program.chmod(0o755)
    (scene.home / "weights.gguf").write_text("weights")
    scene.env["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    scene.env["CORPUS_AGENT_LLM"] = f"gguf:{scene.home / 'weights.gguf'}"


_SEALED = """
import contextlib, json, os, sys
from pathlib import Path
from corpus_agent.seal import policy, seal
root, store, home, port = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
seal(policy(root, store))
def manifest(**changes):
    path = store / "manifest.json"
    content = json.loads(path.read_text())
    content.pop("check", None)
    content.update(changes)
    with contextlib.suppress(ImportError):  # the program before had no sum that must be there
        from indexer.store.manifest import sum_of
        content["check"] = sum_of(store, content)
    path.write_text(json.dumps(content))
def link(name, target):
    (store / name).unlink(missing_ok=True)
    (store / name).symlink_to(target)
"""


def taken_over(code: str) -> Alter:
    """What code does that took over a sealed run of the index; the kernel may refuse it."""
    script = _SEALED + "with contextlib.suppress(OSError):\n" + textwrap.indent(code, "    ")

    def alter(scene: Scene) -> None:
        port = scene.listener.port if scene.listener else 0
        places = [scene.project, scene.store, scene.home, port]
        command = [sys.executable, "-P", "-c", script, *map(str, places)]
        done = subprocess.run(
            command, env=environment(scene), cwd=scene.base, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr

    return alter


def in_the_folder(make: Callable[[Path], None]) -> Alter:
    """What `make` puts among the documents, told the folder."""
    return lambda scene: make(scene.project)


def lines(*rules: str) -> Callable[[Path], None]:
    """An ignore file of these lines, beside a document of a long name."""

    def make(place: Path) -> None:
        (place / ("a" * 60)).write_text("words")
        (place / ("a/" * 60)).mkdir(parents=True)
        (place / ".gitignore").write_text("\n".join(rules))

    return make


def nothing_much(place: Path) -> None:
    """An ignore file of one gibibyte of NUL that takes no space."""
    (place / ".gitignore").touch()
    os.truncate(place / ".gitignore", 2**30)


FROM_SHELL_AND_PYTHON = ("index", "Corpus")

LINKS = [
    Case(".gitignore leads to .bashrc", link(".gitignore", ".bashrc"), ("index",), "changed", "refused"),
    Case(".gitignore leads to a file to be made", link(".gitignore", ".profile"), ("index",), "changed", "refused"),
    Case(".gitignore is a relative link", relative_link(".gitignore", "../../../.bashrc"), ("index", "watch"), "changed", "refused"),
    Case(".gitignore is a pipe", fifo(".gitignore"), ("index",), "hung"),
    Case(".gitignore is a folder", folder(".gitignore"), ("index",), None),
    Case(".gitignore is a chain of links", both(link(".gitignore", "cloned/project/chain"), lambda s: (s.project / "chain").symlink_to(s.home / ".bashrc")), ("index",), "changed", "refused"),
    Case(".gitignore is .bashrc itself", hard_link(".gitignore", ".bashrc"), ("index",), "changed"),
    Case("manifest.json leads to a file", link("manifest.json", "documents/data.json"), ("status", "search"), "opened", "refused", named=True),
    Case("manifest.json leads to itself", relative_link("manifest.json", "manifest.json"), ("status", "index"), "obeyed", "refused", named=True),
    Case("manifest.json leads nowhere", relative_link("manifest.json", "gone"), ("status", "index"), "obeyed", "refused", named=True),
    Case("manifest.json is a pipe", fifo("manifest.json"), ("status", "index"), "hung", "refused", named=True),
    Case("manifest.json is a folder", folder("manifest.json"), ("status",), "crashed", "refused", named=True),
    Case("manifest.json is a device", device("manifest.json"), ("status",), None, "refused", named=True, needs_root=True),
    Case("manifest.json is a socket", socket_file("manifest.json"), ("status",), "crashed", "refused", named=True),
    Case("manifest.json is a private file itself", hard_link("manifest.json", "documents/data.json"), ("status",), "opened", "harmless", named=True),
    Case("manifest.new leads to .bashrc", link("manifest.new", ".bashrc"), ("Corpus",), "changed", "refused"),
    Case("manifest.new is .bashrc itself", hard_link("manifest.new", ".bashrc"), ("index --force",), "changed"),
    Case("a former manifest is a pipe", fifo("manifest.123.json"), ("cleanup",), "hung", "refused"),
    Case("a former manifest leads to a file", link("manifest.123.json", "documents/data.json"), ("cleanup", "Corpus"), None, "refused"),
    Case("config.toml leads to a file", link("config.toml", "documents/settings.toml"), ("status", "ask"), "shown", "refused"),
    Case("config.toml is a private file itself", hard_link("config.toml", "documents/settings.toml"), ("status",), "shown"),
    Case("config.toml is a pipe", fifo("config.toml"), ("status",), "hung"),
    Case("config.toml leads to /dev/zero", link("config.toml", "/dev/zero"), ("status",), "hung", "refused"),
    Case("config.toml is a socket", socket_file("config.toml"), ("status",), None),
    Case("config.toml is a folder", folder("config.toml"), ("status",), None),
    Case("writer.lock leads to .bashrc", link("writer.lock", ".bashrc"), ("Corpus",), "changed", "refused"),
    Case("writer.lock is .bashrc itself", hard_link("writer.lock", ".bashrc"), ("index", "forget"), "changed"),
    Case("writer.lock is a pipe", fifo("writer.lock"), ("index", "cleanup"), None),
    Case("writer.lock is a folder", folder("writer.lock"), ("index",), None),
    Case("receipts.jsonl leads to .bashrc", link("receipts.jsonl", ".bashrc"), ("ask", "Corpus"), "obeyed", "refused"),
    Case("receipts.jsonl is .bashrc itself", hard_link("receipts.jsonl", ".bashrc"), ("ask", "chat"), "changed"),
    Case("receipts.jsonl is a pipe", fifo("receipts.jsonl"), ("ask",), "hung"),
    Case("receipts.1.jsonl leads to .bashrc", link("receipts.1.jsonl", ".bashrc"), ("ask",), "obeyed", "refused"),
    Case("lance leads to a folder", link("lance", "documents/lance"), FROM_SHELL_AND_PYTHON, None, "refused"),
    Case("lance leads to other tables", another_stores("lance"), ("Corpus",), "changed", "refused"),
    Case("a table leads to other tables", another_stores("lance/files.lance"), ("Corpus",), "changed", "refused"),
    Case("a file of a table leads to a file", link("lance/chunks.lance/data/*.lance", "documents/lance/kept.lance"), ("Corpus", "search"), "opened", "refused"),
    Case("the tables borrow their data elsewhere", borrowed_tables, ("Corpus", "search"), "opened"),
    Case("vectors leads to a folder", link("vectors", "documents"), ("Corpus",), "changed", "refused"),
    Case("a file of vectors is a private file itself", hard_link("vectors/*.vec", "documents/salary.md"), ("index --force",), "changed"),
    Case("texts leads to a folder", link("texts", "documents"), ("Corpus",), "changed", "refused"),
    Case("texts is a file", file("texts"), ("index --force", "read"), "obeyed"),
    Case("vectors is a file", file("vectors"), ("index --force",), None),
    Case("lance is a file", file("lance"), ("index", "search"), None),
    Case("tmp is a file", file("tmp"), ("status", "index"), None),
    Case("tmp leads to a folder", link("tmp", "documents"), ("index --force", "Corpus"), "changed", "refused"),
    Case("tmp/lance leads to a folder", link("tmp/lance", "documents"), ("Corpus", "cleanup"), None, "refused"),
    Case("tmp leads to a folder to be made", link("tmp", "made"), ("status",), None, "refused"),
    Case("the log of a llama-server leads to .bashrc", both(with_a_server, link("tmp/llama-server.log", ".bashrc")), ("ask auto",), "changed", "refused"),
    Case("the store is a link", is_a_link, ("forget", "ask"), "changed", None),
    Case("the store is a file", instead(lambda store: store.write_text("gitdir: ../../documents")), ("index", "status"), None, None),
    Case("the store is a pipe", instead(os.mkfifo), ("index", "status"), None, None),
    Case("a link deep below", relative_link("tmp/a", "../../../../.ssh/id_rsa"), ("status",), "obeyed", "refused"),
    Case("a git clone with a link", cloned(relative_link(".gitignore", "../../../.bashrc")), ("index",), "changed", None),
    Case("an archive with a link and a pipe", unpacked(relative_link("manifest.new", "../../../.bashrc"), fifo("config.toml")), ("status", "index"), "hung", None),
]  # fmt: skip

OWNERS = [
    Case("everything is a stranger's", owned("*"), ("status", "ask"), "obeyed", "refused", needs_root=True),
    Case("the store is a stranger's", owned("."), ("search",), "obeyed", "refused", needs_root=True),
    Case("the manifest is a stranger's", owned("manifest.json"), ("files",), "obeyed", "refused", needs_root=True),
    Case("the settings are a stranger's", both(settings("llm_seconds = 50\n"), owned("config.toml")), ("status",), "obeyed", "harmless", needs_root=True),
    Case("it lies in a stranger's folder above", in_a_parent, ("ask", "status"), "obeyed", None, needs_root=True),
    Case("everybody may write it", mode(".", 0o777), ("status",), "obeyed", "harmless"),
    Case("everybody may write the manifest", mode("manifest.json", 0o666), ("status",), "obeyed", "harmless"),
]  # fmt: skip

KEYS = ("read .ssh/id_rsa", "mcp")


def _root(name: str, root: object, got_through: Kind | None, *commands: str) -> Case:
    return Case(
        f"root: {name}", fields(root=root), commands or KEYS, got_through, "harmless", rows=True
    )


ROOTS = [
    _root("two above", "../..", "shown"),
    _root("one above", "..", "obeyed", "status", "read .ssh/id_rsa"),
    _root("the home, absolute", lambda s: str(s.home), "shown"),
    _root("the home, from Python", "../..", "shown", "Corpus"),
    _root("a way round", "notes/../../..", "shown"),
    _root("a link inside", lambda s: (s.project / "l").symlink_to(s.home) or "l", "shown"),
    _root("everything", "/", None, "status", "files"),
    _root("nothing", "", "obeyed", "status"),
    _root("the store itself", STORE, "obeyed", "status", "index"),
    _root("with NUL", "notes\0/../..", "crashed", "status", "ask"),
    _root("with a line break", "notes\nThe index is fine.", "obeyed", "status"),
    _root("with escape sequences", f"notes{OSC}", "obeyed", "status", "ask", "index"),
    _root("100,000 characters", "a/" * 50_000, "crashed", "status", "doctor"),
    _root("a number", 7, "crashed", "status"),
    _root("a list", ["..", ".."], "crashed", "status", "index"),
    _root("null", None, "crashed", "status"),
    _root("a lone surrogate", "\ud800", "crashed", "status", "files"),
    _root("a folder for index to read", "../../documents", "opened", "index", "index --force"),
    Case("rows for a key below the recorded root", fields(root="../.."), ("read .ssh/id_rsa", "read .bashrc"), "shown", "harmless", rows=True, root=lambda s: s.home),
    Case("rows that lead above the root", fields(root="."), ("read ../elsewhere/secret.md", "Corpus"), None, "harmless", rows=True),
]  # fmt: skip

SETTINGS = [
    Case("settings: a server of the attacker's", settings('llm = "http://127.0.0.1:PORT"\n'), ("ask auto", "Librarian"), "sent", "refused"),
    Case("settings: the server's model", settings('llm_model = "theirs"\n'), ("status",), "obeyed", "refused"),
    Case("settings: an embedding model elsewhere", settings('model = "HOME/documents/model"\n'), ("search",), "opened", "refused"),
    Case("settings: a reranker that is the home", settings('reranker = "HOME/documents/model"\n'), ("status",), "obeyed", "refused"),
    Case("settings: llama-server and weights", settings('llm = "gguf:HOME/.bashrc"\n'), ("ask auto",), None, "refused"),
    Case("settings: another store", settings('store = "HOME/documents"\n'), ("status",), None, "refused"),
    Case("settings: an unknown key in escape sequences", settings('"\\u001b]0;owned\\u0007" = 1\n'), ("status",), None, "refused"),
    Case("settings: a value in escape sequences", settings('llm_seconds = "\\u001b]0;owned\\u0007"\n'), ("status",), None, "refused"),
    Case("settings: not UTF-8", settings(b"llm_seconds = 50 # \xff\xfe\n"), ("status",), None, "refused"),
    Case("settings: not TOML", settings(b"\x00\x1b[2J = [\n"), ("status", "ask"), None, "refused"),
    Case("settings: nested lists", settings("max_file_bytes = " + "[" * 100_000 + "]" * 100_000), ("status",), "crashed", "refused"),
    Case("settings: one gibibyte", sparse("config.toml"), ("status",), None, "refused"),
    Case("settings: not a number", settings("llm_seconds = nan\n"), ("ask",), None, "refused"),
    Case("settings: without an end", settings("llm_seconds = inf\n"), ("status",), "crashed", "refused"),
    Case("settings: less than nothing", settings("max_file_bytes = -1\n"), ("index",), "obeyed"),
    Case("settings: a list of numbers", settings("llm_context = [1, 2]\n"), ("status",), None, "refused"),
    Case("settings: a model by another spelling", settings('"llm" = "none"\n[llm_model]\na = 1\n'), ("status",), "obeyed", "refused"),
]  # fmt: skip

HUGE = 10**30
TYPES = [
    Case("manifest: escape sequences in updated", fields(updated=OSC), ("status", "status --json", "Corpus"), "control"),
    Case("manifest: escape sequences in the model", fields(fingerprint__model=OSC), ("status", "search"), "control"),
    Case("manifest: escape sequences in the chunker", fields(fingerprint__chunker=OSC), ("search", "doctor"), None),
    Case("manifest: updated is a list", fields(updated=[OSC] * 9), ("status",), "obeyed"),
    Case("manifest: updated of ten million", fields(updated="x" * 10_000_000), ("status",), "obeyed"),
    Case("manifest: version is text", fields(version="latest"), ("status", "ask"), "obeyed"),
    Case("manifest: version is huge", fields(version=HUGE), ("index --force", "ask"), "obeyed"),
    Case("manifest: version of a table is negative", fields(chunks_version=-1), ("search",), "crashed"),
    Case("manifest: version of a table is huge", fields(files_version=HUGE), ("files",), "crashed"),
    Case("manifest: version of a table is a fraction", fields(files_version=1.5), ("files",), "crashed"),
    Case("manifest: version of a table is true", fields(chunks_version=True), ("search",), "obeyed"),
    Case("manifest: chunks is text", fields(chunks="many"), ("status", "search"), "crashed"),
    Case("manifest: chunks is less than nothing", fields(chunks=-5), ("status", "search"), "obeyed"),
    Case("manifest: coverage is a list", fields(coverage=[1, 2]), ("status",), None),
    Case("manifest: coverage counts text", fields(coverage__indexed=OSC), ("status", "ask"), "crashed"),
    Case("manifest: coverage has more", fields(coverage__more=1), ("status",), None),
    Case("manifest: dimension is huge", fields(fingerprint__dimension=HUGE), ("search", "index"), "obeyed"),
    Case("manifest: extractors is a list", fields(fingerprint__extractors=[1]), ("index", "search"), "crashed"),
    Case("manifest: a field of another name", fields(script="touch it-ran"), ("status",), None),
    Case("manifest: complete is text", fields(complete=OSC), ("status", "index"), "obeyed"),
    Case("manifest: ignored is infinite", fields(ignored=float("inf")), ("status", "index"), "obeyed"),
    Case("manifest: walked_ns is no number", fields(walked_ns=float("nan")), ("status", "index"), "obeyed"),
    Case("manifest: schema is true", fields(schema=True), ("status",), None),
    Case("manifest: schema is less than nothing", fields(schema=-1), ("status", "index"), "obeyed"),
    Case("manifest: schema is huge", fields(schema=HUGE), ("status", "index"), None),
    Case("manifest: an earlier schema and a root elsewhere", fields(schema=1, root="../../documents"), ("index",), "opened"),
    Case("manifest: the same key twice", spelled('"version"', '"root": "../..", "version"'), ("status",), "obeyed"),
    Case("manifest: nested lists", file("manifest.json", "[" * 200_000 + "]" * 200_000), ("status", "index"), "crashed"),
    Case("manifest: a number of 100,000 digits", file("manifest.json", '{"schema": ' + "9" * 100_000 + "}"), ("status",), None),
    Case("manifest: one gibibyte", sparse("manifest.json"), ("status",), None),
    Case("manifest: not UTF-8", file("manifest.json", b'{"schema": 2, "root": "\xff"}'), ("status",), None),
    Case("manifest: UTF-16", file("manifest.json", '{"schema": 2}'.encode("utf-16")), ("status",), None),
]  # fmt: skip

TABLES = [
    Case("tables: versions of noise", garbage("lance/*/_versions/*.manifest"), ("search", "doctor", "index"), None),
    Case("tables: data of noise", garbage("lance/*/data/*"), ("search", "files"), None),
    Case("tables: hints of noise", garbage("lance/*/_versions/latest_version_hint.json"), ("search", "index"), "obeyed"),
    Case("vectors of noise", garbage("vectors/*"), ("index --force",), "obeyed"),
    Case("texts of noise", garbage("texts/*/*"), ("read", "index --force"), "obeyed"),
    Case("a lock that names a command", file("writer.lock", json.dumps({"pid": 1, "command": OSC, "since": OSC})), ("index",), "obeyed"),
    Case("a store in the store", nested, ("index", "status"), "obeyed"),
    Case("packages in the store", both(file("tmp/numpy.py", "open('../../../../it-ran', 'w')"), file("sitecustomize.py", "open('../../../../it-ran', 'w')")), ("index --force", "search"), "obeyed", anew=True),
    Case("a name of nobody's", file("Makefile", "all:\n\ttouch it-ran\n"), ("status",), "obeyed", "refused", anew=True),
]  # fmt: skip

PERSISTENCE = [
    Case("taken over: a server of the attacker's", taken_over("(store / 'config.toml').write_text(f'llm = \"http://127.0.0.1:{port}\"')"), ("ask auto", "Librarian"), "sent", "refused"),
    Case("taken over: a reranker that is the home", taken_over("(store / 'config.toml').write_text(f'reranker = \"{home}/documents/model\"')"), ("search",), "opened", "refused"),
    Case("taken over: a model elsewhere", taken_over("(store / 'config.toml').write_text(f'model = \"{home}/documents/model\"')"), ("ask",), "opened", "refused"),
    Case("taken over: settings that are a pipe", taken_over("os.mkfifo(store / 'config.toml')"), ("status",), None),
    Case("taken over: the root", taken_over("manifest(root='../..')"), (*KEYS, "Corpus"), "shown", rows=True),
    Case("taken over: the root, absolute", taken_over("manifest(root=str(home))"), ("mcp",), "shown", rows=True),
    Case("taken over: the root of index", taken_over("manifest(root='../../documents')"), ("index",), "opened"),
    Case("taken over: the root and the marker", taken_over("(store / 'corpus-agent.store').write_text('corpus-agent store\\nid = ' + 'a' * 32)\nmanifest(root='../..')"), KEYS, "shown", rows=True),
    Case("taken over: .gitignore", taken_over("link('.gitignore', home / '.bashrc')"), ("index",), None),
    Case("taken over: what status prints", taken_over(f"manifest(updated={OSC!r})"), ("status",), "control"),
    Case("taken over: files that run elsewhere", taken_over("(store / 'tmp/numpy.py').write_text('open(\"it-ran\", \"w\")')\n(store / '.envrc').write_text('touch it-ran')"), ("index --force",), "obeyed", anew=True),
]  # fmt: skip

# The folder itself, where the index is honest: what `index` meets before it knows any document.
IGNORE_FILES = [
    Case("ignore file: a pipe", in_the_folder(lambda place: os.mkfifo(place / ".gitignore")), ("index", "watch"), "hung"),
    Case("ignore file: a pipe below", in_the_folder(lambda place: os.mkfifo(place / "notes/.corpusignore")), ("index --dry-run",), "hung"),
    Case("ignore file: a link to /dev/zero", in_the_folder(lambda place: (place / ".corpusignore").symlink_to("/dev/zero")), ("index",), "hung"),
    Case("ignore file: a device", in_the_folder(lambda place: os.mknod(place / ".gitignore", stat.S_IFCHR | 0o666, os.makedev(1, 5))), ("index",), "hung", needs_root=True),
    Case("ignore file: a link to a private file", lambda s: (s.project / ".gitignore").symlink_to(s.home / "documents/salary.md"), ("index", "Corpus"), "opened"),
    Case("ignore file: a pattern without an end", in_the_folder(lines("*a" * 20 + "b")), ("index",), "hung"),
    Case("ignore file: another pattern without an end", in_the_folder(lines("a" + "*[!b]" * 24 + "c")), ("index",), "hung"),
    Case("ignore file: a path without an end", in_the_folder(lines("**/a/" * 24 + "c")), ("index",), "hung"),
    Case("ignore file: 200,000 lines", in_the_folder(lines(*(f"*x{n}*y" for n in range(200_000)))), ("index",), "hung"),
    Case("ignore file: one line of 60 MB", in_the_folder(lines("?" * 60_000_000)), ("index",), "hung"),
    Case("ignore file: a gibibyte of nothing", in_the_folder(nothing_much), ("index",), "hung"),
    Case("ignore file: a folder", in_the_folder(lambda place: (place / ".gitignore").mkdir()), ("index",), None),
    Case("ignore file: a link to itself", in_the_folder(lambda place: (place / ".gitignore").symlink_to(".gitignore")), ("index",), None),
]  # fmt: skip

FOUND = [*LINKS, *OWNERS, *ROOTS, *SETTINGS, *TYPES, *TABLES]
CASES = [*FOUND, *PERSISTENCE, *IGNORE_FILES]
assert len({case.name for case in CASES}) == len(CASES)
