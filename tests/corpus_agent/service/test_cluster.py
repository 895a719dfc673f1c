"""What `--cluster` names, and a Ray cluster of some nodes without a network."""

import json
import os
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

from corpus_agent.service.cluster import RayHands, egress_of
from corpus_agent.service.ray_side import QUIET
from indexer import CorpusError, FolderEncoder, sync_folder
from indexer.confine import starting
from indexer.store.ownership import make_store
from tests.support.checks import check_same, check_store
from tests.support.folders import make_folder
from tests.support.places import REPOSITORY


def test_a_cluster_that_is_not_on_this_machine_is_egress():
    assert egress_of("10.1.2.3:6379") == "cluster 10.1.2.3:6379"
    assert egress_of("head.example:6379") == "cluster head.example:6379"
    assert egress_of("localhost:6379") == "cluster localhost:6379"  # as somebody's resolver says
    assert egress_of("auto") == "cluster auto"  # its nodes may be anywhere
    assert egress_of("127.0.0.1:6379") is None
    assert egress_of("[::1]:6379") is None


def side(reply: str) -> tuple[str, ...]:
    code = "import sys; print('{\"slots\": 2}', flush=True); sys.stdin.readline()"
    return starting.python(f"{code}; print({reply!r}, flush=True)", installed=False)


@pytest.mark.parametrize(
    ("reply", "made"),
    [
        ('{"number": 0, "why": ""}', ""),
        ('{"number": 0, "why": "NodeDiedError"}', "NodeDiedError"),
        ('{"number": 0, "why": 3}', None),
        ('{"number": 7, "why": ""}', None),
        ("[]", None),
        ("[" * 60_000, None),
        ("", None),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_side_that_answers_nonsense_or_nothing_ends_the_run(reply, made):
    hands = RayHands("h:1", command=side(reply))
    assert hands.slots == 2
    if made is not None:
        assert list(hands.made("{}", [("0" * 32, "[]")])) == [(0, made)]
    else:
        with pytest.raises(CorpusError, match="What was finished is kept"):
            list(hands.made("{}", [("0" * 32, "[]")]))


# Some nodes, the real command, and what stands in /proc meanwhile.
ON_A_CLUSTER = """
import json, os, signal, subprocess, sys, threading, time
from pathlib import Path
from ray.cluster_utils import Cluster
from tests.support.processes import network_sockets

store, root, more = sys.argv[1:]
node = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=node)
nodes = [cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20) for _ in range(int(more))]

seen = {"documents": {}, "ray": {}, "killed": 0}
over = threading.Event()

def look():
    while not over.wait(0.1):
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes()
                reads = b"sync.shards" in command or b"parsers.child" in command
                reads = reads or b"corpus_agent\\0--store" in command
                if not (reads or b"ray_side" in command):
                    continue
                kind = seen["documents" if reads else "ray"]
                kind[folder.name] = kind.get(folder.name, 0) + len(network_sockets(folder.name))
                if nodes and b"sync.shards" in command:  # amid its first shard
                    os.kill(int(folder.name), signal.SIGKILL)
                    cluster.remove_node(nodes.pop())
                    seen["killed"] += 1
            except OSError:
                continue

thread = threading.Thread(target=look)
thread.start()
done = subprocess.run(
    [sys.executable, "-m", "corpus_agent", "--store", store, "index", root, "--ocr", "off",
     "--cluster", cluster.address, "--json"], stdout=subprocess.PIPE, text=True)
over.set()
thread.join()
cluster.shutdown()
print(json.dumps({"code": done.returncode, "said": json.loads(done.stdout), "seen": seen}))
"""


def in_a_namespace(script: str, *arguments: object, scratch: Path) -> dict[str, object]:
    """The last line that a script prints, as JSON; there is no network but loopback around it."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(scratch), **QUIET}
    environment["PYTHONPATH"] = str(REPOSITORY)
    if subprocess.run(["unshare", "-rn", "true"], check=False).returncode:
        pytest.skip("no network namespace can be had here")
    (scratch / "script.py").write_text(script)
    command = shlex.join(map(str, [sys.executable, scratch / "script.py", *arguments]))
    done = subprocess.run(
        ["unshare", "-rn", "sh", "-c", f"ip link set lo up; exec {command}"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout, done.stderr[-2_000:]
    return json.loads(done.stdout.splitlines()[-1])


def plain_index(store: Path, root: Path) -> Path:
    make_store(store)
    sync_folder(store, root, FolderEncoder(), ocr="off")
    return store


needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="the extra [cluster] is missing")


@pytest.mark.slow
@pytest.mark.timeout(900)
@needs_ray
@pytest.mark.parametrize("more", [0, pytest.param(2, marks=pytest.mark.nightly)])
def test_nodes_without_a_network_make_the_index_of_one_process(tmp_path, more):
    root = tmp_path / "docs"
    make_folder(root, 12 + 24 * more, Random(4), paragraphs=2)
    plain, made = plain_index(tmp_path / "plain", root), tmp_path / "made"
    found = in_a_namespace(ON_A_CLUSTER, made, root, more, scratch=tmp_path)
    assert (found["code"], found["said"]["seal"]) == (0, "enforced")
    assert found["said"]["index"]["cluster"]["again"] == []
    assert found["seen"]["killed"] == more  # a process and a node, each time
    check_store(made)
    check_same(plain, made)
    assert found["seen"]["documents"]
    assert not any(found["seen"]["documents"].values())
    assert any(found["seen"]["ray"].values())  # the control: these have sockets
