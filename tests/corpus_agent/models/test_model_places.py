"""Asking a model wherever `--llm` may say that it is, with the real command and real servers."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support.fakes import ScriptedModelServer, says
from tests.support.places import REPOSITORY, SAMPLE
from tests.support.sealed_child import python
from tests.support.toy_index import own

QUOTE = 'Twelve days [kitchen/sourdough.md:15] "12 days".'


@pytest.mark.slow
def test_a_model_on_a_unix_socket_is_asked_from_inside_the_seal(cli, sample_store, tmp_path):
    with ScriptedModelServer([says(QUOTE)], path=tmp_path / "llm.sock") as server:
        done = cli(
            "--store", sample_store, "ask", "How long?", "--llm", f"unix:{server.path}", "--json"
        )
    answer = json.loads(done.stdout)
    assert (answer["seal"], answer["answerer"], answer["egress"]) == ("enforced", "toy-model", None)
    assert answer["citations"][0]["verdict"] == "verified"
    assert len(server.requests) == 1


# A llama-server for this test: Python, on the Unix socket it is told, with one answer.
LLAMA = """
    import http.server, json, socketserver, sys
    answer = {answer!r}
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_GET(self):
            self.send(b"{{}}", "application/json")
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {{"role": "assistant", "content": answer}}
            part = {{"id": "1", "created": 1, "model": request["model"], "choices": [
                {{"index": 0, "message": message, "delta": message, "finish_reason": "stop"}}]}}
            if request.get("stream"):
                part["object"] = "chat.completion.chunk"
                body = f"data: {{json.dumps(part)}}\\n\\ndata: [DONE]\\n\\n".encode()
                return self.send(body, "text/event-stream")
            part["object"] = "chat.completion"
            self.send(json.dumps(part).encode(), "application/json")
        def send(self, body, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def address_string(self):
            return "client"
    socketserver.ThreadingUnixStreamServer(sys.argv[4], Handler).serve_forever()
"""

ASK = """
from corpus_agent.models import discovery; from corpus_agent.service import session
from corpus_agent.models.address import server_on
from corpus_agent.startup import Launch
from corpus_agent.seal import Gate, policy, seal, start_broker
from corpus_agent.models.llama_server import start_llama_server
from corpus_agent.settings import Settings
from indexer.confine import interpreter_files
program, weights, root, store = map(Path, sys.argv[1:5])
server = start_llama_server(program, weights, store / "tmp", also=interpreter_files())
broker = start_broker(Gate(server.address, frozenset([weights.stem]), frozenset([os.geteuid()])))
model = discovery.Model(server_on(Path(server.address.path)), weights.stem)
launch = Launch(seal(policy(root, store)), model, broker, server)
settings = Settings(store=store)
with_model = session.open_corpus(settings)
answerer = session.answerer_for(with_model, launch, settings)
answer = session.ask("How long?", with_model, answerer)
outcome.update(answerer=answer.answerer, verdicts=[c.verdict for c in answer.citations],
               notices=answer.notices)
"""


@pytest.mark.slow
def test_a_server_that_was_started_for_a_model_file_answers(sample_store, tmp_path):
    program, weights, store = tmp_path / "llama-server", tmp_path / "m.gguf", tmp_path / "store"
    program.write_text(f"#!{sys.executable}\n{textwrap.dedent(LLAMA.format(answer=QUOTE))}")
    program.chmod(0o755)
    weights.write_bytes(b"GGUF")
    own(shutil.copytree(sample_store, store), SAMPLE)
    found = python(ASK, program, weights, REPOSITORY / "sample_corpus", store)
    assert found == {"answerer": "m", "verdicts": ["verified"], "notices": []}


@pytest.mark.slow
def test_a_server_that_ends_at_once_leaves_an_answer_and_says_so(cli, sample_store, tmp_path):
    store = own(shutil.copytree(sample_store, tmp_path / "store"), SAMPLE)
    weights = tmp_path / "m.gguf"
    weights.write_bytes(b"no model at all")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "llama-server").symlink_to(Path(shutil.which("false") or "").resolve())
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    done = cli(
        *("--store", store, "ask", "How long can the starter stay in the fridge?"),
        *("--llm", f"gguf:{weights}", "--json"),
        env={"PATH": path},
    )
    answer = json.loads(done.stdout)
    assert answer["answerer"] == "extractive"
    assert "llama-server ended before it was ready" in answer["notices"][0]


# -- a host that is not this machine


@pytest.mark.slow
def test_no_environment_variable_and_no_file_permits_a_remote_host(cli, sample_store, tmp_path):
    asked = ("--store", sample_store, "ask", "How long?", "--llm", "http://192.0.2.7:80")
    done = cli(*asked, env={"CORPUS_AGENT_ALLOW_REMOTE_LLM": "192.0.2.7"})
    assert done.returncode == 2
    assert "is not this machine, and nothing may leave it" in done.stderr
    assert "CORPUS_AGENT_ALLOW_REMOTE_LLM is not a setting" in done.stderr
    (tmp_path / "c.toml").write_text('allow_remote_llm = "192.0.2.7"')
    done = cli("--config", tmp_path / "c.toml", *asked)
    assert done.returncode == 2
    assert "unknown key 'allow_remote_llm'" in done.stderr


# An address that is not loopback, on this machine's own loopback device: as remote as a test
# without a network can be.
OTHER_HOST = "10.77.0.1"
INSIDE = """
import fcntl, json, socket, struct, subprocess, sys
from tests.support.fakes import ScriptedModelServer, says
from tests.support.offline import bring_loopback_up
host, answer, *command = sys.argv[1:]
bring_loopback_up()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
    address = struct.pack("H2x4s8x", socket.AF_INET, socket.inet_aton(host))
    fcntl.ioctl(control, 0x8916, struct.pack("16s16s", b"lo:1", address))  # SIOCSIFADDR
with ScriptedModelServer([says(answer)], host=host) as server:
    where = f"http://{host}:{server.port}"
    done = subprocess.run([*command, "--llm", where], capture_output=True, text=True)
    print(json.dumps([done.returncode, done.stdout, done.stderr, len(server.paths)]))
"""


def with_other_host(*arguments):
    """Exit code, output, errors and requests heard of the command beside a server elsewhere."""
    namespace = ["unshare", "--map-root-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*namespace, "true"], check=False).returncode:
        pytest.skip("this system makes no network namespaces")
    command = [sys.executable, "-m", "corpus_agent", *map(str, arguments)]
    run = [*namespace, sys.executable, "-c", INSIDE, OTHER_HOST, QUOTE, *command]
    done = subprocess.run(run, capture_output=True, text=True, cwd=REPOSITORY, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a_permitted_host_is_asked_and_every_answer_says_so(sample_store):
    ask = ("--store", sample_store, "ask", "How long?", "--json")
    code, out, err, heard = with_other_host(*ask, "--allow-remote-llm", OTHER_HOST)
    answer = json.loads(out)
    assert code == 0
    assert heard >= 2  # its models, its window, the question: each over a connection of its own
    assert (answer["seal"], answer["egress"]) == ("enforced", f"remote-llm {OTHER_HOST}")
    assert answer["answerer"] == "toy-model"
    assert f"Warning: questions and passages go to {OTHER_HOST}, not encrypted." in err


@pytest.mark.slow
def test_a_host_that_is_not_permitted_hears_nothing(sample_store):
    ask = ("--store", sample_store, "ask", "How long?", "--json")
    for also in ((), ("--allow-remote-llm", "10.77.0.2")):
        code, out, _, heard = with_other_host(*ask, *also)
        assert (code, heard) == (2, 0)
        assert "is not this machine" in json.loads(out)["error"]["message"]
