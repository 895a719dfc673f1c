"""The sentences of a document that say most about some fields, for a model that reads no others.

Ranked by what the rules know: the phrases and words of a field, and values of its type. Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from corpus_agent.fields.labelled import finder_of, occurrences
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import WORDED, Field, ProposedValue
from corpus_agent.text.sentences import Unit, units
from corpus_agent.text.tokens import STOP_WORDS, terms

_PROPOSED = 4.0  # where a rule finds the value
_CALLED = 3.0  # where the field is called by one of its phrases, of which later ones count less
_LESS = 0.03
_WORDS = 1.5  # where all words of the field and its question stand
_TYPED = 1.0  # where a value of its type stands
_SHORT = 80  # characters: a heading or a label, with what stands behind it
_LONGEST = 1_200  # characters of a sentence that is shown


def best_sentences(
    document: DocumentText,
    fields: Sequence[Field],
    proposals: Sequence[Sequence[ProposedValue]],
    most: int,
) -> list[str]:
    """Passages of whole sentences in the order of the document, at most so many characters in all.

    Each field brings its best sentence in turn, then its second best; what says nothing about any
    comes in the order of the document. `proposals` are what the rules propose for each field.
    """
    pieces = [unit for unit in units(document.text) if document.text[unit.start : unit.end].strip()]
    ranked = [
        _ranked(document, pieces, field, found)
        for field, found in zip(fields, proposals, strict=True)
    ]
    chosen: set[int] = set()
    left = most
    for turn in range(len(pieces)):
        for order in ranked:
            for at in _with_next(pieces, order[turn]):
                size = min(pieces[at].end - pieces[at].start, _LONGEST) + 1
                if at not in chosen and size <= left:
                    chosen.add(at)
                    left -= size
        if left < _SHORT:
            break
    return list(_joined(document, pieces, sorted(chosen)))


def _ranked(
    document: DocumentText, pieces: Sequence[Unit], field: Field, found: Sequence[ProposedValue]
) -> list[int]:
    """The places of the pieces, those first that say most about a field; ties by their order."""
    text, starts = document.text, [piece.start for piece in pieces]
    scores = [0.0] * len(pieces)

    def add(at: int, score: float) -> None:
        place = bisect_right(starts, at) - 1
        if place >= 0:
            scores[place] = max(scores[place], score)

    for proposal in found:
        add(proposal.readings[0].start, _PROPOSED + proposal.score)
    for rank, start, _, weak in occurrences(text, field.phrases):
        add(start, _CALLED - rank * _LESS - weak)
    if field.type not in WORDED:
        typed = {
            bisect_right(starts, reading.start) - 1
            for reading in finder_of(field.type, document, labelled=False)(text)
        }
        for place in typed - {-1}:
            scores[place] += _TYPED
    asked = {word for word in terms(f"{field.name} {field.question}") if word not in STOP_WORDS}
    for place, piece in enumerate(pieces):
        held = asked.intersection(terms(text[piece.start : piece.end]))
        scores[place] += _WORDS * len(held) / max(1, len(asked))
    return sorted(range(len(pieces)), key=lambda place: -scores[place])


def _with_next(pieces: Sequence[Unit], at: int) -> Iterator[int]:
    """A piece, and the one behind it where it is a heading or a label."""
    yield at
    if pieces[at].end - pieces[at].start < _SHORT and at + 1 < len(pieces):
        yield at + 1


def _joined(document: DocumentText, pieces: Sequence[Unit], chosen: Sequence[int]) -> Iterator[str]:
    """The chosen pieces as they are written, those that follow each other as one text."""
    start = end = 0
    before = -1
    for at in chosen:
        piece = pieces[at]
        cut = piece.end - piece.start > _LONGEST
        if before < 0 or at != before + 1:
            if end > start:
                yield document.written[start:end].strip()
            start = piece.start
        end = piece.start + _LONGEST if cut else piece.end
        before = -2 if cut else at
    if end > start:
        yield document.written[start:end].strip()
