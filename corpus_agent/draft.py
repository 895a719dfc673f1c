"""A model's draft: the citations in it, and the draft with each of them settled. Pure.

What a quotation says is evidence.py's to judge; here it is only found in the text and replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from corpus_agent.answer import Citation

# [source:LINE-LINE]; a source may hold spaces and balanced brackets, a line number an "L".
_PLACE = re.compile(
    r"\[(?P<source>(?:[^\[\]\n]|\[[^\[\]\n]*\])+?)\s*:\s*(?:lines?\s*)?L?(?P<start>\d{1,9})"
    r"(?:\s*[-–—]\s*L?(?P<end>\d{1,9}))?\]",
    re.IGNORECASE,
)
_BEFORE_QUOTE = re.compile(r"[ \t]*[:,–—-]?[ \t]*\n?[ \t]*(?P<mark>[\"“„«])")
_CLOSING_MARKS = {'"': '"', "“": "”“", "„": "“”", "«": "»"}
MAX_QUOTE = 2_000  # characters


@dataclass(frozen=True, slots=True)
class Quotation:
    """A citation as a draft writes it; `quote` is "" where the draft gives a place alone.

    `start` and `end` are characters of the draft, half-open, over place and quotation.
    """

    start: int
    end: int
    source: str
    line_start: int
    line_end: int
    quote: str


def quotations(draft: str) -> list[Quotation]:
    """The citations of a draft in order; see SYSTEM_PROMPT for their form."""
    found: list[Quotation] = []
    for place in _PLACE.finditer(draft):
        if found and place.start() < found[-1].end:
            continue  # inside the quotation before it
        end, quote = _quote_at(draft, place.end())
        first = int(place["start"])
        last = max(first, int(place["end"] or first))
        found.append(Quotation(place.start(), end, place["source"].strip(), first, last, quote))
    return found


def _quote_at(draft: str, start: int) -> tuple[int, str]:
    """Where the quotation that begins here ends, and its text; `start` and "" if there is none.

    Quotation marks inside are told apart by what surrounds them: one that follows a space opens,
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


def settle(
    draft: str, check: Callable[[int, Quotation], Citation | None]
) -> tuple[str, tuple[Citation, ...], int]:
    """The draft with [n] in place of its citations, the good ones, and how many were dropped.

    `check` gets the number that a quotation will have, and returns None for what is no citation
    and stays in the text. The same passage keeps its number.
    """
    kept: list[Citation] = []
    parts: list[str] = []
    dropped = done = 0
    for quotation in quotations(draft):
        citation = check(len(kept) + 1, quotation)
        if citation is None:
            continue
        text = draft[done : quotation.start]
        done = quotation.end
        if citation.verdict not in ("verified", "moved"):
            dropped += 1
            parts.append(text.rstrip(" "))
            continue
        same = next((old for old in kept if _place(old) == _place(citation)), None)
        if same is None:
            kept.append(citation)
        parts.append(f"{text}[{(same or citation).n}]")
    return "".join([*parts, draft[done:]]).strip(), tuple(kept), dropped


def _place(citation: Citation) -> tuple[str, int, int, str]:
    return citation.source, citation.line_start, citation.line_end, citation.quote
