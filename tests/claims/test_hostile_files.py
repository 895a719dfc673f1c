"""Files made to hurt: each costs at most its limits, and the program itself stays small.

Formats that nobody reads yet are refused for that reason; when an extractor for them comes, they
are refused for a limit or read, and these tests hold it to that.
"""

import random
import time
from pathlib import Path
from typing import Any

import pytest

from indexer.files.walk import walk
from indexer.parsers.limits import TEXT_LINES, limits_for
from indexer.records import STATUSES
from tests.support.hostile_files import HOSTILE, MIB, SECRET, asking_for, long_line
from tests.support.parsing import READING
from tests.support.places import SAMPLE
from tests.support.sealed_child import python

pytestmark = pytest.mark.slow

MAX_RESIDENT_BYTES = 10**9

# In a process of its own, whose memory can be measured. The chunker's model is a toy.
_READ = (
    READING
    + """
root, store = Path(sys.argv[1]), Path(sys.argv[2])
rows = outcome["rows"] = {}
files = [seen for seen in walk(root).files if seen.problem is None]
for _, row, chunks in read_all(root, files, CHUNKER, Texts(store)):
    rows[row.source] = [row.status, row.reason, row.lines, [chunk.text for chunk in chunks[:200]]]
status = Path("/proc/self/status").read_text()
outcome["resident"] = int(status.partition("VmHWM:")[2].split()[0]) * 1024
"""
)


def read(root: Path, store: Path) -> dict[str, Any]:
    store.mkdir()
    return python(_READ, root, store)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_read_or_refused_within_its_limits(root, tmp_path, name):
    data = HOSTILE[name]()
    (root / name).write_bytes(data)
    (root / "innocent.txt").write_text("Harmless words.\n")
    started = time.monotonic()
    outcome = read(root, tmp_path / "store")
    assert time.monotonic() - started < 2 * limits_for(len(data)).wall_seconds
    status, reason, lines, _ = outcome["rows"][name]
    assert status in STATUSES
    assert reason if status != "indexed" else lines <= TEXT_LINES
    assert outcome["resident"] < MAX_RESIDENT_BYTES
    assert outcome["rows"]["innocent.txt"] == ["indexed", None, 1, ["Harmless words."]]


def test_damaged_documents_have_a_status_each(root, tmp_path):
    """A few of what benchmarks/fuzz_extraction.py makes by the thousand."""
    chance = random.Random(7)
    originals = [path for path in sorted(SAMPLE.rglob("*")) if path.suffix in (".pdf", ".md")]
    for number in range(80):
        content = bytearray(chance.choice(originals).read_bytes())
        for _ in range(chance.choice([1, 10, 100])):
            content[chance.randrange(len(content))] = chance.randrange(256)
        if number % 2:
            del content[chance.randrange(len(content)) :]
        (root / f"n{number:02}{chance.choice(['.pdf', '.md', '.docx'])}").write_bytes(content)
    outcome = read(root, tmp_path / "store")
    assert len(outcome["rows"]) == 80
    assert {status for status, *_ in outcome["rows"].values()} <= set(STATUSES)
    assert "crashed" not in {reason for _, reason, *_ in outcome["rows"].values()}


def test_no_document_brings_in_another_file(root, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    (root / "neighbour.txt").write_text("A neighbour's words.")
    written = set()
    for number, url in enumerate((secret.as_uri(), str(secret), "neighbour.txt")):
        for name, data in asking_for(url):
            (root / f"{number}-{name}").write_bytes(data)
            written.add(f"{number}-{name}")
    rows = read(root, tmp_path / "store")["rows"]
    for source, (*_, texts) in rows.items():
        text = " ".join(texts)
        assert SECRET not in text, source
        assert "A neighbour's words" not in text or source == "neighbour.txt", source
    harmless = {name for name, (*_, texts) in rows.items() if "Harmless words" in " ".join(texts)}
    assert harmless == written  # the control: they are read as far as they may be


def test_a_sparse_file_is_passed_over_for_its_size_or_its_bytes(root, tmp_path):
    for name, size in (("huge.txt", 2 * 2**30), ("large.txt", 120 * MIB)):
        with (root / name).open("wb") as file:
            file.truncate(size)
    outcome = read(root, tmp_path / "store")
    assert outcome["rows"]["large.txt"][0] in ("skipped", "failed")
    assert outcome["resident"] < MAX_RESIDENT_BYTES
    assert {seen.source: seen.problem for seen in walk(root).files} == {
        "huge.txt": "too_large",
        "large.txt": None,
    }


@pytest.mark.nightly
def test_a_line_of_fifty_megabytes_is_read_in_windows(root, tmp_path):
    (root / "line.txt").write_bytes(long_line())
    (tmp_path / "store").mkdir()
    outcome = python(
        READING
        + """
from indexer.sync.read import document_of, text_of
root, store = Path(sys.argv[1]), Path(sys.argv[2])
with closing(Worker()) as worker, copied(root, "line.txt", 0) as copy:
    text = text_of(copy, "line.txt", worker, Texts(store))
lines = document_of(text, "line.txt", "").lines
offset, size, windows = 1, 0, 0
while offset:
    window = cut_window("line.txt", lines, offset, 2_000)
    size += sum(len(line.text) for line in window.lines)
    offset, windows = window.next_offset, windows + 1
outcome = {"chars": size, "windows": windows, "longest": max(len(l.text) for l in lines)}
status = Path("/proc/self/status").read_text()
outcome["resident"] = int(status.partition("VmHWM:")[2].split()[0]) * 1024
""",
        root,
        tmp_path / "store",
    )
    assert outcome["chars"] == 50 * MIB
    assert outcome["longest"] <= 2_000
    assert outcome["windows"] >= 50 * MIB // 50_000
    assert outcome["resident"] < MAX_RESIDENT_BYTES
