"""The lines that are said of a whole document: letterhead, greeting, signature. Pure.

A letter is signed once, and its sentences say "I" and "my". Called by answering/ranking.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, takewhile

from corpus_agent.text.dates import without_dates
from corpus_agent.text.patterns import lazy
from corpus_agent.text.sentences import Unit, is_item
from corpus_agent.text.tokens import has_digit

MOST_ABOVE = 8  # lines
MOST_BELOW = 4
_LONGEST = 80  # characters of a line
_SENTENCE_END = lazy(r"[.!?。！？…:：][\"'”’»)\]]*$")
_AMOUNT = lazy(r"\d[.,]\d\d$|\d\s?(?:[€$£%]|\p{Lu}{3})$|[€$£]\s?\d[\d.,]*$")


def naming_lines(text: str, own: Sequence[Unit], *, first: bool = True) -> list[Unit]:
    """The units of a passage that name its document, in order: what is below its last sentence.

    In the `first` passage what is above the first sentence too; where there is none, as in a
    receipt, the first of several paragraphs.
    """
    parts = _paragraphs(text, [unit for unit in own if unit.kind not in ("property", "head")])
    above = [*takewhile(lambda part: all(_names(text, unit) for unit in part), parts)]
    if len(above) == len(parts):
        return above[0][:MOST_ABOVE] if first and len(above) > 1 else []
    rest = parts[len(above) :]
    below = [*takewhile(lambda part: all(_signs(text, unit) for unit in part), rest[::-1])][::-1]
    signed = [*chain.from_iterable(below)]
    headed = [*chain.from_iterable(above)][:MOST_ABOVE] if first else []
    return headed + (signed if len(signed) <= MOST_BELOW else [])


def _paragraphs(text: str, own: Sequence[Unit]) -> list[list[Unit]]:
    """The units of each paragraph; blank lines part them."""
    parts: list[list[Unit]] = []
    end = 0
    for unit in own:
        if not parts or text.count("\n", end, unit.start) > 1:
            parts.append([])
        parts[-1].append(unit)
        end = unit.end
    return parts


def _names(text: str, unit: Unit) -> bool:
    """Whether a unit is one short line that is neither a sentence nor a row with an amount."""
    line = text[unit.start : unit.end]
    if unit.kind != "text" or "\n" in line or len(line) > _LONGEST:
        return False
    if is_item(without_dates(line)):  # "2 May 2024" is none
        return False
    return not _SENTENCE_END.search(line) and not _AMOUNT.search(line)


def _signs(text: str, unit: Unit) -> bool:
    return _names(text, unit) and not has_digit(text[unit.start : unit.end])
