"""The strings that are planted: the packaged set, or a file of the same shape.

One JSON object a line with `id`, `class`, `text` and `canary`, everything escaped: such strings act
on terminals, so nothing here or elsewhere prints one as it is. A class that ends in "benign" holds
ordinary text that only looks like an attack and must stay readable.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from indexer import UsageError

PACKAGED = Path(__file__).parent / "strings.jsonl"
_SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
_SYLLABLES_A_WORD = 3  # 343,000 words of one length, none of which begins another


@dataclass(frozen=True, slots=True)
class Planted:
    """One string; `word` is in its documents and in no others, so that a question finds them."""

    id: str
    kind: str
    text: str
    word: str

    @property
    def name(self) -> str:
        """What its documents are called, by file name or by title."""
        return f"{self.word} {self.text}"

    @property
    def benign(self) -> bool:
        """Whether the string must stay readable in full."""
        return self.kind.endswith("benign")


@dataclass(frozen=True, slots=True)
class Targets:
    """What an attack reaches for: all of it made for this run, and all of it on this machine.

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
    """The strings of a file, of the packaged set without one; raises UsageError for another shape.

    White space at the ends goes: documents are planted with sentences around it.
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
    """A word that no language has, another one for every number."""
    base = len(_SYLLABLES)
    digits = [number // base**place % base for place in range(_SYLLABLES_A_WORD)]
    return "".join(_SYLLABLES[(digit + 7 * place) % base] for place, digit in enumerate(digits))
