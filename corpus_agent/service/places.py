"""Documents as a person names them: below the corpus, from the working folder, or in full."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent.text.naming import called, known, quoted
from corpus_agent.text.wording import number_of
from indexer import CorpusError, Refused
from indexer import paths as file_paths

if TYPE_CHECKING:
    from indexer import FileRow, Index

MAX_LINE_DIGITS = 9
FEW = 3  # paths and filters that are named one by one
_SHOWN = re.compile(r"(?s)(.+):([1-9]\d{0,8})(?:-(\d{1,9}))?(?:, page \d+)?")
_ELSEWHERE = ("/", "./", "../", "~")


def sources_of(typed: str, roots: Mapping[str, Path]) -> list[str]:
    """The sources, or beginnings of sources, that a typed path may mean, the likeliest first.

    A plain path is a source before it is a file of the working folder; one that begins with `/`,
    `./`, `../` or `~` the other way round. `roots` are by the prefix of their sources; what lies
    outside of all, or is no name, is none.
    """
    if not file_paths.may_be_named(typed):
        return []
    plain = os.path.normpath(typed) if typed else ""
    inside = [] if plain.startswith(("/", "..")) else ["" if plain == "." else plain]
    given = file_paths.expanded(Path(typed or "."))
    far = [
        prefix + source
        for prefix, root in roots.items()
        for source in (
            _below(given, root),
            _below(file_paths.resolved(given), file_paths.resolved(root)),
        )
        if source is not None
    ]
    ordered = [*far, *inside] if typed.startswith(_ELSEWHERE) else [*inside, *far]
    end = "/" if typed.endswith("/") else ""
    names = (unicodedata.normalize("NFC", source) for source in ordered)
    return list(dict.fromkeys(name + end if name else "" for name in names))


def readings(place: str) -> Iterator[tuple[str, int, int | None]]:
    """SOURCE[:LINE[:COUNT]], or a place as an answer has it, in each way to understand it."""
    numbers: list[int] = []
    yield place, 1, None
    if shown := _SHOWN.fullmatch(place):
        first, last = int(shown[2]), int(shown[3] or 0)
        yield shown[1], first, max(1, last - first + 1) if last else None
    while len(numbers) < 2:
        place, colon, number = place.rpartition(":")
        if not (colon and number.isdecimal() and len(number) <= MAX_LINE_DIGITS and int(number)):
            return
        numbers.insert(0, int(number))
        yield place, numbers[0], numbers[1] if len(numbers) > 1 else None


def _below(path: Path, root: Path) -> str | None:
    below = os.path.relpath(path, root)
    if below == ".." or below.startswith("../"):
        return None
    return "" if below == "." else below


def selected(corpus: Index, typed: Iterable[str]) -> tuple[str, ...]:
    """The paths of a Query that typed ones mean."""
    return tuple(_selected(corpus, path) for path in typed)


def _selected(corpus: Index, typed: str) -> str:
    """What a typed path means; raises CorpusError where it selects nothing."""
    sources = sources_of(typed, corpus.roots)
    for source in sources:
        if corpus.selects(source):
            return source
    roots = corpus.roots.values()
    if not sources and file_paths.may_be_named(typed):
        raise CorpusError(
            f"{quoted(typed)} lies outside of the indexed folder.",
            f"Its documents are below {', '.join(quoted(str(root)) for root in roots)}.",
        )
    near = ", ".join(map(quoted, corpus.similar(sources[0]))) if sources else ""
    hint = f"Did you mean {near}? " if near else ""
    raise CorpusError(
        f"No document of the index is at {quoted(typed)}.", hint, "All of them: corpus-agent files"
    )


def bounded(
    corpus: Index, paths: Sequence[str] = (), not_paths: Sequence[str] = (), where: str = ""
) -> Index:
    """The corpus with the files that paths and a filter select; itself without any of them."""
    if not (paths or not_paths or where):
        return corpus
    inside = {row.source: row for row in chosen_rows(corpus, paths, not_paths, where)}
    left, every = sum(row.is_document for row in inside.values()), corpus.coverage().searched
    are = f"{left:,} of {number_of(every, 'document')} {'is' if left == 1 else 'are'} looked at"
    return corpus.bounded(inside, [f"{are} ({_conditions(paths, not_paths, where)})."])


def chosen_rows(
    corpus: Index, paths: Sequence[str], not_paths: Sequence[str], where: str
) -> list[FileRow]:
    """The files that paths and a filter select; raises CorpusError where none is."""
    found = corpus.files(selected(corpus, paths), selected(corpus, not_paths), where)
    if not found and (paths or not_paths or where):
        raise CorpusError(
            f"No document of the index is selected by {_conditions(paths, not_paths, where)}.",
            command="All of them, with what each has: corpus-agent files --json",
        )
    return found


def _conditions(paths: Sequence[str], not_paths: Sequence[str], where: str) -> str:
    given = [*paths, *(f"without {path}" for path in not_paths), *([where] if where else [])]
    more = f" and {len(given) - FEW:,} more" if len(given) > FEW else ""
    return ", ".join(map(quoted, given[:FEW])) + more


def document(typed: str, names: dict[str, str], roots: Mapping[str, Path]) -> str:
    """The source of a document that is named as it is shown or as `sources_of` allows."""
    return next(
        (names[name] for name in (typed, *sources_of(typed, roots)) if name in names), typed
    )


def on_disk(corpus: Index, typed: str) -> str:
    """As `document`, and the source that a file not in the index would have; none of a folder."""
    source = document(typed, known(row.source for row in corpus.files()), corpus.roots)
    if corpus.file(source) is not None:
        return source
    if corpus.selects(folder := f"{source.rstrip('/')}/"):
        keep = f"Add the line /{folder} to .corpusignore, then: corpus-agent index"
        message = f"{called(folder)} is a folder, and one document is forgotten at a time."
        raise Refused(message, keep, code="is_folder")
    sources = sources_of(typed, corpus.roots)
    return next((each for each in sources if (corpus.roots[""] / each).is_file()), source)
