"""Whether a quotation is cut where the text beside it changes what it says. Pure.

A negation before or behind it, the rest of a number or of a word. Called by quotations.py.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import regex

from corpus_agent.answering.comparable import LETTER, Comparable
from corpus_agent.text.dates import without_dates
from corpus_agent.text.negation import turned_before, turned_behind
from corpus_agent.text.numerals import runs_over
from corpus_agent.text.sanitize import visible
from indexer import Line

CONTEXT_LINES = 6  # before and after a quotation that may belong to its sentence

# Characters attached to a word, and the hyphens within it, gaps at line ends included.
_WORD_ENDS = regex.compile(r"[\p{L}\p{N}]\p{M}*\Z")
_WORD_GOES_ON = regex.compile(r"\p{M}*[\p{L}\p{N}]")
_HYPHENATED_END = regex.compile(rf"{LETTER}[-‐‑]\s*$|\b(?i:non|un|nicht)[–—−]\s*$", regex.VERSION1)
_HYPHENATED_ON = regex.compile(
    rf"[-‐‑](?:{LETTER}|[^\S\n]*\n\s*\p{{Ll}})|[–—−](?:free|less|frei|los)\b", regex.VERSION1
)
_CONTRACTED_ON = regex.compile(r"['’](?:t|s|d|m|ll|re|ve)\b")
_CONTRACTED = regex.compile(r"(?:t|s|d|m|ll|re|ve)\b")

# Of the text next to a quotation only the words count.
_TAGS = regex.compile(
    r"(</?(?:b|i|u|em|strong|span|a|code|mark|font)(?:\s[^<>]{0,80})?>)|<[^<>\n]{1,80}>"
)
_NOTE = regex.compile(r"(?<=[\p{L}\p{P}])\[\^?\p{N}{1,3}\]|^\[\^?\p{N}{1,3}\]")
_LINK_END = regex.compile(r"\]\([^()\s]*\)")
_EMPHASIS = regex.compile(r"(?<!^[^\S\n]*)\*+|^[^\S\n]*\*+(?!\s)|_+|`+", regex.MULTILINE)
_MAIL = regex.compile(r"(?m)^(?:[^\S\n]*>)+[^\S\n]+(?![^\S\n]*[\p{N}\p{Sc}]|\Z)")
_ENCLOSING = regex.compile(
    r"\[(?! \])|(?<!\[ )\]|[(){}\"“”„«»‹›「」『』]|(?<!\p{L})['‘’]|['‘’](?!\p{L})"
)
_RAISED = regex.compile(r"^[⁰¹²³⁴-⁹]{1,2}(?!\p{L})")
_MAY_BE_RAISED = regex.compile(r"\p{L}{3}[.,;:!?]?$")
_MEASURE = regex.compile(
    r"(?i)(?:met(?:er|re)s?n?|mètres?|metros?|inch(?:es)?|feet|foot|yards?|miles?|Zoll|Fu(?:ß|ss))$"
)
SHORT_UNIT = regex.compile(r"(?<=\p{N}\s*)\p{L}{1,2}(?!\p{L})")

_ITEM = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]+")
# A day in figures is whole: under another, at the end of its line, it goes on with none of it.
_DAY_ENDS = re.compile(r"(?<![\w.,/-])[0-9]{4}-[0-9]{2}-[0-9]{2}[ \t]*\Z")
_DAY_BEGINS = re.compile(r"[ \t]*[0-9]{4}-[0-9]{2}-[0-9]{2}(?![\w.,/-])")
# A sum alone in the brackets that a label or a cell begins with: of an account, less than nothing.
_BRACKET = regex.compile(r"(?:^|[|:=\n])[^\S\n]*\([^\S\n]*\Z")
_SCALES_AND_MONEY = """
thousand million billion mio mrd mn bn euro euros dollars pounds francs franken
"""
_OF_A_SUM = frozenset(_SCALES_AND_MONEY.split())
_LETTERS = regex.compile(r"\p{L}+")
_ENDED = re.compile(r"[.!?:;][\"'”’)\]]*\s*\Z")


Place = tuple[int, int]
"""A line, 1-based, and a column in it, 0-based."""


def leaves_out(haystack: Comparable, start: int, end: int, text: str) -> bool:
    """Whether a match ends inside a word or number, or next to a word that changes its sense.

    Checked with and without mark-up: a sign may belong to a figure, and mark-up may hide a word.
    """
    place = (haystack.line(start), haystack.column(start))
    return cut_out(
        haystack.lines, place, (haystack.line(end - 1), haystack.column(end - 1) + 1), text
    )


def cut_out(lines: Sequence[Line], start: Place, end: Place, text: str) -> bool:
    """The same of the text between two places in lines."""
    before, after = _before(lines, *start), _without_note(text, _behind(lines, *end))
    bare, bare_after = _words_alone(before), _words_alone(after)
    if _BRACKET.search(bare) and bare_after.lstrip().startswith(")") and _is_sum(text):
        return True
    spoken, spoken_after = _ENCLOSING.sub("", bare), _ENCLOSING.sub("", bare_after)
    for left, right in ((before, after), (bare, bare_after)):
        if runs_over(_block_before(left, text), text) or runs_over(
            text, _block_behind(text, right)
        ):
            return True
    for left, right in ((before, after), (spoken, spoken_after)):
        if _in_a_word(left, text) or _in_a_word(text, right):
            return True
    return turned_before(spoken, text) or turned_behind(text, spoken_after)


def _is_sum(text: str) -> bool:
    """Whether a text is a figure with a currency or a scale, and nothing besides."""
    words = _LETTERS.findall(text)
    return any(map(str.isdigit, without_dates(text))) and all(
        word.isupper() or word.casefold() in _OF_A_SUM for word in words
    )


def _words_alone(context: str) -> str:
    """The context of a quotation without tags, links, notes, emphasis and mail signs."""
    text = _TAGS.sub(lambda tag: "" if tag[1] else " ", context)
    text = _LINK_END.sub("", _NOTE.sub("", text))
    return _EMPHASIS.sub("", _MAIL.sub("", text))


def _without_note(text: str, after: str) -> str:
    """The text after a quotation, without a superscript footnote number at its last word."""
    if _MAY_BE_RAISED.search(text) and not _MEASURE.search(text):
        return _RAISED.sub("", after)
    return after


def _block_before(context: str, text: str) -> str:
    """The text before a quotation, back to an empty line or the beginning of a list item.

    An item begins a block only if the line above ended like a sentence: a dash at the beginning of
    a line may be a minus or part of a range.
    """
    block = context.rpartition("\n\n")[2]
    above, line_end, line = block.rpartition("\n")
    if line_end and _DAY_ENDS.search(above) and _DAY_BEGINS.match(line + text):
        return line
    return line if line_end and _ITEM.match(line + text) and _ENDED.search(above) else block


def _block_behind(text: str, context: str) -> str:
    """The text after a quotation, up to an empty line or the next list item."""
    block = context.partition("\n\n")[0]
    line, _, below = block.partition("\n")
    if _DAY_ENDS.search(text + line) and _DAY_BEGINS.match(below):
        return line
    return line if _ITEM.match(below) and _ENDED.search(text + line) else block


def _in_a_word(before: str, after: str) -> bool:
    """Whether a word spans the boundary between two texts."""
    if _HYPHENATED_END.search(before) and _WORD_GOES_ON.match(after.lstrip()):
        return True
    if not _WORD_ENDS.search(before):
        # "L'eau" is two words, "don't" is one.
        return before[-1:] in "'’" and before[-2:-1].isalpha() and bool(_CONTRACTED.match(after))
    if _WORD_GOES_ON.match(after):
        # Scripts without spaces have no word boundaries to check.
        return not any(unicodedata.east_asian_width(c) in "WF" for c in (before[-1], after[0]))
    return bool(_HYPHENATED_ON.match(after) or _CONTRACTED_ON.match(after))


def _before(lines: Sequence[Line], number: int, column: int) -> str:
    """The text before a place, without page marks, across one empty line at most."""
    above = lines[max(0, number - 1 - CONTEXT_LINES) : number - 1]
    pieces = [lines[number - 1].text[:column], *_beside(list(reversed(above)))]
    return visible("\n".join(reversed(pieces)))


def _behind(lines: Sequence[Line], number: int, column: int) -> str:
    """The text from a place on, with the limits of `_before`."""
    below = lines[number : number + CONTEXT_LINES]
    return visible("\n".join([lines[number - 1].text[column:], *_beside(below)]))


def _beside(lines: Sequence[Line]) -> list[str]:
    """The text of lines up to the second empty one, without page marks."""
    found: list[str] = []
    for line in lines:
        if line.is_mark:
            continue
        if not line.text.strip():
            if "" in found:
                break
            found.append("")
        else:
            found.append(line.text)
    return found
