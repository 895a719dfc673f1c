"""The names of parties and places of a text. Pure."""

from __future__ import annotations

import regex

from corpus_agent.fields import lexicon
from corpus_agent.text.dates import Reading

_ROLE = regex.compile(r"\s*\([^()]*\)$")  # in brackets behind a name


def name_at(text: str, start: int, end: int | None = None) -> Reading | None:
    """The name that begins at a place of a text; it goes on to a company's form, or to `end`."""
    last = len(text) if end is None else end
    match = lexicon.document("name").match(text, start, last)
    if match is None:
        return None
    formed = lexicon.document("formed").search(text, start + 1, min(match.end() + 1, last))
    written = (text[start : formed.end()] if formed else match[0]).rstrip(" ,;:\n")
    written = _ROLE.sub("", written)
    written = written if is_organisation(written) else written.rstrip(".")
    if not any(char.isalpha() for char in written):
        return None
    plain = " ".join(written.split())
    return Reading(start, start + len(written), plain, plain)


def is_organisation(name: str) -> bool:
    """Whether a name ends like that of a company, bank or the like."""
    return lexicon.document("organised").search(name) is not None


def place_at(text: str, start: int, end: int | None = None) -> Reading | None:
    """The place whose name begins there and goes on to `end` at most, without "State of"."""
    match = lexicon.document("place").match(text, start, len(text) if end is None else end)
    if match is None:
        return None
    written = match[0].rstrip(" ,.;")
    plain = " ".join(written.split())
    name = lexicon.document("state").sub("", plain)
    shouted = name.isupper() and len(name) > 4
    normal = name.title().replace(" Of ", " of ") if shouted else name
    return Reading(start, start + len(written), plain, normal)
