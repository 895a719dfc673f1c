"""Asking a model wherever `--llm` may say that it is, with the real command and real servers."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.fakes import ScriptedModelServer, says
from tests.support.places import REPOSITORY, SAMPLE
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
    assert answer["passages"][0]["citation"]["verdict"] == "verified"
    assert len(server.requests) == 1


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
def test_a_permitted_host_is_asked_and_every_answer_says_so_and_no_other_hears_anything(
    sample_store,
):
    ask = ("--store", sample_store, "ask", "How long?", "--json")
    code, out, err, heard = with_other_host(*ask, "--allow-remote-llm", OTHER_HOST)
    answer = json.loads(out)
    assert code == 0
    assert heard >= 2  # its models, its window, the question: each over a connection of its own
    assert (answer["seal"], answer["egress"]) == ("enforced", f"remote-llm {OTHER_HOST}")
    assert answer["answerer"] == "toy-model"
    assert f"Warning: questions and passages go to {OTHER_HOST}, not encrypted." in err
    for also in ((), ("--allow-remote-llm", "10.77.0.2")):
        code, out, _, heard = with_other_host(*ask, *also)
        assert (code, heard) == (2, 0)
        assert "is not this machine" in json.loads(out)["error"]["message"]
