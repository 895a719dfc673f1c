"""Formulas of Office (OMML) and of pages, books and OpenDocument (MathML), each on one line.

    (1+x)^n=∑_(k=0)^n binom(n, k)x^k        (a+b)/2        √[3]x        [1, 0; 0, 1]

Brackets stand where a page shows by place what a line cannot. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from indexer.extract.container import attribute, child, tag_of, text_of
from indexer.extract.hidden import hide

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_DEPTH = 100  # of nesting; deeper parts are their plain text
# A number, a word, a sign, or brackets around all: what needs no brackets as a part of something.
_ATOM = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_](?:[^\W\d_]{2,})?|\S|\([^()]*\)|\[[^\[\]]*\]|[-−+]?∞")
_LARGE = frozenset("∑∏∐∫∬∭∮⋃⋂⋀⋁")
_UNREAD = frozenset({"del", "moveFrom", "delText", "instrText", "annotation", "annotation-xml"})
_UNSEEN = dict.fromkeys(range(0x2061, 0x2065))  # signs for "applied to" and "times" without a form
# Where the base, the lower and the upper part of a script stand among its parts.
_SCRIPTS: Mapping[str, tuple[int, int | None, int | None]] = {
    **dict.fromkeys(("sSup", "msup", "limUpp", "mover"), (0, None, 1)),
    **dict.fromkeys(("sSub", "msub", "limLow", "munder"), (0, 1, None)),
    **dict.fromkeys(("sSubSup", "msubsup", "munderover"), (0, 1, 2)),
}
_ROWS = {"m": "; ", "mtable": "; ", "eqArr": "; ", "mr": ", ", "mtr": ", ", "func": " "}


def formula_text(formula: Element) -> str:
    """An `oMath` or `math` element as text."""
    return " ".join(_text(formula, 0).translate(_UNSEEN).split())


def _text(element: Element, depth: int) -> str:
    tag = tag_of(element)
    if tag in _UNREAD or tag.endswith("Pr"):
        return ""
    if not len(element) or depth > MAX_DEPTH:
        return f" {text_of(element)} " if tag == "mtext" else text_of(element)
    inner = [each for each in element if tag_of(each) and not tag_of(each).endswith("Pr")]
    parts = [_text(each, depth + 1) for each in inner]
    if tag in _SCRIPTS and len(parts) > max(at or 0 for at in _SCRIPTS[tag]):
        base, lower, upper = ("" if at is None else parts[at] for at in _SCRIPTS[tag])
        return _script(_grouped(base), lower, upper)
    if tag == "mphantom" or (tag == "phant" and _setting(element, "show") in ("0", "off", "false")):
        return hide("".join(parts))
    if tag in ("d", "mfenced"):
        return _fence(element, parts)
    if tag in _ROWS:
        text = _ROWS[tag].join(part.replace("&", "").strip() for part in parts)
        return f"[{text}]" if tag in ("m", "mtable") else text
    return _placed(tag, element, [*parts, "", ""]) if parts else ""


def _placed(tag: str, element: Element, parts: list[str]) -> str:
    """A fraction, a root or an operator over something; of anything else the parts in a row."""
    first, second = parts[:2]
    if tag in ("f", "mfrac"):
        stacked = _setting(element, "type") == "noBar" or element.get("linethickness") == "0"
        return f"binom({first}, {second})" if stacked else f"{_grouped(first)}/{_grouped(second)}"
    if tag in ("rad", "mroot"):
        degree, under = (first, second) if tag == "rad" else (second, first)
        return f"√{f'[{degree}]' if degree.strip() else ''}{_grouped(under)}"
    if tag == "msqrt":
        return f"√{_grouped(''.join(parts))}"
    if tag == "nary":
        return f"{_script(_setting(element, 'chr') or '∫', first, second)}{''.join(parts[2:])}"
    if tag == "acc":
        return f"{_grouped(first)}{_setting(element, 'chr') or chr(0x302)}"
    return "".join(parts)


def _grouped(text: str) -> str:
    """A part in brackets, unless it needs none."""
    text = text.strip()
    return text if not text or _ATOM.fullmatch(text) else f"({text})"


def _script(base: str, below: str, above: str) -> str:
    """A base with its limits; a large operator is set off from what it is over."""
    lower = f"_{_grouped(below)}" if below.strip() else ""
    upper = f"^{_grouped(above)}" if above.strip() else ""
    return f"{base}{lower}{upper}{' ' if base in _LARGE else ''}"


def _fence(element: Element, parts: list[str]) -> str:
    begin, between, end = element.get("open", "("), ", ", element.get("close", ")")
    if tag_of(element) == "d":
        given = (_setting(element, name) for name in ("begChr", "sepChr", "endChr"))
        begin, between, end = (
            usual if value is None else value for value, usual in zip(given, "(|)", strict=True)
        )
    text = between.join(parts)
    whole = begin == "(" and text.startswith("binom(")
    return text if whole and len(parts) == 1 else f"{begin}{text}{end}"


def _setting(element: Element, name: str) -> str | None:
    """A value among the properties of a part of OMML; None where it is not given."""
    found = child(element, f"{tag_of(element)}Pr", name)
    return None if found is None else attribute(found, "val") or ""


class Formula:
    """A formula of a page, from the stream of tags that a reader of the page gets."""

    def __init__(self) -> None:
        from lxml.etree import TreeBuilder

        self._builder = TreeBuilder()
        self._open: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element; below a depth that no formula has, its text is its parent's."""
        if len(self._open) <= MAX_DEPTH + 1:
            self._builder.start(tag, dict(attributes))
        self._open.append(tag)

    def data(self, text: str) -> None:
        """Take in text."""
        self._builder.data(text)

    def end(self, tag: str) -> bool:
        """Close the innermost element; True if it was the formula."""
        open_tag = self._open.pop()
        if len(self._open) <= MAX_DEPTH + 1:
            self._builder.end(open_tag)
        return not self._open

    def text(self) -> str:
        """The formula, as far as it came."""
        while self._open:
            self.end("")
        return formula_text(self._builder.close())
