"""The budget of the house: `python tests/support/house.py` prints it, and fails where it is passed.

The ceilings and goals stand in `[tool.house]` of pyproject.toml. A ceiling is what a room reached;
whoever makes a room smaller lowers it (`--lower`), and raising one needs a decision.
"""

import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECT = ROOT / "pyproject.toml"


@dataclass(frozen=True)
class Room:
    """What pyproject.toml says of a part of the project: where it is and how large it may be."""

    name: str
    paths: tuple[str, ...]  # folders and files, below the root; "indexer/*.py" is not its rooms
    unit: str  # "lines" of Python, "words" of Markdown, or "modules" of Python
    ceiling: int
    goal: int


def rooms(project: str) -> list[Room]:
    tables = tomllib.loads(project)["tool"]["house"]
    return [
        Room(name, tuple(entry["paths"]), unit, *entry[unit])
        for name, entry in tables.items()
        for unit in ("lines", "modules", "words")
        if unit in entry
    ]


def files(room: Room, root: Path) -> list[Path]:
    suffix = ".md" if room.unit == "words" else ".py"
    found = set()
    for pattern in room.paths:
        for path in root.glob(pattern):
            found.update(path.rglob(f"*{suffix}") if path.is_dir() else [path])
    return sorted(found)


def size(room: Room, root: Path) -> int:
    if room.unit == "modules":
        return len(files(room, root))
    texts = [path.read_text("utf-8") for path in files(room, root)]
    return sum(len(text.split()) if room.unit == "words" else text.count("\n") for text in texts)


def lowered(project: str, sizes: dict[tuple[str, str], int]) -> str:
    """The text of pyproject.toml with each ceiling at what its room has, where that is less."""
    for room in rooms(project):
        now = min(room.ceiling, sizes[room.name, room.unit])
        pattern = rf'("{re.escape(room.name)}" = .*\b{room.unit} = \[){room.ceiling},'
        project = re.sub(pattern, rf"\g<1>{now},", project)
    return project


def main(arguments: list[str]) -> int:
    project = PROJECT.read_text("utf-8")
    sizes = {(room.name, room.unit): size(room, ROOT) for room in rooms(project)}
    passed = 0
    for room in rooms(project):
        now = sizes[room.name, room.unit]
        over = now > room.ceiling
        passed += over
        print(f"{room.name:52} {now:>7,} {room.unit:7} of {room.ceiling:>7,}", end="")
        print(f", goal {room.goal:>7,}{'  OVER' if over else ''}")
    if "--lower" in arguments:
        PROJECT.write_text(lowered(project, sizes), "utf-8")
    if passed:
        print(f"{passed} rooms are over their ceiling: make them smaller, or write a decision.")
    return 1 if passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
