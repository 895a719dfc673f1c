"""Untrusted names in the program's own text: files, models, titles.

One that could be mistaken for the program's own words is quoted; each form is read (`spellings`).
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from corpus_agent.text.delimiters import Frame, neutral
from corpus_agent.text.sanitize import ONE_DOT, inert, one_line, unlinked
from corpus_agent.text.wording import OWN_WORDS

EXTRACTIVE = "extractive"  # the answerer's name without a model
MAX_CALLED = 80  # characters, the quotation marks among them
MAX_PATH = 4_096  # bytes of a path (limits.h), which has to be whole to be typed
_KEPT_AT_END = 24  # characters of a long name: its end has the kind of file
_MARK_CHARS = 6  # of the hash that distinguishes two names that look the same

# One word, without the program's own separators: blanks, colons, middle dots, brackets other than
# those around a broken dot.
_PLAIN = r"(?:\w|\[[.@]\])(?:[\w./+@~,=&%#()-]|\[[.@]\])*"
_ONE_DOT = re.compile(ONE_DOT, re.IGNORECASE | re.ASCII)
_OUR_WORDS = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(OWN_WORDS)}|unsupported|{EXTRACTIVE})(?![^\W_])",
    re.IGNORECASE,
)
# What the program adds to a shown name: broken dots and colons (sanitize.py), marks of a hash,
# quotation marks around it. A file whose own name has these looks like another one.
_OUR_SIGNS = re.compile(
    r"""\[[.@:h]\] | \\\ (?=[!-/:-@\[-`{-~]) | &\ (?=\#?\w{1,32};) | \]\ [(:] | <\ (?=[a-z/!?])
    | ~[0-9a-f]{6}(?=['"]*\Z) | …[0-9a-f]{6}… | \A(['"`]).*\1\Z""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_QUOTES = re.compile(
    "(?<=\\w)(\u2019)(?=\\w)"  # the typographic apostrophe, which stays
    "|[`\u00b4\u2018-\u201f\u2032-\u2037\u2039\u203a\uff02\uff07\u00ab\u00bb\u300c-\u300f"
    "\u301d-\u301f]"
)

Breaking = Callable[[str], str] | None
"""What breaks the live parts of a name: `inert` in an answer, `unlinked` for a parent's viewer."""


class Form(NamedTuple):
    """What a name is of: the form in which it needs no quotation marks, and its length."""

    plain: re.Pattern[str]
    most: int = MAX_CALLED


FILE = Form(re.compile(_PLAIN))
PATH = Form(re.compile(f"/?{_PLAIN}"), MAX_PATH)
MODEL = Form(re.compile(r"\w(?:[\w./+@-]|\[[.@:]\])*(?::\w[\w.-]*)?"))  # it may have a tag


def unambiguous(name: str) -> str:
    """`name` on one line and harmless; with a mark of its hash if another looks like it."""
    clean = cleaned(name)
    return f"{clean}~{_hash(name)}" if clean == name and _OUR_SIGNS.search(name) else clean


def cleaned(name: str) -> str:
    """As `unambiguous`, for a name already in that form, in which our signs are our own."""
    clean = neutral(one_line(name))
    return clean if clean == name else f"{clean}~{_hash(name)}"


def called(name: str, breaking: Breaking = None, kind: Form = FILE, *, again: bool = False) -> str:
    """`name` among the program's words: as it is if it cannot be mistaken, else quoted.

    `again`: the name is unambiguous already, as JSON has it.
    """
    clean = cleaned(name) if again else unambiguous(name)
    if breaking is None:
        return _called(clean, name, kind)
    if breaking is unlinked and kind is FILE and is_host_like(name):
        return f"`{name}`"  # no viewer links within code
    return _broken(clean, breaking, kind)


def framed(name: str, frame: Frame) -> str:
    """`name` for a model; for one outside between the delimiters, as a name may speak to it."""
    return frame.around(called(name, frame.breaking))


def quoted(name: str, breaking: Breaking = None) -> str:
    """`name` between quotation marks that do not occur in it, in at most MAX_CALLED characters."""
    return _quoted(cleaned(name), name) if breaking is None else _broken(name, breaking, None)


def typed(name: str) -> str:
    """`name` as a shell takes it behind a command, which takes it for no option."""
    return "-- " * name.startswith("-") + shlex.quote(inert(unambiguous(name)))


def answerer(name: str, breaking: Breaking = inert) -> str:
    """The answerer: the program's own word for itself, or a model's name."""
    return name if name == EXTRACTIVE else called(name, breaking, MODEL, again=True)


def _called(clean: str, name: str, kind: Form) -> str:
    plain = kind.plain.fullmatch(clean) and not _OUR_WORDS.search(clean)
    return clean if plain and len(clean) <= kind.most else _quoted(clean, name, kind.most)


def _broken(name: str, breaking: Callable[[str], str], kind: Form | None) -> str:
    """A name with live parts broken, which lengthens it; within the same limit."""
    broken = breaking(cleaned(name))
    clean = cleaned(broken)
    shown = _called(clean, broken, kind) if kind else _quoted(clean, broken)
    shown = breaking(shown)  # once more: where a long name was cut, a host may begin
    limit = MAX_CALLED
    while len(shown) > MAX_CALLED:
        limit -= 2
        shown = breaking(_quoted(clean, broken, limit))
    return shown


def _quoted(clean: str, name: str, most: int = MAX_CALLED) -> str:
    within = _QUOTES.sub(lambda found: found[1] or "'", clean)
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


def spellings(name: str) -> Iterator[str]:
    """All forms in which a name may have been shown, the name itself first."""
    shown, others = _ways(name)
    return iter((name, *shown, *others))


def known(sources: Iterable[str]) -> dict[str, str]:
    """Each source by every form in which it is shown, and by its own name.

    A shown form comes before another's own name; one that two sources share means neither.
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
    clean = unambiguous(name)
    texts = (clean, called(name), called(name, inert), called(name, unlinked), inert(clean))
    shown = tuple(dict.fromkeys((*texts, *map(_unquoted, texts))))
    written = [
        form
        for text in dict.fromkeys((*shown, quoted(name)))
        for form in (text, inert(text), unlinked(text))
    ]
    line = one_line(name)
    return shown, (*written, *map(_unquoted, written), line, inert(line))


def is_host_like(name: str) -> bool:
    """Whether a plain name is a viewer's host for want of a folder, as `lease.md` in Moldova."""
    plain = _ONE_DOT.fullmatch(name) and not _OUR_WORDS.search(name)
    return bool(plain) and unlinked(name) != name


def _unquoted(shown: str) -> str:
    return shown[1:-1] if len(shown) > 1 and shown[0] == shown[-1] in "'\"" else shown


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARS]
