"""Renders answers with their citations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote as quote_url

from corpus_agent.render.common import SCHEMA_VERSION, evidence, in_answer, place, under
from corpus_agent.render.links import Link, no_link
from corpus_agent.text.naming import answerer, called_in_answer
from corpus_agent.text.sanitize import enclosed, inert, one_line, visible
from corpus_agent.text.wording import searched

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Citation, Computation, ModelServer
    from corpus_agent.answering.resumed import ResumedConversation
    from corpus_agent.render.json_types import (
        AnswerCitation,
        AnswerComputation,
        AnswerResult,
        AnswerServer,
        RawWords,
        Seal,
    )


_PLAIN = " ,;'\n"  # beside letters, digits and _.-~, which are never escaped


def answer_object(answer: Answer, seal: Seal) -> AnswerResult:
    """The JSON of `ask`."""
    coverage = answer.coverage
    return {
        "schema_version": SCHEMA_VERSION,
        "question": visible(answer.question),
        "answer": inert(answer.text),
        "status": answer.status,
        "probability": answer.probability,
        "computed": _computed_object(answer.computed),
        "changed": [in_answer(source) for source in answer.changed],
        "answerer": in_answer(answer.answerer),
        "citations": [citation_object(citation) for citation in answer.citations],
        "coverage": {
            "indexed": coverage.indexed,
            "empty": coverage.empty,
            "failed": coverage.failed,
            "unreachable": coverage.unreachable,
            "kept_out": coverage.kept_out,
            "blank": coverage.blank,
        },
        "version": answer.version,
        "notices": [inert(notice) for notice in answer.notices],
        "egress": answer.egress,
        "model_server": _server_object(answer.model_server),
        "unsupported": [inert(sentence) for sentence in answer.unsupported],
        "seal": seal,
    }


def _computed_object(computed: Computation | None) -> AnswerComputation | None:
    if computed is None:
        return None
    return {
        "operation": computed.operation,
        "column": inert(computed.column),
        "where": [{"column": inert(c.column), "text": inert(c.text)} for c in computed.where],
        "value": inert(computed.value),
        "unit": inert(computed.unit),
        "source": in_answer(computed.source),
        "rows": computed.rows,
        "left_out": list(computed.left_out),
        "cells": [{"n": c.n, "line": c.line, "text": inert(c.text)} for c in computed.cells],
    }


def _server_object(server: ModelServer | None) -> AnswerServer | None:
    if server is None:
        return None
    owner = visible(server.owner) if server.owner is not None else None
    return {"address": visible(server.address), "owner": owner}


def raw_words(quote: str) -> RawWords:
    """The words as they stand in the document, for a program that looks for them there.

    Percent-encoded where a viewer might make a link or mark-up of them, or not show them.
    """
    if inert(quote) == quote:
        return {"raw": quote, "raw_encoded": False}
    # A dot is never escaped by itself, and "www." is an address to some viewers.
    return {"raw": quote_url(quote, safe=_PLAIN).replace(".", "%2E"), "raw_encoded": True}


def citation_object(citation: Citation) -> AnswerCitation:
    """One citation of the JSON."""
    return {
        "n": citation.n,
        "source": in_answer(citation.source),
        "page": citation.page,
        "line_start": citation.line_start,
        "line_end": citation.line_end,
        "quote": inert(citation.quote),
        **raw_words(citation.quote),
        "verdict": citation.verdict,
        "hidden": citation.hidden,
        "confidence": citation.confidence,
        "heading": inert(one_line(citation.heading)),
        "antecedent": inert(one_line(citation.antecedent)),
    }


def resumed_lines(found: ResumedConversation) -> Iterator[str]:
    """What was asked in a conversation that goes on, or one by one where there is none."""
    if not found.turns:
        yield "There is no conversation in the log; this is a new one."
        if found.asked:
            yield "Asked one by one (ask begins no conversation):"
        yield from (f"- {one_line(inert(question))}" for question in found.asked)
    for number, turn in enumerate(found.turns, start=1):
        yield f"{number}. {one_line(inert(turn.question))}"


def answer_lines(answer: Answer, link: Link = no_link) -> Iterator[str]:
    """An answer as text, with its citations below; `link` makes links of their places."""
    yield inert(answer.text)
    if answer.citations:
        yield ""
    yield from citation_lines(answer.citations, link)
    yield ""
    yield from answer_foot_lines(answer)


def answer_foot_lines(answer: Answer) -> Iterator[str]:
    """What qualifies an answer: its notices, where it went, who answered, what was searched."""
    for notice in answer.notices:
        yield f"Note: {one_line(inert(notice))}"
    if answer.egress:
        yield f"egress: {one_line(answer.egress)}"
    asked = f"{answerer(answer.answerer)}{_asked(answer.model_server)}"
    yield f"({asked}; searched {searched(answer.coverage)})"


def _asked(server: ModelServer | None) -> str:
    """The server and its owner, as in "; server 127.0.0.1:8080 of ann (uid 7)"."""
    if server is None:
        return ""
    owner = f" of {one_line(server.owner)}" if server.owner is not None else ""
    return f"; server {one_line(server.address)}{owner}"


def citation_lines(citations: Iterable[Citation], link: Link = no_link) -> Iterator[str]:
    """Lines for each citation: its place, verdict and quotation."""
    for citation in citations:
        lines = citation.line_start, citation.line_end
        where = place(citation.source, *lines, citation.page, called_in_answer)
        shown = link(inert(where), citation.source, citation.page)
        yield f"[{citation.n}] {shown} · {evidence(citation)}{under(citation)}"
        yield f"    {enclosed(citation.quote, '“', '”')}"
