"""The pages of questions: ask, follow the draft, ask on; and what was asked before."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from corpus_agent import answering, render
from corpus_agent.settings import existing_store
from corpus_agent.text.sanitize import inert, one_line, visible

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.answering.receipt import Receipt
    from corpus_agent.answering.records import Answer
    from corpus_agent.web.jobs import WebConversation
    from corpus_agent.web.site import Site

RECENT = 12  # questions on the first page
LISTED = 200  # in the history
_NUMBER = re.compile(r"\[(\d{1,4})\]")
_NOT_LOGGED = "This answer is not in the log (any more)."


def start(site: Site, request: Request) -> Response:
    """The first page: a question, and what was asked before."""
    receipts, _ = _logged(site)
    model = site.launch.model
    return site.show(
        "start.html",
        model=one_line(model.name) if model is not None else "",
        notices=[inert(notice) for notice in site.launch.notices],
        receipts=_asked(receipts[:RECENT]),
        more=len(receipts) > RECENT,
        asked=visible(request.query_params.get("q", "")),
    )


def ask(site: Site, request: Request) -> Response:
    """Begin to answer a question."""
    form = request.state.form
    asked = site.conversations.ask(form.get("question", ""), form.get("conversation", ""))
    if not form.get("follow"):  # no script follows it, and not every browser asks again by itself
        asked.questions[-1].wait()
    at = f"q{len(asked.questions)}"
    return site.go(f"/ask/{asked.key}", fragment=at, follow=form.get("follow"))


def conversation(site: Site, request: Request) -> Response:
    """A conversation as far as it is; without the script it asks for itself again."""
    found = _found(site, request)
    return site.show(
        "conversation.html",
        key=found.key,
        questions=found.questions,
        working=any(each.is_open for each in found.questions),
        followed=bool(request.query_params.get("follow")),
        shown_answer=shown_answer,
        key_of=answering.receipt.key_of,
    )


def progress(site: Site, request: Request) -> Response:
    """How far the last question of a conversation is, as JSON; the draft is unchecked text."""
    last = _found(site, request).questions[-1]
    return JSONResponse(
        {
            "open": last.is_open,
            "seen": last.seen,
            "steps": [inert(one_line(step)) for step in last.steps],
            "draft": inert(last.draft),
        }
    )


def stop(site: Site, request: Request) -> Response:
    """Stop the question that is being answered."""
    found = _found(site, request)
    found.stop()
    return site.go(f"/ask/{found.key}", fragment=f"q{len(found.questions)}")


def history(site: Site, request: Request) -> Response:
    """What was asked before, the newest first."""
    receipts, bad = _logged(site)
    left = max(0, len(receipts) - LISTED)
    return site.show("history.html", receipts=_asked(receipts[:LISTED]), bad=bad, left=left)


def receipt(site: Site, request: Request) -> Response:
    """An answer of the log, its quotations as they stand in today's files."""
    content = _receipt(site, request.path_params["key"])
    verified, corpus = site.service.check_receipts([content])
    key = site.launch.receipt_key
    found = render.receipts_object(verified, corpus.version, key)
    [checked] = found["check"]["receipts"]
    recorded = render.recorded_answer(verified[0], corpus, key)
    return site.show(
        "receipt.html",
        key=request.path_params["key"],
        started=_asked([content])[0]["started"],
        answer=shown_answer(replace(recorded, notices=())),  # the page says the same above
        checked=checked,
    )


def export(site: Site, request: Request) -> Response:
    """An answer of the log as a Markdown file to keep."""
    content = _receipt(site, request.path_params["key"])
    [verified], corpus = site.service.check_receipts([content])
    answer = render.recorded_answer(verified, corpus, site.launch.receipt_key)
    return Response(
        render.export_markdown([answer]),
        media_type="text/markdown",
        headers={"Content-Disposition": 'attachment; filename="answer.md"'},
    )


def delete(site: Site, request: Request) -> Response:
    """Delete an answer from the log."""
    if not answering.receipt.delete(existing_store(site.settings), request.path_params["key"]):
        raise HTTPException(404, _NOT_LOGGED)
    return site.go("/history")


def _found(site: Site, request: Request) -> WebConversation:
    found = site.conversations.find(request.path_params["key"])
    if found is None:
        raise HTTPException(404, "This conversation is over; what was asked is in the history.")
    return found


def _logged(site: Site) -> tuple[list[Receipt], int]:
    """The receipts of the log and its bad lines; answers from several indexes are in none."""
    if site.settings.several:
        return [], 0
    return answering.receipt.logged(existing_store(site.settings))


def _receipt(site: Site, key: str) -> Receipt:
    receipts, _ = _logged(site)
    found = next((each for each in receipts if answering.receipt.key_of(each) == key), None)
    if found is None:
        raise HTTPException(404, _NOT_LOGGED)
    return found


def _asked(receipts: Sequence[Receipt]) -> list[dict[str, str]]:
    """Receipts as lines of the history."""
    return [
        {
            "key": answering.receipt.key_of(content),
            "question": one_line(str(content.get("question", ""))),
            "started": render.local_time(str(content.get("started", ""))),
        }
        for content in receipts
    ]


def shown_answer(answer: Answer) -> dict[str, Any]:
    """An answer with the pieces of its text that lead to a passage, and the lines of each."""
    answer = replace(answer, passages=answer.shown)
    shown: dict[str, Any] = {**render.answer_object(answer), "outright": answer.is_outright}
    shown["foot"] = [*render.answer_foot_lines(answer)]
    for content, passage in zip(shown["passages"], answer.passages, strict=True):
        content["about"] = render.about(passage)
        content["lines"] = [*render.block(passage.text, passage.likely)]
    numbers = {passage.citation.n for passage in answer.passages}
    lines = (shown["answer"] or "").split("\n") if answer.text else []
    return {**shown, "paragraphs": [list(_citation_pieces(line, numbers)) for line in lines]}


def _citation_pieces(text: str, numbers: Collection[int]) -> Iterator[tuple[str, int | None]]:
    """The pieces of an answer; a number in brackets that is a citation's stands by itself."""
    end = 0
    for found in _NUMBER.finditer(text):
        if int(found[1]) in numbers:
            yield text[end : found.start()], None
            yield found[1], int(found[1])
            end = found.end()
    yield text[end:], None
