"""Renders a checked text: the screen, the JSON, and the text itself with marks in its margin.

All of it is other people's text: it is cleaned or escaped here, and no link of it leads anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING

from corpus_agent.check.records import FOUND
from corpus_agent.render.answers import block_lines, citation_object
from corpus_agent.render.common import SCHEMA_VERSION, in_answer, place_of, qualified
from corpus_agent.render.links import Link, no_link
from corpus_agent.text.sanitize import enclosed, inert, one_line, visible
from corpus_agent.text.tokens import has_digit
from corpus_agent.text.wording import documents_searched, number_of

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from corpus_agent.check.records import Checked, Finding, Kind
    from corpus_agent.render.common import Object, Seal

_SIGNS: dict[Kind, str] = {
    "quoted": "✓",
    "supported": "✓",
    "altered": "✗",
    "pieced_together": "✗",
    "doubtful": "?",
    "elsewhere": "?",
    "not_found": "·",
}
_SHOWN = 100  # characters of a piece of the text, or of what differs, on a line
_CSS = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{white-space:pre-wrap;font:inherit}mark{background:#fe9;color:#000}mark.found{background:#dfd}
mark.altered,mark.pieced_together{background:#fcc}sup a{text-decoration:none}li{margin:1rem 0}
"""


def checked_object(checked: Checked, seal: Seal) -> Object:
    """The JSON of `check`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": checked.version,
        "check": {
            "holds": checked.holds,
            "findings": [_finding_object(finding) for finding in checked.findings],
            "counts": {kind: n for kind in _SIGNS if (n := _count(checked)[kind])},
            "left_out": dict(checked.left_out),
        },
        "coverage": asdict(checked.coverage),
        "notices": [inert(notice) for notice in checked.notices],
        "seal": seal,
    }


def _finding_object(finding: Finding) -> Object:
    piece, named = finding.piece, finding.piece.named
    return {
        "kind": finding.kind,
        "is_quotation": piece.is_quotation,
        "line": piece.line,
        "span": [piece.start, piece.end],
        "text": inert(piece.text),
        "named": named and {**asdict(named), "source": in_answer(named.source)},
        "differs": [
            {"said": inert(said), "found": inert(found)} for said, found in finding.differs
        ],
        "citations": [
            {**citation_object(cited), "n": number}
            for number, cited in enumerate(finding.citations, start=1)
        ],
    }


def _count(checked: Checked) -> Counter[Kind]:
    return Counter(finding.kind for finding in checked.findings)


# ---- The screen


def checked_lines(checked: Checked, link: Link = no_link) -> Iterator[str]:
    """A line for each finding, then how many there are of each kind and what was searched."""
    words = [_word(finding) for finding in checked.findings]
    places = [f"line {finding.piece.line}" for finding in checked.findings]
    wide = max(map(len, words), default=0), max(map(len, places), default=0)
    for finding, word, place in zip(checked.findings, words, places, strict=True):
        head = f"{_SIGNS[finding.kind]} {word:<{wide[0]}}  {place:<{wide[1]}}"
        where = ", ".join(_place(cited, link) for cited in finding.citations)
        yield "  ".join(filter(None, (head, _said(finding), where)))
    yield from summary_lines(checked)


def summary_lines(checked: Checked) -> Iterator[str]:
    """The counts, what was left out, the notices, what was searched."""
    count = _count(checked)
    found = sum(count[kind] for kind in FOUND)
    others = [f"{count[kind]:,} {kind.replace('_', ' ')}" for kind in _SIGNS if kind not in FOUND
              and count[kind]]  # fmt: skip
    said = [f"{found:,} quoted or supported", *others] if checked.findings else []
    yield ": ".join(filter(None, (number_of(len(checked.findings), "statement"), ", ".join(said))))
    if checked.left_out:
        left = ", ".join(number_of(n, what) for what, n in checked.left_out.items())
        yield f"Left out: {left}"
    for notice in checked.notices:
        yield f"Note: {one_line(inert(notice))}"
    yield documents_searched(checked.coverage)


def _word(finding: Finding) -> str:
    """The kind in a word; of a doubtful figure that it is one."""
    if finding.kind == "doubtful" and finding.differs and has_digit(finding.differs[0][0]):
        return "figure"
    return finding.kind.replace("_", " ")


def _said(finding: Finding) -> str:
    """What the text says, and where it differs what the document says instead."""
    text, differs = finding.piece.text, finding.differs
    if finding.kind == "doubtful" and differs:
        said, found = map(_brief, differs[0])
        return f"{_quoted(text)}: {said or 'nothing'}; the nearest passage says {found}"
    if finding.kind == "altered":
        return "; ".join(f"{_quoted(said)} → {_quoted(found)}" for said, found in differs[:3])
    if finding.kind == "pieced_together" and differs:
        return f"{_quoted(text)} without {_quoted(differs[0][1])}"
    if finding.kind == "elsewhere" and (named := finding.piece.named):
        return (
            f"{_quoted(text)} not at {inert(place_of(named.source, named.line or 1, named.page))}"
        )
    return _quoted(text)


def _quoted(text: str) -> str:
    return enclosed(_cut(text), "“", "”")


def _brief(text: str) -> str:
    return inert(_cut(text))


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _place(cited: Citation, link: Link = no_link) -> str:
    where = inert(place_of(cited.source, cited.line_start, cited.page))
    shown = link(where, cited.source, cited.page)
    also = "" if cited.verdict in ("altered", "partial", "moved") else qualified(cited)
    return f"{shown} · {also}" if also else shown


# ---- The text itself


def checked_markdown(checked: Checked) -> str:
    """The text as a quoted block with the numbers of its findings, then each with its passage."""
    yield_marks = "".join(
        f"{piece}{f' **[{number}]**' if number else ''}" for piece, number in _marked(checked)
    )
    lines = [f"> {line}".rstrip() for line in yield_marks.split("\n")]
    for number, finding in enumerate(checked.findings, start=1):
        lines += ["", f"[{number}] {_headed(finding)}", ""]
        for cited in finding.citations:
            lines += [_place(cited), ""]
            lines += [f"> {line}".rstrip() for line in block_lines(cited.quote, (0, 0))]
    return "\n".join([*lines, "", *summary_lines(checked)]) + "\n"


def checked_html(checked: Checked) -> str:
    """A page without script and without links but those between a mark and its passage."""
    body = []
    for piece, number in _marked(checked):
        kind = checked.findings[number - 1].kind if number else ""
        shown = "found" if kind in FOUND else kind
        text = escape(piece)
        body.append(
            f'<mark class="{shown}" id="t{number}">{text}</mark>'
            f'<sup><a href="#f{number}">{number}</a></sup>'
            if number
            else text
        )
    found = "".join(
        f'<li id="f{number}"><a href="#t{number}">{escape(_headed(finding))}</a>'
        + "".join(
            f"<p>{escape(_place(cited))}</p><blockquote>{escape(inert(cited.quote))}</blockquote>"
            for cited in finding.citations
        )
        for number, finding in enumerate(checked.findings, start=1)
    )
    foot = "".join(f"<p>{escape(line)}</p>" for line in summary_lines(checked))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Checked text</title>'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src '
        f"'unsafe-inline'\"><style>{_CSS}</style></head><body><pre>{''.join(body)}</pre>"
        f"<ol>{found}</ol>{foot}</body></html>\n"
    )


def _headed(finding: Finding) -> str:
    return f"{_word(finding)}: {_said(finding)}"


def _marked(checked: Checked) -> Iterator[tuple[str, int]]:
    """The text in pieces, cleaned, each with the number of its finding; 0 for none."""
    end = 0
    for number, finding in enumerate(checked.findings, start=1):
        start = max(end, finding.piece.start)
        yield inert(visible(checked.text[end:start])), 0
        end = max(start, finding.piece.end)
        yield inert(visible(checked.text[start:end])), number
    yield inert(visible(checked.text[end:])), 0
