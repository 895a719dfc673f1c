"""How text of a page looks by its attributes and styles. Pure.

A page's own rules count where no script and no sheet from elsewhere may say otherwise. A colour
counts against a background that is written the same way; the page's own white only without a
stylesheet.
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

import regex

from indexer.extract.container import Element
from indexer.extract.extraction import table, words
from indexer.extract.hidden import (
    CLEAR,
    LOWERED,
    MAX_UNSEEN_POINTS,
    MIN_SEEN,
    PAPER,
    RAISED,
    UNKNOWN,
    Look,
)

_BLANKS = re.compile(r"[ \t\n\f\r]+")
_FAR = 900  # pixels to the left or above, by which text is put where no page is
_FURTHER = 5_000  # the same to the right or below
MAX_SHEET_CHARS = 50_000  # of rules that are read, comments left out
MAX_TRIED = 4_000_000  # elements of a page times selectors of its sheet; of siblings, in pairs
_OWN_RANK = (1_000, 0, 0)  # of an element's own style, beyond any selector's
_NAMED = table("css", "colours")
# Of an attribute that gives a colour, the sign may be missing.
_HEX = re.compile(r"#?([0-9a-f]{6})([0-9a-f]{2})?|#([0-9a-f]{3})([0-9a-f])?")
_FUNCTION = re.compile(r"(?<![a-z0-9])([a-z0-9]++)\(([^()]{0,200})\)")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")
_CLIPPED = re.compile(
    r"rect\((?:\s*[01](?:px)?[,\s]*){4}\)|inset\((?:50|100)%\)|circle\(0(?:px|%)?\)"
    r"|polygon\((?:0(?:px|%)?[, ]*){2,99}\)"
)
_LENGTH = re.compile(rf"({_NUMBER.pattern})(px|pt|em|rem|%|ex|ch|vw|vh|in|cm|mm)?")
_PIXELS = {"em": 16, "rem": 16, "%": 10, "vw": 10, "vh": 10, "in": 96, "cm": 38}
_SHORTHAND = re.compile(r"(?:^|\s)([\d.]+(?:px|pt|em|%)?)(?=/|\s)")  # of a font: its size

Style = dict[str, str]
# By property: whether it is important, how exact its selector is, its rule, its place there, value.
_Rank = tuple[int, int, int]
_Declared = dict[str, tuple[bool, _Rank, int, int, str]]


class Stylesheet:
    """The rules of a page's own stylesheets, by the elements that they are for, in their order.

    In a page that browsers take for an old one, a name is found in any letter case. One with rules
    or scripts may change its white and what is faint; one that `is_open`, how all of it looks.
    """

    def __init__(self, root: Element | None = None, *, is_old: bool = False) -> None:
        self._found: dict[Element, _Declared] = {}
        own = [] if root is None else [*root.iter("style")]
        css = "\n".join(each.text or "" for each in own if _ON_SCREEN.match(each.get("media", "")))
        css = _spelled(css)[:MAX_SHEET_CHARS]
        self.is_open = "@import" in css.lower() or (root is not None and bool(root.xpath(_FOREIGN)))
        self._styled = bool(own or self.is_open)
        self.plain = Look(ground=UNKNOWN if self._styled else PAPER)
        plain = _AT_RULES.sub(lambda rule: rule[1] or "", css)
        rules = [rule.partition("{") for rule in plain.split("}")]
        if not self.is_open and any(mark and declared for _, mark, declared in rules):
            selected = _Selected(root, is_old=is_old)
            for number, (selectors, _, declared) in enumerate(rules):
                for rank, elements in selected.by(selectors):
                    for element in elements:
                        found = self._found.setdefault(element, {})
                        _add(found, _declared(declared, rank, number))

    def look(self, outer: Look, tag: str, named: Mapping[str, str], at: Element = None) -> Look:
        """The look of an element within another one, by its attributes and the page's rules."""
        own = named.get("style", "")
        found = dict(_declared(_spelled(own), _OWN_RANK)) if own else {}
        _add(found, self._found.get(at, {}))
        if not found and _LOOKS.isdisjoint(named):
            return replace(outer, **_BY_TAG[tag]) if tag in _BY_TAG else outer
        style = {name: each[-1] for name, each in found.items()}
        given = _BY_TAG.get(tag, {}) | dict(_colours(tag, named, style))
        if any("line-through" in style.get(name, "") for name in _DECORATIONS):
            given["struck"] = True
        if shift := _SHIFTS.get(style.get("vertical-align", "")):
            given["shift"] = shift
        if visibility := style.get("visibility"):
            given["invisible"] = visibility in ("hidden", "collapse")
        shorthand = _SHORTHAND.search(style.get("font", ""))
        if size := style.get("font-size") or (shorthand[1] if shorthand else ""):
            given["points"] = 0.0 if _is_tiny(size, tiny=not outer.points) else 10.0
        if "hidden" in named or _is_gone(style):
            given["gone"] = True
        opacities = style.get("opacity", ""), dict(_functions(style, "filter")).get("opacity", "")
        shares = [share for each in opacities if (share := _share(each)) is not None]
        if min(shares, default=1.0) < MIN_SEEN and not self._styled:
            given["opacity"] = 0.0
        return replace(outer, **given) if given else outer


def parsed(source: str, *, is_xml: bool = False) -> Element:
    """The tree of a page, as deep as it is; an empty one where there is none."""
    from lxml import etree

    if "/>" in source and not is_xml:  # what nothing closes would take all that follows
        left = _RAW - {each.lower() for each in _CLOSED.findall(source)}
        source = _SLASHED.sub(lambda it: it[0] if it[2].lower() in left else f"{it[1]}>", source)
    source = _FORMAT.sub(r"\g<0><span>", _FEED.sub(" ", source))
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(source.encode("utf-8", "replace") or b"<p>", parser)
    return etree.Element("html") if root is None else root


VOID, BLOCKS, _RAW = (words("html", name) for name in ("void", "blocks", "raw"))
_FEED = re.compile(r"(?i)\f|&#(?:0*12|x0*c)(?:;|(?![0-9a-f]))")  # a blank, which libxml2 keeps
_SAID = r"(?:[^<>\"'=/]++|=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s<>\"']++)?|/(?!>))*+"
# To a browser "<div hidden/>" is open until "</div>", but in a drawing; to libxml2 it ends there.
_SLASHED = regex.compile(
    rf"(?i)<(?:svg|math)\b[^>]*+(?<!/)>(?:(?!</(?:svg|math)|<(?:{'|'.join(BLOCKS)})\b).)*+"
    rf"(*SKIP)(*FAIL)|(<(?!(?:{'|'.join(VOID)})[\s/])([a-z][^\s<>/]*+){_SAID})/>",
    regex.DOTALL,
)
_CLOSED = re.compile(rf"(?i)</({'|'.join(_RAW)})\b")
# Bold text and the like end for libxml2 where a paragraph begins, but for what is within them.
_FORMAT = re.compile(rf"(?i)<(?:{'|'.join(words('html', 'formats'))})\s{_SAID}>")
_FOREIGN = "//script|//link[contains(translate(@rel, 'ELHSTY', 'elhsty'), 'stylesheet')]"
_ON_SCREEN = re.compile(r"(?i)(?:[^,]*,)*?\s*(?:only\s+)?(?:all\b|screen\b|\W|\Z)")
_ONE = re.compile(r"(?:[^,()\[\]]|\[[^\]]*+\]|\((?:[^()]|\([^()]*+\))*+\))++")


class _Selected:
    """The elements of a page that selectors are for."""

    def __init__(self, root: Element, *, is_old: bool) -> None:
        self._root, self._is_old, self._left = root, is_old, MAX_TRIED
        self._names = {
            ("." if said.attrname == "class" else "#") + name
            for said in root.xpath("//@class|//@id")
            for name in _BLANKS.split(said.lower())
        }

    def by(self, selectors: str) -> Iterator[tuple[_Rank, list[Element]]]:
        """The rank of each selector of a rule, and its elements.

        Those of names that are nowhere are left out, and each that cannot be read; pseudo-classes
        of what a reader does, as `:hover`, are of no element.
        """
        import cssselect
        from lxml import etree

        count = int(self._root.xpath("count(//*)"))
        for one in dict.fromkeys(_ONE.findall(selectors)):
            if not {*"\\("} & {*one} and not self._names >= {*_NAMES.findall(one.lower())}:
                continue
            spelled = _NAMES.sub(_in_any_case, one) if self._is_old else one
            tried = count ** (1 + len(_SIBLINGS.findall(one)))
            # Raised also for a prefix that is nowhere declared, and for a control character.
            with suppress(cssselect.SelectorError, etree.XPathError, ValueError, RecursionError):
                [said], [selector] = cssselect.parse(one), cssselect.parse(spelled)
                path = cssselect.HTMLTranslator().selector_to_xpath(selector)
                if selector.pseudo_element is None and tried <= self._left:
                    self._left -= tried
                    yield said.specificity(), self._root.xpath(path)


def _in_any_case(name: regex.Match[str]) -> str:
    return f'[{"class~" if name[0][0] == "." else "id"}="{name[0][1:]}" i]'


# A document type that makes a page new to a browser: comments may stand before it, and no text.
_BLANK = r"[ \t\n\f\r]"
_QUOTED = rf"{_BLANK}*+(?!.(?:{'|'.join(words('html', 'old'))}))(?:\"[^\">]*+\"|'[^'>]*+')"
NEW = re.compile(
    rf"(?is)(?:{_BLANK}|<!--(?:-?>|.*?--!?>)|<(?:\?|!(?!--|doctype)|/(?![a-z]))[^>]*>)*+"
    rf"<!doctype{_BLANK}*+html(?:{_BLANK}++(?:public{_QUOTED}(?:{_QUOTED}[^>]*+)?|system{_QUOTED}[^>]*+))?"
    rf"{_BLANK}*+>"
)
_SIBLINGS = re.compile(r"[~+]|:(?:nth|first|last|only|has|empty)")
_NAME = r"(?:[\w\x80-\U0010ffff-]|\\[0-9a-f]{1,6}+\s?)++"
_NAMES = regex.compile(rf"\[[^\[\]]*+\](*SKIP)(*FAIL)|[.#]{_NAME}")
_SIGN = re.compile(r"(?is)\\(?:([0-9a-f]{1,6})[ \t\n\r\f]?|(.))|([^\w\s-])")
_SPELLED = re.compile(  # a string, an escape, an address, or a comment
    r"(?is)([\"'])((?:\\.|(?!\1)[^\\\n])*+)[\"'\n]?|(\\(?:[0-9a-f]{1,6}[ \t\n\r\f]?|.))"
    r"|(\burl)\((?!\s*[\"'])(?:\\.|[^)\\])*+\)?|/\*.*?(?:\*/|\Z)|<!--|-->|<!\[CDATA\[|\]\]>"
)


def _spelled(css: str) -> str:
    """Rules or declarations without comments; signs in strings and names are spelled as numbers."""

    def plain(found: re.Match[str]) -> str:
        quote, string, *others = (each or "" for each in found.groups())
        return quote + _SIGN.sub(_number, string + "".join(others)) + quote

    return _SPELLED.sub(plain, css)


def _number(sign: re.Match[str]) -> str:
    code = int(sign[1], 16) if sign[1] else ord(sign[2] or sign[3])
    char = chr(code) if 0 < code <= 0x10FFFF else "\ufffd"
    return char if char.isalpha() or code > 0x80 else f"\\{code:x} "


_BODY = r"(?:[^{}@]|\{[^{}@]*+\})*+"
_AT_RULES = re.compile(  # what stands in the first kind counts
    r"(?i)@(?:media\s+(?:only\s+)?(?:all|screen)(?:\s*,[^{}();@]*+)?|(?:layer|supports)[^{};@]*+)"
    rf"\s*\{{({_BODY})\}}"
    rf"|@[^{{}};@]*+(?:;|\{{{_BODY}\}})"
)
_PROPERTIES = words("css", "properties")
_COLOURING = re.compile(r"[^(]*\Z|(?:rgba?|hsla?|hwb|(?:ok)?l(?:ab|ch)|color(?:-mix)?|var)\(")


@lru_cache(maxsize=64)
def _declared(style: str, rank: _Rank, rule: int = 0) -> _Declared:
    """The declarations of a rule or of an element's own style."""
    found: _Declared = {}
    for at, each in enumerate(style.lower().split(";")):
        name, _, given = each.partition(":")
        value, mark, _ = given.partition("!")
        name, value = name.strip(), value.strip()
        if name in _PROPERTIES and (not name.endswith("color") or _COLOURING.match(value)):
            _add(found, {name: (bool(mark), rank, rule, at, value)})
    return found


def _add(found: _Declared, more: _Declared) -> None:
    """Let the more important, the more exact or the later declaration of each property count."""
    for name, declared in more.items():
        found[name] = max(found.get(name, declared), declared)


_SHIFTS = {"super": RAISED, "sub": LOWERED}
_BY_TAG: dict[str, dict[str, Any]] = {
    **{tag: {"struck": True} for tag in words("html", "struck")},
    "sup": {"shift": RAISED},
    "sub": {"shift": LOWERED},
}
_LOOKS = frozenset({"hidden", "color", "text", "bgcolor", "background"})  # attributes
_DECORATIONS = ("text-decoration", "text-decoration-line")


def _colours(tag: str, attributes: Mapping[str, str], style: Style) -> Iterator[tuple[str, Any]]:
    """The colour of an element's text and of its ground, where it gives them."""
    colour = style.get("-webkit-text-fill-color") or style.get("color")
    colour = colour or attributes.get("color" if tag == "font" else "text", "")
    if colour:
        clipped = style.get("background-clip", "") + style.get("-webkit-background-clip", "")
        known = _colour(colour)  # the ground may show in the shape of the letters
        yield "colour", "" if known == CLEAR and "text" in clipped else known
    given = [attributes.get("bgcolor", ""), style.get("background-color", "")]
    given += [style.get("background", ""), style.get("background-image", "")]
    given += [UNKNOWN] if attributes.get("background") else []
    for value in given:
        if value and value not in ("none", "transparent", "inherit", "initial", "unset"):
            fill = _colour(value)
            yield "ground", UNKNOWN if fill in ("", CLEAR) else fill


def _colour(value: str) -> str:
    """A colour as rrggbb, CLEAR for one that lets all others through, "" for what is neither."""
    value = value.strip().lower()
    if digits := _HEX.fullmatch(value):
        alpha = digits[2] or digits[4]
        if alpha and int(alpha, 16):
            return "" if alpha.strip("f") else (digits[1] or "")
        return CLEAR if alpha else digits[1] or "".join(digit * 2 for digit in digits[3])
    function = _FUNCTION.fullmatch(value)
    if function is None or function[1] not in ("rgb", "rgba", "hsl", "hsla"):
        return CLEAR if value == "transparent" else _NAMED.get(value, "")
    parts = re.split(r"[\s,/]+", function[2].strip())
    shares = [_share(each) for each in parts]
    if len(parts) not in (3, 4) or None in shares:
        return ""
    one, two, three, alpha_ = (each or 0.0 for each in (*shares, 1.0)[:4])
    if alpha_ < 1:
        return "" if alpha_ else CLEAR
    if function[1].startswith("hsl"):
        red, green, blue = colorsys.hls_to_rgb(one / 360 % 1, min(three, 1), min(two, 1))
        return "".join(f"{round(each * 255):02x}" for each in (red, green, blue))
    whole = (
        each * 255 if "%" in part else each
        for each, part in zip((one, two, three), parts, strict=False)
    )
    return "".join(f"{min(round(abs(each)), 255):02x}" for each in whole)


def _functions(style: Style, name: str) -> list[tuple[str, str]]:
    """The functions of a property, each with what is in its brackets."""
    return _FUNCTION.findall(style.get(name, ""))


def _share(value: str) -> float | None:
    """A number, per cent as a share; None where it is neither."""
    number = value.removesuffix("%").removesuffix("deg")
    if not _NUMBER.fullmatch(number):
        return None
    return float(number) / (100 if value.endswith("%") else 1)


def _length(value: str) -> tuple[float, str] | None:
    found = _LENGTH.fullmatch(value)
    return (float(found[1]), found[2] or "px") if found else None


def _is_tiny(size: str, *, tiny: bool) -> bool:
    """Whether a font's size is nothing; a share of an outer one that is nothing too."""
    length = _length(size)
    if length is None:
        return tiny and size in ("inherit", "smaller", "larger")
    number, unit = length
    if unit in ("px", "pt"):
        return number <= MAX_UNSEEN_POINTS
    share = number / 100 if unit == "%" else number
    return share < MIN_SEEN or (tiny and unit in ("em", "%", "ex", "ch"))


def _is_gone(style: Style) -> bool:
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return True
    if style.get("mso-hide") == "all" or any(
        _CLIPPED.fullmatch(style.get(name, "")) for name in ("clip", "clip-path")
    ):
        return True
    if style.get("overflow") in ("hidden", "clip") and any(
        _is_nothing(style.get(name, "")) for name in ("height", "max-height", "width", "max-width")
    ):
        return True
    for name, values in _functions(style, "transform"):
        parts = [each.strip() for each in values.split(",")]
        if name.startswith("scale") and any(abs(_share(each) or 0.0) < MIN_SEEN for each in parts):
            return True
        if name.startswith("translate") and any(map(_is_far, parts)):
            return True
    if any(map(_is_far, f"{style.get('inset', '')} {style.get('translate', '')}".split())):
        return True
    placed = style.get("position") in ("absolute", "fixed")
    names = ("left", "top", "right", "bottom", "margin-top") if placed else ()
    return any(_is_far(style.get(name, "")) for name in ("text-indent", "margin-left", *names))


def _is_nothing(value: str) -> bool:
    length = _length(value)
    return length is not None and length[0] <= (1 if length[1] in ("px", "pt") else 0)


def _is_far(value: str) -> bool:
    length = _length(value)
    if length is None:
        return False
    pixels = length[0] * _PIXELS.get(length[1], 1)
    return pixels <= -_FAR or pixels >= _FURTHER
