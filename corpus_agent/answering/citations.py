"""The citations of a model's draft, found and replaced by numbers. Pure.

Citations are only located and replaced here; quotations.py verifies them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpus_agent.answering.claims import without_numbers

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation

_LINES = (
    r"(?:lines?\s*)?L?(?P<start>\d{1,9})(?:\s*[-–—]\s*L?(?P<end>\d{1,9}))?"
    r"(?:\s*·\s*score [\d.]+)?"
)
_PAGES = r"(?:pages?\s*\d+(?:\s*[-–]\s*\d+)?\s*[,·:]\s*)?"
# [source:LINE-LINE]; a source may contain spaces, balanced brackets, and any brackets if it is in
# quotation marks, as the tools write such a name. A line number may have an "L". Also as search
# results write it, and in round brackets if the source is clearly a file.
_PLACE = re.compile(
    r"\[(?P<source>'[^'\n]+'|\"[^\"\n]+\"|(?:[^\[\]\n]|\[[^\[\]\n]*\])+?)"
    rf"\s*(?::|,(?=\s*(?:lines?|pages?)\b)|·)\s*"
    rf"{_PAGES}{_LINES}\]",
    re.IGNORECASE,
)
_ROUND_PLACE = re.compile(
    rf"\((?P<source>[^()\[\]\n]*\w\.\w{{1,5}})\s*(?::|,(?=\s*(?:lines?|pages?)\b)|·)\s*"
    rf"{_PAGES}{_LINES}\)",
    re.IGNORECASE,
)
_BEFORE_QUOTE = re.compile(r"[ \t]*+(?:[:,–—-][ \t]*+)?(?:\n[ \t]*+)?(?P<mark>[\"“„«])")
_QUOTE_BEFORE = re.compile(r"[\"“„«](?P<quote>[^\"“”„«»\n]{2,2000})[\"”“»][.,;]?[ \t]*\Z")
_CLOSING_MARKS = {'"': '"', "“": "”“", "„": "“”", "«": "»"}
MAX_QUOTE = 2_000  # characters


@dataclass(frozen=True, slots=True)
class InTextCitation:
    """A citation as written in a draft; `quote` is "" if the draft gives only a place.

    `start` and `end` are the characters of the draft, half-open, that a number replaces: the place
    and a quotation behind it. A quotation before it is part of the sentence and stays.
    """

    start: int
    end: int
    source: str
    line_start: int
    line_end: int
    quote: str


def quotations(draft: str) -> list[InTextCitation]:
    """The citations of a draft in order; SYSTEM_PROMPT defines their form."""
    found: list[InTextCitation] = []
    places = [*_PLACE.finditer(draft), *_ROUND_PLACE.finditer(draft)]
    for place in sorted(places, key=lambda match: match.start()):
        if found and place.start() < found[-1].end:
            continue  # inside the quotation before it
        end, quote = _quote_at(draft, place.end())
        if not quote:
            before = _QUOTE_BEFORE.search(draft, found[-1].end if found else 0, place.start())
            quote = before["quote"].strip() if before else ""
        first = int(place["start"])
        last = max(first, int(place["end"] or first))
        found.append(
            InTextCitation(place.start(), end, place["source"].strip(), first, last, quote)
        )
    return found


def _quote_at(draft: str, start: int) -> tuple[int, str]:
    """The end of the quotation that begins here, and its text; `start` and "" if there is none.

    Quotation marks inside are distinguished by their surroundings: one that follows a space opens,
    one that precedes a space or punctuation closes.
    """
    before = _BEFORE_QUOTE.match(draft, start)
    if before is None:
        return start, ""
    closing, depth = _CLOSING_MARKS[before["mark"]], 1
    for at in range(before.end(), min(len(draft), before.end() + MAX_QUOTE)):
        if draft.startswith("\n\n", at):
            break
        opens = draft[at] == before["mark"] and draft[at - 1] in " \n\t(" and at > before.end()
        if opens and draft[at + 1 : at + 2].isalnum():
            depth += 1
        elif draft[at] in closing and not draft[at + 1 : at + 2].isalnum():
            depth -= 1
        if depth == 0:
            return at + 1, draft[before.end() : at].strip()
    return start, ""


@dataclass(frozen=True, slots=True)
class Settled:
    """A draft with [n] in place of its citations, those that were found, and those that failed."""

    text: str
    citations: tuple[Citation, ...]
    failed: tuple[Citation, ...]


def settle(
    draft: str,
    check: Callable[[int, InTextCitation], Citation | None],
    known: Sequence[Citation] = (),
) -> Settled:
    """The draft with each of its citations checked and numbered.

    `check` receives the number that a quotation will have, and returns None for text that is not a
    citation and stays. A passage keeps its number, including one `known` from earlier answers; a
    number that the model wrote itself stays if it is one of those.
    """
    numbers = Numbers(known)
    failed: list[Citation] = []
    parts: list[str] = []
    done = 0
    for quotation in quotations(draft):
        citation = check(numbers.next, quotation)
        if citation is None:
            continue
        text = numbers.own_marks(draft[done : quotation.start])
        done = quotation.end
        if citation.stands:
            parts.append(f"{text}[{numbers.of(citation)}]")
        else:
            failed.append(citation)
            parts.append(text.rstrip(" "))
        if _ends_sentence(text, quotation.quote, draft[done:]):
            parts.append(".")
    text = "".join([*parts, numbers.own_marks(draft[done:])]).strip()
    return Settled(text, numbers.used(), tuple(failed))


def _ends_sentence(before: str, quote: str, after: str) -> bool:
    """Whether the full stop of a sentence was removed with the quotation that contained it."""
    own_stop = before.rstrip().endswith((".", "!", "?", ":", ";"))
    goes_on = after.lstrip()[:1]
    ended = not goes_on or goes_on.isupper() or "\n" in after[: len(after) - len(after.lstrip())]
    return quote.endswith((".", "!", "?")) and bool(before.strip()) and ended and not own_stop


class Numbers:
    """The citation numbers of one answer, continued from earlier answers."""

    def __init__(self, known: Sequence[Citation]) -> None:
        self._known = {citation.n: citation for citation in known}
        self._used: dict[int, Citation] = {}

    @property
    def next(self) -> int:
        """The number of the next new passage."""
        return max([0, *self._known, *self._used]) + 1

    def of(self, citation: Citation) -> int:
        """The number of a passage: the one it already has, else the citation's own."""
        every = {**self._known, **self._used}
        same = (old for old in every.values() if place_of(old) == place_of(citation))
        kept = next(same, citation)
        self._used[kept.n] = kept
        return kept.n

    def numbered(self, citation: Citation) -> Citation:
        """The citation with its number: that of its passage, else the next one."""
        n = self.of(replace(citation, n=self.next))
        return self._used[n]

    def own_marks(self, text: str) -> str:
        """The text without the numbers that the model wrote itself, except known ones."""

        def known(n: int) -> bool:
            citation = self._known.get(n)
            if citation is not None:
                self._used[citation.n] = citation
            return citation is not None

        kept = without_numbers(text, known)
        return kept if kept == text else re.sub(r"(?<![ \t])[ \t]+(?=[.,;:!?])", "", kept)

    def used(self) -> tuple[Citation, ...]:
        """The citations of the answer, by number."""
        return tuple(self._used[n] for n in sorted(self._used))


def place_of(citation: Citation) -> tuple[str, int, int, str]:
    """The key of a passage: equal for two citations of the same passage."""
    return citation.source, citation.line_start, citation.line_end, citation.quote


def remarks(citations: Sequence[Citation]) -> tuple[str, ...]:
    """The notices of an answer about text that its documents do not show or hold as text."""
    said = {
        "is hidden in the document": [c.n for c in citations if c.hidden],
        "was recognised from a picture": [c.n for c in citations if c.confidence is not None],
    }
    return tuple(
        f"{', '.join(f'[{n}]' for n in numbers)} {'quotes' if len(numbers) == 1 else 'quote'}"
        f" text that {what}."
        for what, numbers in said.items()
        if numbers
    )
