"""Untrusted names in the program's own text: files, models, titles.

Outside a frame a name stands beside the program's own words. A name that could be mistaken for
them, or for another name, is quoted there, on one line, in at most MAX_CALLED characters. Each
written form of a name is accepted as input (`spellings`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from corpus_agent.text.delimiters import Frame, label, neutral
from corpus_agent.text.sanitize import inert, one_line, unlinked

EXTRACTIVE = "extractive"  # the answerer's name without a model
MAX_CALLED = 80  # characters, the quotation marks among them
MAX_PATH = 4_096  # bytes of a path (limits.h), which has to be whole to be typed
_KEPT_AT_END = 24  # characters of a long name: its end has the kind of file
_MARK_CHARS = 6  # of the hash that distinguishes two names that look the same

# One word, without the program's own separators: blanks, colons, middle dots, brackets other than
# those around a broken dot.
_PLAIN = re.compile(r"(?:\w|\[[.@]\])(?:[\w./+@~,=&%#()-]|\[[.@]\])*")
_PLAIN_PATH = re.compile(rf"/?{_PLAIN.pattern}")
_PLAIN_MODEL = re.compile(r"\w(?:[\w./+@-]|\[[.@:]\])*(?::\w[\w.-]*)?")
_OUR_WORDS = re.compile(
    r"(?<![^\W_])(?:verified|altered|moved|cut|not_found|unsupported|extractive)(?![^\W_])",
    re.IGNORECASE,
)
# What the program adds to a shown name: broken dots and colons (sanitize.py), marks of a hash,
# quotation marks around it. A file whose own name has these looks like another one.
_OUR_SIGNS = re.compile(
    r"""\[[.@:h]\] | \\\ (?=[!-/:-@\[-`{-~]) | &\ (?=\#?\w{1,32};) | \]\ [(:] | <\ (?=[a-z/!?])
    | ~[0-9a-f]{6}(?=['"]*\Z) | …[0-9a-f]{6}… | \A(['"]).*\1\Z""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_QUOTES = re.compile(
    "[`\u00b4\u2018-\u201f\u2032-\u2037\u2039\u203a\uff02\uff07\u00ab\u00bb\u300c-\u300f\u301d-\u301f]"
)
_IN_WORD = re.compile(r"(?<=\w)\u2019(?=\w)")  # the typographic apostrophe


def unambiguous(name: str) -> str:
    """`name` on one line and harmless; with a mark if that differs from the name itself.

    The mark is from the name's hash, so that names that look alike differ; also a name that equals
    the shown form of another one (`lease[.]md` beside `lease.md`).
    """
    clean = cleaned(name)
    return f"{clean}~{_hash(name)}" if clean == name and _OUR_SIGNS.search(name) else clean


def cleaned(name: str) -> str:
    """As `unambiguous`, for a name already in that form, in which our signs are our own."""
    clean = neutral(one_line(name))
    return clean if clean == name else f"{clean}~{_hash(name)}"


def called(name: str) -> str:
    """`name` among the program's words: unchanged if it cannot be mistaken, else quoted."""
    return _called(unambiguous(name), name, _PLAIN)


def called_model(name: str) -> str:
    """The same for the name of a model, which may have a tag after a colon."""
    return _called(cleaned(name), name, _PLAIN_MODEL)


def called_path(path: Path) -> str:
    """The same for a path, whole."""
    return path_again(unambiguous(str(path)))


def path_again(path: str) -> str:
    """As `called_path`, for a path that is already unambiguous, as JSON has it."""
    return _called(cleaned(path), path, _PLAIN_PATH, MAX_PATH)


def _called(clean: str, name: str, word: re.Pattern[str], most: int = MAX_CALLED) -> str:
    """`clean`, the unambiguous form of `name`, unchanged if it is such a word, else quoted."""
    plain = word.fullmatch(clean) and not _OUR_WORDS.search(clean)
    return clean if plain and len(clean) <= most else _quoted(clean, name, most)


def answerer(name: str, *, outside: bool = False) -> str:
    """The answerer: the program's own word for itself, or a model's name."""
    if name == EXTRACTIVE:
        return name
    return model_outside(name) if outside else _broken(name, called_model, inert)


def called_in_answer(name: str) -> str:
    """As `called`, in a text in which nothing is a link or mark-up."""
    return _broken(unambiguous(name), _called_cleaned, inert)


def called_outside(name: str) -> str:
    """As `called`, for a parent or a client: a viewer finds no host or address in it."""
    return called_again(unambiguous(name))


def called_again(name: str) -> str:
    """As `called_outside`, for a name that is already unambiguous."""
    return _broken(name, _called_cleaned, unlinked)


def _called_cleaned(text: str) -> str:
    return _called(cleaned(text), text, _PLAIN)


def model_outside(name: str) -> str:
    """As `called_model`, for a parent or a client."""
    return _broken(name, called_model, unlinked)


def quoted_in_answer(text: str) -> str:
    """As `quoted`, in a text in which nothing is a link or mark-up."""
    return _broken(text, quoted, inert)


def quoted_outside(text: str) -> str:
    """As `quoted`, for a parent or a client."""
    return _broken(text, quoted, unlinked)


def _broken(name: str, way: Callable[[str], str], breaking: Callable[[str], str]) -> str:
    """A name with live parts broken, which lengthens it; within the same limit."""
    broken = breaking(cleaned(name))
    shown = breaking(way(broken))  # once more: where a long name was cut, a host may begin
    limit = MAX_CALLED
    while len(shown) > MAX_CALLED:
        limit -= 2
        shown = breaking(quoted(broken, limit))
    return shown


def quoted(name: str, most: int = MAX_CALLED) -> str:
    """`name` between quotation marks that do not occur in it, in at most `most` characters."""
    return _quoted(cleaned(name), name, most)


def _quoted(clean: str, name: str, most: int) -> str:
    within = _without_quotes(clean)
    mark = '"' if "'" in within else "'"
    if mark in within:
        within = within.replace('"', "'")
    if within != clean and clean == name:
        # A mark that differs from that of a name that equals the unambiguous form of this one.
        within = f"{within}~{_hash(mark + name)}"
    limit = most - 2
    if len(within) > limit:
        middle = f"…{_hash(name)}…"
        kept = limit - len(middle) - _KEPT_AT_END
        within = f"{within[:kept]}{middle}{within[-_KEPT_AT_END:]}"
    return f"{mark}{within}{mark}"


def _without_quotes(text: str) -> str:
    """`text` with plain quotation marks for look-alikes, except apostrophes in words."""
    parts = []
    done = 0
    for found in _QUOTES.finditer(text):
        if found[0] == "\u2019" and _IN_WORD.match(text, found.start()):
            continue
        parts += [text[done : found.start()], "'"]
        done = found.end()
    return "".join([*parts, text[done:]])


def named(frame: Frame, name: str) -> str:
    """`name` outside a frame, in the form for the frame's reader."""
    return called_outside(name) if frame.outside else called(name)


def named_again(frame: Frame, name: str) -> str:
    """As `named`, for an unambiguous name."""
    return called_again(name) if frame.outside else _called(cleaned(name), name, _PLAIN)


def on_one_line(frame: Frame, text: str) -> str:
    """A message on one line outside a frame, in the form for the frame's reader."""
    line = label(text)
    return label(unlinked(line)) if frame.outside else line


def spellings(name: str) -> Iterator[str]:
    """All forms in which a name may have been shown, the name itself first."""
    shown, others = _ways(name)
    return iter((name, *shown, *others))


def known(sources: Iterable[str]) -> dict[str, str]:
    """Each source by every form in which it is shown, and by its own name.

    A shown form takes precedence over another source's own name: a reader takes names from the
    program's output. A form that two sources share means neither.
    """
    listed = sorted(set(sources))
    shown: dict[str, str] = {}
    others: dict[str, str] = {}
    twice: set[str] = set()
    for source in listed:
        here, elsewhere = _ways(source)
        twice |= {text for text in here if shown.get(text, source) != source}
        shown.update((text, source) for text in here)
        others.update((text, source) for text in elsewhere)
    found = {**others, **{source: source for source in listed}, **shown}
    return {text: source for text, source in found.items() if text not in twice}


def _ways(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The forms in which a name is shown, and other accepted spellings."""
    ordinary = name.isascii() and len(name) <= MAX_CALLED and _PLAIN.fullmatch(name)
    if ordinary and not _OUR_WORDS.search(name) and not _OUR_SIGNS.search(name):
        plain = (name, unlinked(name), inert(name))
        return plain, tuple(f"'{text}'" for text in plain)
    texts = (
        unambiguous(name),
        called(name),
        called_in_answer(name),
        called_outside(name),
        inert(unambiguous(name)),
    )
    shown = (*texts, *map(_unquoted, texts))
    written = [spelled for text in (*shown, quoted(name)) for spelled in _written(text)]
    line = one_line(name)
    return shown, (*written, *map(_unquoted, written), line, inert(line))


def _written(shown: str) -> tuple[str, ...]:
    return shown, inert(shown), unlinked(shown)


def _unquoted(shown: str) -> str:
    return shown[1:-1] if len(shown) > 1 and shown[0] == shown[-1] in "'\"" else shown


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARS]
