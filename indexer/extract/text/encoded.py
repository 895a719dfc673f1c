"""Bytes in the clothes of text: base64, PGP's armour. Pure.

Mail programs write attachments so, and a wrong header leaves them in the text. They are never text:
what is found is decoded, or named.
"""

from __future__ import annotations

import binascii
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MIN_LINES = 3  # before lines without blanks are base64
MIN_LINE_CHARS = 200  # of the only one
MIN_SHARE = 0.6  # of lines that are of one length, and of lines without a strange character
MIN_ENCODED_SHARE = 0.5  # of a part, before it is base64 as a whole
FIELDS_OF_KEY = 5  # lines before the base64 of a key, among which its beginning is
NAME_BEFORE_CHARS = 600  # in which a raw header names what follows
_STRANGE = re.compile(rb"[^A-Za-z0-9+/=\s]")
_BLANK = re.compile(rb"\S[ \t]+\S")  # within a line
_PURE = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,3}")
_HURT = re.compile(r"(?:[A-Za-z0-9+/=_-]*[^\sA-Za-z0-9+/=_-]){0,6}[A-Za-z0-9+/=_-]*")
_END = re.compile(r"(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2,3}={1,2})?")
_URL_SAFE = re.compile(rb"[A-Za-z0-9_-]{20,}={0,3}")
_OF_KEY = re.compile(r"-----? ?BEGIN (?:(?:[A-Z0-9 ]{1,40} )?PRIVATE KEY|OpenVPN Static key V1)")
_NAME = re.compile(r"(?i)\b(?:file)?name\s*=\s*\"?([^\"\r\n;]{1,200})")


@dataclass(frozen=True, slots=True)
class Found:
    """What stands encoded in a text: its name, "" if it has none, and its bytes.

    `what` is why there are no bytes, "" where there are; `lost` if a person could want them.
    """

    name: str
    data: bytes = b""
    what: str = ""
    lost: bool = False


def from_base64(raw: bytes) -> tuple[bytes, bool]:
    """The bytes in base64, and whether some of it is damaged; other text as it stands.

    Lines with blanks in them are none of it, such as what a mailing list adds. Each line is decoded
    by itself where lines allow it, so that a damaged one costs itself.
    """
    lines = [_usual(line.strip()) for line in raw.splitlines() if line.strip()]
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


def _usual(line: bytes) -> bytes:
    """A line in the usual alphabet, if it is in that of addresses."""
    if not _URL_SAFE.fullmatch(line) or line.count(b"_") + line.count(b"-") > len(line) // 5:
        return line
    return line.replace(b"-", b"+").replace(b"_", b"/")


def is_base64(raw: bytes) -> bool:
    """Whether a whole part is base64, whatever its headers say and a mailing list adds."""
    lines = [line for line in raw.decode("latin-1").splitlines() if line.strip()]
    runs = list(_runs(lines))
    encoded = sum(len(line) for start, end in runs for line in lines[start:end])
    begins = bool(runs) and runs[0][0] == 0
    return begins and encoded > MIN_ENCODED_SHARE * sum(map(len, lines))


def _runs(lines: list[str]) -> Iterator[tuple[int, int]]:
    """(first, behind the last) of the lines that are base64, also where some are damaged."""
    bare = [line.lstrip("> ").rstrip() for line in lines]
    start = 0
    while start < len(bare):
        end = start
        while end < len(bare) and _is_solid(bare[end]):
            end += 1
            if bare[end - 1].endswith("="):
                break
        if end > start and end < len(bare) and not bare[end - 1].endswith("="):
            end += bool(bare[end]) and _END.fullmatch(bare[end]) is not None
        if end > start and _is_encoded(bare[start:end]):
            yield start, end
        start = max(end, start + 1)


def _is_solid(line: str) -> bool:
    """Whether a line may be base64: long, without blanks and next to no other characters."""
    if len(line) < 40 or "://" in line:
        return False
    return _PURE.fullmatch(line) is not None or _HURT.fullmatch(line) is not None


def _is_encoded(lines: list[str]) -> bool:
    if len(lines) < MIN_LINES and len(lines[0]) < MIN_LINE_CHARS and len(lines[-1]) < 40:
        return False
    pure = sum(_PURE.fullmatch(line) is not None for line in lines)
    widths = Counter(map(len, lines[:-1] or lines))
    alike = widths.most_common(1)[0][1]
    if pure < MIN_SHARE * (len(lines) - 1) or alike < MIN_SHARE * widths.total() or not pure:
        return False
    return _is_mixed("".join(lines))


def _is_mixed(text: str) -> bool:
    """Whether letters of both cases and digits alternate as in base64, not in names or sums."""
    sample = text[:20_000]
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

    def armoured(match: re.Match[str]) -> str:
        return take(Found("", what=_ARMOURED[match[1]], lost=match[1] in _LOST))

    text = _ARMOUR.sub(armoured, text)
    return "\n".join(_without_base64(text.split("\n"), take)), found


_ARMOURED = {
    "MESSAGE": "encrypted PGP message, not readable",
    "SIGNATURE": "PGP signature",
    "PUBLIC KEY BLOCK": "PGP key",
    "PRIVATE KEY BLOCK": "private PGP key, not read",
}
_LOST = frozenset({"MESSAGE", "PRIVATE KEY BLOCK"})
# No line of the body begins as the next armour does, so that each line is looked at once.
_ARMOUR = re.compile(
    rf"(?m)^-----BEGIN PGP ({'|'.join(_ARMOURED)})[^\n]*-----[ \t]*\r?\n"
    r"(?:(?!-----)[^\n]{0,200}\n)*-----END PGP \1-----[ \t]*\r?$"
)


def _without_base64(lines: list[str], take: Callable[[Found], str]) -> list[str]:
    """The lines with one for each run of base64."""
    kept: list[str] = []
    behind = 0
    for start, end in _runs(lines):
        kept += lines[behind:start]
        behind = end
        if any(map(_OF_KEY.search, kept[-FIELDS_OF_KEY:])):
            kept.append(take(Found("", what="private key, not read", lost=True)))
            continue
        encoded = "\n".join(line.lstrip("> ") for line in lines[start:end])
        data, _ = from_base64(encoded.encode("latin-1", "replace"))
        kept.append(take(Found(_name_before(kept), data)))
    return kept + lines[behind:]


def _name_before(lines: list[str]) -> str:
    """The name that a raw header in front of data gives, "" if none does."""
    before = "\n".join(line[-NAME_BEFORE_CHARS:] for line in lines[-NAME_BEFORE_CHARS:])
    names = _NAME.findall(before[-NAME_BEFORE_CHARS:])
    return names[-1].strip() if names else ""
