"""E-books (EPUB) as Markdown, chapter by chapter.

The parts of an EPUB are its files in reading order, named by the headings that they begin with.
Called through the registry.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import Element, ZipParts, attribute, child, inside, tag_of, text_of
from indexer.extract.extraction import Extraction, own_properties, part_lines
from indexer.extract.html import decode_html, html_text
from indexer.extract.text import decode_part
from indexer.records import Line

# Obfuscated fonts are marked as encrypted too, and hide no text.
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_DETAILS = {name: name.capitalize() for name in ("publisher", "date", "description", "subject")}
_DETAILS["creator"] = "Author"  # what a reader asks for


def read_epub(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, "encrypted" or "malformed"."""
    parts = ZipParts(data)
    rootfile = child(parts.xml("META-INF/container.xml"), "rootfiles", "rootfile")
    main = (attribute(rootfile, "full-path") or "") if rootfile is not None else "content.opf"
    package = parts.xml(main)
    if package is None:
        raise UnreadableDocument("malformed", "no package part")
    said = [(tag_of(each), text_of(each)) for each in inside(package, "metadata")]
    title = markdown.one_line(next((text for tag, text in said if tag == "title"), "")) or None
    chapters = _spine(package, posixpath.dirname(main))
    locked = _locked(parts)
    if chapters and all(name in locked for name in chapters):
        raise UnreadableDocument("encrypted", "the book is protected")
    unread: list[str] = []
    lines = _lines(parts, chapters, "\n".join(_details(said)), unread)
    makers, days = ([text for tag, text in said if tag == name] for name in ("creator", "date"))
    return Extraction(title, lines, unread=unread, own=own_properties(None, makers, *days))


def _lines(parts: ZipParts, chapters: list[str], about: str, unread: list[str]) -> Iterator[Line]:
    if about:
        yield from part_lines("About", "this book", [about])
    number = 0
    for name in chapters:
        data = parts.read(name)
        if data is None:
            unread.append(name)
            continue
        text = html_text(decode_html(data, decode_part), titled=False, is_xml=True)[1]
        if text.strip():
            number += 1
            yield from part_lines("Chapter", _named(number, text), [text])


# The heading that a chapter begins with, without its number.
_HEADING = re.compile(r"(?i)#+ (?:chapter\s+)?(?:\d+\s*(?:[:.–—-]\s*|$))?(.*)")


def _named(number: int, text: str) -> str:
    """The name of a chapter in its mark: its number in the file, and its heading."""
    heading = _HEADING.match(text)
    return f"{number}: {heading[1]}" if heading and heading[1] else str(number)


def _details(said: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What the book says of itself, for people."""
    for tag, value in said:
        text = markdown.one_line(html_text(value)[1]) if tag in _DETAILS else ""
        if text:
            yield f"{_DETAILS[tag]}: {text}"


def _spine(package: Element, folder: str) -> list[str]:
    """Names of the book's files in reading order."""
    items = {
        each.get("id"): posixpath.normpath(posixpath.join(folder, unquote(each.get("href", ""))))
        for each in package.iter("{*}item")
        if "html" in each.get("media-type", "html")
        and "nav" not in each.get("properties", "").split()
    }
    order = (each.get("idref") for each in package.iter("{*}itemref"))
    return [items[key] for key in order if key in items]


def _locked(parts: ZipParts) -> set[str]:
    """Names of the members that cannot be read without a key."""
    names = set[str]()
    for each in inside(parts.xml("META-INF/encryption.xml")):
        method = next(each.iter("{*}EncryptionMethod"), None)
        if attribute(method, "Algorithm") not in _FONTS:
            names |= {unquote(one.get("URI", "")) for one in each.iter("{*}CipherReference")}
    return names
