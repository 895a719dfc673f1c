"""What a field is: from its words to its type and its phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache

from corpus_agent.fields import lexicon
from corpus_agent.fields.records import Field, FieldTable, FieldType
from corpus_agent.text.tokens import fold
from indexer import UsageError

MAX_FIELDS = 50
MENTION = "mention"  # the clause of a field that is found by its words alone
_SPELT_ALIKE = 0.84  # of 1: one letter of six, and not another word of the same length


@cache
def _known() -> list[tuple[FieldType, str, list[str], list[str]]]:
    """Type, clause, phrases of the fields of the lexicon, and what else they are asked as."""
    return [
        (
            entry["type"],
            entry.get("clause", ""),
            lexicon.items(entry["phrases"]),
            lexicon.items(entry.get("asked", "")),
        )
        for entry in lexicon.content()["field"]
    ]


def field_of(words: str, kind: FieldType | None = None) -> Field:
    """The field that words name: its type guessed unless given, its phrases from the lexicon."""
    name = " ".join(words.split()).strip('“”"')
    if not any(char.isalnum() for char in name):
        raise UsageError(
            f"{words!r} names no field.", 'Name it in words: corpus-agent table "due date"'
        )
    asked = _bare(name)
    for known, clause, phrases, asked_as in _known():
        own = [phrase for phrase in phrases if _bare(phrase) == asked]
        if not own and asked in map(_bare, asked_as):
            own = phrases[:1]
        if own:
            others = (phrase for phrase in phrases if phrase not in own)
            return Field(
                name, kind or known, (*own, *others), clause if kind in (None, known) else ""
            )
    return Field(name, kind or guessed_type(name), (_bare(name, first=True),))


def mention_of(words: str) -> Field:
    """The field of a word or of words in a row that a document mentions, exactly these."""
    name = " ".join(words.split())
    if not any(char.isalnum() for char in name):
        raise UsageError(f"{words!r} holds no words.", "Name them: corpus-agent list 'without dog'")
    return Field(name, "text", (name,), MENTION)


def not_understood(table: FieldTable) -> Iterator[str]:
    """A line for each field that was not understood, with the one that may be meant."""
    for column, field in enumerate(table.fields):
        if not table.count(column, "unknown"):
            continue
        phrases = {_bare(phrase): phrase for _, _, listed, _ in _known() for phrase in listed}
        near = get_close_matches(_bare(field.name), phrases, n=1, cutoff=_SPELT_ALIKE)
        meant = f"Did you mean “{phrases[near[0]]}”?" if near else "Try: corpus-agent search WORDS"
        yield f"“{field.name}” is no field that is known, and no label in these documents. {meant}"


def guessed_type(words: str) -> FieldType:
    """The type that words suggest; text if they suggest none."""
    asked = [word.strip("?.,") for word in fold(words).split()]
    if "how" in asked and "many" in asked:
        return "number"
    if asked[1:] and asked[-1] in lexicon.words("identifiers"):
        return "identifier"
    kinds: Sequence[FieldType] = [*lexicon.content()["type_of"]]
    return next((kind for kind in kinds if lexicon.words("type_of", kind) & {*asked}), "text")


def _bare(words: str, *, first: bool = False) -> str:
    """Words as they are compared: folded, without articles, or without those that come first."""
    listed = fold(words).strip(" ?.:").split()
    articles = lexicon.words("articles")
    if first:
        while len(listed) > 1 and listed[0] in articles:
            listed = listed[1:]
        return " ".join(listed)
    return " ".join(word for word in listed if word not in articles)


def fields_of(words: Sequence[str]) -> tuple[Field, ...]:
    """The columns that were asked for; UsageError for none, too many, or two of one name."""
    fields = tuple(map(field_of, words))
    if not fields:
        raise UsageError(
            "No field is named.", 'Name what to look for: corpus-agent table "due date" "total"'
        )
    if len(fields) > MAX_FIELDS:
        raise UsageError(f"{len(fields)} fields; a table has at most {MAX_FIELDS}.")
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"The field {name!r} is named twice.", "Each column needs its name.")
    return fields
