"""The delimiters around corpus text, by which a model distinguishes documents from other text.

Marks and neutralises; does not evaluate meaning.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from corpus_agent.text.sanitize import message, one_line, unlinked, visible

OPENS, CLOSES, ENDS = "<<doc ", "<</doc ", ">>"  # a nonce stands before the end
# Characters that a reader, or a tokenizer, may take for the ones of a delimiter and that NFKC does
# not map to them: Unicode's angle brackets and guillemets, slashes, Cyrillic and Greek letters.
_LOOKALIKES = {
    **dict.fromkeys("<‹〈〈⟨❬❮❰⦑⧼˂ᐸᚲ≺⧀⩹﹤＜", "<"),
    **dict.fromkeys(">›〉〉⟩❭❯❱⦒⧽˃ᐳᚳ≻⧁⩺﹥＞", ">"),
    **dict.fromkeys("«《⟪≪⋘⪡⪻⦓⸂⸄", "«"),
    **dict.fromkeys("»》⟫≫⋙⪢⪼⦔⸃⸅", "»"),
    **dict.fromkeys("/∕⁄⧸╱⟋⫽⼃", "/"),
    **dict.fromkeys("dԁᏧძ", "d"),
    **dict.fromkeys("oоοօσᴏ໐०๐", "o"),
    **dict.fromkeys("cсϲᴄςⲥ", "c"),
}
# Every repetition is bounded: a page of brackets must cost no more than a page of prose.
_GAP = r"\s{0,20}"
_LESS, _MORE = "(?:<|&lt;)", "(?:>|&gt;)"
_OPENING = (
    rf"(?:(?:{_LESS}{_GAP}){{0,8}}«(?:{_GAP}(?:{_LESS}|«)){{0,8}}"
    rf"|{_LESS}(?:{_GAP}{_LESS}){{1,8}}){_GAP}"
)
_CLOSING = (
    rf"{_GAP}(?:(?:{_MORE}{_GAP}){{0,8}}»(?:{_GAP}(?:{_MORE}|»)){{0,8}}"
    rf"|{_MORE}(?:{_GAP}{_MORE}){{1,8}})"
)
_DOC = r"d[\W_]{0,2}o[\W_]{0,2}c"
_WORD_END = r"(?:s|uments?)?(?!\w)"
_NONCE = r"[\W_]{0,20}(?=[a-f]*\d)[0-9a-f]{4,}"
_SLASH = rf"[/\\]{_GAP}"
# On folded text: first those with both ends; then an opening alone, if a slash or a possible nonce
# shows that a delimiter is meant. `cout << doc` is neither.
_DELIMITER = re.compile(
    rf"{_OPENING}(?P<name>(?:{_SLASH}{_DOC}|{_DOC}{_WORD_END})[^<>«»;(){{}}=,]{{0,60}}?){_CLOSING}"
)
_BEGINNING = re.compile(rf"{_OPENING}(?P<name>{_SLASH}{_DOC}|{_DOC}{_NONCE})")


@dataclass(frozen=True, slots=True)
class Frame:
    """The delimiters of one conversation; corpus text cannot guess the `nonce`.

    `outside`: the reader may render the text as a page, so nothing in it may be a link.
    """

    nonce: str = field(default_factory=lambda: f"{secrets.randbelow(10)}{secrets.token_hex(3)[1:]}")
    outside: bool = False

    @property
    def opening(self) -> str:
        """The delimiter before corpus text."""
        return f"{OPENS}{self.nonce}{ENDS}"

    @property
    def breaking(self) -> Callable[[str], str] | None:
        """What breaks links, where the reader may render the text; see `naming.called`."""
        return unlinked if self.outside else None

    def line(self, text: str) -> str:
        """A message on one line outside the delimiters, in the form for the frame's reader."""
        line = label(text)
        return label(unlinked(line)) if self.outside else line

    def error(self, text: str) -> str:
        """As `line`, the message of an error: the names that it quotes stand unaltered."""
        return label(message(label(text))) if self.outside else label(text)

    @property
    def closing(self) -> str:
        """The delimiter after corpus text."""
        return f"{CLOSES}{self.nonce}{ENDS}"

    def around(self, named: str) -> str:
        """A name or place that is harmless, between the delimiters for a reader outside."""
        return f"{self.opening} {named} {self.closing}" if self.outside else named

    def wrap(self, text: str) -> str:
        """`text`, harmless, between the delimiters; on lines of its own if it has several."""
        inner = neutral(unlinked(text) if self.outside else text)
        separator = "\n" if "\n" in inner else " "
        return separator.join((self.opening, inner, self.closing))


def neutral(text: str) -> str:
    """`text` without control and hidden characters, with round brackets for delimiters."""
    return _without(_BEGINNING, _without(_DELIMITER, visible(text)))


def label(name: str) -> str:
    """`name` on one line and neutralised, for the program's text outside the delimiters."""
    return neutral(one_line(name))


def _without(pattern: re.Pattern[str], text: str) -> str:
    """`text` with round brackets around each match of `pattern` on its folded form."""
    parts: list[str] = []
    done = 0
    for match in pattern.finditer(_folded(text)):
        start, end = match.span("name")
        parts += [text[done : match.start()], "(", text[start:end].strip(), ")"]
        done = match.end()
    return "".join([*parts, text[done:]])


def _folded(text: str) -> str:
    """`text`, lower-case, with each look-alike replaced; as long as `text`, so offsets hold."""
    if text.isascii():
        return text.lower()
    return "".join(map(_fold, text))


@lru_cache(maxsize=4096)
def _fold(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character)
    plain = _LOOKALIKES.get(character) or _LOOKALIKES.get(plain.lower(), plain.lower())
    return plain if len(plain) == 1 else character
