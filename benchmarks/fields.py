"""Tables of fields against 117 contracts with their truth, and against other kinds of documents.

    python benchmarks/fields.py [STORE]     # STORE: an index of the contracts that is kept

The contracts are those of cuad-dev as PDF. Rules were set on three quarters of them by the hash of
their names ("set"): first on a half, then on a part of the other. The last quarter is "held out". A
value is right if it is the only one of its cell and equals the truth; a place, if one holds the
other; parties, if every party is named and no other. Documents of other kinds stand in fields.toml,
every second one held out.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from benchmarks.common import corpus_of, data, print_table, read_jsonl, timed
from corpus_agent.fields.definition import field_of, fields_of
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import Cell, FieldValue
from corpus_agent.fields.table import proposed, table_of
from corpus_agent.text.dates import find_dates
from indexer import Line

COLUMNS = ("governing law", "agreement date", "parties", "expiry", "renewal term")
ALIKE = 0.85  # of two spellings of a party
_SHORT_NAME = re.compile(r'[“"]([^”"]*)[”"]')
_DEFINED = re.compile(r'\([^()]*["“”][^()]*\)?|[“"][^”"]*[”"]')
_TOGETHER = re.compile(r"\bpart(?:y|ies)\b|individually|collectively|referred")


def part(name: str) -> str:
    """The part of the contracts that a name belongs to."""
    first, second = hashlib.sha256(name.encode()).digest()[:2]
    return "held out" if first % 2 and second % 2 else "set"


def plain(text: str) -> str:
    """A name without case, punctuation and words such as "State of"."""
    words = re.sub(r"[^\w ]+", " ", text.lower().replace(".", ""))
    return " ".join(
        re.sub(r"\b(?:state|commonwealth|province|republic|of|the|and)\b", " ", words).split()
    )


def iso(day: str) -> str:
    """A day of the truth ("9/30/19") in ISO form; "" if it has none, or blanks."""
    found = re.fullmatch(r"0?(\d+)/0?(\d+)/(\d+)", day.strip())
    if not found:
        return ""
    year = int(found[3])
    year += (1900 if year >= 70 else 2000) if year < 100 else 0
    return f"{year}-{int(found[1]):02}-{int(found[2]):02}"


def span(answer: str) -> str:
    """A term of the truth ("successive 1 year") in ISO form; "" if it has none."""
    found = re.search(r"(\d+)\s*(?:\([^)]*\))?[\s-]*(day|week|month|year)", answer.lower())
    return f"P{found[1]}{found[2][0].upper()}" if found else ""


def parties(text: str) -> list[str]:
    """The parties of the truth, without their short names and what they are called together."""
    short = {word for name in _SHORT_NAME.findall(text) for word in plain(name).split()}
    found = []
    for item in text.split(";"):
        name = plain(_DEFINED.sub(" ", item))
        together = re.search(r"(?i)collectively|individually|together|\beach\b", item)
        if name and not _TOGETHER.search(name) and not (together and set(name.split()) <= short):
            found.append(name)
    return found


def alike(one: str, other: str) -> bool:
    """Whether two names are of the same party or place."""
    return one in other or other in one or SequenceMatcher(None, one, other).ratio() >= ALIKE


def same(truth: list[str], given: list[str]) -> bool:
    """Whether each name has its like on the other side."""
    return all(any(alike(a, b) for b in given) for a in truth) and all(
        any(alike(a, b) for a in truth) for b in given
    )


def judged(row: dict[str, Any], cells: dict[str, Cell], count: Callable[..., None]) -> None:
    """Count what one contract says against its truth."""
    law = [plain(one) for one in row["Governing Law-Answer"].split(";") if "*" not in one]
    law = list(filter(None, law))
    given = [plain(value.normal) for value in cells["governing law"].values]
    count("governing law", law, given, len(law) == len(given) and same(law, given))
    day = iso(row["Agreement Date-Answer"])
    days = [value.normal for value in cells["agreement date"].values]
    count("agreement date", day, days, days == [day])
    named = parties(row["Parties-Answer"])
    listed = [plain(one) for value in cells["parties"].values for one in value.normal.split("; ")]
    count("parties", named, listed, same(named, listed))
    renewal = span(row["Renewal Term-Answer"])
    spans = [value.normal for value in cells["renewal term"].values]
    count("renewal term", renewal, spans, spans == [renewal])
    end = iso(row["Expiration Date-Answer"])
    stated = end and any(one.normal == end for one in find_dates(row["Expiration Date"]))
    for kind, expected in (("expiry, stated", stated), ("expiry, computed", end and not stated)):
        values = _of_kind(cells["expiry"], computed=kind.endswith("computed"))
        count(kind, expected, values, [value.normal for value in values] == [end])


def _of_kind(cell: Cell, *, computed: bool) -> list[FieldValue]:
    return [value for value in cell.values if value.computed == computed]


def contracts(store: Path | None) -> None:
    """The figures of the contracts, by field and part, and what they took."""
    truth = {row["file"]: row for row in read_jsonl(data("fields", "cuad-dev", "fields.jsonl"))}
    counts: dict[tuple[str, str], Counter[str]] = {}
    with corpus_of(data("fields", "cuad-dev", "pdf"), store) as corpus:
        _, used, table = timed(lambda: table_of(corpus, fields_of(COLUMNS)))
    for made in table.rows:
        name = made.source.removesuffix(".pdf")
        if name not in truth:
            continue

        def count(kind: str, expected: object, given: object, right: bool, *, of: str) -> None:
            counted = counts.setdefault((kind, of), Counter())
            counted["true"] += bool(expected)
            counted["given"] += bool(given)
            counted["right"] += bool(expected and given and right)

        cells = dict(zip(COLUMNS, made.cells, strict=True))
        of = part(name)
        judged(truth[name], cells, lambda *said, of=of: count(*said, of=of))
    rows = []
    for (kind, of), counted in sorted(counts.items(), key=lambda item: (item[0][1], item[0][0])):
        precision = counted["right"] / max(1, counted["given"])
        recall = counted["right"] / max(1, counted["true"])
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        rows.append((of, kind, counted["true"], counted["given"], precision, recall, f1))
    print_table(("part", "field", "true", "given", "precision", "recall", "F1"), rows)
    print(f"{len(table.rows)} contracts: {used:.1f} s; {table.unverified} values left out\n")


def others() -> None:
    """The figures of invoices, leases, letters, minutes and the like."""
    path = Path(__file__).with_suffix(".toml")
    listed = tomllib.loads(path.read_text("utf-8"))["documents"]
    counts = {"set": Counter[str](), "held out": Counter[str]()}
    for number, entry in enumerate(listed):
        of = "held out" if number % 2 else "set"
        document = DocumentText("a.txt", [Line(line) for line in entry["text"].splitlines()])
        for name, expected in entry["truth"].items():
            given = [one.normal for one in proposed(document, field_of(name))]
            counts[of]["true"] += bool(expected)
            counts[of]["given"] += bool(given)
            counts[of]["right"] += given == [expected]
            counts[of]["silent"] += not expected
            counts[of]["silent, right"] += not expected and not given
    rows = [
        (of, one["true"], one["right"] / one["given"], one["right"] / one["true"],
         f"{one['silent, right']} of {one['silent']}")
        for of, one in counts.items()
    ]  # fmt: skip
    print_table(("other documents", "values", "precision", "recall", "silent, rightly"), rows)


if __name__ == "__main__":
    contracts(Path(sys.argv[1]) if sys.argv[1:] else None)
    others()
