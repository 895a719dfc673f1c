"""Bytes in the clothes of text: base64, uuencode, PGP's armour. Pure.

Mail programs write attachments so, and a wrong header leaves them in the text. They are never text:
what is found is decoded, or named.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass

MIN_LINES = 3  # of one length, before lines without blanks are base64
MIN_LINE_CHARS = 200  # of the only one
NAME_BEFORE_CHARS = 600  # in which a raw header names what follows
_STRANGE = re.compile(rb"[^A-Za-z0-9+/=\s]")
_BLANK = re.compile(rb"\S[ \t]+\S")  # within a line
_QUOTE = r"(?:>[ ]?)*"
_SOLID = r"[A-Za-z0-9+/]"
_BASE64 = re.compile(
    rf"(?m)^(?P<quote>{_QUOTE}){_SOLID}{{40,1000}}\r?\n(?:(?P=quote){_SOLID}{{40,1000}}\r?\n)+"
    rf"(?P=quote){_SOLID}*={{0,3}}[ \t]*\r?$"
    rf"|^{_QUOTE}{_SOLID}{{{MIN_LINE_CHARS},}}={{0,3}}[ \t]*\r?$"
)
_UU = re.compile(
    r"(?m)^begin(?:-base64)? [0-7]{3,4} (?P<name>[^\r\n]{1,200})\r?\n"
    r"(?P<body>(?:[^\r\n]{1,100}\r?\n)*?)(?:`?[ ]?\r?\n)?(?:end|====)[ \t]*\r?$"
)
_YENC = re.compile(r"(?ms)^=ybegin [^\n]*name=(?P<name>[^\r\n]{1,200})\n.*?^=yend[^\n]*$")
_ARMOUR = re.compile(
    r"(?m)^-----BEGIN PGP (?P<kind>MESSAGE|SIGNATURE|PUBLIC KEY BLOCK|PRIVATE KEY BLOCK)"
    r"[^\n]*-----[ \t]*\r?\n(?:[^\n]{0,200}\n)*?-----END PGP (?P=kind)-----[ \t]*\r?$"
)
_NAME = re.compile(r"(?i)\b(?:file)?name\s*=\s*\"?([^\"\r\n;]{1,200})")


@dataclass(frozen=True, slots=True)
class Found:
    """What stands encoded in a text: its name, "" if it has none, and its bytes.

    `what` says why there are no bytes, "" where there are.
    """

    name: str
    data: bytes = b""
    what: str = ""


def from_base64(raw: bytes) -> tuple[bytes, bool]:
    """The bytes in base64, and whether some of it is damaged; other text as it stands.

    Lines with blanks in them are none of it, such as what a mailing list adds. Each line is decoded
    by itself where lines allow it, so that a damaged one costs itself.
    """
    lines = [line.strip() for line in raw.splitlines() if line.strip()]
    solid = [line for line in lines if not _BLANK.search(line)]
    if len(solid) <= len(lines) / 2:
        return raw, bool(lines)
    pure = [_STRANGE.sub(b"", line) for line in solid]
    damaged = pure != lines
    odd = sum(len(line) % 4 != 0 for line in pure[:-1])
    if odd * 2 > len(pure) - 1:
        pure = [b"".join(pure)]
    elif odd:
        damaged = True
    pieces = []
    for line in pure:
        whole = line.rstrip(b"=").replace(b"=", b"")
        short = len(whole) % 4 == 1  # six bits are no byte
        damaged = damaged or short
        whole = whole[: len(whole) - short]
        pieces.append(binascii.a2b_base64(whole + b"=" * (-len(whole) % 4)))
    return b"".join(pieces), damaged


def is_base64(raw: bytes) -> bool:
    """Whether a whole text is base64, whatever its headers say."""
    text = raw.decode("ascii", "replace").strip()
    found = _BASE64.match(text)
    return found is not None and found.end() == len(text) and _is_mixed(text)


def _is_mixed(text: str) -> bool:
    """Whether letters of both cases and digits alternate as in base64, not in names or sums."""
    sample = text[:2000]
    tests: tuple[Callable[[str], bool], ...] = (str.isupper, str.islower, str.isdigit)
    shares = [sum(map(test, sample)) / len(sample) for test in tests]
    return shares[0] > 0.1 and shares[1] > 0.1 and shares[2] > 0.02


def without_encoded(text: str) -> tuple[str, list[Found]]:
    """The text with a line in the place of what stands encoded in it, and what that is."""
    if "\n" not in text and len(text) < MIN_LINE_CHARS:
        return text, []
    found: list[Found] = []

    def take(item: Found) -> str:
        found.append(item)
        return f"({item.what or 'attachment'}{': ' if item.name else ''}{item.name})"

    text = _ARMOUR.sub(lambda match: take(_armoured(match)), text)
    text = _YENC.sub(lambda match: take(Found(match["name"].strip(), what="yEnc data")), text)
    text = _UU.sub(lambda match: take(_uudecoded(match)), text)
    return _BASE64.sub(lambda match: _taken(match, take), text), found


def _taken(match: re.Match[str], take: Callable[[Found], str]) -> str:
    """What stands instead of lines that look like base64: they themselves where they are not."""
    lines = [line.lstrip("> ").strip() for line in match[0].splitlines()]
    one_length = len(lines) < MIN_LINES or len({*map(len, lines[:-1])}) == 1
    alone = len(lines) == 1 or len(lines) >= MIN_LINES
    if not (alone and one_length and _is_mixed("".join(lines))):
        return match[0]
    before = match.string[max(0, match.start() - NAME_BEFORE_CHARS) : match.start()]
    names = _NAME.findall(before)
    data, _ = from_base64("\n".join(lines).encode())
    return take(Found(names[-1].strip() if names else "", data))


def _uudecoded(match: re.Match[str]) -> Found:
    name = match["name"].strip()
    body = match["body"].encode("latin-1", "replace")
    if match[0].startswith("begin-base64"):
        return Found(name, from_base64(body)[0])
    pieces = [_uu_line(line) for line in body.splitlines()]
    return Found(name, b"".join(pieces))


def from_uu(raw: bytes) -> bytes:
    """The bytes in uuencode; b"" where there is none."""
    found = _UU.search(raw.decode("latin-1"))
    return _uudecoded(found).data if found else b""


def _uu_line(line: bytes) -> bytes:
    try:
        return binascii.a2b_uu(line)
    except binascii.Error:  # a line that is longer than it says
        length = (((line[0] - 32) & 63) * 4 + 5) // 3 if line else 0
        try:
            return binascii.a2b_uu(line[:length])
        except binascii.Error:
            return b""


_ARMOURED = {
    "MESSAGE": "encrypted PGP message, not readable",
    "SIGNATURE": "PGP signature",
    "PUBLIC KEY BLOCK": "PGP key",
    "PRIVATE KEY BLOCK": "private PGP key, not read",
}


def _armoured(match: re.Match[str]) -> Found:
    return Found("", what=_ARMOURED[match["kind"]])
