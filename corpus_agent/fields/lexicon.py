"""The words of fields: `lexicon.toml`, read once, as lists, as tables and as patterns."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import regex

from corpus_agent.text.tokens import fold

_NAME = regex.compile(r"@(\w+)@")


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
def by_word(table: str) -> Mapping[str, str]:
    """For each folded item of a table of lists the key that it stands under."""
    return {fold(item): key for key, listed in content()[table].items() for item in items(listed)}


@cache
def compiled(template: str) -> regex.Pattern[str]:
    """A pattern in which `@name@` is any item of a list, or a piece; case does not count."""
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
    return _NAME.sub(lambda found: _meant(found[1]), template.replace("\n", ""))


@cache
def _meant(name: str) -> str:
    """A piece of a pattern, or any item of a list, with any blanks between its words."""
    piece = content()["piece"].get(name)
    if piece is not None:
        return _filled(piece)
    spelt = [
        r"\s+".join(map(regex.escape, item.split())).replace(r"\~", "~")
        for item in sorted(items(content()["patterns"][name]), key=len, reverse=True)
    ]
    return f"(?:{'|'.join(spelt)})".replace("~", r"\p{L}*").replace("'", "['’]")


def holds(key: str, text: str) -> bool:
    """Whether a text has an item of a list, as words of their own."""
    whole = rf"(?<![\p{{L}}\p{{N}}-])@{key}@(?![\p{{L}}\p{{N}}-])"
    return compiled(whole).search(text) is not None


def begins(key: str, text: str) -> bool:
    """Whether a text begins with one."""
    return compiled(rf"[\s,(]*@{key}@(?![\p{{L}}\p{{N}}-])").match(text) is not None


def without(key: str, text: str) -> str:
    """A text without the items of a list."""
    return compiled(rf"(?<![\p{{L}}\p{{N}}])@{key}@(?![\p{{L}}\p{{N}}])").sub("", text)
