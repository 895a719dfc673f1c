"""The program's own words: verdicts of quotations, words of confidence, counts. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from indexer import Coverage


Verdict = Literal["verified", "partial", "moved", "altered", "not_found"]
# The word of confidence, from the calibrated probability that a passage holds the answer.
Word = Literal["answered", "likely", "perhaps"]
WORDS: tuple[Word, ...] = get_args(Word)
OWN_WORDS: tuple[str, ...] = (*get_args(Verdict), *WORDS)
EVERYDAY: tuple[str, ...] = ("partial", *WORDS)  # of these, what prose often says
# Beside the places of two passages that contradict each other.
AGES = {"newer": "the newer of two that differ", "older": "the older of two that differ"}
UNSUPPORTED = "[unsupported]"  # the mark of a sentence that nothing supports
UNREAD_FILES = "corpus-agent files --status failed,empty"  # lists what could not be read


def number_of(number: int, one: str, more: str = "") -> str:
    """A number with its noun or verb, as in "1 page", "1,200 pages" and, with `more`, "1 has"."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def searched(coverage: Coverage) -> str:
    """What a search looked at: the documents, and how many could not be looked at or read."""
    unread = ", ".join(unread_of(coverage, " more"))
    left = f", {coverage.unreachable:,} of them not looked at" if coverage.unreachable else ""
    return f"{number_of(coverage.searched, 'document')}{left}{f' ({unread})' if unread else ''}"


def documents_searched(coverage: Coverage) -> str:
    """The footer of an answer: what was searched, and how much could not be."""
    left = [f"{coverage.unreachable:,} could not be looked at"] if coverage.unreachable else []
    searched = f"{number_of(coverage.searched, 'document')} searched"
    return ", ".join([searched, *left, *unread_of(coverage)])


def unread_of(coverage: Coverage, more: str = "") -> Iterator[str]:
    """How many documents have no text: those that could not be read, and those that will be."""
    if coverage.unreadable:
        yield f"{coverage.unreadable:,}{more} could not be read"
    if coverage.waiting:
        verb = "waits" if coverage.waiting == 1 else "wait"
        yield f"{coverage.waiting:,}{more} {verb} for recognition"
