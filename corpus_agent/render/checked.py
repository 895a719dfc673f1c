"""A checked text, and receipts that were checked again: screens, JSON, the text with marks.

All of it is other people's text: it is cleaned and escaped here, and no link in it leads anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from corpus_agent.answering.receipt import is_own
from corpus_agent.answering.records import Answer, AnswerStatus, alone
from corpus_agent.check.records import FOUND, SIGNS
from corpus_agent.render.answers import (
    MARKDOWN,
    SCREEN,
    Sheet,
    block_lines,
    citation_object,
    headed,
)
from corpus_agent.render.common import (
    advised,
    as_object,
    documents_searched,
    local_time,
    place,
    qualified,
    taken,
)
from corpus_agent.text.naming import EXTRACTIVE, answerer, quoted
from corpus_agent.text.sanitize import enclosed, inert, message, one_line, unlinked, visible
from corpus_agent.text.tokens import has_digit, terms
from corpus_agent.text.wording import number_of

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Rechecked
    from corpus_agent.answering.records import Citation
    from corpus_agent.check.records import Checked, Finding
    from corpus_agent.render.common import Object
    from corpus_agent.tools.corpus import CorpusView


# From that probability on the passage beside a statement is about it: for 68 of 77 that were not
# found, of statements that a person wrote of 32 documents, and for 3 of 30 of which these say none.
COMPARE_FROM, _COMPARE = 0.5, "compare"
_SHOWN = 100  # characters of a piece of the text, or of what differs, on a line
_BESIDE = 400  # the same of the sentences to compare it with: what differs may stand at their end


def checked_object(checked: Checked) -> Object:
    """The JSON of `check`."""
    return as_object(
        version=checked.version,
        check={
            "holds": checked.holds,
            "findings": [_finding_object(finding) for finding in checked.findings],
            "counts": dict(Counter(finding.kind for finding in checked.findings)),
            "left_out": dict(checked.left_out),
            "model": checked.model,
        },
        egress=checked.egress,
        **taken(checked, "coverage notices"),
    )


def _finding_object(finding: Finding) -> Object:
    piece = finding.piece
    cited = enumerate(map(citation_object, finding.citations), start=1)
    return {
        **taken(piece, "is_quotation line text named"),
        "span": [piece.start, piece.end],
        "differs": [{"said": inert(one), "found": inert(two)} for one, two in finding.differs],
        **taken(finding, "kind model"),
        "word": _word(finding),
        "probability": finding.probability,
        "nearest": finding.nearest and citation_object(finding.nearest),
        "citations": [{**citation, "n": number} for number, citation in cited],
    }


# ---- The screen


def checked_lines(checked: Checked) -> Iterator[str]:
    """A line for each finding, then how many there are of each kind and what was searched."""
    words = [f"{SIGNS[each.kind]} {_word(each)}" for each in checked.findings]
    lines = [f"line {each.piece.line}" for each in checked.findings]
    wide = [max(map(len, column), default=0) for column in (words, lines)]
    for word, line, finding in zip(words, lines, checked.findings, strict=True):
        where = _lead(finding) + ", ".join(map(_place, _passages(finding)))
        yield f"{word:<{wide[0]}}  {line:<{wide[1]}}  {_said(finding)}  {where}".rstrip()
        whole, near = _whole(finding), finding.nearest
        if whole or near:
            shown = f"in: {whole}" if whole else enclosed(_cut(near.quote, _BESIDE)) if near else ""
            yield f"{'':<{sum(wide) + 4}}{shown}"
    yield from checked_foot(checked)


def _whole(finding: Finding) -> str:
    """The whole of which words that were found are a piece, with its head; "" where they are it."""
    piece, stands = finding.piece, finding.kind in ("quoted", "elsewhere", "supported")
    cited = [each for each in finding.citations[:1] if each.above or piece.is_quotation]
    if not stands or not cited or terms(cited[0].whole) == terms(piece.text):
        return ""
    return " … ".join(enclosed(one) for one in (cited[0].above, cited[0].quote) if one)


def checked_foot(checked: Checked) -> Iterator[str]:
    """The counts, what was left out, the notices, what was searched."""
    kinds = Counter(finding.kind for finding in checked.findings)
    unsure = sum(_word(finding) == _COMPARE for finding in checked.findings)
    kinds["not_found"] -= unsure
    counts = [f"{kinds[kind]:,} {kind.replace('_', ' ')}" for kind in SIGNS
              if kind not in FOUND and kinds[kind]]  # fmt: skip
    counts += [f"{unsure:,} to {_COMPARE}"] if unsure else []
    counts.insert(0, f"{sum(kinds[kind] for kind in FOUND):,} quoted or supported")
    said = f"{number_of(len(checked.findings), 'statement')}: {', '.join(counts)}"
    yield said if checked.findings else "The text states nothing and quotes nothing."
    if unsure:
        yield f"{_COMPARE}: that passage is about the same; read whether it says so."
    if checked.left_out:
        yield f"Left out: {', '.join(number_of(n, what) for what, n in checked.left_out.items())}"
    yield from (f"Note: {advised(one_line(inert(notice)))}" for notice in checked.notices)
    if checked.model is not None:
        yield f"a model: {one_line(inert(checked.model))}"
    if checked.egress:
        yield f"egress: {one_line(checked.egress)}"
    yield documents_searched(checked.coverage)


def _word(finding: Finding) -> str:
    """The kind in a word; of a doubtful figure that it is one, of what is not found what to do."""
    if finding.kind == "doubtful" and has_digit(finding.differs[0][0]):
        return "figure"
    if finding.nearest is not None and (finding.probability or 0.0) >= COMPARE_FROM:
        return _COMPARE
    return finding.kind.replace("_", " ")


def _said(finding: Finding) -> str:
    """What the text says, and where it differs what the document says instead."""
    text, named = _quoted(finding.piece.text), finding.piece.named
    said, there = finding.differs[0] if finding.differs else ("", "")
    if finding.kind == "doubtful":
        if not said:
            return f"{text}: the document says it with {_quoted(there)}"
        return f"{text}: {inert(_cut(said))}; the nearest passage says {inert(_cut(there))}"
    if finding.kind == "altered":
        return "; ".join(f"{_quoted(one)} → {_quoted(other)}" for one, other in finding.beside[:3])
    if finding.kind == "pieced_together" and there:
        return f"{text} without {_quoted(there)}"
    if finding.kind == "elsewhere" and named is not None:
        return f"{text} not at {place(named.source, (named.line or 1,) * 2, named.page)}"
    return text if finding.model is None else f"{text}  a model: {finding.model}"


def _quoted(text: str) -> str:
    return enclosed(_cut(text))


def _cut(text: str, most: int = _SHOWN) -> str:
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _passages(finding: Finding) -> Sequence[Citation]:
    """Where a piece stands, else what is nearest to it."""
    return finding.citations or tuple(filter(None, [finding.nearest]))


def _lead(finding: Finding) -> str:
    """What is said before a place at which a piece does not stand."""
    if finding.nearest is None:
        return ""
    return "with " if _word(finding) == _COMPARE else "nearest: "


def _place(cited: Citation, sheet: Sheet = SCREEN) -> str:
    """Where the document's words stand, and what qualifies them; the kind says how they differ."""
    return headed(alone(replace(cited, verdict="verified")), sheet)


# ---- The text itself


def checked_markdown(checked: Checked) -> str:
    """The text as a quoted block with the numbers of its findings, then each with its passage."""
    marked = "".join(
        f"{text} **[{number}]**" if number else text for text, number in marked_pieces(checked)
    )
    lines = [*MARKDOWN.apart(marked.split("\n"))]  # whole lines: pieces could join to a link
    for number, finding in enumerate(checked.findings, start=1):
        lines += ["", f"[{number}] {_word(finding)}: {unlinked(_said(finding))}", ""]
        for cited in _passages(finding):
            block = MARKDOWN.apart(block_lines(cited.whole, (0, 0)))
            lines += [f"{_lead(finding)}{_place(cited, MARKDOWN)}", "", *block]
    return "\n".join([*lines, "", *map(message, checked_foot(checked))]) + "\n"


def checked_html(checked: Checked) -> str:
    """A page without script, whose links lead from a mark to its passage and back."""
    import jinja2  # for a page alone

    written = Path(__file__).with_suffix(".html").read_text("utf-8")
    page = jinja2.Template(written, autoescape=True, undefined=jinja2.StrictUndefined)
    found = [
        (one.kind, _word(one), _said(one),
         [(f"{_lead(one)}{_place(c)}", inert(c.whole)) for c in _passages(one)])
        for one in checked.findings
    ]  # fmt: skip
    pieces, foot = list(marked_pieces(checked)), list(checked_foot(checked))
    return str(page.render(pieces=pieces, findings=found, foot=foot))


def marked_pieces(checked: Checked) -> Iterator[tuple[str, int]]:
    """The text in pieces, cleaned, each with the number of its finding; 0 for none."""
    end = 0
    for number, finding in enumerate(checked.findings, start=1):
        start = max(end, finding.piece.start)
        yield inert(checked.text[end:start]), 0
        end = max(start, finding.piece.end)
        yield inert(checked.text[start:end]), number
    yield inert(checked.text[end:]), 0


# ---- Receipts that were checked again

FOREIGN = "not from this program here, or edited since"  # its words alone are checked

_NO_FILE = {"gone": "the document is gone", "unreachable": "the document cannot be read now"}

CheckedReceipt = tuple[dict[str, Any], Sequence["Rechecked"]]


def receipts_object(
    checked: Sequence[CheckedReceipt], version: int, key: bytes | None = None
) -> Object:
    """The JSON of `check` for receipts; one that `key` did not sign, or that was edited, fails."""
    receipts: list[Object] = [
        {
            **{name: visible(str(content.get(name, ""))) for name in ("question", "started")},
            "status": _status(content),
            "signed": is_own(content, key),
            "holds": all(found.holds for found in rows),
            "citations": [_checked_object(found) for found in rows],
        }
        for content, rows in checked
    ]
    check = {"holds": all(r["holds"] and r["signed"] for r in receipts), "receipts": receipts}
    return as_object(version=version, check=check)


def _checked_object(found: Rechecked) -> Object:
    is_gone = found.now.verdict == "not_found"
    now = taken(found.now, "n source page line_start line_end verdict hidden confidence quote")
    now |= dict.fromkeys(("line_start", "line_end"), None) if is_gone else {}
    was = dict(zip(("line_start", "line_end"), found.was, strict=True))
    return now | {"file": found.file, "was": was, "quote": now["quote"] or None}


def recorded_answer(
    checked: CheckedReceipt, corpus: CorpusView, key: bytes | None = None
) -> Answer:
    """The answer of a receipt with its quotations as they stand today, whatever it says of them.

    The status of one that is not this program's own is none, and its notice says so. A value of
    another kind counts as none, since anybody who can write the store may have edited it.
    """
    (content, rows), egress = checked, checked[0].get("egress")
    own = is_own(content, key)
    sure = {
        each.get("n"): each.get("probability") for each in (content["citations"] if own else ())
    }
    return Answer(
        question=str(content.get("question", "")),
        text=str(content.get("answer", "")),
        status=(_status(content) if own else None) or "perhaps",
        answerer=str(content.get("answerer", "")),
        passages=tuple(alone(found.now, sure.get(found.now.n)) for found in rows),
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
            yield f"[{found.now.n}] {place(found.now.source, found.was, None)} · {became(found)}"
            if not found.holds and found.now.quote:
                yield f"    now {enclosed(found.now.quote)}"
        if not rows:
            yield "(nothing was quoted)"
    yield standing([found for _, rows in checked for found in rows])


def standing(checked: Sequence[Rechecked]) -> str:
    """How many quotations stand today, on one line."""
    if not checked:
        return "There is no quotation to check"
    holding = sum(found.holds for found in checked)
    if len(checked) == 1:
        stands = "still stands" if holding else "does not stand"
        return f"The quotation {stands} in its document"
    return f"{holding} of {len(checked)} quotations still stand in their documents"


def heading(content: dict[str, Any], *, own: bool) -> str:
    """The time, question and answerer of a receipt, whose text is untrusted.

    Each is in quotation marks or has a fixed form.
    """
    whose = "" if own else f" · {FOREIGN}"
    when = local_time(str(content.get("started", "")))
    asked = quoted(str(content.get("question", "")), inert)
    status = (_status(content) or "of no known status").replace("_", " ")
    name = str(content.get("answerer", ""))
    by = "without a model" if name == EXTRACTIVE else f"by {answerer(name)}"
    return f"Asked {when}: {asked} · {status} · {by}{whose}"


def _status(content: dict[str, Any]) -> AnswerStatus | None:
    """The status that a receipt records, None if it is none of ours."""
    found = content.get("status")
    return next((status for status in get_args(AnswerStatus) if status == found), None)


def became(found: Rechecked) -> str:
    """The result for one quotation, as in "holds, now in lines 20-21 (the file changed)"."""
    now, first, last = found.now, found.now.line_start, found.now.line_end
    lines = f"in line {first}" if first == last else f"in lines {first}-{last}"
    if found.file in _NO_FILE:
        return _NO_FILE[found.file]
    if found.holds:
        moved = "" if now.line_start == found.was[0] else f", now {lines}"
        said = f"holds{moved} · {qualified(replace(now, verdict='verified'))}".removesuffix(" · ")
    elif now.verdict == "not_found":
        said = "no longer there"
    else:
        said = f"{'altered' if now.verdict == 'altered' else 'a part of a sentence'}, {lines}"
    return f"{said} (the file changed)" if found.file == "changed" else said
