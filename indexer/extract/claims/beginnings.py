"""Which files of text are of which format, by how they begin. Pure.

For what a suffix does not say; formats with marks in their bytes are told in `magic`.
"""

from __future__ import annotations

import re

MARKDOWN = ".md .markdown .mdown .mkd .mdx .qmd .rmd"
# Names of text that may begin with a tag or header and is meant to be read as it stands.
_SOURCES = frozenset(
    f"{MARKDOWN} .rst .org .tex .py .js .ts .vue .php .jsp .erb .j2 .svelte .jsx .tsx .xml"
    " .svg".split()
)
_BOM = rb"(?:\xef\xbb\xbf)?\s*"
_PROLOGUE = re.compile(_BOM + rb"(?i:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*", re.DOTALL)
_HTML = re.compile(rb"(?i)<!doctype\s+html|<html[\s>]")
_XML = re.compile(_BOM + rb"<\?xml[\s]")
_CARD = re.compile(_BOM + rb"(?i:BEGIN:VCARD)\s")
_CALENDAR = re.compile(_BOM + rb"(?i:BEGIN:VCALENDAR)\s")
_HEADER = re.compile(rb"(?i)^(from|to|subject|date|received|message-id|mime-version|return-path):")
MIN_HEADERS = 3  # of the known ones, in the first lines of a file that is not called .eml
# One of these at least: people put the others above their own notes.
_OF_PROGRAMS = frozenset({b"received", b"message-id", b"mime-version", b"return-path"})


def nothing(sample: bytes, suffix: str) -> bool:
    """No: the suffix alone decides."""
    return False


def anything(sample: bytes, suffix: str) -> bool:
    """Yes: what is text can be read as such."""
    return True


def of_html(sample: bytes, suffix: str) -> bool:
    """Whether the first tag is that of a page, in a file that is not source code."""
    head = sample[:8192]
    begins = _PROLOGUE.match(head)
    found = _HTML.match(sample, begins.end() if begins else 0)
    return found is not None and suffix not in _SOURCES


def of_mail(sample: bytes, suffix: str) -> bool:
    """Whether a file begins with several headers of a message."""
    lines = sample[:4096].split(b"\n\n", 1)[0].splitlines()[:40]
    if suffix in _SOURCES or not lines or not re.match(rb"[A-Za-z-]+:", lines[0]):
        return False
    found = {m[1].lower() for m in map(_HEADER.match, lines) if m}
    return len(found) >= MIN_HEADERS and not found.isdisjoint(_OF_PROGRAMS)


def of_xml(sample: bytes, suffix: str) -> bool:
    """Whether a file begins with the declaration of XML."""
    return _XML.match(sample[:100]) is not None


def of_contacts(sample: bytes, suffix: str) -> bool:
    """Whether the first line opens a contact."""
    return _CARD.match(sample) is not None


def of_calendar(sample: bytes, suffix: str) -> bool:
    """Whether the first line opens a calendar."""
    return _CALENDAR.match(sample) is not None
