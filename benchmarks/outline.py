"""Whether the boxes of a quotation on the picture of its page hold it.

    python benchmarks/outline.py [SEED]
    python benchmarks/outline.py scans [SEED]

Quotations are drawn at random, with the seed, from the text that would be indexed: sentences (also
across the end of a page), rows of tables, and the end of a row alone, 50 of each set. Their boxes
are read back by pdfium's own bounded text, which knows nothing of our reader (nor of form fields
and comments, of which none is drawn): all letters and digits of the quotation must stand there in
its order, whichever way a line is read. The control: the boxes of the next quotation that has not
the same words must not hold it. "tight" holds no more than a half of its length besides. Rules were
set on the files whose name has an even hash ("set"), the others are "held out".

With `scans`, 50 lines of photographed receipts whose boxes people drew: "outlined" are those that
have boxes at all, "there" those whose boxes and the drawn one share at least a half of the area
that both cover; the control is the drawn box of the next line.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pypdfium2
from PIL import Image

from benchmarks.common import data, print_table
from corpus_agent.text.sentences import units
from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from indexer.extract.pdf.annotations import notes_of
from indexer.extract.pdf.matching import letters_of_text
from indexer.extract.pdf.outline import letters_of_words, outlined
from indexer.extract.pdf.showing import ShownPdf
from indexer.parsers.pages import RecognisedPage, Recogniser
from indexer.records import Line
from indexer.sync.show import share_before
from indexer.window import Window
from tests.support.page_pictures import read_back

DRAWN = 50  # quotations of a set
MOST_CHARS = 600  # of a sentence: what is longer is no sentence
LEAST_LETTERS = 6
MOST_FILES = 60  # of the test files: each is read whole
CELL_SHARE = 0.5  # of a row: its end alone
TIGHT = 1.5
RECEIPTS = 12


@dataclass(frozen=True)
class Drawn:
    """A quotation, where it begins, and what kind it is."""

    file: Path
    page: int
    line: int
    kind: str
    text: str


def part(file: Path) -> str:
    """The half that a file belongs to."""
    return "held out" if hashlib.sha256(file.name.encode()).digest()[0] % 2 else "set"


def lines_of(file: Path) -> list[Line]:
    """The lines that would be indexed; none where the file cannot be read, or pdfium cannot."""
    try:
        with closing(pypdfium2.PdfDocument(file)):
            return list(open_document(file.read_bytes(), file.name).lines)
    except (UnreadableDocument, pypdfium2.PdfiumError):
        return []


def notes_on(file: Path, page: int) -> set[str]:
    """The lines of the form fields and comments on a page and the next."""
    with closing(pypdfium2.PdfDocument(file)) as pdf:
        both = range(page - 1, min(len(pdf), page + 1))
        return {line for n in both for note in notes_of(pdf[n]) for line in note.text.split("\n")}


def quotations(file: Path, lines: Sequence[Line], chance: random.Random) -> Iterator[Drawn]:
    """The sentences and rows that begin on a page drawn at random, and go on on the next."""
    numbers = sorted({line.page for line in lines if line.page is not None})
    if not numbers:
        return
    page = chance.choice(numbers)
    notes = notes_on(file, page)
    own = [
        (number, line)
        for number, line in enumerate(lines, start=1)
        if line.page in (page, page + 1) and not (line.is_mark or line.hidden or line.text in notes)
    ]
    if not own:
        return
    text = "\n".join(line.text for _, line in own)
    begins = [0]
    for _, line in own:
        begins.append(begins[-1] + len(line.text) + 1)
    for unit in units(text):
        row = max(index for index, begin in enumerate(begins[:-1]) if begin <= unit.start)
        number, line = own[row]
        found = text[unit.start : unit.end]
        if line.page != page or len(found) > MOST_CHARS:
            continue
        kind = "row" if "\n" not in found and sum(map(str.isdigit, found)) > 3 else "sentence"
        yield Drawn(file, page, number, kind, found)
        if kind == "row" and len(words := found.split()) > 3:
            end = found[found.rindex(words[int(CELL_SHARE * len(words))]) :]
            yield Drawn(file, page, number, "end of a row", end)


def sample(files: Sequence[Path], kind: str, chance: random.Random) -> Iterator[Drawn]:
    """Quotations of one kind, one from each file in turn."""
    for _ in range(DRAWN):
        for file in chance.sample(files, len(files)):
            found = [
                drawn
                for drawn in quotations(file, _kept(file), chance)
                if drawn.kind == kind and len(letters_of_text(drawn.text).text) >= LEAST_LETTERS
            ]
            if found:
                yield chance.choice(found)


_LINES: dict[Path, list[Line]] = {}


def _kept(file: Path) -> list[Line]:
    if file not in _LINES:
        _LINES[file] = lines_of(file)
    return _LINES[file]


def letters_within(drawn: Drawn) -> str:
    """The letters that the boxes of a quotation hold, as pdfium reads them back."""
    content, lines = drawn.file.read_bytes(), _kept(drawn.file)
    window = Window(drawn.file.name, 1, tuple(lines), len(lines), None)
    near = share_before(window, drawn.page, drawn.line)
    boxes = ShownPdf(content).outline(drawn.page, drawn.text, near)
    return letters_of_text(read_back(content, boxes)).text


def holds(within: str, drawn: Drawn) -> bool:
    """Whether letters hold those of a quotation; of one read from the right in either order."""
    wanted = letters_of_text(drawn.text).text
    if wanted in within:
        return True
    from_right = any("\u0590" <= char <= "\u08ff" for char in wanted)
    return from_right and sorted(wanted) == sorted(within)


def measured(name: str, files: Sequence[Path], seed: int) -> Iterator[tuple[str, ...]]:
    """A row of the table for each kind of quotation."""
    for kind in ("sentence", "row", "end of a row"):
        chance = random.Random(f"{seed} {name} {kind}")
        drawn = [found for found, _ in zip(sample(files, kind, chance), range(DRAWN), strict=False)]
        within = [letters_within(each) for each in drawn]
        held = [holds(letters, each) for letters, each in zip(within, drawn, strict=True)]
        control = sum(holds(other, each) for other, each in _of_others(within, drawn))
        tight = sum(
            has and len(letters) <= TIGHT * len(letters_of_text(each.text).text)
            for has, letters, each in zip(held, within, drawn, strict=True)
        )
        yield name, kind, f"{sum(held)} of {len(drawn)}", f"{tight}", f"{control}"
        if name.endswith(", set") and "-v" in sys.argv:
            for has, letters, each in zip(held, within, drawn, strict=True):
                if not has:
                    print(f"{each.file.name}:{each.line} (page {each.page}) {each.text!r}")
                    print(f"    {letters!r}")


def _of_others(within: Sequence[str], drawn: Sequence[Drawn]) -> Iterator[tuple[str, Drawn]]:
    """Each quotation with what the boxes of the next one hold that does not itself contain it."""
    for index, each in enumerate(drawn):
        wanted = letters_of_text(each.text).text
        for other in (*range(index + 1, len(drawn)), *range(index)):
            if wanted not in letters_of_text(drawn[other].text).text:
                yield within[other], each
                break


@dataclass(frozen=True)
class DrawnLine:
    """A line of a receipt, its box in shares of the picture, and the boxes that are outlined."""

    text: str
    box: tuple[float, float, float, float]
    found: tuple[tuple[float, float, float, float], ...]


def receipts(seed: int) -> None:
    """Print how the lines of receipts are outlined; pages are read by the program's own process."""
    folder = data("scans", "sroie-dev")
    names = sorted(path.stem for path in (folder / "box").glob("*.csv"))
    lines: list[DrawnLine] = []
    with closing(Recogniser()) as recogniser:
        for name in random.Random(seed).sample(names, RECEIPTS):
            (picture,) = (folder / "img").glob(f"{name}.*")
            with picture.open("rb") as file:
                recogniser.open(file.fileno())
                recogniser.draw(1)
                lines += _of_receipt(picture, folder / "box" / f"{name}.csv", recogniser.read())
    chosen = random.Random(seed).sample(lines, DRAWN)
    others = [*chosen[1:], chosen[0]]
    outlined_lines = sum(bool(each.found) for each in chosen)
    there = sum(_share(each.box, each.found) >= CELL_SHARE for each in chosen)
    control = sum(
        _share(other.box, each.found) >= CELL_SHARE
        for each, other in zip(chosen, others, strict=True)
    )
    row = ("receipts", str(DRAWN), str(outlined_lines), str(there), str(control))
    print_table(("files", "lines", "outlined", "there", "control"), [row])


def _of_receipt(picture: Path, boxes: Path, page: RecognisedPage) -> Iterator[DrawnLine]:
    """The lines of a receipt that stand there once and are long enough to be told from others."""
    with Image.open(picture) as image:
        width, height = image.size
    rows = [row.split(",", 8) for row in boxes.read_text("utf-8", errors="replace").splitlines()]
    rows = [row for row in rows if len(row) == 9]
    letters = [letters_of_text(row[8]).text for row in rows]
    grouped = (list(line) for _, line in groupby(page.words, key=lambda word: word.line))
    read = letters_of_words([[(word.text, word[1:5]) for word in line] for line in grouped])
    for row, own in zip(rows, letters, strict=True):
        if len(own) >= 2 * LEAST_LETTERS and sum(own in other for other in letters) == 1:
            xs, ys = [int(x) / width for x in row[0:8:2]], [int(y) / height for y in row[1:8:2]]
            found = tuple(box for _, box in outlined(row[8], 1, None, {1: read}.get))
            yield DrawnLine(row[8], (min(xs), min(ys), max(xs), max(ys)), found)


def _share(box: Sequence[float], found: Sequence[Sequence[float]]) -> float:
    """What a box and the one around others have in common, of what both cover."""
    if not found:
        return 0.0
    lefts, tops, rights, bottoms = zip(*found, strict=True)
    around = min(lefts), min(tops), max(rights), max(bottoms)
    across = min(box[2], around[2]) - max(box[0], around[0])
    down = min(box[3], around[3]) - max(box[1], around[1])
    common = max(0.0, across) * max(0.0, down)
    areas = [(each[2] - each[0]) * (each[3] - each[1]) for each in (box, around)]
    return common / (sum(areas) - common)


def main() -> None:
    """Print the tables."""
    seed = int(next(iter(arg for arg in sys.argv[1:] if arg.isdigit()), 1))
    if "scans" in sys.argv[1:]:
        receipts(seed)
        return
    reports = sorted(data("qa", "financebench", "pdfs").glob("*.pdf"))
    others = sorted((*data("extract").rglob("*.pdf"), *data("scans").rglob("*.pdf")))
    contracts = sorted(data("fields", "cuad-dev").rglob("*.pdf"))
    rows = [
        row
        for half in ("set", "held out")
        for name, files in (
            ("annual reports", reports),
            ("test files", others[:MOST_FILES]),
            ("contracts", random.Random(seed).sample(contracts, MOST_FILES // 2)),
        )
        for row in measured(f"{name}, {half}", [f for f in files if part(f) == half], seed)
    ]
    print_table(("files", "quotations", "held", "tight", "control"), rows)


if __name__ == "__main__":
    main()
