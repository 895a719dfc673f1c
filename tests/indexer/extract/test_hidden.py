"""What a document holds and does not show is read behind a mark, in every format alike."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from html import escape
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.table import Table

from indexer.extract import open_document
from indexer.extract.hidden import HIDDEN_MARK, hide, parted, shown
from indexer.records import Line
from tests.support.made_files import FILES, _saved, members, ppt, zipped

SHOWN, SECRET = "The deposit is 900 euros.", "The fee behind it is 50 euros."


def read(data: bytes, name: str) -> tuple[list[Line], str]:
    """The lines of a file that hold text, and its remark."""
    opened = open_document(data, name)
    return [line for line in opened.lines if line.text.strip() and not line.is_mark], opened.remark


def texts(lines: list[Line], *, hidden: bool) -> str:
    return "\n".join(line.text for line in lines if line.hidden == hidden)


def verdict(data: bytes, name: str) -> str:
    """Whether a file hides the one sentence, shows both, or neither: what is there then."""
    lines, remark = read(data, name)
    assert all(line.text.startswith(HIDDEN_MARK) == line.hidden for line in lines)
    seen, unseen = texts(lines, hidden=False), texts(lines, hidden=True)
    there = (SHOWN in seen, SECRET in seen, SHOWN in unseen, SECRET in unseen, remark)
    found = {
        (True, False, False, True, "1 passage is hidden in the document"): "hides",
        (True, True, False, False, ""): "shows",
    }
    return found.get(there, f"{seen} / {unseen} / {remark}")


def others(files: Mapping[str, tuple[str, bytes]], wanted: str) -> dict[str, str]:
    """Of files by what they do, those of which something else is true."""
    found = {way: verdict(data, name) for way, (name, data) in files.items()}
    return {way: each for way, each in found.items() if each != wanted}


# -- marks


PARTED = (
    (f"pay {hide('never ')}now", [("pay now", False), ("never", True)]),
    (f"pay {hide('never')} now", [("pay now", False), ("never", True)]),
    (hide("one") + hide(" two"), [("one two", True)]),
    (f"- {hide('one')}\n- two", [("one", True), ("- two", False)]),
    (f"# {hide('Title')}", [("Title", True)]),
    (f"| a | {hide('b')} | {hide('c')} |", [("| a | |", False), ("b | c", True)]),
    (f"| {hide('Fee')}: {hide('50')} | x |", [("| | x |", False), ("Fee: 50", True)]),
    (f"a{hide('b' + chr(10) + 'c')}d", [("a", False), ("b", True), ("d", False), ("c", True)]),
    (hide("a \ufdd1b"), [("a b", True)]),  # a noncharacter of the document's own ends nothing
    (hide(hide("a") + "b"), [("ab", True)]),
    (hide("x").partition("x")[0] + "never closed\nnor", [("never closed", True), ("nor", True)]),
    (hide("  "), [("  ", False)]),
)


def test_a_line_is_parted_from_what_it_hides():
    for text, lines in PARTED:
        marked = [(f"{HIDDEN_MARK} {line}" if hidden else line, hidden) for line, hidden in lines]
        found = [(" ".join(line.split(" ")), hidden) for line, hidden in parted(text)]
        assert sorted(found) == sorted(marked)


@pytest.mark.slow
@given(st.lists(st.tuples(st.text("ab c\n|-", max_size=9), st.booleans()), max_size=9))
def test_no_letter_is_lost_and_none_changes_sides(pieces):
    text = "".join(hide(piece) if hidden else piece for piece, hidden in pieces)
    for side in (False, True):
        there = [line.removeprefix(HIDDEN_MARK) for line, hidden in parted(text) if hidden == side]
        put = "".join(piece for piece, hidden in pieces if hidden == side)
        assert sorted("".join(there).translate(_LETTERS)) == sorted(put.translate(_LETTERS))


_LETTERS = str.maketrans("", "", " \n|-")


def test_noncharacters_of_a_document_hide_nothing_and_change_no_figure():
    page = "<p>The fee is 1\ufdd0.\ufdd15 and &#xfdd0;the rest&#64977; is shown</p>"
    for kind in ("txt", "md", "html", "csv", "json", "xml"):
        data = json.dumps({"fee": page}, ensure_ascii=False) if kind == "json" else page
        lines, remark = read(data.encode(), f"a.{kind}")
        assert not any(line.hidden for line in lines) and remark == ""
        text = re.sub("[\ufdd0\ufdd1]", "", texts(lines, hidden=False))
        assert "The fee is 1.5" in text and "is shown" in text, kind


def test_a_long_hidden_text_says_so_on_every_line():
    lines = list(parted(hide("secret words " * 500)))
    assert len(lines) > 10
    assert all(line.startswith(HIDDEN_MARK) and len(line) < 500 for line, _ in lines)
    assert shown(f"Lease {hide('draft')}") == "Lease "


# -- Word and PowerPoint, as little of each as is a document

SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:w14="urn:w14" xmlns:wp="urn:wp" xmlns:wps="urn:wps" xmlns:p="urn:p" xmlns:r="urn:r" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def word(run: str = "", paragraph: str = "", style: str = "", around: str = "{}") -> bytes:
    """A paragraph that shows a sentence, and one with properties of its run, itself or a style."""
    hidden = f"<w:r><w:rPr>{run}<w:rStyle w:val='S'/></w:rPr><w:t>{SECRET}</w:t></w:r>"
    body = around.format(f"<w:p><w:pPr>{paragraph}</w:pPr>{hidden}</w:p>")
    shown = f"<w:p><w:r><w:t>{SHOWN}</w:t></w:r></w:p>"
    base = f"<w:style w:styleId='B'><w:rPr>{style}</w:rPr></w:style>"
    styles = f"{base}<w:style w:styleId='S'><w:basedOn w:val='B'/></w:style>"
    return zipped(
        {
            "word/document.xml": f"<w:d {SPACES}><w:body>{shown}{body}</w:body></w:d>",
            "word/styles.xml": f"<w:styles {SPACES}>{styles}</w:styles>",
        }
    )


def box(shape: str, left: int = 10**6) -> str:
    return (
        "<w:p><w:r><w:drawing><wp:anchor><wp:positionH relativeFrom='page'><wp:posOffset>"
        f"{left}</wp:posOffset></wp:positionH><wp:extent cx='2000000' cy='9'/><wps:wsp><wps:spPr>"
        f"{shape}</wps:spPr><wps:txbx><w:txbxContent>{{}}</w:txbxContent></wps:txbx></wps:wsp>"
        "</wp:anchor></w:drawing></w:r></w:p>"
    )


def cell(fill: str = "", table: str = "") -> str:
    row = f"<w:tr><w:tc><w:p/></w:tc><w:tc><w:tcPr>{fill}</w:tcPr>{{}}</w:tc></w:tr>"
    return f"<w:tbl><w:tblPr>{table}</w:tblPr>{row}</w:tbl>"


def shade(fill: str) -> str:
    return f"<w:shd w:val='clear' w:fill='{fill}'/>"


def solid(colour: str, alpha: int | None = None) -> str:
    inner = "" if alpha is None else f"<a:alpha val='{alpha}'/>"
    return f"<a:solidFill><a:srgbClr val='{colour}'>{inner}</a:srgbClr></a:solidFill>"


WHITE = "<w:color w:val='FFFFFE'/>"
CLEAR = "<w14:textFill><w14:solidFill><w14:x><w14:alpha w14:val='{}'/></w14:x></w14:solidFill>"
CLEAR += "</w14:textFill>"


def in_xml(run: str) -> dict[str, bytes]:
    """The same two paragraphs in both of Word's XML forms: of 2003, and a package in one file."""
    old = "http://schemas.microsoft.com/office/word/2003/wordml"
    new = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.microsoft.com/office/2006/xmlPackage"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    body = f"<w:p><w:r><w:t>{SHOWN}</w:t></w:r></w:p>"
    body += f"<w:p><w:r><w:rPr>{run}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p>"
    main = "<Relationship Id='r' Type='urn:/officeDocument' Target='word/document.xml'/>"
    parts = {
        "/_rels/.rels": f"<Relationships xmlns='{relations}'>{main}</Relationships>",
        "/word/document.xml": f"<w:d xmlns:w='{new}'><w:body>{body}</w:body></w:d>",
    }
    flat = "".join(
        f"<p:part p:name='{name}'><p:xmlData>{part}</p:xmlData></p:part>"
        for name, part in parts.items()
    )
    whole = f"<w:wordDocument xmlns:w='{old}'><w:body>{body}</w:body></w:wordDocument>"
    package = f"<p:package xmlns:p='{package}'>{flat}</p:package>"
    return {"of 2003": whole.encode(), "a package": package.encode()}


def drawing(look: str, group: str = "") -> bytes:
    texts = f"<text>{SHOWN}</text><g {group}><text {look}>{SECRET}</text></g>"
    return f"<svg xmlns='http://www.w3.org/2000/svg'>{texts}</svg>".encode()


SVG_HIDES = {
    "display": drawing("display='none'"),
    "style": drawing("style='fill:red; Display : none !important'"),
    "opacity": drawing("opacity='0.0'"),
    "visibility": drawing("style='visibility:hidden'"),
    "a group": drawing("", "style='opacity:0'"),
}
SVG_SHOWS = {"plain": drawing(""), "half": drawing("opacity='0.5' style='display:inline'")}


def feed(style: str) -> dict[str, bytes]:
    text = escape(f"<p>{SHOWN}</p><p style='{style}'>{SECRET}</p>")
    return {"a feed": f"<rss><item><summary>{text}</summary></item></rss>".encode()}


VANISH, EXACT = "<w:vanish/>", "<w:spacing w:line='{}' w:lineRule='exact'/>"
WORD_HIDES = {
    "vanish": word(VANISH),
    "by a style": word(style=VANISH),
    "white": word(WHITE),
    "white by a style": word(style=WHITE),
    "black on black": word("<w:color w:val='000000'/>" + shade("000000")),
    "on its marker": word("<w:color w:val='FFFF00'/><w:highlight w:val='yellow'/>"),
    "one point": word("<w:sz w:val='2'/>"),
    "a hundredth wide": word("<w:w w:val='1'/>"),
    "clear": word(CLEAR.format(100_000)),
    "no line is high enough": word(paragraph=EXACT.format(10)),
    "left of the page": word(paragraph="<w:ind w:left='-31000'/>"),
    "a frame aside": word(paragraph="<w:framePr w:w='9' w:hAnchor='page' w:x='-20000'/>"),
    "white on a white box": word(WHITE, around=box(solid("FFFFFF"))),
    "a box beside the page": word(around=box("", -9_000_000)),
    "white in a cell": word(WHITE, around=cell()),
    "a row": word(around=cell().replace("<w:tr>", "<w:tr><w:trPr><w:hidden/></w:trPr>")),
}
WORD_SHOWS = {
    "white on blue": word(WHITE + shade("0000AA")),
    "white on a blue paragraph": word(WHITE, shade("0000AA")),
    "white on a marker": word(WHITE + "<w:highlight w:val='blue'/>"),
    "switched off": word("<w:vanish w:val='0'/>", style=VANISH),
    "four points": word("<w:sz w:val='8'/>"),
    "half as wide": word("<w:w w:val='50'/>"),
    "half clear": word(CLEAR.format(50_000)),
    "a usual line": word(paragraph=EXACT.format(240)),
    "white on a dark box": word(WHITE, around=box(solid("102030"))),
    "a box whose ground is not known": word(WHITE, around=box("")),
    "white in a dark cell": word(WHITE, around=cell(shade("222222"))),
    "white in a table of a style": word(WHITE, around=cell(table="<w:tblStyle w:val='T'/>")),
}


def related(*targets: str) -> str:
    each = (f"<R Id='r{n}' Type='x/{target.strip('0123456789')}' Target='{target}'/>"
            for n, target in enumerate(targets))  # fmt: skip
    return f"<Rs>{''.join(each)}</Rs>"


def slides(
    run: str = "",
    fill: str = "",
    place: tuple[int, int] = (9, 9),
    *,
    slide: str = "",
    around: str = "{}",
) -> bytes:
    """A slide with both sentences; `run` and `fill` are of the second and its shape."""
    frame = f"<a:xfrm><a:off x='{place[0]}' y='{place[1]}'/><a:ext cx='400' cy='100'/></a:xfrm>"
    shape = "<p:sp><p:nvSpPr><p:cNvPr/></p:nvSpPr><p:spPr>{}</p:spPr><p:txBody>{}</p:txBody></p:sp>"
    said = f"<a:p><a:r><a:rPr{run if run[:1] == ' ' else f'>{run}</a:rPr'}{'/' * (run[:1] == ' ')}>"
    said += f"<a:t>{SECRET}</a:t></a:r></a:p>"
    tree = shape.format("", f"<a:p><a:r><a:t>{SHOWN}</a:t></a:r></a:p>")
    tree += around.replace("{}", shape.format(frame + fill, said)).replace("[]", said)
    theme = "<a:lt1><a:sysClr val='window' lastClr='FFFFFF'/></a:lt1>"
    master = "<p:bg><p:bgRef idx='1001'><a:schemeClr val='bg1'/></p:bgRef></p:bg>"
    parts = {
        "presentation": "<p:sldIdLst><p:x r:id='r0'/></p:sldIdLst><p:sldSz cx='1000' cy='800'/>",
        "slide1": f"<p:cSld>{slide}<p:spTree>{tree}</p:spTree></p:cSld>",
        "slideLayout1": "<p:cSld/>",
        "slideMaster1": f"<p:cSld>{master}</p:cSld><p:clrMap bg1='lt1'/>",
        "theme1": f"<a:themeElements><a:clrScheme>{theme}</a:clrScheme></a:themeElements>",
    }
    below = {
        "presentation": related("slide1"),
        "slide1": related("slideLayout1"),
        "slideLayout1": related("slideMaster1"),
        "slideMaster1": related("theme1"),
    }
    files = {f"ppt/{name}.xml": f"<p:x {SPACES}>{part}</p:x>" for name, part in parts.items()}
    rels = {
        f"ppt/_rels/{name}.xml.rels": each.replace("1'/>", "1.xml'/>")
        for name, each in below.items()
    }
    return zipped(files | rels)


OFF = "<p:cNvPr hidden='1'/>"
TABLE = "<p:graphicFrame><p:nvGraphicFramePr>{}</p:nvGraphicFramePr><a:tbl><a:tr><a:tc><a:txBody>[]"
TABLE += "</a:txBody><a:tcPr>{}</a:tcPr></a:tc></a:tr></a:tbl></p:graphicFrame>"
DARK = "<p:bg><p:bgPr>" + solid("0000AA") + "</p:bgPr></p:bg>"
SLIDE_HIDES = {
    "a group": slides(around=f"<p:grpSp><p:nvGrpSpPr>{OFF}</p:nvGrpSpPr>{{}}</p:grpSp>"),
    "a table": slides(around=TABLE.replace("{}", OFF, 1).replace("{}", "")),
    "left of it": slides(place=(-401, 9)),
    "right of it": slides(place=(1001, 9)),
    "below it": slides(place=(9, 801)),
    "in the shape's colour": slides(solid("FFFFFF"), solid("FFFFFF")),
    "in the slide's colour": slides(solid("FFFFFF")),
    "in the theme's paper": slides("<a:solidFill><a:schemeClr val='bg1'/></a:solidFill>"),
    "one point": slides(" sz='100'"),
    "clear": slides(solid("000000", 0)),
    "without a fill": slides("<a:noFill/>"),
    "in a cell of its colour": slides(
        solid("FFFFFF"), around=TABLE.replace("{}", "", 1).replace("{}", solid("FFFFFF"))
    ),
}
SLIDE_SHOWS = {
    "as it is": slides(),
    "on a dark shape": slides(solid("FFFFFF"), solid("102030")),
    "on a dark slide": slides(solid("FFFFFF"), slide=DARK),
    "beside a picture": slides(solid("FFFFFF"), around="<p:pic/>{}"),
    "partly on it": slides(place=(999, 9)),
    "half clear": slides(solid("000000", 50_000)),
    "four points": slides(" sz='400'"),
    "in a dark cell": slides(
        solid("FFFFFF"), around=TABLE.replace("{}", "", 1).replace("{}", solid("102030"))
    ),
}


def test_a_hidden_heading_is_no_heading_and_a_hidden_slide_hides_all():
    style = "<w:outlineLvl w:val='0'/>"
    lines, _ = read(word(VANISH, style), "a.docx")
    assert [line.text for line in lines] == [SHOWN, f"{HIDDEN_MARK} {SECRET}"]
    assert read(word("", style), "a.docx")[0][1].text == f"# {SECRET}"
    data = zipped_with(slides(), "ppt/slide1.xml", b"<p:x ", b"<p:x show='0' ")
    assert [line.hidden for line in read(data, "a.pptx")[0]] == [True, True]


def twice(space: str, *forms: str) -> str:
    """Three times what is written for newer and for older programs, the last with a text."""
    known = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
    begin = f"m:AlternateContent xmlns:m='{space}' xmlns:k='{known}' xmlns:wps='urn:new'"
    whole = f"<{begin}>{''.join(forms)}</m:AlternateContent>"
    return whole.replace("{}", "") * 2 + whole


def test_of_what_is_written_for_several_programs_that_is_read_which_office_shows():
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    newer, older = "<m:Choice Requires='k'/>", "<m:Fallback>{}</m:Fallback>"
    new, none = "<m:Choice Requires='k wps'>{}</m:Choice>", "<m:Choice Requires='wps'/>"
    ignored = f"<wps:x xmlns:wps='urn:new' xmlns:m='{space}' m:Ignorable='wps'>{{}}</wps:x>"
    for make, name in ((word, "a.docx"), (slides, "a.pptx")):
        for forms in ((newer, older), (older, newer), (new, "<m:Fallback/>"), (new,)):
            lines, remark = read(make(around=twice(space, *forms)), name)
            assert ([line.text for line in lines], remark) == ([SHOWN], ""), (name, forms)
        for forms in ((older,), (none, older), (none, none, older, "<m:Fallback/>")):
            assert verdict(make(around=twice(space, *forms)), name) == "shows"
        assert [line.text for line in read(make(around=ignored), name)[0]] == [SHOWN]
    plain = f"<a><b>{SHOWN}</b>{twice('urn:x', newer, older)}</a>".replace("{}", SECRET)
    assert verdict(plain.encode(), "a.xml") == "shows"


def zipped_with(data: bytes, name: str, before: bytes, after: bytes) -> bytes:
    within = members(data)
    return zipped(within | {name: within[name].replace(before, after)})


# -- web pages and mail


def page(html: str, head: str = "") -> bytes:
    return f"<html><head><title>Lease</title>{head}</head><body>{html}</body></html>".encode()


def styled(styles: str) -> list[str]:
    """The attribute of each inline style."""
    return [f"style='{style}'" for style in styles.split(" | ")]


WAYS_TO_HIDE = (
    *styled(
        "display:none | DISPLAY : none !important | display:/* as it was */none | "
        'font-family:"/*";display:none | list-style:url(a/*b);display:none | '
        "visibility: hidden | font-size:0 | "
        "font-size:1px; line-height: 1px | max-height:0;overflow:hidden | "
        "position:absolute; left:-9999px | text-indent:-100em | mso-hide:all | "
        "position:absolute;clip:rect(0,0,0,0) | clip-path: inset(100%) | transform:scale(0) | "
        "opacity:0 | color:transparent | color:rgba(0,0,0,0) | color:#fff | "
        "color:rgb(255, 255, 254) | color:white;background:#FFFFFF | "
        "color:#000;background-color:black | opacity:0.01 | filter:opacity(0) | "
        "font-size:0.01em | font: 0/0 a | transform:translateX(-9999px) | "
        "transform: scale(0.001) | position:absolute;left:9999px | "
        "position:fixed;bottom:-500vh | clip-path:circle(0) | clip-path: polygon(0 0,0 0,0 0) | "
        r"content-visibility:hidden | d\69splay:no\6e e | color:hsl(0,0%,100%) | color:#0000 | "
        "color:ivory;background:#fffff0 | -webkit-text-fill-color:transparent | "
        "position:fixed;inset:-9999px auto auto | translate:-100em"
    ),
    "hidden",
    'hidden="until-found"',
    "bgcolor='#102030' style='color:#102030'",
)
WAYS_TO_SHOW = (
    *styled(
        "display:block | visibility:visible | font-size:6px | font-size:90% | "
        "max-height:200px;overflow:hidden | position:absolute; left:-5px | "
        "color:#fff;background:#102030 | color:#fff;background:url(a.png) | "
        "color:#fff;background:linear-gradient(red, blue) | color:#333 | opacity:0.5 | "
        "color:transparent;background-clip:text;background-image:url(a.png) | "
        "color:rgba(0,0,0,.5) | color:rgba(255,255,255,.5);background:#fff | "
        "color:rgba(1.2.3) | color:rgba(0,0,0,1.2.3) | "
        ";:;;x:y:z;font-size:;color:#;opacity:.;left:--9px;clip:rect( | "
        "transform:scale(-1)rotate(45deg) translate(5px, -5px) | color:hsl(210 50% 30%) | "
        "color:#fff8 | font: bold 12px/14px serif | clip-path:circle(50%)"
    ),
    "",
    "bgcolor='#102030' style='color:#fff'",
    "class='hidden'",
)
RULES = {
    ".x{display:none}": "class='y X'",
    "/* .x{} */#i, u { v\\69 sibility : h\\idden }": "id=i",
    "div.b.c{font-size:0}": "class='b\fc'",
    "body{background:#fff} .x{color:#fff}": "class=x",
    "@media screen, print { .x{display:none} }": "class=x",
    f"/*{'y' * 60_000}*/.x{{display:none}}": "class=x",
    ".x{display:none!important} .x{display:block}": "class=x",
    "@layer a, b; @layer a { .x{display:none} }": "class=x",
    "@supports (display: grid) { .x{content:'}';display:none;quotes:';display:block'} }": "class=x",
}
SELECTED = [  # what any selector of CSS may say of the second element, a div
    ("body > .x{}", "class=x"),
    ("p + div.x, p ~ i{}", "class=x"),
    ("html body [data-x=a]{}", "data-x=a"),
    ("div[title^=Void]{}", "title='Void since May'"),
    (":is(.x, .y):not(.z){}", "class=y"),
    ("[title='a,b'], b{}", "title='a,b'"),
    (r".\78 -y, #\69 d{}", "class=x-y"),
    ('div[title="].foo"]{}', "title='].foo'"),
    (".x:nth-child(2), .y:hover{}", "class=x"),
    ("DIV.x::before{} body .x{}", "class=x"),
]
RULES |= {rule.replace("{}", "{display:none}"): attribute for rule, attribute in SELECTED}
NOT_HIDING = [
    "<!doctype html><style>.X{display:none}</style>",
    "<style>.x{display:none}div.x{display:block}</style>",
    "<style media=print>.x{display:none}</style>",
    "<!-- <style>.x{display:none}</style> -->",
]
HTML_4 = "-//W3C//DTD HTML 4.01 Transitional//EN"
OLD_TYPES = (  # to Chromium 156, as NEW_TYPES
    *("", "<!doctype foo>", "<!doctype html x>", "<!doctype>", "<p><!doctype html>"),
    *("\xa0<!doctype html>", "\ufeff\ufeff<!doctype html>", "<!doctype html PUBLIC 'x>"),
    *("<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 3.2 Final//EN'>", "<!doctype html\xa0>"),
    *(f"<!doctype html public '{HTML_4}'>", "<!doctype html PUBLIC '-//IETF//DTD HTML//EN' 's'>"),
)
NEW_TYPES = (
    *("<!doctype html>", "<!-- > -->\n<!DOCTYPE HTML>", "<!--><!doctype html>", "<!doctypehtml>"),
    *("</ x><!x><?x?><!doctype html>", f"<!doctype html public '{HTML_4}''s'>"),
    *("<!doctype html public 'x'>", "<!doctype html SYSTEM 'about:legacy-compat'>"),
)
ASTRAY = (  # in none of them begins a comment, a script or a stylesheet
    "<title><!--</title><style>",
    *("<p title='<!-- <script <link rel=stylesheet'><style>", "<style/>"),
    "<!-- <script> @import --><style title='>'>",
    f"<style media='print, screen' data-media=print title='{'y' * 600}'>/* @import */",
)


def ruled(rule: str, attribute: str, beside: str = "") -> tuple[str, bytes]:
    html = f"<p>{SHOWN}</p><div {attribute}>{SECRET}</div>"
    return "a.html", page(html, f"<style>{rule}</style>{beside}")


def by_rules(hides: bool) -> Iterator[tuple[str, tuple[str, bytes]]]:
    """Pages with a stylesheet of their own; what may undo it lets all be seen."""
    for rule, attribute in RULES.items():
        if hides:
            yield rule, ruled(rule, attribute)
            commented = f"<p>{SHOWN}</p><div {attribute}>{SECRET}</div>"
            commented += f"<style media='screen'><!-- {rule} --></style>"
            yield f"{rule} in the body", ("a.html", page(commented))
            continue
        yield f"{rule} of another", ruled(rule, f"z{attribute}")
        for beside in ("<script src=a.js></script>", "<link rel=stylesheet href=a.css>"):
            yield f"{rule} {beside}", ruled(rule, attribute, beside)
        if "@" not in rule:
            yield f"{rule} on paper", ruled(f"@media print {{{rule}}}", attribute)
    if not hides:
        html = page(f"<p>{SHOWN}</p><div class=x>{SECRET}</div>")
        yield from ((head, ("a.html", head.encode() + html)) for head in NOT_HIDING)
        for rule in ("div b .x{display:none}", "@media print{.x{display:none}}"):
            yield rule, ruled(rule, "class=x")


def test_rules_cost_an_element_no_more_than_their_room():
    many = {
        f"{'p,' * 24_990}p{{color:red}}": "<p>a" * 1_000,
        f"{','.join(f'.x{n}.c' for n in range(5_000))}{{color:red}}": "<p class=c>a" * 1_000,
        f"{'p,' * 12_000}p{{{'top:1;' * 4_000}}}": "<p>a" * 1_000,
        "@media all{a{" * 3_800: "<p>a" * 1_000,
    }
    read(page("<p>a", "<style>p{color:red}</style>"), "a.html")  # what it needs is imported
    for rule, body in many.items():
        began = time.process_time()
        read(page(body, f"<style>{rule}</style>"), "a.html")
        assert time.process_time() - began < 0.5, rule[:20]  # ten times what the dearest takes


def beside(page_text: str, kind: str = "alternative") -> bytes:
    head = f"From: a@b\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary=z"
    plain = f"Content-Type: text/plain\n\n{SHOWN}\n{SECRET}\nhttps://example.org/x"
    rich = f"Content-Type: text/html\n\n<p>{page_text}</p>"
    return f"{head}\n\n--z\n{plain}\n\n--z\n{rich}\n--z--\n".encode()


def test_an_alternative_that_no_reader_shows_is_not_the_text_of_a_mail():
    for kind in ("text/x-foo", "text/enriched", "text/watch-html"):
        mail = beside("777 euros").replace(b"text/html", kind.encode())
        text = "".join(line.text for line in read(mail, "a.eml")[0])
        assert SHOWN in text and "777 euros" not in text, kind


PALE = f"<p>{SHOWN}</p><p style='color:#fff'>{SECRET}</p>"
FAINT = PALE.replace("color:#fff", "opacity:0")
PICTURE = f"<p>{SHOWN}</p><p><img src=x alt='{SECRET}' width={{0}} height={{0}}></p>"
ROW = f"<tr><td>Rent</td><td>{SHOWN}</td><td style='display:none'>{SECRET}</td></tr>"
HEADS = (
    "<style>body{background:#000}</style>",
    "<link rel=stylesheet href=a.css>",
    "<script src=a.js></script>",
)


def pages(hides: bool) -> dict[str, tuple[str, bytes]]:
    found = dict(by_rules(hides))
    if hides:
        mail = b"Subject: Lease\nMIME-Version: 1.0\nContent-Type: text/html\n\n"
        for way in WAYS_TO_HIDE:
            for tag, slash in (("div", ""), ("span", " /"), ("u", "><p")):
                html = page(f"<p>{SHOWN} <{tag} {way}{slash}><b>{SECRET}</b></{tag}></p>")
                found |= {
                    f"{tag} {way}": ("a.html", html),
                    f"mail {tag} {way}": ("a.eml", mail + html),
                }
        whole = {
            "a picture of a pixel": PICTURE.format(1),
            "white on paper": PALE,
            "a link": f"<p>{SHOWN}</p><p hidden><a href='https://evil.example/x'>{SECRET}</a></p>",
            "a cell": f"<table>{ROW}<tr><td>a<td>b<td>c</table>",
        }
        coloured = PALE.replace("color:#fff", "color:#fff;background:#fff")
        for head in ASTRAY:
            sheet = f"{head}.x{{display:none}}</style>"
            found[head] = "a.html", page(f"<p>{SHOWN}</p><div class=x>{SECRET}</div>", sheet)
        rules = ".x{%}", ".\\78{%}", "[class~=X]{%}", ".y{%} .\xdc{display:block}"
        for head, rule in product(OLD_TYPES, rules):
            old = ruled(rule.replace("%", "display:none"), "class='X Y \xfc'")[1]
            found[f"{head} and {rule}"] = "a.html", head.encode() + old
        for head in NEW_TYPES:
            cased = ruled(".x{display:none} .X{display:block}", "class=x")[1]
            found[f"{head} and cases"] = "a.html", head.encode() + cased
        found["on its own white"] = "a.html", page(coloured, "<style>b{}</style>")
    else:
        whole = {way: f"<p>{SHOWN}</p><div {way}><p>{SECRET}</p></div>" for way in WAYS_TO_SHOW} | {
            "a picture": PICTURE.format(100),
            "white on a dark table": f"<p>{SHOWN}</p><table bgcolor=black><tr>"
            f"<td style='color:#fff'>{SECRET}</table>",
            "large in small": f"<div style='font-size:0'><p style='font-size:9pt'>{SHOWN} {SECRET}",
            "seen again": f"<p>{SHOWN}</p><p style='visibility:hidden'>"
            f"<b style='visibility:visible'>{SECRET}</b>",
            "dark": f"<font color=#222222>{SHOWN} {SECRET}</font>",
            "white in a dark box": f"<div style='background:#123'>{PALE}</div>",
        }
        for head in HEADS:
            found |= {f"{head} {html}": ("a.html", page(html, head)) for html in (PALE, FAINT)}
        body = f"<script></script><body style='display:none' hidden><p>{SHOWN} {SECRET}</p></body>"
        found["a page that its script shows"] = "a.html", body.encode()
        found["beside a page"] = "a.eml", beside(f"{SHOWN}<p>{SECRET}")
        found["below each other"] = "a.eml", beside(SHOWN, "mixed")
    return found | {way: ("a.html", page(html)) for way, html in whole.items()}


MACHINERY = (
    "<nav hidden>{}</nav>",
    "<div aria-hidden=true style='display:none'>{}</div>",
    "<div role=dialog hidden>{}</div>",
    "<dialog style='display:none'>{}</dialog>",
    "<template>{}</template>",
    "<noscript>{}</noscript>",
    "<script/>{}</script>",
)


def test_the_machinery_of_a_page_is_left_out():
    for around in MACHINERY:
        html = f"<main>{f'<p>{SHOWN}</p>' * 5}</main>{around.format(SECRET)}"
        lines, remark = read(page(html), "a.html")
        text = "".join(line.text for line in lines)
        assert SHOWN in text and SECRET not in text and remark == "", around


# -- spreadsheets


def workbook(dress: Callable[..., object]) -> bytes:
    """A table that begins in column B, row 3, with both sentences."""
    book = Workbook()
    rows = [
        ("Item", "Says", "Note"),
        ("Mill", SHOWN, "x"),
        ("Barn", "no", "y"),
        ("Loft", SECRET, "z"),
    ]
    for number, cells in enumerate(rows, start=3):
        for column, value in zip("BCD", cells, strict=True):
            book.active[f"{column}{number}"] = value
    dress(book.active, book.active["C6"])
    return _saved(book)


def whitened(sheet, cell, table=False):
    cell.font = Font(color="FFFFFFFF")
    if table:
        sheet.add_table(Table(displayName="t", ref="B3:D6"))


def painted(fill: str):
    def paint(sheet, cell):
        cell.font, cell.fill = Font(color="FF112233"), PatternFill("solid", fgColor=fill)

    return paint


def sheet(state: str) -> bytes:
    book = Workbook()
    book.active["A1"] = SHOWN
    other = book.create_sheet("Drafts")
    other["A1"], other.sheet_state = SECRET, state
    return _saved(book)


SHEET_HIDES = {
    "no format": workbook(lambda sheet, cell: setattr(cell, "number_format", ";;;")),
    "one point": workbook(lambda sheet, cell: setattr(cell, "font", Font(size=1))),
    "white": workbook(whitened),
    "on its colour": workbook(painted("FF112233")),
}
SHEET_SHOWS = {
    "as it is": workbook(lambda sheet, cell: None),
    "a format of text": workbook(lambda sheet, cell: setattr(cell, "number_format", "0;-0;;@")),
    "white in a table": workbook(lambda sheet, cell: whitened(sheet, cell, table=True)),
    "on another colour": workbook(painted("FFEEEEEE")),
}


def test_hidden_sheets_of_the_older_format_are_marked():
    data = FILES["a.xls"]
    at = data.index(b"Costs") - 4  # BOUNDSHEET: its place, then whether it is hidden
    for state, hidden in ((0, False), (1, True), (2, True)):
        lines, remark = read(data[:at] + bytes([state]) + data[at + 1 :], "a.xls")
        assert (any(line.hidden for line in lines), "hidden" in remark) == (hidden, hidden)


# -- RTF


def rtf(text: str) -> bytes:
    tables = r"{\fonttbl{\f0 Arial;}}{\colortbl;\red255\green255\blue255;\red10\green20\blue30;}"
    return (rf"{{\rtf1\ansi\deff0{tables}\pard {SHOWN} " + text % SECRET + r" Again.\par}").encode()


RTF_HIDES = [r"{\v %s}", r"\v %s\v0 ", r"\v %s\plain ", r"{\cf1 %s}", r"{\fs1 %s}"]
RTF_HIDES += [r"{\cf2\chcbpat2 %s}", r"{\cf2\highlight2 %s}", r"{\charscalex1 %s}"]
RTF_SHOWS = [r"{\v0 %s}", r"{\v\plain %s}", r"{\cf2 %s}", r"{\cf1\chcbpat2 %s}", r"{\fs8 %s}"]
RTF_SHOWS += [r"{\cf1\plain %s}", r"\clcbpat2{\cf1 %s}"]


# -- OpenDocument

ODF_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style", "draw", "presentation")
)
ODF_SPACES += ' xmlns:fo="urn:fo" xmlns:svg="urn:svg"'


def opendocument(kind: str, body: str, styles: str = "") -> bytes:
    content = (
        f"<office:document-content {ODF_SPACES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return zipped({"mimetype": mime, "content.xml": content}, stored_first=True)


def written(properties: str, parent: str = "") -> bytes:
    """A text with a run of a style, or of one derived from it."""
    style = "<style:style style:name='{}' style:parent-style-name='{}'>{}</style:style>"
    styles = style.format("P", "", parent and f"<style:text-properties {parent}/>")
    styles += style.format("H", "P", f"<style:text-properties {properties}/>")
    run = f"<text:span text:style-name='H'>{SECRET}</text:span>"
    return opendocument("text", f"<text:p>{SHOWN}</text:p><text:p>Also {run} so.</text:p>", styles)


def placed(body: str) -> bytes:
    return opendocument(
        "text", f"<text:p>{SHOWN}</text:p>{body.format(f'<text:p>{SECRET}</text:p>')}"
    )


FRAME = "<text:p><draw:frame svg:x='{}' svg:width='5cm'><draw:text-box>{{}}</draw:text-box>"
FRAME += "</draw:frame></text:p>"
ODT_HIDES = {
    "by its style": written("text:display='none'"),
    "by a style above": written("", "text:display='none'"),
    "white": written("fo:color='#ffffff'"),
    "on its own colour": written("fo:color='#112233' fo:background-color='#112233'"),
    "one point": written("fo:font-size='1pt'"),
    "a hundredth wide": written("style:text-scale='1%'"),
    "a section": placed("<text:section text:display='none'>{}</text:section>"),
    "a row": placed(
        "<table:table><table:table-row table:visibility='collapse'><table:table-cell>{}"
        "</table:table-cell></table:table-row></table:table>"
    ),
    "a paragraph by its field": placed(
        f"<text:p><text:hidden-paragraph text:is-hidden='true'/>{SECRET}</text:p>"
    ),
    "a frame beside the page": placed(FRAME.format("-50cm")),
}
ODT_SHOWS = {
    "in a style without a word of it": written("fo:font-weight='bold'"),
    "white on blue": written("fo:color='#ffffff' fo:background-color='#0000aa'"),
    "white on the blue of a style above": written(
        "fo:color='#ffffff'", "fo:background-color='#0000aa'"
    ),
    "half as wide": written("style:text-scale='50%' fo:font-size='4pt'"),
    "a section": placed("<text:section text:display='true'>{}</text:section>"),
    "a frame": placed(FRAME.format("-1cm")),
}


def odp(style: str) -> bytes:
    body = "".join(
        f'<draw:page draw:style-name="{name}"><text:p>{text}</text:p></draw:page>'
        for name, text in (("E", SHOWN), (style, SECRET))
    )
    styles = '<style:style style:name="D"><style:drawing-page-properties '
    styles += 'presentation:visibility="hidden"/></style:style>'
    return opendocument("presentation", body, styles)


def ods(*rows: str, columns: str = "", style: str = "") -> bytes:
    """A sheet of these rows; with a style, the last row is on another sheet, which has it."""
    cells = [f"<table:table-row{row}</table:table-row>" for row in rows]
    sheets = ["".join(cells)] if not style else ["".join(cells[:-1]), cells[-1]]
    tables = zip(("t0", style), (columns + each for each in sheets), strict=False)
    body = "".join(
        f"<table:table table:style-name='{name}'>{each}</table:table>" for name, each in tables
    )
    unseen = "<style:style style:name='t1'><style:table-properties table:display='false'/>"
    return opendocument("spreadsheet", body, f"{unseen}</style:style>")


def cells(*said: str) -> str:
    each = (f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in said)
    return ">" + "".join(each)


COLLAPSED = " table:visibility='collapse'"
ODS_HIDES = {
    "a row": ods(cells(SHOWN), COLLAPSED + cells(SECRET)),
    "a column": ods(
        cells(SHOWN, SECRET), columns=f"<table:table-column/><table:table-column{COLLAPSED}/>"
    ),
    "a sheet": ods(cells(SHOWN), cells(SECRET), style="t1"),
}
ODS_SHOWS = {
    "rows": ods(cells(SHOWN), cells(SECRET)),
    "columns": ods(cells(SHOWN, SECRET), columns="<table:table-column/><table:table-column/>"),
    "sheets": ods(cells(SHOWN), cells(SECRET), style="t2"),
}


def test_a_hidden_slide_of_a_legacy_presentation_stands_behind_the_mark():
    for flags, unseen in ((0x04, True), (0x05, True), (0x01, False), (0, False)):
        lines = list(open_document(ppt(hidden=flags), "a.ppt").lines)
        assert [line.hidden for line in lines if "welcome" in line.text] == [unseen]
        assert not any(line.hidden for line in lines if "nine" in line.text)


# -- Markdown

MD_HIDES = [
    f"{SHOWN} <!-- {SECRET} -->",
    f"{SHOWN}\n\n<!--\n{SECRET}\n-->",
    f"{SHOWN}\n\n<!-- {SECRET}",
    f"{SHOWN} <span style='display:none'>{SECRET}</span>",
    f"{SHOWN} <b title='>' HIDDEN>{SECRET}",
    f"{SHOWN}\n\n<div hidden>\n\n- **{SECRET}**\n\n</div>",
]
MD_SHOWS = [
    f"{SHOWN} `<!--` {SECRET} `-->`",
    f"{SHOWN}\n```html\n<div hidden>{SECRET}</div>\n```",
    f"{SHOWN} <span hidden>\n\n{SECRET}",  # it ends with its paragraph
    f"{SHOWN} An <!-- is {SECRET}",
    f"{SHOWN} \\<b hidden>{SECRET}",
]


# -- Every format

DESCRIBED = f"<w:p><w:r><w:drawing><wp:docPr descr='{SECRET}'/></w:drawing></w:r></w:p>"
PICTURED = f"<p:pic><p:nvPicPr><p:cNvPr descr='{SECRET}'/></p:nvPicPr></p:pic>"
DRAWN = f"<text:p><draw:frame><draw:image/><svg:desc>{SECRET}</svg:desc></draw:frame></text:p>"
BOOK = "<p><manifest><item id='a' href='a.html'/></manifest><spine><itemref idref='a'/></spine></p>"
BOOK = {"mimetype": "application/epub+zip", "content.opf": BOOK}
BOOK["a.html"] = ruled(".x{display:none} .X{display:block}", "class=x")[1].decode()
HIDES = {
    "a.epub": {"a chapter": zipped(BOOK, stored_first=True)},
    "a.docx": WORD_HIDES | {"a picture": word(around=DESCRIBED)},
    "a.xml": in_xml(VANISH) | feed("display:none"),
    "a.svg": SVG_HIDES,
    "a.md": {text: text.encode() for text in MD_HIDES},
    "a.pptx": SLIDE_HIDES | {"a picture": slides(around=PICTURED)},
    "a.rtf": {text: rtf(text) for text in RTF_HIDES},
    "a.odt": ODT_HIDES | {"a picture": placed(DRAWN)},
    "a.odp": {"a slide": odp("D")},
    "a.ods": ODS_HIDES,
    "a.xlsx": SHEET_HIDES | {state: sheet(state) for state in ("hidden", "veryHidden")},
}
SHOWS = {
    "a.docx": WORD_SHOWS,
    "a.xml": in_xml("") | feed(""),
    "a.svg": SVG_SHOWS,
    "a.md": {text: text.encode() for text in MD_SHOWS},
    "a.pptx": SLIDE_SHOWS,
    "a.rtf": {text: rtf(text) for text in RTF_SHOWS},
    "a.odt": ODT_SHOWS,
    "a.odp": {"a slide": odp("E")},
    "a.ods": ODS_SHOWS,
    "a.xlsx": SHEET_SHOWS | {"a sheet": sheet("visible")},
}
IN_TABLE = "<w:tbl><w:tblPr><w:tblStyle w:val='T'/></w:tblPr><w:tr><w:tc><w:p><w:r><w:t>"
IN_TABLE = f"<w:d {SPACES}><w:body>{IN_TABLE}{SECRET}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
TABLE_STYLE = "<w:style w:styleId='T'><w:rPr><w:strike/></w:rPr></w:style>"
STRUCK = [
    ("a.docx", word(run="<w:strike/>")),
    ("a.docx", word(style="<w:dstrike/>")),
    (
        "a.docx",
        zipped(
            {
                "word/document.xml": f"{IN_TABLE}</w:body></w:d>",
                "word/styles.xml": f"<w:styles {SPACES}>{TABLE_STYLE}</w:styles>",
            }
        ),
    ),
    ("a.pptx", slides(" strike='sngStrike'")),
    ("a.rtf", rtf(r"{\strike %s}")),
    ("a.rtf", rtf(r"\striked1 %s\striked0 ")),
    ("a.odt", written("style:text-line-through-style='solid'")),
    ("a.odt", written("", "style:text-line-through-style='solid'")),
    ("a.xlsx", workbook(lambda sheet, cell: setattr(cell, "font", Font(strike=True)))),
    *(ruled(rule.replace("{}", "{text-decoration: line-through}"), at) for rule, at in SELECTED),
    ruled("div{text-decoration-line:line-through}", "lang=en"),
    ("a.md", f"It was <del>{SECRET}</del>".encode()),
    ("a.md", f"<s>\n\n{SECRET}\n\n</s>".encode()),
]
NOT_STRUCK = [
    ("a.md", f"`<s>`{SECRET}`</s>` <u>{SECRET}</u>".encode()),
    ("a.docx", word(run="<w:strike w:val='0'/>", style="<w:strike/>")),
    ("a.pptx", slides(" strike='noStrike'")),
    ("a.rtf", rtf(r"\strike {\strike0 %s}")),
    ("a.odt", written("style:text-line-through-style='none'", "style:text-line-through-style='x'")),
    ("a.xlsx", workbook(lambda sheet, cell: setattr(cell, "font", Font(strike=False)))),
    *(ruled(rule.replace("{}", "{text-decoration: underline}"), at) for rule, at in SELECTED),
    *(ruled(rule.replace("{}", "{text-decoration: line-through}"), "") for rule, at in SELECTED),
]


def test_what_is_struck_out_stands_between_the_signs_for_it():
    for name, data in STRUCK:
        assert f"~~{SECRET}~~" in texts(read(data, name)[0], hidden=False), (name, data[:400])
    for name, data in NOT_STRUCK:
        seen = texts(read(data, name)[0], hidden=False)
        assert SECRET in seen and f"~~{SECRET}" not in seen, (name, data[:400])


def runs(of_run: str, raised: str = "1") -> tuple[str, bytes]:
    """A paragraph of Word with a sum and a run behind it that has these properties."""
    run = f"<w:r><w:rPr>{of_run}</w:rPr><w:t>{raised}</w:t></w:r>"
    body = f"<w:p><w:r><w:t>£150</w:t></w:r>{run}<w:r><w:t> a week</w:t></w:r></w:p>"
    document = f"<w:d {SPACES}><w:body>{body}</w:body></w:d>"
    return "a.docx", zipped({"word/document.xml": document})


SUPER = "<style:style style:name='H'><style:text-properties style:text-position='super 58%'/>"
ODT = "<text:p>£150<text:span text:style-name='H'>1</text:span></text:p>"
BOX = "<w:fldChar><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar>"
BOX += "</w:r><w:r><w:sym w:font='Wingdings' w:char='F0A8'/>"
SLIDE = zipped_with(slides(" baseline='30000'"), "ppt/slide1.xml", SECRET.encode(), b"1")
BEFORE = "<a:t>£150</a:t></a:r><a:r><a:rPr baseline".encode()
RAISED = {
    "£150<sup><a href='#n'>1</a>, <b>2</b></sup>.<sup>3</sup>": "£150^1, 2.^3",
    "5 m<sup>2</sup>, 10<sup>-6</sup> H<sub>2</sub>O": "5 m^2, 10^-6 H2O",
    "4<sup>th</sup> 3<sup>1</sup>/<sub>2</sub> 101<sub>2</sub>": "4th 3 1/2 101_2",
    "<sup>1</sup>500 (<sup>2</sup>) [<sup>3</sup>": "(1) 500 (2) [3",
    "£150<sup>1</sup> £9<b style='vertical-align:super'>2</b> a week": "£150^1 £9^2 a week",
    "£150<sup><del>1</del></sup> <del>a</del><s>b</s>": "£150~~^1~~ ~~ab~~",
}
FIGURES = [
    *((("a.html", page(html)), wanted) for html, wanted in RAISED.items()),
    (runs("<w:vertAlign w:val='superscript'/>"), "£150^1 a week"),
    (runs("<w:vertAlign w:val='baseline'/>"), "£1501 a week"),
    (runs("<w:position w:val='-6'/>"), "£150_1 a week"),
    (runs("", f"</w:t>{BOX}<w:t>paid"), "£150[x] [ ]paid a week"),
    (("a.odt", opendocument("text", ODT, f"{SUPER}</style:style>")), "£150^1"),
    (("a.pptx", zipped_with(SLIDE, "ppt/slide1.xml", b"<a:rPr baseline", BEFORE)), "£150^1"),
    (("a.rtf", rb"{\rtf1\ansi 150{\super 1} and 7\up6 2\up0  weeks}"), "150^1 and 7^2 weeks"),
]


def test_a_raised_figure_is_no_digit_of_the_one_before_it():
    for (name, data), wanted in FIGURES:
        assert wanted in texts(read(data, name)[0], hidden=False), (name, wanted)


def files(of: Mapping[str, Mapping[str, bytes]]) -> dict[str, tuple[str, bytes]]:
    return {
        f"{name} {way}": (name, data) for name, ways in of.items() for way, data in ways.items()
    }


def test_text_that_its_document_does_not_show_is_marked():
    assert others(files(HIDES) | pages(hides=True), "hides") == {}
    for root in ("<html hidden>", "<body style='visibility:hidden'>"):
        assert all(line.hidden for line in read(f"{root}<p>{SECRET}".encode(), "a.html")[0])


def test_text_that_may_be_seen_is_not():
    assert others(files(SHOWS) | pages(hides=False), "shows") == {}


def test_a_selector_that_cannot_be_followed_costs_itself_alone():
    hostile = {r'p[class="\1 b"]': 1, "svg|a": 1, "[x|y]": 1, "a " * 10_000: 1}
    hostile |= {f"p{':is(' * 300}a{')' * 300}": 1, f"p{':has(a)' * 2_000}": 1}
    hostile |= {"p:nth-last-of-type(3n+1)": 20_000, "p~p~p": 3_000}
    started, files = time.process_time(), {}
    for selector, count in hostile.items():
        sheet = f"<style>{selector}{{color:red}} .h{{display:none}}</style>"
        page = f"{sheet}{'<p></p>' * count}<p>{SHOWN}</p><p class=h>{SECRET}</p>"
        files[selector[:30]] = ("a.html", page.encode())
    assert others(files, "hides") == {}
    assert time.process_time() - started < 20
