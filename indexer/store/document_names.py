"""The documents that a query names as people say names: Best Buy, 3M, J&J, JnJ, AmEx, FY23. Pure.

A document is called what its file name says before a year or another number. Nothing is known of
names but those that the corpus has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, dropwhile, takewhile

from indexer.files.paths import file_stem
from indexer.words import fold

LONGEST_NAME = 4  # words of a query
MOST_NAMED = 3  # documents; more are none if they are over half of the corpus
LEAST_PREFIX = 4  # letters of the beginning of a name
MOST_CAPITALS = 5  # of its letters, as exchanges and people shorten it: JnJ, AmEx, PFE

_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)(\d\d)(?!\d)|(?i:FY) ?['’]?(\d\d)(?!\d)")
_QUARTER = re.compile(r"(?i)(?<![a-z])Q([1-4])(?=(?:FY)?['’]?(?:\d\d|\d{4})?(?![^\W_]))")
_NUMBER = re.compile(r"(?i)\d+|(?:fy)?(?:19|20)?\d\d(?:q[1-4])?|q[1-4](?:\d\d|\d{4})?")
_CAPITAL = re.compile(r"[^\W\d_]*[A-ZÀ-Þ]|\d+[^\W\d_]")
_JOINED = re.compile(r"(?<=[A-Z])n(?=[A-Z]\b)")  # JnJ
_AND = frozenset({"and", "und", "et"})
# How a document is called that changes another one; folded.
_CHANGES = re.compile(
    r"amend(?:ment|ing)s?|addend(?:um|a)|nachtrag|(?:vertrags)?ae?nderung(?:en|svereinbarung)?"
    r"|avenant|adenda|enmienda|wijziging"
)
_CHANGES_AT_END = re.compile(r"supplement|extension|variation|appendice")  # as in "cable extension"
_DATE = re.compile(r"(?:19|20)\d\d[-_.]\d\d[-_.]\d\d|\d\d[-_.]\d\d[-_.](?:19|20)\d\d")
_OWN_NUMBER = re.compile(r"\d{1,3}[a-z]?|v\d+|(?!(?:19|20)\d\d$)\d{4,}")
_KINDS = frozenset({"deed", "agreement", "letter", "contract", "first", "second", "third", "the"})


@dataclass(frozen=True, slots=True)
class Period:
    """The years, of two digits, and the quarters that a text speaks of."""

    years: frozenset[str]
    quarters: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Period:
        """Those of a text or of a file's name."""
        plain = text.replace("_", " ")
        years = _YEAR.findall(_QUARTER.sub(" ", plain))
        return cls(frozenset(map("".join, years)), frozenset(_QUARTER.findall(plain)))

    def nearness(self, asked: Period) -> float:
        """How near a document's period is to the one asked for, 0 to 1: the last year counts."""
        if not asked.years or not self.years:
            return 0.5
        last = int(max(asked.years, key=lambda year: (int(year) < 70, year)))  # of this century
        apart = min(abs(int(year) - last) for year in self.years)
        same = asked.quarters == self.quarters or bool(asked.quarters & self.quarters)
        return max(0.0, 0.8 - 0.3 * apart) + 0.2 * same


class Names:
    """The names of the documents of a corpus."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.periods: dict[str, Period] = {}
        self._called: dict[str, set[str]] = {}
        for source in sources:
            stem = file_stem(source)
            self.periods[source] = Period.of(stem)
            self._called.setdefault("".join(_words_in(stem)), set()).add(source)

    def find(self, query: str) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
        """The documents that a query names; where none is, those that its words may shorten."""
        exact: set[str] = set()
        short: dict[str, frozenset[str]] = {}
        for run in _runs(query):
            name = "".join(word for word in map(fold, run) if word not in _AND)
            if name in self._called and (len(name) > 2 or not name.isalpha()):
                exact.add(name)
            elif own := self._shortened("".join(run), name):
                short[" ".join(run)] = frozenset(own)
        full = frozenset().union(*map(self._called.__getitem__, exact))
        if len(exact) == 1:
            wider = full | self._going_on(*exact)
            full = wider if len(wider) <= MOST_NAMED else full
        found = full or frozenset().union(*short.values())
        if len(found) > max(MOST_NAMED, len(self.periods) // 2):
            return frozenset(), {}
        return full, {} if full else short

    def amendments(self, source: str) -> list[str]:
        """The documents that are named as changes of this one: of a lease its amendment.

        All words of one name stand in the other, two at least where the other has more; numbers
        that are no years are the same.
        """
        if source in self._changing:
            return []
        own, numbers = _terms_in(source)
        own -= _KINDS
        return [
            other
            for other, (terms, its) in self._changing.items()
            if (own == terms or (len(own & terms) > 1 and (own <= terms or terms <= own)))
            and (not numbers or not its or numbers & its)
        ]

    @cached_property
    def _changing(self) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
        """The other words, and the numbers, in the names of documents that are called changes."""
        found = {}
        for source in sorted(self.periods):
            terms, numbers = _terms_in(source)
            said = {*filter(_CHANGES.fullmatch, terms)}
            said.update(filter(_CHANGES_AT_END.fullmatch, _words_in(file_stem(source))[-1:]))
            if said and terms - said - _KINDS:
                found[source] = terms - said - _KINDS, numbers
        return found

    def _going_on(self, name: str) -> set[str]:
        """The documents whose names go on after this one: of a lease its amendment."""
        alike = (own for called, own in self._called.items() if called.startswith(name))
        return {s for own in alike for s in own if name in accumulate(_words_in(file_stem(s)))}

    def _shortened(self, written: str, name: str) -> set[str]:
        """The documents of the one name that begins so, or has these capitals in this order."""
        capitals = sum(map(str.isupper, written))
        if not name.isalpha() or len(name) < (2 if capitals > 1 else LEAST_PREFIX):
            return set()
        own = [each for each in self._called if each.startswith(name)]
        if not own and capitals > 1 and len(name) <= MOST_CAPITALS:
            own = [each for each in self._called if _within(name, each)]
        return self._called[own[0]] if len(own) == 1 else set()

    def nearness(self, named: Iterable[str], query: str) -> dict[str, float]:
        """How likely each named document is the one that is meant, .5 to 1, by year and quarter."""
        asked = Period.of(query)
        return {source: 0.5 + self.periods[source].nearness(asked) / 2 for source in named}


def _words_in(stem: str) -> list[str]:
    """The words of a file name up to the first number behind one."""
    named = dropwhile(_NUMBER.fullmatch, _WORD.findall(stem))
    words = map(fold, takewhile(lambda word: not _NUMBER.fullmatch(word), named))
    return [word for word in words if word not in _AND]


def _terms_in(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a file name, but those of two letters; and its numbers, but years and dates."""
    stem = _DATE.sub(" ", file_stem(source)).replace("_", " ")
    words = frozenset(fold(word).lstrip("0") for word in _WORD.findall(stem))
    numbers = frozenset(filter(_OWN_NUMBER.fullmatch, words))
    found = (w for w in words - numbers if len(w) > 2 and not _NUMBER.fullmatch(w))
    return frozenset(found), numbers


def _runs(query: str) -> Iterator[list[str]]:
    """Each run of words of a query that begins with a capital or a digit and a letter."""
    words = _WORD.findall(_JOINED.sub(" ", query))
    for start, word in enumerate(words):
        if _CAPITAL.match(word):
            yield from accumulate([each] for each in words[start : start + LONGEST_NAME])


def _within(letters: str, name: str) -> bool:
    """Whether a name begins with the first letter and has the others in this order."""
    rest = iter(name)
    return name[:1] == letters[:1] and all(letter in rest for letter in letters)
