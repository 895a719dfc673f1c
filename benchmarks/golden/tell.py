"""What 150 asks, 40 tables and lists and 40 reads say, without a model: status, place, quotation.

`told` alone knows the shapes of the results. Wording and figures of confidence are left out; of a
quotation, a value and a text the hash is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from benchmarks.golden import digest, find
from benchmarks.golden.stores import missing, opened
from corpus_agent import Corpus, CorpusError

NAME = "tell"
QUICK = frozenset({"sample", "xquad-dev", "contracts"})
ASKED = {"sample": 65, "xquad-dev": 60, "financebench": 25}  # questions of each
FIELDS = {
    "sample": ("deposit", "rent", "expiry", "notice period", "due date", "total", "landlord",
               "warranty period", "boiler pressure", "sender"),
    "contracts": ("governing law", "agreement date", "effective date", "expiry", "parties",
                  "notice period", "renewal term", "initial term", "payment terms", "price"),
}  # fmt: skip
CONDITIONS = {
    "sample": (
        "leases with a deposit over 1000 pounds",
        "documents with a rent under 1000 pounds",
        "letters before 2004",
        "documents with a document date in 2024",
        "documents with a total over 100 pounds",
        "documents with a due date after 2023",
        "leases with a notice period of at least 2 months",
        "policies with an excess over 100 pounds",
    ),
    "contracts": (
        "contracts that end in 2020",
        "contracts that end before 2010",
        "contracts that end after 2020",
        "contracts with an agreement date in 2019",
        "contracts with an agreement date before 2005",
        "contracts with an agreement date between 2005 and 2015",
        "contracts with an effective date since 2018",
        "contracts with a notice period of at least 30 days",
        "contracts with a notice period of more than 60 days",
        "contracts with a renewal term of at most 1 year",
        "contracts with an initial term of more than 2 years",
        "contracts with a price over 1000 dollars",
    ),
}
READS = {
    "sample": (
        ("kitchen/sourdough.md", 1, 2000), ("kitchen/sourdough.md", 15, 1),
        ("kitchen/sourdough.md", 30, 10), ("kitchen/sourdough.md", 10_000, 5),
        ("kitchen/sourdough.md", 0, 5), ("kitchen/sourdough.md", 1, 0),
        ("home/lease.md", 1, 2000), ("home/lease.md", 20, 5), ("home/home-insurance.pdf", 1, 2000),
        ("home/home-insurance.pdf", 40, 20), ("bike/varda-c7-manual.pdf", 1, 50),
        ("bike/varda-c7-manual.pdf", 51, 50), ("japan/matsumoto-no-ie.txt", 1, 2000),
        ("garten/kleingarten.md", 5, 10), ("papers/bus-shelter-shading.pdf", 1, 2000),
        ("letters/2003-06-23-pension-les-goelands.txt", 1, 2000),
        ("clippings/burr-weekly-grinders.md", 1, 2000), ("scans/council-tax-2024.pdf", 1, 10),
        ("scans/chimney-sweep-receipt.pdf", 1, 10), ("questions.toml", 1, 5),
        ("home/boiler-and-appliances.md", 1, 2000), ("kitchen/freezer-inventory.md", 1, 2000),
        ("../sample_corpus/home/lease.md", 1, 5), ("/etc/passwd", 1, 5), ("home", 1, 5),
        ("nothing.md", 1, 5), ("", 1, 5), ("home/LEASE.md", 1, 5),
    ),
    "xquad-dev": tuple((f"p{number:03}.txt", 1, 2000) for number in range(0, 240, 20)),
}  # fmt: skip


def take(names: set[str] | None, report: Callable[[str], None]) -> dict[str, Any]:
    """What is told of the sets that are named; None: of all."""
    wanted = {name for name in {*ASKED, *FIELDS} if names is None or name in names}
    skipped = missing(wanted)
    entries: dict[str, Any] = {}
    for name in sorted(wanted - skipped.keys()):
        report(name)
        with opened(name) as corpus:
            for key, call in calls(name, corpus):
                try:
                    entries[f"{name}/{key}"] = told(call())
                except CorpusError as error:
                    entries[f"{name}/{key}"] = {"error": type(error).__name__}
    return entries | ({"skipped": skipped} if skipped else {})


def calls(name: str, corpus: Corpus) -> Iterator[tuple[str, Callable[[], Mapping[str, Any]]]]:
    """Every call of a set, by its key."""
    if name in ASKED:
        for identity, question in islice(find.queries(name), ASKED[name]):
            yield f"ask {identity}", lambda question=question: corpus.ask(question)
    for field in FIELDS.get(name, ()):
        yield f"table {field}", lambda field=field: corpus.table(field)
    for condition in CONDITIONS.get(name, ()):
        yield f"list {condition}", lambda condition=condition: corpus.list(condition)
    for source, offset, limit in READS.get(name, ()):
        yield (
            f"read {source}:{offset}:{limit}",
            lambda window=(source, offset, limit): corpus.read(
                window[0], offset=window[1], limit=window[2]
            ),
        )


def told(result: Mapping[str, Any]) -> dict[str, Any]:
    """What is compared of the JSON of an answer, a table, a list or a window."""
    if "question" in result:
        quoted = [cited(passage["citation"]) for passage in result["passages"]]
        return {"status": result["status"], "quoted": quoted}
    if "rows" in result:
        cells = {
            row["source"]: " | ".join(
                [
                    *([row["verdict"]] if "verdict" in row else []),
                    row["cells"][0]["status"],
                    *(
                        f"{digest(value['value'])} {', '.join(map(cited, value['citations']))}"
                        for value in row["cells"][0]["values"]
                    ),
                ]
            )
            for row in result["rows"]
        }
        return {source: cell for source, cell in cells.items() if cell.split(" | ")[-1] != "silent"}
    start, lines = result["offset"], result["lines"]
    return {
        "lines": f"{start}-{start + len(lines) - 1} of {result['total']}",
        "text": digest(*lines),
        "next": result["next_offset"],
    }


def cited(citation: Mapping[str, Any]) -> str:
    """Where a quotation is, what was found of it, and its hash."""
    return f"{find.place(citation)} {citation['verdict']} {digest(citation['quote'])}"
