"""Blocks of rich documents as Markdown: headings, list items, rows. Pure.

Shared by HTML, office documents and books. Emphasis is omitted and addresses of links follow the
text: inline they would interrupt quotations. Text is not escaped, for the same reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_HEADING = 6
MAX_LIST_DEPTH = 8  # of indentation


def one_line(text: str) -> str:
    """`text` with each run of white space as one blank, and none at its ends."""
    return " ".join(text.split())


def heading(level: int, text: str) -> str:
    """A heading line; "" where it would be empty."""
    shown = one_line(text)
    return f"{'#' * min(max(level, 1), MAX_HEADING)} {shown}" if shown else ""


def item(text: str, depth: int, label: str = "-") -> str:
    """A list item at a depth of 1 or more, its later lines indented under the first."""
    indent = "  " * (min(max(depth, 1), MAX_LIST_DEPTH) - 1)
    return f"{indent}{label} {text.strip()}".replace("\n", f"\n{indent}  ")


def row(cells: Iterable[str]) -> str:
    """A table row on one line."""
    return f"| {' | '.join(map(cell, cells))} |"


def cell(text: str) -> str:
    """The text of a cell on one line; of a table within it the words remain."""
    return one_line(_INNER.sub(_words, text) if text.startswith("|") or "\n|" in text else text)


_INNER = re.compile(r"^\|.*\|$(?:\n\|.*\|$)*", re.MULTILINE)
_RULE = re.compile(r"\|(?: --- \|)+")


def _words(inner: re.Match[str]) -> str:
    """The rows of a table within a cell: "Port: Vigo, Fare: 7.50; Port: Cangas"."""
    lines = (line for line in inner[0].split("\n") if not _RULE.fullmatch(line))
    return "; ".join(
        ", ".join(filter(None, map(str.strip, line.strip("|").split(" | ")))) for line in lines
    )


MAX_LINKS = 200  # of a text; a page of more is a list of sources, and says so in words
MAX_ADDRESS = 200  # characters; longer ones are made for machines
_ADDRESS = re.compile(r"(?i)(?:https?://|mailto:)[^\s<>]+")


def links(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of links, of (text, address) pairs: once each address that leads out of a document.

    "" if there is none, or the text contains them already.
    """
    found: dict[str, str] = {}
    for text, address in pairs:
        shown = one_line(text)
        target = address.rpartition("//")[2].removeprefix("mailto:").rstrip("/")
        leads_out = len(address) <= MAX_ADDRESS and _ADDRESS.fullmatch(address)
        if shown and target not in shown and leads_out:
            found.setdefault(address, shown)
    lines = [f"- [{text}]({address})" for address, text in list(found.items())[:MAX_LINKS]]
    return "\n".join(["Links:", *lines]) if lines else ""


def page(blocks: Iterable[str]) -> str:
    """Blocks as one text, with a blank line between all but items of a list and rows."""
    pieces: list[str] = []
    before = ""
    for block in blocks:
        text = block.strip("\n")
        if not text.strip():
            continue
        if pieces:
            pieces.append("\n" if _follows(before, text) else "\n\n")
        pieces.append(text)
        before = text
    return "".join(pieces)


def _follows(before: str, block: str) -> bool:
    if before.startswith("|") and block.startswith("|"):
        return "\n" not in before and "\n" not in block
    return _is_item(before) and _is_item(block)


def _is_item(block: str) -> bool:
    label = block.lstrip().partition(" ")[0]
    return label in ("-", "•") or (label[-1:] in (".", ")") and len(label) <= MAX_LABEL)


MAX_LABEL = 8  # of a list item, as in "2.1.3."
