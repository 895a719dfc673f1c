"""HTML and XHTML as Markdown: the main text and its titles, without scripts, styles and menus.

Works on the stream of tags that libxml2 gives, which closes what is left open, at any depth; builds
no tree, runs nothing, fetches nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from indexer.extract import markdown
from indexer.extract.extraction import Extraction, plain_lines, words
from indexer.extract.text import decode


def read_html(data: bytes) -> Extraction:
    """Its title and main text."""
    title, text = html_text(decode_html(data))
    return Extraction(title, plain_lines([text]))


_CHARSET = re.compile(rb"(?i)(?:charset|encoding)\s*=\s*[\"']?([\w.:-]{2,40})")


def decode_html(data: bytes, otherwise: Callable[[bytes], str] = decode) -> str:
    """The text of a page in its declared encoding, else by `otherwise`."""
    named = _CHARSET.search(data[:4096])
    if named and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        # What calls itself Latin-1 or ASCII is read as cp1252, as all browsers do.
        name = named[1].decode("ascii").lower()
        name = "cp1252" if name in ("iso-8859-1", "latin1", "us-ascii", "ascii") else name
        try:
            return data.decode(name)
        except (LookupError, UnicodeError):
            pass  # a wrong label: then the bytes decide
    return otherwise(data)


def html_text(source: str, titled: bool = True) -> tuple[str | None, str]:
    """The page's own title, and its main text as Markdown.

    With `titled` the text begins with the title, unless a heading repeats it.
    """
    from lxml import etree

    reader = _Reader()
    # Without huge_tree all that is nested more than 256 deep would be left out.
    parser = etree.HTMLParser(target=reader, encoding="utf-8", huge_tree=True, no_network=True)
    parser.feed(source.encode("utf-8", "replace"))
    blocks: list[_Block] = parser.close()
    title = markdown.one_line("".join(reader.title)) or None
    shown = _main(blocks)
    chosen = [block.text for block in shown]
    links = markdown.links(link for block in shown for link in block.links)
    if titled and title and not any(_names(text, title) for text in chosen[:20]):
        chosen.insert(0, markdown.heading(1, title))
    return title, markdown.page([*chosen, links])


def _names(block: str, title: str) -> bool:
    """Whether a block is a heading equal to the title or to its beginning."""
    return block.startswith("#") and title.casefold().startswith(block.lstrip("# ").casefold())


@dataclass(frozen=True, slots=True)
class _Block:
    """A piece of text and its context; `alone` for headings and code outside tables."""

    text: str
    main: bool
    menu: bool
    hidden: bool
    links: tuple[tuple[str, str], ...] = ()
    alone: bool = False


def _is_seen(block: _Block) -> bool:
    return not (block.menu or block.hidden)


MIN_MAIN_SHARE = 0.3  # of a page's text in <main>, below which the tag is not believed


def _main(blocks: Sequence[_Block]) -> Sequence[_Block]:
    """The blocks of the main text; all blocks if the tags would leave almost none.

    An unclosed tag makes everything after it a menu, hence the check of shares.
    """
    shown: Sequence[_Block] = [block for block in blocks if not block.hidden]
    shown = shown if _length(shown) >= MIN_MAIN_SHARE * _length(blocks) else blocks
    text: Sequence[_Block] = [block for block in shown if not block.menu]
    text = text if _length(text) >= MIN_MAIN_SHARE * _length(shown) else shown
    main = [block for block in text if block.main]
    return main if main and _length(main) >= MIN_MAIN_SHARE * _length(text) else text


def _length(blocks: Sequence[_Block]) -> int:
    return sum(len(block.text) for block in blocks)


_SKIPPED = frozenset({"script", "style", "template", "noscript", "iframe", "object", "datalist"})
_VOID = words("area base br col embed hr img input link meta param source track wbr basefont frame")
_BLOCKS = words(
    "address article aside blockquote body center dd details dialog div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup html li main menu nav "
    "ol p pre section summary table tbody td tfoot th thead tr ul option legend caption "
    "title head"
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_MENUS = frozenset({"nav", "footer", "button"})
_MENU_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary", "menu"})
# What belongs to the page around an article belongs to the article within one (HTML, 4.3.8).
_OF_THE_PAGE = frozenset({"footer", "banner", "contentinfo"})
_ARTICLES = frozenset({"main", "article", "section", "blockquote", "td", "figure"})
_LISTS = frozenset({"ul", "ol", "menu", "dir"})


@dataclass(slots=True)
class _Element:
    """An open element, with the properties that its content inherits.

    `shown` is (menu, hidden) of the enclosing block, or of the element if it is one.
    """

    tag: str
    main: bool = False
    menu: bool = False
    hidden: bool = False
    skipped: bool = False
    article: bool = False
    shown: tuple[bool, bool] = (False, False)
    lists: int = 0
    list: _Element | None = None  # the innermost
    items: int = 0  # of a list, so far


def _begun(parent: _Element, tag: str, named: Mapping[str, str], in_header: bool) -> _Element:
    """An element in another one; `in_header` says that it is in a page's or section's header."""
    role = named.get("role", "").lower()
    is_menu = not (parent.article and {tag, role} & _OF_THE_PAGE) and (
        tag in _MENUS or role in _MENU_ROLES
    )
    element = _Element(
        tag,
        parent.main or tag == "main" or role == "main",
        parent.menu or is_menu or (tag in _LISTS and in_header),
        parent.hidden or _hides(named),
        parent.skipped or tag in _SKIPPED,
        parent.article or tag in _ARTICLES or role == "main",
        parent.shown,
        parent.lists + (tag in _LISTS),
        parent.list,
    )
    if tag in _LISTS:
        element.list = element
    if tag in _BLOCKS:
        element.shown = (element.menu, element.hidden)
    return element


def _hides(named: Mapping[str, str]) -> bool:
    style = named.get("style", "").replace(" ", "").lower()
    return "hidden" in named or named.get("aria-hidden") == "true" or "display:none" in style


@dataclass(slots=True)
class _Table:
    rows: list[list[list[_Block]]] = field(default_factory=list)
    nested: bool = False


class _Reader:
    """Collects the blocks of a page; `close` gives them."""

    def __init__(self) -> None:
        self.title: list[str] = []
        self._blocks: list[_Block] = []
        self._open = [_Element("")]
        self._tags: Counter[str] = Counter()
        self._tables: list[_Table] = []
        self._text: list[str] = []
        self._address = ""  # of the link in hand
        self._linked: list[str] = []
        self._links: list[tuple[str, str]] = []  # of the block in hand
        self._prefix = ""
        self._label = "-"
        self._depth = 1

    def close(self) -> list[_Block]:
        """All blocks, those of unclosed tables included."""
        self._flush()
        while self._tables:
            self._end_table()
        return self._blocks

    def start(self, tag: str, attrs: Mapping[str, str]) -> None:
        """Open an element."""
        if tag in _VOID:
            self._void(tag, attrs)
            return
        if tag == "title" and self.title:
            tag = "template"  # the first one counts
        if tag in _BLOCKS:
            self._flush()
        self._open.append(_begun(self._open[-1], tag, attrs, self._tags["header"] > 0))
        self._tags[tag] += 1
        if tag == "a":
            self._end_link()
            self._address = attrs.get("href", "").strip()
        self._begin(tag)

    def _begin(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._prefix = tag
        elif tag == "li":
            self._prefix = tag
            self._label, self._depth = "-", max(1, self._open[-1].lists)
            above = self._open[-1].list
            if above is not None and above.tag == "ol":
                above.items += 1
                self._label = f"{above.items}."
        elif tag == "blockquote":
            self._prefix = tag
        elif tag == "table":
            if self._tables:
                self._tables[-1].nested = True
            self._tables.append(_Table())
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])
        elif tag in ("td", "th") and self._tables:
            rows = self._tables[-1].rows
            if not rows:
                rows.append([])
            rows[-1].append([])

    def _void(self, tag: str, named: Mapping[str, str]) -> None:
        if tag == "br":
            self._text.append("\n")
        elif tag == "hr":
            self._flush()
        elif tag == "img" and not self._open[-1].skipped:
            self._text.append(f" {named.get('alt', '')} ")
            if self._address:
                self._linked.append(self._text[-1])

    def end(self, tag: str) -> None:
        """Close the innermost element."""
        if tag in _VOID:
            return
        element = self._open[-1]
        if element.tag in _BLOCKS:
            self._flush()
        if element.tag == "table" and self._tables:
            self._end_table()
        if element.tag == "a":
            self._end_link()
        if element.tag in ("li", "blockquote", *_HEADINGS):
            self._prefix = ""
        self._open.pop()
        self._tags[element.tag] -= 1

    def data(self, data: str) -> None:
        """Append text, unless it is invisible."""
        element = self._open[-1]
        if element.tag == "title" and not self._tags["svg"]:
            self.title.append(data)
        elif element.skipped:
            pass
        elif element.shown != (element.menu, element.hidden):
            # Within a line, of a button or hidden: set aside, and the line goes on.
            aside = markdown.one_line(data)
            self._keep(_Block(aside, element.main, element.menu, element.hidden))
        else:
            self._text.append(data if self._tags["pre"] else _BLANKS.sub(" ", data))
            if self._address:
                self._linked.append(data)

    def _end_link(self) -> None:
        if self._linked:
            self._links.append(("".join(self._linked), self._address))
        self._address, self._linked = "", []

    def _flush(self) -> None:
        """End the current block; a link that starts in it goes on after it, listed with it."""
        if not self._text:
            return
        if self._linked:
            self._links.append(("".join(self._linked), self._address))
            self._linked = []
        raw, self._text = "".join(self._text), []
        if self._tags["pre"]:
            text = raw.strip("\n")
            text = f"```\n{text}\n```" if text.strip() else ""
        else:
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
        self._keep(_Block(text, element.main, *element.shown, tuple(self._links), alone))
        self._links.clear()

    def _end_table(self) -> None:
        """Rows for a data table; the blocks of the cells for a layout table."""
        table = self._tables.pop()
        blocks = [block for cells in table.rows for cell in cells for block in cell]
        if table.nested or any(block.alone for block in blocks):
            for block in blocks:
                self._keep(block)
        elif blocks:
            seen = any(map(_is_seen, blocks))
            texts = [
                [" ".join(b.text for b in cell if _is_seen(b) or not seen) for cell in cells]
                for cells in table.rows
            ]
            first = next((block for block in blocks if _is_seen(block)), blocks[0])
            links = tuple(link for block in blocks if _is_seen(block) for link in block.links)
            self._keep(_Block(markdown.table(texts), first.main, first.menu, first.hidden, links))

    def _keep(self, block: _Block) -> None:
        rows = self._tables[-1].rows if self._tables else []
        if rows and rows[-1]:
            rows[-1][-1].append(block)
        else:
            self._blocks.append(block)


_BLANKS = re.compile(r"[ \t\r\n\f]+")
