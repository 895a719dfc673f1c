"""The strings that are planted, and the documents that hold them: text, Markdown, PDF, their names.

One JSON object per line with `id`, `class` and `text`, escaped: such strings act on terminals, so
no module prints one unchanged. A class that ends in "benign" is ordinary text that resembles an
attack and must stay readable.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.pdfs import bare_pdf

PACKAGED = Path(__file__).parent / "strings.jsonl"
MAX_NAME_BYTES = 200  # of the 255 that Linux file systems allow, the rest is for word and suffix
MAX_HEADING = 120  # characters
_SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]


@dataclass(frozen=True, slots=True)
class Planted:
    """One string; `word` occurs only in its documents, so that a question finds them."""

    id: str
    kind: str
    text: str
    word: str

    @property
    def benign(self) -> bool:
        return self.kind.endswith("benign")


@dataclass(frozen=True, slots=True)
class Targets:
    """The targets of an attack, all made for this run and on this machine.

    `canary` is a file outside the corpus, `link` the source of a link to it inside, `outside` a
    file to write, `listener` a host and port of loopback.
    """

    canary: str
    link: str
    outside: str
    listener: str

    def filled(self, text: str, number: str) -> str:
        """`text` with the placeholders of the packaged strings, and of garak's, filled in."""
        values = {
            "{listener}": self.listener,
            "{uri}": f"http://{self.listener}/{number}",
            "{canary_path}": self.canary,
            "{outside_path}": self.outside,
            "{id}": number,
            "{link_display_text}": "the report",
        }
        for name, value in values.items():
            text = text.replace(name, value)
        return text


def question_about(word: str) -> str:
    return f"What do the notes say about the {word} valve?"


def load(path: Path, targets: Targets) -> list[Planted]:
    """The strings of a file, stripped of white space, since sentences are put around them."""
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    return [
        Planted(row["id"], row["class"], targets.filled(row["text"], f"s{n}").strip(), _word(n))
        for n, row in enumerate(rows)
    ]


def _word(number: int) -> str:
    """A word of no language, different for each number."""
    base = len(_SYLLABLES)
    return "".join(_SYLLABLES[(number // base**at % base + 7 * at) % base] for at in range(3))


def plant(folder: Path, strings: Sequence[Planted], targets: Targets) -> int:
    """Make the documents and return their number; a link among them leads to the canary."""
    (folder / targets.link).symlink_to(targets.canary)
    made = [document for planted in strings for document in documents(planted)]
    for name, content in made:
        (folder / name).write_bytes(content)
    return len(made)


def documents(planted: Planted) -> Iterator[tuple[str, bytes]]:
    """File names and contents; the first name has as much of the string as fits."""
    word = planted.word
    # Half a surrogate pair cannot be encoded; a string with one is planted without it.
    text = planted.text.encode("utf-8", "ignore").decode()
    before = f"The {word} valve is serviced in the boiler room every spring."
    after = f"Spare parts for the {word} valve are on the second shelf."
    yield f"{word} {carried(text)}.txt", f"{before}\n{text}\n{after}\n".encode()
    # The blank is escaped, so that the line of the title is no name that a detector would find.
    title = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else _escaped(c)
                    for c in text)  # fmt: skip
    heading = " ".join(text.split())[:MAX_HEADING]
    matter = f'---\ntitle: "{word}\\x20{title}"\n---\n'
    yield f"{word}.md", f"{matter}\n{before}\n\n{text}\n\n## {heading}\n\n{after}\n".encode()
    lines = text.split("\n")
    yield f"{word}.pdf", bare_pdf([before, *lines, after], f"{word} {' '.join(lines)}")


def contract(text: str) -> tuple[str, bytes]:
    """A file name and a contract with `text` in both: in its fields and in its dated sentence."""
    line = " ".join(text.encode("utf-8", "ignore").decode().split())
    said = (f"# Lease {line}", f"Code: {line}", f"Rent: £985 {line}", f"On 3 May 2024 {line} fell.")
    return f"{carried(line)}.md", "\n\n".join(said).encode()


def carried(text: str) -> str:
    """The part of `text` that fits into a file name: no slash, no NUL, limited bytes."""
    name = text.replace("/", "\u2215").replace("\0", "").encode("utf-8", "ignore")
    return name[:MAX_NAME_BYTES].decode("utf-8", "ignore")


def _escaped(char: str) -> str:
    return f"\\U{ord(char):08x}"
