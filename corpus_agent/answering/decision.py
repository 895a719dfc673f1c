"""What becomes of a model's reply: its status, and whether passages stand below it. Pure.

The model's reply and the program's own evidence (the extractive answer) decide together. Called by
agent/answerer.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from corpus_agent.answering.citations import place_of
from corpus_agent.answering.claims import MARK
from corpus_agent.answering.records import CLOSEST_HEADING

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, AnswerStatus, Citation, Computation

Said = Literal["yes", "partly", "nothing", "no"]

# Log-odds that the passages answer: the model's as a reader and the program's own, added. Of 341
# questions: benchmarks/with_model.py --reader, docs/decisions/answering.md.
READ_YES = 1.5  # below it, nothing is called answered
READ_NO = -0.5  # below it, no draft is asked for: the passages are shown
UNKNOWN = 0.2  # the program's probability where it has none
BELOW_HEADING = "The closest passages are:"
COMPUTED_HEADING = "The documents say:"  # above what was computed from cells, without the model
UNCLEAR_HEADING = "It may mean several things:"
BELOW_NOTICE = "The passages below the answer were added without the model."


@dataclass(frozen=True, slots=True)
class Decision:
    """The status of an answer, and whether the program's own passages stand below it."""

    status: AnswerStatus
    passages: bool = False


def decide(said: Said, *, strong: bool) -> Decision:
    """What an answer is called and what is shown.

    `strong`: without a model, passages would be shown as `closest`; see probability.status_of.

    | what the model says                   | evidence strong          | evidence weak         |
    |---------------------------------------|--------------------------|-----------------------|
    | yes: every sentence is supported      | answered                 | answered              |
    | partly: some sentence is, or read so  | partial, passages below  | partial               |
    | nothing: text that nothing supports   | closest, passages below  | partial, all marked   |
    | no: a refusal, no text, or read so    | closest, passages below  | not_found             |

    "Read so": a model that is asked without tools is asked first whether the passages answer; see
    `reading`. Partly is also a yes from it that quotes other lines than the program does.
    """
    if said == "yes":
        return Decision("answered")
    if said == "partly":
        return Decision("partial", strong)
    if strong:
        return Decision("closest", passages=True)
    return Decision("partial" if said == "nothing" else "not_found")


def reading(own: float | None, read: float | None) -> float:
    """The log-odds that the passages answer, of the program's probability and the model's reading.

    `read` is 0 if the model cannot say: then the program decides alone.
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


def with_passages(answer: Answer, own: Answer) -> Answer:
    """The answer followed by the passages of the extractive answer, numbered after its own.

    What is no more than `closest` is `unclear` where those ask back. What was computed from cells,
    and what a reader has to know about the passages, stay with them.
    """
    known = {place_of(citation): citation.n for citation in answer.citations}
    names: dict[int, int] = {}
    further: list[Citation] = []
    following = max([0, *known.values(), *(c.n for c in own.citations)]) + 1
    for citation in own.citations:
        taken = citation.n in known.values()
        n = known.get(place_of(citation), following if taken else citation.n)
        following += n == following
        names[citation.n] = n
        if n not in known.values():
            further.append(replace(citation, n=n))

    def renumbered(match: re.Match[str]) -> str:
        n = int(match[1])
        return match[0].replace(f"[{n}]", f"[{names.get(n, n)}]")

    headings = {"answered": COMPUTED_HEADING, "unclear": UNCLEAR_HEADING}
    heading = headings.get(own.status, BELOW_HEADING)
    asks_back = own.status == "unclear" and answer.status == "closest"
    below = MARK.sub(renumbered, own.text.removeprefix(f"{CLOSEST_HEADING}\n"))
    told = [notice for notice in own.notices if notice not in answer.notices]
    return replace(
        answer,
        status="unclear" if asks_back else answer.status,
        text="\n\n".join([*([answer.text] if answer.text else []), f"{heading}\n{below}"]),
        citations=tuple(sorted([*answer.citations, *further], key=lambda citation: citation.n)),
        notices=(*answer.notices, BELOW_NOTICE, *told),
        calls=(*answer.calls, *own.calls),
        computed=_renumbered(own.computed, names),
    )


def _renumbered(computed: Computation | None, names: Mapping[int, int]) -> Computation | None:
    if computed is None:
        return None
    cells = (
        cell if cell.n is None else replace(cell, n=names.get(cell.n, cell.n))
        for cell in computed.cells
    )
    return replace(computed, cells=tuple(cells))
