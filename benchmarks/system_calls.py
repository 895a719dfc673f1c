"""Which system calls the program really makes under its seal, and what each process may make.

Runs the commands, every extractor, the workspace's search, a model server and torch under strace,
and counts, process by process, what is called once the process has closed itself. Whatever was
refused on the way is listed: the same runs must not need it. Writes docs/system-calls.md.

    python benchmarks/system_calls.py [--write]      # needs strace, Linux, some minutes
"""

from __future__ import annotations

import argparse
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from indexer.confine.calls import (  # noqa: E402
    NO_SOCKETS,
    one_peer,
    parser_calls,
    program_calls,
    sealed_calls,
)
from indexer.confine.rules import Calls  # noqa: E402
from indexer.confine.syscalls import names  # noqa: E402

PAGE = ROOT / "docs" / "system-calls.md"
PROCESSES: dict[str, Calls] = {
    "program": NO_SOCKETS,
    "watch": sealed_calls(watching=True),
    "web": sealed_calls(serving=True),
    "parser": parser_calls(1),
    "broker": one_peer(socket.AF_INET),
    "llama-server": one_peer(socket.AF_UNIX, serve=True),
    "ripgrep": program_calls(1),
}
LINE = re.compile(r"^(\d+) +(?:<\.\.\. )?(\w+)(\(| resumed>)(.*)$")
RESULT = re.compile(r"= (-?\d+)(?: (\w+))?")
STARTS = ("clone", "clone3", "fork", "vfork")


@dataclass
class Process:
    """One traced process or thread: what it is, whether it is closed, who started it."""

    kind: str = "program"
    closed: bool = False
    session: bool = False

    @property
    def forked_away(self) -> bool:
        """Whether it is one of the program's that went on by itself before the seal."""
        return self.kind == "program" and self.session and not self.closed


@dataclass
class Trace:
    """What was called after the seal, by kind of process; and what was refused."""

    called: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    refused: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, text: str) -> None:
        """Take in one output of `strace -f`."""
        lines = [found.groups() for line in text.splitlines() if (found := LINE.match(line))]
        parents = {
            result[1]: pid
            for pid, name, _, rest in lines
            if name in STARTS and (result := RESULT.search(rest)) and int(result[1]) > 0
        }
        processes: dict[str, Process] = {}
        for pid, name, how, rest in lines:
            if pid not in processes:
                parent = processes.get(parents.get(pid, ""), Process())
                processes[pid] = Process(parent.kind, parent.closed)
            self._line(processes[pid], name, rest, begins=how == "(")

    def _line(self, process: Process, name: str, rest: str, *, begins: bool) -> None:
        if process.closed:
            self.called[process.kind].add(name)
            result = RESULT.search(rest)
            if result and result[2] in ("EPERM", "ENOSYS"):
                self.refused[process.kind].add(f"{name}({rest[:60]}")
        if name == "execve" and begins:
            kind = _started(rest, process.kind)
            # A parser closes itself once more: what counts is what it does from then on.
            process.closed = process.closed and kind != "parser"
            process.kind = kind
        elif name == "setsid":
            process.session = True
        elif name == "prctl" and "PDEATHSIG" in rest and process.forked_away:
            process.kind = "broker"  # or the keeper of a model server, which does less
        elif name == "seccomp" and "FILTER" in rest:
            process.closed = True


def _started(arguments: str, kind: str) -> str:
    if "import_module(module)" in arguments:
        return "parser"
    if "indexer.confine.program" in arguments or kind == "ripgrep":
        return "ripgrep"
    if "llama-server" in arguments.split(",")[0]:
        return "llama-server"
    return "program"


def traced(command: Sequence[object], folder: Path, **options: object) -> str:
    """What strace writes about a command, whatever its exit code."""
    log = folder / "trace"
    strace = ["strace", "-f", "-qq", "-s", "4096", "-e", "signal=none", "-o", str(log)]
    subprocess.run(
        [*strace, *map(str, command)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    return log.read_text(errors="replace")


def runs(folder: Path) -> Iterator[tuple[str, list[object]]]:
    """Every command to trace, with what it stands for."""
    corpus, store = folder / "corpus", folder / "store"
    shutil.copytree(ROOT / "sample_corpus", corpus)
    program: list[object] = [sys.executable, "-m", "corpus_agent", "--store", store]
    question = "How long can the sourdough starter stay in the fridge?"
    yield "index", [*program, "index", corpus]
    (corpus / "later.md").write_text("# Later\n\nThe heron nests in the reeds.\n")
    yield "index again", [*program, "index", corpus]
    yield "search", [*program, "search", question]
    yield "ask", [*program, "ask", "--llm", "none", question]
    yield "files", [*program, "files"]
    yield "forget", [*program, "forget", "later.md"]
    yield "doctor", [*program, "doctor"]
    yield "selftest", [*program, "selftest"]
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    for test in (
        "test_formats.py", "test_worker.py", "test_read.py", "test_broker.py",
        "test_llama_server.py", "test_answerer.py", "test_chat.py", "test_mcp.py",
        "test_librarian.py", "test_watching.py", "test_web_server.py",
        "test_glob_and_grep.py", "test_encoder.py", "test_indices.py", "test_reranker.py",
        "test_seal.py", "test_cli.py", "test_doctor.py",
    ):  # fmt: skip
        [path] = (ROOT / "tests").rglob(test)
        yield test, [*pytest, path]


def verdict(calls: Calls, name: str) -> str:
    """What the policy answers to a call, in one word."""
    found = [allow for allow in calls.allowed if allow.syscall == name]
    if any(not allow.when for allow in found):
        return "yes"
    if found:
        return "when"
    return "EPERM" if any(denial.syscall == name for denial in calls.denied) else "–"


def page(called: dict[str, set[str]]) -> str:
    """docs/system-calls.md, whole."""
    rows = [
        [f"`{name}`", *(verdict(calls, name) for calls in PROCESSES.values()), _used(called, name)]
        for name in names()
    ]
    silent = [row[0] for row in rows if set(row[1:-1]) == {"–"}]
    shown = [row for row in rows if set(row[1:-1]) != {"–"}]
    heads = ["call", *PROCESSES, "seen in use by"]
    lines = ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *shown)]
    return INTRODUCTION + "\n".join(lines) + "\n\nFor nobody: " + ", ".join(silent) + ".\n"


INTRODUCTION = """# System calls

Written by `python benchmarks/system_calls.py --write`, which traces the program, and compared with
what the kernel answers by `tests/indexer/confine/test_policy_mutation.py`.

`yes`: goes through. `when`: with certain arguments, which `indexer/confine/calls.py` lists with the
reasons; EPERM otherwise. `EPERM`: refused. `–`: does not exist there (ENOSYS), as every call that
is in no table and every one that a kernel learns after Linux 6.10.

"""


def _used(called: dict[str, set[str]], name: str) -> str:
    return ", ".join(
        kind
        for kind, calls in PROCESSES.items()
        if name in called.get(kind, ()) and verdict(calls, name) in ("yes", "when")
    )


def recorded() -> dict[str, set[str]]:
    """What an earlier trace saw, as the page says."""
    called: dict[str, set[str]] = defaultdict(set)
    for line in PAGE.read_text("utf-8").splitlines() if PAGE.exists() else ():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if len(cells) == len(PROCESSES) + 2:
            for kind in filter(None, cells[-1].split(", ")):
                called[kind].add(cells[0])
    return called


def report(trace: Trace) -> Iterable[str]:
    """Lines for a person: how many calls each process makes and may make, what was refused."""
    for kind, calls in PROCESSES.items():
        may = {allow.syscall for allow in calls.allowed}
        used = trace.called[kind]
        yield f"{kind}: makes {len(used)} different calls of {len(may)} that it may make"
        yield "    refused: " + "; ".join(sorted(trace.refused[kind])[:60])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--no-trace", action="store_true", help="keep what was seen before")
    parser.add_argument("--only", default="", help="trace what has one of these words, by comma")
    arguments = parser.parse_args()
    trace = Trace()
    if arguments.no_trace or arguments.only:
        trace.called.update(recorded())
    if not arguments.no_trace:
        with tempfile.TemporaryDirectory() as scratch:
            for name, command in runs(Path(scratch)):
                if any(word in name for word in arguments.only.split(",")):
                    print(name, flush=True)
                    trace.add(traced(command, Path(scratch)))
        print("\n".join(report(trace)))
    if arguments.write:
        PAGE.write_text(page(trace.called), "utf-8")


if __name__ == "__main__":
    main()
