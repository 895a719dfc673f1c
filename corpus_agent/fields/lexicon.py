"""The words of fields: `lexicon.toml`, read once, as lists, as tables and as patterns."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import regex

from corpus_agent.text.tokens import fold

_NAME = regex.compile(r"@(=?)(\w+)@")
_ABOUT = frozenset(["field", "score", "of", "why"])  # keys of a cue that are no pattern
_OWN = r"(?<![\p{{L}}\p{{N}}-]){}(?![\p{{L}}\p{{N}}-])"


@cache
def content() -> Mapping[str, Any]:
    """The whole lexicon."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def items(listed: str) -> list[str]:
    """The items of a list, as they are written."""
    return [" ".join(item.split()) for item in listed.split(",") if item.strip()]


@cache
def words(table: str, key: str = "words") -> frozenset[str]:
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
    spelt = [
        r"\s+".join(map(regex.escape, item.split())).replace(r"\~", "~")
        for item in sorted(items(content()["patterns"][name]), key=len, reverse=True)
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
