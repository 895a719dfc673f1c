"""Lines of a page that is read from the right, from the places of their words. Pure.

pdfium loses the order of Latin words and numbers among them, and the sides of their spaces. It
reverses letters by their position, and with them those of one glyph (lam and alef, in every Arabic
text) and of ActualText, which the file has in reading order: the former share one box, the latter
then run from left to right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import regex

Box = tuple[float, ...]  # of a character; its left side first

# Arabic vowel signs and the stroke that makes words longer are of no script of their own.
_SCRIPTS = r"\p{Arabic}\p{Hebrew}\p{Syriac}\p{Thaana}\p{Nko}\u0640\u064b-\u0655\u0670"
_LETTER = rf"[[{_SCRIPTS}]--[\p{{N}}\p{{P}}\p{{S}}]]"
_WORD = regex.compile(_LETTER + "+", regex.V1)
_ANY = regex.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")  # cheap: few pages have any


def in_words(text: str, box: Callable[[int], Box]) -> str:
    """The text with the letters of each of its words in reading order; `box` is where one stands.

    Of other scripts' words, and of those from the right in a line of them, the order stays.
    """
    found = list(text)
    for match in _WORD.finditer(text) if _ANY.search(text) else ():
        order = _word(text, range(*match.span()), box)
        found[match.start() : match.end()] = [text[at] for at in order]
    return "".join(found)


_FROM_LEFT = regex.compile(rf"[\p{{L}}--{_LETTER}]", regex.V1)
# A word of another script, a number with what divides its digits, or a single sign.
_TOKEN = regex.compile(
    rf"(?P<right>{_LETTER}+)|(?P<number>\p{{N}}+(?:[.,:/\u066b\u066c\-\u2013]\p{{N}}+)*(?![\p{{L}}]))"
    rf"|(?P<left>[[\p{{L}}\p{{M}}\p{{N}}]--{_LETTER}]+(?:[.@_/:\-'’&][[\p{{L}}\p{{N}}]--{_LETTER}]+)*)"
    r"|(?P<sign>\S)",
    regex.V1,
)
# Words of other scripts, and numbers and signs between them, by the first letters of their kinds:
# numbers and signs belong to them between words, and numbers beside one (UAX 9, W7 and N1).
_RUN = regex.compile(r"(?:n[ns]*)?l(?:[lns]*[ln])?")
GAP = 0.12  # font sizes between two words
_BRACKETS = {"(": ")", "[": "]", "{": "}", "«": "»", "‹": "›"}
_CLOSING = _BRACKETS | {end: end for end in _BRACKETS.values()}
_OPENING = {_CLOSING[each]: start for start, each in _BRACKETS.items()} | {s: s for s in _BRACKETS}
_OPENS = regex.compile(r"(?<!\S)[][(){}«»‹›](?=\S)")
_CLOSES = regex.compile(r"(?<=\S)[][(){}«»‹›](?![^\s.,;:!?،؛؟])")


def is_base(text: str) -> bool:
    """Whether most letters of a page are of a script that is read from the right."""
    if not _ANY.search(text):
        return False
    from_right = sum(len(word) for word in _WORD.findall(text))
    return from_right > sum(1 for _ in _FROM_LEFT.finditer(text))


@dataclass(frozen=True, slots=True)
class PlacedChars:
    """Characters of a line and their extent, in points."""

    text: str
    left: float
    right: float
    kind: str = ""

    def covers(self, other: PlacedChars) -> bool:
        """Whether the better half of one of them lies on the other."""
        shared = min(self.right, other.right) - max(self.left, other.left)
        return shared > 0.5 * min(self.right - self.left, other.right - other.left)


def in_reading_order(chars: Sequence[PlacedChars], size: float) -> str:
    """The text of a line; `chars` is pdfium's order, with its spaces, and `size` the font's.

    A page may say what a picture of letters reads: such words lie on others, at no place of theirs.
    """
    tokens = sorted(_tokens(chars), key=lambda token: -token.right)
    if any(first.covers(second) for first, second in pairwise(tokens)):
        text = "".join(char.text or " " for char in chars)
        return in_words(text, lambda at: (chars[at].left, chars[at].right))
    groups, end = [], 0
    for run in _RUN.finditer("".join(token.kind[0] for token in tokens)):
        groups += tokens[end : run.start()]
        end = run.end()
        groups.append(_joined(tokens[run.start() : end][::-1], size))
    text = _joined([*groups, *tokens[end:]], size).text
    # pdfium turns brackets by their place.
    text = _OPENS.sub(lambda match: _OPENING[match[0]], text)
    return _CLOSES.sub(lambda match: _CLOSING[match[0]], text)


def _tokens(chars: Sequence[PlacedChars]) -> Iterator[PlacedChars]:
    """The words, numbers and signs of a line."""
    text = "".join(char.text or " " for char in chars)
    for match in _TOKEN.finditer(text):
        indices = range(*match.span())
        if match.lastgroup == "right":
            order = _word(text, indices, lambda at: (chars[at].left, chars[at].right))
        else:
            order = sorted(indices, key=lambda index: chars[index].left)
        shown = [chars[index] for index in indices]
        left, right = min(char.left for char in shown), max(char.right for char in shown)
        yield PlacedChars(
            "".join(text[index] for index in order), left, right, match.lastgroup or ""
        )


def _word(text: str, word: range, box: Callable[[int], Box]) -> list[int]:
    """The letters of a word in reading order."""
    lefts = [box(at)[0] for at in word if not unicodedata.combining(text[at])]
    if len(lefts) > 1 and all(first < second for first, second in pairwise(lefts)):
        return list(reversed(word))
    return [at for _, same in groupby(word, key=box) for at in reversed(list(same))]


def _joined(tokens: Sequence[PlacedChars], size: float) -> PlacedChars:
    """One token of those that follow each other, with a blank where there is room for one."""
    text = "".join(token.text for token in tokens[:1])
    for before, after in pairwise(tokens):
        room = max(before.left - after.right, after.left - before.right)
        text += (" " if room > GAP * size else "") + after.text
    lefts, rights = [each.left for each in tokens], [each.right for each in tokens]
    return PlacedChars(text, min(lefts, default=0.0), max(rights, default=0.0))
