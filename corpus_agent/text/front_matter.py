"""The properties at the top of a note: YAML between ---, TOML between +++, keywords of Org. Pure.

They are what is said of a note, neither its prose nor an event. Called by sentences.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import regex

from corpus_agent.text.tokens import same_word, terms

MOST_LINES = 200  # of front matter; a ruler at the top of a note is closed by none as near
_CLOSED_BY = {"---": ("---", "..."), "+++": ("+++",)}
_KEY = regex.compile(
    r"[\"']?(?P<key>[\p{L}_][\p{L}\p{N}_. -]{0,40}?)[\"']?[ \t]*(?::(?:[ \t]|$)|=)"
)
_ORG = regex.compile(r"#\+(?P<key>[\p{L}_]{2,30}):(?:[ \t]|$)")
# What goes on with the property before: a list, a text over several lines, a comment, a table.
_GOES_ON = regex.compile(r"[ \t]|-[ \t]|[#\[\]{}]|$")


@dataclass(frozen=True, slots=True)
class Property:
    """One property, with the lines that go on with it: characters of the text, half-open."""

    start: int
    end: int
    key: str


# Other words that ask for what many notes keep, folded, by the beginning of the key.
_ASKED_BY = {
    "aut": "author writer wrote written autor autorin verfasser verfasst geschrieben auteur autrice"
    " ecrit autore scritto autora escribio escrito auteur schreef geschreven escreveu",
    "dat": "date dated datum datiert fecha data datado",
    "crea": "created creation erstellt cree creado creato",
    "tag": "tags tagged keywords schlagworte etiquettes etiquetas",
    "tit": "title titled titel titre titulo titolo",
}


def is_asked_for(key: str, words: Collection[str]) -> bool:
    """Whether folded words of a question name a property by its key, or as it is asked for."""
    own = terms(key)
    meant = [
        word
        for begin, listed in _ASKED_BY.items()
        if key.casefold().startswith(begin)
        for word in listed.split()
    ]
    return any(same_word(word, one) for word in words for one in own) or bool(
        set(meant) & set(words)
    )


def key_of(text: str) -> str:
    """The key that the text of a property begins with."""
    found = _KEY.match(text) or _ORG.match(text)
    return found["key"] if found else ""


def front_matter(text: str) -> tuple[list[Property], int]:
    """The properties that a text begins with, in order, and where its prose begins.

    None, and 0, where the first line is a ruler above prose.
    """
    lines = _lines(text)
    position, first = next(lines, (0, ""))
    closed_by = _CLOSED_BY.get(first.rstrip())
    if closed_by is None:
        return _keywords(text)
    found: list[Property] = []
    for number, (position, line) in enumerate(lines):
        if line.rstrip() in closed_by:
            return (found, position + len(line)) if found else ([], 0)
        key = _KEY.match(line)
        if number == MOST_LINES or not (key or _GOES_ON.match(line)):
            break
        if key:
            found.append(Property(position, position + len(line.rstrip()), key["key"]))
        elif found and line.strip():
            found[-1] = replace(found[-1], end=position + len(line.rstrip()))
    return [], 0


def _keywords(text: str) -> tuple[list[Property], int]:
    """The keywords of Org, which need no ruler."""
    found: list[Property] = []
    for position, line in _lines(text):
        if (key := _ORG.match(line)) is None:
            break
        found.append(Property(position, position + len(line.rstrip()), key["key"]))
    return found, found[-1].end if found else 0


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The start of each line and its text, without its end; not a character more than is asked."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, text[start:end]
        start = end + 1
