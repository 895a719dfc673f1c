"""The kind of content of a file, and the lines of files that need an extractor."""

from __future__ import annotations

import codecs
import os
from typing import Literal

from corpus_agent.workspace.roots import named
from indexer import (
    MAX_FILE_BYTES,
    CorpusError,
    Enough,
    Refused,
    UnreadableDocument,
    claim,
    is_text,
    parsed_lines,
)

Kind = Literal["text", "image", "document"]

SAMPLE_BYTES = 8_192
MAX_DOCUMENT_BYTES = MAX_FILE_BYTES
# First bytes and media type; WebP is RIFF with its name after the length.
_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def image_type(sample: bytes) -> str | None:
    """The media type of an image that models accept, from its first bytes; else None."""
    if sample[:4] == b"RIFF" and sample[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _IMAGES if sample.startswith(magic)), None)


def sample_of(descriptor: int) -> bytes:
    """The first bytes of an open file, enough to determine its kind; does not seek."""
    return os.pread(descriptor, SAMPLE_BYTES, 0)


def kind_of(data: bytes, size: int, shown: str) -> Kind:
    """How to read a file of `size` bytes; `data` is its content or the beginning of it."""
    sample = data[:SAMPLE_BYTES]
    if image_type(sample):
        return "image"
    if not is_binary(sample) and (size > MAX_DOCUMENT_BYTES or _is_utf8(sample)):
        return "text"
    try:
        claim(data, shown)
    except UnreadableDocument as error:
        what = error.detail or error.reason
        raise Refused(
            f"{named(shown)} is binary ({what}).",
            "Read text, a document or an image.",
            code="binary_file",
        ) from None
    if size > MAX_DOCUMENT_BYTES:
        raise Refused(
            f"{named(shown)} has {size:,} bytes; documents are read up to {MAX_DOCUMENT_BYTES:,}.",
            code="too_large",
        )
    return "document"


def is_binary(data: bytes) -> bool:
    """Whether text tools skip it: NULs, images, PDF, and data with too many control characters."""
    if b"\0" in data or image_type(data) is not None or b"%PDF-" in data[:1024]:
        return True
    return not is_text(data[:SAMPLE_BYTES])


def has_utf16_mark(sample: bytes) -> bool:
    """Whether a byte order mark shows that the NULs are those of UTF-16."""
    return sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _is_utf8(sample: bytes) -> bool:
    whole = len(sample) < SAMPLE_BYTES
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
    except UnicodeDecodeError:
        return False
    return True


def document_lines(data: bytes, shown: str, enough: Enough) -> tuple[list[str], bool]:
    """The lines of a document as indexed, up to `enough`, and whether they are all."""
    try:
        lines, complete = parsed_lines(data, shown, enough)
    except UnreadableDocument as error:
        raise Refused(
            f"{named(shown)} cannot be read ({error}).", "Use another file.", code="unreadable"
        ) from None
    except CorpusError as error:
        raise Refused(
            f"{named(shown)} cannot be read: {error.message}",
            "Read plain text instead.",
            code="unreadable",
        ) from None
    return [line.text for line in lines], complete
