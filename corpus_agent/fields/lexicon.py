"""What a field is, and the words it is known by: `lexicon.toml` as lists, tables and patterns."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import regex

from corpus_agent.text.tokens import fold
from indexer import UsageError

if TYPE_CHECKING:
    from corpus_agent.fields.table import FieldTable

# A rate is a share, or an amount for each hour or metre: which of them, its value says.
FieldType = Literal[
    "date", "money", "duration", "percent", "rate", "party", "place", "number", "identifier", "text"
]
WORDED: tuple[FieldType, ...] = ("party", "place", "identifier", "text")  # their words alone
AMOUNTS: tuple[FieldType, ...] = ("money", "percent", "rate", "number")
MAX_FIELDS = 50
MENTION = "mention"  # the clause of a field that is found by its words alone
_SPELT_ALIKE = 0.84  # of 1: one letter of six, and not another word of the same length
_NAME = regex.compile(r"@(=?)(\w+)@")
_ABOUT = frozenset(["field", "score", "of", "why"])  # keys of a cue that are no pattern
_OWN = r"(?<![\p{{L}}\p{{N}}-]){}(?![\p{{L}}\p{{N}}-])"


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its title, type and phrases, best first, and the rule that finds it, if any."""

    name: str
    type: FieldType
    phrases: tuple[str, ...]
    clause: str = ""

    @property
    def is_known(self) -> bool:
        """Whether it is looked for by more than its own words."""
        return len(self.phrases) > 1


@cache
def content() -> Mapping[str, Any]:
    """The whole lexicon."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def items(listed: str) -> list[str]:
    """The items of a list, as they are written."""
    return [" ".join(item.split()) for item in listed.split(",") if item.strip()]


@cache
def words_of(table: str, key: str = "words") -> frozenset[str]:
    """The folded items of one list."""
    return frozenset(map(fold, items(content()[table][key])))


@cache
def compiled(template: str) -> regex.Pattern[str]:
    """A pattern in which `@name@` is any item of a list or a piece, `@=name@` as own words."""
    return regex.compile(f"(?i){_filled(template)}")


@cache
def near(name: str) -> regex.Pattern[str]:
    """A pattern of the text beside one value, in which case does not count."""
    return compiled(content()["near"][name])


@cache
def document(name: str) -> regex.Pattern[str]:
    """A pattern that is looked for in a whole document, in which capitals count."""
    return regex.compile(_filled(content()["document"][name]))


def _filled(template: str) -> str:
    return _NAME.sub(
        lambda found: _OWN.format(piece(found[2])) if found[1] else piece(found[2]),
        template.replace("\n", ""),
    )


@cache
def piece(name: str) -> str:
    """A piece of a pattern, or any item of a list, with any blanks between its words."""
    written = content()["piece"].get(name)
    if written is not None:
        return _filled(written)
    if name == "role":  # what a party is called in contracts
        every = [one for kind, _, own, _ in _known() if kind == "party" for one in own]
    else:
        every = items(content()["patterns"][name])
    spelt = [
        r"\s+".join(map(regex.escape, item.split())).replace(r"\~", "~")
        for item in sorted(every, key=len, reverse=True)
    ]
    return f"(?:{'|'.join(spelt)})".replace("~", r"\p{L}*").replace("'", "['’]")


def fits(cue: Mapping[str, Any], text_of: Callable[[str], str]) -> bool:
    """Whether each text that a cue names is as it wants it, and none has what it excludes."""
    return all(
        (compiled(pattern).search(text_of(key.removeprefix("not_"))) is None)
        == key.startswith("not_")
        for key, pattern in cue.items()
        if key not in _ABOUT
    )


# ---- What a person asks for


@cache
def _known() -> list[tuple[FieldType, str, list[str], list[str]]]:
    """Type, clause, phrases of the fields of the lexicon, and what else they are asked as."""
    return [
        (each["type"], each.get("clause", ""), items(each["phrases"]), items(each.get("asked", "")))
        for each in content()["field"]
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
        others = [phrase for phrase in phrases if phrase not in own]
        if not own and asked in map(_bare, asked_as):  # which may be a column's name as well
            own, others = phrases[:1], [*phrases[1:], asked]
        if own:
            return Field(
                name, kind or known, (*own, *others), clause if kind in (None, known) else ""
            )
    return Field(name, kind or guessed_type(name), (_bare(name, first=True),))


def not_understood(table: FieldTable) -> Iterator[str]:
    """A line for each field that was not understood, with the one that may be meant."""
    for column, field in enumerate(table.fields):
        if not table.count(column, "unknown"):
            continue
        phrases = {_bare(phrase): phrase for _, _, listed, _ in _known() for phrase in listed}
        near = get_close_matches(_bare(field.name), phrases, n=1, cutoff=_SPELT_ALIKE)
        meant = f"Did you mean “{phrases[near[0]]}”?" if near else "Try: corpus-agent table --help"
        yield f"“{field.name}” is no field that is known, and no label in these documents. {meant}"


def guessed_type(words: str) -> FieldType:
    """The type that words suggest; text if they suggest none."""
    asked = [word.strip("?.,") for word in fold(words).split()]
    if "how" in asked and "many" in asked:
        return "number"
    if asked[1:] and asked[-1] in words_of("identifiers"):
        return "identifier"
    kinds: Sequence[FieldType] = [*content()["type_of"]]
    return next((kind for kind in kinds if words_of("type_of", kind) & {*asked}), "text")


def _bare(words: str, *, first: bool = False) -> str:
    """Words as they are compared: folded, without articles, or without those that come first."""
    listed = fold(words).strip(" ?.:").split()
    articles = words_of("articles")
    if first:
        while len(listed) > 1 and listed[0] in articles:
            listed = listed[1:]
        return " ".join(listed)
    return " ".join(word for word in listed if word not in articles)


def fields_of(words: Sequence[str]) -> tuple[Field, ...]:
    """The columns that were asked for, each once; UsageError for none, or too many."""
    fields = tuple({field.name: field for field in map(field_of, words)}.values())
    if not fields:
        raise UsageError(
            "No field is named.", 'Name what to look for: corpus-agent table "due date" "total"'
        )
    if len(fields) > MAX_FIELDS:
        raise UsageError(f"{len(fields)} fields; a table has at most {MAX_FIELDS}.")
    return fields
