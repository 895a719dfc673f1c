"""JSON, XML and notebooks: data and documents that were written for programs.

JSON stays as it is, with characters for its escapes and line ends where there are none. XML is
read by its root element: a feed, a drawing, a Word or OpenDocument file in XML form; else every
element with text becomes a line, named by its tag. A notebook is read as Markdown: text cells,
code, and what the code printed; pictures are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import child, parse_xml, tag_of, text_of
from indexer.extract.extraction import Extraction, plain_lines
from indexer.extract.html.page import html_text, read_html
from indexer.extract.normalise import MAX_LINE_CHARS
from indexer.extract.office import docx, odf
from indexer.extract.text.plain import decode, markdown_title

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


# --- JSON ---------------------------------------------------------------------------------------

_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[0-9a-fA-F]{4})+)")
MAX_INDENT = 40  # what lies deeper stands side by side: a million brackets are no million lines
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]|,|[^"{}\[\],]+')


def read_json(data: bytes) -> Extraction:
    """Its lines, whether or not it is well formed."""
    text = _ESCAPE.sub(_unescaped, decode(data))
    return Extraction(None, plain_lines(_json_lines(text)))


def _unescaped(match: re.Match[str]) -> str:
    """Escapes as characters, except where that would be no text or end the string."""
    units = re.findall(r"\\u(....)", match[2])
    text = "".join(chr(int(unit, 16)) for unit in units)
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if any(not char.isprintable() or char in '"\\' for char in text):
        return match[0]
    return match[1] + text


def _json_lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if len(line) <= MAX_LINE_CHARS:
            yield line
        else:
            yield from (piece for piece in _broken(line) if piece.strip())


def _broken(line: str) -> Iterator[str]:
    """A long line of JSON, broken where a pretty-printer would break it."""
    depth = 0
    text = ""
    for match in _TOKEN.finditer(line):
        piece = match[0]
        if piece in ("]", "}"):
            depth = max(0, depth - 1)
            if depth <= MAX_INDENT:
                yield text
                text = " " * depth
        text += piece
        depth += piece in ("{", "[")
        if depth <= MAX_INDENT and piece in ("{", "[", ","):
            yield text
            text = " " * depth
    yield text


# --- XML ----------------------------------------------------------------------------------------


def read_xml(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument("malformed")."""
    root = parse_xml(data)
    kind = tag_of(root)
    if kind in ("wordDocument", "package"):
        return docx.read_word_xml(root)
    if kind == "document" and child(root, "body") is not None:
        return odf.read_flat_odf(data)
    if kind == "html":
        return read_html(data)
    if kind in ("rss", "feed", "RDF") and any(tag_of(e) in ("item", "entry") for e in root.iter()):
        return _feed(root)
    if kind == "svg":  # not its lines and places
        words = (text_of(e) for e in root.iter() if tag_of(e) in ("title", "desc", "text"))
        return Extraction(text_of(child(root, "title")) or None, plain_lines(words))
    titles = (markdown.one_line(text_of(child(each, "title"))) for each in (root, *root))
    return Extraction(next(filter(None, titles), None), plain_lines(_elements(root)))


_UNSHOWN = frozenset({"id", "space", "lang", "base", "schemaLocation", "style", "class", "rsid"})


def _elements(element: Element) -> Iterator[str]:
    """A line for each element that holds text, with its name; prose is kept together."""
    name = tag_of(element)
    named = ((str(key).rpartition("}")[2], str(value)) for key, value in element.attrib.items())
    values = " ".join(f"{key}={value}" for key, value in named if key not in _UNSHOWN and value)
    own = bool((element.text or "").strip()) or any((each.tail or "").strip() for each in element)
    if own or not len(element):
        text = markdown.one_line(text_of(element) if own else "")
        shown = " ".join(filter(None, [values and f"({values})", text]))
        if shown:
            yield f"{name}: {shown}"
        return
    if values:
        yield f"{name}: ({values})"
    for each in element:
        yield from _elements(each)


_DETAILS = ("pubDate", "published", "updated", "date", "creator", "author")
_TEXTS = ("description", "summary", "encoded", "content")


def _feed(root: Element) -> Extraction:
    """A news feed: its title, then each entry with title, date and text."""
    channel = child(root, "channel")
    title = markdown.one_line(text_of(child(root if channel is None else channel, "title")))
    blocks = [markdown.heading(1, title)]
    for item in root.iter():
        if tag_of(item) not in ("item", "entry"):
            continue
        parts = {tag_of(each): each for each in item}
        blocks.append(markdown.heading(2, text_of(parts.get("title"))))
        details = {name: markdown.one_line(text_of(parts.get(name))) for name in _DETAILS}
        blocks += [f"{name}: {text}" for name, text in details.items() if text]
        blocks += [html_text(text_of(parts.get(name)), titled=False)[1] for name in _TEXTS]
    return Extraction(title or None, plain_lines([markdown.page(blocks)]))


# --- Notebooks ------------------------------------------------------------------------------------

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # colours of a traceback


def read_notebook(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, or ValueError for what is no JSON."""
    notebook = json.loads(decode(data))
    cells = _list(_field(notebook, "cells"))
    if not cells:
        raise UnreadableDocument("malformed", "a notebook without cells")
    metadata = _field(notebook, "metadata")
    language = _joined(_field(_field(metadata, "kernelspec"), "language")) or "python"
    text = "\n\n".join(block for block in _blocks(cells, language) if block.strip())
    title = _joined(_field(metadata, "title")) or markdown_title(text)
    return Extraction(title, plain_lines([text]))


def _field(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _joined(value: object) -> str:
    """A text that may be written as a list of its lines."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _blocks(cells: list[object], language: str) -> Iterator[str]:
    for cell in cells:
        source = _joined(_field(cell, "source"))
        if _field(cell, "cell_type") != "code":
            yield source
        elif source.strip():
            yield f"```{language}\n{source}\n```"
        for output in _list(_field(cell, "outputs")):
            text = _ESCAPES.sub("", _output(output)).strip("\n")
            if text.strip():
                yield f"Output:\n{text}"


def _output(output: object) -> str:
    """The text of an output: printed, displayed or raised."""
    kind = _field(output, "output_type")
    if kind == "stream":
        return _joined(_field(output, "text"))
    if kind == "error":
        return f"{_field(output, 'ename')}: {_joined(_field(output, 'evalue'))}"
    shown = _field(output, "data")
    for form in ("text/markdown", "text/plain", "text/latex"):
        if text := _joined(_field(shown, form)):
            return text
    page = _joined(_field(shown, "text/html"))
    return html_text(page)[1] if page else ""
