"""Renders receipts that were checked against the current files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

from corpus_agent.answering.records import AnswerStatus
from corpus_agent.render.common import as_object, in_answer, place, qualified
from corpus_agent.text.naming import answerer, quoted_in_answer
from corpus_agent.text.sanitize import enclosed, inert, visible

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Rechecked

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{1,15}(Z|[+-][0-9:]{5})?")

CheckedReceipt = tuple[dict[str, Any], Sequence["Rechecked"]]


def verify_object(checked: Sequence[CheckedReceipt], version: int) -> dict[str, Any]:
    """The JSON of `verify`."""
    receipts = [
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
    return as_object(version=version, verify={"holds": holds, "receipts": receipts})


def _checked_object(found: Rechecked) -> dict[str, Any]:
    return {
        "n": found.now.n,
        "source": in_answer(found.now.source),
        "verdict": found.now.verdict,
        "hidden": found.now.hidden,
        "confidence": found.now.confidence,
        "file": found.file,
        "was": {"line_start": found.was[0], "line_end": found.was[1]},
        "page": found.now.page,
        "line_start": found.now.line_start or None,
        "line_end": found.now.line_end or None,
        "quote": inert(found.now.quote) or None,
    }


def verify_lines(checked: Sequence[CheckedReceipt]) -> Iterator[str]:
    """Each quotation of each receipt and the result of its check, as text."""
    for content, rows in checked:
        yield _heading(content)
        for found in rows:
            where = inert(place(found.now.source, *found.was, None))
            yield f"[{found.now.n}] {where} · {_became(found)}"
            if not found.holds and found.now.quote:
                yield f"    now {enclosed(found.now.quote, '“', '”')}"
        if not rows:
            yield "(nothing was quoted)"
    every = [found for _, rows in checked for found in rows]
    holding = sum(found.holds for found in every)
    recognised = sum(found.holds and found.now.confidence is not None for found in every)
    pictures = f", {recognised} of them in recognised text" if recognised else ""
    yield f"{holding} of {len(every)} quotations still stand in their documents{pictures}"


def _heading(content: dict[str, Any]) -> str:
    """The time, question and answerer of a receipt, whose text is untrusted.

    Each is in quotation marks or has a fixed form.
    """
    started = str(content.get("started", ""))
    when = started if _TIME.fullmatch(started) else "once"
    asked = quoted_in_answer(str(content.get("question", "")))
    return f"{when} {asked}, {_BY[_status(content)]} {answerer(str(content.get('answerer', '')))}"


def _status(content: dict[str, Any]) -> AnswerStatus | None:
    """The status that a receipt records, None if it is none of ours."""
    found = content.get("status")
    return next((status for status in get_args(AnswerStatus) if status == found), None)


_BY: dict[AnswerStatus | None, str] = {
    "answered": "answered by",
    "partial": "answered in part by",
    "closest": "NOT answered, the closest passages by",
    "unclear": "NOT answered, asked back by",
    "not_found": "not found by",
    None: "of no known status, by",
}


def _became(found: Rechecked) -> str:
    """The result for one quotation, as in "holds, now in lines 20-21 (the file changed)"."""
    if found.file == "gone":
        return "the document is gone"
    if found.file == "unreachable":
        return "the document cannot be read now"
    changed = " (the file changed)" if found.file == "changed" else ""
    if found.now.verdict == "not_found":
        return f"no longer there{changed}"
    lines = f"{found.now.line_start}-{found.now.line_end}"
    if found.now.verdict == "cut":
        return f"cut short, in lines {lines}{changed}"
    if found.now.verdict == "altered":
        return f"altered, in lines {lines}{changed}"
    moved = "" if found.now.line_start == found.was[0] else f", now in lines {lines}"
    where = "holds" if found.now.confidence is None else "holds in recognised text"
    return f"{where}{moved}{qualified(found.now)}{changed}"
