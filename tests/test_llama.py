"""A model server of our own: confined, reached through the broker, gone with its parent.

The server is a small Python program that takes llama-server's arguments: a true server on a Unix
socket, with the interpreter's files added to what the policy lets it read.
"""

import os
import stat
import sys
import textwrap
import time
from pathlib import Path

import pytest

from corpus_agent.seal.llama import find_program
from indexer.errors import UsageError
from tests.sealed_child import python

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
    attempt("tcp", lambda: socket.socket())
    attempt("ipv6", lambda: socket.socket(socket.AF_INET6))
    attempt("udp", lambda: socket.socket(type=socket.SOCK_DGRAM))
    attempt("model", lambda: open(model).close())
    document = os.path.join(os.path.dirname(os.path.dirname(model)), "corpus", "note.md")
    attempt("documents", lambda: open(document).close())
    attempt("home", lambda: open(os.path.join(os.environ["HOME"], "cache"), "w").close())
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
    program.write_text(f"#!{sys.executable}\n{textwrap.dedent(SERVER)}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    model = tmp_path / "models" / "small.gguf"
    model.parent.mkdir()
    model.write_text("weights")
    for name in ("corpus", "store"):
        (tmp_path / name).mkdir()
    (tmp_path / "corpus" / "note.md").write_text("words")
    return program, model, tmp_path / "corpus", tmp_path / "store"


START = """
import http.client
from corpus_agent.seal import policy, seal, start_broker
from corpus_agent.seal.llama import start_llama_server, wait_until_ready
from indexer.confine import interpreter_files
program, model, root, store = map(Path, sys.argv[1:5])
server = start_llama_server(program, model, store, also=interpreter_files())
broker = start_broker(server.address)
seal(policy(root, store))
wait_until_ready(server, broker, 20)
"""


def test_the_server_answers_and_has_neither_network_nor_documents(places):
    code = """
    connection = http.client.HTTPConnection("localhost")
    connection.sock = broker.connect()
    connection.request("GET", "/")
    outcome.update(json.loads(connection.getresponse().read()))
    attempt("own socket", lambda: socket.socket().close())
    """
    assert python(START + textwrap.dedent(code), *places) == {
        "tcp": "EPERM",
        "ipv6": "EPERM",
        "udp": "EPERM",
        "model": "ok",
        "documents": "EACCES",
        "home": "ok",
        "own socket": "EPERM",
    }


@pytest.mark.parametrize("ending", ["", "os.kill(os.getpid(), 9)"])
def test_the_server_ends_with_a_sealed_parent(places, ending):
    code = f"""
    (store / "keeper").write_text(str(server.keeper))
    {ending}
    """
    python(START + textwrap.dedent(code), *places, ends=-9 if ending else 0)
    deadline = time.monotonic() + 5
    while _running(str(places[1])) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert _running(str(places[1])) == []


def _running(argument):
    """The ids of processes that were started with this argument."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if argument.encode() in (folder / "cmdline").read_bytes().split(b"\0")[2:4]:
                    found.append(folder.name)
            except OSError:
                continue  # it has ended meanwhile
    return found


def test_the_server_is_running_while_its_parent_is(places):
    code = """
    listed = [Path(f"/proc/{name}/cmdline") for name in os.listdir("/proc") if name.isdigit()]
    """
    before = START.replace("seal(policy(root, store))", textwrap.dedent(code))
    check = """
    outcome["running"] = sum(str(model).encode() in path.read_bytes().split(b"\\0")[3:4]
                             for path in listed if path.exists())
    server.stop()
    """
    assert python(before + textwrap.dedent(check), *places) == {"running": 1}


def test_a_program_that_cannot_start_is_an_error(places):
    program, *rest = places
    program.write_text("#!/does/not/exist\n")
    code = """
    from corpus_agent.seal.llama import start_llama_server
    from indexer.errors import CorpusError
    try:
        start_llama_server(*map(Path, (sys.argv[1], sys.argv[2], sys.argv[4])))
    except CorpusError as error:
        outcome["error"] = str(error)
    """
    assert "llama-server: " in python(code, program, *rest)["error"]


def test_a_path_too_long_for_a_socket_is_an_error(places, tmp_path):
    from corpus_agent.seal.llama import start_llama_server

    folder = tmp_path / ("x" * 120)
    with pytest.raises(UsageError, match="too many for a socket"):
        start_llama_server(places[0], places[1], folder)


def test_no_llama_server_on_the_path_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="needs 'llama-server', and there is none on PATH"):
        find_program()
