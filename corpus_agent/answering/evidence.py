"""The sentences of a passage that a claim is compared with, and the words around them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import regex

from corpus_agent.text.sentences import units
from corpus_agent.text.tokens import STOP_WORDS, fold, terms
from indexer import Chunk

LONGEST_WINDOW = 2  # sentences of one passage that may support a claim together
CONTEXT = 800  # characters before and after a window that count as its context

_WRITTEN = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*")


def written(text: str) -> list[str]:
    """The words of a text as they are written, without punctuation."""
    return _WRITTEN.findall(text)


class ComparedText(Protocol):
    """A text that a claim is compared with: its words, and those of its context."""

    @property
    def text(self) -> str: ...  # noqa: D102

    @property
    def words(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def titles(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def before(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def around(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def capitals(self) -> frozenset[str]: ...  # noqa: D102


@dataclass(frozen=True)
class SentenceRange:
    """Sentences of a passage that may support a claim."""

    passage: Chunk
    start: int
    end: int

    @cached_property
    def text(self) -> str:
        """The text of the sentences."""
        return self.passage.text[self.start : self.end]

    @cached_property
    def words(self) -> frozenset[str]:
        """The folded words of the window."""
        return frozenset(terms(self.text))

    @cached_property
    def titles(self) -> frozenset[str]:
        """The folded words of the source's name and the heading."""
        return frozenset(terms(f"{self.passage.source} {self.passage.heading}"))

    @cached_property
    def before(self) -> frozenset[str]:
        """The folded words of the context before the window."""
        passage = self.passage
        before = passage.text[max(0, self.start - CONTEXT) : self.start]
        return frozenset(terms(f"{passage.source} {passage.heading} {before}"))

    @cached_property
    def around(self) -> frozenset[str]:
        """The folded words of the window and of its context on both sides."""
        after = self.passage.text[self.end : self.end + CONTEXT]
        return self.before | self.words | frozenset(terms(after))

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The folded words of window and context that are always capitalised there."""
        text = self.passage.text[max(0, self.start - CONTEXT) : self.end + CONTEXT]
        words = written(text)
        small = {fold(word) for word in words if not word[0].isupper()}
        return frozenset(fold(word) for word in words if word[0].isupper()) - small - STOP_WORDS


@dataclass(frozen=True)
class Together:
    """Several windows that one claim cites, as one text."""

    windows: Sequence[SentenceRange]

    @cached_property
    def text(self) -> str:
        """The texts of the windows, each as a separate sentence."""
        return " . ".join(window.text for window in self.windows)

    @cached_property
    def words(self) -> frozenset[str]:
        """The folded words of all windows."""
        return frozenset[str]().union(*(window.words for window in self.windows))

    @cached_property
    def titles(self) -> frozenset[str]:
        """The folded words of all source names and headings."""
        return frozenset[str]().union(*(window.titles for window in self.windows))

    @cached_property
    def before(self) -> frozenset[str]:
        """The folded words before any of the windows."""
        return frozenset[str]().union(*(window.before for window in self.windows))

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The words that are always capitalised in all windows."""
        return frozenset[str]().union(*(window.capitals for window in self.windows))

    @cached_property
    def around(self) -> frozenset[str]:
        """The folded words around any of the windows."""
        return frozenset[str]().union(*(window.around for window in self.windows))


def quoted_window(passage: Chunk, start: int, end: int) -> SentenceRange:
    """The whole sentences of a passage that contain a quotation."""
    touched = [
        unit
        for unit in units(passage.text, passage.language)
        if unit.start < end and start < unit.end
    ]
    if not touched:
        return SentenceRange(passage, start, end)
    return SentenceRange(passage, min(start, touched[0].start), max(end, touched[-1].end))


def windows_of(passage: Chunk) -> Iterator[SentenceRange]:
    """Each sentence of a passage, then each few in a row that may support a claim together."""
    found = [unit for unit in units(passage.text, passage.language) if unit.kind != "page"]
    for length in range(1, LONGEST_WINDOW + 1):
        for first in range(len(found) - length + 1):
            yield SentenceRange(passage, found[first].start, found[first + length - 1].end)
