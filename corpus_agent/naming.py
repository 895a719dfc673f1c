"""Names that others chose, as the program says them: files, models, whatever has a title.

Outside of a frame a name stands among the program's own words. One that could be taken for them, or
for another name, stands between quotation marks there, on one line, in at most MAX_CALLED
characters. Each way of writing a name is taken back where a name is asked for (`spellings`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator

from corpus_agent.clean import inert, one_line, unlinked
from corpus_agent.tools.frame import Frame, label, neutral

EXTRACTIVE = "extractive"  # what the program calls itself where it answers without a model
MAX_CALLED = 80  # characters, the quotation marks among them
_KEPT_AT_END = 24  # characters of a long name: its end says what kind of file it is
_MARK_CHARS = 6  # of the hash by which two names that look the same are told apart

# One word, without what the program puts between its own: blanks, colons, middle dots, brackets
# but those around a dot that was broken.
_PLAIN = re.compile(r"(?:\w|\[[.@]\])(?:[\w./+@~,=&%#()-]|\[[.@]\])*")
_PLAIN_MODEL = re.compile(r"\w(?:[\w./+@-]|\[[.@:]\])*(?::\w[\w.-]*)?")
_OUR_WORDS = re.compile(
    r"(?<![^\W_])(?:verified|altered|moved|cut|not_found|unsupported|extractive)(?![^\W_])",
    re.IGNORECASE,
)
_QUOTES = re.compile(
    "[`\u00b4\u2018-\u201f\u2032-\u2037\u2039\u203a\uff02\uff07\u00ab\u00bb\u300c-\u300f\u301d-\u301f]"
)
_IN_WORD = re.compile(r"(?<=\w)\u2019(?=\w)")  # the apostrophe that keyboards make


def told(name: str) -> str:
    """`name` on one line and harmless; marked where it is no longer the name itself.

    The mark is of the name's own hash: what only looks like another name is written otherwise.
    """
    clean = neutral(one_line(name))
    return clean if clean == name else f"{clean}~{_hash(name)}"


def called(name: str) -> str:
    """`name` among the program's words: as it is where nothing can be mistaken, else quoted."""
    clean = told(name)
    plain = _PLAIN.fullmatch(clean) and not _OUR_WORDS.search(clean)
    return clean if plain and len(clean) <= MAX_CALLED else quoted(name)


def called_model(name: str) -> str:
    """The same for the name of a model, which may have a tag behind a colon."""
    clean = told(name)
    plain = _PLAIN_MODEL.fullmatch(clean) and not _OUR_WORDS.search(clean)
    return clean if plain and len(clean) <= MAX_CALLED else quoted(name)


def answerer(name: str, *, outside: bool = False) -> str:
    """Who answered: the program's own word for itself, or a model by its name."""
    if name == EXTRACTIVE:
        return name
    return model_outside(name) if outside else _broken(name, called_model, inert)


def called_in_answer(name: str) -> str:
    """As `called`, in a text in which nothing is a link or mark-up."""
    return _broken(name, called, inert)


def called_outside(name: str) -> str:
    """As `called`, for a parent or a client: what shows it finds no host or address in it."""
    return _broken(name, called, unlinked)


def model_outside(name: str) -> str:
    """As `called_model`, for a parent or a client."""
    return _broken(name, called_model, unlinked)


def quoted_outside(text: str) -> str:
    """As `quoted`, for a parent or a client."""
    return _broken(text, quoted, unlinked)


def _broken(name: str, way: Callable[[str], str], breaking: Callable[[str], str]) -> str:
    """A name in which what is live was broken, which lengthens it; no longer than any other."""
    broken = breaking(told(name))
    shown = breaking(way(broken))  # once more: where a long name was cut, a host may begin
    room = MAX_CALLED
    while len(shown) > MAX_CALLED:
        room -= 2
        shown = breaking(quoted(broken, room))
    return shown


def quoted(name: str, most: int = MAX_CALLED) -> str:
    """`name` between quotation marks, none of which is in it, in at most so many characters."""
    clean = told(name)
    within = _without_quotes(clean)
    mark = '"' if "'" in within else "'"
    if mark in within:
        within = within.replace('"', "'")
    if within != clean and clean == name:
        within = f"{within}~{_hash(name)}"
    room = most - 2
    if len(within) > room:
        middle = f"…{_hash(name)}…"
        kept = room - len(middle) - _KEPT_AT_END
        within = f"{within[:kept]}{middle}{within[-_KEPT_AT_END:]}"
    return f"{mark}{within}{mark}"


def _without_quotes(text: str) -> str:
    """`text` with look-alikes of quotation marks made plain, but for apostrophes in words."""
    parts = []
    done = 0
    for found in _QUOTES.finditer(text):
        if found[0] == "\u2019" and _IN_WORD.match(text, found.start()):
            continue
        parts += [text[done : found.start()], "'"]
        done = found.end()
    return "".join([*parts, text[done:]])


def named(frame: Frame, name: str) -> str:
    """`name` beside a frame's text, as it is called for whoever reads that."""
    return called_outside(name) if frame.outside else called(name)


def said(frame: Frame, text: str) -> str:
    """A message on one line beside a frame's text, for whoever reads that."""
    line = label(text)
    return label(unlinked(line)) if frame.outside else line


def spellings(name: str) -> Iterator[str]:
    """All that a name may have been called where it was shown, the name itself first."""
    yield name
    ordinary = name.isascii() and len(name) <= MAX_CALLED and _PLAIN.fullmatch(name)
    if ordinary and not _OUR_WORDS.search(name):
        for shown in (name, unlinked(name), inert(name)):
            yield shown
            yield f"'{shown}'"
        return
    for shown in (
        told(name),
        called(name),
        quoted(name),
        called_in_answer(name),
        called_outside(name),
    ):
        for spelled in (shown, inert(shown), unlinked(shown)):
            yield spelled
            yield _unquoted(spelled)
    yield one_line(name)
    yield inert(one_line(name))


def _unquoted(shown: str) -> str:
    return shown[1:-1] if len(shown) > 1 and shown[0] == shown[-1] in "'\"" else shown


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARS]
