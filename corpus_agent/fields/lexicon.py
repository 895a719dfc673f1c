"""The words of fields: `lexicon.toml`, read once, as lists, as tables and as patterns."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import regex

from corpus_agent.text.tokens import fold


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


def alternatives(listed: Iterable[str]) -> str:
    """A pattern of any of these items, the longest first, with any blanks between their words."""
    spelt = sorted(dict.fromkeys(map(_spelt, listed)), key=len, reverse=True)
    return f"(?:{'|'.join(spelt)})"


def _spelt(item: str) -> str:
    spelt = r"\s+".join(regex.escape(word) for word in item.split())
    return spelt.replace(r"\~", r"\p{L}*").replace("~", r"\p{L}*").replace("'", "['’]")


@cache
def pattern(key: str) -> str:
    """A pattern of any item of a list of `patterns`; `<name>` in it stands for that list."""
    return alternatives(items(content()["patterns"][key]))


@cache
def _compiled(form: str, key: str) -> regex.Pattern[str]:
    return regex.compile(form.format(pattern(key)))


def holds(key: str, text: str) -> bool:
    """Whether a text has an item of a list of patterns, as words of their own."""
    return (
        _compiled(r"(?i)(?<![\p{{L}}\p{{N}}-]){}(?![\p{{L}}\p{{N}}-])", key).search(text)
        is not None
    )


def begins(key: str, text: str) -> bool:
    """Whether a text begins with one."""
    return _compiled(r"(?i)[\s,(]*{}(?![\p{{L}}\p{{N}}-])", key).match(text) is not None


def without(key: str, text: str) -> str:
    """A text without the items of a list of patterns."""
    return _compiled(r"(?i)(?<![\p{{L}}\p{{N}}]){}(?![\p{{L}}\p{{N}}])", key).sub("", text)
