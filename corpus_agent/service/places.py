"""Documents as a person names them: below the corpus, from the working folder, or in full.

A model names sources alone; these forms are for the command line and for Python.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent.text.naming import quoted
from indexer import CorpusError, paths

if TYPE_CHECKING:
    from indexer import Index

_ELSEWHERE = ("/", "./", "../", "~")


def sources_of(typed: str, root: Path) -> list[str]:
    """The sources, or beginnings of sources, that a typed path may mean, the likeliest first.

    A plain path is a source before it is a file of the working folder; one that begins with `/`,
    `./`, `../` or `~` the other way round. What lies outside of `root` is none.
    """
    plain = os.path.normpath(typed) if typed else ""
    inside = [] if plain.startswith(("/", "..")) else ["" if plain == "." else plain]
    given = paths.expanded(Path(typed or "."))
    below = [_below(given, root), _below(paths.resolved(given), paths.resolved(root))]
    far = [source for source in below if source is not None]
    ordered = [*far, *inside] if typed.startswith(_ELSEWHERE) else [*inside, *far]
    end = "/" if typed.endswith("/") else ""
    names = (unicodedata.normalize("NFC", source) for source in ordered)
    return list(dict.fromkeys(name + end if name else "" for name in names))


def _below(path: Path, root: Path) -> str | None:
    below = os.path.relpath(path, root)
    if below == ".." or below.startswith("../"):
        return None
    return "" if below == "." else below


def selected(corpus: Index, typed: Iterable[str]) -> tuple[str, ...]:
    """The paths of a Query that typed ones mean; raises CorpusError where one selects nothing."""
    return tuple(_selected(corpus, path) for path in typed)


def _selected(corpus: Index, typed: str) -> str:
    sources = sources_of(typed, corpus.root)
    for source in sources:
        if corpus.selects(source):
            return source
    if not sources:
        raise CorpusError(
            f"{quoted(typed)} lies outside of the indexed folder.",
            f"Its documents are below {quoted(str(corpus.root))}.",
        )
    raise CorpusError(
        f"No document of the index is at {quoted(typed)}.",
        f"{_near(corpus, sources)}All of them: corpus-agent files",
    )


def _near(corpus: Index, sources: Sequence[str]) -> str:
    near = corpus.similar(sources[0])
    return f"Did you mean {', '.join(map(quoted, near))}? " if near else ""


def document(typed: str, names: dict[str, str], root: Path) -> str:
    """The source of a document that is named as it is shown or as `sources_of` allows.

    `names` are all sources by the names that they are shown by; what none is is returned as typed.
    """
    return next((names[name] for name in (typed, *sources_of(typed, root)) if name in names), typed)
