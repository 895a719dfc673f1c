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
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path

from indexer.confine import starting
from indexer.errors import CorpusError

KIND = "extractors"
GROUP = f"corpus_agent.{KIND}"  # of entry points
_SUFFIX = re.compile(r"\.[a-z0-9][a-z0-9_-]{0,20}")
_VERSION = re.compile(r"[0-9][0-9a-z.]{0,40}")
_PACKAGE = re.compile(r"[a-z][a-z0-9_-]{0,40}")


@dataclass(frozen=True, slots=True)
class Extension:
    """One entry point, by the suffix that it reads; package and version are its distribution's."""

    name: str
    package: str
    version: str
    place: str
    refused: str = ""
    kind: str = KIND

    def load(self) -> object:
        """What the entry point names, imported now; raises CorpusError where that fails."""
        module, _, attribute = self.place.partition(":")
        try:
            found: object = import_module(module)
            for part in attribute.split(".") if attribute else ():
                found = getattr(found, part)
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:  # a stranger's code: whatever it raises, an exit included
            why = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())
            raise CorpusError(
                f"The extension {self.name!r} of {self.package} {self.version} cannot be loaded: "
                f"{why}.",
                "Only what is installed is read: pip install . (with -e it stays where it is "
                f"written). Or remove it: pip uninstall {self.package}",
            ) from error
        return found

    def __str__(self) -> str:
        return f"{self.name} ({self.package} {self.version})"


@cache
def installed() -> tuple[Extension, ...]:
    """All extensions that are installed, by name; nothing of them is imported."""
    found = sorted(_found(), key=lambda each: (each.name, each.package))
    counts = Counter(each.name for each in found)
    return tuple(
        replace(each, refused="two packages name it") if counts[each.name] > 1 else each
        for each in found
    )


def _found() -> Iterator[Extension]:
    for path in _with_extensions():
        # Imported for a package that has one, which few installations hold: it takes 100 ms.
        from importlib.metadata import Distribution

        distribution = Distribution.at(path)
        package = re.sub(r"[-_.]+", "-", distribution.metadata["Name"] or "").lower()
        version = (distribution.version or "").replace("+", ".").lower()
        known = _PACKAGE.fullmatch(package) and _VERSION.fullmatch(version)
        for entry in distribution.entry_points:
            if entry.group == GROUP:
                fits = known and _SUFFIX.fullmatch(entry.name)
                wrong = "" if fits else "its name, or that or the version of its package, is none"
                yield Extension(entry.name, package, version, entry.value, wrong)


def _with_extensions() -> Iterator[Path]:
    """The folders that describe installed packages which name an extension of ours."""
    folders = [*site.getsitepackages(), starting.user_site()]
    for folder in dict.fromkeys(filter(None, folders)):
        for described in sorted(Path(folder).glob("*.dist-info/entry_points.txt")):
            if f"[{GROUP}]".encode() in described.read_bytes():
                yield described.parent
