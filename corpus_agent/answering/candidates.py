"""What may be an answer in the passages that were found: their sentences, rows and properties.

Each with its context: what it stands under, what it refers to, whose document it is. A letter is
signed once, and its sentences say "I" and "my".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, takewhile
from typing import TYPE_CHECKING

from corpus_agent.text.dates import find_dates
from corpus_agent.text.sentences import (
    Unit,
    asks,
    is_courtesy,
    is_item,
    is_pointer,
    is_title,
    leads_in,
    refers_back,
    units,
)
from corpus_agent.text.tables import (
    ends_with_figures,
    is_header,
    is_row,
    is_row_of_names,
    names_segments,
)
from corpus_agent.text.tokens import has_digit, lazy, terms
from indexer import file_stem

if TYPE_CHECKING:
    from indexer import Chunk, Hit

MOST_ABOVE = 8  # lines
MOST_BELOW = 4
_LONGEST = 80  # characters of a line
_BLANK = lazy(r"\n\s*\n")
_KEY_END = lazy("[:=]")  # of a property
_ENDS_A_SENTENCE = lazy(r"[.!?。！？…:：][\"'”’»)\]]*$")
_STRUCK = lazy(r"~~(?!\s)[^~]+~~")
_AMOUNT = lazy(r"\d[.,]\d\d$|\d\s?(?:[€$£%]|\p{Lu}{3})$|[€$£]\s?\d[\d.,]*$")


@dataclass(frozen=True)
class Candidate:
    """A unit that may be the answer, with its context.

    `opening` is where the sentence before begins if this one refers to it, else its own start.
    `key` is that of a property, which answers what asks for it alone. `naming` is a line of the
    letterhead or the signature. `probability` is that of its passage to answer, once known.
    """

    passage: int
    opening: int
    start: int
    end: int
    text: str
    around: tuple[str, ...]
    key: str = ""
    naming: bool = False
    columns: str = ""
    probability: float = 0.0


def candidates(hits: Sequence[Hit]) -> list[Candidate]:
    """The candidates of all passages, each with the lines that name its document."""
    rows = [(hit.chunk.source, hit.chunk.text.partition("\n")[0]) for hit in hits]
    found = [
        one
        for number, hit in enumerate(hits)
        for one in _of_passage(number, hit.chunk)
        if not any(is_row(one.text) and is_header(one.text, row) for source, row in rows
                   if source == hit.chunk.source)
    ]  # fmt: skip
    said: dict[str, list[str]] = {}
    for one in found:
        if one.naming:
            said.setdefault(hits[one.passage].chunk.source, []).append(one.text)
    return [
        replace(one, around=tuple(each for each in dict.fromkeys(every) if each != one.text))
        for one in found
        for every in [(*one.around, *said.get(hits[one.passage].chunk.source, ()))]
    ]


def _of_passage(number: int, passage: Chunk) -> list[Candidate]:
    """The candidates of one passage, each with its heading, lead-in line and previous sentence."""
    nearest = passage.heading.rpartition(" > ")[2]
    under = f"{file_stem(passage.source)} > {nearest}".replace("_", " ").replace("-", " ")
    heading, lead, columns = "", "", ""
    before: tuple[str, ...] = ("",)  # with what it refers to
    own = units(passage.text, passage.language)
    found = [_of_property(number, passage, unit) for unit in own if unit.kind == "property"]
    own = own[len(found) :]
    naming = _naming_lines(passage.text, own, first=passage.ordinal == 0)
    for last, unit in zip([None, *own], own, strict=False):
        text = passage.text[unit.start : unit.end]
        below = passage.text[unit.end :].lstrip().partition("\n")[0]
        if unit.kind == "head":
            heading, lead, before = text, "", ("",)
            continue
        if asks(text):
            lead = text
            continue
        if is_row_of_names(text) or names_segments(text, below):
            columns = text
        if unit.kind == "page" or text == columns or _says_nothing(text):
            continue
        if unit.kind == "row" and not lead.startswith("|"):
            lead = text
            if is_header(text, below):
                continue
        elif unit.kind != "row" and not is_item(text) and not asks(lead):
            lead = ""
        titled = is_pointer(text) or (is_title(text) and unit is not own[-1])  # it heads others
        if unit not in naming and unit.kind == "text" and titled:
            heading, before = text, (text,)
            continue
        back = refers_back(text)
        names = columns if ends_with_figures(text) else ""
        around = dict.fromkeys((under, heading, lead, names, *before))
        found.append(
            Candidate(
                number,
                _opening(passage.text, last, unit) if back else unit.start,
                unit.start,
                unit.end,
                text,
                tuple(other for other in around if other and other != text),
                naming=unit in naming or (text[-1] in ".!" and is_courtesy(text)),
                columns=names,
            )
        )
        before = (before[-1], text) if back else (text,)
        lead = text if leads_in(text) else lead
    return found


def _says_nothing(text: str) -> bool:
    """Whether a unit has no words, or most of them are struck out."""
    return 2 * len(terms(_STRUCK.sub(" ", text))) < max(1, len(terms(text)))


def _of_property(number: int, passage: Chunk, unit: Unit) -> Candidate:
    """A property at the top of a passage, with all of it: it is said of the whole."""
    text, around = passage.text[unit.start : unit.end], (passage.heading, passage.text)
    key = _KEY_END.split(text, 1)[0].strip("\"'#+ ")
    return Candidate(number, unit.start, unit.start, unit.end, text, around, key=key)


def _opening(text: str, before: Unit | None, unit: Unit) -> int:
    """Where what a sentence refers to begins: the sentence before in its paragraph, or itself."""
    if before is None or not before.kind == unit.kind == "text":
        return unit.start
    return unit.start if "\n\n" in text[before.end : unit.start] else before.start


# ---- Lines that are said of a whole document: letterhead, greeting, signature


def _naming_lines(text: str, own: Sequence[Unit], *, first: bool) -> list[Unit]:
    """The units of a passage that name its document, in order: what is below its last sentence.

    In the `first` passage what is above the first sentence too; where there is none, as in a
    receipt, the first of several paragraphs.
    """
    parts = _paragraphs(text, [unit for unit in own if unit.kind not in ("property", "head")])
    above = [*takewhile(lambda part: all(_names(text, unit) for unit in part), parts)]
    if len(above) == len(parts):
        return above[0][:MOST_ABOVE] if first and len(above) > 1 else []
    rest = parts[len(above) :]

    def signs(part: Sequence[Unit]) -> bool:
        return all(_names(text, u) and not has_digit(text[u.start : u.end]) for u in part)

    below = [*takewhile(signs, rest[::-1])][::-1]
    signed = [*chain.from_iterable(below)]
    headed = [*chain.from_iterable(above)][:MOST_ABOVE] if first else []
    return headed + (signed if len(signed) <= MOST_BELOW else [])


def _paragraphs(text: str, own: Sequence[Unit]) -> list[list[Unit]]:
    """The units of each paragraph; blank lines part them."""
    parts = groupby(own, lambda unit: len(_BLANK.findall(text, 0, unit.start)))
    return [list(part) for _, part in parts]


def _names(text: str, unit: Unit) -> bool:
    """Whether a unit is one short line that is neither a sentence nor a row with an amount."""
    line = text[unit.start : unit.end]
    if unit.kind != "text" or "\n" in line or len(line) > _LONGEST:
        return False
    listed = is_item(line) and not find_dates(line)  # "2 May 2024" is no item
    return not (listed or _ENDS_A_SENTENCE.search(line) or _AMOUNT.search(line))
