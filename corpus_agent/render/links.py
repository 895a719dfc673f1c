"""Places of documents as links of a terminal (OSC 8) to the files.

The target is made of the document's name, each byte of which that is no letter or digit is escaped,
and of the folder: no text of a document is in it. Web pages and other text that a program might run
get no link.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from indexer import paths

Link = Callable[[str, str, int | None], str]  # of a text, about a source and a page

# What a viewer or an editor shows; a program that is started by a click runs none of it.
_SHOWN = """
    .pdf .md .markdown .txt .csv .tsv .epub .tex .org .rst .log .docx .xlsx .pptx .odt .ods .odp
    .rtf .png .jpg .jpeg .tif .tiff .webp
"""
LINKED = frozenset(_SHOWN.split())


def no_link(text: str, source: str, page: int | None) -> str:
    """The text alone."""
    return text


def link_below(root: Path) -> Link:
    """What makes a link to the file below `root` of a text, where its kind has one."""

    def link(text: str, source: str, page: int | None) -> str:
        known = PurePosixPath(source).suffix.lower() in LINKED
        if not (known and paths.leads_below(source)):
            return text
        target = f"file://{quote(str(root / source), errors='replace')}"
        target += f"#page={page}" if page is not None and source.lower().endswith(".pdf") else ""
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"

    return link
