"""Plain text, source code, Markdown, Org, reStructuredText and LaTeX, in any encoding.

Mark-up is kept, as it reads well as text. Markdown and Org say their titles.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import Extraction, plain_lines

MIN_UTF8_EVIDENCE = 20  # bytes beyond one a character, for each byte that is not UTF-8
DETECTION_BYTES = 256 * 1024  # charset detection reads the head only: its time grows with length

# UTF-32 before UTF-16: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SAMPLE_BYTES = 8_192  # that decide whether a file is text
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
MAX_CONTROL_SHARE = 0.01  # of a sample; text in any encoding but UTF-16/32 has next to none


def is_text(sample: bytes) -> bool:
    """Whether the first bytes look like plain text of some encoding."""
    sample = sample[:SAMPLE_BYTES]
    if any(sample.startswith(mark) for mark, _ in _MARKS) or _utf16_without_mark(sample):
        return True
    return len(_CONTROLS.findall(sample)) <= MAX_CONTROL_SHARE * len(sample)


def decode(data: bytes) -> str:
    """The text of `data`: by byte order mark, else UTF-8, else as detected.

    Raises UnreadableDocument("encoding") rather than guessing at bytes that no encoding explains.
    """
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    encoding = marked or _utf16_without_mark(data) or _unmarked(data)
    try:
        return data.decode(encoding, "replace" if encoding == "utf-8" else "strict")
    except UnicodeDecodeError as error:
        raise UnreadableDocument("encoding", f"not {encoding} at byte {error.start}") from None


def _unmarked(data: bytes) -> str:
    """UTF-8, also of text with a few stray bytes, else the encoding as detected."""
    with suppress(UnicodeDecodeError):
        data.decode("utf-8")
        return "utf-8"
    text = data.decode("utf-8", "replace")
    # A stray byte in what is UTF-8 else costs that byte: no other encoding looks like it by chance.
    evident = len(data) - len(text) > MIN_UTF8_EVIDENCE * text.count("\ufffd")
    return "utf-8" if evident else _detected(data[:DETECTION_BYTES])


# Codecs of names, escapes and binary data: no text is in them, and punycode's time is quadratic.
_NO_ENCODINGS = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"})
# What such a label means, to programs that write it and to browsers: WHATWG Encoding, 4.2. The
# others' 0x80-0x9F, which are controls in ISO 8859, are quotation marks, dashes and the euro sign.
_MEANT = {"iso8859-1": "cp1252", "iso8859-9": "cp1254"}


def decode_named(data: bytes, name: str) -> str | None:
    """The text in the encoding that a document names; None where that is wrong or none of text."""
    try:
        codec = codecs.lookup(name.strip())
        wrong = codec.name.replace("-", "_") in _NO_ENCODINGS
        return None if wrong else data.decode(_MEANT.get(codec.name, codec.name))
    except (LookupError, ValueError):
        return None


def decode_part(data: bytes) -> str:
    """As `decode`, for parts of a document: undecodable bytes are replaced instead of refused."""
    try:
        return decode(data)
    except UnreadableDocument:
        return data.decode("cp1252", "replace")


# The encodings that people's old files have; without the list, rarities win on short texts.
_MULTIBYTE = ["cp932", "euc_jp", "gb18030", "big5", "cp949", "iso2022_jp"]
_CANDIDATES = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257"]
_CANDIDATES += ["koi8_r", *_MULTIBYTE]
MIN_EXPLAINED = 0.7  # of a text's letters by one language, where nothing else explains the text


def _detected(sample: bytes) -> str:
    """The encoding that explains the bytes best; raises UnreadableDocument where none does."""
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_CANDIDATES).best()
    if best is not None and best.encoding in _MULTIBYTE:
        return best.encoding
    page, explained = best_page(sample)
    if best is None and explained < MIN_EXPLAINED:
        raise UnreadableDocument("encoding", "no known encoding explains these bytes")
    return page


def _utf16_without_mark(sample: bytes) -> str | None:
    """utf-16-le or utf-16-be where every other byte of a Latin-script sample is zero."""
    head = sample[:512]
    if len(head) < 8:
        return None
    for name, zeros, letters in (("le", head[1::2], head[::2]), ("be", head[::2], head[1::2])):
        if zeros.count(0) > 0.8 * (len(head) // 2) and letters.count(0) == 0:
            return f"utf-16-{name}"
    return None


_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t]+([^\s#].*)$", re.MULTILINE)
MAX_FRONT_MATTER_CHARS = 10_000


def markdown_title(text: str) -> str | None:
    """The title of a Markdown text: `title:` of its front matter, else its first heading."""
    matter = _FRONT_MATTER.match(text[:MAX_FRONT_MATTER_CHARS])
    if matter:
        import yaml

        try:
            fields = yaml.safe_load(matter.group(1))
        except yaml.YAMLError:
            fields = None  # a ruler at the top of a note, or YAML with a mistake: then it is text
        if isinstance(fields, dict) and isinstance(fields.get("title"), str):
            return str(fields["title"]).strip() or None
    heading = _HEADING.search(text, matter.end() if matter else 0)
    return heading[1].rstrip(" \t").rstrip("#").rstrip(" \t") if heading else None


_ORG_TITLE = re.compile(r"(?im)^#\+title:[ \t]*(\S.*)$")
MAX_TITLE_SEARCH = 20_000  # characters at the beginning, among which a title stands


def read_text(data: bytes) -> Extraction:
    """Its lines."""
    return Extraction(None, plain_lines([decode(data)]))


def read_org(data: bytes) -> Extraction:
    """Its `#+TITLE:` and lines."""
    text = decode(data).replace("\r\n", "\n")
    title = _ORG_TITLE.search(text[:MAX_TITLE_SEARCH])
    return Extraction(title[1] if title else None, plain_lines([text]))


# --- Single-byte code pages -----------------------------------------------------------------------
# The pages of one script differ in few letters, and each decodes text of the others. The right page
# is the one under which the non-ASCII letters of a text belong to one language. (charset-normalizer
# alone reads 14 of 34 sentences of tests/indexer/extract/test_extract.py.)

# The commonest first: it wins where pages explain a text equally well.
PAGES = (
    *("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257", "cp1251", "koi8_r", "cp866"),
    *("iso8859_5", "cp1253", "cp1255", "cp1256", "iso8859_6", "cp874"),
)
_MIXED = re.compile(r"[A-Za-z](?=[^\x00-\x7f])|[^\x00-\x7f](?=[A-Za-z])")  # two scripts in a word
# Signs that texts of any language have.
_SIGNS = frozenset("“”„‘’‚«»‹›–—…°§©®™€£•·¡¿±×÷½¼²³µ´\u00a0\u00ad")
CAPITAL = 0.9  # of a small letter's weight: in the wrong page the cases change places
SCORED_CHARS = 2**16  # tell as much as all of a long text
MARGIN = 0.02  # by which another page must explain more than one before it


@cache
def _languages() -> tuple[frozenset[str], ...]:
    rows = Path(__file__).with_name("letters.txt").read_text("utf-8").splitlines()
    return tuple(frozenset(row.split()[0]) for row in rows if not row.startswith("#"))


def best_page(data: bytes) -> tuple[str, float]:
    """The page under which most non-ASCII characters belong to one language, and their share.

    ("", 0.0) if no page decodes all bytes.
    """
    found, best = "", 0.0
    for page in PAGES:
        try:
            text = data.decode(page)
        except UnicodeDecodeError:
            continue
        share = _explained(text[:SCORED_CHARS])
        if not found or share > best + MARGIN:
            found, best = page, share
    return found, best


def _explained(text: str) -> float:
    """The share of the non-ASCII characters, except signs, that belong to one language."""
    counts = Counter(char for char in text if not char.isascii() and char not in _SIGNS)
    mixed = len(_MIXED.findall(text))

    def of(letters: frozenset[str]) -> float:
        weights = (
            count * (1.0 if char in letters else CAPITAL * (char.lower() in letters))
            for char, count in counts.items()
        )
        is_latin = min(letters) < "\u0370"  # then its words have letters from a to z too
        return sum(weights) - (0 if is_latin else mixed)

    return max(map(of, _languages())) / counts.total() if counts else 1.0
