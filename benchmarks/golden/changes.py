"""The commands of changes.toml. Every time is set: a file that is recent is looked at again."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote_to_bytes

TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FIRST_DAY, DAY = 1_700_000_000, 86_400
STORE = "store"  # beside the folder


def put(root: Path, name: str, text: str, day: str = "200") -> None:
    content = unquote_to_bytes(text.replace("\\n", "\n"))
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content + b"\n" * bool(content))
    touch(root, name, day)


def long(root: Path, name: str, passages: str = "100", day: str = "200") -> None:
    own = Path(name).name
    words = [" ".join(f"word{n}x{m}" for m in range(30)) for n in range(int(passages))]
    put(root, name, "\n\n".join(f"{own} {n} {text}" for n, text in enumerate(words)), day)


def touch(root: Path, name: str, day: str = "200") -> None:
    os.utime(root / name, (FIRST_DAY + int(day) * DAY,) * 2)


def drop(root: Path, *names: str) -> None:
    for path in (root / name for name in names):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def damage(root: Path, name: str) -> None:
    """Every file at or below a name of the store is overwritten."""
    place = root.with_name(STORE) / name
    for path in (place, *sorted(place.rglob("*"))):
        if path.is_file():
            path.write_bytes(b"garbage")


COMMANDS: dict[str, Callable[..., object]] = {
    **{each.__name__: each for each in (put, long, touch, drop, damage)},
    "move": lambda root, name, to: (root / name).rename(root / to),
    "chmod": lambda root, name, mode: (root / name).chmod(int(mode, 8)),
    "link": lambda root, name, target: (root / name).symlink_to(target),
    "pipe": lambda root, name: os.mkfifo(root / name),
}


def change(root: Path, words: list[str]) -> None:
    """Do a command; what it names is written as in URLs."""
    command, *arguments = words
    names = arguments[:1] if command == "put" else arguments
    named = [os.fsdecode(unquote_to_bytes(name)) for name in names]
    COMMANDS[command](root, *named, *arguments[len(names) :])
