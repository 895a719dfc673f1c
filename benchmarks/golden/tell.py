"""What 150 asks, 40 tables and lists and 40 reads say, without a model: status, place, quotation.

`told` alone knows the shapes of the results. Wording and figures of confidence are left out; of a
quotation, a value and a text the hash is kept.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.golden import digest, find
from benchmarks.golden.stores import missing, opened
from corpus_agent import Corpus, CorpusError

NAME = "tell"
QUICK = frozenset({"sample", "xquad-dev", "contracts"})
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ASKED, FIELDS, CONDITIONS, READS = (TABLE[n] for n in ("asked", "fields", "conditions", "reads"))


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
