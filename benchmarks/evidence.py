"""Whether quotations get the verdict that they deserve: generated from sample_corpus, seeded.

Nine kinds of quotation, each made from a sentence of a document or from nothing.

    python benchmarks/evidence.py [--cases 500] [--seed 7] [--failures]
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus_agent.answering.quotations import NEAR_LINES, check_quotation
from corpus_agent.text.sentences import units
from indexer.errors import Refused
from indexer.extract import open_document
from indexer.records import Coverage, Hit, Line
from indexer.window import MAX_WINDOW_LINES, Window, cut_window

SAMPLE = Path(__file__).parent.parent / "sample_corpus"
SUFFIXES = (".md", ".txt", ".pdf")
MIN_WORDS, MAX_WORDS = 6, 40
OTHER_WORDS = ("purple", "lantern", "seventeen", "Henrietta", "quarterly", "never", "obsolete")
INVENTED = (
    "The council approved a second runway for seaplanes beside the old boathouse in spring",
    "Every customer receives a complimentary umbrella when the barometer falls below average",
    "Our nearest neighbours keep eleven alpacas and sell the wool at the monthly market",
    "Please return the borrowed telescope to the observatory before the eclipse on Thursday",
    "The orchestra rehearses on the upper deck of the ferry whenever the harbour is calm",
    "A tenant may paint the cellar door orange provided that the mayor has been informed",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A quotation claimed for a line of a source, and the verdict it deserves."""

    kind: str
    source: str
    line: int
    quote: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive words of a document as they stand there; `line` is that of the first."""

    source: str
    line: int
    text: str


class Documents:
    """The `CorpusView` protocol over documents that are read and never searched."""

    version = 1

    def __init__(self, documents: dict[str, tuple[Line, ...]]) -> None:
        self.documents = documents

    def coverage(self) -> Coverage:
        """All of them."""
        return Coverage(indexed=len(self.documents))

    def search(
        self, query: str, limit: int = 0, per_source: int | None = 0, path: str = ""
    ) -> list[Hit]:
        """Nothing: quotations are looked up, not searched."""
        return []

    def read(self, source: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Window:
        """A window; see the protocol."""
        if source not in self.documents:
            raise Refused(f"{source!r} is not in the index.")
        return cut_window(source, self.documents[source], offset, limit)


def sample_documents() -> Documents:
    """The documents of sample_corpus that have text."""
    documents = {}
    for path in sorted(SAMPLE.rglob("*")):
        if path.suffix in SUFFIXES and "scans" not in path.parts:
            source = str(path.relative_to(SAMPLE))
            documents[source] = tuple(open_document(path.read_bytes(), source).lines)
    return Documents(documents)


def cases(documents: Documents, count: int, seed: int) -> list[Case]:
    """`count` cases, the kinds in turn."""
    chance = random.Random(seed)
    makers = list(MAKERS.items())
    made: list[Case] = []
    while len(made) < count:
        kind, make = makers[len(made) % len(makers)]
        case = None
        while case is None:
            case = make(documents, chance)
        made.append(Case(kind, *case))
    return made


Made = tuple[str, int, str, str]
Maker = Callable[[Documents, random.Random], "Made | None"]


def a_run(documents: Documents, chance: random.Random) -> Run | None:
    """A sentence somewhere, over line ends but not over blank lines and page ends."""
    source = chance.choice(sorted(documents.documents))
    lines = documents.documents[source]
    blocks = list(_blocks(lines))
    first, last = chance.choice(blocks)
    text = "\n".join(line.text for line in lines[first:last])
    whole = [unit for unit in units(text) if unit.kind == "text"]
    if not whole:
        return None
    unit = chance.choice(whole)
    begin, end = unit.start, unit.end
    run = text[begin:end]
    if not MIN_WORDS <= len(run.split()) <= MAX_WORDS:
        return None
    if sum(char.isalpha() for char in run) < 0.5 * len(run):
        return None  # a ruled line, a row of figures
    return Run(source, first + 1 + text.count("\n", 0, begin), run)


def _blocks(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    start = None
    for at, line in enumerate([*lines, Line("")]):
        blank = not line.text.strip() or line.is_mark
        if blank and start is not None:
            yield start, at
            start = None
        elif not blank and start is None:
            start = at


def verbatim(documents: Documents, chance: random.Random) -> Made | None:
    run = a_run(documents, chance)
    return (run.source, run.line, run.text, "verified") if run else None


def rewrapped(documents: Documents, chance: random.Random) -> Made | None:
    run = a_run(documents, chance)
    if run is None:
        return None
    words = run.text.split()
    joined = words[0] + "".join(
        chance.choice((" ", "  ", "\n", "\t", "\n  ")) + w for w in words[1:]
    )
    return run.source, run.line, joined, "verified"


def hyphenated(documents: Documents, chance: random.Random) -> Made | None:
    run = a_run(documents, chance)
    words = list(re.finditer(r"[^\W\d_]{6,}", run.text)) if run else []
    if run is None or not words:
        return None
    word = chance.choice(words)
    cut = word.start() + chance.randint(2, len(word[0]) - 3)
    return run.source, run.line, f"{run.text[:cut]}-\n{run.text[cut:]}", "verified"


def ligatures(documents: Documents, chance: random.Random) -> Made | None:
    run = a_run(documents, chance)
    if run is None:
        return None
    text = run.text
    for plain, fancy in (("ffi", "ﬃ"), ("ffl", "ﬄ"), ("ff", "ﬀ"), ("fi", "ﬁ"), ("fl", "ﬂ")):
        text = text.replace(plain, fancy)
    for plain, fancy in (("'", "’"), (" - ", " – "), ("“", '"'), ("”", '"'), ("–", "-")):
        text = text.replace(plain, fancy)
    return (run.source, run.line, text, "verified") if text != run.text else None


def moved(documents: Documents, chance: random.Random) -> Made | None:
    run = a_run(documents, chance)
    total = len(documents.documents[run.source]) if run else 0
    if run is None or total < 3 * NEAR_LINES or _elsewhere(documents, run) > 1:
        return None
    far = [n for n in range(1, total + 1) if abs(n - run.line) > NEAR_LINES + MAX_WORDS]
    return (run.source, chance.choice(far), run.text, "moved") if far else None


def word_changed(documents: Documents, chance: random.Random) -> Made | None:
    run = a_run(documents, chance)
    words = list(re.finditer(r"(?<!\w)[^\W\d_]{4,}(?!\w)", run.text)) if run else []
    if run is None or not words:
        return None
    word = chance.choice(words)
    other = chance.choice([w for w in OTHER_WORDS if w.casefold() != word[0].casefold()])
    return (
        run.source,
        run.line,
        run.text[: word.start()] + other + run.text[word.end() :],
        "altered",
    )


def number_changed(documents: Documents, chance: random.Random) -> Made | None:
    run = a_run(documents, chance)
    figures = [at for at, char in enumerate(run.text) if char.isdecimal()] if run else []
    if run is None or not figures:
        return None
    at = chance.choice(figures)
    other = chance.choice([d for d in "0123456789" if d != run.text[at]])
    before, after = run.text[:at], run.text[at + 1 :]
    grown = f"{before}{run.text[at]}{other}{after}"
    quote = chance.choice((f"{before}{other}{after}", grown))
    return run.source, run.line, quote, "altered"


def fabricated(documents: Documents, chance: random.Random) -> Made | None:
    run = a_run(documents, chance)
    return (run.source, run.line, chance.choice(INVENTED), "not_found") if run else None


def from_another_source(documents: Documents, chance: random.Random) -> Made | None:
    run = a_run(documents, chance)
    if run is None:
        return None
    other = chance.choice([name for name in sorted(documents.documents) if name != run.source])
    held = " ".join(" ".join(line.text for line in documents.documents[other]).split())
    if " ".join(run.text.split()) in held:
        return None
    return other, 1, run.text, "not_found"


def _elsewhere(documents: Documents, run: Run) -> int:
    text = " ".join(" ".join(line.text for line in documents.documents[run.source]).split())
    return text.count(" ".join(run.text.split()))


MAKERS: dict[str, Maker] = {
    "verbatim": verbatim,
    "re-wrapped": rewrapped,
    "hyphenated": hyphenated,
    "ligatures": ligatures,
    "moved": moved,
    "one word changed": word_changed,
    "number changed": number_changed,
    "fabricated": fabricated,
    "from another source": from_another_source,
}


def given(documents: Documents, case: Case) -> str:
    """The verdict that a case gets."""
    return check_quotation(documents, 1, case.source, case.quote, case.line).verdict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--failures", action="store_true")
    arguments = parser.parse_args()
    from common import print_table

    documents = sample_documents()
    made = cases(documents, arguments.cases, arguments.seed)
    verdicts = [given(documents, case) for case in made]
    rows = []
    for kind in MAKERS:
        of_kind = [v == c.verdict for c, v in zip(made, verdicts, strict=True) if c.kind == kind]
        rows.append((kind, len(of_kind), sum(of_kind), sum(of_kind) / len(of_kind)))
    right = sum(v == c.verdict for c, v in zip(made, verdicts, strict=True))
    print_table(
        ("kind", "cases", "right", "share"), [*rows, ("all", len(made), right, right / len(made))]
    )
    wrong = sum(
        v in ("verified", "moved") and c.verdict not in ("verified", "moved")
        for c, v in zip(made, verdicts, strict=True)
    )
    print(f"{wrong} changed or made-up quotations were called verified or moved")
    for case, verdict in zip(made, verdicts, strict=True):
        if arguments.failures and verdict != case.verdict:
            place = f"{case.source}:{case.line}"
            print(f"\n{case.kind}: {verdict}, not {case.verdict}: {place}\n{case.quote!r}")


if __name__ == "__main__":
    main()
