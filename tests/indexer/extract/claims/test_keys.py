"""Key material is told by its bytes under every name; what else has such names is read."""

import base64
import json
import os

import pytest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import pkcs12

from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from tests.support import made_files as made

NAMES = ("a.key", "a.pem", "a.txt", "notes.md", "a", "a.bin", "photo.jpg")
LOCK = form.BestAvailableEncryption(b"password")
RSA, CURVE, EDWARDS = (
    rsa.generate_private_key(65537, 2048),
    ec.generate_private_key(ec.SECP256R1()),
    ed25519.Ed25519PrivateKey.generate(),
)
PLAIN = form.NoEncryption()


def pem(key, kind=form.PrivateFormat.PKCS8, lock=PLAIN, encoding=form.Encoding.PEM) -> bytes:
    return key.private_bytes(encoding, kind, lock)


def der(key, kind=form.PrivateFormat.PKCS8, lock=PLAIN) -> bytes:
    return pem(key, kind, lock, form.Encoding.DER)


def armoured(name: bytes) -> bytes:
    body = base64.encodebytes(bytes(range(256)))
    return b"-----BEGIN %s-----\n%s-----END %s-----\n" % (name, body, name)


OLD = form.PrivateFormat.TraditionalOpenSSL
KEYS = {
    "pkcs8": pem(RSA),
    "pkcs8 encrypted": pem(RSA, lock=LOCK),
    "rsa": pem(RSA, OLD),
    "rsa encrypted": pem(RSA, OLD, LOCK),
    "curve": pem(CURVE, OLD),
    "edwards": pem(EDWARDS),
    "openssh": pem(EDWARDS, form.PrivateFormat.OpenSSH),
    "with returns": pem(RSA).replace(b"\n", b"\r\n"),
    "of two bytes a letter": b"\xff\xfe" + pem(RSA).decode().encode("utf-16-le"),
    "the same without a mark": pem(CURVE).decode().encode("utf-16-be"),
    "escaped in JSON": json.dumps({"type": "account", "private_key": pem(RSA).decode()}).encode(),
    "on one line": pem(RSA).replace(b"\n", b""),
    "with a mark": b"\xef\xbb\xbf" + pem(RSA),
    "behind attributes": b"Bag Attributes\n    localKeyID: 01\nKey Attributes: <none>\n" + pem(RSA),
    "behind a comment": b"# the key of the mill\n\n" + pem(CURVE),
    "gpg": armoured(b"PGP PRIVATE KEY BLOCK"),
    "ssh2": armoured(b"x").replace(
        b"-----BEGIN x-----", b"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"
    ),
    "openvpn": armoured(b"OpenVPN Static key V1"),
    "der pkcs8": der(RSA),
    "der pkcs8 encrypted": der(RSA, lock=LOCK),
    "der rsa": der(RSA, OLD),
    "der curve": der(CURVE, OLD),
    "der edwards": der(EDWARDS),
    "pkcs12": pkcs12.serialize_key_and_certificates(b"mill", RSA, None, None, LOCK),
    "putty": b"PuTTY-User-Key-File-3: ssh-ed25519\r\nEncryption: none\r\nComment: mill\r\n",
    "age": b"# created: 2026-01-01T00:00:00Z\n# public key: age1x\nAGE-SECRET-KEY-1" + b"Q" * 58,
    "jks": b"\xfe\xed\xfe\xed\0\0\0\x02\0\0\0\x01" + os.urandom(64),
    "keepass": b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5" + os.urandom(64),
    "password safe": b"PWS3" + b"s" * 32 + b"\0\x08\0\0" + os.urandom(64),
    "gpg packet": b"\x95\x01\xd8\x04\x5f\x00\x00\x00\x01" + os.urandom(99),
    "gpg agent": b"(11:private-key(3:rsa(1:n257:" + os.urandom(99),
    "gpg agent text": b"Created: 20260101T000000\nKey: (private-key (ecc (curve Ed25519)))\n",
    "minisign": b"untrusted comment: minisign encrypted secret key\n" + b"RWRTY0Iy" * 20,
    "wireguard": b"[Interface]\nAddress = 10.0.0.2/32\nPrivateKey = " + b"a" * 43 + b"=\n",
    "jwk": b'{"kty": "OKP", "crv": "Ed25519", "x": "abc", "d": "' + b"n" * 43 + b'"}',
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_is_secret_under_every_name(kind):
    for name in NAMES:
        with pytest.raises(UnreadableDocument, match="secret: "):
            open_document(KEYS[kind], name)


WORDS = b"The mill was sold to Anna Berg in May 2030. "
NO_KEYS = {
    "about keys": b"# Keys\n\nA key begins with -----BEGIN PRIVATE KEY----- and ends alike.\n",
    "a template": b"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
    "an example": WORDS * 60 + b"\n" + pem(EDWARDS) + WORDS * 5,
    "a word": b"PuTTY-User-Key-File is how the files of PuTTY begin.\n",
    "age": b"AGE-SECRET-KEY-1... is the beginning of a key of age.\n",
    "json": b'{"kty": "none", "text": "The mill was sold.", "d": 5}',
    "wireguard": b"[Interface]\nAddress = 10.0.0.2/32\nPrivateKey = see the safe\n",
    "s-expression": b"(define private-key (open mill door))\n",
    "zero, one": b"0 1 2 0 the mill and the barn\n",
}


@pytest.mark.parametrize("kind", NO_KEYS)
def test_text_about_keys_is_text(kind):
    for name in ("a.key", "a.pem", "a.txt", "a.md"):
        lines = list(open_document(NO_KEYS[kind], name).lines)
        assert any(line.text.strip() for line in lines)


def test_a_presentation_called_key_is_read():
    opened = open_document(made.iwork(), "talk.key")
    assert opened.extractor.startswith("iwork/")
    assert any(made.SENTENCE in line.text for line in opened.lines)


def test_certificates_are_no_text():
    for data in (armoured(b"CERTIFICATE"), armoured(b"PUBLIC KEY") * 3):
        with pytest.raises(UnreadableDocument, match="binary: certificate or public key"):
            open_document(data, "a.pem")
    with pytest.raises(UnreadableDocument, match="secret"):
        open_document(armoured(b"CERTIFICATE") + pem(RSA), "a.pem")
