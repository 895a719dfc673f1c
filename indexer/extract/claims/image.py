"""Pictures, which have no text of their own: the reason names what they are.

Decodes nothing. With the extra `[ocr]` their text is recognised afterwards, in another process; see
indexer.sync.recognise. Called through the registry.
"""

from __future__ import annotations

from indexer.errors import UnreadableDocument
from indexer.extract.claims.known_kinds import RECOGNISABLE, known_by_bytes
from indexer.extract.extraction import Extraction

ADVICE = "its words are read with the extra [ocr]"


def read_image(data: bytes) -> Extraction:
    """Raises UnreadableDocument("binary"), always; one page of it waits."""
    known = known_by_bytes(data)
    assert known is not None and known.what in RECOGNISABLE
    raise UnreadableDocument("binary", f"{known.what}; {ADVICE}", waiting=1)
