"""Words in any language, how they are folded, and where the letters of a quotation stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
"""Scripts without spaces between words, for a class of characters."""
PAIRED = rf"{UNSPACED}\p{{Hangul}}ー"
"""Those of which pairs of characters are compared: Korean words carry their particles."""
WORD = rf"[{PAIRED}][{PAIRED}\p{{M}}]*|(?:(?![{PAIRED}])[\p{{L}}\p{{M}}\p{{N}}])+"
_ACCENTS = re.compile("[\u0300-\u036f]+")


def fold(text: str) -> str:
    """The text without case, accents and compatibility forms; kana and Hangul stay whole."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare).casefold()


# --- Letters: hyphens, ligatures and blanks of a page are not those of its text ------------------

# Of fonts of TeX that do not say what their glyphs are: their codes (T1, "Cork") as they stand.
LIGATURES = dict(zip("\x1b\x1c\x1d\x1e\x1f", ("ff", "fi", "fl", "ffi", "ffl"), strict=True))
MIN_SHARE = 0.6  # of its letters that stand there: then it is that passage, as for `altered` ones
MIN_LETTERS = 8  # of a quotation, or a run of it, that may begin or end within a word
MAX_COMPARED = 3_000_000  # letters of a page times those of a quotation that are compared


@dataclass(frozen=True, slots=True)
class Letters:
    """Folded letters, the number of the character that each is a part of, and where words begin."""

    text: str
    numbers: tuple[int, ...]
    starts: frozenset[int]


@lru_cache(maxsize=4_096)
def folded(char: str) -> str:
    """The letters and digits of a character, without case and marks: "ﬁ" is "fi", "É" is "e"."""
    shown = LIGATURES.get(char) or unicodedata.normalize("NFKD", char)
    return "".join(each for each in shown.casefold() if each.isalnum())


def letters_of(chars: Iterable[str]) -> Letters:
    """The letters of characters, numbered in their order; "" is none, and ends no word."""
    text: list[str] = []
    numbers: list[int] = []
    starts: set[int] = set()
    between = True
    for number, char in enumerate(chars):
        if found := folded(char):
            if between:
                starts.add(len(numbers))
            between = False
            text.append(found)
            numbers.extend([number] * len(found))
        elif char and unicodedata.category(char)[0] != "M":  # a mark is a part of its word
            between = True
    return Letters("".join(text), tuple(numbers), frozenset(starts))


def whole(page: Letters, quote: Letters, near: float | None = None) -> range | None:
    """The letters of a quotation in one piece, of several places nearest to `near`, a share."""
    found = list(_occurrences(page.text, quote.text))
    ends = page.starts | {len(page.text)}
    bounded = [at for at in found if at in page.starts and at + len(quote.text) in ends]
    if not bounded and len(quote.text) < MIN_LETTERS:
        return None
    wanted = 0.0 if near is None else near * len(page.text)
    at = min(bounded or found, key=lambda each: abs(each - wanted), default=None)
    return None if at is None else range(at, at + len(quote.text))


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def runs_of(page: Letters, quote: Letters) -> Sequence[int]:
    """The letters of a quotation that stand on the page in order and many in a row."""
    from difflib import SequenceMatcher

    if len(page.text) * len(quote.text) > MAX_COMPARED:
        return ()
    blocks = SequenceMatcher(None, page.text, quote.text, autojunk=False).get_matching_blocks()
    found = [n for at, _, size in blocks if size >= MIN_LETTERS for n in range(at, at + size)]
    return found if len(found) >= MIN_SHARE * len(quote.text) else ()


# ---- What stands in quotation marks

_QUOTED = re.compile(r'"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»')


def phrases(text: str) -> list[str]:
    """The phrases that stand in quotation marks, as `_plain` writes them; none of a single sign."""
    found = (_plain("".join(groups)) for groups in _QUOTED.findall(text))
    return [phrase for phrase in found if sum(map(str.isalnum, phrase)) > 1]


def unheld(query: str, best: str) -> list[str]:
    """The phrases of a query where the first passage has not all: one that has comes first."""
    asked = phrases(query)
    return [] if holds(best, asked) else asked


def _plain(text: str) -> str:
    """A text without its case, line breaks and forms of apostrophes."""
    return " ".join(text.casefold().replace("’", "'").split())


def holds(passage: str, asked: Sequence[str]) -> bool:
    """Whether a passage has all of these phrases."""
    text = _plain(passage)
    return all(phrase in text for phrase in asked)
