"""On a live cluster no process with a document has a socket, nor one with a socket a document.

The cluster indexes made documents in a network namespace of its own, while /proc is looked at: two
processes of this machine, or Ray's. A process that does all of it is the control.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec

import pytest

from tests.support.places import REPOSITORY

NEEDS_RAY = pytest.mark.skipif(find_spec("ray") is None, reason="no extra [cluster]")
# Of numbers too: with its first process all that was started within ends, Ray's daemons included.
NAMESPACES = ("--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "kind", ["local", pytest.param("ray", marks=[NEEDS_RAY, pytest.mark.nightly])]
)
def test_on_a_live_cluster_no_process_with_a_document_has_a_socket(kind):
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("there is no program 'unshare'")
    inside = (sys.executable, "-m", "tests.attacks.clustered")
    with tempfile.TemporaryDirectory() as folder:  # with a short name, as Ray's sockets need
        command = (unshare, *NAMESPACES, *inside, folder, kind)
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode and "unshare:" in done.stderr:
        pytest.skip(f"no network namespace can be had here: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["code"] == 0 and seen["documents"], seen["said"]
    assert all(seen["control"].values()), seen
    assert seen["readers"]["processes"] and not seen["readers"]["sockets"], seen
    assert seen["others"]["processes"] or kind == "local"
    assert not (seen["others"]["documents"] or seen["others"]["texts"]), seen
    assert seen["out"] == 0 < seen["own"]  # packets, which the control sends on loopback
