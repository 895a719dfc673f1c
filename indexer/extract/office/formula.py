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
_TALL = frozenset({"f", "sSup", "sSubSup", "rad", "nary", "mfrac", "msup", "msubsup", "mroot"})
_UNREAD = frozenset({"del", "moveFrom", "delText", "instrText", "annotation", "annotation-xml"})
_OFF = ("0", "off", "false")
_UNSEEN = dict.fromkeys(range(0x2061, 0x2065))  # signs for "applied to" and "times" without a form
# Where the base, the lower and the upper part of a script stand among its parts.
_SCRIPTS: Mapping[str, tuple[int, int | None, int | None]] = {
    **dict.fromkeys(("sSup", "msup", "limUpp", "mover"), (0, None, 1)),
    **dict.fromkeys(("sSub", "msub", "limLow", "munder"), (0, 1, None)),
    **dict.fromkeys(("sSubSup", "msubsup", "munderover"), (0, 1, 2)),
}
_FEWEST = {"f": 2, "mfrac": 2, "rad": 2, "mroot": 2, "nary": 3, "sPre": 3, "func": 2, "acc": 1}


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
    return _written(tag, element, inner, [_text(each, depth + 1) for each in inner])


def _written(tag: str, element: Element, inner: list[Element], parts: list[str]) -> str:
    """An element of which the parts are written."""
    if tag in _SCRIPTS and len(parts) >= len([n for n in _SCRIPTS[tag] if n is not None]):
        base, lower, upper = _SCRIPTS[tag]
        below, above = ("" if at is None else parts[at] for at in (lower, upper))
        return _script(_based(inner[base], parts[base]), below, above)
    if len(parts) < _FEWEST.get(tag, 0):
        return "".join(parts)
    if tag == "mphantom" or (tag == "phant" and _setting(element, "show") in _OFF):
        return hide("".join(parts))
    if tag in ("m", "mtable"):
        return f"[{'; '.join(parts)}]"
    if tag in ("mr", "mtr", "mlabeledtr"):
        return ", ".join(part.strip() for part in parts)
    if tag == "eqArr":
        return "; ".join(part.replace("&", "").strip() for part in parts)
    if tag in ("d", "mfenced"):
        return _fence(tag, element, inner, parts)
    return _named(tag, element, parts)


def _named(tag: str, element: Element, parts: list[str]) -> str:
    """A fraction, a root or an operator over something; of anything else the parts in a row."""
    match tag:
        case "f" | "mfrac":
            stacked = _setting(element, "type") == "noBar" or element.get("linethickness") == "0"
            above, below = parts[:2]
            return f"binom({above}, {below})" if stacked else f"{_grouped(above)}/{_grouped(below)}"
        case "rad":
            return f"√{f'[{parts[0]}]' if parts[0].strip() else ''}{_grouped(parts[1])}"
        case "mroot":
            return f"√[{parts[1]}]{_grouped(parts[0])}"
        case "msqrt":
            return f"√{_grouped(''.join(parts))}"
        case "nary":
            return f"{_script(_setting(element, 'chr') or '∫', parts[0], parts[1])}{parts[2]}"
        case "sPre":
            return f"{_script('', parts[0], parts[1])} {parts[2]}"
        case "func":
            return f"{parts[0]} {parts[1]}"
        case "acc":
            return f"{_grouped(parts[0])}{_setting(element, 'chr') or chr(0x302)}"
    return "".join(parts)


def _grouped(text: str) -> str:
    """A part in brackets, unless it needs none."""
    text = text.strip()
    return text if not text or _ATOM.fullmatch(text) else f"({text})"


def _based(element: Element, text: str) -> str:
    """What a script stands at; in brackets if it has a height of its own."""
    inner = [tag_of(each) for each in element if not tag_of(each).endswith("Pr")]
    tall = tag_of(element) in _TALL or (len(inner) == 1 and inner[0] in _TALL)
    return f"({text})" if tall else text


def _script(base: str, below: str, above: str) -> str:
    """A base with its limits; a large operator is set off from what it is over."""
    lower = f"_{_grouped(below)}" if below.strip() else ""
    upper = f"^{_grouped(above)}" if above.strip() else ""
    return f"{base}{lower}{upper}{' ' if base.strip() in _LARGE else ''}"


def _fence(tag: str, element: Element, inner: list[Element], parts: list[str]) -> str:
    if tag == "d":
        names = ("begChr", "sepChr", "endChr")
        given = [_setting(element, name) for name in names]
        begin, between, end = (
            usual if value is None else value for value, usual in zip(given, "(|)", strict=True)
        )
    else:
        begin, between, end = element.get("open", "("), ", ", element.get("close", ")")
    text = between.join(parts)
    if len(parts) == 1 and text.startswith("binom(") and begin == "(":
        return text
    rows = len(inner) == 1 and [tag_of(each) for each in inner[0]] == ["m"]
    return f"{begin}{text[1:-1] if rows else text}{end}"


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
