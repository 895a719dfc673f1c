"""The strings that are planted: the packaged set, or a file of the same shape.

One JSON object per line with `id`, `class`, `text` and `canary`, escaped: such strings act on
terminals, so no module prints one unchanged. A class that ends in "benign" is ordinary text that
resembles an attack and must stay readable.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from indexer import UsageError

PACKAGED = Path(__file__).parent / "strings.jsonl"
_SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
_SYLLABLES_A_WORD = 3  # 343,000 words of equal length


@dataclass(frozen=True, slots=True)
class Planted:
    """One string; `word` occurs only in its documents, so that a question finds them."""

    id: str
    kind: str
    text: str
    word: str

    @property
    def name(self) -> str:
        """The name of its documents, as file name or title."""
        return f"{self.word} {self.text}"

    @property
    def benign(self) -> bool:
        """Whether the string must stay readable in full."""
        return self.kind.endswith("benign")


def question_about(word: str) -> str:
    """A question that finds the documents of a word and no others."""
    return f"What do the notes say about the {word} valve?"


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


def load(path: Path | None, targets: Targets) -> list[Planted]:
    """The strings of a file, or of the packaged set; raises UsageError for another format.

    Stripped of white space, since sentences are put around them.
    """
    try:
        lines = (path or PACKAGED).read_text("utf-8").split("\n")
        rows = [json.loads(line) for line in lines if line]
        found = [
            Planted(
                str(row["id"]),
                str(row["class"]),
                targets.filled(str(row["text"]), f"s{number}").strip(),
                _word(number),
            )
            for number, row in enumerate(rows)
        ]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"{str(path)!r} does not hold planted strings: {error!r}.",
            'One JSON object a line: {"id": …, "class": …, "text": …, "canary": …}',
        ) from None
    if not found:
        raise UsageError(f"{str(path)!r} holds no strings.")
    return found


def _word(number: int) -> str:
    """A word of no language, different for each number."""
    base = len(_SYLLABLES)
    digits = [number // base**place % base for place in range(_SYLLABLES_A_WORD)]
    return "".join(_SYLLABLES[(digit + 7 * place) % base] for place, digit in enumerate(digits))
