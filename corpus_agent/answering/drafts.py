"""From a model's draft to an answer: every claim has a checked citation or is marked.

    draft ──> its quotations, checked ──> claims without one: the best passage ──> answer

quotations.py verifies quotations, support.py compares sentences with them; this module combines
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from corpus_agent.answering.citations import InTextCitation, Settled, place_of, settle
from corpus_agent.answering.claims import MARK, Claim, claims, without_sources
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.support import Judgement, Supporter, Window, judged
from corpus_agent.text.naming import called
from corpus_agent.text.sanitize import visible
from corpus_agent.tools.corpus import passage
from indexer import Refused

if TYPE_CHECKING:
    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.answering.records import Citation
    from corpus_agent.text.delimiters import Frame
    from corpus_agent.tools.corpus import CorpusView

UNSUPPORTED = "[unsupported]"
REPAIR = (
    "These quotations are not in the documents as you wrote them, or are cut short. Write the "
    "whole answer once more: copy each quotation exactly, as a whole clause, or leave its claim "
    "out."
)
MAX_SUPPORTED = 60  # claims of one answer that support is searched for; more are not expected
MAX_REPAIRED = 8  # quotations that a model is asked to repair at once
MAX_SHOWN_QUOTE = 400  # characters
MAX_DIFFERING = 40  # characters of the words of a mark, on either side
_NO_BRACKETS = str.maketrans("[]/", "()|")
AROUND_LINES = 8  # of context on either side of a quotation


@dataclass(frozen=True, slots=True)
class Finished:
    """An answer's text and citations; `unsupported` are the sentences without support.

    `dropped` counts quotations that are not in the documents as quoted.
    """

    text: str
    citations: tuple[Citation, ...]
    unsupported: tuple[str, ...]
    dropped: int


class DraftChecker:
    """The evidence for the citations of one answer.

    `source_of` returns the source that the tools have shown under a name; `known` are citations of
    earlier answers, whose numbers are continued; figures of the question need no quotation.
    """

    def __init__(
        self,
        corpus: CorpusView,
        source_of: Callable[[str], str],
        make_supporter: Callable[[], Supporter],
        known: Sequence[Citation] = (),
        question: str = "",
        encode: EncodeTokens | None = None,
    ) -> None:
        self._question = question
        self._encode = encode
        self._windows: dict[object, Window] = {}
        self._corpus = corpus
        self._source_of = source_of
        self._make_supporter = make_supporter
        self._known = known

    def settle(self, draft: str) -> Settled:
        """The draft with its quotations verified."""
        return settle(draft, self._check, self._known)

    @cached_property
    def _supporter(self) -> Supporter:
        return self._make_supporter()

    def _check(self, n: int, quotation: InTextCitation) -> Citation | None:
        source = self._source_of(quotation.source)
        if not quotation.quote and not self._holds(source):
            return None  # a time, a verse: something that only looks like a place
        return check_quotation(self._corpus, n, source, quotation.quote, quotation.line_start)

    def _holds(self, source: str) -> bool:
        try:
            self._corpus.read(source, limit=1)
        except Refused:
            return False
        return True

    def finish(self, settled: Settled, on_wait: Callable[[], object] = lambda: None) -> Finished:
        """The answer: each claim has a citation that supports it, or a mark that says otherwise.

        `on_wait` is called before each claim: what it raises ends it.
        """
        text, cited = settled.text, {citation.n: citation for citation in settled.citations}
        unsupported: list[str] = []
        found = []
        for claim in claims(text, cited):
            on_wait()
            found.append((claim, self._judged(claim, cited)))
        open_claims = [(claim, own) for claim, own in found if own.verdict != "supported"]
        # From the end, so that the positions of earlier claims stay valid.
        for number, (claim, own) in reversed(list(enumerate(open_claims))):
            on_wait()
            judgement = own
            if own.verdict == "unsupported" and number < MAX_SUPPORTED:
                judgement, citations = self._support(claim, cited)
                if citations:
                    marks = "".join(f"[{citation.n}]" for citation in citations)
                    text = _with_mark(text, claim, marks)
                    continue
            unsupported.append(claim.text)
            text = _with_mark(text, claim, mark_of(judgement))
        unsupported.reverse()
        text, citations = _in_order(text.strip(), cited, self._known)
        return Finished(text, citations, tuple(unsupported), len(settled.failed))

    def _judged(self, claim: Claim, cited: dict[int, Citation]) -> Judgement:
        """What the sentences of a claim's citations say of it."""
        if not claim.cited:
            return Judgement("unsupported")
        windows = [self._window(cited[n]) for n in claim.cited]
        said = without_sources(claim.text, (cited[n].source for n in claim.cited))
        return judged(said, windows, self._encode, self._question)

    def _window(self, citation: Citation) -> Window:
        """The sentences of the document that contain a quotation, with their context."""
        place = place_of(citation)
        if place not in self._windows:
            self._windows[place] = self._read(citation)
        return self._windows[place]

    def _read(self, citation: Citation) -> Window:
        first = max(1, citation.line_start - AROUND_LINES)
        count = citation.line_end - first + 1 + AROUND_LINES
        alone = passage(citation.source, citation.line_start, citation.quote)
        try:
            lines = self._corpus.read(citation.source, first, count).lines
        except Refused:  # removed since it was checked
            return Window(alone, 0, len(citation.quote))
        texts = ["" if line.is_mark else line.text for line in lines]
        text = "\n".join(texts)
        before = sum(len(line) + 1 for line in texts[: citation.line_start - first])
        start = text.find(citation.quote, before)
        if start < 0:  # across a page end, whose mark is not part of a quotation
            return Window(alone, 0, len(citation.quote))
        end = start + len(citation.quote)
        return Window(passage(citation.source, first, text), start, end)

    def _support(
        self, claim: Claim, cited: dict[int, Citation]
    ) -> tuple[Judgement, tuple[Citation, ...]]:
        """The best passages for a claim as citations, added to `cited`; else what they say."""
        said = without_sources(claim.text, self._supporter.sources)
        found = self._supporter.support(said)
        if isinstance(found, Judgement):
            return found, ()
        every = [self._cite(window, cited) for window in found]
        if any(citation is None for citation in every):  # the file changed since it was indexed
            return Judgement("unsupported"), ()
        citations = tuple(citation for citation in every if citation is not None)
        cited |= {citation.n: citation for citation in citations}
        return Judgement("supported"), citations

    def _cite(self, window: Window, cited: dict[int, Citation]) -> Citation | None:
        """The citation of sentences that support a claim, with the number that they have."""
        n = max([0, *(c.n for c in self._known), *cited]) + 1
        source = window.passage.source
        citation = check_quotation(self._corpus, n, source, window.evidence.text, window.line)
        if not citation.stands:
            return None
        every = (*self._known, *cited.values())
        same = next((old for old in every if place_of(old) == place_of(citation)), citation)
        cited[same.n] = same
        return same


def mark_of(judgement: Judgement) -> str:
    """The mark of a sentence that nothing supports, or that a document contradicts."""
    if judgement.verdict == "differs":
        return f"[differs: {_brief(judgement.claimed)} / {_brief(judgement.found)}]"
    return UNSUPPORTED


def _brief(words: str) -> str:
    """A few words for a mark, which no bracket of theirs may end."""
    text = " ".join(visible(words).translate(_NO_BRACKETS).split())
    return text if len(text) <= MAX_DIFFERING else f"{text[:MAX_DIFFERING]}…"


def _with_mark(text: str, claim: Claim, mark: str) -> str:
    """The text with a mark after a claim, before its full stop."""
    piece = text[claim.start : claim.end]
    body = piece.rstrip()
    end = body.rstrip(".!?。！？")
    at = claim.start + (len(end) if end and not end.endswith("]") else len(body))
    space = "" if text[:at].endswith((" ", "\n")) else " "
    return f"{text[:at]}{space}{mark}{text[at:]}"


def _in_order(
    text: str, cited: dict[int, Citation], known: Sequence[Citation]
) -> tuple[str, tuple[Citation, ...]]:
    """The text with new citations numbered by occurrence, and the citations that it still has."""
    old = {citation.n for citation in known}
    order = [n for n in dict.fromkeys(map(int, MARK.findall(text))) if n in cited]
    new = [n for n in order if n not in old]
    first = max(old, default=0) + 1
    renamed = {n: n for n in order} | {n: first + i for i, n in enumerate(new)}

    def renumber(match: re.Match[str]) -> str:
        n = int(match[1])
        return match[0].replace(f"[{n}]", f"[{renamed[n]}]") if n in renamed else match[0]

    text = MARK.sub(renumber, text)
    citations = (replace(cited[n], n=renamed[n]) for n in order)
    return text, tuple(sorted(citations, key=lambda citation: citation.n))


def repair_request(failed: Sequence[Citation], frame: Frame) -> str:
    """The message to a model that lists its quotations which are not in the documents."""
    lines = [REPAIR]
    for citation in failed[:MAX_REPAIRED]:
        place = f"{called(citation.source)}:{citation.line_start}"
        if citation.verdict in ("altered", "partial"):
            there = frame.wrap(visible(citation.quote)[:MAX_SHOWN_QUOTE])
            lines.append(f"- {place}: {citation.verdict}; there it says {there}")
        else:
            lines.append(f"- {place}: not found in this document")
    return "\n".join(lines)
