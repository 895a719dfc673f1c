"""Quotations of eight kinds, each made from a sentence of sample_corpus or from nothing, seeded."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from corpus_agent.text.sentences import units
from indexer.extract import open_document
from indexer.records import Line
from tests.support.fakes import MemoryCorpus

SAMPLE = Path(__file__).parent.parent / "sample_corpus"
MIN_WORDS, MAX_WORDS = 6, 40
MADE_UP = tomllib.loads(Path(__file__).with_name("quotations.toml").read_text("utf-8"))["made_up"]
FANCY = {
    "ffi": "ﬃ", "ffl": "ﬄ", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ",
    "'": "’", " - ": " – ", "“": '"', "”": '"', "–": "-",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A quotation claimed for a line of a source."""

    kind: str
    source: str
    line: int
    quote: str


class Documents(MemoryCorpus):
    """Documents that are read and never searched."""

    def __init__(self, documents: dict[str, tuple[Line, ...]]) -> None:
        super().__init__(documents)
        self.documents = documents

    def flat(self, source: str) -> str:
        return " ".join(" ".join(line.text for line in self.documents[source]).split())


def sample_documents() -> Documents:
    documents = {}
    for path in sorted(SAMPLE.rglob("*")):
        if path.suffix in (".md", ".txt", ".pdf") and "scans" not in path.parts:
            source = str(path.relative_to(SAMPLE))
            documents[source] = tuple(open_document(path.read_bytes(), source).lines)
    return Documents(documents)


@dataclass(frozen=True, slots=True)
class Run:
    """A sentence of a document as it stands there; `line` is where it begins."""

    documents: Documents
    source: str
    line: int
    text: str

    def changed(self, start: int, end: int, text: str) -> str:
        return self.text[:start] + text + self.text[end:]


def a_run(documents: Documents, chance: random.Random) -> Run | None:
    """A sentence somewhere, over line ends but not over blank lines and page ends."""
    source = chance.choice(sorted(documents.documents))
    lines = documents.documents[source]
    first, last = chance.choice(list(_blocks(lines)))
    text = "\n".join(line.text for line in lines[first:last])
    whole = [unit for unit in units(text) if unit.kind == "text"]
    if not whole:
        return None
    unit = chance.choice(whole)
    run = text[unit.start : unit.end]
    if not MIN_WORDS <= len(run.split()) <= MAX_WORDS:
        return None
    if sum(char.isalpha() for char in run) < 0.5 * len(run):
        return None  # a ruled line, a row of figures
    return Run(documents, source, first + 1 + text.count("\n", 0, unit.start), run)


def _blocks(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    for is_text, found in groupby(
        enumerate(lines), lambda each: bool(each[1].text.strip()) and not each[1].is_mark
    ):
        numbers = [number for number, _ in found]
        if is_text:
            yield numbers[0], numbers[-1] + 1


# ---- Kinds of quotation: source, line, quotation; None where a sentence does not lend itself

Made = tuple[str, int, str] | None
Maker = Callable[[Run, random.Random], Made]


def verbatim(run: Run, chance: random.Random) -> Made:
    return run.source, run.line, run.text


def rewrapped(run: Run, chance: random.Random) -> Made:
    gaps = (" ", "  ", "\n", "\t", "\n  ")
    words = (chance.choice(gaps) + word for word in run.text.split())
    return run.source, run.line, "".join(words).lstrip()


def hyphenated(run: Run, chance: random.Random) -> Made:
    words = list(re.finditer(r"[^\W\d_]{6,}", run.text))
    if not words:
        return None
    word = chance.choice(words)
    cut = word.start() + chance.randint(2, len(word[0]) - 3)
    return run.source, run.line, run.changed(cut, cut, "-\n")


def ligatures(run: Run, chance: random.Random) -> Made:
    text = run.text
    for plain, fancy in FANCY.items():
        text = text.replace(plain, fancy)
    return (run.source, run.line, text) if text != run.text else None


def word_changed(run: Run, chance: random.Random) -> Made:
    words = list(re.finditer(r"(?<!\w)[^\W\d_]{4,}(?!\w)", run.text))
    if not words:
        return None
    word = chance.choice(words)
    other = chance.choice([w for w in MADE_UP["words"] if w.casefold() != word[0].casefold()])
    return run.source, run.line, run.changed(word.start(), word.end(), other)


def number_changed(run: Run, chance: random.Random) -> Made:
    figures = [at for at, char in enumerate(run.text) if char.isdecimal()]
    if not figures:
        return None
    at = chance.choice(figures)
    other = chance.choice([d for d in "0123456789" if d != run.text[at]])
    return run.source, run.line, run.changed(chance.choice((at, at + 1)), at + 1, other)


def fabricated(run: Run, chance: random.Random) -> Made:
    return run.source, run.line, chance.choice(MADE_UP["sentences"])


def from_another_source(run: Run, chance: random.Random) -> Made:
    other = chance.choice([name for name in sorted(run.documents.documents) if name != run.source])
    there = " ".join(run.text.split()) in run.documents.flat(other)
    return None if there else (other, 1, run.text)


MAKERS: dict[str, Maker] = {
    "verbatim": verbatim,
    "re-wrapped": rewrapped,
    "hyphenated": hyphenated,
    "ligatures": ligatures,
    "one word changed": word_changed,
    "number changed": number_changed,
    "fabricated": fabricated,
    "from another source": from_another_source,
}


def cases(documents: Documents, count: int, seed: int) -> list[Case]:
    chance = random.Random(seed)
    kinds = list(MAKERS)
    found: list[Case] = []
    while len(found) < count:
        kind = kinds[len(found) % len(kinds)]
        run = a_run(documents, chance)
        made = MAKERS[kind](run, chance) if run else None
        found += [Case(kind, *made)] if made else []
    return found
