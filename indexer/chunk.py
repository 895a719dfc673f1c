"""Lines -> chunks with line numbers, pages and headings. Pure.

Splits by structure: pages and headings first, then paragraphs, list items, sentences, words, as
far as is needed to fit the model's window (semantic-text-splitter, counting with the model's own
tokenizer). The assertion in `Chunker.chunk` ensures that the model never truncates
a chunk.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from indexer.extract import writes_markdown
from indexer.records import Chunk, Document, Line

if TYPE_CHECKING:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

    from indexer.embed.encoder import Encoder

CONTEXT_TOKENS = 40  # for title and headings in front of the embedded text
# WordPiece makes one [UNK] of any word over 100 characters, so tokens alone do not bound a chunk.
CHUNK_CHARS = 2_000
HEADING_SEPARATOR = " > "
TITLE_LINES = 80  # above a line of plain text, in which its title is looked for


class Chunker:
    """Splits documents for one model; caches the splitters, which are costly to make."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._max_tokens = max_tokens = encoder.max_tokens
        specials = len(encoder.tokens([""])[0].ids)
        # A model with a small window gets small chunks, rather than cut ones.
        self._context_tokens = min(CONTEXT_TOKENS, max_tokens // 4)
        self._size = min(encoder.passage_tokens, max_tokens - specials - self._context_tokens)
        self.version = f"structure/4 tokens={self._size} context={self._context_tokens}"
        self._splitters: dict[tuple[bool, bool], MarkdownSplitter | TextSplitter] = {}

    def _splitter(self, markdown: bool, rows: bool) -> MarkdownSplitter | TextSplitter:
        """A splitter of Markdown or plain text; with `rows` it counts names of columns once."""
        key = (markdown, rows)
        if key not in self._splitters:  # made when first used: a search needs the version alone
            from semantic_text_splitter import MarkdownSplitter, TextSplitter

            kind = MarkdownSplitter if markdown else TextSplitter
            self._splitters[key] = (
                kind.from_callback(self._row_tokens, self._size)
                if rows
                else kind.from_huggingface_tokenizer(self._encoder.tokenizer, self._size)
            )
        return self._splitters[key]

    def _row_tokens(self, text: str) -> int:
        tokenizer = self._encoder.tokenizer
        return len(tokenizer.encode(named_once(text), add_special_tokens=False).ids)

    def chunk(self, document: Document) -> list[Chunk]:
        """The chunks of a document in order; together they hold all its text but part marks."""
        is_markdown = writes_markdown(document.extractor)
        paths = heading_paths(document) if is_markdown else None
        chunks: list[Chunk] = []
        for first, lines in _parts(document.lines):
            text = "\n".join(line.text for line in lines)
            starts = [0, *accumulate(len(line.text) + 1 for line in lines[:-1])]
            page = lines[0].page
            above = HEADING_SEPARATOR.join(_above(document.title, lines[0]))
            splitter = self._splitter(is_markdown, named_once(text) != text)
            for offset, piece in self._pieces(splitter, text):
                start = first + bisect_right(starts, offset) - 1
                end = first + bisect_right(starts, offset + len(piece) - 1) - 1
                heading = paths[start - 1] if paths else above
                chunks.append(
                    Chunk(document.source, len(chunks), piece, heading, start, end, page, page)
                )
        return chunks

    def _pieces(
        self, splitter: MarkdownSplitter | TextSplitter, text: str
    ) -> Iterator[tuple[int, str]]:
        from semantic_text_splitter import TextSplitter

        for offset, piece in splitter.chunk_indices(text):
            if len(named_once(piece)) <= CHUNK_CHARS:
                yield offset, piece
            else:
                for inner, part in TextSplitter(CHUNK_CHARS).chunk_indices(piece):
                    yield offset + inner, part

    def embedded_text(self, chunk: Chunk) -> str:
        """The text that is embedded for a chunk: context, newline, text; within the token limit."""
        text = self.text_with_context(chunk)
        tokens = len(self._encoder.tokens([text])[0].ids)
        assert tokens <= self._max_tokens, f"{chunk.id}: {tokens} > {self._max_tokens} tokens"
        return text

    def text_with_context(self, chunk: Chunk) -> str:
        """The same, not counted: of a chunk that may be damaged."""
        return f"{self._context(chunk)}\n{named_once(chunk.text)}"

    def _context(self, chunk: Chunk) -> str:
        """File name and headings, truncated from the left: the last heading says most."""
        context = context_of(chunk.source, chunk.heading)
        if len(context) < self._context_tokens:  # no token is shorter than a letter
            return context
        offsets = [place for place in self._encoder.tokens([context])[0].offsets if place[1]]
        surplus = len(offsets) - self._context_tokens
        return context[offsets[surplus][0] :] if surplus > 0 else context


def context_of(source: str, heading: str) -> str:
    """`heading`, preceded by the words of the file name that it does not contain."""
    stem = PurePosixPath(source).stem
    words = re.sub(r"[\W_]+|(?<=[a-z])(?=[A-Z])", " ", stem).strip()
    known = words.casefold() in re.sub(r"[\W_]+", " ", heading).casefold()
    telling = re.search(r"[^\W\d_]{3}", words)
    return f"{words}{HEADING_SEPARATOR}{heading}" if telling and not known else heading


_RULE = re.compile(r"\|(?: --- \|)+")


def named_once(text: str) -> str:
    """`text` with the names of columns once: each row of a table has them, to be quoted alone."""
    if "\n| " not in text:
        return text
    lines: list[str] = []
    named: set[str] = set()
    for line in text.split("\n"):
        if _RULE.fullmatch(line):
            continue
        if not (line.startswith("| ") and line.endswith(" |")):
            named = set()
            lines.append(line)
            continue
        cells = [cell.partition(": ") for cell in line[2:-2].split(" | ")]
        left = (
            value if mark and name in named else name + mark + value for name, mark, value in cells
        )
        lines.append(f"| {' | '.join(left)} |")
        named = {name for name, _, _ in cells}
    return "\n".join(lines)


def _parts(lines: Sequence[Line]) -> Iterator[tuple[int, list[Line]]]:
    """Runs of lines of one part, without the part's mark, with the number of the first line."""
    number = 1
    for _, group in groupby(lines, key=lambda line: (line.page, line.part)):
        run = list(group)
        first = number
        number += len(run)
        if run[0].is_mark:
            run, first = run[1:], first + 1
        if run:
            yield first, run


def _above(title: str, line: Line) -> list[str]:
    """The context above all headings of a line: the title, and the part unless it is a page."""
    return [title] if line.part is None or line.page is not None else [title, line.part]


_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*)$")  # CommonMark 4.2
_SETEXT = re.compile(r"^ {0,3}=+[ \t]*$")  # CommonMark 4.3, level 1 only: `---` is also a ruler


def heading_paths(document: Document) -> list[str]:
    """For each line of a Markdown document, the headings above and on it, joined by " > "."""
    levels: dict[int, str] = {}
    paths: list[str] = []
    fence = ""
    part: str | None = None
    below = [line.text for line in document.lines[1:]]
    for line, following in zip(document.lines, [*below, ""], strict=False):
        if line.part != part:
            part, levels, fence = line.part, {}, ""
        mark = _FENCE.match(line.text)
        if mark and (not fence or mark.group(1).startswith(fence)):
            fence = "" if fence else mark.group(1)
        heading = None if fence or mark else _heading(line.text, following)
        if heading:
            level, text = heading
            levels = {key: value for key, value in levels.items() if key < level} | {level: text}
        path = [levels[key] for key in sorted(levels)]
        above = _above(document.title, line)
        repeated = above[-1].partition(": ")[2] if len(above) > 1 else above[-1]
        if path and path[0].casefold() in (repeated.casefold(), above[-1].casefold()):
            del path[0]
        paths.append(HEADING_SEPARATOR.join([*above, *path]))
    return paths


def heading_of(document: Document) -> str:
    """What the last line stands under: the title, unless the file's name says it, and headings."""
    lines = document.lines
    if not lines:
        return ""
    if writes_markdown(document.extractor):
        path = heading_paths(document)[-1].split(HEADING_SEPARATOR)
    else:
        marked = document.extractor.startswith(_BY_LOOK)
        path = list(dict.fromkeys((*_above(document.title, lines[-1]), *_titles(document, marked))))
    named = _words(document.source)
    return HEADING_SEPARATOR.join(each for each in path if not named.issuperset(_words(each)))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


# Lines of a PDF say which of them look like headings; those above a mail are none.
_BY_LOOK = ("pdf/", "eml/", "msg/", "mbox/")
MAX_TITLE = 100  # characters of a line of plain text that is a title
MOST_TITLES = 2  # one below the other
_STOPS = tuple(".!?;,:…。！？；，：؟।|")
# A label with its value is no title: "Date: 3 May", "Water 311 m3", "Rope 4.50", "Age    4 years".
_VALUE = re.compile(r": |\s{3}|(?:^|\s)\d\S*+\s\S{1,3}$|(?:^|\s)\d++[^\s\d)]\S*+$")
_PROSE, _FULL = 40, 60  # characters of a line of prose, and of one that goes on in the next


def _titles(document: Document, marked: bool) -> Iterator[str]:
    """The first line of a document and the nearest above the last, of those that are titles.

    With `marked` its lines say so; of plain text it is seen by what stands around them. A first
    line that repeats the title is left out.
    """
    lines, title = document.lines, document.title.casefold()
    texts = ["" if line.is_mark else line.text.strip() for line in lines]
    written = [at for at, text in enumerate(texts) if text]

    def is_title(at: int) -> bool:
        return lines[at].heading if marked else _is_title(texts, at)

    first = texts[written[0]] if written and is_title(written[0]) else ""
    if not title.startswith(first.casefold()):
        yield first
    near = range(len(texts) - 1, max(-1, len(texts) - 2 - TITLE_LINES), -1)
    found = list[str]()
    for at in near:
        if is_title(at):
            found.insert(0, texts[at])
        elif found and texts[at]:
            break
    yield from found


def _is_title(texts: Sequence[str], at: int, lines: int = MOST_TITLES) -> bool:
    """Whether a line stands above prose or a list: short, and with few such `lines` below it."""
    text, above = texts[at], texts[at - 1] if at else ""
    if not 0 < len(text) <= MAX_TITLE or text.endswith(_STOPS) or not text[0].isalpha():
        return False
    goes_on = len(above) > _FULL and not above.endswith(_STOPS)
    following = next((n for n in range(at + 1, len(texts)) if texts[n]), at)
    below = texts[following]
    is_prose = len(below) > _PROSE or below.endswith(_STOPS) or not below[:1].isalnum()
    is_prose = is_prose or bool(_VALUE.search(below))
    wraps = following == at + 1 and len(text) > _PROSE
    is_body = goes_on or wraps or bool(_VALUE.search(text))
    if is_body or following == at or text[0].islower() or below[:1].islower():
        return False
    return is_prose or (lines > 1 and _is_title(texts, following, lines - 1))


def _heading(line: str, following: str) -> tuple[int, str] | None:
    if atx := _ATX.match(line):
        text = atx[2].rstrip(" \t").rstrip("#").rstrip(" \t")
        return (len(atx[1]), text) if text else None
    if line.strip() and _SETEXT.match(following):
        return 1, line.strip()
    return None
