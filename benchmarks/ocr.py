"""Recognised text of photographed receipts against their truth: words with a figure that are exact.

The program's own process reads them, sealed and limited as in an index run. Thresholds were set on
every second receipt; the others are measured.

    python benchmarks/ocr.py
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import closing
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks.common import data
from indexer.errors import UnreadableDocument
from indexer.parsers.pages import Recogniser
from indexer.parsers.worker import Copy


def tokens(text: str) -> Counter[str]:
    """The words with a digit, in lower case, without the punctuation around them."""
    stripped = (re.sub(r"^\W+|\W+$", "", word) for word in text.casefold().split())
    return Counter(word for word in stripped if any(map(str.isdigit, word)))


def main() -> None:
    folder = data("scans", "sroie-dev")
    receipts = sorted((folder / "box").glob("*.csv"))[1::2]
    wanted, exact = 0, 0
    with closing(Recogniser()) as recogniser:
        for path in receipts:
            rows = path.read_text("utf-8", errors="replace").splitlines()
            truth = tokens("\n".join(row.split(",", 8)[8] for row in rows if row.count(",") >= 8))
            (picture,) = (folder / "img").glob(f"{path.stem}.*")
            wanted += truth.total()
            with picture.open("rb") as file:
                try:
                    copy = Copy(file.fileno(), picture.stat().st_size, picture.name)
                    page = recogniser.read(copy, 1)
                except UnreadableDocument as error:
                    print(f"{picture.name}: {error}")
                else:
                    lines = "\n".join(text for text, _ in page.lines)
                    exact += (truth & tokens(lines)).total()
    spent = getrusage(RUSAGE_CHILDREN)
    seconds = (spent.ru_utime + spent.ru_stime) / len(receipts)
    print(
        f"{len(receipts)} receipts: {exact} of {wanted} words with a figure, {exact / wanted:.3f}"
    )
    print(f"{seconds:.1f} processor seconds a page; largest process {spent.ru_maxrss >> 10:,} MiB")


if __name__ == "__main__":
    main()
