"""Key material is told by its bytes under every name; what else has such names is read."""

import base64
import json
import os
import re
import time

import pytest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import pkcs12

from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from tests.support import made_files as made

NAMES = ("a.key", "notes.md", "photo.jpg")
LOCK = form.BestAvailableEncryption(b"password")
RSA, CURVE, EDWARDS = (
    rsa.generate_private_key(65537, 2048),
    ec.generate_private_key(ec.SECP256R1()),
    ed25519.Ed25519PrivateKey.generate(),
)
PLAIN, OLD = form.NoEncryption(), form.PrivateFormat.TraditionalOpenSSL


def pem(key, kind=form.PrivateFormat.PKCS8, lock=PLAIN, encoding=form.Encoding.PEM) -> bytes:
    return key.private_bytes(encoding, kind, lock)


def der(key, kind=form.PrivateFormat.PKCS8, lock=PLAIN) -> bytes:
    return pem(key, kind, lock, form.Encoding.DER)


def armoured(name: bytes) -> bytes:
    body = base64.encodebytes(bytes(range(256)))
    return b"-----BEGIN %s-----\n%s-----END %s-----\n" % (name, body, name)


SECRET = b"aB3" * 14 + b"a"
KEYS = {
    "pkcs8": pem(RSA),
    "rsa encrypted": pem(RSA, OLD, LOCK),
    "openssh": pem(EDWARDS, form.PrivateFormat.OpenSSH),
    "of two bytes a letter": b"\xff\xfe" + pem(RSA).decode().encode("utf-16-le"),
    "escaped in JSON": json.dumps({"type": "account", "private_key": pem(RSA).decode()}).encode(),
    "on one line": pem(RSA).replace(b"\n", b""),
    "quoted": b"".join(b"> %s\n" % line for line in pem(RSA, OLD).splitlines()),
    "gpg": armoured(b"PGP PRIVATE KEY BLOCK"),
    "ssh2": armoured(b"x").replace(
        b"-----BEGIN x-----", b"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"
    ),
    "openvpn": armoured(b"OpenVPN Static key V1"),
    "der pkcs8": der(RSA),
    "der curve": der(CURVE, OLD),
    "pkcs12": pkcs12.serialize_key_and_certificates(b"mill", RSA, None, None, LOCK),
    "age": b"# created: 2026-01-01T00:00:00Z\n# public key: age1x\nAGE-SECRET-KEY-1" + b"Q" * 58,
    "jks": b"\xfe\xed\xfe\xed\0\0\0\x02\0\0\0\x01" + os.urandom(64),
    "keepass": b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5" + os.urandom(64),
    "gpg packet": b"\x95\x01\xd8\x04\x5f\x00\x00\x00\x01" + os.urandom(99),
    "wireguard": b"[Interface]\nPrivateKey = " + SECRET + b"=\n",
    "jwk": b'{"kty": "OKP", "d": "' + SECRET + b'"}',
}


def test_a_key_is_secret_under_every_name_and_a_presentation_called_key_is_read():
    shown = [
        (kind, name)
        for kind, data in KEYS.items()
        for name in NAMES
        if not kept(data, name)[1].startswith("secret: ")
    ]
    assert shown == []
    assert made.SENTENCE in kept(made.FILES["a.pages"], "talk.key")[0]
    for data in (armoured(b"CERTIFICATE"), armoured(b"PUBLIC KEY") * 3):
        assert re.match(r"binary: (certificate|public key)", kept(data, "a.pem")[1])


# --- Keys in the middle of text ------------------------------------------------------------------

PROSE = "".join(
    f"The mill of Anna Berg was repaired in the spring of {n}.\n" for n in range(1900, 1990)
)
PEMS = {
    "rsa": pem(RSA, OLD).decode(),
    "pkcs8": pem(RSA).decode(),
    "openssh": pem(EDWARDS, form.PrivateFormat.OpenSSH).decode(),
    "gpg": armoured(b"PGP PRIVATE KEY BLOCK").decode(),
    "openvpn": armoured(b"OpenVPN Static key V1").decode(),
}
B64 = {name: base64.b64encode(each.encode()).decode() for name, each in PEMS.items()}


SAID = {
    "quoted": ("a.txt", lambda key: PROSE + "".join(f"> {x}\n" for x in key.splitlines()) + PROSE),
    "in a reply": (
        "a.eml",
        lambda key: (
            "From: a@b.c\nTo: d@e.f\nSubject: key\nDate: Mon, 1 Jan 2030 00:00:00 +0000\n\n"
            + PROSE
            + "".join(f"> {x}\n" for x in key.splitlines())
        ),
    ),
    "in JSON": ("a.json", lambda key: json.dumps({"text": PROSE, "key": key})),
    "in YAML": (
        "a.yaml",
        lambda key: PROSE + "key: |\n" + "".join(f"  {x}\n" for x in key.splitlines()),
    ),
    "in HTML": ("a.html", lambda key: f"<p>{PROSE}</p><pre>{key}</pre>"),
    "in a table": ("a.csv", lambda key: "text,key\n" + json.dumps(PROSE) + "," + f'"{key}"\n'),
    "without its end": ("a.txt", lambda key: PROSE + key[: len(key) * 9 // 10]),
}


def kept(data: bytes, name: str) -> tuple[str, str]:
    """All text that a document gives, and its remark or the reason for none."""
    text: list[str] = []
    try:
        opened = open_document(data, name)
        text += (line.text for line in opened.lines)
    except UnreadableDocument as error:
        return "\n".join(text), str(error)
    return "\n".join(text), opened.remark


def stretches(key: str) -> list[str]:
    """Pieces of what must not be seen: the second half of the base64, which no public part has."""
    body = [x for x in key.splitlines() if x and "-----" not in x and ": " not in x]
    whole = "".join(body)
    half = whole[len(whole) // 2 :]
    return [half[at : at + 20] for at in range(0, max(1, len(half) - 24), 20)]


def test_no_key_in_the_middle_of_text_is_read():
    seen = []
    for kind, key in PEMS.items():
        for said, (name, around) in SAID.items():
            data = around(key)
            assert any(each in data for each in stretches(key))
            text, remark = kept(data.encode(), name)
            told = "1 private key is left out" in remark or remark.startswith("secret")
            if not told or any(each in text for each in stretches(key)):
                seen.append((kind, said))
    assert seen == []


VALUES = {
    "base64 of PEM": f"client-key-data: {B64['pkcs8']}\n",
    "base64 of DER": f"signing.key={base64.b64encode(der(RSA)).decode()}\n",
    "jwk": json.dumps({"kty": "EC", "crv": "P-256", "x": "a" * 43, "d": "Qz9" + "n" * 40}),
    "age": "AGE-SECRET-KEY-1" + "QZ" * 29,
    "wireguard": "[Interface]\nPrivateKey = " + "aB3" * 14 + "a=\n",
    "hexadecimal": '"private_key": "0x' + "ab12" * 16 + '"\n',
}


def test_no_value_that_is_a_key_is_read():
    for kind, value in VALUES.items():
        secrets = [x for x in re.findall(r"[A-Za-z0-9+/_-]{40,}", value) if x != "a" * 43]
        for name, around in (("a.txt", "{}"), ("a.md", "\n```\n{}\n```\n")):
            text, remark = kept((PROSE + around.format(value) + PROSE).encode(), name)
            assert secrets and [x for x in secrets if x in text] == [], kind
            assert "left out" in remark and "in the spring of 1989" in text, kind


RSA_HEAD = PEMS["rsa"].splitlines()[1]
SPOKEN = {
    "about keys": "A key begins with -----BEGIN PRIVATE KEY----- and ends alike.\n",
    "s-expression": "(define private-key (open mill door))\n",
    "elided": f"-----BEGIN RSA PRIVATE KEY-----\n{RSA_HEAD}\n...\n-----END RSA PRIVATE KEY-----\n",
    "a place": "-----BEGIN PRIVATE KEY-----\n<what is in your file>\n-----END PRIVATE KEY-----\n",
    "certificate": armoured(b"CERTIFICATE").decode(),
    "public key": RSA.public_key()
    .public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    .decode(),
    "authorized": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN" + "aB3" * 14 + " anna@mill\n",
    "jwk": json.dumps({"kty": "EC", "crv": "P-256", "x": "aB3" * 14 + "a", "y": "aB3" * 15}),
    "wireguard": "[Peer]\nPublicKey = " + "aB3" * 14 + "a=\nPrivateKey = <yours>\n",
    "age": "AGE-SECRET-KEY-1... stays with you, age1" + "q" * 58 + " is given away.\n",
    "a path": 'private_key: "/etc/ssl/private/a-rather-long-name-of-a-key-of-the-mill.pem"\n',
    "a drawing": '{"d": "M10 10 C 20 20, 40 20, 50 10 H 90 V 90 H 10 L 10 10"}\n',
    "a hash": "sha256: " + "ab12" * 16 + "\n",
}


def test_what_speaks_of_keys_is_read_whole():
    for kind, said in SPOKEN.items():
        whole = PROSE + said + PROSE
        for name in ("a.txt", "a.md"):
            assert kept(whole.encode(), name) == (whole.removesuffix("\n"), ""), kind


@pytest.mark.slow
def test_what_only_begins_as_a_key_costs_its_length():
    for unit in ("-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n\n\n"):
        for each in (
            unit * (400_000 // len(unit)),
            unit + "\n" * 400_000,
            unit + "A: b\n" * 80_000,
        ):
            start = time.process_time()
            kept((PROSE + each).encode(), "a.txt")
            assert time.process_time() - start < 5
