"""Recognised text against the truth: photographed receipts and newspaper pages.

Runs the program's own process, sealed and limited as in an index run. Thresholds were set on
the first half of the receipts (every second name): `--half second` are figures on the rest.

    python benchmarks/ocr.py receipts --half second
    python benchmarks/ocr.py newspapers
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from indexer.errors import UnreadableDocument  # noqa: E402
from indexer.extract.ocr.reading_order import UNREADABLE  # noqa: E402
from indexer.parsers.pages import Recogniser  # noqa: E402

SCANS = REPOSITORY.parent / "shared" / "eval" / "scans"

_FIGURES = re.compile(r"\d+(?:[.,/:-]\d+)*")


@dataclass
class Score:
    """Counts over the pages of one set by one engine."""

    pages: int = 0
    tokens: int = 0
    exact: int = 0
    figures: int = 0
    figures_exact: int = 0
    wrong: int = 0  # figures that stand nowhere in the truth
    chars: int = 0
    edits: int = 0
    unreadable: int = 0
    seconds: float = 0.0
    by: Counter[str] = field(default_factory=Counter)

    def add(self, truth: str, lines: Sequence[str], *, order: bool) -> None:
        """Count one page; with `order` its characters too."""
        got = "\n".join(lines)
        self.pages += 1
        self.unreadable += got.count(UNREADABLE)
        got = got.replace(UNREADABLE, " ")
        wanted, found = tokens(truth), tokens(got)
        self.tokens += wanted.total()
        self.exact += (wanted & found).total()
        figures = Counter(_FIGURES.findall(truth)), Counter(_FIGURES.findall(got))
        self.figures += figures[0].total()
        self.figures_exact += (figures[0] & figures[1]).total()
        self.wrong += (figures[1] - figures[0]).total()
        if order:
            self.chars += len(" ".join(truth.split()))
            self.edits += distance(" ".join(truth.split()), " ".join(got.split()))

    def row(self, name: str) -> str:
        """One line of the table."""
        errors = f"{self.edits / self.chars:.4f}" if self.chars else "-"
        return (
            f"{name:<34}{self.pages:>5}{self.exact / max(1, self.tokens):>9.4f}"
            f"{self.figures_exact / max(1, self.figures):>9.4f}{self.wrong:>7}{errors:>9}"
            f"{self.unreadable:>7}{self.seconds / max(1, self.pages):>8.1f}  {dict(self.by)}"
        )


HEAD = (
    f"{'set, engine':<34}{'pages':>5}{'tokens':>9}{'figures':>9}{'wrong':>7}{'char err':>9}"
    f"{'unread':>7}{'s/page':>8}"
)


def tokens(text: str) -> Counter[str]:
    """The words with a digit, in lower case, without the punctuation around them."""
    stripped = (re.sub(r"^\W+|\W+$", "", word) for word in text.casefold().split())
    return Counter(word for word in stripped if any(map(str.isdigit, word)))


def distance(one: str, other: str) -> int:
    """Levenshtein's distance."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            cost = before if a == b else 1 + min(before, row[j], row[j - 1])
            before, row[j] = row[j], cost
    return row[-1]


@dataclass(frozen=True)
class Sample:
    """A file with one page, its text, and whether the order of the lines is known."""

    path: Path
    text: str
    order: bool = True


def receipts(half: str) -> Iterator[Sample]:
    """The photographed receipts; their text by box, in an order that is not the page's."""
    boxes = sorted((SCANS / "sroie-dev" / "box").glob("*.csv"))
    chosen = {"first": boxes[0::2], "second": boxes[1::2], "both": boxes}[half]
    for path in chosen:
        rows = path.read_text("utf-8", errors="replace").splitlines()
        text = "\n".join(row.split(",", 8)[8] for row in rows if row.count(",") >= 8)
        (picture,) = (SCANS / "sroie-dev" / "img").glob(f"{path.stem}.*")
        yield Sample(picture, text, order=False)


def newspapers() -> Iterator[Sample]:
    """Newspaper pages; of a zoned page only the zone's text is known, so no order either."""
    for truth in sorted((SCANS / "tesseract-pages").glob("*.txt")):
        picture = truth.with_suffix(".tif")
        if picture.stat().st_size > 1_000:  # a few are links that lead nowhere
            yield Sample(picture, truth.read_text("utf-8", errors="replace"))


def measured(samples: Sequence[Sample], name: str, *, show: bool = False) -> None:
    """Print the score of our process on the samples."""
    score = Score()
    with closing(Recogniser()) as recogniser:
        for sample in samples:
            descriptor = os.open(sample.path, os.O_RDONLY)
            try:
                recogniser.open(descriptor)
                started = time.monotonic()
                recogniser.draw(1)
                page = recogniser.read()
                score.seconds += time.monotonic() - started
                score.by[page.engine] += 1
                lines = [text for text, _ in page.lines]
                score.add(sample.text, lines, order=sample.order)
                if show:
                    print("\n".join(lines))
            except UnreadableDocument as error:
                print(f"{sample.path.name}: {error}")
            finally:
                os.close(descriptor)
    print(score.row(name), flush=True)


def main() -> None:
    """Print the table of one set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=("receipts", "newspapers"))
    parser.add_argument("--half", choices=("first", "second", "both"), default="second")
    parser.add_argument("--show", action="store_true", help="print what was read")
    given = parser.parse_args()
    if not SCANS.is_dir():
        raise SystemExit(f"{SCANS} is not there: nothing to measure.")
    print(HEAD)
    if given.set == "receipts":
        measured(list(receipts(given.half)), f"receipts ({given.half})", show=given.show)
    else:
        for sample in newspapers():
            measured([sample], sample.path.stem, show=given.show)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"largest process {peak:,} MiB; {spent.ru_utime + spent.ru_stime:.0f} processor seconds")


if __name__ == "__main__":
    main()
