"""The documents that a search is confined to, as a condition on rows in SQL."""

from __future__ import annotations

from collections.abc import Sequence

from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from indexer.errors import UsageError
from indexer.store.rows import quoted

_GLOB = frozenset("*?[")


def condition(paths: Sequence[str], not_paths: Sequence[str] = ()) -> str:
    """The condition that a row's source is selected; "" if every row is. Raises UsageError."""
    wanted = " OR ".join(map(_selects, paths))
    unwanted = [f"NOT {_selects(path)}" for path in not_paths]
    return " AND ".join([f"({wanted})", *unwanted] if wanted else unwanted)


def _selects(path: str) -> str:
    if not _GLOB & set(path):
        return f"starts_with(source, {quoted(path)})"
    try:
        # A sign that begins an ignore rule of another kind is part of the name here.
        pattern, _ = GitIgnoreSpecPattern.pattern_to_regex(f"\\{path}" if path[0] in "!#" else path)
    except GitIgnorePatternError:
        pattern = None
    if pattern is None:
        raise UsageError(f"{path!r} is not a pattern of paths.", "As in *.pdf, tax/** or 202?-*.md")
    # The database's expressions match in linear time, whatever the pattern.
    return f"regexp_like(source, {quoted(f'(?s){pattern}')})"
