"""Restores the order of right-to-left letters and lines where pdfium reverses it. Pure.

Lines of a page that is read from the right are put together anew from the places of their words:
pdfium loses the order of Latin words and numbers among them, and the sides of their spaces.

Within a word, and on other pages: pdfium reverses right-to-left letters by their position on the
page. It also reverses the letters of one glyph (lam and alef, in every Arabic text) and those of
ActualText, which the file already has in reading order. The former share one box, the latter then
run from left to right. Right-to-left words within a line of another script are left from left to
right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise

import regex

Box = tuple[float, ...]  # of a character; its left side first

# Arabic vowel signs and the stroke that makes words longer are of no script of their own.
_SCRIPTS = r"\p{Arabic}\p{Hebrew}\p{Syriac}\p{Thaana}\p{Nko}\u0640\u064b-\u0655\u0670"
_LETTER = rf"[[{_SCRIPTS}]--[\p{{N}}\p{{P}}\p{{S}}]]"
_WORD = regex.compile(_LETTER + "+", regex.V1)
_ANY = regex.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")  # cheap: few pages have any
_PAIR = regex.compile(_LETTER + "{2}", regex.V1)
_PHRASE = regex.compile(f"{_LETTER}+(?: {_LETTER}+)+", regex.V1)


def has_words(text: str) -> bool:
    """Whether the text has anything to reorder."""
    return _ANY.search(text) is not None and _PAIR.search(text) is not None


def reading_order(text: str, box: Callable[[int], Box]) -> list[int]:
    """The characters of `text` by their indices in reading order; `box` is where one stands."""
    order = list(range(len(text)))
    for match in _WORD.finditer(text):
        order[match.start() : match.end()] = _word(text, range(*match.span()), box)
    for match in _PHRASE.finditer(text):
        start, end = match.span()
        words = [range(start + w.start(), start + w.end()) for w in _WORD.finditer(match[0])]
        if _increase([min(box(index)[0] for index in word) for word in words]):
            turned = [order[word.start : word.stop] for word in reversed(words)]
            gaps = [order[word.stop : word.stop + 1] for word in reversed(words[:-1])]
            order[start:end] = chain(*chain(*zip(turned, [*gaps, []], strict=True)))
    return order


def _word(text: str, word: range, box: Callable[[int], Box]) -> list[int]:
    """The letters of a word in reading order."""
    if _increase([box(index)[0] for index in word if not unicodedata.combining(text[index])]):
        return list(reversed(word))
    return [index for _, same in groupby(word, key=box) for index in reversed(list(same))]


def _increase(numbers: Sequence[float]) -> bool:
    return len(numbers) > 1 and all(first < second for first, second in pairwise(numbers))


# --- Lines of a page that is read from the right ------------------------------------------------

_FROM_LEFT = regex.compile(rf"[\p{{L}}--{_LETTER}]", regex.V1)
# A word of another script, a number with what divides its digits, or a single sign.
_TOKEN = regex.compile(
    rf"(?P<right>{_LETTER}+)|(?P<number>\p{{N}}+(?:[.,:/\u066b\u066c\-\u2013]\p{{N}}+)*(?![\p{{L}}]))"
    rf"|(?P<left>[[\p{{L}}\p{{M}}\p{{N}}]--{_LETTER}]+(?:[.@_/:\-'’&][[\p{{L}}\p{{N}}]--{_LETTER}]+)*)"
    r"|(?P<sign>\S)",
    regex.V1,
)
GAP = 0.12  # font sizes between two words
_BRACKETS = {"(": ")", "[": "]", "{": "}", "«": "»", "‹": "›"}
_OPENING = _BRACKETS | {end: end for end in _BRACKETS.values()}
_START = {end: start for start, end in _BRACKETS.items()}


def is_base(text: str) -> bool:
    """Whether most letters of a page are of a script that is read from the right."""
    if not has_words(text):
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

    def gap(self, other: PlacedChars) -> float:
        """What is free between it and another, which stands on its left."""
        return self.left - other.right


def in_reading_order(chars: Sequence[PlacedChars], size: float) -> str:
    """The text of a line; `chars` is pdfium's order, with its spaces, and `size` the font's.

    A page may say what a picture of letters reads: such words lie on others, at no place of theirs.
    """
    tokens = sorted(_tokens(chars), key=lambda token: -token.right)
    if any(first.covers(second) for first, second in pairwise(tokens)):
        text = "".join(char.text or " " for char in chars)
        order = reading_order(text, lambda index: (chars[index].left, chars[index].right))
        return "".join(text[index] for index in order)
    groups = list(_groups(tokens, size))
    text = "".join(
        group.text + (" " if following and group.gap(following) > GAP * size else "")
        for group, following in zip(groups, [*groups[1:], None], strict=True)
    )
    return _bracketed(text)


def _tokens(chars: Sequence[PlacedChars]) -> Iterator[PlacedChars]:
    """The words, numbers and signs of a line."""
    text = "".join(char.text or " " for char in chars)
    for match in _TOKEN.finditer(text):
        indices = range(*match.span())
        if match.lastgroup == "right":
            order = _word(text, indices, lambda index: (chars[index].left, chars[index].right))
        else:
            order = sorted(indices, key=lambda index: chars[index].left)
        shown = [chars[index] for index in indices]
        left, right = min(char.left for char in shown), max(char.right for char in shown)
        yield PlacedChars(
            "".join(text[index] for index in order), left, right, match.lastgroup or ""
        )


def _groups(tokens: Sequence[PlacedChars], size: float) -> Iterator[PlacedChars]:
    """Tokens from the right; words and numbers of other scripts that stand together are one."""
    start = 0
    while start < len(tokens):
        end = _end_of_group(tokens, start)
        if end - start == 1:
            yield tokens[start]
        else:
            yield _from_left(tokens[start:end], size)
        start = end


def _end_of_group(tokens: Sequence[PlacedChars], start: int) -> int:
    """Where a run of words from the left ends that begins at a token; the next one if none does.

    Numbers and signs belong to it between words, and numbers beside a word (UAX 9, W7 and N1).
    """
    if tokens[start].kind in ("right", "sign") and not _closes_inside(tokens, start):
        return start + 1
    end, has_word = start + 1, tokens[start].kind == "left"
    for place in range(start + 1, len(tokens)):
        kind = tokens[place].kind
        if kind == "right":
            break
        if kind == "left" or (kind == "number" and has_word):
            has_word, end = has_word or kind == "left", place + 1
    return end if has_word else start + 1


def _closes_inside(tokens: Sequence[PlacedChars], start: int) -> bool:
    """Whether a bracket on the right ends one that stands close behind a word: "f(x)"."""
    if tokens[start].text not in _START and tokens[start].text not in _BRACKETS:
        return False
    for place in range(start + 1, len(tokens) - 1):
        token = tokens[place]
        if token.kind == "right":
            return False
        if token.text in _START or token.text in _BRACKETS:
            before = tokens[place + 1]
            return before.kind == "left" and token.gap(before) < 0.05 * (token.right - before.left)
    return False


def _from_left(tokens: Sequence[PlacedChars], size: float) -> PlacedChars:
    """One token of those that are read from the left."""
    shown = list(reversed(tokens))
    pieces = [shown[0].text]
    for before, after in pairwise(shown):
        pieces.append((" " if after.gap(before) > GAP * size else "") + after.text)
    return PlacedChars("".join(pieces), shown[0].left, max(each.right for each in shown), "left")


def _bracketed(text: str) -> str:
    """The line with its brackets turned as they are read: pdfium turns them by their place."""
    if not any(char in _OPENING for char in text):
        return text
    chars = list(text)
    depth: dict[str, int] = {}
    for place, char in enumerate(chars):
        if char not in _OPENING:
            continue
        start = _START.get(char, char)
        after = chars[place + 1] if place + 1 < len(chars) else " "
        before = chars[place - 1] if place else " "
        opens = depth.get(start, 0) == 0
        if before.isspace() != (after.isspace() or after in ".,;:!?،؛؟"):
            opens = before.isspace()
        depth[start] = depth.get(start, 0) + (1 if opens else -1)
        chars[place] = start if opens else _BRACKETS[start]
    return "".join(chars)
