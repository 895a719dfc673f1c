"""The libraries that the program needs, linked into another environment: no byte is copied."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROGRAM = "corpus-agent"


def needed() -> Iterator[Distribution]:
    """What is installed here of all that the program requires without extras, each once."""
    seen, waiting = {(PROGRAM, "")}, [(distribution(PROGRAM), "")]
    while waiting:
        one, extra = waiting.pop()
        for line in one.requires or ():
            requirement = Requirement(line)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            name = canonicalize_name(requirement.name)
            for part in {"", *requirement.extras}:
                if (name, part) not in seen:
                    seen.add((name, part))
                    found = distribution(name)
                    waiting.append((found, part))
                    if part == "":
                        yield found


def link(environment: Path) -> None:
    """Link their files into an environment, but for programs and compiled modules."""
    (packages,) = (environment / "lib").glob("python*/site-packages")
    for one in needed():
        for file in one.files or ():
            source = Path(str(one.locate_file(file)))
            if ".." in file.parts or "__pycache__" in file.parts or not source.is_file():
                continue
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, target)
            except FileExistsError:
                continue
            except OSError:  # on another file system
                shutil.copyfile(source, target)
