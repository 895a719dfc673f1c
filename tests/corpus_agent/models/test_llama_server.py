"""A model server of our own: confined, reached through the broker, gone with its parent.

The server is a small Python program that takes llama-server's arguments: a true server on a Unix
socket, with its interpreter beside it, where llama-server has its libraries.
"""

import fcntl
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from corpus_agent.models.llama_server import (
    _HOMES,
    _VARIABLES,
    server_environment,
    start_llama_server,
)
from indexer.errors import CorpusError
from tests.support.processes import started_with, until
from tests.support.sealed_child import python

SERVER = """
    import errno, http.server, json, os, socket, sys
    model, path = sys.argv[2], sys.argv[4]
    found = {}
    def attempt(name, action):
        try:
            action()
            found[name] = "ok"
        except OSError as error:
            found[name] = errno.errorcode[error.errno]
    found["folder"], found["told"] = os.getcwd(), sorted(os.environ)
    def connect(address):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(address)
    document = open(model).read()
    attempt("tcp", lambda: socket.socket())
    attempt("model", lambda: open(model).close())
    attempt("documents", lambda: open(document).close())
    attempt("connect", lambda: connect(document + ".sock"))
    attempt("store", lambda: open(os.path.join(os.environ["HOME"], "..", "x"), "w").close())
    attempt("home", lambda: open(os.path.join(os.environ["HOME"], "cache"), "w").close())
    if path == "-":
        print(json.dumps(found))
        raise SystemExit
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            content = json.dumps(found).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        def address_string(self):
            return "client"
    class Server(http.server.HTTPServer):
        address_family = socket.AF_UNIX
        def server_bind(self):
            self.socket.bind(self.server_address)
            self.server_name, self.server_port = "localhost", 80
    Server(path, Handler).serve_forever()
"""


@pytest.fixture
def places(tmp_path):
    """The server program, its model, the corpus and the store."""
    program = tmp_path / "bin" / "llama-server"
    program.parent.mkdir()
    python = shutil.copy(Path(sys.executable).resolve(), program.parent)
    (tmp_path / "lib").symlink_to(Path(sys.base_prefix) / "lib")
    program.write_text(f"#!{python}\n{textwrap.dedent(SERVER)}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    model = tmp_path / "models" / "small.gguf"
    model.parent.mkdir()
    model.write_text(str(tmp_path / "corpus" / "note.md"))
    for name in ("corpus", "store"):
        (tmp_path / name).mkdir()
    (tmp_path / "corpus" / "note.md").write_text("words")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "corpus" / "note.md.sock"))
        listener.listen()
        yield program, model, tmp_path / "corpus", tmp_path / "store"


START = """
import threading
from corpus_agent.seal import Gate, policy, seal, start_broker
from corpus_agent.models.llama_server import start_llama_server, wait_until_ready
program, model, root, store = map(Path, sys.argv[1:5])
os.environ.update(SECRET_KEY="x", LD_PRELOAD="", LD_LIBRARY_PATH="/lib::lib:", LANG="C.UTF-8")
server = start_llama_server(program, model, store / "tmp")
gate = Gate(server.address, frozenset(["small"]), frozenset([os.geteuid()]))
broker = start_broker(gate)
seal(policy(root, store))
wait_until_ready(server, broker, 20)
"""

DENIED = dict.fromkeys(("tcp", "connect"), "EPERM")
DENIED |= dict.fromkeys(("documents", "store"), "EACCES")
ALLOWED = {"model": "ok", "home": "ok"}


@pytest.mark.slow
def test_the_server_answers_and_has_neither_network_nor_documents(places):
    code = """
    parts, done = [], threading.Event()
    def hear(reply):
        parts.append(reply)
        if reply.kind.name in ("END", "FAILED"):
            done.set()
    broker.ask("GET", "/health", b"", hear)
    done.wait(20)
    outcome.update(json.loads(b"".join(p.payload for p in parts if p.kind.name == "DATA")))
    attempt("own socket", lambda: socket.socket().close())
    """
    found = python(START + textwrap.dedent(code), *places)
    told = found.pop("told")
    assert set(told) <= {*_VARIABLES, *_HOMES, "LD_LIBRARY_PATH", "LC_CTYPE"}
    assert found == DENIED | ALLOWED | {"folder": "/", "own socket": "EPERM"}


def test_the_same_program_without_the_confinement_is_stopped_by_nothing(places):
    program, model, _, store = places
    (store / "tmp").mkdir()
    run = subprocess.run(
        [sys.executable, program, "-m", model, "--host", "-"],
        env={**os.environ, "HOME": str(store / "tmp")},
        capture_output=True,
        check=True,
    )
    found = json.loads(run.stdout)
    assert {found[name] for name in DENIED | ALLOWED} == {"ok"}


def test_the_server_is_told_what_stands_on_a_list():
    listed = {"LLAMA_ARG_CTX_SIZE": "8192", "LANG": "C"}
    given = {"PATH": "/bin", "LD_PRELOAD": "/tmp/x.so", "GGML_BACKEND_DIR": "/tmp", "HOME": "/root"}
    given |= {"LLAMA_ARG_MODEL_URL": "http://192.0.2.1/", "HF_TOKEN": "secret", **listed}
    given["LD_LIBRARY_PATH"] = ":/opt/lib:lib::/usr/lib:"
    told = {**listed, "LD_LIBRARY_PATH": "/opt/lib:/usr/lib"}
    assert server_environment(given, 7) == told | dict.fromkeys(_HOMES, "/proc/self/fd/7")


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["", "os.kill(os.getpid(), 9)"])
def test_the_server_ends_with_a_sealed_parent(places, ending):
    code = f"""
    (store / "keeper").write_text(str(server.keeper))
    {ending}
    """
    python(START + textwrap.dedent(code), *places, ends=-9 if ending else 0)
    assert until(lambda: not started_with(str(places[1]))), started_with(str(places[1]))


def started(places):
    """A server that was started and stopped, in a process of its own, and whether it was ready."""
    code = """
    outcome["log"], outcome["socket"] = str(server.log), server.address.path
    outcome["there"] = Path(server.log).exists() and not Path(server.log).is_symlink()
    broker.close()
    server.stop()
    outcome["left"] = sorted(os.listdir(Path(server.log).parent))
    """
    return python(START + textwrap.dedent(code), *places)


@pytest.mark.slow
def test_no_link_in_the_store_is_written_through(places, tmp_path):
    store, precious = places[3], tmp_path / "bashrc"
    precious.write_text("precious")
    (store / "tmp").mkdir(mode=0o700)
    (store / "tmp" / "llama-server.log").symlink_to(precious)
    (store / "tmp" / "llama-0123456789abcdef").symlink_to(tmp_path)
    found = started(places)
    assert found["there"]
    assert found["left"] == ["cache", "llama-server.log"]
    assert precious.read_text() == "precious"
    assert (places[2] / "note.md").exists()
    # The control: what it did before, opening the log by its path.
    os.close(os.open(store / "tmp" / "llama-server.log", os.O_WRONLY | os.O_TRUNC))
    assert precious.read_text() == ""


@pytest.mark.parametrize("what", ["link", "link above", "file", "writable by others"])
def test_a_folder_that_is_none_of_ours_is_refused(places, tmp_path, what):
    program, model, _, store = places
    (tmp_path / "elsewhere").mkdir()
    temp = store / "tmp"
    if what == "link":
        temp.symlink_to(tmp_path / "elsewhere")
    elif what == "link above":
        (tmp_path / "named").symlink_to(tmp_path / "elsewhere")
        temp = tmp_path / "named" / "tmp"
    elif what == "file":
        temp.write_text("")
    else:
        temp.mkdir()
        temp.chmod(0o777)
    with pytest.raises(CorpusError, match=r"cannot be made|may be written by others"):
        start_llama_server(program, model, temp)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.slow
def test_what_ended_servers_left_goes_and_a_running_one_keeps_its_own(places):
    first = Path(started(places)["log"]).parent
    second = Path(started(places)["log"]).parent
    assert not first.exists()
    held = os.open(second, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_SH)
    third = Path(started(places)["log"]).parent
    assert second.exists()
    os.close(held)
    started(places)
    assert not second.exists()
    assert not third.exists()
