"""Jupyter notebooks as Markdown: text cells, code, and what the code printed.

Pictures and other rich results are left out. Called through the registry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.extraction import Extraction, plain_lines
from indexer.extract.html.page import html_text
from indexer.extract.text.plain import decode, markdown_title

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # colours of a traceback


def read_notebook(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, or ValueError for what is no JSON."""
    notebook = json.loads(decode(data))
    # Before the fourth version of the format, cells stood in worksheets.
    worksheets = _list(_field(notebook, "worksheets"))
    cells = _list(_field(notebook, "cells"))
    cells += [cell for sheet in worksheets for cell in _list(_field(sheet, "cells"))]
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
        source = _joined(_field(cell, "source")) or _joined(_field(cell, "input"))
        kind = _field(cell, "cell_type")
        if kind == "heading":
            level = _field(cell, "level")
            yield markdown.heading(level if isinstance(level, int) else 1, source)
        elif kind != "code":
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
    if kind in ("error", "pyerr"):
        return f"{_field(output, 'ename')}: {_joined(_field(output, 'evalue'))}"
    shown = _field(output, "data") or output
    for form in ("text/markdown", "text/plain", "text", "text/latex"):
        if text := _joined(_field(shown, form)):
            return text
    page = _joined(_field(shown, "text/html"))
    return html_text(page)[1] if page else ""
