"""The sealed process of a shard: what it may do, and that its end costs its shard."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.confine import starting
from indexer.store.ownership import make_store
from indexer.store.staging import make_staging
from indexer.sync.hands import Hand, ShardLost
from tests.support.places import REPOSITORY

# Tries to do what a document would have it do; `sealed` first, or not, as a control.
TRYING = """
import json, socket, sys
from pathlib import Path
from indexer.confine import confine
from indexer.sync.shard_child import shard_policy
opening, sealed = json.loads(sys.argv[1]), sys.argv[2] == "sealed"
if sealed:
    confine(shard_policy(opening))
store, outside = Path(opening["store"]), Path(sys.argv[3])

def done(attempt):
    try:
        attempt()
    except PermissionError:
        return False
    return True

print(json.dumps({
    "socket": done(lambda: socket.socket()),
    "unix": done(lambda: socket.socket(socket.AF_UNIX)),
    "read outside": done(outside.read_bytes),
    "write manifest": done(lambda: (store / "manifest.json").write_text("{}")),
    "write vectors": done(lambda: (store / "vectors.x").write_text("")),
    "write document": done(lambda: (Path(opening["root"]) / "a.txt").write_text("")),
    "read document": done((Path(opening["root"]) / "a.txt").read_bytes),
    "read store": done((store / "corpus-agent.store").read_bytes),
    "stage": done(lambda: (store / "staging" / "x").write_text("")),
}))
"""


def opening(base: Path) -> dict[str, object]:
    (base / "docs").mkdir()
    (base / "docs" / "a.txt").write_text("The lantern hangs over the harbour door.")
    make_store(base / "store")
    make_staging(base / "store")
    return {"root": str(base / "docs"), "store": str(base / "store"), "model": None}


@pytest.mark.slow
@pytest.mark.parametrize("sealed", [True, False])
def test_a_shards_process_has_no_socket_and_writes_nothing_but_staged_shards(tmp_path, sealed):
    outside = tmp_path / "outside.txt"
    outside.write_text("private")
    arguments = [json.dumps(opening(tmp_path)), "sealed" if sealed else "open", str(outside)]
    done = subprocess.run(
        [sys.executable, "-c", TRYING, *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    tried = json.loads(done.stdout)
    allowed = {"read document", "read store", "stage"}
    assert {what for what, was in tried.items() if was} == (allowed if sealed else {*tried})


# A process in place of a shard's, which says what stands here after the opening, then this.
ANSWERING = (
    "import sys; sys.stdin.readline(); print({first!r}, flush=True); sys.stdin.readline(); {rest}"
)


def saying(first: str, rest: str = "") -> tuple[str, ...]:
    code = ANSWERING.format(first=first, rest=rest or "pass")
    return starting.python(code, installed=False)


ORDER = json.dumps({"shard": "0" * 32, "files": [["a.txt", 1, 1]]})


@pytest.mark.parametrize(
    ("rest", "match"),
    [
        ("print('[]')", "said what it must not"),
        ("print('x' * 10)", "said what it must not"),
        ("print('x' * 10**6)", "said too much"),
        ('print(\'{"done": "/etc"}\')', "answered another order"),
        ("print('{\"done\": 3}')", "answered another order"),
        pytest.param("import time; time.sleep(60)", "took too long", marks=pytest.mark.slow),
        ("sys.exit(3)", "ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "ended with signal 9"),
    ],
)
def test_a_process_that_answers_nonsense_or_nothing_is_lost(rest, match):
    hand = Hand({}, saying('{"ready": 1}', rest))
    try:
        with pytest.raises(ShardLost, match=match):
            hand.make(ORDER, 2.0)
    finally:
        hand.end()


@pytest.mark.parametrize("first", ['{"ready": "yes"}', "{}", "null", "ready"])
def test_a_process_that_does_not_say_that_it_is_sealed_gets_no_order(first):
    with pytest.raises(ShardLost, match=r"did not say that it is sealed|said what it must not"):
        Hand({}, saying(first))


# ---- The whole way, with the packaged model
