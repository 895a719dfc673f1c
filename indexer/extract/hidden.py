"""Text that a document does not show: marked where it is met, parted from the rest at the end.

A reader wraps what is hidden by `hide`, in the middle of a line if need be, and everything that
handles strings carries it along. `parted` then gives shown lines without it, each followed by its
hidden text as lines of their own behind a mark. The two signs are noncharacters, which Unicode
keeps for internal use (The Unicode Standard, 23.7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexer.extract.normalise import lines_of

HIDDEN_MARK = "(hidden in the document)"
MAX_HIDDEN_CHARS = 400  # of a line: the mark stands in front of each, for passages cut from it
_START, _END = "\ufdd0", "\ufdd1"
_SIGNS = str.maketrans("", "", _START + _END)
_PIECES = re.compile(f"([{_START}{_END}])")
# What stands between hidden cells or a hidden name and its value is theirs.
_BETWEEN = re.compile(f"{_END}([ \\t|:]*){_START}")
_WORD = re.compile(r"\w")
_LONE = re.compile(f"{_START}\\s*[^\\s{_END}]*\\s*{_END}")


def hide(text: str) -> str:
    """The text marked as hidden; a document's own signs in it end nothing."""
    return f"{_START}{text.translate(_SIGNS)}{_END}" if text and not text.isspace() else text


def is_hidden(text: str) -> bool:
    """Whether all words of a text are hidden, and there are some."""
    return _START in text and not _WORD.search(shown(text))


def has_hidden(text: str) -> bool:
    """Whether some of a text is hidden."""
    return _START in text


def shown(text: str) -> str:
    """The text without what is hidden."""
    return "".join(piece for piece, hidden in _pieces(text) if not hidden)


def without_lone_words(text: str) -> str:
    """The text without single hidden words within a shown line, such as keys to sort by."""
    if _START not in text or not _WORD.search(shown(text)):
        return text
    return _LONE.sub("", _BETWEEN.sub(r"\1", text))


def bare(text: str) -> str:
    """The text without the signs of what is hidden."""
    return text.translate(_SIGNS)


def parted(text: str) -> Iterator[tuple[str, bool]]:
    """The normalised lines of a text, and whether each is hidden.

    A line of which nothing but signs of a list or table is shown is left out for its hidden text.
    """
    if _START not in text:
        for line in lines_of(text):
            yield line, False
        return
    inside = False
    for whole in text.split("\n"):
        line = _BETWEEN.sub(r"\1", (_START if inside else "") + whole)
        inside = line.rfind(_START) > line.rfind(_END)
        pieces = list(_pieces(line))
        hidden = [piece for piece, is_inside in pieces if is_inside and _WORD.search(piece)]
        seen = _joined(piece for piece, is_inside in pieces if not is_inside)
        if _WORD.search(seen) or not any(is_inside for _, is_inside in pieces):
            for each in lines_of(seen):
                yield each, False
        for piece in hidden:
            for each in lines_of(piece.strip(" \t|"), MAX_HIDDEN_CHARS):
                yield f"{HIDDEN_MARK} {each}", True


def _joined(pieces: Iterable[str]) -> str:
    """Shown text around what was taken out of it, with one blank where there were two."""
    found = ""
    for piece in pieces:
        found += piece.lstrip(" ") if found.endswith(" ") else piece
    return found


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a text, and whether each is hidden."""
    inside = False
    for piece in _PIECES.split(text):
        if piece in (_START, _END):
            inside = piece == _START
        elif piece:
            yield piece, inside
