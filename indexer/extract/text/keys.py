"""Private keys: a file that is one is refused, and keys within text are taken out. Pure.

A whole key becomes one mark; what only speaks of keys, or shows the beginning of one, stays. Not
noticed: passwords, tokens, keys of which nothing but their place says that they are some.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from indexer.errors import UnreadableDocument
from indexer.extract.hidden import HIDDEN_MARK
from indexer.records import Line

# --- Keys in binary form -------------------------------------------------------------------------

_OCTETS = rb"(?:[\0-\x80]|\x81.|\x82..|\x83...|\x84....)"  # a length in DER
_OIDS = rb"(?:\x2a\x86\x48\x86\xf7\x0d|\x2a\x86\x48\xce|\x2b\x65|\x2b\x81\x04|\x60\x86\x48)"
_RSADSI = rb"\x2a\x86\x48\x86\xf7\x0d\x01"
# What a SEQUENCE of DER begins with if it is a private key (RFC 5208, 5915, 7292, 8017).
_DER = re.compile(
    rb"\x30%(o)b(?:\x02\x01\x03\x30%(o)b\x06\x09%(r)b\x07"  # PKCS#12
    rb"|\x02\x01[\0\x01]\x30%(o)b\x06[\x03-\x0b]%(i)b|\x30%(o)b\x06[\x09\x0a]%(r)b[\x05\x0c]"  # #8
    rb"|\x02\x01\0\x02[\x81\x82]|\x02\x01\x01\x04[\x14-\x42])"  # RSA, a curve
    % {b"o": _OCTETS, b"i": _OIDS, b"r": _RSADSI},
    re.DOTALL,
)
# An OpenPGP secret key packet: tag 5, its length, version, time, algorithm (RFC 9580, 4.2, 5.5).
_OPENPGP = re.compile(
    rb"(?:\x94.|\x95..|\x96....|\xc5[\0-\xbf]|\xc5[\xc0-\xdf].|\xc5\xff....)"
    rb"[\x03-\x06][\x30-\xff]...[\x01-\x03\x10-\x13\x16\x19-\x1c]",
    re.DOTALL,
)


def refuse_keys(data: bytes) -> None:
    """Raise UnreadableDocument("secret") for a file, or its beginning, that is a key in binary."""
    if _DER.match(data) or _OPENPGP.match(data):
        raise UnreadableDocument("secret", "private key")


# --- Keys in text --------------------------------------------------------------------------------

KEY_MARK = "(private key, left out)"
MAX_KEY_CHARS = 64_000  # of one key, blank lines counted as characters
MIN_KEY_CHARS = 160  # in base64, where the key does not say how long it is
MIN_OPENSSH_CHARS = 260  # before which such a file holds its public half alone
MAX_FIELD_CHARS = 120  # of a line as "Proc-Type: 4,ENCRYPTED"
MAX_ODD_CHARS = 24  # beside the base64 of a line, such as quotation marks and numbers of lines
# One of these is in every line that a key begins in.
_NEEDLES = (
    *("KEY", "rivate", "LS0t", "MI", "CAQ", "reshared", "OpenVPN"),
    *('"d', '"k"', '"p"', '"q'),
)
_BEGIN = re.compile(
    r"-----? ?BEGIN (?:(?:[A-Z0-9 ]{1,40} )?PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1) ?-?----"
)
_END = re.compile(r"-----? ?END [A-Za-z0-9 ]{1,60} ?-?----")
_ESCAPED = re.compile(r"(?<!\\)\\+(?:[rnt]|(?=/))")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_FIELD = re.compile(r"[A-Za-z-]{2,24}: ")
# As base64 of PEM, and of the lengths and versions that DER of a key begins with.
_BLOB = re.compile(
    r"(?:LS0tLS1CRUdJTi|MII..[AQgw]IBA|MI[A-P].AgE[AB]|M[A-H].CAQ[AE])[A-Za-z0-9+/]{40,}={0,2}"
)
_VALUES = re.compile(
    r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{50,}"
    r"|(?i:(?:private|preshared)[ _-]?key[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
    r"(?:[A-Za-z0-9+/]{43}=|(?:0x)?[0-9a-fA-F]{64}(?![0-9a-fA-F]))"
    r"|\"(?:d|dp|dq|qi|k|p|q)\"\s{0,9}:\s{0,9}\"(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43,}\""
)


class WithoutKeys:
    """The lines of a document with a mark in the place of each key.

    `number` and `chars` are of the keys that were left out so far, `others` the characters kept.
    """

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines, self._again = lines, deque[Line]()
        self.number = self.chars = self.others = 0

    def __iter__(self) -> Iterator[Line]:
        """The lines, each once."""
        while (line := self._next()) is not None:
            for needle in _NEEDLES:
                if needle in line.text:
                    break
            else:
                self.others += len(line.text)
                yield line
                continue
            kept = self._without_block(line)
            if kept is not None:
                self._again.appendleft(kept)
                continue
            line = self._without_values(line)
            self.others += len(line.text)
            yield line

    def _next(self) -> Line | None:
        return self._again.popleft() if self._again else next(self._lines, None)

    def _without_block(self, line: Line) -> Line | None:
        """The line without the first key that begins in it and what follows; None for none."""
        for begin in _BEGIN.finditer(line.text):
            end = _END.search(line.text, begin.end())
            body = line.text[begin.end() : end.start() if end else None]
            taken, rest = ([], line.text[end.end() :]) if end else self._taken(body)
            if taken or _is_key(body):
                self.number += 1
                self.chars += sum(len(each.text) for each in (line, *taken))
                return replace(line, text=f"{line.text[: begin.start()]}{KEY_MARK}{rest}")
            if end is None:
                return None
        return None

    def _taken(self, first: str) -> tuple[list[Line], str]:
        """The lines below that are the rest of a key, and what stands behind its end."""
        body, taken, room, last = [first], list[Line](), MAX_KEY_CHARS, 0
        rest = ""
        while room > 0 and (line := self._next()) is not None:
            taken.append(line)
            room -= len(line.text) + 1
            if end := _END.search(line.text):
                body.append(line.text[: end.start()])
                rest, last = line.text[end.end() :], len(taken)
                break
            text = _bare(line)
            odd = len(_ENCODED.sub("", text)) > MAX_ODD_CHARS and not _FIELD.match(text)
            if odd or _BEGIN.search(line.text):
                break
            body.append(text)
            last = len(taken) if _ENCODED.search(text) else last
        if not _is_key("\n".join(body[: last + 1])):
            last, rest = 0, ""
        self._again.extendleft(reversed(taken[last:]))
        return taken[:last], rest

    def _without_values(self, line: Line) -> Line:
        """The line without the keys that stand in it as values or in base64."""

        def left_out(match: re.Match[str]) -> str:
            if match.re is _BLOB and not _is_encoded_key(match[0]):
                return match[0]
            self.number += 1
            self.chars += len(match[0])
            return KEY_MARK

        text = _VALUES.sub(left_out, _BLOB.sub(left_out, line.text))
        return line if text == line.text else replace(line, text=text)


def _bare(line: Line) -> str:
    """A line without what quotes, indents or ends it."""
    text = line.text.removeprefix(HIDDEN_MARK) if line.hidden else line.text
    return _ESCAPED.sub(" ", text.lstrip(" \t>|*#;'\"`").rstrip(" \t'\"`,;|\\")).strip()


def _is_key(body: str) -> bool:
    """Whether base64 is a key or most of one, not an example of which the most is left out."""
    lines = _ESCAPED.sub("\n", body.replace("\\/", "/")).split("\n")
    told = "\n".join(x for x in lines if len(x) > MAX_FIELD_CHARS or not _FIELD.match(x.strip()))
    pieces = _ENCODED.findall(told)
    size = sum(map(len, pieces))
    if not pieces:
        return False
    if pieces[0].startswith("b3BlbnNzaC1rZXktdjE"):
        return size >= MIN_OPENSSH_CHARS
    declared = _der_bytes(_decoded(pieces[0][:16]))
    return size * 3 // 4 >= declared // 2 if declared else size >= MIN_KEY_CHARS


def _der_bytes(head: bytes) -> int:
    """How long a SEQUENCE of DER is by its head; 0 if it is none."""
    if len(head) < 5 or head[0] != 0x30:
        return 0
    octets = head[1] & 0x7F if head[1] & 0x80 else 0
    return int.from_bytes(head[2 : 2 + octets], "big") if 0 < octets < 4 else head[1]


def _decoded(text: str) -> bytes:
    text = text.rstrip("=")
    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _is_encoded_key(text: str) -> bool:
    """Whether base64 is that of a key, in PEM or DER."""
    data = _decoded(text)
    if begin := _BEGIN.search(data[:200].decode("latin-1")):
        return _is_key(data[begin.end() :].decode("latin-1"))
    return _DER.match(data) is not None and len(data) >= _der_bytes(data) // 2
