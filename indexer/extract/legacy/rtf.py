"""RTF as Markdown: text in the code pages of its fonts, table rows, notes and comments.

Page headers and footers, pictures and deleted text are left out; text that the page does not show
is marked as hidden. Also undoes the RTF that Outlook wraps around the HTML of a mail.

Not kreuzberg, which writes `~` and `_` for blanks and hyphens that do not break, runs the cells of
a row together and decodes pictures as text; nor striprtf, which knows one code page a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import escape

from indexer.extract import markdown
from indexer.extract.extraction import Extraction, plain_lines
from indexer.extract.hidden import alike, hide
from indexer.extract.html.page import html_text
from indexer.extract.legacy.rtf_tables import WORDS as TABLE_WORDS
from indexer.extract.legacy.rtf_tables import RowsDraft
from indexer.extract.legacy.rtf_words import CHARACTERS, CODE_PAGES, ENDS, SIGNS, SKIPPED, STARRED
from indexer.extract.office.word_hidden import MAX_UNSEEN_HALF_POINTS, PAPER
from indexer.extract.own_properties import OwnProperties, own_properties
from indexer.extract.tables.grid import Cell
from indexer.extract.tables.rows import table_text

_TOKEN = re.compile(
    r"\\'([0-9a-fA-F]{2})"  # 1: a byte
    r"|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?"  # 2, 3: a word and its number
    r"|\\([^a-zA-Z])"  # 4: a sign
    r"|([{}])"  # 5: a group
    r"|([^\\{}\r\n]+)",  # 6: text
    re.DOTALL,
)
_HEADING = re.compile(r"(?i)heading ([1-9])\b")
_DESTINATIONS = frozenset({"fonttbl", "stylesheet", "colortbl", "info", "title", "author"}) | {
    "creatim"
}
_DATE_WORDS = ("yr", "mo", "dy")
MAX_LEVEL = 8  # of an outline; 9 is body text


def read_rtf(data: bytes) -> Extraction:
    """Its title and text."""
    reader = _RtfReader()
    reader.read(data.decode("latin-1"))
    own = reader.properties()
    return Extraction(own.title, plain_lines([markdown.page(reader.finish())]), own=own)


def rtf_text(data: bytes) -> str:
    """The text of an RTF file."""
    reader = _RtfReader()
    reader.read(data.decode("latin-1"))
    return markdown.page(reader.finish())


@dataclass(frozen=True, slots=True)
class _State:
    """State until the end of a group; `target` is the destination of its text.

    `dropped`: deleted, or repeated for other readers. `vanishes`, `colour`, `fill` and `tiny` are
    how characters look; colours are entries of the file's table, 0 for the usual one.
    """

    target: str = "text"
    code_page: str = "cp1252"
    skip_after_unicode: int = 1
    dropped: bool = False
    bold: bool = False
    vanishes: bool = False
    tiny: bool = False
    colour: int = 0
    fill: int = 0
    boxed: bool = False


# What programs write in front of a list item, for readers that do not number lists themselves.
_BULLETS = "•·●○▪◦o§\uf0b7\uf0a7"
_LABEL = re.compile(rf"([{_BULLETS}]|[\d.]{{1,6}}[.)]|[A-Za-z][.)])\t(?=\S)")


@dataclass(slots=True)
class _Paragraph:
    pieces: list[str] = field(default_factory=list)
    style: int = 0
    level: int | None = None
    in_table: bool = False
    weak: bool = False  # whether some of its text is not in bold
    shaded: bool = False


class _RtfReader:
    """State of reading a file: stack of groups, current paragraph, blocks so far."""

    def __init__(self) -> None:
        self._info: dict[str, list[str]] = {"title": [], "author": []}
        self._made: dict[str, int] = {}  # year, month and day
        self._blocks: list[str] = []
        self._cells: list[Cell] = []
        self._rows = RowsDraft()
        self._notes: list[str] = []
        self._stack: list[tuple[_State, _Paragraph | None]] = []
        self._state = _State()
        self._paragraph = _Paragraph()
        self._bytes = bytearray()
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._style = 0
        self._levels: dict[int, int] = {}
        self._html: list[str] | None = None
        self._default = "cp1252"
        self._to_skip = 0
        self._colours: list[str] = []
        self._parts = {"red": 0, "green": 0, "blue": 0}  # of the colour in hand

    def read(self, source: str) -> None:
        """Read the whole file, given as one character per byte."""
        position = 0
        starred = False
        while match := _TOKEN.search(source, position):
            position = match.end()
            byte, word, number, sign, group, text = match.groups()
            if group:
                self._group(group)
            elif word:
                if word == "bin":
                    position += max(0, int(number or 0))
                else:
                    self._word(word, int(number) if number else None, starred)
            elif byte:
                self._take(bytes([int(byte, 16)]))
            elif text:
                self._take(text.encode("latin-1"))
            elif sign in "\r\n":
                self._word("par", None, False)
            elif sign != "*":
                self._put(SIGNS.get(sign, ""))
            starred = sign == "*"

    def finish(self) -> Iterator[str]:
        """The blocks, including an unterminated last one."""
        self._flush()
        if self._html is not None:
            yield html_text("".join(self._html))[1]
            return
        self._table("row")
        self._end_table()
        self._end_paragraph()
        yield from self._blocks

    def properties(self) -> OwnProperties:
        """What its head says of it."""
        year, month, day = (self._made.get(word, 0) for word in _DATE_WORDS)
        title, author = ("".join(self._info[name]) for name in ("title", "author"))
        return own_properties(title, author, f"{year:04}-{month:02}-{day:02}")

    def _group(self, sign: str) -> None:
        self._flush()
        self._to_skip = 0
        if sign == "{":
            self._stack.append((self._state, None))
        elif self._stack:
            before, outer = self._stack.pop()
            if outer is not None:
                self._end_note(self._state.target)
                self._paragraph = outer
            self._state = before

    def _word(self, word: str, number: int | None, starred: bool) -> None:
        if word in ("u", "uc"):
            self._unicode(word, number or 0)
            return
        self._flush()
        if word in CHARACTERS:
            self._put(CHARACTERS[word])
        elif word in ENDS:
            if self._paragraph.in_table or self._html is not None:
                self._put("\n")
            else:
                self._end_paragraph()
        elif word in ("cell", "nestcell", "row"):
            self._table(word)
        elif word in TABLE_WORDS and self._state.target == "text":
            self._rows.define(word, number or 0)
        elif word == "htmltag" and self._html is not None:
            self._state = replace(self._state, target=word)
        elif word in SKIPPED or (starred and word not in STARRED):
            self._state = replace(self._state, target="")
        else:
            self._setting(word, number)

    def _unicode(self, word: str, number: int) -> None:
        if word == "uc":
            self._state = replace(self._state, skip_after_unicode=max(0, number))
            return
        if not self._to_skip:
            self._flush()
        code = number % 0x10000
        self._bytes_to_text()
        self._put(chr(code))
        self._to_skip = self._state.skip_after_unicode

    def _setting(self, word: str, number: int | None) -> None:
        """Apply a control word that changes how text is read; most only change its appearance."""
        state, paragraph = self._state, self._paragraph
        if word in _DESTINATIONS and state.target:
            self._state = replace(state, target=word)
        elif word in ("footnote", "annotation") and state.target == "text" and self._stack:
            self._stack[-1] = (self._stack[-1][0], paragraph)
            self._state = replace(state, target=word)
            self._paragraph = _Paragraph()
        elif word in ("ansicpg", "f", "fcharset", "cpg"):
            self._set_font(word, number or 0)
        elif word in ("s", "outlinelevel") and number is not None:
            self._set_style(word, number)
        elif word == "pard":
            paragraph.style, paragraph.level, paragraph.in_table = 0, None, False
            paragraph.shaded = False
        elif word == "intbl":
            paragraph.in_table = True
        elif word == "plain":
            self._state = replace(
                state, dropped=False, bold=False, vanishes=False, tiny=False, colour=0, fill=0
            )
        elif word in ("deleted", "htmlrtf"):
            self._state = replace(state, dropped=number != 0)
        elif word == "fromhtml":
            self._html = []
        else:
            self._set_look(word, number)

    def _set_look(self, word: str, number: int | None) -> None:
        """Apply a control word that decides whether characters are seen, or of when a date is."""
        if self._state.target == "creatim" and word in _DATE_WORDS:
            self._made[word] = number or 0
        elif word in self._parts:
            self._parts[word] = min(max(number or 0, 0), 255)
        elif word == "v":
            self._state = replace(self._state, vanishes=number != 0)
        elif word == "b":
            self._state = replace(self._state, bold=number != 0)
        elif word == "fs":
            self._state = replace(self._state, tiny=(number or 0) <= MAX_UNSEEN_HALF_POINTS)
        elif word == "cf":
            self._state = replace(self._state, colour=number or 0)
        elif word in ("highlight", "cb", "chcbpat"):
            self._state = replace(self._state, fill=number or 0)
        elif word in ("cbpat", "cfpat", "shading"):
            self._paragraph.shaded = bool(number)
        elif word == "shpinst":
            self._state = replace(self._state, boxed=True)

    def _is_unseen(self) -> bool:
        """Whether the characters in hand are not shown; in tables and boxes colours do not say."""
        state = self._state
        if state.vanishes or state.tiny:
            return True
        if not 0 < state.colour < len(self._colours):
            return False
        if 0 < state.fill < len(self._colours):
            return alike(self._colours[state.colour], self._colours[state.fill])
        coloured = state.boxed or self._paragraph.in_table or self._paragraph.shaded
        return not coloured and alike(self._colours[state.colour], PAPER)

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
            page = f"cp{number}" if word == "cpg" else CODE_PAGES.get(number, self._default)
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
        self._to_skip = 0
        self._bytes_to_text()

    def _bytes_to_text(self) -> None:
        if self._bytes:
            data, self._bytes = bytes(self._bytes), bytearray()
            try:
                text = data.decode(self._state.code_page, "replace")
            except LookupError:
                text = data.decode("cp1252", "replace")
            self._put(text)

    def _put(self, text: str) -> None:
        self._bytes_to_text()
        if self._state.dropped or not text:
            return
        if self._html is not None and self._state.target in ("text", "htmltag"):
            if not self._state.vanishes:
                self._html.append(text if self._state.target == "htmltag" else escape(text))
        elif self._state.target == "colortbl":
            for _ in range(text.count(";")):
                self._colours.append("".join(f"{part:02x}" for part in self._parts.values()))
                self._parts = dict.fromkeys(self._parts, 0)
        elif self._state.target in self._info:
            self._info[self._state.target].append(text)
        elif self._state.target == "stylesheet" and (heading := _HEADING.match(text)):
            self._levels[self._style] = int(heading[1]) - 1
        elif self._state.target in ("text", "footnote", "annotation"):
            self._paragraph.pieces.append(hide(text) if self._is_unseen() else text)
            self._paragraph.weak |= not self._state.bold and bool(text.strip())

    def _text(self) -> str:
        pieces, self._paragraph.pieces = self._paragraph.pieces, []
        return "".join(pieces).strip(" \n")

    def _table(self, word: str) -> None:
        if self._state.target != "text":
            return
        if word == "nestcell":
            self._put(", ")  # a table within a cell: its words remain
        elif word == "cell":
            strong, self._paragraph.weak = not self._paragraph.weak, False
            text = self._text().rstrip(", ")
            self._cells.append(Cell(text, strong=strong and bool(text)))
        elif self._cells:
            self._rows.end_row(self._cells)
            self._cells = []

    def _end_table(self) -> None:
        if rows := self._rows.taken():
            self._blocks.append(table_text(rows))
            self._end_notes()

    def _end_paragraph(self) -> None:
        if self._state.target in ("footnote", "annotation"):
            self._paragraph.pieces.append("\n")
            return
        if self._state.target != "text":
            return
        self._end_table()
        paragraph = self._paragraph
        paragraph.weak = False
        level = (
            paragraph.level if paragraph.level is not None else self._levels.get(paragraph.style)
        )
        text = self._text()
        if text and level is not None and level <= MAX_LEVEL:
            text = markdown.heading(level + 1, text)
        elif label := _LABEL.match(text):
            shown = "-" if label[1] in _BULLETS else label[1]
            text = markdown.item(text[label.end() :], 1, shown)
        self._blocks.append(text)
        self._end_notes()

    def _end_note(self, kind: str) -> None:
        text = markdown.one_line(self._text())
        if text:
            name = "Comment" if kind == "annotation" else "Footnote"
            self._notes.append(f"{name}: {text}")

    def _end_notes(self) -> None:
        self._blocks += self._notes
        self._notes = []
