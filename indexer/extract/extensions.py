"""Readers of files that an installed package brings, by the suffix of their names.

A package's entry point in the group `corpus_agent.extractors` has a suffix as its name, as in
`.wx = "my_package:read"`, so that what it reads is known before any of its code is imported: that
happens in the parser's process alone. A suffix that is read by this program is refused, unless the
user names the package in the setting `extractors`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache

from indexer.confine import extensions
from indexer.confine.extensions import Extension
from indexer.errors import UnreadableDocument, UsageError
from indexer.extract.extraction import Extraction, Extractor
from indexer.extract.registry import REGISTRY

VARIABLE = "CORPUS_AGENT_EXTRACTORS"  # packages, with blanks between; of a parser's process too
PREFIX = "x-"  # of the names of installed readers, which no reader of this program has

_preferred = frozenset(os.environ.get(VARIABLE, "").split())


def use_extractors(packages: str | None) -> None:
    """Let these packages, named with blanks between, read files that this program reads otherwise.

    For this process and the parsers that it starts from now on. Raises UsageError for a package
    that brings no extractor.
    """
    global _preferred
    wanted = frozenset((packages or "").split())
    for package in sorted(wanted):
        known = {each.package for each in extensions.installed()}
        if package not in known:
            raise UsageError(
                f"The setting extractors names {package!r}, which brings none.",
                f"There are: {', '.join(sorted(known)) or 'none'}.",
            )
    _preferred = wanted


def variable() -> dict[str, str]:
    """The environment variable by which a parser's process prefers what this one does."""
    return {VARIABLE: " ".join(sorted(_preferred))} if _preferred else {}


def all_extensions() -> tuple[Extension, ...]:
    """All extensions, with the reason why one is not used."""
    return tuple(
        each if each.refused else replace(each, refused=_why_not(each))
        for each in extensions.installed()
    )


def _why_not(extension: Extension) -> str:
    if extension.package in _preferred or all(
        extension.name not in each.suffixes.split() for each in REGISTRY
    ):
        return ""
    how = f'to prefer it: extractors = "{extension.package}"'
    return f"this program reads {extension.name} itself; {how}"


def for_suffix(suffix: str) -> Extractor | None:
    """The installed reader of files with this suffix, in lower case; None if we read them."""
    return _by_suffix(_preferred).get(suffix)


def versions() -> dict[str, str]:
    """The version of each package whose readers are used."""
    return {each.name: str(each.version) for each in _by_suffix(_preferred).values()}


@cache
def _by_suffix(_: frozenset[str]) -> dict[str, Extractor]:
    usable = (each for each in all_extensions() if not each.refused)
    return {each.name: _extractor(each) for each in usable}


def _extractor(extension: Extension) -> Extractor:
    def read(data: bytes) -> Extraction:
        made = extension.load()
        if not callable(made):
            raise UnreadableDocument("malformed", f"{extension} is no function")
        found = made(data)
        if not isinstance(found, Extraction):
            raise UnreadableDocument("malformed", f"{extension} returned no Extraction")
        return replace(found, lines=iter(found.lines))  # a list is as good

    # `kinds` is not empty: what it cannot read is not tried as plain text instead.
    name = f"{PREFIX}{extension.package}"
    return Extractor(name, extension.version, "", kinds=extension.name, reader=read)
