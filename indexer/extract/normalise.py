r"""The normal form of all extracted text.

NFC, `\n` line ends, no NUL, no line over 2,000 characters. Called by the registry only, so that
indexing and reading cannot differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

NORMALISER = "nfc-wrap/2"  # a change of what becomes of all text is a new number
MAX_LINE_CHARS = 2_000
_SURROGATE = re.compile("[\ud800-\udfff]")


def lines_of(text: str, limit: int = MAX_LINE_CHARS) -> Iterator[str]:
    """The lines of `text`, normalised, without line ends, none longer than `limit`.

    Longer lines are wrapped at the last white space before the limit, else at the limit; the
    white space at a wrap stays at the end of the line, so joining the parts gives the line back.
    """
    text = whole(text).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if text.endswith("\n"):
        text = text[:-1]
    for line in unicodedata.normalize("NFC", text).split("\n"):
        if len(line) <= limit:
            yield line
        else:
            yield from _wrap(line, limit)


def whole(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates, which cannot be stored, as U+FFFD.

    Sources are character maps of PDFs and escapes in YAML, for example.
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _wrap(line: str, limit: int) -> Iterator[str]:
    start = 0
    while len(line) - start > limit:
        end = start + limit
        space = max(line.rfind(" ", start, end), line.rfind("\t", start, end))
        end = space + 1 if space > start else end
        yield line[start:end]
        start = end
    yield line[start:]
