"""The kernel's own record: which sockets the sealed commands and their children make. None.

Needs strace; the control is the same command under the same strace, asking a server.
"""

import re
import shutil
import subprocess
import sys

import pytest

from tests.support.fakes import ScriptedModelServer, says
from tests.support.places import REPOSITORY

SOCKET = re.compile(r"\bsocket\(([A-Z0-9_]+)")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed"),
]


def sockets(record, *arguments):
    """Families of the sockets that the command and all its children asked for."""
    command = [sys.executable, "-m", "corpus_agent", *map(str, arguments)]
    traced = ["strace", "-f", "-qq", "-e", "trace=network", "-o", str(record), *command]
    done = subprocess.run(traced, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [
        match[1]
        for line in whole(record.read_text(errors="replace").splitlines())
        if (match := SOCKET.search(line))
        and "EPERM" not in line  # refused: the seal's own check, and whatever a library tries
    ]


def whole(lines):
    """The lines of a record, each call with its outcome where another process came between."""
    begun = {}
    for line in lines:
        pid, _, call = line.partition(" ")
        if call.endswith("<unfinished ...>"):
            begun[pid] = line.removesuffix("<unfinished ...>")
        elif " resumed>" in call and pid in begun:
            yield begun.pop(pid) + call.partition(" resumed>")[2]
        else:
            yield line
    yield from begun.values()  # without an outcome: as if it were made


def test_a_call_that_another_process_interrupts_in_the_record_is_put_together():
    refused = ["7 socket(AF_INET, SOCK_STREAM, 0 <unfinished ...>", "8 exit(0)"]
    resumed = "7 <... socket resumed>) = -1 EPERM (Operation not permitted)"
    assert list(whole([*refused, resumed]))[1].endswith("EPERM (Operation not permitted)")
    assert SOCKET.search(list(whole(refused))[1])  # the control


@pytest.fixture
def store(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "dough.md").write_text("# Dough\n\nKeep the dough at 24 degrees.\n")
    return tmp_path / "store"


def test_index_search_and_ask_make_no_socket_and_a_model_needs_one(store, tmp_path):
    record = tmp_path / "record"
    assert sockets(record, "--store", store, "index", tmp_path / "notes") == []
    assert sockets(record, "--store", store, "search", "dough") == []
    assert sockets(record, "--store", store, "read", "dough.md") == []
    asked = ("--store", store, "ask", "How warm should the dough be?")
    assert sockets(record, *asked, "--llm", "none") == []
    with ScriptedModelServer([says('24 [dough.md:3] "at 24 degrees".')]) as server:
        made = sockets(record, *asked, "--llm", server.server.base_url)
    # One to ask for its models, before the seal, and one by the relay for each request; besides
    # netlink's, by which both ask the kernel whose process answers.
    assert set(made) <= {"AF_INET", "AF_NETLINK"}
    assert made.count("AF_INET") > 1
