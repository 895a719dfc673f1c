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

from corpus_agent.answering.records import alone
from corpus_agent.render.answers import answer_foot_lines, block, block_lines, headed
from corpus_agent.render.common import place_of
from corpus_agent.render.receipts import became, heading, standing
from corpus_agent.service.pictures import CitedPages
from corpus_agent.text.sanitize import inert, one_line

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Passage
    from corpus_agent.render.receipts import CheckedReceipt
    from corpus_agent.service.pictures import CitedPage
    from indexer import Box

WITHOUT_PAGES = CitedPages()
PAD = 0.003  # of the page's width, between words and their outline


@dataclass(frozen=True, slots=True)
class ExportedPassage:
    """A passage, what is said of it, and the pages that it is from, if they are to be shown."""

    passage: Passage
    about: str
    cited: CitedPages = WITHOUT_PAGES


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """An answer as it is written to a file; `foot` are lines about it."""

    question: str
    status: str
    text: str
    passages: tuple[ExportedPassage, ...]
    foot: tuple[str, ...]


def exported_answer(answer: Answer, cited: Sequence[CitedPages] = ()) -> ExportedAnswer:
    """An answer, with the pages of each passage if they are given."""
    shown = cited or [WITHOUT_PAGES] * len(answer.passages)
    return ExportedAnswer(
        answer.question,
        answer.status.replace("_", " "),
        answer.text,
        tuple(
            ExportedPassage(passage, headed(passage, worded=True), pages)
            for passage, pages in zip(answer.passages, shown, strict=True)
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
            ExportedPassage(
                alone(found.now),
                f"{place_of(found.now.source, found.now.line_start, found.now.page)}"
                f" · {became(found)}",
                pages,
            )
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
    if answer.text:
        yield from (f"> {line}".rstrip() for line in inert(answer.text).splitlines())
        yield ""
    for one in answer.passages:
        yield f"[{one.passage.citation.n}] {one_line(inert(one.about))}\n"
        lines = block_lines(one.passage.text, one.passage.likely)
        yield from (f"> {line}".rstrip() for line in lines)
        yield ""
    for line in answer.foot:
        yield f"{one_line(line)}\n"


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
blockquote > span {{ opacity: .75; }}
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
    passages = "\n".join(map(_html_passage, answer.passages))
    foot = "<br>".join(escape(one_line(inert(line))) for line in answer.foot)
    text = f'<div class="text" dir="auto">{escape(inert(answer.text))}</div>\n'
    return (
        f'<article>\n<h1 dir="auto">{escape(one_line(inert(answer.question)))}</h1>\n'
        f'<p class="status">{escape(one_line(inert(answer.status)))}</p>\n'
        f"{text if answer.text else ''}"
        f"<ol>\n{passages}\n</ol>\n"
        f'<p class="foot">{foot}</p>\n</article>'
    )


def _html_passage(one: ExportedPassage) -> str:
    n, problem = one.passage.citation.n, one.cited.problem
    said = f"<br>No picture: {escape(inert(one_line(problem)))}" if problem else ""
    lines = (
        f"<{tag}>{escape(line)}</{tag}>"
        for line, likely in block(one.passage.text, one.passage.likely)
        for tag in ("strong" if likely else "span",)
    )
    quoted = "\n".join(lines)
    return (
        f'<li><p class="where">[{n}] {escape(one_line(inert(one.about)))}{said}</p>\n'
        + (f'<blockquote dir="auto">{quoted}</blockquote>\n' if quoted else "")
        + "".join(_figure(page) for page in one.cited.pages)
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
