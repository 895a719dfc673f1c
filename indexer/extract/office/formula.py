"""Formulas on one line: those of Office (OMML), and MathML of pages, books and OpenDocument.

    (1+x)^n=∑_(k=0)^n binom(n, k)x^k        (a+b)/2        √[3](x)        [1, 0; 0, 1]

Brackets are added only where the page shows by place what a line cannot: around the parts of a
fraction, long exponents and indices, sums under a root. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from indexer.extract.container import attribute, child, tag_of, text_of
from indexer.extract.hidden import hide

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# A number, a letter, a word, a single sign: what needs no brackets as a part of something.
_ATOM = re.compile(
    r"(?:\d+(?:[.,]\d+)*|[^\W\d_](?:[^\W\d_]{2,})?)[′'\u0300-\u036f\u20d0-\u20f0]*"
    r"|[^\s\w()\[\]{}]|[-−+]?∞"
)
_SUM = re.compile(r"(?<=\S)\s*[-+−±=<>≤≥]")
_UNSEEN = dict.fromkeys(range(0x2061, 0x2065))  # signs for "applied to" and "times" without a form
_PAIRS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉"}
MAX_DEPTH = 100  # of nesting; deeper parts are their plain text


# --- The writer: parts of a formula as text -----------------------------------------------------


def _enclosed(text: str) -> bool:
    """Whether a text stands in one pair of brackets as a whole."""
    if text[:1] not in _PAIRS or len(text) < 2:
        return False
    opening, closing = text[0], _PAIRS[text[0]]
    depth = 0
    for at, char in enumerate(text):
        depth += (char == opening) - (char == closing)
        if depth == 0:
            return at == len(text) - 1
    return False


def _grouped(text: str) -> str:
    """A part in brackets, unless it is an atom or has them."""
    text = text.strip()
    return text if not text or _ATOM.fullmatch(text) or _enclosed(text) else f"({text})"


def _over(above: str, below: str) -> str:
    return f"{_grouped(above)}/{_grouped(below)}"


def _scripts(base: str, sub: str = "", sup: str = "") -> str:
    lower = f"_{_grouped(sub)}" if sub.strip() else ""
    upper = f"^{_grouped(sup)}" if sup.strip() else ""
    return f"{base}{lower}{upper}"


def _root(radicand: str, degree: str = "") -> str:
    return f"√{f'[{degree}]' if degree.strip() else ''}{_grouped(radicand)}"


def _large(operator: str, sub: str, sup: str, body: str) -> str:
    """A sum, product or integral with its limits and what it is over."""
    body = body.strip()
    shown = f"({body})" if _SUM.search(body) and not _enclosed(body) else body
    return f"{_scripts(operator, sub, sup)} {shown}".rstrip()


def _applied(name: str, argument: str) -> str:
    argument = argument.strip()
    if _enclosed(argument):
        return f"{name}{argument}"
    return f"{name}({argument})" if _SUM.search(argument) else f"{name} {argument}"


def _marked(base: str, mark: str) -> str:
    """A letter with an accent, bar or arrow."""
    return f"{base}{mark}" if len(base) == 1 else f"{_grouped(base)}{mark}"


def _rows(rows: Iterable[Iterable[str]]) -> str:
    return "; ".join(", ".join(cell.strip() for cell in cells) for cells in rows)


def _binomial(above: str, below: str) -> str:
    return f"binom({above}, {below})"


# --- OMML ---------------------------------------------------------------------------------------


def office_formula(formula: Element) -> str:
    """An `oMath` as text."""
    return _office(formula, 0).translate(_UNSEEN)


def _office(element: Element | None, depth: int) -> str:
    """The children of an element as text."""
    if element is None:
        return ""
    if depth > MAX_DEPTH:
        return text_of(element)
    return "".join(_office_part(each, depth + 1) for each in element)


def _office_part(element: Element, depth: int) -> str:
    tag = tag_of(element)
    if tag in _OFFICE:
        return _OFFICE[tag](element, depth)
    if tag == "t":
        return text_of(element)
    if tag in ("tab", "br", "cr"):
        return " "
    if tag in ("del", "moveFrom", "delText", "instrText") or tag.endswith("Pr"):
        return ""
    return _office(element, depth)


def _part(element: Element, name: str, depth: int) -> str:
    return _office(child(element, name), depth)


def _setting(element: Element, name: str, usual: str) -> str:
    """A value among the properties of a part; "" if it is given as empty."""
    properties = child(element, f"{tag_of(element)}Pr")
    found = child(properties, name)
    return usual if found is None else attribute(found, "val") or ""


def _is_on(element: Element, name: str) -> bool:
    properties = child(element, f"{tag_of(element)}Pr")
    found = child(properties, name)
    return found is not None and attribute(found, "val") not in ("0", "off", "false")


_TALL = frozenset({"f", "sSup", "sSubSup", "rad", "nary", "func", "limUpp", "msup", "mfrac"})


def _base(element: Element, name: str, depth: int) -> str:
    """What a script stands at; in brackets if it has a height of its own."""
    base = child(element, name)
    text = _office(base, depth)
    parts = [tag_of(each) for each in base if tag_of(each) != "ctrlPr"] if base is not None else []
    return f"({text})" if len(parts) == 1 and parts[0] in _TALL else text


def _fraction(element: Element, depth: int) -> str:
    above, below = _part(element, "num", depth), _part(element, "den", depth)
    return (_binomial if _setting(element, "type", "bar") == "noBar" else _over)(above, below)


def _fence(element: Element, depth: int) -> str:
    parts = [each for each in element if tag_of(each) == "e"]
    inner = [tag_of(each) for each in parts[0] if tag_of(each) != "ctrlPr"] if parts else []
    begin, end = _setting(element, "begChr", "("), _setting(element, "endChr", ")")
    if len(parts) == 1 and inner in (["m"], ["eqArr"]):
        texts = [_table(next(e for e in parts[0] if tag_of(e) == inner[0]), depth)]
    else:
        texts = [_office(each, depth) for each in parts]
    text = _setting(element, "sepChr", "|").join(texts)
    # Without a line, above one another in brackets: the brackets are part of the sign.
    if inner == ["f"] and (begin, end) == ("(", ")") and text.startswith("binom("):
        return text
    return f"{begin}{text}{end}"


def _table(element: Element, depth: int) -> str:
    """The cells of a matrix, or the lines of an array of equations."""
    if tag_of(element) == "eqArr":
        lines = (each for each in element if tag_of(each) == "e")
        return _rows([_office(line, depth).replace("&", "")] for line in lines)
    return _rows(
        [_office(cell, depth) for cell in row if tag_of(cell) == "e"]
        for row in element
        if tag_of(row) == "mr"
    )


def _nary(element: Element, depth: int) -> str:
    sub = "" if _is_on(element, "subHide") else _part(element, "sub", depth)
    sup = "" if _is_on(element, "supHide") else _part(element, "sup", depth)
    return _large(_setting(element, "chr", "∫"), sub, sup, _part(element, "e", depth))


def _radical(element: Element, depth: int) -> str:
    degree = "" if _is_on(element, "degHide") else _part(element, "deg", depth)
    return _root(_part(element, "e", depth), degree)


def _bar(element: Element, depth: int) -> str:
    mark = "\u0304" if _setting(element, "pos", "bot") == "top" else "\u0331"
    return _marked(_part(element, "e", depth), mark)


def _phantom(element: Element, depth: int) -> str:
    """Space as wide as a text that is not shown, or a text that takes no space."""
    properties = child(element, "phantPr")
    shown = child(properties, "show")
    text = _part(element, "e", depth)
    is_off = shown is not None and attribute(shown, "val") in ("0", "off", "false")
    return hide(text) if is_off else text


_Writer = Callable[["Element", int], str]
_OFFICE: Mapping[str, _Writer] = {
    "f": _fraction,
    "d": _fence,
    "nary": _nary,
    "rad": _radical,
    "bar": _bar,
    "phant": _phantom,
    "eqArr": _table,
    "m": lambda e, n: f"[{_table(e, n)}]",
    "sSup": lambda e, n: _scripts(_base(e, "e", n), "", _part(e, "sup", n)),
    "sSub": lambda e, n: _scripts(_base(e, "e", n), _part(e, "sub", n)),
    "sSubSup": lambda e, n: _scripts(_base(e, "e", n), _part(e, "sub", n), _part(e, "sup", n)),
    "sPre": lambda e, n: (
        f"{_scripts('', _part(e, 'sub', n), _part(e, 'sup', n))} {_part(e, 'e', n)}"
    ),
    "limLow": lambda e, n: _scripts(_base(e, "e", n), _part(e, "lim", n)),
    "limUpp": lambda e, n: _scripts(_base(e, "e", n), "", _part(e, "lim", n)),
    "func": lambda e, n: _applied(_part(e, "fName", n), _part(e, "e", n)),
    "acc": lambda e, n: _marked(_part(e, "e", n), _setting(e, "chr", "\u0302")),
}


# --- MathML -------------------------------------------------------------------------------------

_NO_LINE = re.compile(r"\s*0[.0]*+\s*+[a-z%]*+\s*")


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
        return math_formula(self._builder.close())


_LARGE = frozenset("∑∏∐∫∬∭∮⋃⋂⋀⋁⨁⨂")
_ACCENTS = {
    **dict.fromkeys("^ˆ\u0302", "\u0302"),
    **dict.fromkeys("¯‾_ˉ\u0304\u0305", "\u0304"),
    **dict.fromkeys("~˜\u0303", "\u0303"),
    **dict.fromkeys("→⃗", "\u20d7"),
    **dict.fromkeys("˙\u0307", "\u0307"),
    **dict.fromkeys("¨\u0308", "\u0308"),
}


def math_formula(formula: Element) -> str:
    """A `math` element as text."""
    return " ".join(_math_row(formula, 0).translate(_UNSEEN).split())


def _math_row(element: Element, depth: int) -> str:
    """The children of an element in a row; a large operator is set off from what it is over."""
    if depth > MAX_DEPTH:
        return text_of(element)
    texts: list[str] = []
    for each in element:
        text = _math(each, depth + 1)
        if texts and _operator(texts[-1]) and text.strip():
            texts.append(" ")
        texts.append(text)
    return "".join(texts)


def _operator(text: str) -> bool:
    return text[:1] in _LARGE and len(text) > 1


def _math(element: Element, depth: int) -> str:
    tag = tag_of(element)
    parts = [each for each in element if tag_of(each)]
    if tag in ("mi", "mn", "mo", "mtext", "ms"):
        text = " ".join(text_of(element).split())
        return f" {text} " if tag == "mtext" else text
    if tag == "mspace":
        return " "
    if tag == "semantics":
        return _math(parts[0], depth) if parts else ""
    if tag in _MATH_WHOLE:
        return _MATH_WHOLE[tag](element, depth)
    if tag in _MATH and len(parts) >= _MATH[tag][0]:
        if tag == "mfrac" and _NO_LINE.fullmatch(element.get("linethickness") or ""):
            return _binomial(*(_math(each, depth) for each in parts[:2]))
        base = _math if tag in ("mfrac", "mroot") else _math_base
        return _MATH[tag][1]([base(parts[0], depth), *(_math(e, depth) for e in parts[1:])])
    return _math_fenced_table(parts, depth) or _math_row(element, depth)


def _math_base(element: Element, depth: int) -> str:
    text = _math(element, depth)
    return f"({text})" if tag_of(element) in _TALL else text


def _math_table(element: Element, depth: int) -> str:
    return _rows(
        [_math_row(cell, depth) for cell in row if tag_of(cell) == "mtd"]
        for row in element
        if tag_of(row) in ("mtr", "mlabeledtr")
    )


def _math_fenced_table(parts: Sequence[Element], depth: int) -> str:
    """A matrix between its own brackets, as one; "" for any other row."""
    if [tag_of(each) for each in parts] not in (["mo", "mtable", "mo"], ["mo", "mtable"]):
        return ""
    begin, end = text_of(parts[0]).strip(), "".join(map(text_of, parts[2:])).strip()
    return f"{begin}{_math_table(parts[1], depth)}{end}"


def _math_fence(element: Element, depth: int) -> str:
    parts = [each for each in element if tag_of(each)]
    begin, end = element.get("open", "("), element.get("close", ")")
    separators = "".join((element.get("separators") or ",").split()) or ","
    if len(parts) == 1 and tag_of(parts[0]) == "mtable":
        return f"{begin}{_math_table(parts[0], depth)}{end}"
    return f"{begin}{f'{separators[0]} '.join(_math(each, depth) for each in parts)}{end}"


def _above(parts: Sequence[str]) -> str:
    """Something over a base: an accent or a limit."""
    mark = _ACCENTS.get(parts[1].strip())
    return _marked(parts[0], mark) if mark else _scripts(parts[0], "", parts[1])


def _math_fraction(parts: Sequence[str]) -> str:
    return _over(parts[0], parts[1])


_MATH_WHOLE: Mapping[str, _Writer] = {
    "annotation": lambda element, depth: "",
    "annotation-xml": lambda element, depth: "",
    "mphantom": lambda element, depth: hide(_math_row(element, depth)),
    "msqrt": lambda element, depth: _root(_math_row(element, depth)),
    "mtable": lambda element, depth: f"[{_math_table(element, depth)}]",
    "mfenced": _math_fence,
}
# Name of an element -> the least number of its parts, and how they are written.
_MATH: Mapping[str, tuple[int, Callable[[Sequence[str]], str]]] = {
    "mfrac": (2, _math_fraction),
    "msup": (2, lambda parts: _scripts(parts[0], "", parts[1])),
    "msub": (2, lambda parts: _scripts(parts[0], parts[1])),
    "munder": (2, lambda parts: _scripts(parts[0], parts[1])),
    "mover": (2, _above),
    "msubsup": (3, lambda parts: _scripts(*parts[:3])),
    "munderover": (3, lambda parts: _scripts(*parts[:3])),
    "mroot": (2, lambda parts: _root(parts[0], parts[1])),
}
