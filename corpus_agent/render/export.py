"""Renders answers as a file to keep or to send: Markdown, or one page of HTML with its pictures.

The page loads nothing and runs nothing. All text is from documents and models: it is cleaned here,
and nothing in it is mark-up or a link. The pictures are made by this program, of points.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from corpus_agent.render.answers import answer_foot_lines
from corpus_agent.render.common import evidence, place, under
from corpus_agent.render.receipts import became, heading, standing
from corpus_agent.service.pictures import CitedPages
from corpus_agent.text.naming import called_in_answer
from corpus_agent.text.sanitize import enclosed, inert, one_line

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, AnswerStatus, Citation
    from corpus_agent.render.receipts import CheckedReceipt
    from corpus_agent.service.pictures import CitedPage
    from indexer import Box

_STATUS: dict[AnswerStatus, str] = {
    "answered": "Answered",
    "partial": "Answered in part",
    "closest": "Not answered: the closest passages",
    "unclear": "Not answered: a question back",
    "not_found": "Not found",
}
WITHOUT_PAGES = CitedPages()
PAD = 0.003  # of the page's width, between words and their outline


@dataclass(frozen=True, slots=True)
class ExportedCitation:
    """A citation, what is said of it, and the pages that it is from, if they are to be shown."""

    citation: Citation
    verdict: str
    cited: CitedPages = WITHOUT_PAGES

    @property
    def where(self) -> str:
        """Its place, as in an answer."""
        lines = self.citation.line_start, self.citation.line_end
        return inert(place(self.citation.source, *lines, self.citation.page, called_in_answer))


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """An answer as it is written to a file; `foot` are lines about it."""

    question: str
    status: str
    text: str
    citations: tuple[ExportedCitation, ...]
    foot: tuple[str, ...]


def exported_answer(answer: Answer, cited: Sequence[CitedPages] = ()) -> ExportedAnswer:
    """An answer, with the pages of each citation if they are given."""
    shown = cited or [WITHOUT_PAGES] * len(answer.citations)
    return ExportedAnswer(
        answer.question,
        _STATUS[answer.status]
        + (": a file changed" if answer.changed and not answer.citations else ""),
        answer.text,
        tuple(
            ExportedCitation(citation, evidence(citation) + under(citation), pages)
            for citation, pages in zip(answer.citations, shown, strict=True)
        ),
        tuple(answer_foot_lines(answer)),
    )


def exported_receipt(checked: CheckedReceipt, cited: Sequence[CitedPages] = ()) -> ExportedAnswer:
    """The answer of a receipt, its quotations as they stand in the documents today.

    What the receipt says of itself is not signed, and is shown as its words.
    """
    content, rows = checked
    shown = cited or [WITHOUT_PAGES] * len(rows)
    return ExportedAnswer(
        str(content.get("question", "")),
        heading(content),
        str(content.get("answer", "")),
        tuple(
            ExportedCitation(found.now, became(found), pages)
            for found, pages in zip(rows, shown, strict=True)
        ),
        (f"{standing(rows)}.",),
    )


# ---- Markdown


def export_markdown(answers: Sequence[ExportedAnswer]) -> str:
    """Answers as Markdown, each below its question.

    Text of models and documents is quoted as a block, so that no heading, rule or open fence in it
    can imitate or swallow what is around it.
    """
    return "\n".join(line for answer in answers for line in _markdown(answer)) + "\n"


def _markdown(answer: ExportedAnswer) -> Iterator[str]:
    yield f"# {one_line(inert(answer.question))}\n"
    yield f"*{one_line(inert(answer.status))}*\n"
    yield from _block(answer.text)
    if answer.citations:
        yield "\n## Sources\n"
    for exported in answer.citations:
        yield f"- [{exported.citation.n}] {exported.where} · {one_line(exported.verdict)}"
        if exported.citation.quote:
            yield f"  > {enclosed(exported.citation.quote, '“', '”')}"
    yield ""
    for line in answer.foot:
        yield f"{one_line(line)}\n"


def _block(text: str) -> Iterator[str]:
    return (f"> {line}".rstrip() for line in inert(text).splitlines())


# ---- HTML


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" \
content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 sans-serif; margin: 2em auto; max-width: 50em; padding: 0 1em; }}
.status, .foot, .where {{ opacity: .75; }}
.text {{ white-space: pre-wrap; }}
ol {{ list-style: none; padding: 0; }}
blockquote {{ border-left: .2em solid; margin: .4em 0; padding-left: .8em; white-space: pre-wrap; }}
figure {{ margin: 1em 0; break-inside: avoid; }}
.page {{ position: relative; border: 1px solid #888; }}
.page img, .page svg {{ display: block; width: 100%; height: auto; }}
.page svg {{ position: absolute; inset: 0; height: 100%; }}
rect {{ fill: #ffd40059; stroke: #b35900; stroke-width: 2; }}
</style></head><body>
{answers}
</body></html>
"""


def export_html(answers: Sequence[ExportedAnswer]) -> str:
    """Answers as one page that holds the pictures of the pages they cite."""
    return _PAGE.format(
        title=escape(one_line(inert(answers[0].question))) if answers else "",
        answers="\n".join(map(_html, answers)),
    )


def _html(answer: ExportedAnswer) -> str:
    citations = "\n".join(map(_html_citation, answer.citations))
    foot = "<br>".join(escape(one_line(inert(line))) for line in answer.foot)
    return (
        f'<article>\n<h1 dir="auto">{escape(one_line(inert(answer.question)))}</h1>\n'
        f'<p class="status">{escape(one_line(inert(answer.status)))}</p>\n'
        f'<div class="text" dir="auto">{escape(inert(answer.text))}</div>\n'
        f"<ol>\n{citations}\n</ol>\n"
        f'<p class="foot">{foot}</p>\n</article>'
    )


def _html_citation(exported: ExportedCitation) -> str:
    citation, cited = exported.citation, exported.cited
    quoted = escape(inert(citation.quote))
    problem = f"<br>No picture: {escape(inert(one_line(cited.problem)))}" if cited.problem else ""
    return (
        f'<li><p class="where">[{citation.n}] {escape(exported.where)} · '
        f"{escape(one_line(exported.verdict))}{problem}</p>\n"
        + (f'<blockquote dir="auto">{quoted}</blockquote>\n' if quoted else "")
        + "".join(_figure(page) for page in cited.pages)
        + "</li>"
    )


def _figure(page: CitedPage) -> str:
    width, height = page.picture.width, page.picture.height
    data = b64encode(page.picture.png).decode("ascii")
    changed = ", changed since it was indexed" if page.picture.stale else ""
    words = "" if page.boxes else " (where the words stand on it is not known)"
    rects = "".join(_rect(box, width, height) for box in page.boxes)
    return (
        f'<figure><div class="page"><img alt="Page {page.number}{changed}" '
        f'width="{width}" height="{height}" src="data:image/png;base64,{data}">'
        f'<svg viewBox="0 0 {width} {height}" preserveAspectRatio="none" aria-hidden="true">'
        f"{rects}</svg></div><figcaption>Page {page.number}{changed}{words}</figcaption></figure>\n"
    )


def _rect(box: Box, width: int, height: int) -> str:
    pad = PAD * width
    left, top = box.left * width - pad, box.top * height - pad
    wide, high = (box.right - box.left) * width, (box.bottom - box.top) * height
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide + 2 * pad:.1f}" '
        f'height="{high + 2 * pad:.1f}"/>'
    )
