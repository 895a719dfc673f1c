"""Whether a sentence says yes or no, and words that cannot both be said of one thing.

The words are those of polarity.toml, the forms of several languages: no meaning is known.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import regex

from corpus_agent.text.number_words import UNIT
from corpus_agent.text.tokens import STOP_WORDS, content_terms, fold, lazy, terms

_HAN = lazy(r"\p{Han}")
_WORD = lazy(r"\w+")
_NO_OF_NAMES = lazy(r"(?<=\p{L}\s)No(?=\s\p{Lu})|\bNO\b|\b[Nn]o\.?\s*(?=\p{N})")
_NEAR, _BESIDE = 5, 2  # words behind a denial that are looked at, content words of them
_BEGINNING = 3  # letters that two forms of a word share


@cache
def _lexicon() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@cache
def written(name: str) -> regex.Pattern[str]:
    """A pattern of the lexicon for a text that is not folded."""
    return regex.compile(_lexicon()["unfolded"][name].replace("\n", ""))


def still_said(claim: str, text: str) -> str:
    """A text without the values that it says were so before, unless a claim says that too."""
    before = () if written("before").search(claim) else written("before").finditer(text)
    spans = [match.span("old") for match in before]
    for match in written("replaced").finditer(text):
        at = claim.casefold().find(match["old"].split()[0].casefold())
        if at < 0 or not written("led").search(claim[:at]):
            spans.append(match.span("old"))
    kept = list(text)  # in whose place blanks stand: one value may be within another
    for start, end in spans:
        again = regex.finditer(rf"\b{regex.escape(text[start:end])}\w{{0,2}}\b", text)
        for first, last in ((start, end), *(match.span() for match in again)):
            kept[first:last] = " " * (last - first)
    return "".join(kept)


def alternatives(words: str) -> str:
    """A pattern for any of the words of a line of the lexicon, in plain text."""
    found = []
    for word in fold(words).split():
        plain = word.replace("_", " ").replace("*", r"\w*")
        found.append(plain if _HAN.match(word) else rf"\b{plain}\b")
    return "|".join(found)


@cache
def _pattern(*names: str) -> regex.Pattern[str]:
    """Any of the words of these lists, those of scripts without blanks included."""
    lexicon = _lexicon()
    han = [lexicon["han"][name] for name in names if name in lexicon["han"]]
    worded = [alternatives(lexicon["words"][name]) for name in names if name in lexicon["words"]]
    return regex.compile("|".join([*worded, *han]))


@cache
def _sides(kind: str) -> list[list[regex.Pattern[str]]]:
    groups = _lexicon()["both"][kind]
    return [[regex.compile(alternatives(side)) for side in line.split("|")] for line in groups]


def plain(text: str) -> str:
    """The folded words of a text with single blanks; "n't" is a word: "do not"."""
    text = written("not").sub(" not ", _NO_OF_NAMES.sub(" ", text))
    folded = regex.sub(r"(?<=\w)n['’]t\b", " not", fold(text))
    return " ".join(_WORD.findall(folded))


# ---- How often a text says no


def denials(text: str, topic: str) -> list[str]:
    """The negations of a text, each with the word behind it, that bear on what another speaks of.

    Those of two words, as "ne … pas", count once. A denial bears on the words beside it: it counts
    where the other text has one of them.
    """
    found, about = [], {word[:_BEGINNING] for word in terms(topic)}
    text = _pattern("no_denial").sub(" ", plain(text))
    paired = written("paired").sub(lambda pair: f"not {' '.join(pair[0].split()[1:-1])}", text)
    for match in _pattern("not").finditer(paired):
        behind = paired[match.end() :].split()
        near = content_terms(" ".join(behind[:_NEAR]))[:_BESIDE]
        if not near or _pattern("nobody").fullmatch(match[0]):
            near += content_terms(" ".join(paired[: match.start()].split()[-_NEAR:]))[-_BESIDE:]
        if topic and near and not any(word[:_BEGINNING] in about for word in near):
            continue
        following = next((word for word in behind if word not in STOP_WORDS), "")
        found.append(f"{match[0]} {following}".strip())
    return found


def answers(text: str) -> bool | None:
    """Whether a text begins with a yes (True) or a no (False); None where with neither."""
    first = regex.match(
        r"[*_ ]*(?P<word>是的?|不是?|可以|不可以|\p{L}+)(?P<stop>\s*[^\p{L}\p{N}\s]|\s*$)?", text
    )
    if first is None:
        return None
    word = fold(first["word"])
    if word in ("不", "不是", "不可以") or (
        _pattern("no").fullmatch(word) and first["stop"] is not None
    ):
        return False
    return True if word in ("是", "是的", "可以") or _pattern("yes").fullmatch(word) else None


# ---- Words that exclude each other


def turned(claim: str, text: str) -> list[tuple[str, str]]:
    """Pairs of opposites of a claim and a text, of those where the denial of one is the other."""
    return [*_apart("turning", plain(claim), plain(text))]


def excluded(claim: str, text: str) -> tuple[str, str] | None:
    """What a claim says in the place of another word of a text: yearly, the buyer, after, must."""
    mine, theirs = plain(claim), plain(text)
    found = next(_apart("excluding", mine, theirs), None)
    return found or _beyond(mine, theirs)


def alike(one: str, other: str) -> bool:
    """Whether two words are one unit, or words that say the same."""
    mine, theirs = in_one_form(one), in_one_form(other)
    return UNIT.get(plain(one), mine) == UNIT.get(plain(other), theirs)


@lru_cache(maxsize=4096)
def in_one_form(text: str) -> str:
    """The plain words of a text, of words that say the same the first: "bought" is "buy"."""
    text = plain(text)
    for first, side in _forms():
        text = side.sub(first, text)
    return text


@cache
def _forms() -> list[tuple[str, regex.Pattern[str]]]:
    both = _lexicon()["both"]
    lines = [line for kind in ("same", "turning", "excluding") for line in both[kind]]
    sides = [side for line in lines for side in line.split("|")]
    return [(fold(s).split()[0].strip("*"), regex.compile(alternatives(s))) for s in sides]


def _apart(kind: str, mine: str, theirs: str) -> Iterator[tuple[str, str]]:
    """The words of two texts that are on other sides of a line of the lexicon, and on no same."""
    for sides in _sides(kind):
        own, others = (
            {n: match[0] for n, side in enumerate(sides) if (match := side.search(text))}
            for text in (mine, theirs)
        )
        if own and others and own.keys().isdisjoint(others):
            yield next(iter(own.values())), next(iter(others.values()))


def _beyond(mine: str, theirs: str) -> tuple[str, str] | None:
    """A word of a claim that says more than the text: must for may, all for some."""
    for more, less in _sides("beyond"):
        own, there = more.search(mine), less.search(theirs)
        if own and there and not (more.search(theirs) or less.search(mine) or denials(mine, "")):
            return own[0], there[0]
    return None
