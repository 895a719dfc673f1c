"""Namespaces as a second wall: what they add where they can be had, and that nothing needs them."""

import os
from pathlib import Path

import pytest

from tests.support.processes import started_with, until
from tests.support.sealed_child import python, sealed, unsealed

pytestmark = pytest.mark.slow


STANDING = """
from indexer.confine import walls
outcome["walls"] = walls.enter()
"""


@pytest.fixture(scope="module")
def standing():
    """The walls that this system has for this user."""
    return python(STANDING)["walls"]


def here(name):
    return str(Path(f"/proc/self/ns/{name}").readlink())


def test_each_wall_that_stands_is_a_namespace_of_its_own(root, store, standing):
    code = """
    for name in ("net", "ipc", "mnt"):
        outcome[name] = os.readlink(f"/proc/self/ns/{name}")
    """
    inside = sealed("", code, root, store)
    kinds = {"network": "net", "ipc": "ipc", "mount": "mnt"}
    apart = {wall for wall, name in kinds.items() if inside[name] != here(name)}
    assert apart == set(standing) - {"children"}
    assert unsealed("", code, root, store)["net"] == here("net")


ORPHAN = """
    orphan = (
        "import os, signal, sys, time\\n"
        "if os.fork(): os._exit(0)\\n"
        "os.setsid()\\n"
        "for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)\\n"
        "open(sys.argv[1], 'w').close()\\n"
        "while True:\\n"
        "    time.sleep(0.02)\\n"
        "    open(sys.argv[2], 'w').write(str(time.time()))\\n"
    )
    command = [sys.executable, "-c", orphan, store / "started", store / "beat"]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (store / "beat").exists():
        __import__("time").sleep(0.01)
"""


@pytest.mark.parametrize("ending", ["", "os.kill(os.getpid(), 9)"])
def test_what_was_started_inside_ends_with_the_program(root, store, standing, ending):
    if "children" not in standing:
        pytest.skip("no namespace can be had here")
    sealed("", ORPHAN + f"\n    {ending}", root, store, ends=-9 if ending else 0)
    assert (store / "started").exists()
    assert until(lambda: not started_with(str(store / "beat")))


def test_without_the_wall_it_would_live_on(root, store):
    unsealed("", ORPHAN, root, store)
    try:
        last = (store / "beat").read_text()
        assert until(lambda: (store / "beat").read_text() != last)
    finally:
        (left,) = started_with(str(store / "beat"))
        os.kill(left, 9)


def test_a_user_has_the_same_walls_and_no_capability_from_them():
    # In a fresh process: with LanceDB loaded a fork has threads, and nothing can be entered.
    code = """
    from indexer.confine import syscalls, walls
    if os.getuid() == 0:
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        syscalls.prctl(4, 1)  # PR_SET_DUMPABLE, as after a login; becoming somebody took it away
    before = [os.getuid(), os.getgid()]
    outcome["walls"] = walls.enter()
    outcome["same"] = [os.getuid(), os.getgid()] == before
    lines = Path("/proc/self/status").read_text().splitlines()
    left = {line.split()[1] for line in lines if line.startswith(("CapEff", "CapPrm", "CapAmb"))}
    outcome["left"] = sorted(left)
    """
    found = python(code)
    assert found["same"]
    assert found["left"] == ["0" * 16]
    if not found["walls"]:
        pytest.skip("no user namespace can be had here")
    assert {"network", "ipc", "children"} <= set(found["walls"])


@pytest.mark.parametrize("missing", ["unshare", "setns"])
def test_where_namespaces_are_forbidden_the_seal_holds_with_one_wall_less(root, store, missing):
    code = f"""
    from tests.attacks.lacking_kernel import lack
    lack({missing!r}, errno.EPERM)
    from corpus_agent.seal import policy, seal
    found = seal(policy(Path(sys.argv[1]), Path(sys.argv[2])))
    outcome.update(state=found.state, walls=found.walls, user=os.getuid())
    attempt("socket", lambda: socket.socket().close())
    command = [sys.executable, "-c", "print(6 * 7)"]
    outcome["child"] = subprocess.run(command, capture_output=True, text=True).stdout
    """
    found = python(code, root, store)
    walls = found.pop("walls")
    expected = {"state": "enforced", "user": os.getuid(), "socket": "EPERM", "child": "42\n"}
    assert found == expected
    if missing == "unshare" or os.getuid():
        assert walls == []


def test_a_process_with_other_threads_gets_no_wall_before_it_is_refused(root, store):
    code = """
    from indexer.errors import SealUnavailable
    from corpus_agent.seal import policy, seal
    before = os.readlink("/proc/self/ns/net")
    stop = threading.Event()
    threading.Thread(target=stop.wait).start()
    try:
        seal(policy(Path(sys.argv[1]), Path(sys.argv[2])))
    except SealUnavailable as error:
        outcome["error"] = str(error)
    outcome["same"] = os.readlink("/proc/self/ns/net") == before
    stop.set()
    """
    found = python(code, root, store)
    assert "2 threads run in this process" in found["error"]
    assert found["same"]
