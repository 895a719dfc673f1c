"""Which files of text are of which format, by their first bytes and their names. Pure.

For text files only; formats with magic bytes are recognised in magic.py.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from indexer.extract.extraction import Claim, words

MARKDOWN_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"})
_XML_SUFFIXES = words(
    ".xml .svg .rss .atom .kml .gpx .opml .xsd .xsl .xslt .dbk .tei .fodt .fodp .fods "
    ".plist .rdf .owl .wsdl .resx .xlf .xliff .tmx .ttml .dita"
)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml[\s]")

_FB2_ROOT = re.compile(rb"<FictionBook[\s>]")

HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".xht", ".shtml"})
# Names of text that may begin with a tag and is meant to be read as it stands.
_SOURCE_SUFFIXES = MARKDOWN_SUFFIXES | {".rst", ".org", ".tex", ".py", ".js", ".ts", ".vue"}
_SOURCE_SUFFIXES |= {".php", ".jsp", ".erb", ".j2", ".svelte", ".jsx", ".tsx", ".xml", ".svg"}
_BEGINS = re.compile(rb"(?i)(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*", re.DOTALL)
_HTML = re.compile(rb"(?i)<!doctype\s+html|<html[\s>]")


def is_html(sample: bytes, path: str) -> bool:
    """Whether a file is HTML: by its first tag, or by its name."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in HTML_SUFFIXES:
        return True
    begins = _BEGINS.match(sample[:8192])
    found = _HTML.match(sample, begins.end() if begins else 0)
    return found is not None and suffix not in _SOURCE_SUFFIXES


_HEADER = re.compile(rb"(?i)^(from|to|subject|date|received|message-id|mime-version|return-path):")
MIN_HEADERS = 3  # of the known ones, in the first lines of a file that is not called .eml
# One of these at least: people put the others above their own notes.
_OF_PROGRAMS = frozenset({b"received", b"message-id", b"mime-version", b"return-path"})
MBOX = re.compile(rb"^From [^\n]{0,200}\d{4}\r?\n(?:>?[A-Za-z-]+:)", re.MULTILINE)


def is_eml(sample: bytes, path: str) -> bool:
    """Whether a file is one message: by its name, or by several headers at its beginning."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in (".eml", ".emlx", ".mht", ".mhtml") or suffix in _SOURCE_SUFFIXES:
        return suffix not in _SOURCE_SUFFIXES
    lines = sample[:4096].split(b"\n\n", 1)[0].splitlines()[:40]
    if not lines or not re.match(rb"[A-Za-z-]+:", lines[0]):
        return False
    found = {m[1].lower() for m in map(_HEADER.match, lines) if m}
    return len(found) >= MIN_HEADERS and not found.isdisjoint(_OF_PROGRAMS)


def is_mbox(sample: bytes, path: str) -> bool:
    """Whether a file is a mailbox: "From " with a year, and a header in the line after it."""
    return MBOX.match(sample[:4096]) is not None


_CARD = re.compile(rb"(?i)(?:\xef\xbb\xbf)?\s*BEGIN:VCARD\s")
_CALENDAR = re.compile(rb"(?i)(?:\xef\xbb\xbf)?\s*BEGIN:VCALENDAR\s")


def is_contacts(sample: bytes, path: str) -> bool:
    """Whether a file is contacts: by its first line, or by its name."""
    named = PurePosixPath(path).suffix.lower() in (".vcf", ".vcard")
    return named or _CARD.match(sample) is not None


def is_calendar(sample: bytes, path: str) -> bool:
    """Whether a file is a calendar: by its first line, or by its name."""
    named = PurePosixPath(path).suffix.lower() in (".ics", ".ical", ".icalendar", ".ifb", ".vcs")
    return named or _CALENDAR.match(sample) is not None


def is_notebook(sample: bytes, path: str) -> bool:
    """Whether a file is a notebook: by its name; JSON has no mark of its own."""
    return PurePosixPath(path).suffix.lower() == ".ipynb"


def is_subtitles(sample: bytes, path: str) -> bool:
    """Whether a file is WebVTT by its first line, or SRT by its name."""
    named = PurePosixPath(path).suffix.lower() in (".srt", ".vtt")
    begins = re.match(rb"(?:\xef\xbb\xbf)?WEBVTT(?:[ \t\r\n]|$)", sample) is not None
    return named or begins


def is_xml(sample: bytes, path: str) -> bool:
    """Whether a file is XML, by its declaration or its name."""
    named = PurePosixPath(path).suffix.lower() in _XML_SUFFIXES
    return named or _XML.match(sample[:100]) is not None


def is_fb2(sample: bytes, path: str) -> bool:
    """Whether a file is a FictionBook, by its root element."""
    named = PurePosixPath(path).suffix.lower() == ".fb2"
    return named or _FB2_ROOT.search(sample[:2048]) is not None


def is_markdown(sample: bytes, path: str) -> bool:
    """Whether the file is Markdown: by its suffix, since any text is valid Markdown."""
    return PurePosixPath(path).suffix.lower() in MARKDOWN_SUFFIXES


def is_plain(sample: bytes, path: str) -> bool:
    """True: what is text can be read as such."""
    return True


def _by_name(suffixes: str) -> Claim:
    """A claim by file suffixes."""
    known = words(suffixes)
    return lambda sample, path: PurePosixPath(path).suffix.lower() in known


is_csv = _by_name(".csv .tsv .tab")
is_json = _by_name(".json .jsonl .ndjson .geojson .jsonld .webmanifest .har")
is_org = _by_name(".org")
is_rst = _by_name(".rst .rest")
is_latex = _by_name(".tex .ltx")
