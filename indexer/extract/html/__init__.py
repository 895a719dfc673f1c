"""HTML and XHTML as Markdown: the main text and its titles, without scripts, styles and menus.

Text that a page hides by an attribute or an inline style is marked as hidden, unless it belongs to
what is left out anyway: menus, icons, and dialogs that wait for a click.

Works on the tree that libxml2 makes, at any depth; runs nothing, fetches nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from indexer.extract import markdown
from indexer.extract.container import Element
from indexer.extract.extraction import Extraction, plain_lines, words
from indexer.extract.hidden import Look, hide, joined, shown, without_lone_words
from indexer.extract.html.look import BLOCKS, NEW, VOID, Stylesheet, parsed
from indexer.extract.html.tables import Block, TableDraft
from indexer.extract.text import decode, decode_named, markdown_title
from indexer.extract.text.formula import formula_text


def read_html(data: bytes, is_xml: bool = False) -> Extraction:
    """Its title and main text."""
    title, text = html_text(decode_html(data), is_xml=is_xml)
    return Extraction(title, plain_lines([text]))


def read_markdown(data: bytes) -> Extraction:
    """The title and lines of Markdown, front matter included."""
    text = decode(data).replace("\r\n", "\n")
    return Extraction(markdown_title(text), plain_lines([with_looks(text)]))


_CHARSET = re.compile(rb"(?i)(?:charset|encoding)\s*=\s*[\"']?([\w.:-]{2,40})")


def decode_html(data: bytes, otherwise: Callable[[bytes], str] = decode) -> str:
    """The text of a page in its declared encoding, else by `otherwise`."""
    named = _CHARSET.search(data[:4096])
    if named and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        name = named[1].decode("ascii").lower()
        name = "cp1252" if name in ("us-ascii", "ascii") else name  # as browsers do
        if (text := decode_named(data, name)) is not None:
            return text
    return otherwise(data)


def html_text(source: str, titled: bool = True, is_xml: bool = False) -> tuple[str | None, str]:
    """The page's own title, and its main text as Markdown.

    With `titled` the text begins with the title, unless a heading repeats it.
    """
    root = parsed(source, is_xml=is_xml)
    for formula in root.iter("math"):
        formula.text, formula[:] = formula_text(formula), []
    reader = _Reader(Stylesheet(root, is_old=not (is_xml or NEW.match(source))))
    main = _main(reader.read(root))
    title = markdown.one_line("".join(reader.title)) or None
    chosen = [block.text for block in main]
    links = markdown.links(link for block in main for link in block.links)
    heads = (text.lstrip("# ").casefold() for text in chosen[:20] if text.startswith("#"))
    if titled and title and not any(map(title.casefold().startswith, heads)):
        chosen.insert(0, markdown.heading(1, title))
    return title, markdown.page([*chosen, links])


MIN_MAIN_SHARE = 0.3  # of a page's text in <main>, below which the tag is not believed


def _main(blocks: Sequence[Block]) -> Sequence[Block]:
    """The blocks of the main text; all blocks if the tags would leave almost none.

    An unclosed tag makes everything after it a menu, hence the check of shares.
    """
    for name, wanted in (("aside", False), ("menu", False), ("main", True)):
        chosen = [block for block in blocks if getattr(block, name) is wanted]
        if chosen and _length(chosen) >= MIN_MAIN_SHARE * _length(blocks):
            blocks = chosen
    return blocks


def _length(blocks: Sequence[Block]) -> int:
    return sum(len(shown(block.text)) for block in blocks)


_SKIPPED, _VOID, _BLOCKS, _LISTS, _ARTICLES, _MENUS, _MENU_ROLES, _OF_THE_PAGE, _MACHINERY = (
    words("html", name)
    for name in (
        *("skipped", "void", "blocks", "lists", "articles"),
        *("menus", "menu_roles", "of_the_page", "machinery"),
    )
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


@dataclass(slots=True)
class _Element:
    """An open element, with the properties that its content inherits.

    `aside`: icons and closed dialogs, which are no text of the page. `block` is (menu, aside) of
    the enclosing block, or of the element if it is one.
    """

    tag: str
    look: Look
    main: bool = False
    menu: bool = False
    aside: bool = False
    skipped: bool = False
    article: bool = False
    block: tuple[bool, bool] = (False, False)


def _begun(
    parent: _Element, tag: str, named: Mapping[str, str], look: Look, in_header: bool
) -> _Element:
    """An element in another one; `in_header` says that it is in a page's or section's header."""
    role = named.get("role", "").lower()
    is_menu = not (parent.article and {tag, role} & _OF_THE_PAGE) and (
        tag in _MENUS or role in _MENU_ROLES
    )
    element = _Element(
        tag,
        look,
        parent.main or tag == "main" or role == "main",
        parent.menu or is_menu or (tag in _LISTS and in_header),
        parent.aside
        or named.get("aria-hidden") == "true"
        or (look.gone and (tag == "dialog" or role in _MACHINERY)),
        parent.skipped or tag in _SKIPPED,
        parent.article or tag in _ARTICLES or role == "main",
        parent.block,
    )
    if tag in _BLOCKS:
        element.block = (element.menu, element.aside)
    return element


MAX_NESTED = 32  # tables within tables; the cells of those further in are text of the last one


class _Reader:
    """Collects the blocks of a page."""

    def __init__(self, sheet: Stylesheet) -> None:
        self._sheet = sheet
        self.title: list[str] = []
        self._blocks: list[Block] = []
        self._open = [_Element("", sheet.plain)]
        self._tags: Counter[str] = Counter()
        self._lists: list[tuple[str, Iterator[int]]] = []  # those open, and the numbers of items
        self._tables: list[TableDraft] = []
        self._beyond = 0  # open tables that are nested too deep to be read as such
        self._text: list[str] = []  # of the block in hand, in runs
        self._address = ""  # of the link in hand
        self._linked: list[str] = []
        self._links: list[tuple[str, str]] = []  # of the block in hand
        self._weak = False  # some of it is not in bold
        self._prefix = ""
        self._label = "-"
        self._depth = 1

    def read(self, root: Element) -> list[Block]:
        """All blocks of a page."""
        from lxml import etree

        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                self._start(element)
            elif element.tag not in _VOID:
                self._end()
            if text := element.text if event == "start" else element.tail:
                self._data(text)
        self._flush()
        return self._blocks

    def _start(self, element: Element) -> None:
        tag, attrs = element.tag, element.attrib
        look = self._sheet.look(self._open[-1].look, tag, attrs, element)
        if tag in ("html", "body") and self._sheet.is_open:  # its script shows a hidden page
            look = replace(look, gone=False, invisible=False)
        if tag in _VOID:
            self._void(tag, attrs, look)
            return
        if tag == "title" and self.title:
            tag = "template"  # the first one counts
        if tag in _BLOCKS:
            self._flush()
        in_header = self._tags["header"] > 0
        self._open.append(_begun(self._open[-1], tag, attrs, look, in_header))
        self._tags[tag] += 1
        if tag == "a":
            self._list_link()
            self._address = attrs.get("href", "").strip()
        self._begin(tag)
        self._in_table(tag, attrs)

    def _in_table(self, tag: str, attrs: Mapping[str, str]) -> None:
        if tag == "table" and len(self._tables) == MAX_NESTED:
            self._beyond += 1
        elif tag == "table" and not self._beyond:
            if self._tables:
                self._tables[-1].nested = True
            self._tables.append(TableDraft(attrs, self._open[-1].look.gone))
        elif self._tables and not self._beyond:
            self._tables[-1].start(tag, attrs, self._open[-1].look.gone)

    def _begin(self, tag: str) -> None:
        if tag in _LISTS:
            self._lists.append((tag, count(1)))
        if tag in ("li", "blockquote", *_HEADINGS):
            self._prefix = tag
        if tag == "li":
            self._label, self._depth = "-", max(1, len(self._lists))
            if self._lists and self._lists[-1][0] == "ol":
                self._label = f"{next(self._lists[-1][1])}."

    def _void(self, tag: str, named: Mapping[str, str], look: Look) -> None:
        if tag == "br":
            self._text.append("\n")
        elif tag == "hr":
            self._flush()
        elif tag == "input" and (self._prefix == "li" or self._tables):
            if named.get("type", "").lower() in ("checkbox", "radio") and not look.hides:
                self._text.append("[x] " if "checked" in named else "[ ] ")
        elif tag == "img" and not self._open[-1].skipped:
            if {named.get("width", ""), named.get("height", "")} & {"0", "1"}:
                look = replace(look, gone=True)  # to count who reads it
            picture = f" {self._marked(named.get('alt', ''), look)} "
            self._text.append(picture)
            if self._address:
                self._linked.append(picture)

    def _end(self) -> None:
        element = self._open[-1]
        if element.tag in _BLOCKS:
            self._flush()
        if self._beyond:
            self._beyond -= element.tag == "table"
        elif self._tables:
            self._tables[-1].end(element.tag)
            if element.tag == "table":
                self._end_table()
        if element.tag == "a":
            self._list_link()
            self._address = ""
        if element.tag in _LISTS:
            self._lists.pop()
        if element.tag in ("li", "blockquote", *_HEADINGS):
            self._prefix = ""
        self._open.pop()
        self._tags[element.tag] -= 1

    def _data(self, data: str) -> None:
        element = self._open[-1]
        if element.tag == "title" and not self._tags["svg"]:
            self.title.append(data)
        elif element.skipped:
            return
        elif element.block != (element.menu, element.aside):
            # Within a line, of a button or an icon: set aside, and the line goes on.
            aside = self._marked(markdown.one_line(data))
            self._keep(Block(aside, element.main, element.menu, element.aside))
        else:
            self._take(data, element.look)

    def _take(self, data: str, look: Look) -> None:
        text = data if self._tags["pre"] else _BLANKS.sub(" ", data)
        self._text.append(look.marked(text))
        if not (self._tags["b"] or self._tags["strong"]) and data.strip():
            self._weak = True
        if self._address and not look.hides:
            self._linked.append(text)

    def _marked(self, text: str, look: Look | None = None) -> str:
        """A text of the current element, marked if it is not shown."""
        return hide(text) if (look or self._open[-1].look).hides else text

    def _list_link(self) -> None:
        """List what has been read of the link in hand, which may go on."""
        if self._linked:
            self._links.append(("".join(self._linked), self._address))
            self._linked = []

    def _flush(self) -> None:
        """End the current block; a link that starts in it goes on after it, listed with it."""
        if not self._text:
            return
        self._list_link()
        raw, self._text = joined(self._text), []
        if self._tags["pre"]:
            text = raw.strip("\n")
            text = f"```\n{text}\n```" if text.strip() else ""
        else:
            raw = without_lone_words(raw)
            text = "\n".join(filter(None, map(str.strip, raw.split("\n"))))
        if not text:
            return
        if self._prefix in _HEADINGS:
            text = markdown.heading(_HEADINGS[self._prefix], text)
        elif self._prefix == "li":
            text = markdown.item(text, self._depth, self._label)
        elif self._prefix == "blockquote":
            text = "\n".join(f"> {line}" for line in text.split("\n"))
        if self._prefix == "li":
            self._prefix = ""  # later blocks of an item stand for themselves
        element = self._open[-1]
        alone = self._prefix in _HEADINGS or self._tags["pre"] > 0
        weak, self._weak = self._weak, False
        self._keep(Block(text, element.main, *element.block, tuple(self._links), alone, weak))
        self._links.clear()

    def _end_table(self) -> None:
        for block in self._tables.pop().blocks():
            self._keep(block)

    def _keep(self, block: Block) -> None:
        if self._tables:
            self._tables[-1].keep(block)
        else:
            self._blocks.append(block)


_BLANKS = re.compile(r"[ \t\r\n\f]+")


# --- Markdown: tags and comments, outside of code ------------------------------------------------

_TOKEN = re.compile(
    r"(?m)^ {0,3}(?P<fence>`{3,}|~{3,})(?s:.*?)(?:^ {0,3}(?P=fence)[`~ \t]*$|\Z)"
    r"|(?P<ticks>`++)[^`\n]++(?P=ticks)(?!`)"
    r"|(?P<blank>\n[ \t]*+$)"
    r"|(?P<first>^[ \t]*+)?(?<!\\)<(?:(?P<comment>!--)|(?P<end>/?)(?P<tag>[A-Za-z][\w:-]*+)"
    r"(?P<said>(?:[^<>\"']++|\"[^\"]{0,500}+\"|'[^']{0,500}+')*+)>(?P<last>[ \t]*+$)?)"
)
MAX_NEAR = 50  # open tags, one of which an end may close


class _Tag(NamedTuple):
    """An open tag; `told`: marks say what it does, `paragraph`: it ends with its own."""

    name: str
    look: Look
    told: bool = False
    paragraph: bool = False


def with_looks(text: str) -> str:
    """Markdown with marks of what its tags and comments do not show, or strike out."""
    sheet, last = Stylesheet(), text.rfind("-->")
    tags, pieces, at = [_Tag("", sheet.plain)], list[str](), 0
    while found := _TOKEN.search(text, at) if "<" in text else None:
        look, start = tags[-1].look, at
        at, shown = found.end(), found[0]
        pieces.append(look.marked(text[start : found.start()]))
        if found["comment"] and (at <= last or found["first"] is not None):
            end = text.find("-->", at) if at <= last else len(text)
            pieces.append("\n".join(map(hide, text[at:end].split("\n"))))  # each on its line
            at, shown = end + 3, ""
        elif found["blank"] or found["tag"]:
            shown *= _follow(tags, found, sheet)
        pieces.append(look.marked(shown))
    return joined([*pieces, tags[-1].look.marked(text[at:])])


def _follow(tags: list[_Tag], found: re.Match[str], sheet: Stylesheet) -> bool:
    """Open or close a tag, or end a paragraph; whether that is a part of the text."""
    name, outer, told = (found["tag"] or "").lower(), tags[-1].look, False
    if found["blank"]:
        while tags[-1].paragraph:
            tags.pop()
    elif found["end"]:
        near = range(len(tags) - 1, max(0, len(tags) - MAX_NEAR), -1)
        if place := next((number for number in near if tags[number].name == name), 0):
            told = tags[place].told
            del tags[place:]
    elif name not in VOID:
        elements = parsed(found[0]).iter(name) if found["said"] else iter(())
        look = sheet.look(outer, name, dict(getattr(next(elements, None), "attrib", {})))
        told = (look.hides, look.struck) != (outer.hides, outer.struck)
        within = None in (found["first"], found["last"]) and (name == "p" or name not in BLOCKS)
        tags.append(_Tag(name, replace(look, shift=""), told, within))
    return not told
