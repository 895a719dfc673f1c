"""Renders receipts that were checked against the current files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from corpus_agent.answering.records import (
    Answer,
    AnswerStatus,
    Citation,
    Passage,
    Verdict,
)
from corpus_agent.render.common import SCHEMA_VERSION, in_answer, place, qualified, taken
from corpus_agent.text.naming import answerer, quoted_in_answer
from corpus_agent.text.sanitize import enclosed, inert, visible
from indexer import Coverage

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Rechecked
    from corpus_agent.render.common import Object, Seal

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{1,15}(Z|[+-][0-9:]{5})?")

_UNKNOWN: Verdict = "not_found"  # of a receipt whose verdict is none of ours
_COUNTED = ("indexed", "empty", "failed", "unreachable", "kept_out", "blank")

CheckedReceipt = tuple[dict[str, Any], Sequence["Rechecked"]]


def verify_object(checked: Sequence[CheckedReceipt], version: int, seal: Seal) -> Object:
    """The JSON of `verify`."""
    receipts: list[Object] = [
        {
            "question": visible(str(content.get("question", ""))),
            "started": visible(str(content.get("started", ""))),
            "status": _status(content),
            "holds": all(found.holds for found in rows),
            "citations": [_checked_object(found) for found in rows],
        }
        for content, rows in checked
    ]
    holds = all(one["holds"] for one in receipts)
    return {
        "schema_version": SCHEMA_VERSION,
        "version": version,
        "verify": {"holds": holds, "receipts": receipts},
        "seal": seal,
    }


def _checked_object(found: Rechecked) -> Object:
    now = found.now
    return {
        **taken(now, "n verdict hidden confidence page"),
        "source": in_answer(now.source),
        "file": found.file,
        "was": {"line_start": found.was[0], "line_end": found.was[1]},
        "line_start": now.line_start or None,
        "line_end": now.line_end or None,
        "quote": inert(now.quote) or None,
    }


def recorded_answer(content: dict[str, Any]) -> Answer:
    """The answer of a receipt; what the receipt does not hold is left out.

    A receipt is a file that anybody who can write the store may have edited: a value of another
    kind counts as none.
    """
    counted, egress = content.get("coverage"), content.get("egress")
    return Answer(
        question=str(content.get("question", "")),
        text=str(content.get("answer", "")),
        status=_status(content) or "perhaps",
        answerer=str(content.get("answerer", "")),
        passages=tuple(_recorded_passage(cited) for cited in content["citations"]),
        coverage=Coverage(**{key: _count(counted, key) for key in _COUNTED}),
        version=_count(content, "version"),
        egress=egress if isinstance(egress, str) else None,
        probability=_share(content.get("probability")),
    )


def _recorded_passage(cited: dict[str, Any]) -> Passage:
    page, text = cited.get("page"), cited.get("text")
    lines = cited["line_start"], cited["line_end"]
    verdict = next((each for each in get_args(Verdict) if each == cited.get("verdict")), _UNKNOWN)
    citation = Citation(
        _count(cited, "n"),
        cited["source"],
        page if isinstance(page, int) else None,
        *lines,
        cited["quote"],
        verdict,
        cited.get("hidden") is True,
        _share(cited.get("confidence")),
        str(cited.get("heading", "")),
    )
    shown = text if isinstance(text, str) else cited["quote"]
    return Passage(citation, shown, *lines, _share(cited.get("probability")))


def _share(value: object) -> float | None:
    """A share that a receipt records, None if it is none."""
    return float(value) if isinstance(value, float) and 0 <= value <= 1 else None


def _count(found: object, name: str) -> int:
    value = found.get(name) if isinstance(found, dict) else None
    return value if isinstance(value, int) else 0


def verify_lines(checked: Sequence[CheckedReceipt]) -> Iterator[str]:
    """Each quotation of each receipt and the result of its check, as text."""
    for content, rows in checked:
        yield heading(content)
        for found in rows:
            where = inert(place(found.now.source, *found.was, None))
            yield f"[{found.now.n}] {where} · {became(found)}"
            if not found.holds and found.now.quote:
                yield f"    now {enclosed(found.now.quote, '“', '”')}"
        if not rows:
            yield "(nothing was quoted)"
    every = [found for _, rows in checked for found in rows]
    yield standing(every)


def standing(checked: Sequence[Rechecked]) -> str:
    """How many quotations still stand, on one line."""
    if not checked:
        return "There is no quotation to verify"
    holding = sum(found.holds for found in checked)
    return f"{holding} of {len(checked)} quotations still stand in their documents"


def heading(content: dict[str, Any]) -> str:
    """The time, question and answerer of a receipt, whose text is untrusted.

    Each is in quotation marks or has a fixed form.
    """
    started = str(content.get("started", ""))
    when = started if _TIME.fullmatch(started) else "once"
    asked = quoted_in_answer(str(content.get("question", "")))
    status = (_status(content) or "of no known status").replace("_", " ")
    return f"{when} {asked}, {status}, by {answerer(str(content.get('answerer', '')))}"


def _status(content: dict[str, Any]) -> AnswerStatus | None:
    """The status that a receipt records, None if it is none of ours."""
    found = content.get("status")
    return next((status for status in get_args(AnswerStatus) if status == found), None)


def became(found: Rechecked) -> str:
    """The result for one quotation, as in "holds, now in lines 20-21 (the file changed)"."""
    if found.file == "gone":
        return "the document is gone"
    if found.file == "unreachable":
        return "the document cannot be read now"
    changed = " (the file changed)" if found.file == "changed" else ""
    if found.now.verdict == "not_found":
        return f"no longer there{changed}"
    lines = f"{found.now.line_start}-{found.now.line_end}"
    if found.now.verdict == "partial":
        return f"a part of a sentence, in lines {lines}{changed}"
    if found.now.verdict == "altered":
        return f"altered, in lines {lines}{changed}"
    moved = "" if found.now.line_start == found.was[0] else f", now in lines {lines}"
    also = qualified(replace(found.now, verdict="verified"))
    return f"holds{moved}{f' · {also}' if also else ''}{changed}"
