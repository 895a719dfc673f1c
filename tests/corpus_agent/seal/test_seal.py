"""The seal of a whole process: what is closed, what still works, and what happens without a kernel
that can do it. Every process is a real one, and nothing about the kernel is pretended by a mock: an
older kernel is imitated by a filter that makes its system calls fail as they would there.
"""

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_agent.seal import policy
from corpus_agent.seal import unsealed as state_without
from indexer.confine import check_kernel
from indexer.errors import SealUnavailable
from tests.support.places import REPOSITORY
from tests.support.sealed_child import python, run, sealed, unsealed


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "note.md").write_text("words")
    return folder


@pytest.fixture
def store(tmp_path):
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text("words")
    return folder


@pytest.mark.slow
def test_the_state_is_enforced_or_off_and_nothing_else(root, store):
    code = """
    from dataclasses import asdict
    from corpus_agent.seal import policy, seal
    outcome.update(asdict(seal(policy(Path(sys.argv[1]), Path(sys.argv[2])))))
    """
    found = python(code, root, store)
    assert found["state"] == "enforced"
    assert found["landlock_abi"] == check_kernel()[1]
    assert state_without().state == "off"


@pytest.mark.slow
def test_files_outside_of_corpus_and_store_are_closed(root, store, outside):
    code = """
    outside = Path(sys.argv[3])
    attempt("reading", (outside / "secret.txt").read_text)
    attempt("listing", lambda: len(os.listdir(outside)))
    attempt("making", (outside / "new.txt").write_text, "words")
    attempt("renaming", os.rename, store / "kept.txt", outside / "kept.txt")
    attempt("linking", os.link, outside / "secret.txt", store / "secret.txt")
    attempt("home", lambda: len(os.listdir(Path.home())))
    attempt("passwords", lambda: Path("/etc/passwd").read_text()[:4])
    attempt("others", lambda: Path(f"/proc/{os.getppid()}/cmdline").read_text()[:0])
    attempt("through proc", Path(f"/proc/self/root{outside}/secret.txt").read_text)
    attempt("once more", lambda: open(f"/proc/self/fd/{opened.fileno()}").read())
    attempt("their memory", lambda: os.close(os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY)))
    attempt("shared memory", lambda: len(os.listdir("/dev/shm")))
    attempt("writing the corpus", (root / "new.txt").write_text, "words")
    attempt("removing a document", (root / "note.md").unlink)
    """
    arguments = f"sys.argv.append({str(outside)!r})\n"
    before = arguments + '(store / "kept.txt").write_text("words")\n'
    before += 'opened = open(f"{sys.argv[3]}/secret.txt")\n'
    shut = sealed(before, code, root, store)
    assert shut.pop("linking") in ("EACCES", "EXDEV")
    assert set(shut.values()) == {"EACCES"}, shut
    free = unsealed(before, code, root, store)
    assert free["reading"] == "words"
    assert not {"EACCES", "EPERM", "EXDEV"} & set(map(str, free.values())), free


@pytest.mark.slow
def test_of_several_stores_their_folders_are_read_and_nothing_is_written(tmp_path):
    names = ("home/docs", "home/store", "work/docs", "work/store", "other/docs", "other/store")
    for name in names:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.txt").write_text("words")
    seal_them = "from corpus_agent.seal import policy, seal\n"
    seal_them += "seal(policy(None, None, several=[base / name for name in names[:4]]))\n"
    before = "base, names = Path(sys.argv[1]), sys.argv[2:]\n"
    code = """
for name in names:
    attempt(name, (base / name / "a.txt").read_text)
    attempt(f"write {name}", (base / name / "new.txt").write_text, "words")
    attempt(f"change {name}", (base / name / "a.txt").write_text, "words")
attempt("beside", lambda: len(os.listdir(base / "home")))
attempt("links", (base / "home/docs/../../other/docs/a.txt").read_text)
attempt("temporary", Path("/tmp/new.txt").write_text, "words")
"""
    found = python(before + seal_them + code, tmp_path, *names)
    assert {name: found.pop(name) for name in names[:4]} == dict.fromkeys(names[:4], "words")
    assert set(found.values()) == {"EACCES"}, found
    free = python(before + code.replace("/tmp/new.txt", f"{tmp_path}/new.txt"), tmp_path, *names)
    assert "EACCES" not in free.values()
    assert [free[name] for name in names] == ["words"] * len(names)


@pytest.mark.slow
def test_corpus_and_store_are_open(root, store):
    code = """
    outcome["document"] = (root / "note.md").read_text()
    (store / "folder").mkdir()
    (store / "folder" / "file").write_text("one")
    (store / "folder" / "file").rename(store / "file")
    (store / "file").write_text("two")
    os.truncate(os.open(store / "file", os.O_RDWR), 1)
    outcome["store"] = (store / "file").read_text()
    (store / "file").unlink(); (store / "folder").rmdir()
    """
    assert sealed("", code, root, store) == {"document": "words", "store": "t"}


@pytest.mark.slow
def test_temporary_files_go_into_the_store(root, store):
    code = """
    import tempfile
    with tempfile.NamedTemporaryFile() as file:
        outcome["python"] = file.name
    outcome["variable"] = os.environ["TMPDIR"]
    outcome["mode"] = oct((store / "tmp").stat().st_mode & 0o777)
    attempt("elsewhere", lambda: tempfile.NamedTemporaryFile(dir="/tmp").close())
    """
    found = sealed("import tempfile; tempfile.gettempdir()", code, root, store)
    assert found["python"].startswith(f"{store}/tmp/")
    assert found["variable"] == f"{store}/tmp"
    assert found["mode"] == "0o700"
    assert found["elsewhere"] == "EACCES"


@pytest.mark.slow
def test_no_environment_variable_turns_the_seal_off(root, store):
    names = ("CORPUS_AGENT_UNSEALED", "CORPUS_AGENT_SEAL", "UNSEALED", "CORPUS_AGENT_NO_SEAL")
    environment = dict.fromkeys(names, "1") | {"CORPUS_AGENT_SEAL": "off"}
    code = 'attempt("socket", lambda: socket.socket().close())'
    assert sealed("", code, root, store, environment=environment) == {"socket": "EPERM"}
    assert unsealed("", code, root, store, environment=environment) == {"socket": None}


def seal_error(code: str, *arguments: object) -> str:
    """What the seal says that refuses a process in which `code` ran first."""
    before = (
        "from corpus_agent.seal import policy, seal\nfrom indexer.errors import SealUnavailable\n"
    )
    sealing = """
try:
    seal(policy(Path(sys.argv[1]), Path(sys.argv[2]), **given))
except SealUnavailable as error:
    outcome["error"] = str(error)
"""
    return python(f"{before}given = {{}}\n{code}\n{sealing}", *arguments)["error"]


@pytest.mark.slow
def test_the_seal_cannot_be_taken_off_again(root, store, outside):
    code = """
    attempt("again", lambda: seal(policy(Path("/usr"), store)).state)
    attempt("reading", Path(sys.argv[3], "secret.txt").read_text)
    """
    found = sealed(f"sys.argv.append({str(outside)!r})", code, root, store)
    assert found == {"again": "enforced", "reading": "EACCES"}


@pytest.mark.slow
def test_inherited_descriptors_are_closed_and_own_files_stay(root, store, outside):
    code = """
    attempt("inherited", lambda: os.read(int(os.environ["HANDED"]), 1).decode())
    outcome["own"] = own.read()
    """
    before = 'own = (root / "note.md").open()\n'
    secret = os.open(outside / "secret.txt", os.O_RDONLY)
    options = {"pass_fds": [secret], "environment": {"HANDED": str(secret)}}
    shut = sealed(before, code, root, store, **options)
    free = unsealed(before, code, root, store, **options)
    os.close(secret)
    assert shut == {"inherited": "EBADF", "own": "words"}
    assert free == {"inherited": "w", "own": "words"}


@pytest.mark.slow
def test_a_process_with_a_network_socket_open_is_not_sealed(root, store):
    error = seal_error("kept = socket.socket()", root, store)
    assert "is a socket that could reach beyond this process" in error


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_a_network_connection_as_standard_stream_is_refused(root, store, stream):
    script = (
        "import sys; from pathlib import Path; from corpus_agent.seal import policy, seal\n"
        "seal(policy(Path(sys.argv[1]), Path(sys.argv[2])))"
    )
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as connection,
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, root, store],
            **{stream: connection},
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )
    assert "SealUnavailable: Descriptor" in done.stderr


def test_the_whole_disk_cannot_be_a_corpus(store):
    with pytest.raises(SealUnavailable, match="Nothing lies outside of '/'"):
        policy(Path("/"), store)


@pytest.mark.slow
def test_a_corpus_that_is_not_there_stops_the_seal(root, store):
    root.rename(root.with_name("away"))
    assert str(root) in seal_error("", root, store)


@pytest.mark.slow
def test_signals_reach_no_other_process(root, store):
    if check_kernel()[1] < 6:
        pytest.skip("this kernel's Landlock cannot keep signals in (ABI 6)")
    code = 'attempt("parent", os.kill, os.getppid(), 0)\nattempt("self", os.kill, os.getpid(), 0)'
    assert sealed("", code, root, store) == {"parent": "EPERM", "self": None}
    assert unsealed("", code, root, store) == {"parent": None, "self": None}


# -- a kernel that cannot ----------------------------------------------------------------------

CALL_MISSING = """
import sys
from pathlib import Path
from indexer.confine import Denial, restrict_syscalls
root, store, missing = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
if missing:
    # The seal's own filter comes after this one, so this process's kernel has no such call.
    restrict_syscalls([Denial(missing, int(sys.argv[4]))])
from indexer.errors import CorpusError
from corpus_agent.seal import policy, seal
try:
    seal(policy(root, store))
    print((root / "note.md").read_text())
except CorpusError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "answer", "says"),
    [
        ("landlock_create_ruleset", "ENOSYS", "Landlock is not in this kernel"),
        ("landlock_create_ruleset", "EOPNOTSUPP", "off: add it to lsm="),
        ("landlock_create_ruleset", "EPERM", "Landlock cannot be used here"),
        ("landlock_add_rule", "EINVAL", "Landlock refused a rule"),
        ("landlock_restrict_self", "EPERM", "Landlock refused a rule"),
        ("seccomp", "EINVAL", "sets no seccomp filter"),
        ("seccomp", "ENOSYS", "sets no seccomp filter"),
        ("prctl", "EINVAL", "no_new_privs cannot be set"),
        ("capget", "EPERM", "Capabilities cannot be dropped"),
    ],
)
def test_a_kernel_that_cannot_ends_with_exit_3_and_nothing_read(root, store, call, answer, says):
    done = run(CALL_MISSING, root, store, call, getattr(errno, answer))
    assert done.returncode == 3
    assert says in done.stderr
    assert "words" not in done.stdout + done.stderr
    control = run(CALL_MISSING, root, store, "", 0)
    assert (control.returncode, control.stdout) == (0, "words\n")


@pytest.mark.slow
def test_a_filter_that_does_not_bite_is_noticed(root, store):
    # What an emulated kernel might do: take the filter and not apply it.
    code = """
    from indexer.confine import Policy, FileRule
    from indexer.confine.rules import everything_but
    from indexer.confine.syscalls import names
    from indexer.errors import SealUnavailable
    from corpus_agent.seal import policy, seal, SealPolicy
    chosen = policy(Path(sys.argv[1]), Path(sys.argv[2]))
    rules = chosen.confinement.files
    if sys.argv[3] == "sockets":
        chosen = SealPolicy(Policy(calls=everything_but((), names()), files=rules), chosen.temp)
    else:
        chosen = SealPolicy(Policy(files=(*rules, FileRule(Path("/"), "list"))), chosen.temp)
    try:
        seal(chosen)
    except SealUnavailable as error:
        outcome["error"] = str(error)
    """
    assert "still opens AF_INET sockets" in python(code, root, store, "sockets")["error"]
    assert "still lists '/'" in python(code, root, store, "files")["error"]


# -- what must go on working -------------------------------------------------------------------


@pytest.mark.slow
def test_threads_loops_and_children_work_inside(root, store):
    code = """
    import asyncio, concurrent.futures
    async def main():
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "print(6 * 7)", stdout=asyncio.subprocess.PIPE)
        return int((await process.communicate())[0]) + await asyncio.to_thread(lambda: 1)
    outcome["asyncio"] = asyncio.run(main())
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        outcome["pool"] = sum(pool.map(lambda n: n * n, range(10)))
    command = [sys.executable, "-c", "import indexer.confine; print('found')"]
    outcome["child"] = subprocess.run(command, capture_output=True, text=True).stdout
    outcome["time"] = __import__("datetime").datetime.now().astimezone().year > 2000
    """
    found = sealed("", code, root, store)
    assert found == {"asyncio": 43, "pool": 285, "child": "found\n", "time": True}


@pytest.mark.slow
def test_a_worker_inside_can_confine_itself_further(root, store):
    code = """
    worker = (
        "import errno, os, sys\\n"
        "from pathlib import Path\\n"
        "from indexer.confine import *\\n"
        "root, store = map(Path, sys.argv[1:])\\n"
        "if os.environ['WORKER'] == 'held':\\n"
        "    rules = (FileRule(root), *interpreter_files(), *system_files())\\n"
        "    confine(Policy(files=rules, limits=Limits(open_files=64)))\\n"
        "print(len((root / 'note.md').read_text()))\\n"
        "try:\\n"
        "    print((store / 'new.txt').write_text('words'))\\n"
        "except OSError as error:\\n"
        "    print(errno.errorcode[error.errno])\\n"
    )
    command = [sys.executable, "-c", worker, root, store]
    done = subprocess.run(command, capture_output=True, text=True)
    outcome["worker"] = done.stdout.split() or done.stderr
    """
    held = sealed("", code, root, store, environment={"WORKER": "held"})
    assert held == {"worker": ["5", "EACCES"]}
    free = sealed("", code, root, store, environment={"WORKER": "free"})
    assert free == {"worker": ["5", "5"]}


@pytest.mark.slow
def test_a_stream_pair_sends_to_its_other_half_whatever_address_is_given(root, store, outside):
    path = str(outside / "socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(path)
        listener.setblocking(False)
        code = f"""
        one, other = socket.socketpair()
        attempt("pair", one.sendmsg, [b"x"], [], 0, {path!r})
        def datagram():
            one, other = socket.socketpair(type=socket.SOCK_DGRAM)
            return one.sendmsg([b"x"], [], 0, {path!r})
        attempt("datagram pair", datagram)
        """
        shut = sealed("", code, root, store)
        with pytest.raises(BlockingIOError):
            listener.recv(10)
        assert shut == {"pair": "EISCONN", "datagram pair": "EPERM"}
        assert unsealed("", code, root, store)["datagram pair"] == 1
        assert listener.recv(10) == b"x"


@pytest.mark.slow
def test_lancedb_indexes_and_searches_inside(root, store):
    pytest.importorskip("lancedb")
    code = """
    import warnings; warnings.simplefilter("ignore")
    import lancedb
    from lancedb.index import BTree, IvfRq
    database = lancedb.connect(store / "lance")
    rows = [{"id": n, "text": f"word{n} sourdough", "vector": [float(n), *[1.0] * 15]}
            for n in range(300)]
    table = database.create_table("chunks", rows)
    table.create_fts_index("text")
    table.create_index("vector", config=IvfRq(num_partitions=4, num_bits=4))
    table.create_index("id", config=BTree())
    table.add(rows[:3]); table.delete("id = 299"); table.optimize()
    outcome["rows"] = table.count_rows()
    outcome["words"] = len(table.search("sourdough", query_type="fts").limit(3).to_list())
    nearest = table.search([7.0, *[1.0] * 15]).nprobes(4).refine_factor(9)
    outcome["nearest"] = nearest.limit(1).to_list()[0]["id"]
    """
    assert sealed("", code, root, store) == {"rows": 302, "words": 3, "nearest": 7}


@pytest.mark.slow
def test_nothing_is_written_outside_of_the_store(root, store, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    code = """
    import asyncio, tempfile
    asyncio.run(asyncio.sleep(0))
    tempfile.mkdtemp()
    attempt("home", (Path.home() / ".cache").mkdir)
    """
    found = sealed("", code, root, store, environment={"HOME": str(home)})
    assert found == {"home": "EACCES"}
    assert list(home.iterdir()) == []
    assert sorted(path.name for path in root.iterdir()) == ["note.md"]


# -- what file rules do not judge


@pytest.mark.slow
@pytest.mark.parametrize("watching", [False, True])
def test_only_a_process_that_watches_is_told_what_is_opened_elsewhere(
    root, store, outside, watching
):
    code = """
    from corpus_agent.seal import policy, seal
    root, store, outside = map(Path, sys.argv[1:4])
    if sys.argv[4] != "unsealed":
        seal(policy(root, store, watching=sys.argv[4] == "True"))
    libc = ctypes.CDLL(None, use_errno=True)
    def checked(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "")
        return result
    attempt("made", lambda: checked(libc.inotify_init1(0)) > 0)
    attempt("added", lambda: checked(libc.inotify_add_watch(99, bytes(outside), 0x20)))
    """
    found = python(code, root, store, outside, watching)
    # The control: asked with no such descriptor, a kernel that looks at all says EBADF.
    expected = {"made": True, "added": "EBADF"}
    assert python(code, root, store, outside, "unsealed") == expected
    assert found == (expected if watching else {"made": "EPERM", "added": "EPERM"})


@pytest.mark.slow
@pytest.mark.parametrize("watching", [False, True])
def test_no_attribute_of_any_file_is_read(root, store, outside, watching):
    code = """
    from corpus_agent.seal import policy, seal
    root, store, outside = map(Path, sys.argv[1:4])
    opened = os.open(root / "note.md", os.O_RDONLY)
    if sys.argv[4] != "unsealed":
        seal(policy(root, store, watching=sys.argv[4] == "True"))
        opened = os.open(root / "note.md", os.O_RDONLY)
    for place in (outside, opened):
        for follow in (True, False) if place != opened else (True,):
            kind = f"{'descriptor' if place == opened else 'path'} {follow}"
            attempt(f"get {kind}", lambda: os.getxattr(place, "user.no", follow_symlinks=follow))
            attempt(f"list {kind}", lambda: len(os.listxattr(place, follow_symlinks=follow)))
    """
    found = python(code, root, store, outside, watching)
    assert set(found.values()) == {"EPERM"}
    assert len(found) == 6
    assert "EPERM" not in python(code, root, store, outside, "unsealed").values()


# -- a process that serves

SERVING = """
from corpus_agent.seal import policy, seal
root, store = map(Path, sys.argv[1:3])
family = {"tcp": socket.AF_INET, "unix": socket.AF_UNIX}[sys.argv[3]]
def address(name):
    return ("127.0.0.1", 0) if sys.argv[3] == "tcp" else f"{sys.argv[4]} {name}"
listener, other = (socket.socket(family, socket.SOCK_STREAM) for _ in range(2))
for each, name in ((listener, "one"), (other, "other")):
    each.bind(address(name))
    each.listen()
place, elsewhere = listener.getsockname(), other.getsockname()
if sys.argv[5] == "sealed":
    other.close()
    ready, go = os.pipe()
    if (client := os.fork()) == 0:  # outside of the seal
        listener.close()
        os.read(ready, 1)
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.connect(place)
        sock.sendall(b"asked")
        os._exit(0 if sock.recv(9) == b"answered" else 1)
    seal(policy(root, store, listener=listener.fileno()))
    os.write(go, b".")
else:
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.connect(place)
    sock.sendall(b"asked")
accepted, _ = listener.accept()
outcome["heard"] = accepted.recv(5).decode()
accepted.sendall(b"answered")
if sys.argv[5] == "sealed":
    outcome["client"] = os.waitpid(client, 0)[1]
accepted.close()
attempt("new socket", lambda: socket.socket().close())
attempt("unix socket", lambda: socket.socket(socket.AF_UNIX).close())
attempt("listen", listener.listen)
attempt("bind", listener.bind, address("new"))
attempt("connect", listener.connect, elsewhere)
attempt("fast open", lambda: listener.sendmsg([b"x"], [], 0x20000000, elsewhere))
attempt("send to", lambda: listener.sendto(b"x", elsewhere))
attempt("option", lambda: listener.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 9))
attempt("shut", lambda: listener.shutdown(socket.SHUT_RDWR))
attempt("connect what was shut", listener.connect, elsewhere)
"""
WAYS_OUT = ["new socket", "unix socket", "listen", "bind", "connect", "fast open", "send to",
            "option", "connect what was shut"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tcp", "unix"])
def test_a_process_that_serves_accepts_and_does_nothing_else(kind, root, store, outside):
    found = python(SERVING, root, store, kind, outside / "socket", "sealed")
    assert (found["heard"], found["client"]) == ("asked", 0)
    assert {name: found[name] for name in WAYS_OUT} == dict.fromkeys(WAYS_OUT, "EPERM")
    free = python(SERVING, root, store, kind, outside / "socket 2", "unsealed")
    assert "EPERM" not in free.values()
    assert free["new socket"] is free["unix socket"] is free["listen"] is None


@pytest.mark.slow
def test_a_process_that_does_not_serve_accepts_nothing(root, store, outside):
    """The control of the call: a Unix listener may stay open, and leads nowhere."""
    code = SERVING.replace(", listener=listener.fileno()", "").replace(
        "accepted, _ = listener.accept()",
        'attempt("accept", listener.accept); print(json.dumps(outcome), flush=True); os._exit(0)',
    )
    found = python(code, root, store, "unix", outside / "socket", "sealed")
    assert found == {"accept": "EPERM"}


@pytest.mark.slow
def test_a_socket_that_does_not_listen_on_this_machine_alone_is_not_served(root, store):
    failing = {}
    for made, says in (
        ('socket.create_server(("0.0.0.0", 0))', "on this machine alone"),
        ('socket.socket(); kept.bind(("127.0.0.1", 0))', "on this machine alone"),
        ("socket.create_connection(far.getsockname())", "on this machine alone"),
        ('socket.socket(type=socket.SOCK_DGRAM); kept.bind(("127.0.0.1", 0))', "machine alone"),
        ('socket.create_server(("::1", 0), family=socket.AF_INET6)', "on this machine alone"),
        ("open(os.devnull)", "no socket to serve"),
        ('socket.create_server(("127.0.0.1", 0))', "could reach beyond this process"),  # the other
    ):
        code = f'far = socket.create_server(("127.0.0.1", 0))\nkept = {made}\n'
        error = seal_error(code + "given = {'listener': kept.fileno()}", root, store)
        if says not in error:
            failing[made] = error
    assert failing == {}
