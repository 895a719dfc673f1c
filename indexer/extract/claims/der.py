"""What private keys in DER begin with. Pure; used for files and for base64 in texts."""

from __future__ import annotations

import re

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


def is_der_key(data: bytes) -> bool:
    """Whether DER begins as a private key does."""
    return any(pattern.match(data) for pattern, _ in DER_KEYS)
