"""Where the letters of a quotation stand among those of a page. Pure: no PDF, no places.

Letters and digits alone are compared, without case, marks and what stands between them, since the
text that was indexed differs from what a page shows in just these: hyphens at line ends, ligatures,
spaced letters, blanks. Called by outline.py.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

MIN_SHARE = 0.6  # of its letters that stand there: then it is that passage, as for `altered` ones
MIN_LETTERS = 8  # of a quotation that may begin or end within a word
MIN_BLOCK_LETTERS = 4  # of words that stand apart from the others of a quotation
MAX_SKIPPED_WORDS = 3  # between a short word and the run before it
# Words of a page times those of a quotation that are compared, as 2,000 and 500. What is beyond is
# looked for in one piece alone.
MAX_COMPARED = 1_000_000

# Of fonts of TeX that do not say what their glyphs are: their codes (T1, "Cork") as they stand.
LIGATURES = dict(zip("\x1b\x1c\x1d\x1e\x1f", ("ff", "fi", "fl", "ffi", "ffl"), strict=True))


@dataclass(frozen=True, slots=True)
class Letters:
    """Folded letters, the number of what each is a part of, and where words begin.

    A number is that of a character. Several letters may have the same: those of a ligature.
    """

    text: str
    numbers: tuple[int, ...]
    starts: frozenset[int]

    def words(self) -> list[tuple[str, int]]:
        """Each word and where it begins."""
        return [
            (self.text[at:end], at)
            for at, end in zip(sorted(self.starts), self.ends(), strict=True)
        ]

    def ends(self) -> list[int]:
        """Where the words end."""
        return [*sorted(self.starts - {0}), len(self.text)] if self.text else []

    def part(self, first: int, last: int) -> Letters:
        """The letters from one place to another."""
        starts = frozenset({0} | {at - first for at in self.starts if first <= at < last})
        return Letters(self.text[first:last], self.numbers[first:last], starts)


@lru_cache(maxsize=4_096)
def folded(char: str) -> str:
    """The letters and digits of a character, without case and marks: "ﬁ" is "fi", "É" is "e"."""
    shown = LIGATURES.get(char) or unicodedata.normalize("NFKD", char)
    return "".join(each for each in shown.casefold() if each.isalnum())


def letters_of(chars: Iterable[tuple[str, int]]) -> Letters:
    """The letters of characters, each with its number; "" is none, and ends no word."""
    text: list[str] = []
    numbers: list[int] = []
    starts: set[int] = set()
    between = True
    for char, number in chars:
        if found := folded(char):
            if between:
                starts.add(len(numbers))
            between = False
            text.append(found)
            numbers.extend([number] * len(found))
        elif char and unicodedata.category(char)[0] != "M":  # a mark is a part of its word
            between = True
    return Letters("".join(text), tuple(numbers), frozenset(starts))


def letters_of_text(text: str) -> Letters:
    """The letters of a text, numbered by its characters."""
    return letters_of((char, number) for number, char in enumerate(text))


@dataclass(frozen=True, slots=True)
class Match:
    """Runs of letters: where each begins on the page and in the quotation, and its length."""

    runs: tuple[tuple[int, int, int], ...] = ()

    @property
    def size(self) -> int:
        """How many letters of the quotation stand on the page."""
        return sum(size for _, _, size in self.runs)


def whole(page: Letters, quote: Letters, near: float | None = None) -> Match | None:
    """The quotation in one piece, where it stands several times the one nearest to `near`.

    `near` is a share of the page's letters; None takes the first.
    """
    found = [at for at in _occurrences(page.text, quote.text) if _is_bounded(page, at, quote)]
    if not found and len(quote.text) >= MIN_LETTERS:
        found = list(_occurrences(page.text, quote.text))
    if not found:
        return None
    at = found[0]
    if near is not None:
        at = min(found, key=lambda each: abs(each - near * len(page.text)))
    return Match(((at, 0, len(quote.text)),))


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _is_bounded(page: Letters, at: int, quote: Letters) -> bool:
    """Whether a run of letters begins with a word and ends with one."""
    end = at + len(quote.text)
    return at in page.starts and (end == len(page.text) or end in page.starts)


def head(page: Letters, quote: Letters) -> int:
    """How many letters of the quotation's beginning stand on the page, in whole words."""
    return _longest(quote.ends(), lambda size: quote.text[:size] in page.text)


def tail(page: Letters, quote: Letters) -> int:
    """How many letters of the quotation's end stand on the page, in whole words."""
    length = len(quote.text)
    sizes = sorted(length - at for at in quote.starts)
    return _longest(sizes, lambda size: quote.text[length - size :] in page.text)


def _longest(sizes: Sequence[int], stands: Callable[[int], bool]) -> int:
    """The largest size that `stands`, as all smaller ones then do; 0 for none."""
    number = bisect_left(sizes, True, key=lambda size: not stands(size))
    return sizes[number - 1] if number else 0


def aligned(page: Letters, quote: Letters) -> Match:
    """The words of the quotation that stand on the page in their order, apart from each other.

    Short ones count close behind others: "of" stands everywhere.
    """
    words, wanted = page.words(), quote.words()
    if len(words) * len(wanted) > MAX_COMPARED:
        return Match()
    matcher = SequenceMatcher(
        None, [word for word, _ in words], [word for word, _ in wanted], autojunk=False
    )
    runs = []
    end = -MAX_SKIPPED_WORDS
    for first, quoted, count in matcher.get_matching_blocks():
        size = sum(len(word) for word, _ in wanted[quoted : quoted + count])
        if size >= MIN_BLOCK_LETTERS or (count and first - end < MAX_SKIPPED_WORDS):
            runs.append((words[first][1], wanted[quoted][1], size))
            end = first + count
    return Match(tuple(runs))
