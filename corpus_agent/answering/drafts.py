"""From a model's draft to an answer: every claim has a checked citation or is marked.

    draft ──> its quotations, checked ──> claims without one: the best passage ──> answer

quotations.py verifies quotations, support.py compares sentences with them; this module combines
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from corpus_agent.answering.claims import MARK, Claim, claims, without_numbers, without_sources
from corpus_agent.answering.quotations import check_quotation, found_again
from corpus_agent.answering.records import Citation, Numbers
from corpus_agent.answering.support import Judgement, Supporter, Window, judged
from corpus_agent.text.naming import called
from corpus_agent.text.sanitize import visible
from corpus_agent.text.wording import UNSUPPORTED
from corpus_agent.tools.corpus import passage
from indexer import Refused

if TYPE_CHECKING:
    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.text.delimiters import Frame
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Chunk

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

# ---- The citations of a draft, as models write them

_LINES = (
    r"(?:lines?\s*)?L?(?P<start>\d{1,9})(?:\s*[-–—]\s*L?(?P<end>\d{1,9}))?"
    r"(?:\s*·\s*score [\d.]+)?"
)
_BEFORE_LINES = (
    r"\s*(?::|,(?=\s*(?:lines?|pages?)\b)|·)\s*(?:pages?\s*\d+(?:\s*[-–]\s*\d+)?\s*[,·:]\s*)?"
)
# [source:LINE-LINE]; a source may contain spaces, balanced brackets, and any brackets if it is in
# quotation marks, as the tools write such a name. A line number may have an "L". Also as search
# results write it, and in round brackets if the source is clearly a file.
_PLACE = re.compile(
    r"\[(?P<source>'[^'\n]+'|\"[^\"\n]+\"|(?:[^\[\]\n]|\[[^\[\]\n]*\])+?)"
    rf"{_BEFORE_LINES}{_LINES}\]",
    re.IGNORECASE,
)
_ROUND_PLACE = re.compile(
    rf"\((?P<source>[^()\[\]\n]*\w\.\w{{1,5}}){_BEFORE_LINES}{_LINES}\)", re.IGNORECASE
)
_BEFORE_QUOTE = re.compile(r"[ \t]*+(?:[:,–—-][ \t]*+)?(?:\n[ \t]*+)?(?P<mark>[\"“„«])")
_QUOTE_BEFORE = re.compile(r"[\"“„«](?P<quote>[^\"“”„«»\n]{2,2000})[\"”“»][.,;]?[ \t]*\Z")
_CLOSING_MARKS = {'"': '"', "“": "”“", "„": "“”", "«": "»"}
MAX_QUOTE = 2_000  # characters
_BEFORE_STOP = re.compile(r"(?<![ \t])[ \t]+(?=[.,;:!?])")

InText = tuple[int, int, Citation]
"""The characters of a draft that a number replaces, half-open, and what is cited there, unchecked.

They are the place and a quotation behind it; one before it is part of the sentence and stays.
"""


def quotations(draft: str) -> Iterator[InText]:
    """The citations of a draft in order, without a quote if it gives only a place."""
    done = 0
    places = [*_PLACE.finditer(draft), *_ROUND_PLACE.finditer(draft)]
    for place in sorted(places, key=lambda match: match.start()):
        if place.start() < done:
            continue  # inside the quotation before it
        end, quote = _quote_at(draft, place.end())
        if not quote:
            before = _QUOTE_BEFORE.search(draft, done, place.start())
            quote = before["quote"].strip() if before else ""
        done, first = end, int(place["start"])
        lines = first, max(first, int(place["end"] or first))
        cited = Citation(0, place["source"].strip(), None, *lines, quote, "not_found")
        yield place.start(), end, cited


def _quote_at(draft: str, start: int) -> tuple[int, str]:
    """The end of the quotation that begins here, and its text; `start` and "" if there is none.

    Quotation marks inside are distinguished by their surroundings: one that follows a space opens,
    one that precedes a space or punctuation closes.
    """
    before = _BEFORE_QUOTE.match(draft, start)
    if before is None:
        return start, ""
    closing, depth = _CLOSING_MARKS[before["mark"]], 1
    for at in range(before.end(), min(len(draft), before.end() + MAX_QUOTE)):
        if draft.startswith("\n\n", at):
            break
        opens = draft[at] == before["mark"] and draft[at - 1] in " \n\t(" and at > before.end()
        if opens and draft[at + 1 : at + 2].isalnum():
            depth += 1
        elif draft[at] in closing and not draft[at + 1 : at + 2].isalnum():
            depth -= 1
        if depth == 0:
            return at + 1, draft[before.end() : at].strip()
    return start, ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft with [n] in place of its citations.

    `failed` are quotations that are not in the documents as quoted, `unsupported` the sentences
    that no passage supports; these are known once it is finished.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    failed: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()


def settle(
    draft: str,
    check: Callable[[Citation], Citation | None],
    known: Sequence[Citation] = (),
) -> Draft:
    """The draft with each of its citations checked and numbered.

    `check` returns None for text that is not a citation and stays. A passage keeps its number,
    including one `known` from earlier answers; a number that the model wrote itself stays if it is
    one of those.
    """
    numbers = Numbers(known)
    failed: list[Citation] = []
    parts: list[str] = []
    done = 0
    for start, end, cited in quotations(draft):
        citation = check(cited)
        if citation is None:
            continue
        text = _own_marks(draft[done:start], numbers)
        done = end
        if citation.stands:
            parts.append(f"{text}[{numbers.numbered(citation).n}]")
        else:
            failed.append(citation)
            parts.append(text.rstrip(" "))
        if _ends_sentence(text, cited.quote, draft[done:]):
            parts.append(".")
    text = "".join([*parts, _own_marks(draft[done:], numbers)]).strip()
    return Draft(text, numbers.used(), tuple(failed))


def _own_marks(text: str, numbers: Numbers) -> str:
    """The text without the numbers that the model wrote itself, except known ones."""
    kept = without_numbers(text, numbers.uses_known)
    return kept if kept == text else _BEFORE_STOP.sub("", kept)


def _ends_sentence(before: str, quote: str, after: str) -> bool:
    """Whether the full stop of a sentence was removed with the quotation that contained it."""
    own_stop = before.rstrip().endswith((".", "!", "?", ":", ";"))
    goes_on = after.lstrip()[:1]
    ended = not goes_on or goes_on.isupper() or "\n" in after[: len(after) - len(after.lstrip())]
    return quote.endswith((".", "!", "?")) and bool(before.strip()) and ended and not own_stop


# ---- The support of its claims


class DraftChecker:
    """The evidence for the citations of one answer.

    `source_of` returns the source that the tools have shown under a name, `shown` the passages that
    support is looked for in; `known` are citations of earlier answers, whose numbers are continued;
    figures of the question need no quotation.
    """

    def __init__(
        self,
        corpus: CorpusView,
        source_of: Callable[[str], str],
        shown: Callable[[], Sequence[Chunk]],
        known: Sequence[Citation] = (),
        question: str = "",
        encode: EncodeTokens | None = None,
    ) -> None:
        self._corpus, self._source_of, self._shown = corpus, source_of, shown
        self._known, self._question, self._encode = known, question, encode

    @cached_property
    def _supporter(self) -> Supporter:
        return Supporter(self._shown(), self._encode)

    def settle(self, draft: str) -> Draft:
        """The draft with its quotations verified."""
        return settle(draft, self._check, self._known)

    def _check(self, cited: Citation) -> Citation | None:
        source = self._source_of(cited.source)
        try:
            if not cited.quote:
                self._corpus.read(source, limit=1)
        except Refused:
            return None  # a time, a verse: something that only looks like a place
        return check_quotation(self._corpus, 0, source, cited.quote, cited.line_start)

    def finish(self, draft: Draft, on_wait: Callable[[], object] = lambda: None) -> Draft:
        """The answer: each claim has a citation that supports it, or a mark that says otherwise.

        `on_wait` is called before each claim: what it raises ends it.
        """
        text, numbers = draft.text, Numbers(self._known, draft.citations)
        found = []
        for claim in claims(text, [citation.n for citation in draft.citations]):
            on_wait()
            found.append((claim, self._judged(claim, numbers)))
        unsupported: list[str] = []
        open_claims = [(claim, own) for claim, own in found if own.verdict != "supported"]
        # From the end, so that the positions of earlier claims stay valid.
        for number, (claim, judgement) in reversed([*enumerate(open_claims)]):
            on_wait()
            marks = ""
            if judgement.verdict == "unsupported" and number < MAX_SUPPORTED:
                judgement, marks = self._support(claim, numbers)
            if not marks:
                unsupported.insert(0, claim.text)
            text = _with_mark(text, claim, marks or mark_of(judgement))
        text, citations = _in_order(text.strip(), numbers, self._known)
        return replace(draft, text=text, citations=citations, unsupported=tuple(unsupported))

    def _judged(self, claim: Claim, numbers: Numbers) -> Judgement:
        """What the sentences of a claim's citations say of it."""
        if not claim.cited:
            return Judgement("unsupported")
        cited = [numbers[n] for n in claim.cited]
        said = without_sources(claim.text, (each.source for each in cited))
        return judged(said, [*map(self._read, cited)], self._encode, self._question)

    def _read(self, citation: Citation) -> Window:
        """The sentences of the document that contain a quotation, with their context."""
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
        found = found_again(text, citation.quote, before)
        if found is None:  # across a page end, whose mark is not part of a quotation
            return Window(alone, 0, len(citation.quote))
        return Window(passage(citation.source, first, text), *found.span())

    def _support(self, claim: Claim, numbers: Numbers) -> tuple[Judgement, str]:
        """The marks of the best passages for a claim, which are cited; else what they say."""
        said = without_sources(claim.text, self._supporter.sources)
        found = self._supporter.support(said)
        if isinstance(found, Judgement):
            return found, ""
        cited = [
            check_quotation(self._corpus, 0, one.passage.source, one.quote, one.line)
            for one in found
        ]
        if not all(one.stands for one in cited):  # the file changed since it was indexed
            return Judgement("unsupported"), ""
        return Judgement("supported"), "".join(f"[{numbers.numbered(one).n}]" for one in cited)


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
    text: str, numbers: Numbers, known: Sequence[Citation]
) -> tuple[str, tuple[Citation, ...]]:
    """The text with new citations numbered by occurrence, and the citations that it still has."""
    used = {citation.n: citation for citation in numbers.used()}
    order = Numbers(known)
    renamed = {n: order.numbered(used[n]) for n in map(int, MARK.findall(text)) if n in used}

    def renumber(match: re.Match[str]) -> str:
        n = int(match[1])
        return match[0].replace(f"[{n}]", f"[{renamed[n].n}]") if n in renamed else match[0]

    return MARK.sub(renumber, text), order.used()


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
