"""Records on the disk, and what differs between two. Knows no part."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
GONE, NEW = "is gone", "is new"


def load(name: str) -> dict[str, Any]:
    path = DATA / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def save(name: str, entries: Mapping[str, Any]) -> None:
    DATA.mkdir(exist_ok=True)
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, sort_keys=True, separators=(',', ':'))}"
        for key, value in sorted(entries.items())
    )
    (DATA / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def below(entries: Mapping[str, Any], names: Collection[str] | None) -> dict[str, Any]:
    """The entries whose key is one of the names or lies below one; None: all."""
    if names is None:
        return dict(entries)
    starts = tuple(f"{name}/" for name in names)
    return {key: value for key, value in entries.items() if f"{key}/".startswith(starts)}


def differences(old: Mapping[str, Any], new: Mapping[str, Any], place: str = "") -> list[str]:
    """Every difference, as in "change/renamed [0] outcome moved: was 1, is 0"."""
    found = []
    for key in sorted({*old, *new}):
        inner = f"{place} {key}".strip()
        if key not in new or key not in old:
            found.append(f"{inner}: {GONE if key not in new else NEW}")
            continue
        left, right = (_named(each[key]) for each in (old, new))
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            found += differences(left, right, inner)
        elif left != right:
            found.append(f"{inner}: was {json.dumps(left)}, is {json.dumps(right)}")
    return found


def _named(value: object) -> object:
    """A list of records as one with their numbers for names."""
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return {f"[{number}]": each for number, each in enumerate(value)}
    return value
