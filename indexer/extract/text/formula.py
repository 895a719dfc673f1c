"""Formulas of Office (OMML) and of pages, books and OpenDocument (MathML), each on one line.

    (1+x)^n=∑_(k=0)^n x^k        (a+b)/2        √(x+1)        [1, 0; 0, 1]

Brackets stand where a page shows by place what a line cannot. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from indexer.extract.container import Element, attribute, child, tag_of, text_of

MAX_DEPTH = 100  # of nesting; deeper parts are their plain text
# A number, a word, a sign, or brackets around all: what needs no brackets as a part of something.
_ATOM = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_](?:[^\W\d_]{2,})?|\S|\([^()]*\)|\[[^\[\]]*\]|[-−+]?∞")
_UNREAD = frozenset({"del", "moveFrom", "delText", "instrText", "annotation", "annotation-xml"})
_UNSEEN = dict.fromkeys(range(0x2061, 0x2065))  # signs for "applied to" and "times" without a form
# What stands in front of each part but the first.
_SIGNS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("sSup", "msup", "limUpp", "mover"), ("^",)),
    **dict.fromkeys(("sSub", "msub", "limLow", "munder"), ("_",)),
    **dict.fromkeys(("sSubSup", "msubsup", "munderover", "nary"), ("_", "^")),
    **dict.fromkeys(("f", "mfrac"), ("/",)),
}
_ROWS = {"m": "; ", "mtable": "; ", "eqArr": "; ", "mr": ", ", "mtr": ", ", "func": " "}


def formula_text(formula: Element) -> str:
    """An `oMath` or `math` element as text."""
    return " ".join(_text(formula, 0).translate(_UNSEEN).split())


def _text(element: Element, depth: int) -> str:
    tag = tag_of(element)
    if tag in _UNREAD:
        return ""
    if not len(element) or depth > MAX_DEPTH:
        return f" {text_of(element)} " if tag == "mtext" else text_of(element)
    inner = [each for each in element if tag_of(each) and not tag_of(each).endswith("Pr")]
    parts = [_text(each, depth + 1) for each in inner]
    if tag == "nary":  # a sum or an integral: its sign is a property
        parts.insert(0, _property(element, "chr", "∫"))
    if _property(element, "type", "") == "noBar" or element.get("linethickness") == "0":
        return f"binom({', '.join(parts)})"
    signs = _SIGNS.get(tag, ())
    if signs and len(parts) > len(signs):
        placed = zip(signs, parts[1:], strict=False)
        limits = "".join(sign + _grouped(part) for sign, part in placed if part.strip())
        behind = " ".join(["", *parts[len(signs) + 1 :]])
        return _grouped(parts[0]) + limits + behind + " " * (parts[0] in ("∑", "∏"))
    if tag in ("rad", "mroot", "msqrt"):
        # The degree, which comes first in Office and last on pages, stands for itself.
        degree = {"rad": parts[0], "mroot": parts[-1]}.get(tag, "").strip()
        under = {"rad": parts[-1], "mroot": parts[0]}.get(tag, "".join(parts))
        return f"√{f'[{degree}]' if degree else ''}{_grouped(under)}"
    if tag in ("d", "mfenced"):
        begin = _property(element, "begChr", element.get("open", "("))
        return f"{begin}{', '.join(parts)}{_property(element, 'endChr', element.get('close', ')'))}"
    if tag in _ROWS:
        text = _ROWS[tag].join(part.replace("&", "").strip() for part in parts)
        return f"[{text}]" if tag in ("m", "mtable") else text
    return "".join(parts)


def _grouped(text: str) -> str:
    """A part in brackets, unless it needs none."""
    text = text.strip()
    return text if not text or _ATOM.fullmatch(text) else f"({text})"


def _property(element: Element, name: str, usual: str) -> str:
    """A value among the properties of a part of OMML."""
    value = attribute(child(element, f"{tag_of(element)}Pr", name), "val")
    return usual if value is None else value
