"""What kind of content a file holds, and the lines of those that have to be extracted.

The one place of this package that asks the extractor registry. Text in UTF-8 is shown as it stands,
mark-up included, since that is what edit changes; PDF and other encodings go through the extractors
that the index uses.
"""

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
    """The media type of an image that models take, by its first bytes; else None."""
    if sample[:4] == b"RIFF" and sample[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _IMAGES if sample.startswith(magic)), None)


def sample_of(descriptor: int) -> bytes:
    """The first bytes of an open file, enough to tell what it holds; does not move in it."""
    return os.pread(descriptor, SAMPLE_BYTES, 0)


def kind_of(data: bytes, size: int, shown: str) -> Kind:
    """How a file of `size` bytes is read, of which `data` is all, or the beginning.

    Raises Refused for a binary that no extractor reads, and for one that is too large for them.
    """
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
            f"{named(shown)} is binary ({what}).", "Read text, a document or an image."
        ) from None
    if size > MAX_DOCUMENT_BYTES:
        raise Refused(
            f"{named(shown)} has {size:,} bytes; documents are read up to {MAX_DOCUMENT_BYTES:,}."
        )
    return "document"


def is_binary(data: bytes) -> bool:
    """Whether no tool for text should touch this: NULs, which UTF-16 has too, images and PDF, and
    what is too full of control characters for the index as well.
    """
    if b"\0" in data or image_type(data) is not None or b"%PDF-" in data[:1024]:
        return True
    return not is_text(data[:SAMPLE_BYTES])


def has_utf16_mark(sample: bytes) -> bool:
    """Whether a byte order mark says that the NULs are those of UTF-16."""
    return sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _is_utf8(sample: bytes) -> bool:
    whole = len(sample) < SAMPLE_BYTES
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
    except UnicodeDecodeError:
        return False
    return True


def document_lines(data: bytes, shown: str, enough: Enough) -> tuple[list[str], bool]:
    """The lines of a document as the index has them, and whether these are all; raises Refused.

    No more are parsed than `enough` asks for, in a process that can do nothing else: this one is
    an agent's, and may do much.
    """
    try:
        lines, complete = parsed_lines(data, shown, enough)
    except UnreadableDocument as error:
        raise Refused(f"{named(shown)} cannot be read ({error}).", "Use another file.") from None
    except CorpusError as error:
        raise Refused(
            f"{named(shown)} cannot be read: {error.message}", "Read plain text instead."
        ) from None
    return [line.text for line in lines], complete
