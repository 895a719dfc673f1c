"""The rows of statements that a ratio is made of, where a question names a report and the ratio.

No passage names a "quick ratio": it is current assets, inventories and current liabilities, three
rows of the balance sheet. Knows what accountants call ratios, statements and their rows in English;
computes nothing. Called by extractive.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.named_documents import named_documents
from corpus_agent.answering.quotations import check_quotation, read_all
from corpus_agent.text.tokens import fold
from indexer import Refused

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from corpus_agent.tools.corpus import CorpusView

Numbered = tuple[int, str]
"""A line's number in its document, from 1, and its text."""

MOST_ROWS = 4
# Characters of a line that are looked at, and letters of a label: a line may have any length.
MOST_LINE, MOST_LETTERS = 600, 120
LEAST_ROWS = 6  # of figures: what has fewer below it only mentions a statement
MOST_LINES = 100  # of a statement
TITLE_WORDS = 12

# Titles and labels are compared by their letters alone: the text of a PDF may have no blanks.
_ROW = regex.compile(r"(?<![\d,.])[^\d\n]*+(?:[$€£(]*+\d[\d,.]*+\)?%?(?:[\s$€£|—–-]+|$)){2,}")
_SIGNS = regex.compile(r"[^a-z]+")
_TITLE = r"(?:condensed|consolidated|unaudited|combined|the|group)*"  # before it
_STATEMENTS = {
    "balance": (
        "balance sheet|financial position",
        r"balancesheets?|statements?of(?:consolidated)?financial\w+",
    ),
    "income": (
        r"income statement|p ?& ?l\b|profit and loss|statements? of (?:income|operations|earnings)",
        r"statements?of(?:consolidated)?(?:income|operations|earnings|profit\w*)|incomestatements?",
    ),
    "cash": (
        "cash ?flow statement|statements? of cash ?flow",
        r"statements?of(?:consolidated)?cashflows?|cashflowsstatements?",
    ),
}
_ASKED = {name: regex.compile(rf"\b(?:{asked})") for name, (asked, _) in _STATEMENTS.items()}
_TITLED = {
    name: regex.compile(rf"{_TITLE}(?:{title})(?:unaudited|continued)?")
    for name, (_, title) in _STATEMENTS.items()
}


@dataclass(frozen=True)
class _Item:
    """A row of a statement: how questions call it, and the letters of its labels, best first."""

    statement: str
    asked: str
    labels: tuple[str, ...]


_ITEMS = {
    "current assets": _Item("balance", "current assets", ("totalcurrentassets",)),
    "current liabilities": _Item("balance", "current liabilities", ("totalcurrentliabilities",)),
    "inventory": _Item(
        "balance", "inventor", (r"(?:total|merchandise)?inventor(?:y|ies)(?:net)?",)
    ),
    "receivables": _Item("balance", "receivable", (r"(?:accounts|trade|net)\w*receivables?\w*",)),
    "payables": _Item("balance", "payables?", (r"accountspayable\w*", r"tradepayables?\w*")),
    "fixed assets": _Item(
        "balance",
        r"pp ?& ?n?e\b|ppn?e\b|property,? plant|fixed assets",
        (
            r"net(?:property|land)\w*equipment",
            r"(?:property|land)\w*equipment\w*net",
            r"(?:property|land)\w*equip\w*",
        ),
    ),
    "assets": _Item("balance", "total assets", ("totalassets",)),
    "equity": _Item(
        "balance", "equity", (r"total(?:stock|share)\w*equity", r"total(?!liab)\w*equity")
    ),
    "debt": _Item("balance", r"debt\b", (r"longterm(?:debt|borrowings)\w*",)),
    "current debt": _Item(
        "balance", r"debt\b", (r"(?:current\w+of|shortterm)\w*(?:debt|borrowings)\w*",)
    ),
    "revenue": _Item(
        "income",
        r"revenues?\b|net sales|top line",
        (r"total(?:net|operating)?(?:sales|revenues?)\w*", r"(?:net)?(?:sales|revenues?)(?:net)?"),
    ),
    "cost": _Item(
        "income", r"cogs\b|costs? of", (r"(?:total)?costs?of(?:goods|sales|rev|prod)\w*",)
    ),
    "gross profit": _Item("income", "gross (?:profit|margin)", (r"gross(?:profit|margin)",)),
    "operating income": _Item(
        "income",
        "operating (?:income|profit)",
        (
            r"(?:total)?operating(?:income|profit|earnings)(?:loss)?",
            r"(?:income|earnings|profit|loss)+fromoperations",
        ),
    ),
    "net income": _Item(
        "income",
        "net (?:income|earnings|profit)",
        (
            r"(?:consolidated)?net(?:income|earnings|loss)+",
            r"net(?:income|earnings|loss)+attributableto(?!non|redeem)\w+",
            r"net(?:income|earnings|loss)+\w*",
        ),
    ),
    "interest": _Item("income", "interest expense", (r"interestexpense\w*",)),
    "tax": _Item(
        "income", "income tax", (r"(?:provision|benefit)\w*incometax\w*", r"incometax\w*")
    ),
    "before tax": _Item("income", "before tax", (r"(?:income|earnings)\w*before\w*tax\w*",)),
    "capital expenditure": _Item(
        "cash",
        r"capex\b|capital (?:expenditures?|spending)",
        (
            r"capital(?:expenditures?|spending)\w*",
            (
                r"(?:purchase|acquisition|addition|payment|expenditure|investment)s?(?:of|to|for|in)\w*"
                r"(?:property|land|capital)\w*"
            ),
        ),
    ),
    "dividends": _Item("cash", "dividends", (r"(?:cash|paymentsof)*dividends\w*",)),
    "operating cash": _Item(
        "cash", "operating (?:activities|cash)", (r"(?:net)?cash\w*operati\w+",)
    ),
    "depreciation": _Item("cash", "depreciation", (r"depreciation\w*",)),
}

_TURNOVER = r"(?:turnover|days|outstanding)"
_RATIOS = [
    (regex.compile(rf"\b(?:{asked})"), items)
    for asked, items in (
        ("quick ratio|acid", ("current assets", "inventory", "current liabilities")),
        ("current ratio|working capital", ("current assets", "current liabilities")),
        (rf"dpo\b|days? payable|payables? {_TURNOVER}", ("payables", "cost", "inventory")),
        (rf"dso\b|days? sales|receivables? {_TURNOVER}", ("receivables", "revenue")),
        (rf"dio\b|days? inventor|inventory {_TURNOVER}", ("inventory", "cost")),
        ("cash conversion cycle", ("inventory", "receivables", "payables", "cost")),
        ("(?:fixed|tangible) asset turnover", ("revenue", "fixed assets")),
        ("asset turnover", ("revenue", "assets")),
        ("gross (?:profit )?margin", ("gross profit", "revenue", "cost")),
        ("operating (?:income |profit )?(?:%|percent)? ?margin", ("operating income", "revenue")),
        ("net (?:profit |income )?margin", ("net income", "revenue")),
        ("ebitda (?:%|percent)? ?margin", ("operating income", "depreciation", "revenue")),
        (r"roa\b|return on assets", ("net income", "assets")),
        (r"roe\b|return on (?:\w+ )?equity", ("net income", "equity")),
        ("debt.to.equity|gearing|leverage ratio", ("debt", "current debt", "equity")),
        ("interest coverage", ("operating income", "interest")),
        ("(?:payout|retention) ratio", ("dividends", "net income")),
        ("effective tax rate", ("tax", "before tax")),
        ("free cash ?flow", ("operating cash", "capital expenditure")),
        ("capital.intensi", ("capital expenditure", "fixed assets", "assets", "revenue")),
        (r"capex .*revenue|capital expenditures? .*revenue", ("capital expenditure", "revenue")),
    )
]


def rows_asked(question: str) -> tuple[str, ...]:
    """The names of the rows that a question needs: of a ratio, or of a statement that it names."""
    folded = fold(question)
    for pattern, items in _RATIOS:
        if pattern.search(folded):
            return items
    statements = {name for name, pattern in _ASKED.items() if pattern.search(folded)}
    return tuple(
        name
        for name, item in _ITEMS.items()
        if item.statement in statements and regex.search(rf"\b(?:{item.asked})", folded)
    )[:MOST_ROWS]


def statement_rows(
    question: str, sources: Iterable[str], corpus: CorpusView
) -> tuple[list[tuple[str, Citation]], tuple[str, ...]]:
    """The rows that a question about a named report needs, and the names of those not found.

    Of the first report named that lacks at most one of several; nothing if all lack more.
    """
    items = rows_asked(question)
    for source in named_documents(question, sources) if items else ():
        try:
            lines = [line.text for line in read_all(corpus, source)]
        except Refused:  # removed since it was found
            continue
        rows: dict[str, Numbered] = {}
        for statement in _STATEMENTS:
            own = [name for name in items if _ITEMS[name].statement == statement]
            rows |= _stated(own, statement, lines) if own else {}
        found = [
            (text, check_quotation(corpus, 0, source, text, number))
            for number, text in (rows[name] for name in items if name in rows)
        ]
        if len(found) >= max(1, len(items) - 1) and all(cited.stands for _, cited in found):
            return found, tuple(name for name in items if name not in rows)
    return [], ()


def _stated(names: Sequence[str], statement: str, lines: Sequence[str]) -> dict[str, Numbered]:
    """The rows of these names in the first such statement that lacks at most one of them."""
    titles = [n for n, text in enumerate(lines) if any(_entitles(s, text) for s in _STATEMENTS)]
    for strictly in (True, False):
        for at, following in pairwise((*titles, len(lines))):
            if not _entitles(statement, lines[at], strictly=strictly):
                continue
            end = min(at + MOST_LINES, following)
            rows = [row for n in range(at, end) for row in _rows(n + 1, lines[n])]
            found = {name: row for name in names if (row := _called(name, rows))}
            if len(rows) >= LEAST_ROWS and len(found) >= max(1, len(names) - 1):
                return found
    return {}


def _entitles(statement: str, text: str, *, strictly: bool = False) -> bool:
    """Whether a line is the title of a statement, if not `strictly` with words around it."""
    title = text[:MOST_LINE].lstrip("#* ")
    if not title[:1].isupper() or title.rstrip().endswith(":") or _ROW.search(title):
        return False
    if len(title.split()) > TITLE_WORDS:
        return False
    letters, titled = _letters(title), _TITLED[statement]
    return bool(titled.fullmatch(letters) if strictly else titled.search(letters))


def _rows(number: int, text: str) -> list[Numbered]:
    """Each label of a line with its figures: that of a PDF may have several."""
    return [(number, found[0].strip()) for found in _ROW.finditer(text[:MOST_LINE])]


def _called(name: str, rows: Sequence[Numbered]) -> Numbered | None:
    """The row of a name, by the best of its labels that one has."""
    return next(
        (
            row
            for label in _ITEMS[name].labels
            for row in rows
            if regex.fullmatch(label, _letters(row[1]))
        ),
        None,
    )


def _letters(text: str) -> str:
    """The first letters of what stands before the first figure."""
    return _SIGNS.sub("", regex.split(r"\d", fold(text))[0])[:MOST_LETTERS]
