"""The program's own words: verdicts of quotations, words of confidence, counts. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from indexer import Coverage


Verdict = Literal["verified", "partial", "moved", "altered", "not_found"]
# The word of confidence, from the calibrated probability that a passage holds the answer.
Word = Literal["answered", "likely", "perhaps"]
WORDS: tuple[Word, ...] = get_args(Word)
OWN_WORDS: tuple[str, ...] = (*get_args(Verdict), *WORDS)
EVERYDAY: tuple[str, ...] = ("partial", *WORDS)  # of these, what prose often says
UNSUPPORTED = "[unsupported]"  # the mark of a sentence that nothing supports
DOUBTED = re.compile(r"\[(?:unsupported|differs: [^\[\]\n]*)\]")  # that, or of one that differs
UNREAD_FILES = "corpus-agent files --status failed,empty"  # lists what could not be read


def number_of(number: int, one: str, more: str = "") -> str:
    """A number with its noun or verb, as in "1 page", "1,200 pages" and, with `more`, "1 has"."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def searched(coverage: Coverage) -> str:
    """What a search looked at: the documents, and how many could not be looked at or read."""
    lacking = lacks(coverage, " more")
    return number_of(coverage.searched, "document") + (f" ({lacking})" if lacking else "")


def lacks(coverage: Coverage, more: str = "") -> str:
    """What could not be searched, as in "1 could not be read, 2 not yet recognised"."""
    counts = {
        "could not be looked at": coverage.unreachable,
        f"{more} could not be read".strip(): coverage.unreadable,
        f"{more} not yet recognised".strip(): coverage.waiting + coverage.pictures,
    }
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
