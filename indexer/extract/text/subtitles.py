"""Subtitles and transcripts (WebVTT, SRT): a line for each cue, with the time at which it begins.

Numbers, end times, places on the screen and colours are left out; names of speakers stay.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import Extraction, plain_lines
from indexer.extract.text.plain import decode

_CUE = re.compile(
    r"^\s*((?:\d+:)?\d{1,2}:\d{2})[.,]\d{1,3}\s+-->\s+(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s++([^<>]+)>")
_TAG = re.compile(r"</?[a-zA-Z0-9][^>]{0,100}>|\{\\[^}]{0,100}\}")
_SKIPPED = re.compile(r"^(?:NOTE|STYLE|REGION)\b")


def read_subtitles(data: bytes) -> Extraction:
    """Its lines; raises UnreadableDocument where there is no cue in it."""
    text = decode(data).replace("\r\n", "\n").replace("\r", "\n")
    if not any(map(_CUE.match, text.split("\n"))):
        raise UnreadableDocument("malformed", "no cue in it")
    head = text.partition("\n")[0].partition("WEBVTT")[2].strip(" -\t")
    return Extraction(head or None, plain_lines(_cues(text)))


def _cues(text: str) -> Iterator[str]:
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip("\n").split("\n")
        at = next((i for i, line in enumerate(lines[:3]) if _CUE.match(line)), None)
        if at is None:
            if not lines[0].startswith("WEBVTT") and not _SKIPPED.match(lines[0]):
                text = _shown(lines)
                if text and not text.isdigit():
                    yield text  # text that belongs to no cue is text nevertheless
            continue
        start = _CUE.match(lines[at])
        text = _shown(lines[at + 1 :])
        if start and text:
            yield f"[{start[1]}] {text}"


def _shown(lines: list[str]) -> str:
    text = _TAG.sub("", _VOICE.sub(r"\1: ", " ".join(map(str.strip, lines))))
    return html.unescape(text).strip()
