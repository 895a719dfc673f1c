"""Words of questions and documents: folding, stop words, content words."""

from __future__ import annotations

import tomllib
from functools import cached_property
from pathlib import Path
from typing import cast
from unicodedata import digit

import regex

from indexer import PAIRED, WORD
from indexer import fold as fold


class Lazy:
    """Stands for a pattern, compiled at first use: that takes longer than most searches with it."""

    def __init__(self, written: str, flags: int) -> None:
        self._written = written, flags

    @cached_property
    def compiled(self) -> regex.Pattern[str]:
        """The pattern itself."""
        return regex.compile(*self._written)

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self.compiled, name)
        setattr(self, name, found)  # the next use finds it without this function
        return found


def lazy(written: str, flags: int = 0) -> regex.Pattern[str]:
    """A pattern that is compiled when it is first used."""
    return cast(regex.Pattern[str], Lazy(written, flags))


_WORD = lazy(WORD)
_IN_PAIRS = lazy(rf"[{PAIRED}]")
_LETTERS = lazy(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]")
_HIRAGANA = lazy(r"\p{Hiragana}+")
_DIGIT = lazy(r"\p{N}")
_OTHER_DIGIT = lazy(r"[^\P{Nd}0-9]")  # of Arabic, Devanagari, Thai


def terms(text: str) -> list[str]:
    """The folded words of a text; a run of a script without spaces becomes pieces of itself."""
    found: list[str] = []
    for word in _WORD.findall(_OTHER_DIGIT.sub(lambda sign: str(digit(sign[0])), fold(text))):
        size = piece_size(word)
        if size:
            found.extend(word[i : i + size] for i in range(max(1, len(word) - size + 1)))
        else:
            found.append(word)
    return found


def piece_size(word: str) -> int:
    """Characters of a piece that stands for a word: 2 of signs, 4 of letters; 0: the word itself.

    Pieces overlap: each character is in as many. Two letters of Thai say as little of a word as
    two of English.
    """
    return 0 if not _IN_PAIRS.match(word) else 4 if _LETTERS.match(word) else 2


_WORDS = {
    name: frozenset(fold(words).split())
    for name, words in tomllib.loads(
        Path(__file__).with_name("stop_words.toml").read_text("utf-8")
    ).items()
}
STOP_WORDS = _WORDS["english"] | _WORDS["others"]
OTHER_STOP_WORDS = STOP_WORDS - _WORDS["english"]
"""Those that no English sentence has."""
WANT_MORE = _WORDS["want_more"]
"""Those that no sentence and no title ends with."""

# What asks in scripts without spaces, whose pairs of characters are no words.
_ASKING = lazy(
    "为什么|什么时候|什么|哪[些个里儿年种]|多少|何时|几个|谁|อะไร|ใคร|ที่ไหน|เมื่อไร|เมื่อใด|กี่|เท่าไร|เท่าไหร่|เท่าใด|อย่างไร|ทำไม|ไหน|ใด"
)
_FISCAL = lazy(r"^fy(?:20)?(?=\d\d$)")
_NOUNS_ARE_CAPITALISED = ("de", "lb")


def content_terms(question: str) -> list[str]:
    """The words of a question that carry its subject, each once; all its words if none do."""
    every = list(dict.fromkeys(terms(_ASKING.sub(" ", question))))
    kept = [
        word
        for word in every
        if word not in STOP_WORDS
        and (len(word) > 1 or _DIGIT.search(word) or _IN_PAIRS.match(word))
        and not _HIRAGANA.fullmatch(word)
    ]
    return kept or every


def same_word(one: str, other: str) -> bool:
    """Whether two folded words are forms of one (intercept, intercepted) or one year (fy22)."""
    if one == other:
        return True
    if "fy" in (one[:2], other[:2]) and _FISCAL.sub("20", one) == _FISCAL.sub("20", other):
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < 3 or short[0] != long[0] or _DIGIT.search(one) or _DIGIT.search(other):
        return False
    if long.startswith(short) and long[len(short) :] in ("s", "es"):
        return True
    common = next(
        (i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short)
    )
    return common >= 4 and len(long) - common <= 3 and common >= 0.6 * len(long)


def word_spans(text: str, pairs: bool = False) -> list[tuple[int, int, str]]:
    """Start, end and folded form of each content word.

    Of scripts without spaces each piece (see `terms`), with `pairs`; else nothing.
    """
    found = []
    for match in _WORD.finditer(text):
        word, start = fold(match.group()), match.start()
        size = piece_size(word)
        if size:
            at = [start + n for n, char in enumerate(match.group()) for _ in fold(char)]
            if pairs and len(word) == len(at):  # one sign may be two there, as a vowel of Thai is
                ends = enumerate(at[size - 1 :])
                found += [(at[n], last + 1, word[n : n + size]) for n, last in ends]
        elif word not in STOP_WORDS and (len(word) > 1 or has_digit(word)):
            found.append((start, match.end(), word))
    return found


def is_code(word: str) -> bool:
    """Whether a word mixes letters and digits, like error codes and part numbers."""
    return len(word) > 2 and has_digit(word) and any(char.isalpha() for char in word)


def shape(code: str) -> str:
    """A code with each digit as 0, so that those of one kind are equal."""
    return "".join("0" if has_digit(character) else character for character in code)


def has_digit(text: str) -> bool:
    """Whether a numeral of any script occurs."""
    return bool(_DIGIT.search(text))


# A capital letter after the first word, or a figure: E1042, 2003, Dunmoor.
_NAME = lazy(r"(?<=\S\s)\p{Lu}[\p{L}\p{M}\p{N}'’-]+|[\p{L}-]*\p{N}[\p{L}\p{N}:.,-]*")


def name_terms(question: str, language: str = "", alike: bool = True) -> frozenset[str]:
    """The words of a question that look like names, codes or figures, folded.

    Figures alone unless names are written `alike` in what is searched.
    """
    names = _NAME.findall(question)
    if not alike:
        names = [name for name in names if has_digit(name)]
    elif language in _NOUNS_ARE_CAPITALISED:
        names = [name for name in names if not name.istitle()]
    found = (word for name in names for word in terms(name))
    return frozenset(found) - STOP_WORDS


def names_are_nouns(text: str) -> bool:
    """Whether a text is German, which capitalises all nouns like names."""
    return not _WORDS["german"].isdisjoint(fold(text).split())
