r"""RTF as Markdown: text in the code pages of its fonts, table rows, notes and comments.

Page headers and footers, pictures and deleted text are left out. Not striprtf, which knows one code
page a document. Source: RTF Specification 1.9.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from indexer.extract import markdown
from indexer.extract.extraction import (
    Extraction,
    OwnProperties,
    own_properties,
    plain_lines,
    table,
    words,
)
from indexer.extract.hidden import PAPER, UNKNOWN, Look, hide, joined, shift
from indexer.extract.tables import unmerged_text

_TOKEN = re.compile(
    r"\\'(?P<byte>[0-9a-fA-F]{2})"
    r"|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    r"|\\(?P<sign>[^a-zA-Z])"
    r"|(?P<group>[{}])"
    r"|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
_HEADING = re.compile(r"(?i)heading ([1-9])\b")
MAX_LEVEL = 8  # of an outline; 9 is body text
_SIGNS = {"~": "\u00a0", "_": "\u2011", "-": "", "*": ""}
_CHARACTERS = table("rtf", "characters")
_ENDS = frozenset({"par", "sect", "page", "softpage"})
_LOOKS, _SWITCHES = table("rtf", "looks"), table("rtf", "switches")
_UNITS = {"points": 2, "width": 100}
_HEIGHTS = {"super": 1, "up": 1, "sub": -1, "dn": -1, "nosupersub": 0}
_SHADES = ("red", "green", "blue")
_TITLES = frozenset({"title", "author"})
_DESTINATIONS = frozenset({"fonttbl", "stylesheet", "info", "creatim", "colortbl"}) | _TITLES
_NOTES = {"footnote": "Footnote", "annotation": "Comment"}
_DATE_WORDS = ("yr", "mo", "dy")
_SKIPPED = words("rtf", "skipped")  # groups that hold no text of the document
_STARRED = frozenset({"shppict", "shpinst", "ud", "pntext", "listtext"}) | _NOTES.keys()
_CODE_PAGES = table("rtf", "code_pages")  # by the character set of a font
# What programs write in front of a list item, for readers that do not number lists themselves.
_BULLETS = "•·●○▪◦o§\uf0b7\uf0a7"
_LABEL = re.compile(rf"([{_BULLETS}]|[\d.]{{1,6}}[.)]|[A-Za-z][.)])\t(?=\S)")


def read_rtf(data: bytes) -> Extraction:
    """Its title and text."""
    reader = _RtfReader(data)
    own = reader.properties()
    return Extraction(own.title, plain_lines([markdown.page(reader.blocks())]), own=own)


@dataclass(frozen=True, slots=True)
class _State:
    """State until the end of a group; `target` is the destination of its text."""

    target: str = "text"
    code_page: str = "cp1252"
    skip_after_unicode: int = 1
    deleted: bool = False
    vanishes: bool = False
    struck: bool = False
    colour: int = 0  # by its place in the table of colours, as those behind it
    ground: int = 0
    points: float = 12.0
    width: float = 1.0
    shift: str = ""


@dataclass(slots=True)
class _Paragraph:
    pieces: list[str] = field(default_factory=list)
    style: int = 0
    level: int | None = None
    in_table: bool = False


class _RtfReader:
    """State of reading a file: stack of groups, current paragraph, blocks so far."""

    def __init__(self, data: bytes) -> None:
        self._info: dict[str, str] = dict.fromkeys(_TITLES, "")
        self._made: dict[str, int] = {}  # year, month and day
        self._blocks: list[str] = []
        self._cells: list[str] = []
        self._rows: list[list[str]] = []
        self._notes: list[str] = []
        self._stack: list[tuple[_State, _Paragraph | None]] = []
        self._state = _State()
        self._paragraph = _Paragraph()
        self._bytes = bytearray()
        self._fonts: dict[int, str] = {}
        self._font = self._style = 0
        self._levels: dict[int, int] = {}
        self._default = "cp1252"
        self._colours = [[0, 0, 0]]
        self._paper = PAPER
        self._to_skip = 0
        self._read(data.decode("latin-1"))

    def _read(self, source: str) -> None:
        position = 0
        starred = False
        while match := _TOKEN.search(source, position):
            position = match.end()
            kind, found = match.lastgroup, match[match.lastgroup or 0]
            if kind == "group":
                self._group(found)
            elif kind in ("word", "number"):
                number = int(match["number"]) if match["number"] else None
                if match["word"] == "bin":
                    position += max(0, number or 0)
                else:
                    self._word(match["word"], number, starred)
            elif kind == "sign":
                if found in "\r\n":
                    self._word("par", None, False)
                else:
                    self._put(_SIGNS.get(found, found if found in "\\{}" else ""))
            else:
                self._take(bytes.fromhex(found) if kind == "byte" else found.encode("latin-1"))
            starred = kind == "sign" and found == "*"
        self._flush()

    def blocks(self) -> Iterator[str]:
        """The blocks, including an unterminated last one."""
        self._end_row()
        self._end_table()
        self._end_paragraph()
        yield from self._blocks

    def properties(self) -> OwnProperties:
        """What its head says of it."""
        year, month, day = (self._made.get(word, 0) for word in _DATE_WORDS)
        made = f"{year:04}-{month:02}-{day:02}"
        return own_properties(self._info["title"], self._info["author"], made)

    def _group(self, sign: str) -> None:
        self._flush()
        if sign == "{":
            self._stack.append((self._state, None))
        elif self._stack:
            before, outer = self._stack.pop()
            if outer is not None:
                if text := markdown.one_line(self._text()):
                    self._notes.append(f"{_NOTES[self._state.target]}: {text}")
                self._paragraph = outer
            self._state = before

    def _word(self, word: str, number: int | None, starred: bool) -> None:
        if word in ("u", "uc"):
            self._unicode(word, number or 0)
            return
        self._flush()
        if word in _CHARACTERS:
            self._put(_CHARACTERS[word])
        elif word in _ENDS:
            if self._paragraph.in_table:
                self._put("\n")
            else:
                self._end_paragraph()
        elif word in ("cell", "nestcell", "row") and self._state.target == "text":
            self._table(word)
        elif word in _SKIPPED or (starred and word not in _STARRED):
            self._state = replace(self._state, target="")
        elif self._state.target == "creatim" and word in _DATE_WORDS:
            self._made[word] = number or 0
        else:
            self._setting(word, number)

    def _unicode(self, word: str, number: int) -> None:
        if word == "uc":
            self._state = replace(self._state, skip_after_unicode=max(0, number))
            return
        self._flush()
        self._put(chr(number % 0x10000))
        self._to_skip = self._state.skip_after_unicode

    def _setting(self, word: str, number: int | None) -> None:
        """Apply a control word that changes how text is read; most only change its appearance."""
        state, paragraph = self._state, self._paragraph
        if word in _DESTINATIONS and state.target:
            self._state = replace(state, target=word)
        elif word in _NOTES and state.target == "text" and self._stack:
            self._stack[-1] = (self._stack[-1][0], paragraph)
            self._state = replace(state, target=word)
            self._paragraph = _Paragraph()
        elif word in ("ansicpg", "f", "fcharset", "cpg"):
            self._set_font(word, number or 0)
        elif word in ("s", "outlinelevel") and number is not None:
            self._set_style(word, number)
        elif word == "pard":
            paragraph.style, paragraph.level, paragraph.in_table = 0, None, False
        elif word == "intbl":
            paragraph.in_table = True
        else:
            self._dress(word, number)

    def _dress(self, word: str, number: int | None) -> None:
        """Apply what a control word says of the looks of the text behind it."""
        state, value = self._state, number or 0
        if word == "plain":
            self._state = _State(
                state.target, state.code_page, state.skip_after_unicode, state.deleted
            )
        elif word in _SWITCHES:
            is_on: dict[str, Any] = {_SWITCHES[word]: number != 0}
            self._state = replace(state, **is_on)
        elif word in _HEIGHTS:
            self._state = replace(state, shift=shift(_HEIGHTS[word] * (number != 0)))
        elif word in ("cbpat", "clcbpat"):
            self._paper = UNKNOWN  # of a paragraph, a cell
        elif word in _SHADES and state.target == "colortbl":
            self._colours[-1][_SHADES.index(word)] = min(max(value, 0), 255)
        elif word in _LOOKS:
            name = _LOOKS[word]
            looks: dict[str, Any] = {name: value / _UNITS[name] if name in _UNITS else value}
            self._state = replace(state, **looks)

    def _marked(self, text: str) -> str:
        state = self._state
        ground = self._colour(state.ground) or self._paper
        colour = self._colour(state.colour)
        look = Look(
            colour, ground, state.points, state.width, struck=state.struck, shift=state.shift
        )
        return hide(text) if state.vanishes else look.marked(text)

    def _colour(self, at: int) -> str:
        """A colour of the table; "" for none, and for the first, which is each program's own."""
        return bytes(self._colours[at]).hex() if 0 < at < len(self._colours) else ""

    def _set_font(self, word: str, number: int) -> None:
        if word == "ansicpg":
            self._default = f"cp{number}"
            self._state = replace(self._state, code_page=self._default)
        elif word == "f":
            self._font = number
            if self._state.target != "fonttbl":
                page = self._fonts.get(number, self._default)
                self._state = replace(self._state, code_page=page)
        elif self._state.target == "fonttbl":
            page = f"cp{number}" if word == "cpg" else _CODE_PAGES.get(str(number), self._default)
            self._fonts[self._font] = self._default if word == "fcharset" and not number else page

    def _set_style(self, word: str, number: int) -> None:
        if self._state.target == "stylesheet":
            if word == "s":
                self._style = number
            else:
                self._levels[self._style] = number
        elif word == "s":
            self._paragraph.style = number
        else:
            self._paragraph.level = number

    def _take(self, data: bytes) -> None:
        """Append bytes of text, except those that repeat a character given in Unicode."""
        skipped = min(self._to_skip, len(data))
        self._to_skip -= skipped
        self._bytes += data[skipped:]

    def _flush(self) -> None:
        """Put the bytes in hand as text; nothing more repeats a character in Unicode."""
        self._to_skip = 0
        if self._bytes:
            data, self._bytes = bytes(self._bytes), bytearray()
            try:
                text = data.decode(self._state.code_page, "replace")
            except LookupError:
                text = data.decode("cp1252", "replace")
            self._put(text)

    def _put(self, text: str) -> None:
        if self._bytes:
            self._flush()
        target = self._state.target
        if self._state.deleted or not text:
            return
        if target in self._info:
            self._info[target] += text
        elif target == "stylesheet" and (heading := _HEADING.match(text)):
            self._levels[self._style] = int(heading[1]) - 1
        elif target == "colortbl":
            self._colours += ([0, 0, 0] for _ in range(text.count(";")))
        elif target == "text" or target in _NOTES:
            self._paragraph.pieces.append(self._marked(text))

    def _text(self) -> str:
        pieces, self._paragraph.pieces = self._paragraph.pieces, []
        return joined(pieces).strip(" \n")

    def _table(self, word: str) -> None:
        if word == "nestcell":
            self._put(", ")  # a table within a cell: its words remain
        elif word == "cell":
            self._cells.append(self._text().rstrip(", "))
        else:
            self._end_row()

    def _end_row(self) -> None:
        if self._cells:
            self._rows.append(self._cells)
            self._cells = []

    def _end_table(self) -> None:
        if self._rows:
            self._blocks.append(unmerged_text(self._rows))
            self._rows = []
            self._end_notes()

    def _end_paragraph(self) -> None:
        if self._state.target in _NOTES:
            self._paragraph.pieces.append("\n")
            return
        if self._state.target != "text":
            return
        self._end_table()
        style, level = self._paragraph.style, self._paragraph.level
        level = self._levels.get(style) if level is None else level
        text = self._text()
        if text and level is not None and level <= MAX_LEVEL:
            text = markdown.heading(level + 1, text)
        elif label := _LABEL.match(text):
            shown = "-" if label[1] in _BULLETS else label[1]
            text = markdown.item(text[label.end() :], 1, shown)
        self._blocks.append(text)
        self._end_notes()

    def _end_notes(self) -> None:
        self._blocks += self._notes
        self._notes = []
