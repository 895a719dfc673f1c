"""What becomes of a model's reply: the answer's status, or the passages without it. Pure.

Called by agent/answerer.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from corpus_agent.answering.records import word_of

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Citation

Said = Literal["yes", "partly", "nothing", "no"]

# Log-odds that the passages answer: the model's as a reader and the program's own, added. Of 341
# questions: benchmarks/with_model.py --reader, docs/decisions/answering.md.
READ_YES = 1.5  # below it, nothing is called answered
READ_NO = -0.5  # below it, no draft is asked for: the passages are shown
UNKNOWN = 0.2  # the program's probability where it has none
LIKELY_PROBABILITY = 0.8  # of a model's answer whose sentences are all supported


def reading(own: float | None, read: float | None) -> float:
    """The log-odds that the passages answer, of the program's probability and the model's reading.

    `read` is None if the model cannot say: then the program decides alone.
    """
    probability = min(max(UNKNOWN if own is None else own, 1e-3), 1 - 1e-3)
    return math.log(probability / (1 - probability)) + (read or 0.0)


def said_by(
    citations: Sequence[Citation], unsupported: int, *, text: bool, whole: bool = True
) -> Said:
    """What a checked draft says; `text` is whether any is left, `whole` whether nothing is missing.

    A draft that quotes nothing says nothing, whatever it claims.
    """
    if not text:
        return "no"
    if not citations:
        return "nothing"
    return "yes" if whole and not unsupported else "partly"


def quotes_any(citations: Sequence[Citation], own: Sequence[Citation]) -> bool:
    """Whether a draft quotes lines that the extractive answer quotes too."""
    return any(
        a.source == b.source and a.line_start <= b.line_end and b.line_start <= a.line_end
        for a in citations
        for b in own
    )


def decided(answer: Answer, own: Answer | None, said: Said) -> Answer:
    """A model's answer with its status, or the passages without it where it says nothing.

    | what the model says                   | without a model there are passages | there are none |
    |---------------------------------------|------------------------------------|----------------|
    | yes: every sentence is supported      | likely; answered if they are       | likely         |
    | partly: some sentence is, or read so  | perhaps                            | perhaps        |
    | nothing: text that nothing supports   | the passages                       | perhaps        |
    | no: a refusal, no text, or read so    | the passages                       | not_found      |
    """
    if said == "no" or (said == "nothing" and own is not None and own.passages):
        if own is None:
            return replace(answer, text="", status="not_found", passages=(), unsupported=())
        told = (*answer.notices, *(n for n in own.notices if n not in answer.notices))
        return replace(own, answerer=answer.answerer, notices=told, calls=answer.calls)
    probability = own.probability if own is not None else None
    if said != "yes":
        return replace(answer, status="perhaps", probability=probability)
    best = max(LIKELY_PROBABILITY, probability or 0.0)
    return replace(answer, status=word_of(best), probability=probability)
