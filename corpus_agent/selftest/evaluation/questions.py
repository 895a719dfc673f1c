"""A TOML file of questions with known answers, as records.

Imports nothing heavy: the file may lie anywhere, so it is read before the seal.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexer import UsageError, read_regular

MAX_QUESTIONS_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the sources that answer it (none: not answerable) and the expected strings."""

    text: str
    sources: frozenset[str]
    answers: tuple[str, ...]
    page: int | None
    kind: str


def load(path: Path) -> list[Question]:
    """The questions of a TOML file; raises UsageError that names the wrong entry."""
    try:
        entries = tomllib.loads(read_regular(path, MAX_QUESTIONS_BYTES).decode("utf-8")).get(
            "questions", []
        )
    except OSError as error:
        why = error.strerror
        raise UsageError(f"The questions {str(path)!r} cannot be read: {why}.") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The questions {str(path)!r} cannot be read: {error}.") from None
    if not entries:
        raise UsageError(f"{str(path)!r} holds no [[questions]].")
    return [_question(path, number, entry) for number, entry in enumerate(entries, start=1)]


def _question(path: Path, number: int, entry: dict[str, Any]) -> Question:
    text, sources = entry.get("question"), entry.get("sources")
    answers = entry.get("answers", [entry["answer"]] if entry.get("answer") else [])
    if not isinstance(text, str) or not isinstance(sources, list):
        raise UsageError(f"{str(path)!r}, question {number}: question and sources are needed.")
    if sources and not answers:
        raise UsageError(f"{str(path)!r}, question {number}: answer or answers is needed.")
    kind = str(entry.get("kind", "fact" if sources else "none"))
    return Question(text, frozenset(sources), tuple(answers), entry.get("page"), kind)
