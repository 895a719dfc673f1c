"""Renders receipts that were checked against the current files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from corpus_agent.answering.receipt import is_own
from corpus_agent.answering.records import Answer, AnswerStatus, alone
from corpus_agent.render.common import SCHEMA_VERSION, in_answer, place, qualified, taken
from corpus_agent.text.naming import answerer, quoted
from corpus_agent.text.sanitize import enclosed, inert, visible

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Rechecked
    from corpus_agent.render.common import Object, Seal
    from corpus_agent.tools.corpus import CorpusView

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{1,15}(Z|[+-][0-9:]{5})?")

FOREIGN = "not from this program here"  # or edited since: its words alone are checked

CheckedReceipt = tuple[dict[str, Any], Sequence["Rechecked"]]


def receipts_object(
    checked: Sequence[CheckedReceipt], version: int, seal: Seal, key: bytes | None = None
) -> Object:
    """The JSON of `check` for receipts; one that `key` did not sign, or that was edited, fails."""
    receipts: list[Object] = [
        {
            "question": visible(str(content.get("question", ""))),
            "started": visible(str(content.get("started", ""))),
            "status": _status(content),
            "signed": is_own(content, key),
            "holds": all(found.holds for found in rows),
            "citations": [_checked_object(found) for found in rows],
        }
        for content, rows in checked
    ]
    holds = all(one["holds"] and one["signed"] for one in receipts)
    return {
        "schema_version": SCHEMA_VERSION,
        "version": version,
        "check": {"holds": holds, "receipts": receipts},
        "seal": seal,
    }


def _checked_object(found: Rechecked) -> Object:
    now, lost = found.now, found.now.verdict == "not_found"
    return {
        **taken(now, "n verdict hidden confidence page"),
        "source": in_answer(now.source),
        "file": found.file,
        "was": {"line_start": found.was[0], "line_end": found.was[1]},
        "line_start": None if lost else now.line_start,
        "line_end": None if lost else now.line_end,
        "quote": inert(now.quote) or None,
    }


def recorded_answer(
    checked: CheckedReceipt, corpus: CorpusView, key: bytes | None = None
) -> Answer:
    """The answer of a receipt with its quotations as they stand today, whatever it says of them.

    The status of one that is not this program's own is none, and its notice says so. A value of
    another kind counts as none, since anybody who can write the store may have edited it.
    """
    (content, rows), egress = checked, checked[0].get("egress")
    own = is_own(content, key)
    return Answer(
        question=str(content.get("question", "")),
        text=str(content.get("answer", "")),
        status=(_status(content) if own else None) or "perhaps",
        answerer=str(content.get("answerer", "")),
        passages=tuple(alone(found.now) for found in rows),
        coverage=corpus.coverage(),
        version=corpus.version,
        notices=(f"{heading(content, own=own)}.", f"{standing(rows)}."),
        egress=egress if isinstance(egress, str) else None,
    )


def receipt_lines(checked: Sequence[CheckedReceipt], key: bytes | None = None) -> Iterator[str]:
    """Each quotation of each receipt and the result of its check, as text."""
    for content, rows in checked:
        yield heading(content, own=is_own(content, key))
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
        return "There is no quotation to check"
    holding = sum(found.holds for found in checked)
    if len(checked) == 1:
        return f"The quotation {'still stands' if holding else 'no longer stands'} in its document"
    return f"{holding} of {len(checked)} quotations still stand in their documents"


def heading(content: dict[str, Any], *, own: bool) -> str:
    """The time, question and answerer of a receipt, whose text is untrusted.

    Each is in quotation marks or has a fixed form.
    """
    whose = "" if own else f" · {FOREIGN}"
    started = str(content.get("started", ""))
    when = started if _TIME.fullmatch(started) else "once"
    asked = quoted(str(content.get("question", "")), inert)
    status = (_status(content) or "of no known status").replace("_", " ")
    return f"{when} {asked}, {status}, {answerer(str(content.get('answerer', '')))}{whose}"


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
    if not found.holds:
        how = "altered" if found.now.verdict == "altered" else "a part of a sentence"
        return f"{how}, in lines {lines}{changed}"
    moved = "" if found.now.line_start == found.was[0] else f", now in lines {lines}"
    also = qualified(replace(found.now, verdict="verified"))
    return f"holds{moved}{f' · {also}' if also else ''}{changed}"
