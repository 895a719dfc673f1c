"""The whole document that bytes hold, read in this process by the program's own registry."""

import hashlib

from indexer.extract import open_document, title_of
from indexer.records import Document


def extract(data: bytes, source: str) -> Document:
    opened = open_document(data, source)
    lines = tuple(opened.lines)
    title, digest = title_of(opened.title, source), hashlib.sha256(data).hexdigest()
    return Document(source, title, lines, opened.extractor, digest, opened.remark)
