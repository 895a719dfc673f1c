"""Notes and pages that programs keep in a file: Evernote's exports (ENEX), Safari's web archives.

Each note is a part, what is attached to it are documents behind marks. Called through the registry.
"""

from __future__ import annotations

import io
import plistlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import child, tag_of, text_of
from indexer.extract.damage import BROKEN, what_broke
from indexer.extract.extraction import Extraction, Within, part_lines, plain_lines
from indexer.extract.html.page import decode_html, html_text
from indexer.extract.mail.message import Mail, numbered
from indexer.extract.mail.mime import name_for
from indexer.extract.members import Members
from indexer.extract.text.encoded import from_base64
from indexer.extract.text.plain import decode_named, decode_part
from indexer.records import Line

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# No "<" within a tag: what begins a thousand times and never ends is looked at once.
_TODO = re.compile(r"(?i)<en-todo\b([^<>]*)>")
_DONE = re.compile(r"(?i)\bchecked\s*=\s*[\"']true[\"']")
_CRYPT = re.compile(r"(?i)(<en-crypt\b[^<>]*>|</en-crypt[^<>]*>)")
_MEDIA = re.compile(r"(?i)</?en-(?:media|todo|note)\b[^<>]*>")
_PREAMBLE = re.compile(r"(?is)\A\s*(?:<\?xml[^>]*\?>\s*)?(?:<!DOCTYPE[^>]*>\s*)?")
_TIME = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})\d{2}Z")


def read_enex(data: bytes, within: Within) -> Extraction:
    """The lines of all notes; raises UnreadableDocument("malformed") where there is none."""
    members = Members(within)
    notes = _notes(data, members.unread)
    first = next(notes, None)
    if first is None:
        raise UnreadableDocument("malformed", "no note")

    def lines() -> Iterator[Line]:
        note, number = first, 1
        while note is not None:
            mail = _note(note)
            members.unread += (f"Note {number}: {each}" for each in mail.unread)
            title = markdown.one_line(text_of(child(note, "title")))
            yield from part_lines("Note", f"{number}: {title}", [mail.text()])
            yield from members.lines(numbered("Note", number, mail.members))
            note.clear()
            note, number = next(notes, None), number + 1
        members.finish()

    return Extraction(None, lines(), members.engines, members.unread, members.notes)


def _notes(data: bytes, unread: list[str]) -> Iterator[Element]:
    """The notes one by one, since a file may hold all of a person's, up to where it is damaged.

    Entities are not resolved.
    """
    from lxml import etree

    found = etree.iterparse(
        io.BytesIO(data),
        tag=("note", "{*}note"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,  # a file that is attached is one text
        recover=True,
    )
    for _, note in found:
        yield note
        while note.getprevious() is not None:
            del note.getparent()[0]
    if found.error_log.filter_from_fatals():
        unread.append("the rest (malformed)")


def _note(note: Element) -> Mail:
    """A note as a message: title, dates and tags, text, and what is attached."""
    title = markdown.one_line(text_of(child(note, "title")))
    tags = [text_of(each).strip() for each in note if tag_of(each) == "tag"]
    about = child(note, "note-attributes")
    mail = Mail(
        headers=[
            ("Title", title),
            ("Created", _moment(text_of(child(note, "created")))),
            ("Updated", _moment(text_of(child(note, "updated")))),
            ("Tags", ", ".join(filter(None, tags))),
            ("Author", markdown.one_line(text_of(child(about, "author")))),
            ("Source", markdown.one_line(text_of(child(about, "source-url")))),
        ]
    )
    content = child(note, "content")
    if content is not None and content.get("encoding"):
        mail.name("text of the note", "encrypted")
    else:
        mail.texts.append(enml_text(text_of(content)))
    for task in (each for each in note if tag_of(each) == "task"):
        mail.texts.append(_task(task))
    for resource in (each for each in note if tag_of(each) == "resource"):
        _attach(resource, mail)
    return mail


def enml_text(content: str) -> str:
    """The text of a note: HTML with boxes to tick, files, and what is encrypted."""
    page = _without_encrypted(_PREAMBLE.sub("", content, count=1))
    page = _TODO.sub(lambda tag: "[x] " if _DONE.search(tag[1]) else "[ ] ", page)
    return html_text(f"<body>{_MEDIA.sub('', page)}</body>", titled=False)[1]


def _without_encrypted(page: str) -> str:
    """The page with a word in the place of what is encrypted; what never ends is left out."""
    kept, inside = [], False
    for piece in _CRYPT.split(page):
        if not _CRYPT.fullmatch(piece):
            kept += [] if inside else [piece]
        elif not inside and piece[1] != "/":
            kept.append("(encrypted text)")
            inside = not piece.endswith("/>")
        else:
            inside = inside and piece[1] != "/"
    return "".join(kept)


def _task(task: Element) -> str:
    done = text_of(child(task, "taskStatus")).strip() == "completed"
    title = markdown.one_line(text_of(child(task, "title")))
    due = _moment(text_of(child(task, "dueDate")))
    return f"[{'x' if done else ' '}] {title}{f' (due {due})' if due else ''}" if title else ""


def _attach(resource: Element, mail: Mail) -> None:
    named = text_of(child(resource, "resource-attributes", "file-name"))
    kind = text_of(child(resource, "mime")).strip()
    data, damaged = from_base64(text_of(child(resource, "data")).encode("ascii", "replace"))
    name = name_for(named, kind)
    mail.attach(name, data)
    if damaged and data:
        mail.unread.append(f"{name} (damaged base64)")


def _moment(value: str) -> str:
    found = _TIME.fullmatch(value.strip())
    return "{}-{}-{} {}:{} UTC".format(*found.groups()) if found else value.strip()


# --- Web archives -------------------------------------------------------------------------------

MAX_FRAMES = 100  # of a page, frames within frames counted


# plistlib takes what is in a list at its word: a date that is none is an AttributeError.
_BROKEN_LIST = (*BROKEN, ExpatError, AttributeError, TypeError)


def read_webarchive(data: bytes) -> Extraction:
    """The title and main text of the page and its frames; raises UnreadableDocument."""
    try:
        archive = plistlib.loads(data)
    except _BROKEN_LIST as error:
        raise UnreadableDocument("malformed", f"property list: {what_broke(error)}") from None
    unread: list[str] = []
    pages = list(_pages(archive, unread))
    if not pages:
        raise UnreadableDocument("malformed", "no page in the archive")
    texts = [text for _, text in pages if text]
    return Extraction(pages[0][0], plain_lines(["\n\n".join(texts)]), unread=unread)


def _pages(archive: object, unread: list[str]) -> Iterator[tuple[str | None, str]]:
    """(title, text) of the page of an archive and of its frames."""
    waiting = [archive]
    for number, each in enumerate(waiting):
        if number == MAX_FRAMES:
            unread.append(f"the frames beyond the first {MAX_FRAMES}")
            return
        if not isinstance(each, dict):
            continue
        yield from _page(each.get("WebMainResource"))
        frames = each.get("WebSubframeArchives")
        waiting += frames if isinstance(frames, list) else []


def _page(resource: object) -> Iterator[tuple[str | None, str]]:
    if not isinstance(resource, dict):
        return
    data, kind = resource.get("WebResourceData"), str(resource.get("WebResourceMIMEType", ""))
    if not isinstance(data, bytes) or not kind.startswith(("text/", "application/xhtml")):
        return
    name = str(resource.get("WebResourceTextEncodingName", "")) or "utf-8"
    text = decode_named(data, name)
    if text is None:
        text = decode_html(data, decode_part)
    yield (None, text) if kind == "text/plain" else html_text(text)
