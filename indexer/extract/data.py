"""JSON, XML, notebooks, CSV, contacts and calendars: what was written for programs.

JSON stays as it is, with characters for its escapes and line ends where there are none. XML is
read by its root element: a feed, a drawing, a Word file in XML form; else every element with text
becomes a line, named by its tag. A notebook is read as Markdown: text cells,
code, and what the code printed; pictures are left out. Each contact (vCard, RFC 6350, 3) and each
appointment (iCalendar, RFC 5545, 3.1) is a part, with a line for each property that is for people.
"""

from __future__ import annotations

import csv
import io
import json
import quopri
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import Element, child, parse_xml, tag_of, text_of
from indexer.extract.extraction import Extraction, part_lines, plain_lines, table, words
from indexer.extract.hidden import UNKNOWN, Look, hide
from indexer.extract.html import html_text, read_html, with_looks
from indexer.extract.html.look import Stylesheet
from indexer.extract.normalise import MAX_LINE_CHARS
from indexer.extract.office import docx
from indexer.extract.tables.named_rows import labelled
from indexer.extract.text import decode, decode_named, decode_part, markdown_title
from indexer.records import Line

T = TypeVar("T")

# --- JSON ---------------------------------------------------------------------------------------

_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[0-9a-fA-F]{4})+)")
_COMMA = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*"?)|,')


def read_json(data: bytes) -> Extraction:
    """Its lines, whether or not it is well formed; a long one is broken behind its commas."""
    text = _ESCAPE.sub(_unescaped, decode(data))
    lines = (
        line if len(line) <= MAX_LINE_CHARS else _COMMA.sub(lambda m: m[1] or ",\n", line)
        for line in text.splitlines()
    )
    return Extraction(None, plain_lines(lines))


def _unescaped(match: re.Match[str]) -> str:
    """Escapes as characters, except where that would be no text or end the string."""
    text = match[2].encode("ascii").decode("unicode_escape")
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if any(not char.isprintable() or char in '"\\' for char in text):
        return match[0]
    return match[1] + text


# --- XML ----------------------------------------------------------------------------------------


def read_xml(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument("malformed")."""
    root = parse_xml(data)
    kind = tag_of(root)
    if kind in ("wordDocument", "package"):
        return docx.read_word_xml(root)
    if kind == "html":
        return read_html(data, is_xml=True)
    if kind in ("rss", "feed", "RDF") and any(tag_of(e) in ("item", "entry") for e in root.iter()):
        return _feed(root)
    titles = (markdown.one_line(text_of(child(each, "title"))) for each in (root, *root))
    lines = _drawn(root, Look(ground=UNKNOWN)) if kind == "svg" else _elements(root)
    return Extraction(next(filter(None, titles), None), plain_lines(lines))


def _drawn(element: Element, outer: Look) -> Iterator[str]:
    """The texts of a drawing; those are marked that it does not display."""
    own = [f"{n}:{element.get(n, '')}" for n in ("display", "visibility", "opacity")]
    style = {"style": ";".join([*own, element.get("style", "")])}
    look = Stylesheet().look(outer, "", style)
    if tag_of(element) in ("title", "desc", "text"):
        text = markdown.one_line(text_of(element))
        yield hide(text) if look.hides else text
    for each in element.iterchildren("*"):
        yield from _drawn(each, look)


_UNSHOWN = words("xml", "unshown")


def _elements(element: Element) -> Iterator[str]:
    """A line for each element that holds text, with its name; prose is kept together."""
    name = tag_of(element)
    named = ((str(key).rpartition("}")[2], str(value)) for key, value in element.attrib.items())
    values = " ".join(f"{key}={value}" for key, value in named if key not in _UNSHOWN and value)
    own = bool((element.text or "").strip()) or any((each.tail or "").strip() for each in element)
    text = markdown.one_line(text_of(element)) if own else ""
    if values or text:
        yield f"{name}: {' '.join(filter(None, [values and f'({values})', text]))}"
    for each in () if own else element.iterchildren("*"):
        yield from _elements(each)


_DETAILS = ("pubDate", "published", "updated", "date", "creator", "author")
_TEXTS = ("description", "summary", "encoded", "content")


def _feed(root: Element) -> Extraction:
    """A news feed: its title, then each entry with title, date and text."""
    channel = child(root, "channel")
    title = markdown.one_line(text_of(child(root if channel is None else channel, "title")))
    blocks = [markdown.heading(1, title)]
    for item in root.iter("{*}item", "{*}entry"):
        parts = {tag_of(each): text_of(each) for each in item}
        blocks.append(markdown.heading(2, parts.get("title", "")))
        details = {name: markdown.one_line(parts.get(name, "")) for name in _DETAILS}
        blocks += [f"{name}: {text}" for name, text in details.items() if text]
        blocks += [html_text(parts[name], titled=False)[1] for name in _TEXTS if name in parts]
    return Extraction(title or None, plain_lines([markdown.page(blocks)]))


# --- Notebooks ------------------------------------------------------------------------------------

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # of a traceback


def read_notebook(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, or ValueError for what is no JSON."""
    notebook = json.loads(decode(data))
    cells: list[Any] = _of(notebook, "cells", [])
    if not cells:
        raise UnreadableDocument("malformed", "a notebook without cells")
    about: dict[str, Any] = _of(notebook, "metadata", {})
    language = _joined(_of(about, "kernelspec", {}), "language") or "python"
    text = "\n\n".join(block for block in _blocks(cells, language) if block.strip())
    return Extraction(_joined(about, "title") or markdown_title(text), plain_lines([text]))


def _of(value: object, key: str, usual: T) -> T:
    """What a key holds, if it is of the usual kind."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, type(usual)) else usual


def _joined(value: object, key: str) -> str:
    """A text that may be written as a list of its lines."""
    lines: list[Any] = _of(value, key, [])
    return "".join(each for each in lines if isinstance(each, str)) or _of(value, key, "")


def _blocks(cells: list[Any], language: str) -> Iterator[str]:
    for cell in cells:
        source = _joined(cell, "source")
        if _of(cell, "cell_type", "") != "code":
            yield with_looks(source)
        elif source.strip():
            yield f"```{language}\n{source}\n```"
        outputs: list[Any] = _of(cell, "outputs", [])
        for output in outputs:
            text = _COLOURS.sub("", _output(output)).strip("\n")
            yield f"Output:\n{text}" if text.strip() else ""


def _output(output: object) -> str:
    """The text of an output: printed, raised or displayed."""
    if _of(output, "ename", ""):
        return f"{_of(output, 'ename', '')}: {_joined(output, 'evalue')}"
    shown: dict[str, Any] = _of(output, "data", {})
    forms = ("text/markdown", "text/plain", "text/latex")
    text = next(filter(None, (_joined(shown, form) for form in forms)), _joined(output, "text"))
    page = _joined(shown, "text/html")
    return html_text(page)[1] if page and not text else text


# --- CSV ----------------------------------------------------------------------------------------

_DELIMITERS = ",;\t|"
_SEPARATOR_LINE = re.compile(r"\A\ufeff?sep=(.)\r?\n")


def read_csv(data: bytes) -> Extraction:
    """Its lines, one for each row."""
    text = decode(data)
    separator = _SEPARATOR_LINE.match(text)
    if separator:
        text = text[separator.end() :]
    delimiter = separator[1] if separator else _delimiter(text)
    csv.field_size_limit(2**31 - 1)  # a stray quotation mark may make one field of all the rest
    lines = (line.replace("\0", "") for line in io.StringIO(text, newline=""))
    return Extraction(None, plain_lines(labelled(csv.reader(lines, delimiter=delimiter))))


def _delimiter(text: str) -> str:
    """The delimiter that gives the first lines equal numbers of cells; the most cells win."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()][:20]

    def score(delimiter: str) -> tuple[float, int]:
        counts = [len(cells) for cells in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(counts), key=counts.count, default=1)
        return (counts.count(usual) / len(counts) if usual > 1 else 0.0, usual)

    return max(_DELIMITERS, key=score) if lines else ","


# --- Contacts and calendars -----------------------------------------------------------------------

_KINDS = table("dated", "kinds")
_LABELS = table("dated", "labels")  # of a property whose name is not the word for it
_TITLES = ("Title", "Name", "Name in parts", "Organisation")
_OF_PROGRAMS = words("dated", "of_programs")
_PROPERTY = re.compile(
    r'(?:[\w-]{1,40}\.)?([A-Za-z][\w-]{0,60})((?:;(?:[^":;]|"[^"]*")*)*):(.*)', re.DOTALL
)
_PARAMETER = re.compile(r'(?i);(?:(TZID|CN|TYPE|CHARSET)=)?(?:"([^"]*)"|([^;"]*))')
_NO_TYPES = words("dated", "no_types")
_MOMENT = re.compile(r"(\d{4}|--)-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z?))?")
_FOLD = re.compile(r"(?:\r\n?|\n)[ \t]")
_SOFT = re.compile(r"(?im)^(?=.*;(?:encoding=)?quoted-printable).*(?:(?<==)\r?\n.*)+")  # vCard 2.1
_Said = list[tuple[str, str]]  # label and text of each property


def read_dated(data: bytes) -> Extraction:
    """The lines of all contacts and appointments; raises UnreadableDocument without any."""
    found = list(_entries(decode(data)))
    if not found:
        raise UnreadableDocument("malformed", "no contact and no appointment")

    def lines() -> Iterator[Line]:
        for number, (kind, said) in enumerate(found, start=1):
            names = dict(reversed(said))  # of several the first
            name = markdown.one_line(next((names[each] for each in _TITLES if each in names), ""))
            twice = "Name in parts" if "Name" in names else ""
            shown = "\n".join(f"{label}: {text}" for label, text in said if label != twice)
            yield from part_lines(kind, f"{number}: {name}" if name else number, [shown])

    return Extraction(None, lines())


def _entries(text: str) -> Iterator[tuple[str, _Said]]:
    """The kind and properties of each contact or appointment; the last may have no end."""
    kind, said = "", _Said()
    whole = _SOFT.sub(lambda folded: re.sub(r"=\r?\n", "", folded[0]), _FOLD.sub("", text))
    for line in whole.splitlines():
        match = _PROPERTY.fullmatch(line)
        name, value = (match[1].upper(), match[3]) if match else ("", "")
        of = _KINDS.get(value.strip().upper(), "") if name in ("BEGIN", "END") else ""
        if of and kind:
            yield kind, said
        if of:
            kind, said = of if name == "BEGIN" else "", _Said()
        elif kind and match and name not in _OF_PROGRAMS and not name.startswith("X-"):
            said += _said(name, match[2], value)
    if kind:
        yield kind, said


def _said(name: str, given: str, value: str) -> Iterator[tuple[str, str]]:
    """Label and text as a person writes them: ("Phone (work)", "123"); nothing for base64."""
    if ";base64," in value[:80] or re.search(r"(?i);(?:encoding=)?b(?:ase64)?\b", given):
        return
    params = [(key.upper(), quoted or plain) for key, quoted, plain in _PARAMETER.findall(given)]
    about = dict(params)
    if "QUOTED-PRINTABLE" in given.upper():
        data = quopri.decodestring(value.encode("utf-8", "replace"))
        value = decode_named(data, about.get("CHARSET", "utf-8")) or decode_part(data)
    if name in ("ADR", "ORG", "N"):
        value = re.sub(r"(?<!\\)[;,]+", ", ", value)
    text = re.sub(r"(?s)\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], value)
    text = re.sub(r"(?i)^(?:tel|mailto|sip|xmpp):", "", text.strip(" ,;\n\t"))
    if name.startswith(("DT", "DUE", "BDAY", "EXDATE", "RECURRENCE")):
        text = _MOMENT.sub(lambda found: _moment(found, name, about.get("TZID", "")), text)
    listed = ",".join(each.lower() for key, each in params if key in ("", "TYPE")).split(",")
    types = ", ".join(kind for kind in listed if kind and kind not in _NO_TYPES and "=" not in kind)
    label = _LABELS.get(name, name.replace("-", " ").capitalize())
    if text:
        shown = f"{about['CN']} <{text}>" if about.get("CN", text) != text else text
        yield f"{label} ({types})" if types else label, shown


def _moment(found: re.Match[str], name: str, zone: str) -> str:
    year, month, day, hour, minute, utc = found.groups()
    if hour is None:  # the end of whole days is the day behind them
        return f"{'before ' if name == 'DTEND' else ''}{year}-{month}-{day}".lstrip("-")
    where = "UTC" if utc else zone
    return f"{year}-{month}-{day} {hour}:{minute}{f' ({where})' if where else ''}"
