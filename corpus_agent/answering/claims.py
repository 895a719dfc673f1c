"""What a draft of an answer says: its claims with their citations, what they name, their period."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import regex

from corpus_agent.text.naming import spellings
from corpus_agent.text.number_words import CODES, ORDINALS, SHORT_UNITS, SYMBOL, UNIT, by_word
from corpus_agent.text.numbers import WORD, figures, found
from corpus_agent.text.sentences import asks, leads_in, refers_back, units
from corpus_agent.text.tokens import (
    STOP_WORDS,
    content_terms,
    fold,
    lazy,
    names_are_nouns,
    same_word,
    terms,
)
from corpus_agent.text.wording import DOUBTED
from indexer import UNSPACED

LEAST_WORDS = 2  # content words; a sentence with fewer is not a claim: a choice
_STAND_IN = "†"
MARK = re.compile(r"(?:(?<!\s)\s+)?\[(\d{1,4})\]")
_MARKS = re.compile(rf"(?:{MARK.pattern}|(?:(?<!\s)\s+)?{DOUBTED.pattern})")
_NAME = regex.compile(r"(?<=[\p{L}\p{N},;)\"”]\s)\p{Lu}[\p{L}\p{M}\p{N}'’.-]*[\p{L}\p{N}]")
_CODE = regex.compile(
    rf"\b(?![\w-]*[{UNSPACED}]|\d+(?:st|nd|rd|th)\b)(?=[\w-]*\d)(?=[\w-]*\p{{L}})[\w-]{{3,}}\b"
)
CLAUSES = re.compile(
    r"(?i)[,;:，；、。.]\s+|[，；、。]|,?\s(?:and|but|while|whereas|und|aber|während|et|mais|y|pero|e|ma|en|maar|mas)\s"
)
_BULLET = re.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer: half-open range of characters, and the citations behind it."""

    start: int
    end: int
    text: str
    cited: tuple[int, ...]


@dataclass(frozen=True)
class Evidence:
    """Sentences of documents, and the words around them: those before, behind and above."""

    text: str
    titles: str = ""
    before: str = ""
    behind: str = ""

    @cached_property
    def words(self) -> frozenset[str]:
        """The folded words of the sentences."""
        return frozenset(terms(self.text))

    @cached_property
    def named(self) -> frozenset[str]:
        """The folded words of the document's name and of the heading."""
        return frozenset(terms(self.titles))

    @cached_property
    def led(self) -> frozenset[str]:
        """The folded words of what leads to the sentences."""
        return self.named | frozenset(terms(self.before))

    @cached_property
    def around(self) -> frozenset[str]:
        """The folded words of the sentences and of all that is around them."""
        return self.led | self.words | frozenset(terms(self.behind))

    @cached_property
    def sentences(self) -> list[Evidence]:
        """The same sentence by sentence, each that refers back with the one before it."""
        said = [""]
        for unit in units(self.text):
            own = self.text[unit.start : unit.end]
            said.append(f"{said[-1]} {own}" if refers_back(own) else own)
        return [replace(self, text=one) for one in said[1:]]


def share_covered(claim: str, evidence: Evidence) -> float:
    """The share of a claim's words that a text has; those that lead to it count half."""
    wanted = [word for word in meant(claim) if word not in UNIT or word in evidence.words]
    if not wanted:
        return 1.0

    def covered(word: str) -> float:
        if any(same_word(word, other) for other in evidence.words):
            return 1.0
        return 0.5 if any(same_word(word, other) for other in evidence.led) else 0.0

    return sum(map(covered, wanted)) / len(wanted)


def meant(text: str) -> list[str]:
    """The content words of a text without its figures, which are compared by value."""
    spelt = [f for f in found(text) if not any(map(str.isdigit, text[f.start : f.end]))]
    for figure in reversed(spelt):
        text = f"{text[: figure.start]} {text[figure.end :]}"
    return [
        word
        for word in content_terms(text)
        if not (word in STOP_WORDS or word.isdigit() or len(word) < 2)
    ]


def claims(text: str, known: Iterable[int]) -> list[Claim]:
    """The sentences of an answer that are claims, each with the `known` numbers behind it.

    Questions, titles, lead-ins and sentences without content words are not claims.
    """
    said = sentences(text, known)
    return [one for one, kind in said if one.cited or claims_something(one.text, kind)]


def sentences(text: str, known: Iterable[int]) -> Iterator[tuple[Claim, str]]:
    """Each sentence of an answer, and its kind.

    A number belongs to the sentence before it, also behind its full stop.
    """
    numbers = frozenset(known)
    # Same length as the text, and a full stop behind a mark still ends its sentence.
    bare = _MARKS.sub(lambda mark: _STAND_IN.rjust(len(mark[0])), text)
    for unit in units(bare):
        start, end = unit.start, unit.end
        while start < end and bare[start] in f"{_STAND_IN} ":  # of the sentence before
            start += 1
        while (match := _MARKS.match(text, end)) is not None:
            end = match.end()
        cited = tuple(n for n in map(int, MARK.findall(text, start, end)) if n in numbers)
        words = re.sub(rf"\s*{_STAND_IN}", "", _BULLET.sub("", bare[start : unit.end])).strip()
        if start < unit.end:
            yield Claim(start, end, words, cited), unit.kind


def claims_something(text: str, kind: str) -> bool:
    """Whether a sentence states something: no title, question or lead-in."""
    if kind == "head" or asks(text) or leads_in(text):
        return False
    return len(meant(text)) >= LEAST_WORDS or bool(figures(text))


def without_sources(text: str, sources: Iterable[str]) -> str:
    """The text without the names of documents, which are not part of a claim."""
    for source in dict.fromkeys(sources):
        for name in {source, source.rpartition("/")[2]}:
            for spelled in sorted(set(spellings(name)), key=len, reverse=True):
                if "." in spelled:
                    text = text.replace(spelled, " ")
    return text


_SET = r"[ \t\u00a0\u2000-\u200a\u202f\u3000*_`\\]*+"  # blanks and Markdown about a number
_NUMBERS = lazy(
    r"`[^`\n]*`|\[(?P<one>\d{1,4})\]|\\?(?:[\[【〔［⟦]|&#91;|&lbrack;)"
    rf"{_SET}\d{{1,4}}+(?:{_SET}[,;–-]{_SET}\d{{1,4}}+)*+{_SET}(?:[\]】〕］⟧]|&#93;|&rbrack;)"
)


def without_numbers(text: str, known: Callable[[int], bool]) -> str:
    """A text without numbers in brackets, except `known` ones and those in code."""

    def kept(match: regex.Match[str]) -> str:
        if match["one"] and known(int(match["one"])):
            return match[0]
        return match[0] if match[0].startswith("`") else ""

    return _NUMBERS.sub(kept, text)


# ---- What a claim names


def codes(text: str) -> frozenset[str]:
    """The folded words that mix letters and digits: E1042, GX-1180-B."""
    return frozenset(word for code in _CODE.findall(text) for word in terms(code))


def names(text: str) -> frozenset[str]:
    """The folded names of a text: capitals inside a sentence; none of a German one."""
    if names_are_nouns(text):
        return frozenset()
    words = (word for name in _NAME.findall(text) for word in terms(name))
    return frozenset(
        word
        for word in words
        if word not in STOP_WORDS
        and not word.isdigit()
        and not figures(word.title())
        and word not in UNIT
    )


# ---- Years, quarters and months

MONEY = lazy(rf"(?:{SYMBOL}|\b(?:{CODES}))\s?$")
_QUARTERS = r"(?:quarters?|quartals?|trimestre|kwartaal)"
_QUARTER = lazy(
    rf"(?i)\b(?:(?P<n>[1-4])(?:st|nd|rd|th|er|e|[.ºª°])?\s+{_QUARTERS}|(?P<n>[1-4])Q"
    rf"|(?P<word>\p{{L}}+)\s+{_QUARTERS}|{_QUARTERS}\s(?P<n>[1-4])|Q\s?(?P<n>[1-4]))\b"
)
_YEAR, _ORDINAL_OF = lazy(r"(?:19|20)\d\d"), by_word(ORDINALS)
_BEFORE_MONTH, _BEHIND_MONTH = 6, 2  # characters between a month and its day: "2nd of March"


def in_quarters(text: str) -> str:
    """A text with each quarter as Q3."""

    def short(match: regex.Match[str]) -> str:
        number = match["n"] or _ORDINAL_OF.get(fold(match["word"]), 0)
        return f"Q{number}" if 1 <= int(number) <= 4 else match[0]

    return _QUARTER.sub(short, text)


@lru_cache(maxsize=4096)
def periods(text: str) -> frozenset[str]:
    """The years, quarters and months that a text names: "year 2024", "quarter 3", "month 6"."""
    text = in_quarters(text)
    named = {f"quarter {n}" for n in regex.findall(r"\bQ([1-4])\b", text)}
    for figure in found(text):
        behind = WORD.match(text, figure.end + text.startswith(" ", figure.end))
        is_unit = behind is not None and fold(behind[0]) in UNIT
        if not is_unit and not MONEY.search(text, max(0, figure.start - 5), figure.start):
            named |= {f"year {value}" for value in figure.values if _YEAR.fullmatch(value)}
        named |= {value for value in figure.values if value.startswith("month ")}
    return frozenset(named)


def kinds_of(some: Iterable[str]) -> frozenset[str]:
    """Whether periods are years, quarters, months."""
    return frozenset(period.partition(" ")[0] for period in some)


def period_of(claim: str, under: str = "") -> frozenset[str]:
    """The period that the other figures of a claim are of, else that of the title `under` it."""
    named, every = periods(claim), found(in_quarters(claim))
    months = [f for f in every if any(value.startswith("month ") for value in f.values)]
    dates = [(m.start - _BEFORE_MONTH, m.end + _BEHIND_MONTH) for m in months]
    others = (f for f in every if not any(a <= f.end and f.start <= b for a, b in dates))
    has_figures = any(f"year {value}" not in named for f in others for value in f.values)
    return (named or periods(under)) if has_figures else frozenset()


Cell = tuple[str, str]  # the name of its column, or "", and its text
# What the figures of a row or a column are in: "Wages (£ thousand)", "Price ($m)", "RAM GB".
_IN = lazy(
    rf"(?i)\s*\((?:in\s)?(?P<sign>{SYMBOL}|{CODES})?\s?"
    r"(?P<scale>thousand|million|billion|[mk]|bn|tausend|mio|mrd|milliers|millions|miles|millones"
    rf"|{SHORT_UNITS})?\)$|(?<=\p{{L}})(?<!\b(?:per|pro|je|par|por))\s(?P<scale>{SHORT_UNITS})$"
)


def in_units(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells of a row whose figures have the unit that its label or their column says."""
    found = [(name, _IN.search(cells[0][1]) or _IN.search(name), text) for name, text in cells]
    label = _IN.sub("", cells[0][1])
    rest = (
        (_IN.sub("", name), f"{unit['sign'] or ''}{text} {unit['scale'] or ''}".rstrip())
        if unit and any(map(str.isdigit, text))
        else (name, text)
        for name, unit, text in found[1:]
    )
    return ((cells[0][0], label), *rest)
