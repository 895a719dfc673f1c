"""Damaged files are refused in words of a person, without a library's name for it."""

import gzip
import io
import lzma
import re
import tarfile
import zipfile

import pytest

from indexer import UnreadableDocument
from indexer.extract import open_document


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "words of a note " * 40)
    return out.getvalue()


def tarred():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("a.txt")
        info.size = 9_000
        archive.addfile(info, io.BytesIO(b"words of a note\n" * 600))
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pdf", b"%PDF-1.7\n"),
        ("a.pdf", b"%PDF-1.7\nxref\n0 1\ntrailer\n<< /Size 1 >>\nstartxref\n9\n%%EOF\n"),
        ("a.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages"),
        ("a.zip", zipped()[:-30]),
        ("a.docx", zipped()[:-30]),
        ("a.txt.gz", gzip.compress(b"words of a note " * 400, mtime=0)[:-20]),
        ("a.txt.xz", lzma.compress(b"words of a note " * 400)[:-20]),
        ("a.tar", tarred()[:5_000]),
    ],
)
def test_a_refusal_names_no_exception(name, data):
    with pytest.raises(UnreadableDocument, match="malformed") as refused:
        [*open_document(data, name).lines]
    shown = refused.value.detail
    assert (shown and shown[0].islower()) or shown.startswith(("ZIP: ", "tar: "))
    assert not re.search(r"Error|Exception|\b[A-Z]\w*[a-z][A-Z]\w*", shown), shown
