"""The seal of a whole process: what is closed, what still works, and what happens without a kernel
that can do it. Every process is a real one, and nothing about the kernel is pretended by a mock: an
older kernel is imitated by a filter that makes its system calls fail as they would there.
"""

import errno
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_agent.seal import policy
from indexer.errors import SealUnavailable
from tests.support.sealed_child import python, run, sealed, unsealed


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
def test_inside_the_documents_and_the_index_are_open_and_nothing_takes_the_seal_off(
    root, store, outside
):
    code = """
    outcome["document"] = (root / "note.md").read_text()
    (store / "folder").mkdir()
    (store / "folder" / "file").write_text("one")
    (store / "folder" / "file").rename(store / "file")
    (store / "file").write_text("two")
    os.truncate(os.open(store / "file", os.O_RDWR), 1)
    outcome["store"] = (store / "file").read_text()
    (store / "file").unlink(); (store / "folder").rmdir()
    with tempfile.NamedTemporaryFile() as file:
        outcome["temporary"] = file.name.startswith(f"{store}/tmp/")
    outcome["variable"] = os.environ["TMPDIR"] == f"{store}/tmp"
    outcome["mode"] = oct((store / "tmp").stat().st_mode & 0o777)
    attempt("elsewhere", lambda: tempfile.NamedTemporaryFile(dir="/tmp").close())
    attempt("again", lambda: seal(policy(Path("/usr"), store)).state)
    attempt("reading", Path(sys.argv[3], "secret.txt").read_text)
    attempt("socket", lambda: socket.socket().close())
    """
    names = ("CORPUS_AGENT_UNSEALED", "CORPUS_AGENT_SEAL", "UNSEALED", "CORPUS_AGENT_NO_SEAL")
    environment = dict.fromkeys(names, "1") | {"CORPUS_AGENT_SEAL": "off"}
    before = f"import tempfile; tempfile.gettempdir(); sys.argv.append({str(outside)!r})"
    assert sealed(before, code, root, store, environment=environment) == {
        "document": "words", "store": "t", "temporary": True, "variable": True, "mode": "0o700",
        "elsewhere": "EACCES", "again": "enforced", "reading": "EACCES", "socket": "EPERM",
    }  # fmt: skip
    open_too = 'attempt("socket", lambda: socket.socket().close())'
    assert unsealed("", open_too, root, store, environment=environment) == {"socket": None}


def seal_error(code: str, *arguments: object) -> str | None:
    """What the seal says that refuses a process in which `code` ran first, None if it does not."""
    before = (
        "from corpus_agent.seal import policy, seal\nfrom indexer.errors import SealUnavailable\n"
    )
    sealing = """
try:
    seal(policy(Path(sys.argv[1]), Path(sys.argv[2]), **given))
except SealUnavailable as error:
    outcome["error"] = str(error)
"""
    return python(f"{before}given = {{}}\n{code}\n{sealing}", *arguments).get("error")


def test_a_network_connection_as_standard_stream_is_refused(root, store):
    script = (
        "import sys; from pathlib import Path; from corpus_agent.seal import policy, seal\n"
        "seal(policy(Path(sys.argv[1]), Path(sys.argv[2])))"
    )
    command = [sys.executable, "-c", script, root, store]
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as connection,
    ):
        for given in ({"stdin": connection}, {"stdout": connection}):
            done = subprocess.run(command, **given, stderr=subprocess.PIPE, text=True)
            assert "SealUnavailable: Descriptor" in done.stderr, given


def test_only_a_socket_that_listens_on_this_machine_alone_is_served(root, store):
    refused = "does not listen on this machine alone"
    made = {
        'socket.create_server(("0.0.0.0", 0))': refused,
        'socket.create_server(("::1", 0), family=socket.AF_INET6)': refused,
        "bound(socket.socket())": refused,
        "bound(socket.socket(type=socket.SOCK_DGRAM))": refused,
        "socket.create_connection(far.getsockname())": refused,
        "open(os.devnull)": "no socket to serve",
        # The control is served, but for the second socket, which leads elsewhere.
        "bound(socket.socket()); kept.listen(); far.close()": None,
        "bound(socket.socket()); kept.listen()": "could reach beyond this process",
    }
    code = """
def bound(sock):
    sock.bind(("127.0.0.1", 0))
    return sock
far = socket.create_server(("127.0.0.1", 0))
kept = {}
given["listener"] = kept.fileno()
"""
    said = {one: seal_error(code.format(one), root, store) for one in made}
    wrong = {one: said[one] for one, part in made.items() if (part or "None") not in str(said[one])}
    assert wrong == {}


def test_the_whole_disk_cannot_be_a_corpus(store):
    with pytest.raises(SealUnavailable, match="Nothing lies outside of '/'"):
        policy(Path("/"), store)


CALL_MISSING = """
import sys
from pathlib import Path
from tests.attacks.lacking_kernel import lack
root, store, missing = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
if missing:
    # The seal's own filter comes after this one, so this process's kernel has no such call.
    lack(missing, int(sys.argv[4]))
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
def test_a_kernel_that_cannot_ends_with_exit_3_and_nothing_read(root, store):
    control = run(CALL_MISSING, root, store, "", 0)
    assert (control.returncode, control.stdout) == (0, "words\n")
    failing = {}
    for call, answer, says in (
        ("landlock_create_ruleset", "ENOSYS", "Landlock is not in this kernel"),
        ("landlock_create_ruleset", "EOPNOTSUPP", "off: add it to lsm="),
        ("landlock_create_ruleset", "EPERM", "Landlock cannot be used here"),
        ("landlock_add_rule", "EINVAL", "Landlock refused a rule"),
        ("landlock_restrict_self", "EPERM", "Landlock refused a rule"),
        ("seccomp", "EINVAL", "sets no seccomp filter"),
        ("seccomp", "ENOSYS", "sets no seccomp filter"),
        ("prctl", "EINVAL", "no_new_privs cannot be set"),
        ("capget", "EPERM", "Capabilities cannot be dropped"),
    ):
        done = run(CALL_MISSING, root, store, call, getattr(errno, answer))
        if done.returncode != 3 or says not in done.stderr or "words" in done.stdout + done.stderr:
            failing[call, answer] = done
    assert failing == {}


def test_a_folder_that_is_gone_or_a_link_by_now_stops_the_seal(root, store):
    assert seal_error("", root, store) is None  # the control
    for path in (root, store):
        away = path.rename(path.with_name("away"))
        assert str(path) in seal_error("", root, store)
        path.symlink_to(away)
        assert seal_error("", root, store), path
        path.unlink()
        away.rename(path)
