"""What is a word in any language, and how words are folded: for the index and for answers."""

from __future__ import annotations

import re
import unicodedata

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
