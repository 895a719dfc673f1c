"""Files made to hurt: each costs at most its limits, and the program itself stays small."""

import io
import random
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from indexer.files.walk import walk
from indexer.parsers.limits import TEXT_LINES, limits_for
from indexer.records import STATUSES
from tests.attacks.files import HOSTILE, MIB, SECRET, asking_for
from tests.support.made_files import FILES, zipped
from tests.support.parsing import READING
from tests.support.places import eval_data
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


def read(root: Path, store: Path, seconds: float = 120) -> dict[str, Any]:
    store.mkdir()
    return python(_READ, root, store, seconds=seconds)


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


def flipped(content: bytearray, chance: random.Random) -> bytearray:
    """A few bytes changed, up to one in a thousand."""
    for _ in range(chance.randint(1, max(1, len(content) // 1_000))):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return content


def cut(content: bytearray, chance: random.Random) -> bytearray:
    return content[: chance.randrange(len(content))]


def duplicated(content: bytearray, chance: random.Random) -> bytearray:
    """A stretch that stands there up to twenty times, or not at all."""
    start = chance.randrange(len(content))
    end = min(len(content), start + chance.randint(1, 20_000))
    return content[:start] + content[start:end] * chance.randint(0, 20) + content[end:]


def inside(content: bytearray, chance: random.Random) -> bytearray:
    """One member of a ZIP damaged, and packed again; other files as `flipped`."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
        return flipped(content, chance)
    victim = chance.choice([name for name, inner in members.items() if inner] or [""])
    if victim:
        members[victim] = bytes(chance.choice(DAMAGES)(bytearray(members[victim]), chance))
    return bytearray(zipped(members))


DAMAGES = (flipped, cut, duplicated)


@pytest.mark.parametrize("count", [80, pytest.param(2_000, marks=pytest.mark.nightly)])
@pytest.mark.timeout(1_500)
def test_damaged_documents_have_a_status_each(root, tmp_path, count):
    """Made from a small file of every format; of the many also from other people's test files."""
    kinds = ("markitdown", "tika", "py-pdf-sample-files") if count > 100 else ()
    found = [path for kind in kinds for path in sorted(eval_data("extract", kind).rglob("*"))]
    known = {path.name: path.read_bytes() for path in found if path.is_file()} | FILES
    originals = [(name, content) for name, content in known.items() if content]
    chance = random.Random(7)
    for number in range(count):
        name, content = chance.choice(originals)
        damaged = chance.choice((*DAMAGES, inside))(bytearray(content), chance)
        (root / f"n{number:04}-{name[-40:]}").write_bytes(damaged)
    outcome = read(root, tmp_path / "store", seconds=120 + count / 2)
    assert len(outcome["rows"]) == count
    assert {status for status, *_ in outcome["rows"].values()} <= set(STATUSES)
    assert "crashed" not in {reason for _, reason, *_ in outcome["rows"].values()}
    assert outcome["resident"] < MAX_RESIDENT_BYTES


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
