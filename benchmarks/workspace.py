"""How quick the file tools of a parent are on a 2 GB log and on 100,000 files.

    python benchmarks/workspace.py [FOLDER]

Makes both below FOLDER (default: a temporary one; 2.4 GB), prints the seconds of each call and how
much memory it added. Files are in the page cache, since they were just written.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus_agent.workspace import FileTools, Workspace

LOG_BYTES = 2_000_000_000
FILES = 100_000
REPEATS = 5


def make_log(folder: Path) -> int:
    """A log of 2 GB, if it is not there; its number of lines."""
    lines = LOG_BYTES // 100
    path = folder / "big.log"
    if not path.exists():
        with path.open("wb") as file:
            for start in range(0, lines, 100_000):
                block = range(start + 1, start + 100_001)
                file.write(b"".join(b"%012d %s\n" % (n, b"x" * 86) for n in block))
    return lines


def make_files(folder: Path) -> None:
    """100,000 small files in 1,000 folders, if they are not there."""
    for number in range(FILES // 100):
        place = folder / f"d{number % 10}" / f"s{number}"
        if not place.exists():
            place.mkdir(parents=True)
            for n in range(100):
                (place / f"file{n}.{'py' if n % 2 else 'txt'}").write_text(f"line {n}\n")
    (folder / ".gitignore").write_text("*.log\n")


def peak_megabytes() -> float:
    """The most memory that this process has held; not its parent's, as ru_maxrss would be."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) / 1024


def timed(what: str, work: object) -> None:
    """Print the least and the median seconds of `work`, and how much memory the first run added."""
    before = peak_megabytes()
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()  # type: ignore[operator]
        seconds.append(time.perf_counter() - start)
    grown = peak_megabytes() - before
    median = sorted(seconds)[REPEATS // 2]
    print(f"{what:<52} {min(seconds):8.4f} s  {median:8.4f} s  +{grown:.1f} MB", flush=True)


def log_calls(folder: Path, lines: int) -> None:
    """Windows of the log: each call by a conversation that knows nothing, but for paging on."""
    workspace = Workspace(folder)
    for what, offset in (
        ("head", 1),
        ("line 100,000", 100_000),
        ("middle, not seen before", lines // 2),
        ("end, not seen before", lines - 10),
        ("one line beyond the end", lines + 1),
    ):
        timed(f"read: {what}", lambda at=offset: FileTools(workspace).read("big.log", at))
    tools = FileTools(workspace)
    tools.read("big.log", lines)
    places = iter(range(lines // 3, lines, 2_000))
    timed("read: paging on in the middle", lambda: tools.read("big.log", next(places)))


def file_calls(folder: Path) -> None:
    """Listing and searching the files."""
    tools = FileTools(Workspace(folder))
    for pattern in ("**/*", "**/*.py", "*.{py,txt}", "d3/**/file7.py"):
        timed(f"glob: {pattern}", lambda chosen=pattern: tools.glob(chosen))
    timed("grep: in every file", lambda: tools.grep("line"))
    timed("grep: in no file", lambda: tools.grep("nothing"))
    timed("grep: in no file, glob **/*.py", lambda: tools.grep("nothing", glob="**/*.py"))


def main() -> None:
    """All calls; each group in a process of its own, so that memory is its own."""
    if sys.argv[1:2] == ["--calls"]:
        folder = Path(sys.argv[3])
        if sys.argv[2] == "log":
            log_calls(folder, LOG_BYTES // 100)
        else:
            file_calls(folder)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1] if sys.argv[1:] else scratch)
        for name in ("log", "files"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        make_log(folder / "log")
        make_files(folder / "files")
        print(f"{'':<52} {'least':>10}  {'median':>10}  memory")
        for name in ("log", "files"):
            command = [sys.executable, __file__, "--calls", name, str(folder / name)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
