"""A corpus with planted strings: in text, in Markdown and PDF and their titles, in file names.

Writes only below one folder. Called by trial.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.attacks.injection.pdf import pdf_of
from tests.attacks.injection.strings import Planted

MAX_NAME_BYTES = 200  # of the 255 that Linux file systems allow, the rest is for word and suffix

MAX_HEADING = 120  # characters


def plant(folder: Path, strings: Iterable[Planted], secret: Path, link: str) -> int:
    """Make the documents and return their number; `link` becomes a link to the secret file."""
    (folder / link).symlink_to(secret)
    count = 0
    for planted in strings:
        for name, content in documents(planted):
            (folder / name).write_bytes(content)
            count += 1
    return count


def documents(planted: Planted) -> Iterable[tuple[str, bytes]]:
    """File names and contents; the first name has as much of the string as fits."""
    word, text = planted.word, planted.text
    before = f"The {word} valve is serviced in the boiler room every spring."
    after = f"Spare parts for the {word} valve are on the second shelf."
    plain = f"{before}\n{text}\n{after}\n"
    # Half a surrogate pair cannot be encoded; a string with one is planted without it.
    yield f"{word} {carried(text)}.txt", plain.encode("utf-8", "ignore")
    # The blank is escaped, so that the line of the title is no name that a detector would find.
    matter = f'---\ntitle: "{word}\\x20{in_yaml(text)}"\n---\n'
    heading = " ".join(text.split())[:MAX_HEADING]
    markdown = f"{matter}\n{before}\n\n{text}\n\n## {heading}\n\n{after}\n"
    yield f"{word}.md", markdown.encode("utf-8", "ignore")
    lines = text.encode("utf-8", "ignore").decode().split("\n")
    yield f"{word}.pdf", pdf_of([before, *lines, after], f"{word} {' '.join(lines)}")


def carried(text: str) -> str:
    """The part of `text` that fits into a file name: no slash, no NUL, limited bytes."""
    name = text.replace("/", "\u2215").replace("\0", "").encode("utf-8", "ignore")
    return name[:MAX_NAME_BYTES].decode("utf-8", "ignore")


def in_yaml(text: str) -> str:
    r"""`text` for a double-quoted scalar: all but plain ASCII as \UXXXXXXXX."""
    plain = (c.isascii() and c.isprintable() and c not in '"\\' for c in text)
    return "".join(c if ok else f"\\U{ord(c):08x}" for c, ok in zip(text, plain, strict=True))
