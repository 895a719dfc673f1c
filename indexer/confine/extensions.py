"""Code that the user installed beside this program, as packages that name it in their entry points.

Lists it without importing it, and imports what is asked for. An extension may do what the process
may that imports it: so that process is confined before. Only the folders of installed packages are
looked through: neither the working folder nor PYTHONPATH can add an extension.
"""

from __future__ import annotations

import re
import site
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Literal

from indexer.confine import starting
from indexer.errors import CorpusError, UsageError

Kind = Literal["extractors", "embedders"]
GROUP = "corpus_agent."  # before a kind: the group of entry points
# What a name may be: of an extractor the suffix that it reads, else the name that a setting gives.
_NAMES: dict[Kind, re.Pattern[str]] = {
    "extractors": re.compile(r"\.[a-z0-9][a-z0-9_-]{0,20}"),
    "embedders": re.compile(r"[a-z][a-z0-9_-]{0,40}"),
}
_VERSION = re.compile(r"[0-9][0-9a-z.]{0,40}")
_PACKAGE = re.compile(r"[a-z][a-z0-9_-]{0,40}")


@dataclass(frozen=True, slots=True)
class Extension:
    """One entry point: `name` is its own, `package` and `version` are those of its distribution."""

    kind: Kind
    name: str
    package: str
    version: str
    place: str
    refused: str = ""

    def load(self) -> object:
        """What the entry point names, imported now; raises CorpusError where that fails."""
        module, _, attribute = self.place.partition(":")
        with self._told():
            found: object = import_module(module)
            for part in attribute.split(".") if attribute else ():
                found = getattr(found, part)
        return found

    def make(self) -> object:
        """What a call of it makes, None where it cannot be called; raises CorpusError as `load`."""
        found = self.load()
        with self._told():
            return found() if callable(found) else None

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raise CorpusError for whatever goes wrong in a stranger's code, an exit included."""
        try:
            yield
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:
            elsewhere = isinstance(error, (ImportError, AttributeError, SyntaxError, OSError))
            why = error if elsewhere else f"{type(error).__name__}: {error}".removesuffix(": ")
            mend = (
                "Nothing is read but what is installed: pip install . (with -e it stays where it is"
                " written)"
                if elsewhere
                else "The fault is in the package"
            )
            raise CorpusError(
                f"The extension {self.name!r} of {self.package} {self.version} cannot be loaded: "
                f"{' '.join(str(why).split())}.",
                f"{mend}. Or remove it: pip uninstall {self.package}",
            ) from error

    def __str__(self) -> str:
        return f"{self.name} ({self.package} {self.version})"


@cache
def installed() -> tuple[Extension, ...]:
    """All extensions that are installed, by kind and name; nothing of them is imported."""
    found = sorted(_found(), key=lambda each: (each.kind, each.name, each.package))
    counts = Counter((each.kind, each.name) for each in found)
    return tuple(
        replace(each, refused="two packages name it") if counts[each.kind, each.name] > 1 else each
        for each in found
    )


def named(kind: Kind, name: str) -> Extension:
    """The extension of a kind that a setting names; raises UsageError where there is none."""
    usable = {each.name: each for each in installed() if each.kind == kind and not each.refused}
    if name not in usable:
        there = ", ".join(usable) or "none"
        raise UsageError(
            f"No installed package brings {name!r} to the {kind} of corpus-agent.",
            f"There are: {there}. See: corpus-agent doctor",
        )
    return usable[name]


def _found() -> Iterator[Extension]:
    for path in _with_extensions():
        # Imported for a package that has one, which few installations hold: it takes 100 ms.
        from importlib.metadata import Distribution

        distribution = Distribution.at(path)
        package = re.sub(r"[-_.]+", "-", distribution.metadata["Name"] or "").lower()
        version = (distribution.version or "").replace("+", ".").lower()
        known = _PACKAGE.fullmatch(package) and _VERSION.fullmatch(version)
        for entry in distribution.entry_points:
            kind = next((kind for kind in _NAMES if entry.group == GROUP + kind), None)
            if kind is not None:
                fits = known and _NAMES[kind].fullmatch(entry.name)
                wrong = "" if fits else "its name, or that or the version of its package, is none"
                yield Extension(kind, entry.name, package, version, entry.value, wrong)


def _with_extensions() -> Iterator[Path]:
    """The folders that describe installed packages which name an extension of ours."""
    folders = [*site.getsitepackages(), starting.user_site()]
    for folder in dict.fromkeys(filter(None, folders)):
        for described in sorted(Path(folder).glob("*.dist-info/entry_points.txt")):
            if f"[{GROUP}".encode() in described.read_bytes():
                yield described.parent
