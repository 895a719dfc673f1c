"""What the kernel leaves to each process, asked from inside it; the table of docs/seal.md.

Starts the program, a parser, the librarian, the MCP, web and model servers by the ways that they
are always started by, and has each try sockets, files, other processes and shared memory. A process
without a seal is the control: it must get what the others do not.

    python benchmarks/kernel_probes.py [--write | --check]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import asdict
from pathlib import Path

from corpus_agent.librarian.process import Child
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import Worker
from tests.support.kernel_probe import Places, look
from tests.support.mcp_client import RawClient
from tests.support.obeying_worker import do

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/seal.md"
TABLE = re.compile(r"(<!-- kernel probes -->\n).*?(<!-- end of kernel probes -->)", re.DOTALL)
SECONDS = 120.0
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
# {places!r} and {into!r} are filled in; the rest is how the process is started anyway.
ARMED = """
import json, sys
from pathlib import Path
from tests.support.kernel_probe import Places, look_at_signal
look_at_signal(Places(**json.loads({places!r})), Path({into!r}))
"""
AT_END = """
import atexit, os, signal
atexit.register(os.kill, os.getpid(), signal.SIGUSR1)
"""
COMMAND_LINE = "from corpus_agent.cli import main; main(sys.argv[1:])"
LIBRARIAN = "from corpus_agent.librarian.child import main; main()"
SERVER = """
import json, sys, time
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.support.kernel_probe import Places, look
found = look(Places(**json.loads(Path(sys.argv[2]).read_text())))
Path(sys.argv[4]).with_name("probe.json").write_text(json.dumps(found))
time.sleep(60)
"""
START_SERVER = """
import sys, time
from pathlib import Path
from corpus_agent.models.llama_server import start_llama_server
from indexer.confine import FileRule, interpreter_files
program, model, folder, tests = map(Path, sys.argv[1:])
also = (*interpreter_files(tests, tests.parent / "indexer"),)
server = start_llama_server(program, model, folder, also=also)
probe = server.log.with_name("probe.json")  # beside its log, in the folder of this start
while not (probe.exists() and probe.stat().st_size):
    assert not server.has_ended, server.log.read_text()
    time.sleep(0.05)
sys.stdout.write(probe.read_text())
server.stop()
"""


def heard(into: Path) -> dict[str, str]:
    """What a process wrote, once it is whole."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            return dict(json.loads(into.read_text()))
        except (OSError, ValueError):
            time.sleep(0.05)
    raise TimeoutError(into)


def armed(places: Places, into: Path, rest: str, *more: str) -> list[str]:
    """A command that runs `rest` with a probe in it."""
    boot = ARMED.format(places=json.dumps(asdict(places)), into=str(into))
    return [sys.executable, "-c", boot + "".join(more) + rest]


def program(places: Places, store: Path) -> dict[str, str]:
    into = store / "tmp" / "program.json"
    command = [*armed(places, into, COMMAND_LINE, AT_END), "--store", str(store), "search", "heron"]
    subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
    return heard(into)


def parser(places: Places) -> dict[str, str]:
    worker = Worker("tests.support.obeying_worker")
    descriptor = os.memfd_create("order")
    os.write(descriptor, do("look", places=asdict(places)))
    text = worker.read(descriptor, "a.txt")
    found = dict(json.loads(next(iter(decoded(text.encoding))).text))
    worker.close()
    return found


def librarian(places: Places, store: Path) -> dict[str, str]:
    into = store / "tmp" / "librarian.json"
    child = Child({"store": str(store), "llm": "none"}, command=armed(places, into, LIBRARIAN))
    child.ready.result(SECONDS)
    os.kill(child.pid or 0, signal.SIGUSR1)
    found = heard(into)
    child.close()
    return found


def mcp(places: Places, store: Path) -> dict[str, str]:
    into = store / "tmp" / "mcp.json"
    command = armed(places, into, COMMAND_LINE)
    with RawClient("--store", store, "mcp", "--llm", "none", command=command) as client:
        client.text("corpus_status")
        client.process.send_signal(signal.SIGUSR1)
        return heard(into)


def web(places: Places, store: Path) -> dict[str, str]:
    """The server of pages, once it has answered a request."""
    into = store / "tmp" / "web.json"
    command = [*armed(places, into, COMMAND_LINE), "--store", str(store), "web", "--llm", "none"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        with urllib.request.urlopen(process.stdout.readline().strip(), timeout=SECONDS) as page:
            assert page.status == 200
        process.send_signal(signal.SIGUSR1)
        found = heard(into)
        process.terminate()
    return found


def llama_server(places: Places, folder: Path) -> dict[str, str]:
    """A stand-in for llama-server: a program that is started as it is, with its arguments."""
    home = folder / "bin"
    home.mkdir()
    server = home / "llama-server"
    server.write_text(f"#!{sys.executable}\n{SERVER.format(root=str(ROOT))}")
    server.chmod(server.stat().st_mode | stat.S_IXUSR)
    model = folder / "model.gguf"
    model.write_text(json.dumps(asdict(places)))
    own = folder / "own"
    own.mkdir()
    command = [sys.executable, "-c", START_SERVER, server, model, own, ROOT / "tests"]
    done = subprocess.run(
        list(map(str, command)),
        env=ENVIRONMENT,
        check=True,
        stdout=subprocess.PIPE,
        timeout=SECONDS,
    )
    return dict(json.loads(done.stdout))


def table(columns: dict[str, dict[str, str]]) -> str:
    """The findings as a Markdown table, a column for each process."""
    first = next(iter(columns.values()))
    rows = [["from inside", *columns], ["---"] * (len(columns) + 1)]
    rows += [[row, *(column[row] for column in columns.values())] for row in first]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def probed() -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The control, and what each process found."""
    with tempfile.TemporaryDirectory() as scratch, subprocess.Popen(["sleep", "600"]) as neighbour:
        folder = Path(scratch)
        corpus, store, home = (folder / name for name in ("corpus", "store", "home"))
        for each in (corpus, home):
            each.mkdir()
        for path in (corpus / "note.md", home / ".profile", folder / "elsewhere.txt"):
            path.write_text("The heron nests in the reeds.\n")
        command = [sys.executable, "-m", "corpus_agent", "--store", str(store), "index", corpus]
        subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)
        paths = (corpus / "note.md", store / "manifest.json", folder / "elsewhere.txt")
        places = Places(*map(str, (*paths, home / ".profile")), neighbour.pid)
        try:
            control = look(places)
            return control, {
                "program": program(places, store),
                "parser": parser(places),
                "librarian": librarian(places, store),
                "MCP server": mcp(places, store),
                "web server": web(places, store),
                "`llama-server`": llama_server(places, folder),
            }
        finally:
            neighbour.kill()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="write the table into docs/seal.md")
    options.add_argument("--check", action="store_true", help="exit 1 where it says otherwise")
    arguments = options.parse_args()
    control, columns = probed()
    closed = [row for row in control if control[row] == "none"]
    if closed:
        sys.exit(f"without a seal nothing gets through either: {', '.join(closed)}")
    fresh = table(columns)
    text = PAGE.read_text("utf-8")
    if arguments.write:
        PAGE.write_text(TABLE.sub(lambda found: found[1] + fresh + found[2], text), "utf-8")
    elif arguments.check and fresh not in text:
        sys.exit(f"docs/seal.md says otherwise:\n{fresh}")
    print(table({"without a seal": control}))
    print(fresh)


if __name__ == "__main__":
    main()
