"""The whole document that bytes hold, read in this process by the program's own registry."""

from indexer.extract import open_document, title_of
from indexer.extract.extraction import Extraction


def extract(data: bytes, source: str) -> Extraction:
    opened = open_document(data, source)
    opened.lines, opened.title = tuple(opened.lines), title_of(opened.title, source)
    return opened
