"""The line of a document that has a name asked for, beside a quotation of it that has not. Pure.

A letter says "my fee is 42 pounds" and is signed at its end: who reads the sentence alone cannot
see whose fee that is. Called by extractive.py, which quotes the line too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.shown import Sentence
from corpus_agent.text.letterhead import naming_lines
from corpus_agent.text.sentences import units
from corpus_agent.text.tokens import STOP_WORDS, terms

if TYPE_CHECKING:
    from indexer import Hit

_NAME = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}]{2,}")
_HEAD_MARK = regex.compile(r"\s*#{1,6}\s+")


def name_line(question: str, quoted: Sentence, hits: Sequence[Hit]) -> Sentence | None:
    """The title, property, line of the letterhead or signature with most of the names it lacks.

    None if the quotation, its heading or the name of its file has all that the document has.
    """
    own = hits[quoted.passage].chunk
    known = {*terms(f"{own.source.replace('_', ' ')} {quoted.text}"), *STOP_WORDS}
    lacking = {word for name in _NAME.findall(question) for word in terms(name)} - known
    found = [
        line
        for n, hit in enumerate(hits)
        if hit.chunk.source == own.source and lacking
        for line in _lines(n, hit)
    ]
    best = max(found, key=lambda line: len(lacking.intersection(terms(line.text))), default=None)
    return None if best is None or lacking.isdisjoint(terms(best.text)) else best


def _lines(number: int, hit: Hit) -> list[Sentence]:
    """The lines of a passage that are said of its whole document."""
    passage, text = hit.chunk, hit.chunk.text
    every = units(text, passage.language)
    first = passage.ordinal == 0
    named = [unit for unit in every if first and unit.kind == "property"]
    named += [unit for unit in every[:1] if first and unit.kind == "head"]
    named += naming_lines(text, every, first=first)
    lines = []
    for unit in named:
        mark = _HEAD_MARK.match(text, unit.start, unit.end)
        start = mark.end() if mark else unit.start
        lines.append(Sentence(number, start, unit.end, text[start : unit.end], hit.score))
    return lines
