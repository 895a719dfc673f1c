"""Where the first ten passages of 400 queries are, found by the packaged model and the words.

The model computes in int8, whose products differ between processors, and with them the order of
passages that are nearly alike. Where the processor is of the kind that made the record, a query
that finds anything else is a difference. On another kind one is that does not find the first place
among its first `FIRST`, or `SAME` of the ten; passages with lines in common are one place there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.common import read_jsonl
from benchmarks.golden import EVAL
from benchmarks.golden.compare import GONE, NEW
from benchmarks.golden.stores import FOLDERS, SAMPLE, missing, opened

NAME = "find"
PLACES = 10
FIRST, SAME = 3, 7
QUICK = frozenset({"med", "xquad-dev"})
SETS = ("med", "cacm", "xquad-dev", "til", "financebench")
EVERY = {"xquad-dev": 2, "til": 18}  # so that there are 400


def take(names: set[str] | None, report: Callable[[str], None]) -> dict[str, Any]:
    """The places of each query of the sets that are named; None: of all."""
    wanted = {name for name in SETS if names is None or name in names}
    skipped = missing(wanted)
    entries: dict[str, Any] = {}
    for name in (each for each in SETS if each in wanted and each not in skipped):
        report(name)
        with opened(name) as corpus:
            for identity, text in queries(name):
                found = corpus.search(text, k=PLACES)["results"]
                entries[f"{name}/{identity}"] = {PROCESSOR: [place(hit) for hit in found]}
    return entries | ({"skipped": skipped} if skipped else {})


def queries(name: str) -> Iterator[tuple[str, str]]:
    """The queries of a set with their ids; of notes their titles."""
    found: Iterator[tuple[str, str]]
    if name in ("med", "cacm"):
        listed = read_jsonl(EVAL / "retrieval" / name / "queries.jsonl")
        found = ((entry["_id"], entry["text"]) for entry in listed)
    elif name == "xquad-dev":
        listed = read_jsonl(EVAL / "qa" / "xquad-dev.jsonl")
        found = ((entry["id"], entry["question"]) for entry in listed)
    elif name == "financebench":
        listed = read_jsonl(EVAL / "qa" / "financebench" / "questions.jsonl")
        found = ((entry["financebench_id"], entry["question"]) for entry in listed)
    elif name == "sample":
        listed = tomllib.loads((SAMPLE / "questions.toml").read_text("utf-8"))["questions"]
        found = ((str(number), entry["question"]) for number, entry in enumerate(listed))
    else:
        folder = FOLDERS[name]
        paths = (path for path in sorted(folder.rglob("*.md")) if path.stat().st_size)
        found = (
            (
                path.relative_to(folder).as_posix(),
                path.read_text("utf-8").splitlines()[0].strip("# "),
            )
            for path in paths
        )
    return islice(found, 0, None, EVERY.get(name, 1))


def place(passage: Mapping[str, Any]) -> str:
    """Where a passage or a citation is, as in "report.pdf p7 12-30"."""
    page = f" p{passage['page']}" if passage.get("page") else ""
    return f"{passage['source']}{page} {passage['line_start']}-{passage['line_end']}"


def processor() -> str:
    """The kind of this processor: what its products of integers are made with."""
    features = np._core._multiarray_umath.__cpu_features__  # type: ignore[attr-defined]
    kinds = (name for name in ("AVX512VNNI", "AVX512F", "AVX2", "ASIMDDP") if features.get(name))
    return next(kinds, "other")


PROCESSOR = processor()


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Every query that finds other places, as in "til/git/x.md: 8 of 10 places, first was …"."""
    found = []
    for key in sorted({*old, *new}):
        if key not in new or key not in old:
            found.append(f"{key}: {GONE if key not in new else NEW}")
            continue
        (made_on, was), (run_on, now) = (next(iter(each[key].items())) for each in (old, new))
        if was != now and not (made_on != run_on and alike(was, now)):
            found.append(f"{key}: {_moved(was, now)}")
    return found


def alike(was: list[str], now: list[str]) -> bool:
    """Whether another processor may be why two lists differ."""
    if not was or not now:
        return was == now
    kept = sum(any(_same(one, other) for other in now) for one in was)
    first = any(_same(was[0], other) for other in now[:FIRST])
    return first and kept >= min(SAME, len(was))


def _same(one: str, other: str) -> bool:
    (of, lines), (of_other, lines_other) = (each.rsplit(" ", 1) for each in (one, other))
    (start, end), (begin, last) = (map(int, each.split("-")) for each in (lines, lines_other))
    return of == of_other and start <= last and begin <= end


def _moved(was: list[str], now: list[str]) -> str:
    for number, (one, other) in enumerate(zip(was, now, strict=False), start=1):
        if one != other:
            kept = len({*was} & {*now})
            return (
                f"{kept} of {len(was)} places are the same; number {number} was {one}, is {other}"
            )
    return f"{len(was)} places were found, {len(now)} are"
