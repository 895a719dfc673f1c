"""The goldens: the sample is read as recorded, and whatever differs is told with its place."""

import copy
import re
import tomllib
from collections import Counter

import pytest

from benchmarks.golden import REPOSITORY, compare, find, read, sync, tell
from benchmarks.golden.__main__ import parts

FILE = "extract/tika/testPDF.pdf"
KEPT = {
    FILE: {"status": "indexed", "lines": 88, "text": ["1 1-40 aaa", "3 41-88 bbb"]},
    "til/a.md": {"status": "indexed", "title": "ccc", "text": ["- 1-200 ddd", "- 201-230 eee"]},
}
CHANGES = (
    (FILE, {"text": ["1 1-40 aaa", "3 41-88 new"]}, [" page 3 (lines 41-88): text differs"]),
    (FILE, {"text": ["1 1-40 aaa"]}, [" page 3 (lines 41-88): text is gone"]),
    (FILE, {"text": ["1 1-39 new", "3 40-87 bbb"]}, [" page 1 (lines 1-40): text differs"]),
    (FILE, {"status": "failed"}, [": status was indexed, is failed"]),
    ("til/a.md", {"title": "new"}, [": title differs"]),
    (
        "til/a.md",
        {"text": ["- 1-200 ddd", "- 201-230 new", "- 231-240 fff"]},
        [" lines 201-230: text differs", " lines 231-240: text is new"],
    ),
)
TEN = [f"{name}.md 1-9" for name in "abcdefghij"]
# What ten places became, and whether it is a difference on one kind of processor, and on another.
PLACES = (
    (TEN, 0, 0),
    ([TEN[1], TEN[0], *TEN[2:]], 1, 0),
    ([*TEN[:7], "x.md 1-9", "y.md 1-9", "z.md 1-9"], 1, 0),
    (["a.md 5-12", *TEN[1:]], 1, 0),
    (["a.md 10-12", *TEN[1:]], 1, 1),
    ([*TEN[1:5], TEN[0], *TEN[5:]], 1, 1),
    ([*TEN[:6], "x.md 1-9"], 1, 1),
    ([], 1, 1),
)


@pytest.mark.slow
def test_the_sample_is_read_as_it_is_recorded():
    recorded = compare.below(compare.load("read"), {read.SAMPLE})
    assert len(recorded) > 10
    assert read.differences(recorded, read.take({read.SAMPLE}, print)) == []


def test_what_differs_is_told_with_file_page_and_lines():
    for key, changes, told in CHANGES:
        new = copy.deepcopy(KEPT)
        new[key].update(changes)
        assert sorted(read.differences(KEPT, new)) == [f"{key}{line}" for line in told]
    for differences in (compare.differences, read.differences):
        assert differences(KEPT, KEPT) == []
        assert differences(KEPT, {}) == [f"{FILE}: is gone", "til/a.md: is gone"]
        assert differences({}, {FILE: {}}) == [f"{FILE}: is new"]
    old = {"change/renamed": [{"outcome": {"moved": 1}, "files": {"a.txt": "indexed 1 aaa"}}]}
    new = {"change/renamed": [{"outcome": {"moved": 0}, "files": {}}]}
    assert compare.differences(old, new) == [
        "change/renamed [0] files a.txt: is gone",
        "change/renamed [0] outcome moved: was 1, is 0",
    ]
    assert compare.below({"a/b": 1, "ab/c": 2, "a": 3}, {"a"}) == {"a/b": 1, "a": 3}


def test_places_are_compared_exactly_on_one_kind_of_processor_alone():
    for now, here, elsewhere in PLACES:
        for kind, expected in (("here", here), ("elsewhere", elsewhere)):
            found = find.differences({"til/a.md": {"here": TEN}}, {"til/a.md": {kind: now}})
            assert len(found) == expected, (kind, found)
    moved = {"med/7": {"here": [TEN[0], "x.md p3 1-4", *TEN[2:]]}}
    assert find.differences({"med/7": {"here": TEN}}, moved) == [
        "med/7: 9 of 10 places are the same; number 2 was b.md 1-9, is x.md p3 1-4"
    ]


def test_each_change_and_call_is_recorded_and_every_kill_hit():
    assert parts().keys() == {"find", "read", "sync", "tell"}
    recorded = compare.load("sync")
    assert recorded.keys() == sync.ROWS.keys()
    runs = [run for key, row in recorded.items() if key.startswith("kill/") for run in row]
    for word in ("killed", "as a fresh index"):
        assert {run.get(word, True) for run in runs} == {True}
    told = [key.partition("/") for key in compare.load("tell")]
    kinds = Counter(rest.split(" ", 1)[0] for _, _, rest in told)
    assert kinds == {"ask": 150, "table": 20, "list": 20, "read": 40}
    assert len(compare.load("find")) >= 400
    assert set(tell.ASKED) | set(tell.FIELDS) == {name for name, *_ in told}


def test_each_figure_has_a_command_that_is_there_and_each_script_a_figure():
    figures = tomllib.loads((REPOSITORY / "benchmarks/figures.toml").read_text("utf-8"))
    wanted = {"name", "data", "command", "figure", "tolerance", "processor"}
    for row in figures["row"]:
        assert row.keys() - {"control", "minutes"} == wanted, row["name"]
        assert row["processor"].removesuffix(", busy") in figures["processors"], row["name"]
        assert row["figure"], row["name"]
    commands = " ".join(row["command"] for row in figures["row"])
    named = set(re.findall(r"(?:benchmarks|tests)/[\w/]+\.py", commands))
    assert [path for path in named if not (REPOSITORY / path).exists()] == []
    assert len({row["name"] for row in figures["row"]}) == len(figures["row"])
    scripts = {path.stem for path in (REPOSITORY / "benchmarks").glob("*.py")}
    unnamed = scripts - {path.removeprefix("benchmarks/").removesuffix(".py") for path in named}
    assert unnamed == {"common", "mutants", "sets"}
