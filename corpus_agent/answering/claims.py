# ruff: noqa: E501 - a pattern that is broken over lines is harder to read than a long one
"""What a draft of an answer says: its claims with their citations, none of the program's own words.

A model may write verdicts, marks, notices and delimiters, and readers trust these words, so they are
removed before the program adds its own: as a whole line if the line has nothing else, otherwise the
words only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

import regex

from corpus_agent.text.naming import spellings
from corpus_agent.text.number_words import CODES, ORDINALS, SYMBOL, UNIT, by_word
from corpus_agent.text.numbers import WORD, figures, found
from corpus_agent.text.sentences import asks, leads_in, units
from corpus_agent.text.tokens import STOP_WORDS, content_terms, fold, lazy, names_are_nouns, terms
from corpus_agent.text.wording import EVERYDAY, OWN_WORDS
from indexer import UNSPACED

LEAST_WORDS = 2  # content words; a sentence with fewer is not a claim: a choice
_STAND_IN = "†"
MARK = re.compile(r"(?:(?<!\s)\s+)?\[(\d{1,4})\]")
_NAME = regex.compile(r"(?<=[\p{L}\p{N},;)\"”]\s)\p{Lu}[\p{L}\p{M}\p{N}'’.-]*[\p{L}\p{N}]")
_CODE = regex.compile(rf"\b(?![\w-]*[{UNSPACED}])(?=[\w-]*\d)(?=[\w-]*\p{{L}})[\w-]{{3,}}\b")
_BULLET = re.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer: half-open range of characters, and the citations behind it."""

    start: int
    end: int
    text: str
    cited: tuple[int, ...]


def claims(text: str, known: Iterable[int]) -> list[Claim]:
    """The sentences of an answer that are claims, each with the `known` numbers behind it.

    Questions, titles, lead-ins and sentences without content words are not claims. A number belongs
    to the sentence before it, also behind its full stop.
    """
    numbers = frozenset(known)
    # Same length as the text, and a full stop behind a mark still ends its sentence.
    bare = MARK.sub(lambda mark: _STAND_IN.rjust(len(mark[0])), text)
    found: list[Claim] = []
    for unit in units(bare):
        start, end = unit.start, unit.end
        while start < end and bare[start] in f"{_STAND_IN} ":  # of the sentence before
            start += 1
        while (match := MARK.match(text, end)) is not None:
            end = match.end()
        cited = tuple(n for n in map(int, MARK.findall(text, start, end)) if n in numbers)
        words = _without_stand_ins(bare[start : unit.end])
        if start < unit.end and (cited or claims_something(words, unit.kind)):
            found.append(Claim(start, end, words, cited))
    return found


def _without_stand_ins(text: str) -> str:
    return re.sub(rf"\s*{_STAND_IN}", "", _BULLET.sub("", text)).strip()


def claims_something(text: str, kind: str) -> bool:
    """Whether a sentence states something: no title, question or lead-in."""
    if kind == "head" or asks(text) or leads_in(text):
        return False
    meant = [word for word in content_terms(text) if word not in STOP_WORDS]
    return len(meant) >= LEAST_WORDS or bool(figures(text))


def without_sources(text: str, sources: Iterable[str]) -> str:
    """The text without the names of documents, which are not part of a claim."""
    for source in dict.fromkeys(sources):
        for name in {source, source.rpartition("/")[2]}:
            for spelled in sorted(set(spellings(name)), key=len, reverse=True):
                if "." in spelled:
                    text = text.replace(spelled, " ")
    return text


_SURE = (
    r"(?:verified(?: in recogni[sz]ed text)?(?: ?\(confidence \d[\d.,%]{0,5}\))?|unverified|"
    + "|".join(word.replace("_", "[_ ]") for word in OWN_WORDS if word not in EVERYDAY)
    + ")"
)
_EVERYDAY = f"(?:{'|'.join(EVERYDAY)})"
_ANY = f"(?:{_SURE}|{_EVERYDAY})"
# An everyday word is a verdict where nothing follows that it could belong to.
_VERDICTS = rf"(?:{_SURE}|{_EVERYDAY}(?=[^\S\n]*+(?:$|[\n·•.,;:!)\]✓✔☑✅🗸🗹🟢])))"
_PLACE = r"[^\n·|]{1,200}?:\d{1,9}(?:\s?[-–]\s?\d{1,9})?(?:\s*\(page\s+\d+\))?"
_LINES = lazy(
    # a citation as it is printed, and the line of its quotation below
    rf"(?i)^[ \t>*_-]*+(?:\[?\d{{1,4}}\]?[.:)]?\s*)?{_PLACE}[ \t]*[·•|—–-]+[ \t]*{_VERDICTS}(?!\w).*(?:\n[ \t]+[“\"„«].*)?$"
    # the heading of a passage, with its word before its place
    rf"|^[ \t>*_-]*+{_EVERYDAY}[ \t]++(?:(?=\S*?\p{{L}})\S{{1,200}}?|'[^'\n]{{1,80}}'|\"[^\"\n]{{1,80}}\")(?::\d{{1,9}}|, page \d{{1,9}})[ \t]*(?:·.*)?$"
    r"|^[ \t>*_#-]*+(?:the documents (?:do not )?say[:.]|(?:no model has read these[;,:.] *)?(?:these passages are the closest|the closest passages are)[:.]"
    r"|answered (?:with evidence|in part|without a model)\b|between <<|not found in (?:the|\d[\d,.]*) documents?\b"
    r"|searched (?:for|\d[\d,.]* documents?)\b|egress:|seal:|schema_version\b"
    r"|[\d,.]+ (?:citations? (?:was|were) (?:dropped|left out)|sentences? (?:is|are|was|were) (?:not supported|left out)"
    r"|documents? searched|passages? were left out|more quotations? (?:is|are) not shown)"
    r"|[\[\]\d,; ]*+quotes? text that (?:is hidden in the document|was recogni[sz]ed from a picture)"
    r"|the passages below the answer were added|(?:citations|verdicts?|sources?)[:.]?[ \t*_]*$).*$"
    r"|^[ \t]*\([^()\n]{1,120};[ \t]*searched [^\n]*\)?[ \t]*$",
    regex.MULTILINE,
)
# What a pattern begins with is tried where a run begins alone: from each of its places, a draft of
# nothing but blanks or brackets would cost the square of its length.
_BLANK = r"(?<![ \t])[ \t]*+"
_OPEN = r"(?<![\[({【〔<])[\[({【〔<]++"
_WITHIN = lazy(
    rf"(?i){_BLANK}{_OPEN}[ \t✓✔☑✅🗸🗹🟢]*+(?:un(?:supported|verified)|differs:[^\[\]\n]{{0,200}}+|{_ANY})[ \t✓✔☑✅🗸🗹🟢]*+[\])}}】〕>]+"
    rf"|{_BLANK}(?:{_OPEN}[ \t]*+|[·•|][ \t]*+)(?:hidden in the document|recogni[sz]ed text|unreadable line|private key, left out)(?:[ \t]*+[\])}}】〕>]+)?"
    rf"|{_BLANK}[·•|✓✔☑✅🗸🗹🟢][ \t]*+{_VERDICTS}(?!\w)|{_BLANK}\b{_ANY}[ \t]*+[✓✔☑✅🗸🗹🟢]"
    rf"|(?<=[\]\"”»])[ \t]*+(?:(?:[·:,–—-][ \t]*+)?{_SURE}|(?:[·:–—-][ \t]*+)?{_EVERYDAY})(?=[ \t]*+[.,;]?[ \t]*+(?:$|\n))"
    rf"|<</?doc\b[^>\n]{{0,40}}>>|{_BLANK}[✓✔☑✅🗸🗹🟢]",
    regex.MULTILINE,
)
_LABELS = lazy(r"(?im)^([ \t>*_#-]*)(?:note|verdict|status|evidence|verified)[*_]*[:：][*_]*[ \t]*")
_SET = r"[ \t\u00a0\u2000-\u200a\u202f\u3000*_`\\]*+"  # blanks and Markdown about a number
_NUMBERS = lazy(
    rf"\\?(?:[\[【〔［⟦]|&#91;|&lbrack;){_SET}\d{{1,4}}+(?:{_SET}[,;–-]{_SET}\d{{1,4}}+)*+{_SET}(?:[\]】〕］⟧]|&#93;|&rbrack;)"
)
# A footnote's mark, and what it begins with at a line's start.
_FOOTNOTES = lazy(r"[ \t]*\\?\[\s*\\?\^[^\]\n]{0,60}\]:?")
_ALONE = lazy(
    # a verdict, a heading of the citations, an answerer in brackets: and nothing else in a line
    rf"(?i)^[^\p{{L}}\p{{N}}\n]*(?:{_ANY}|(?:citations?|verdicts?|sources?|evidence)\s*(?:\([^()\n]*\))?)[^\p{{L}}\p{{N}}\n]*$"
    r"|^[ \t>*_#]*\((?:extractive|[^()\n]{1,60}[;,—–-]\s*searched [^()\n]*)\)[ \t*_]*$"
    r"|^[ \t]*(?:quotations? that (?:was|were) looked up)\b.*$",
    regex.MULTILINE,
)
# Markdown emphasis, code, escapes, tags and comments, which are invisible when rendered.
_DRESS = lazy(r"<!--|-->|</?\p{L}[^<>\n]{0,80}>|[*`\\~]|(?<!\w)_+|_+(?!\w)|\p{Cf}")
_BLANKS = lazy(r"(?<=\S)[\p{Zs}\t]+")
_BEFORE_COLON = lazy(r"(?<=\p{L})\s+(?=[:;])")
_DOTS = lazy(r"[∙‧⋅・･•●]")
_STARTS = lazy(r"^[ \t]*(?:\d{1,3}[.)]|[“\"„«‘'])[ \t]*(?=\p{L})")

_NUMBERS_OR_CODE = lazy(rf"`[^`\n]*`|\[(?P<one>\d{{1,4}})\]|{_NUMBERS.pattern}")
_FENCES = lazy(r"(?m)^([ \t>]*(?:`{3,}|~{3,})).*$")


def without_own_words(draft: str) -> str:
    """A draft without text that looks like the program's own.

    To be applied after quotations were replaced by numbers: a document may contain "(verified)".
    """
    text = _FENCES.sub(r"\1", draft)  # the text behind a fence is not a sentence to be marked
    text = "\n".join(_undressed(line) for line in text.split("\n"))
    for pattern in (_FOOTNOTES, _ALONE, _LINES, _WITHIN):
        text = pattern.sub("", text)
    text = _ALONE.sub("", _LABELS.sub(r"\1", text))
    return text if text == draft else regex.sub(r"\n{3,}", "\n\n", text).strip()


def _undressed(line: str) -> str:
    """A line as rendered if that shows one of the program's words, else as written.

    A word may be disguised by emphasis, entities, unusual blanks or other dots.
    """
    if not line or line.isspace():
        return line
    bare = _BLANKS.sub(" ", _DRESS.sub("", unescape(line)))
    bare = _STARTS.sub("", _DOTS.sub("·", _BEFORE_COLON.sub("", bare)))
    if bare == line:
        return line
    own = (_ALONE, _LINES, _WITHIN, _LABELS)
    return bare if any(len(p.findall(bare)) > len(p.findall(line)) for p in own) else line


def without_numbers(text: str, known: Callable[[int], bool]) -> str:
    """A text without numbers in brackets, except `known` ones and those in code."""

    def kept(match: regex.Match[str]) -> str:
        if match["one"] and known(int(match["one"])):
            return match[0]
        return match[0] if match[0].startswith("`") else ""

    return _NUMBERS_OR_CODE.sub(kept, text)


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

_NAMED_QUARTER = r"(?:quarters?|quartals?|trimestre|kwartaal)"
_QUARTER = lazy(
    rf"(?i)\b(?:(?P<n>[1-4])(?:st|nd|rd|th|er|e|[.ºª°])?\s+{_NAMED_QUARTER}|(?P<n>[1-4])Q"
    rf"|(?P<word>\p{{L}}+)\s+{_NAMED_QUARTER}|{_NAMED_QUARTER}\s(?P<n>[1-4])|Q\s?(?P<n>[1-4]))\b"
)
MONEY = lazy(rf"(?:{SYMBOL}|\b(?:{CODES}))\s?$")
_YEAR = lazy(r"(?:19|20)\d\d")
_ORDINAL_OF = by_word(ORDINALS)
_DAY_BESIDE = 6  # characters between a day and its month: "2nd of March"


def in_quarters(text: str) -> str:
    """A text with each quarter as Q3."""

    def short(match: regex.Match[str]) -> str:
        number = match["n"] or _ORDINAL_OF.get(fold(match["word"]), 0)
        return f"Q{number}" if 1 <= int(number) <= 4 else match[0]

    return _QUARTER.sub(short, text)


@lru_cache(maxsize=4096)
def periods(text: str) -> frozenset[str]:
    """The years, quarters and months that a text names: "2024", "Q3", "month 6"."""
    text = in_quarters(text)
    named = set(regex.findall(r"\bQ[1-4]\b", text))
    for figure in found(text):
        behind = WORD.match(text, figure.end + text.startswith(" ", figure.end))
        measured = (behind is not None and fold(behind[0]) in UNIT) or MONEY.search(
            text, max(0, figure.start - 5), figure.start
        )
        named |= {
            value
            for value in figure.values
            if value.startswith("month ") or (_YEAR.fullmatch(value) and not measured)
        }
    return frozenset(named)


def kind_of(period: str) -> str:
    """Whether a period is a year, a quarter or a month."""
    return "year" if period.isdigit() else "quarter" if period[0] == "Q" else "month"


def _of_kind(some: frozenset[str], period: str) -> bool:
    return any(kind_of(each) == kind_of(period) for each in some)


def period_of(claim: str, under: str = "") -> frozenset[str]:
    """The period that the figures of a claim are of, else that of what it stands `under`.

    A period that is the claim's only figure is what it says, and is compared as one.
    """
    named, text = periods(claim), in_quarters(claim)
    every = found(text)
    months = [f for f in every if any(value.startswith("month ") for value in f.values)]
    others = [
        f
        for f in every
        if not named.issuperset(f.values)
        and not any(m.start - _DAY_BESIDE <= f.end <= m.start or m.end <= f.start <= m.end + 2
                    for m in months)
        and not any(value.startswith("month ") for value in f.values)
    ]  # fmt: skip
    return (named or periods(under)) if others else frozenset()
