"""The words by which the program judges a quotation or a passage; nobody else may use them so."""

from __future__ import annotations

from typing import Literal, get_args

Verdict = Literal["verified", "partial", "moved", "altered", "not_found"]
# The word of confidence, from the calibrated probability that a passage holds the answer.
Word = Literal["answered", "likely", "perhaps"]
OWN_WORDS: tuple[str, ...] = (*get_args(Verdict), *get_args(Word))
EVERYDAY: tuple[str, ...] = ("partial", *get_args(Word))  # of these, what prose often says
