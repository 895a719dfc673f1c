r"""The normal form of all extracted text.

NFC, `\n` line ends, no NUL, no line over 2,000 characters, none that passes for one of our marks.
Called by this package only, so that indexing and reading cannot differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

NORMALISER = "nfc-wrap/2"  # a change of what becomes of all text is a new number
MAX_LINE_CHARS = 2_000
# What no reader sees stands between letters in vain: it is taken out when a text is shown.
_UNSEEN = (
    "[\x01-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_KINDS = (
    *("Page", "Slide", "Sheet", "File", "Chapter", "About", "Message", "Contact", "Note"),
    *("Appointment", "Task", "Journal", "Busy", "Running"),
)
_SAID = ("hidden in the document", "private key, left out", "no text layer", "recognised text")


def _spelled(text: str) -> str:
    """The pattern of a text with what nobody sees anywhere in it, blanks of any kind and number."""
    return f"{_UNSEEN}*".join(r"\s+" if char == " " else re.escape(char) for char in text)


_GAP = rf"(?:\s|{_UNSEEN})*"


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The beginnings of our marks and of remarks in them: made when text is read, in 30 ms."""
    kinds, said = ("|".join(map(_spelled, each)) for each in (_KINDS, _SAID))
    mark = re.compile(rf"^({_GAP}){_spelled('---')}(?={_GAP}(?:{kinds}))")
    return mark, re.compile(rf"\((?={_GAP}(?:{said}))", re.I)


def lines_of(text: str, limit: int = MAX_LINE_CHARS) -> Iterator[str]:
    """The lines of `text`, normalised, without line ends, none longer than `limit` but by a mark.

    Longer lines are wrapped at the last white space before the limit, else at the limit; the
    white space at a wrap stays at the end of the line, so joining the parts gives the line back.
    """
    text = whole(text).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if text.endswith("\n"):
        text = text[:-1]
    text = unicodedata.normalize("NFC", text)
    forges = "(" in text or text.count("-") >= 3
    for line in text.split("\n"):
        for part in (line,) if len(line) <= limit else _wrap(line, limit):
            yield unforged(part) if forges else part


def unforged(line: str) -> str:
    """A line of a document that does not look as our marks do."""
    mark, remark = _rules()
    if "-" in line and (found := mark.match(line)):
        line = f"{found[1]}- - -{line[found.end() :]}"
    return remark.sub("[", line) if "(" in line else line


def whole(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates, which cannot be stored, as U+FFFD.

    Sources are character maps of PDFs and escapes in YAML, for example.
    """
    try:
        text.encode()  # ten times as quick as to look for them
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _wrap(line: str, limit: int) -> Iterator[str]:
    start = 0
    while len(line) - start > limit:
        end = start + limit
        space = max(line.rfind(" ", start, end), line.rfind("\t", start, end))
        end = space + 1 if space > start else end
        yield line[start:end]
        start = end
    yield line[start:]
