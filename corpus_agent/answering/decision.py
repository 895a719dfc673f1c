"""Which word an answer gets: of its passages, after a model's reply, about all documents. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, AnswerStatus, Citation, Passage
    from corpus_agent.text.wording import Word

ANSWERED_FROM, LIKELY_FROM = 0.90, 0.75
BESIDE_ANSWERED = 0.5  # from which a passage is shown beside one that answers
Said = Literal["yes", "partly", "nothing", "no"]

# Log-odds that the passages answer: the model's as a reader and the program's own, added. See
# benchmarks/with_model.py --reader and docs/decisions/answering.md.
READ_YES = 1.5  # below it, a draft is called perhaps
READ_NO = -0.5  # below it, no draft is asked for: the passages are shown
UNKNOWN = 0.2  # the program's probability where it has none
SUPPORTED = 0.8  # the probability of a model's answer whose sentences are all supported
OF_ALL = (
    "Only the passages nearest to the question were looked at, and a question about all documents"
    " needs every one of them. `corpus-agent table FIELD…` and `list CONDITION` look at each."
)


def word_of(probability: float | None) -> Word:
    """The word for a probability, `perhaps` where none is known."""
    if probability is None or probability < LIKELY_FROM:
        return "perhaps"
    return "answered" if probability >= ANSWERED_FROM else "likely"


def of_passages(passages: Sequence[Passage]) -> tuple[AnswerStatus, float | None]:
    """The word of the likeliest passage and its probability."""
    best = max((passage.probability or 0.0 for passage in passages), default=None)
    return ("not_found" if best is None else word_of(best)), best


def of_all(answer: Answer) -> Answer:
    """The answer to a question about all documents, of which the nearest passages were read.

    A probability holds for a question that one passage answers: none is said to answer this one.
    """
    if not answer.coverage.searched:
        return answer
    answer = replace(answer, notices=(*answer.notices, OF_ALL))
    if not answer.passages or answer.status == "perhaps":
        return answer
    passages = tuple(replace(passage, probability=None) for passage in answer.passages)
    return replace(answer, status="perhaps", probability=None, passages=passages)


def odds_of(own: float | None, read: float | None) -> float:
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
    best = max(SUPPORTED, probability or 0.0) if said == "yes" else None
    return replace(answer, status=word_of(best), probability=probability)
