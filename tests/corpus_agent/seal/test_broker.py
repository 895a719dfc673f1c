"""The broker: one address, one way to it, from inside a sealed process."""

import socket
import textwrap

import pytest

from corpus_agent.seal import Gate, TcpAddress, start_broker
from indexer.confine import check_kernel
from indexer.errors import UsageError
from tests.support.fakes import ScriptedModelServer
from tests.support.sealed_child import python


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as sock:
        sock.setblocking(False)
        yield sock


UNSEALED = """
from corpus_agent.seal import *
root, store, where = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
address = TcpAddress("127.0.0.1", int(where)) if where.isdigit() else UnixAddress(where)
gate = Gate(address, frozenset(["m"]), frozenset([os.geteuid()]))
broker = start_broker(gate)
"""


BROKERED = UNSEALED + "seal(policy(root, store))\n"


def brokered(code, root, store, where, **options):
    """The outcome of `code` in a sealed process with a broker."""
    return python(BROKERED + textwrap.dedent(code), root, store, where, **options)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["port", "path"])
def test_the_server_is_asked_by_the_broker_and_reached_in_no_other_way(root, store, tmp_path, kind):
    code = """
    def directly():
        family = socket.AF_INET if where.isdigit() else socket.AF_UNIX
        with socket.socket(family) as sock:
            sock.connect((address.ip, address.port) if where.isdigit() else address.path)
    attempt("directly", directly)
    outcome["asked"] = broker.status_of("/v1/models", 10)
    outcome["open"] = sorted(os.readlink(f"/proc/self/fd/{name}").split(":")[0]
                             for name in os.listdir("/proc/self/fd")
                             if os.path.exists(f"/proc/self/fd/{name}"))
    """
    with ScriptedModelServer(path=tmp_path / "llm.sock" if kind == "path" else None) as fake:
        found = brokered(code, root, store, fake.path or fake.port)
        assert (found["directly"], found["asked"]) == ("EPERM", 200)
        assert fake.paths == ["GET /v1/models"]
        assert found["open"].count("pipe") >= 2  # those of the broker
        assert "socket" not in found["open"]


def test_only_this_machine_can_be_brokered_and_only_by_its_address():
    for ip in ("192.0.2.1", "10.0.0.1", "0.0.0.0", "::", "2001:db8::1"):
        with pytest.raises(UsageError, match="is not this machine"):
            start_broker(Gate(TcpAddress(ip, 80), frozenset(), None))
    # Not an IPv4 address in IPv6's clothes.
    local = {ip for ip in ("::1", "127.1.2.3", "::ffff:127.0.0.1") if TcpAddress(ip, 80).is_local}
    assert local == {"::1", "127.1.2.3"}
    with pytest.raises(OSError, match="illegal IP address"):
        start_broker(Gate(TcpAddress("localhost", 80), frozenset(), None))


@pytest.mark.slow
def test_the_broker_itself_opens_nothing_else(tmp_path, listener):
    # Its own policy, applied to a process that tries what it never would. test_kernel_answers
    # asks for the calls.
    code = """
    from corpus_agent.seal import Gate, TcpAddress, relay
    from indexer.confine import confine
    port, other = int(sys.argv[1]), int(sys.argv[2])
    if sys.argv[3] == "held":
        confine(relay.policy(Gate(TcpAddress("127.0.0.1", port), frozenset(), None)))
    def connect(port):
        with socket.socket() as sock:
            sock.connect(("127.0.0.1", port))
    attempt("its address", connect, port)
    attempt("another port", connect, other)
    attempt("file", lambda: os.close(os.open("/etc/passwd", os.O_RDONLY)))
    attempt("program", lambda: os.posix_spawn("/bin/true", ["true"], {}) and None)
    """
    with socket.create_server(("127.0.0.1", 0)) as other:
        ports = listener.getsockname()[1], other.getsockname()[1]
        held = python(code, *ports, "held")
        # Without port rules its own code alone keeps it to the address.
        port = "EACCES" if check_kernel()[1] >= 4 else None
        expected = {"its address": None, "another port": port, "file": "EACCES", "program": "EPERM"}
        assert held == expected
        assert set(python(code, *ports, "free").values()) == {None}


@pytest.mark.slow
def test_the_broker_is_confined_apart_and_holds_pipes_and_the_look_up_of_sockets_alone(root, store):
    code = """
    import signal, tempfile
    kept = open(tempfile.mkstemp()[1])
    broker = start_broker(gate)
    folder = f"/proc/{broker.pid}/fd"
    outcome["open"] = sorted(os.readlink(f"{folder}/{name}").split(":")[0]
                             for name in os.listdir(folder))
    status = Path(f"/proc/{broker.pid}/status").read_text()
    outcome["confined"] = "NoNewPrivs:\\t1\\n" in status and "Seccomp:\\t2\\n" in status
    outcome["apart"] = os.getpgid(broker.pid) != os.getpgid(0)
    os.kill(broker.pid, signal.SIGINT)  # as the terminal sends it to all of a group
    outcome["asked"] = broker.status_of("/v1/models", 10)
    broker.close()
    """
    with ScriptedModelServer() as fake:
        found = python(UNSEALED + textwrap.dedent(code), root, store, fake.port)
    # The socket is netlink's, by which the kernel is asked whose a connection is.
    assert found.pop("open") == ["/dev/null", "/dev/null", "/dev/null", "pipe", "pipe", "socket"]
    # The process itself is not sealed with its parent here.
    assert found == {"confined": True, "apart": True, "asked": 200}
