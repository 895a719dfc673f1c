"""A value as a text has it. Data only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """A value in a text: `start` to `end`, as it is written and in one form for all spellings.

    `normal` is an ISO date ("2024-03" without a day), an amount with its currency ("EUR 1200"), an
    ISO duration ("P3Y"), a number, or the text without line ends. `several` readings of one date
    that may be read in two ways share their place.
    """

    start: int
    end: int
    text: str
    normal: str
