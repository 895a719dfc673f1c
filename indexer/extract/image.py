"""Pictures, which have no text of their own: the reason names what they are and how large.

Decodes nothing. With the extra `[ocr]` their text is recognised afterwards, in another process; see
indexer.sync.recognise. Called through the registry.
"""

from __future__ import annotations

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import Extraction

REASON = "picture"  # of a file that only recognition could read


def read_image(data: bytes) -> Extraction:
    """Raises UnreadableDocument("picture"), always."""
    raise UnreadableDocument(REASON, name_of(data), waiting=1)


def name_of(sample: bytes) -> str:
    """What a picture is, as in "PNG image"; "" for what is none that can be read."""
    for magic, name in _PICTURES:
        if sample.startswith(magic):
            return name
    if sample.startswith(b"RIFF") and sample[8:12] == b"WEBP":
        return "WebP image"
    if sample[4:8] == b"ftyp" and sample[8:12] in _HEIF_BRANDS:
        return "HEIC image"
    return ""


_PICTURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"II*\x00", "TIFF image"),
    (b"MM\x00*", "TIFF image"),
)
_HEIF_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"hevc"})
