"""Tells key material by its bytes, whatever a file is called. Pure; called by the registry.

A file that begins as a private key or a store of keys does. A key in the middle of other text is
taken out of its lines, by `key_text`.
"""

from __future__ import annotations

import re

from indexer.errors import UnreadableDocument
from indexer.extract.text.plain import narrow

MAX_PREAMBLE_CHARS = 4_096  # comments and attributes, as openssl writes them in front of a key
_PEM = re.compile(
    rb"-----? ?BEGIN (?P<name>(?:[A-Z0-9 ]{1,40} )?PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)"
    rb" ?-?----(?:[ \t]*[\r\n](?=(?:[\w-]{1,40}: [^\n]{0,999}\n|\s)*[A-Za-z0-9+/=]{32})"
    rb"|(?=(?:\\+[rn]|[ \t]){0,8}[A-Za-z0-9+/=]{32}))"  # escaped in JSON, or all on one line
)
_CERTIFICATE = re.compile(
    rb"\s*-----BEGIN (?:TRUSTED |X509 |NEW )?(?:CERTIFICATE(?: REQUEST)?|PUBLIC KEY|PKCS7|CMS"
    rb"|RSA PUBLIC KEY|X509 CRL|PGP PUBLIC KEY BLOCK)-----\s*[\r\n]"
)
# The forms of text; a comment may stand in front of some.
_TEXTS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"PuTTY-User-Key-File-\d: "), "PuTTY private key"),
    (re.compile(rb"\A(?:#[^\n]*\n|\s)*AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{50,}"), "age key"),
    (
        re.compile(rb"untrusted comment: [^\n]{0,200}secret key\r?\n[A-Za-z0-9+/=]{40,}"),
        "signing key",
    ),
    (
        re.compile(rb"\A(?:[A-Za-z-]+: [^\n]*\n)*?Key: \((?:protected-|shadowed-)?private-key"),
        "GnuPG key",
    ),
    (re.compile(rb"\(\d{1,3}:(?:protected-|shadowed-)?private-key\("), "GnuPG private key"),
    (
        re.compile(rb"\A\s*\[Interface\]\s[^\[]{0,2000}?PrivateKey\s*=\s*[A-Za-z0-9+/]{43}="),
        "WireGuard key",
    ),
    (
        re.compile(
            rb'\A\s*\{(?=[^{}]{0,20000}"kty"\s*:)(?=[^{}]{0,20000}"(?:d|k)"\s*:\s*"[\w-]{16,}")'
            rb"[^{}]{0,20000}\}\s*\Z"
        ),
        "JSON web key",
    ),
)
_BYTES: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"\xfe\xed\xfe\xed\0\0\0[\x01\x02]"), "Java key store"),
    (re.compile(rb"\xce\xce\xce\xce\0\0\0[\x01\x02]"), "Java key store"),
    (re.compile(rb"\x03\xd9\xa2\x9a[\x65\x66\x67]\xfb\x4b\xb5"), "KeePass database"),
    (re.compile(rb"PWS3.{35}\0", re.DOTALL), "Password Safe database"),
    (re.compile(rb".{8}KBXf", re.DOTALL), "GnuPG key box"),
)
_OCTETS = rb"(?:[\0-\x7f]|\x81.|\x82..|\x83...|\x84....|\x80)"  # a length in DER
_OIDS = rb"(?:\x2a\x86\x48\x86\xf7\x0d|\x2a\x86\x48\xce|\x2b\x65|\x2b\x81\x04|\x60\x86\x48)"
# What a SEQUENCE of DER begins with if it is a private key (RFC 5208, 5915, 7292, 8017).
DER_KEYS: tuple[tuple[re.Pattern[bytes], str], ...] = tuple(
    (re.compile(rb"\x30" + _OCTETS + pattern, re.DOTALL), name)
    for pattern, name in (
        (
            rb"\x02\x01\x03\x30" + _OCTETS + rb"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07",
            "PKCS#12 keys",
        ),
        (rb"\x02\x01[\0\x01]\x30" + _OCTETS + rb"\x06[\x03-\x0b]" + _OIDS, "PKCS#8 private key"),
        (
            rb"\x30" + _OCTETS + rb"\x06[\x09\x0a]\x2a\x86\x48\x86\xf7\x0d\x01[\x05\x0c]",
            "PKCS#8 private key",
        ),
        (rb"\x02\x01\0\x02[\x81\x82]", "RSA private key"),
        (rb"\x02\x01\x01\x04[\x14-\x42]", "private key of a curve"),
    )
)
# An OpenPGP secret key packet: tag 5, its length, version, time, algorithm (RFC 9580, 4.2, 5.5).
_OPENPGP = re.compile(
    rb"(?:\x94.|\x95..|\x96....|\xc5[\0-\xbf]|\xc5[\xc0-\xdf].|\xc5\xff....)"
    rb"[\x03-\x06][\x30-\xff]...[\x01-\x03\x10-\x13\x16\x19-\x1c]",
    re.DOTALL,
)


def refuse_keys(data: bytes) -> None:
    """Raise UnreadableDocument("secret") for key material, "binary" for certificates alone.

    `data` is a file, or its beginning.
    """
    bare = narrow(data).removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    for forms in (_TEXTS, _BYTES, DER_KEYS):
        for pattern, name in forms:
            if pattern.match(bare):
                raise UnreadableDocument("secret", name)
    if _OPENPGP.match(data):
        raise UnreadableDocument("secret", "OpenPGP secret key")
    if found := _PEM.search(bare):
        if found.start() <= _preamble(bare) or _is_all_blocks(bare):
            name = " ".join(found["name"].decode("ascii").lower().split())
            raise UnreadableDocument("secret", name)
    elif _CERTIFICATE.match(bare) and _is_all_blocks(bare):
        raise UnreadableDocument("binary", "certificate or public key")


def _preamble(data: bytes) -> int:
    """Where comments, attributes and certificates end that may stand in front of a key."""
    end = 0
    for line in data[:MAX_PREAMBLE_CHARS].splitlines(keepends=True):
        if line.strip() and not _PREAMBLE.match(line):
            break
        end += len(line)
    return end


_PREAMBLE = re.compile(
    rb"\s*(?:#|;|Bag Attributes|Key Attributes|[\w .-]{1,40}: |subject=|issuer=)"
)


_EDGE = re.compile(rb"-----(BEGIN|END) [A-Z0-9 ]{1,60}-----")


def _is_all_blocks(data: bytes) -> bool:
    """Whether a text is nothing but such blocks, whole or cut."""
    behind, inside = 0, False
    for edge in _EDGE.finditer(data):
        if not inside and data[behind : edge.start()].strip():
            return False
        behind, inside = edge.end(), edge[1] == b"BEGIN"
    return inside or not data[behind:].strip()


def is_der_key(data: bytes) -> bool:
    """Whether DER begins as a private key does."""
    return any(pattern.match(data) for pattern, _ in DER_KEYS)
