"""What a table of fields finds: contracts, other documents, and values that are none.

    python benchmarks/fields.py [STORE]     # STORE: an index of the contracts that is kept

Contracts: cuad-dev; rules were set on errors of three quarters ("looked at"), by the hash of their
names; a quarter is held out. A cell is right if it holds what the truth has and no more: days,
spans of time of one length, a place that holds the other, every party and no other. A doubtful
value is not counted. Other documents stand in
fields.toml, every second one held out; and 60 in 8 kinds that hold a value that does not count.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

from benchmarks.common import corpus_of, data, print_table, read_jsonl, timed
from corpus_agent.fields.lexicon import field_of, fields_of
from corpus_agent.fields.table import Cell, table_of
from tests.support.fakes import ListedCorpus

TRUTH = {  # columns by what the truth calls them
    "governing law": "Governing Law-Answer",
    "agreement date": "Agreement Date-Answer",
    "effective date": "Effective Date-Answer",
    "expiry": "Expiration Date-Answer",
    "renewal term": "Renewal Term-Answer",
    "renewal notice": "Notice Period To Terminate Renewal- Answer",
    "parties": "Parties-Answer",
}
CONTENT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ALIKE = 0.85  # of two spellings of a party
_SHORT_NAME = re.compile(r'[“"]([^”"]*)[”"]')
_DEFINED = re.compile(r'\([^()]*["“”][^()]*\)?|[“"][^”"]*[”"]')
_TOGETHER = re.compile(r"\bpart(?:y|ies)\b|individually|collectively|referred|\beach a\b")


def part_of(name: str) -> str:
    """The part of the contracts that a name belongs to."""
    first, second = hashlib.sha256(name.encode()).digest()[:2]
    return "held out" if first % 2 and second % 2 else "looked at"


def plain(text: str) -> str:
    """A name without case, punctuation and words such as "State of"."""
    words = re.sub(r"[^\w ]+", " ", text.lower().replace(".", "").replace("prc", "people s china"))
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
    found = re.search(r"(\d+)\s*(?:\([^)]*\)|\))?[\s-]*(day|week|month|year)", answer.lower())
    return length(f"P{found[1]}{found[2][0].upper()}") if found else ""


def length(normal: str) -> str:
    """A span of time in months where it is in years; else as it is."""
    years = re.fullmatch(r"P(\d+)Y", normal)
    return f"P{12 * int(years[1])}M" if years else normal


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


def truth_of(column: str, answer: str) -> list[str]:
    if column == "parties":
        return parties(answer)
    read = {"governing law": plain, "renewal term": span, "renewal notice": span}.get(column, iso)
    return [value for one in answer.split(";") if "*" not in one and (value := read(one))]


def is_right(column: str, truth: list[str], cell: Cell) -> bool:
    """Whether a cell says what it has to and no more."""
    given = [value.normal for value in cell.values]
    if column == "parties":
        return same(truth, [plain(one) for value in given for one in value.split("; ")])
    if column == "governing law":
        return len(truth) == len(given) and same(truth, [*map(plain, given)])
    return set(map(length, given)) == set(truth)


def contracts(store: Path | None) -> None:
    """The figures of the contracts, by part and column, and what they took."""
    truth = {row["file"]: row for row in read_jsonl(data("fields", "cuad-dev", "fields.jsonl"))}
    counts: dict[tuple[str, str], Counter[str]] = {}
    with corpus_of(data("fields", "cuad-dev", "pdf"), store) as corpus:
        _, used, table = timed(lambda: table_of(corpus, fields_of([*TRUTH])))
    for made in table.rows:
        name = made.source.removesuffix(".pdf")
        for (column, key), cell in zip(TRUTH.items(), made.cells, strict=True):
            if name not in truth:
                continue
            expected = truth_of(column, truth[name][key])
            right = bool(expected) and is_right(column, expected, cell)
            counted = Counter(
                contracts=1,
                true=bool(expected),
                given=cell.status in ("found", "several"),
                right=right and cell.status != "doubtful",
            )
            counts.setdefault((part_of(name), column), Counter()).update(counted)
    rows = []
    for (part, column), n in sorted(counts.items(), key=lambda item: item[0][0]):
        wrong = (n["given"] - n["right"]) / n["contracts"]
        shares = n["right"] / max(1, n["given"]), n["right"] / max(1, n["true"]), wrong
        rows.append((part, column, n["true"], n["given"], *shares))
    print_table(["part", "column", "true", "given", "of given", "of true", "wrong"], rows)
    print(f"{len(table.rows)} contracts: {used:.1f} s; {table.unverified} values left out\n")


def others() -> None:
    """The figures of invoices, leases, letters, minutes and the like."""
    counts = {"set": Counter[str](), "held out": Counter[str]()}
    for number, entry in enumerate(CONTENT["documents"]):
        counted = counts["held out" if number % 2 else "set"]
        corpus = ListedCorpus({"a.txt": entry["text"]})
        for name, expected in entry["truth"].items():
            (cell,) = table_of(corpus, [field_of(name)]).rows[0].cells
            given = [one.normal for one in cell.values if not one.doubt]
            counted["true"] += bool(expected)
            counted["given"] += bool(given)
            counted["right"] += given == [expected]
    rows = [
        (of, n["true"], n["right"] / n["given"], n["right"] / n["true"]) for of, n in counts.items()
    ]
    print_table(("other documents", "values", "of given", "of true"), rows)


def none_of_them() -> None:
    """Values that are struck, denied, former, conditional, quoted, in drafts or look-alikes."""
    rows = []
    for half in ("first", "second"):
        counted: Counter[str] = Counter()
        for line in CONTENT["none_of_them"][half].strip().splitlines():
            kind, field, wrong, right, text = line.split(" | ", 4)
            corpus = ListedCorpus({"a.md": text.replace("\\n", "\n")})
            (cell,) = table_of(corpus, [field_of(field)]).rows[0].cells
            said = {value.normal: value.doubt for value in cell.values}
            counted["documents"] += 1
            counted["unmarked"] += said.get(wrong) == ""
            counted["true"] += right != "-"
            counted["found"] += said.get(right) == ""
            counted["marked"] += bool(said.get(right))
            if said.get(wrong) == "":
                print(f"unmarked: {kind}: {text}")
        rows.append((half, *(counted[key] for key in _COUNTED)))
    print_table(("half", *_COUNTED), rows)


_COUNTED = ("documents", "unmarked", "true", "found", "marked")

if __name__ == "__main__":
    contracts(Path(sys.argv[1]) if sys.argv[1:] else None)
    others()
    none_of_them()
