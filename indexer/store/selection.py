"""The documents that a search is confined to, as a condition on rows in SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from indexer.errors import UsageError
from indexer.files.paths import may_be_named
from indexer.store.rows import quoted

_GLOB = frozenset("*?")  # brackets alone are part of a name
# Classes that mean the same to everybody; the database knows more signs in them ("&&", "[:").
_CLASS = re.compile(r"\[[!^]?(?:[\w .]|-(?!-))+\]")


def condition(paths: Sequence[str], not_paths: Sequence[str] = ()) -> str:
    """The condition that a row's source is selected; "" if every row is. Raises UsageError."""
    wanted = " OR ".join(map(_selects, paths))
    unwanted = [f"NOT {_selects(path)}" for path in not_paths]
    return " AND ".join([f"({wanted})", *unwanted] if wanted else unwanted)


def _selects(path: str) -> str:
    if not may_be_named(path):
        raise _no_pattern(path)
    if not _GLOB & set(path):
        return f"starts_with(source, {quoted(path)})"
    named = f"\\{path}" if path[0] in "!#" else path  # else an ignore rule of another kind
    try:
        pattern, _ = GitIgnoreSpecPattern.pattern_to_regex(named)
        if pattern is None or "[" in _CLASS.sub("", path) or "\\" in path:
            raise re.error("no pattern")
        re.compile(pattern)
    except (GitIgnorePatternError, re.error):
        raise _no_pattern(path) from None
    # The database's expressions match in linear time, whatever the pattern.
    return f"regexp_like(source, {quoted(f'(?s){pattern}')})"


def _no_pattern(path: str) -> UsageError:
    hint = "As in *.pdf, tax/** or 202[3-5]-*.md"
    return UsageError(f"{path!r} is not a pattern of paths.", hint)
