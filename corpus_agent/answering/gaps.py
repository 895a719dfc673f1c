"""Whether white space or a hyphen makes other words or figures of the same characters. Pure.

Called by quotations.py.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

import regex

from corpus_agent.answering.comparable import Comparable, without_markup
from corpus_agent.text.quantities import measured
from corpus_agent.text.tokens import UNSPACED

# White space next to these may change a figure: a sign, a point, a letter.
_LOOSE = "([{\"')]}%‰°€$£¥*|"

_UNPARTED = regex.compile(f"[{UNSPACED}]")
_DASHED = regex.compile(r"[-‐‑–—]")
_HYPHENATED_LINE = regex.compile(r"[-‐‑–—\u00ad][^\S\n]*\n")


def gaps_differ(haystack: Comparable, start: int, wanted: Comparable) -> bool:
    """Whether white space makes different words or figures of the same characters.

    "1, 234" and "1,234"; "now here" and "nowhere"; "re-sign" and "resign".
    """
    text = wanted.text
    for at in range(1, len(text)):
        left, right = text[at - 1], text[at]
        if left.isalpha() and right.isalpha():
            there, quoted = _between(haystack, start + at), _between(wanted, at)
            if there == quoted or _UNPARTED.match(left) or _UNPARTED.match(right):
                continue
            if _parted_otherwise(_break(there), _break(quoted)):
                return True
            continue
        if not (left.isdigit() or right.isdigit() or text[max(0, at - 2)].isdigit()):
            continue
        if _gap(haystack, start + at) == _gap(wanted, at):
            continue
        if _is_of_a_figure(text, at):
            return True
    return False


def _between(text: Comparable, at: int) -> str:
    """The document's text between a character and the previous one."""
    first, last = text.line(at - 1), text.line(at)
    left, right = text.column(at - 1), text.column(at)
    line = without_markup(text.lines[first - 1].text, text.linked)
    if first == last:
        return line[left + 1 : right]
    next_line = without_markup(text.lines[last - 1].text, text.linked)
    return f"{line[left + 1 :]}\n{next_line[:right]}"


Break = Literal["none", "blank", "hyphen", "line end"]


def _break(between: str) -> Break:
    """The kind of break between two letters: a hyphen at a line end may not be in the text."""
    if _HYPHENATED_LINE.search(between):
        return "line end"
    if _DASHED.search(between):
        return "hyphen"
    return "blank" if any(map(str.isspace, between)) else "none"


def _parted_otherwise(there: Break, quoted: Break) -> bool:
    """Whether a quotation splits words that the document joins, or the reverse."""
    if "line end" in (there, quoted):
        return "blank" in (there, quoted)
    return there != quoted


def _gap(text: Comparable, at: int) -> bool:
    """Whether there is white space before a character."""
    if text.text[at - 1] == " " or text.text[at] == " ":
        return True
    return any(map(str.isspace, _between(text, at)))


def _is_of_a_figure(text: str, at: int) -> bool:
    """Whether white space before a character affects the value of a figure."""
    left, right = text[:at], text[at:]
    if any(unicodedata.east_asian_width(char) in "WF" for char in (left[-1], right[0])):
        return False
    if left[-1] in _LOOSE or right[0] in _LOOSE:
        return False
    if left[-1].isdigit() and right[0].isalpha():
        return measured(f"{left[-1]} {right[:12]}") is None
    if left[-1].isalpha() and right[0].isdigit():
        return True
    behind = next((char for char in right[:3] if char.isalnum()), "")
    before = next((char for char in reversed(left[-3:]) if char.isalnum()), "")
    if behind.isdigit() and before.isdigit():
        return True
    return right[0].isdigit() and not before
