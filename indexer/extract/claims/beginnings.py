"""Which files of text are of which format, by how they begin, where a suffix does not say. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

MARKDOWN = ".md .markdown .mdown .mkd .mdx .qmd .rmd"
# Names of text that may begin with a tag or header and is meant to be read as it stands.
_SOURCES = frozenset(
    f"{MARKDOWN} .rst .org .tex .py .js .ts .vue .php .jsp .erb .j2 .svelte .jsx .tsx .xml"
    " .svg".split()
)
_BOM = rb"(?:\xef\xbb\xbf)?\s*"
_HTML = re.compile(
    _BOM + rb"(?:<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+(?:<!doctype\s+html|<html[\s>])",
    re.DOTALL | re.IGNORECASE,
)
_HEADER = re.compile(rb"(?i)^(from|to|subject|date|received|message-id|mime-version|return-path):")
MIN_HEADERS = 3  # of the known ones, in the first lines of a file that is not called .eml
# One of these at least: people put the others above their own notes.
_OF_PROGRAMS = frozenset({b"received", b"message-id", b"mime-version", b"return-path"})


def of(word: bytes) -> Callable[[bytes, str], bool]:
    """Whether a file begins with this word, in any case."""
    pattern = re.compile(_BOM + word + rb"\s", re.IGNORECASE)
    return lambda sample, suffix: pattern.match(sample[:100]) is not None


def of_html(sample: bytes, suffix: str) -> bool:
    """Whether the first tag is that of a page, in a file that is not source code."""
    return suffix not in _SOURCES and _HTML.match(sample[:8192]) is not None


def of_mail(sample: bytes, suffix: str) -> bool:
    """Whether a file begins with several headers of a message."""
    lines = sample[:4096].split(b"\n\n", 1)[0].splitlines()[:40]
    if suffix in _SOURCES or not lines or not re.match(rb"[A-Za-z-]+:", lines[0]):
        return False
    found = {m[1].lower() for m in map(_HEADER.match, lines) if m}
    return len(found) >= MIN_HEADERS and not found.isdisjoint(_OF_PROGRAMS)
