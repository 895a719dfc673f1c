"""Text that a document does not show, or strikes out: marked where it is met.

A reader wraps what is hidden by `hide`, in the middle of a line if need be, and everything that
handles strings carries it along. At the end `parted` gives shown lines without it, each followed by
its hidden text as lines of their own behind a mark. The two signs are noncharacters, which Unicode
keeps for internal use (The Unicode Standard, 23.7), and differ in every process, so that a document
that holds some forges no sign and takes no letter out of what it shows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from indexer.extract.normalise import lines_of

HIDDEN_MARK = "(hidden in the document)"
CLEAR = "clear"  # a colour that lets all others through
UNKNOWN = "?"  # of a background: a picture, a gradient, a colour that is not understood
PAPER = "ffffff"
MAX_COLOUR_DISTANCE = 8  # of 255, in each of red, green and blue, that nobody sees
MAX_UNSEEN_POINTS = 1.0  # of a font's size
MIN_SEEN = 0.05  # of letters' width, and of their opacity
_RGB = re.compile(r"[0-9A-Fa-f]{6}")
MAX_HIDDEN_CHARS = 400  # of a line: the mark stands in front of each, for passages cut from it
_CHANCE = "".join(chr(0xFDD2 + byte % 30) for byte in os.urandom(8))
_START, _END = f"\ufdd0{_CHANCE}", f"\ufdd1{_CHANCE}"
_PIECES = re.compile(f"({_START}|{_END})")
_INTERNAL = re.compile("[\ufdd0-\ufdef]+")  # signs, and what is left of one that was cut
# What stands between hidden cells or a hidden name and its value is theirs.
_BETWEEN = re.compile(f"{_END}([ \\t|:]*){_START}")
_WORD = re.compile(r"\w")
_STRETCH = re.compile(r"\S(?:[^\n]*\S)?")  # of a line, blanks outside
_LONE = re.compile(f"{_START}\\s*+[^\\s\ufdd0\ufdd1]*+\\s*+{_END}")
# On both sides of a run that is struck out, or stands higher or lower than what it follows.
_STRUCK, RAISED, LOWERED = (f"{sign}{_CHANCE}" for sign in "\ufded\ufdee\ufdef")
_RUN = re.compile(f"({_STRUCK})(.*?){_STRUCK}", re.DOTALL)
_SHIFTED = re.compile(f"({RAISED}|{LOWERED})(.*?)\\1", re.DOTALL)
_FIGURE = re.compile(r"[-−+]?\d")


def hide(text: str) -> str:
    """The text marked as hidden, once."""
    return f"{_START}{bare(text)}{_END}" if text and not text.isspace() else text


def struck(text: str) -> str:
    """Text that is struck out, between the signs that Markdown has for it."""
    return _STRETCH.sub(r"~~\g<0>~~", text)


def joined(runs: Iterable[str]) -> str:
    """Runs of text as one, each marked by its look; what looks alike side by side is one run."""
    text = "".join(runs)
    if _CHANCE not in text:
        return text
    for sign in (_STRUCK, RAISED, LOWERED):
        text = text.replace(sign * 2, "")
    return _SHIFTED.sub(_set_off, _RUN.sub(lambda run: struck(run[2]), text))


def _set_off(run: re.Match[str]) -> str:
    """A raised or lowered text; a figure is no digit of the one that it stands at: "£150^1"."""
    (sign, text), (start, end) = run.groups(), run.span()
    before, behind = run.string[max(0, start - 1) : start], run.string[end : end + 1]
    follows = bool(before.isdigit() or _INTERNAL.match(before))
    if sign == RAISED:
        follows = not before.isspace() and before not in "([{/"
    mark = "^" if sign == RAISED else "_"
    if not (follows and _FIGURE.match(text)):
        mark = ""
    elif run.string.startswith((f"/{LOWERED}", "\u2044"), end):
        mark = " "  # a fraction
    return f"{mark}({text}) " if text[-1:].isdigit() and behind.isdigit() else mark + text


def shift(height: float) -> str:
    """What a run is marked by that stands so high above others, or below them."""
    return RAISED if height > 0 else LOWERED if height < 0 else ""


def is_hidden(text: str) -> bool:
    """Whether all words of a text are hidden, and there are some."""
    return _START in text and not _WORD.search(shown(text))


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
    return text.replace(_START, "").replace(_END, "")


def parted(text: str) -> Iterator[tuple[str, bool]]:
    """The normalised lines of a text, and whether each is hidden.

    A line of which nothing but signs of a list or table is shown is left out for its hidden text.
    """
    if _START not in text:
        for line in lines_of(text):
            yield line, False
        return
    inside = False
    for whole in text.removesuffix("\n").split("\n"):
        line = _BETWEEN.sub(r"\1", (_START if inside else "") + whole)
        inside = line.rfind(_START) > line.rfind(_END)
        pieces = list(_pieces(line))
        hidden = [piece for piece, is_inside in pieces if is_inside and _WORD.search(piece)]
        seen = "\0".join(piece for piece, is_inside in pieces if not is_inside)
        seen = re.sub(r"(?<= )\0 +", "", seen).replace("\0", "")  # one blank where there were two
        if _WORD.search(seen) or not any(is_inside for _, is_inside in pieces):
            for each in lines_of(_INTERNAL.sub("", seen)):
                yield each, False
        for piece in hidden:
            for each in lines_of(_INTERNAL.sub("", piece).strip(" \t|"), MAX_HIDDEN_CHARS):
                yield f"{HIDDEN_MARK} {each}", True


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a text, and whether each is hidden."""
    inside = False
    for piece in _PIECES.split(text):
        if piece in (_START, _END):
            inside = piece == _START
        elif piece:
            yield piece, inside


@dataclass(frozen=True, slots=True)
class Look:
    """How a run of text looks, as far as its document says; what it leaves open hides nothing.

    `gone` is what is not displayed and cannot be within, `invisible` what may be.
    """

    colour: str = ""
    ground: str = PAPER
    points: float = 10.0
    width: float = 1.0
    opacity: float = 1.0
    struck: bool = False
    gone: bool = False
    invisible: bool = False
    shift: str = ""

    @property
    def hides(self) -> bool:
        """Whether nobody can read it."""
        unseen = self.gone or self.invisible or self.colour == CLEAR
        small = self.points <= MAX_UNSEEN_POINTS or min(self.width, self.opacity) < MIN_SEEN
        return unseen or small or alike(self.colour, self.ground)

    def marked(self, text: str) -> str:
        """A text that looks so, as `joined` takes it."""
        if self.hides or not text:
            return hide(text)
        for sign in filter(None, (self.shift, _STRUCK if self.struck else "")):
            text = f"{sign}{text.replace(sign, '')}{sign}"
        return text


def alike(colour: str, background: str) -> bool:
    """Whether two colours look the same; no for what is no colour, such as UNKNOWN."""
    if not (_RGB.fullmatch(colour) and _RGB.fullmatch(background)):
        return False
    pairs = zip(bytes.fromhex(colour), bytes.fromhex(background), strict=True)
    return all(abs(one - other) <= MAX_COLOUR_DISTANCE for one, other in pairs)
