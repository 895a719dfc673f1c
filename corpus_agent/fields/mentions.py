"""Whether a document mentions words: exactly these, in any case and over line ends. Pure."""

from __future__ import annotations

from functools import cache

import regex

from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import Field, ProposedValue
from corpus_agent.text.values import Reading
from indexer import UsageError

MENTION = "mention"  # the clause of a field that is found by its words alone
_HYPHEN = r"(?:[-\u2010\u00ad]\s*\n\s*)?"  # a word that goes on in the next line
_SAME = (("'\u2019\u2018", "['\u2019\u2018]"), ("-\u2010\u2011\u2013", "[-\u2010\u2011\u2013]"))


def mention_of(words: str) -> Field:
    """The field of a word or of words in a row, as `missing` looks for them."""
    name = " ".join(words.split())
    if not any(char.isalnum() for char in name):
        raise UsageError(f"{words!r} holds no words.", 'Name them: corpus-agent missing "deposit"')
    return Field(name, "text", (name,), MENTION)


def mentions(document: DocumentText, words: str) -> list[ProposedValue]:
    """The first place at which a document has the words; [] if it has them nowhere."""
    found = _pattern(words).search(document.written)
    if found is None:
        return []
    plain = " ".join(found[0].split())
    reading = Reading(found.start(), found.end(), plain, plain)
    return [ProposedValue((reading,), found.start(), found.end(), 1.0)]


@cache
def _pattern(words: str) -> regex.Pattern[str]:
    """Words with any white space between them; not as a part of longer ones."""
    spelt = r"\s+".join(_HYPHEN.join(map(_char, word)) for word in words.split())
    return regex.compile(rf"(?i)(?<![\p{{L}}\p{{N}}]){spelt}(?![\p{{L}}\p{{N}}])")


def _char(char: str) -> str:
    """A character, or any of those that are written for it."""
    return next((alike for chars, alike in _SAME if char in chars), regex.escape(char))
