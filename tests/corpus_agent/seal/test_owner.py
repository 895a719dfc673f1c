"""Whose process answers: what the kernel says of a listener, and who is asked unnamed."""

import contextlib
import itertools
import json
import multiprocessing
import os
import socket
import stat
import struct
import time

import pytest

from corpus_agent.models import discovery
from corpus_agent.models.discovery import ModelUnavailable, find, parse, server_at
from corpus_agent.seal import Gate, TcpAddress
from corpus_agent.seal.owner import OwnerUnknown, SocketLookup, checked, owner_text, peer_of
from corpus_agent.trust import user_state
from tests.support.brokers import asked, broker_for
from tests.support.fakes import ScriptedModelServer, says
from tests.support.other_user import as_user, serving_as
from tests.support.processes import until
from tests.support.sealed_child import python

OTHER, THIRD = 47_110, 47_111
ME = os.geteuid()


def owners(address, client=None):
    lookup = SocketLookup.open()
    try:
        return lookup.owners(address, client)
    finally:
        lookup.close()


def bound(host: str, port: int = 0, *, alone: bool = False, device: bytes = b"") -> socket.socket:
    """A socket that listens; `alone`: at addresses of IPv6 only."""
    own = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    if ":" in host:
        own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, alone)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if device:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device)
    own.bind((host, port))
    own.listen()
    return own


def test_a_listener_is_found_wherever_it_listens_and_nowhere_else():
    wrong = []
    for host, alone, by_four, by_six in (
        ("127.0.0.1", False, True, False),
        ("0.0.0.0", False, True, False),
        ("::1", False, False, True),
        ("::", False, True, True),
        ("::", True, False, True),
        ("::ffff:127.0.0.1", False, True, False),
        ("127.0.0.2", False, False, False),
    ):
        with bound(host, alone=alone) as listener:
            port = listener.getsockname()[1]
            for ip, there in (("127.0.0.1", by_four), ("::1", by_six)):
                expected = [{ME} if there else set(), set()]
                found = [owners(TcpAddress(ip, at)) for at in (port, port ^ 1)]
                wrong += [(host, alone, ip, found)] if found != expected else []
            listener.close()
            wrong += [host] if owners(TcpAddress("127.0.0.1", port)) else []
    assert wrong == []


def test_a_connection_belongs_to_who_listens_or_has_accepted_it():
    lookup = SocketLookup.open()
    for host in ("127.0.0.1", "::ffff:127.0.0.1", "::1"):
        with bound(host) as listener:
            ip = "::1" if host == "::1" else "127.0.0.1"
            address = TcpAddress(ip, listener.getsockname()[1])
            with socket.create_connection((ip, address.port)) as ours:
                client = TcpAddress(*ours.getsockname()[:2])
                assert (lookup.find(address).uid, lookup.find(address).listens) == (ME, True)
                waits = lookup.find(address, client)
                assert (waits.listens, waits.held) == (False, False)
                assert owners(address, ours.getsockname()[:2]) == {ME}
                with listener.accept()[0]:
                    listener.close()
                    held = lookup.find(address, client)
                    assert (held.uid, held.listens, held.held) == (ME, False, True)
                    assert lookup.find(address) is None
                    assert owners(address, ours.getsockname()[:2]) == {ME}
                    others = (ip, client.port ^ 1)
                    assert owners(address, others) == frozenset()  # no connection of that end
                assert owners(address, ours.getsockname()[:2]) == frozenset()
    lookup.close()


def test_where_there_is_no_look_up_nobody_is_taken_for_the_owner():
    lookup = SocketLookup.open()
    lookup.close()
    with pytest.raises(OwnerUnknown):
        lookup.owners(TcpAddress("127.0.0.1", 9))


def test_a_unix_socket_says_who_listens(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as ours:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        ours.connect(str(tmp_path / "s"))
        assert peer_of(ours) == {ME}


def test_the_number_for_users_without_one_is_nobody_only_where_all_have_one():
    assert checked(frozenset([65_534]), users_are_known=True) == {65_534}
    assert checked(frozenset([7]), users_are_known=False) == {7}
    with pytest.raises(OwnerUnknown, match="no user known here"):
        checked(frozenset([65_534]), users_are_known=False)


def test_a_server_of_this_user_is_asked_unnamed_and_nothing_is_kept():
    with ScriptedModelServer() as fake:
        found = find("auto", ports=[fake.port])
        assert found.owners == {ME}
        assert found.server.owner == owner_text(frozenset([ME]))
        assert owner_text(frozenset([OTHER, 0])) == f"root (uid 0) and uid {OTHER}"
        assert find(fake.server).name == "toy-model"
    assert not (user_state.state_folder() / discovery.FILE_NAME).exists()


@pytest.mark.slow
def test_another_users_server_is_asked_once_it_was_named_and_while_it_stays_theirs():
    with serving_as(OTHER) as server:
        with pytest.raises(
            ModelUnavailable, match=rf"belongs to uid {OTHER}, not to you"
        ) as caught:
            find("auto", ports=[server.port])
        url = f"http://127.0.0.1:{server.port}"
        assert caught.value.hint == f"If you trust it, name it once: --llm {url}"
        named = find(parse(url))
        assert (named.owners, named.notices) == ({OTHER}, ())
        assert find("auto", ports=[server.port]).name == "m"
    path = user_state.state_folder() / discovery.FILE_NAME
    assert json.loads(path.read_text()) == {f"127.0.0.1:{server.port}": {"owners": [OTHER]}}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert set(server.heard) == {"GET /v1/models"}
    with (
        serving_as(THIRD, server.port),
        pytest.raises(ModelUnavailable, match=rf"uid {THIRD}; when it was named, to uid {OTHER}"),
    ):
        find("auto", ports=[server.port])
    with ScriptedModelServer() as fake:  # and one of this user's needs no name
        assert find("auto", ports=[server.port, fake.port]).server == fake.server


def test_what_was_remembered_in_another_shape_counts_as_nothing():
    server = server_at("127.0.0.1", 9)
    address = server.address
    for entry in ([OTHER], {"owners": "all"}, {"owners": [True]}, {"owners": None}, 5):
        user_state.update(discovery.FILE_NAME, lambda _, entry=entry: {str(address): entry})
        assert "not to you" in discovery.refusal(server, frozenset([OTHER])).message
    discovery.remember(address, frozenset([OTHER]))
    assert discovery.refusal(server, frozenset([OTHER])) is None
    assert discovery.refusal(server, frozenset([OTHER, THIRD])) is not None


@pytest.mark.slow
def test_where_the_kernel_does_not_say_nobody_is_asked_unnamed():
    code = """
    from corpus_agent.models import discovery
    from corpus_agent.models.discovery import server_at
    from indexer.confine import Policy, confine, one_peer
    import encodings.idna
    port = int(sys.argv[1])
    if sys.argv[2] == "blind":
        confine(Policy(calls=one_peer(socket.AF_INET), connect_ports=(port,)))
    try:
        outcome["auto"] = discovery.find("auto", ports=[port]).name
    except discovery.ModelUnavailable as error:
        outcome["auto"] = error.message
    outcome["named"] = discovery.find(server_at("127.0.0.1", port)).name
    """
    with ScriptedModelServer() as fake:
        blind = python(code, fake.port, "blind")
        assert "is not known, so it was not asked" in blind["auto"]
        assert blind["named"] == "toy-model"
        assert python(code, fake.port, "seeing") == dict.fromkeys(("auto", "named"), "toy-model")


def test_a_model_that_runs_elsewhere_is_not_chosen_unnamed():
    names = ["gpt-oss:120b-cloud", "glm-4.6:cloud", "cloudy"]
    with ScriptedModelServer(models=names) as fake:
        assert find(fake.server).name == "cloudy"
        assert find(fake.server, "glm-4.6:cloud").name == "glm-4.6:cloud"


def test_the_relay_says_nothing_to_a_process_that_is_not_the_owners():
    chat = b'{"model":"m","messages":[]}'
    with serving_as(OTHER) as server:
        heard = {}
        for owners in (frozenset([ME]), frozenset([OTHER])):
            gate = Gate(TcpAddress("127.0.0.1", server.port), frozenset(["m"]), owners)
            with broker_for(gate) as broker:
                heard[owners] = asked(broker, "POST", "/v1/chat/completions", chat)
    assert heard == {
        frozenset([ME]): (None, b"", "another user's process listens there now"),
        frozenset([OTHER]): (200, b"{}", None),
    }
    assert server.heard == ["POST /v1/chat/completions"]


QUOTE = 'Twelve days [kitchen/sourdough.md:15] "12 days".'


@pytest.mark.slow
def test_an_answer_names_the_server_and_its_owner(cli, sample_store):
    with ScriptedModelServer([says(QUOTE)] * 2) as fake:
        ask = ("--store", sample_store, "ask", "How long?", "--llm", fake.server.base_url)
        answer = json.loads(cli(*ask, "--json").stdout)
        shown = cli(*ask).stdout
    where, owner = f"127.0.0.1:{fake.port}", owner_text(frozenset([ME]))
    assert answer["model_server"] == {"address": where, "owner": owner}
    assert f"toy-model · server {where} of {owner} · " in shown
    receipts = (sample_store / "receipts.jsonl").read_text().splitlines()
    assert json.loads(receipts[-1])["model_server"] == {"address": where, "owner": owner}
    nobody = json.loads(cli("--store", sample_store, "ask", "x", "--llm", "none", "--json").stdout)
    assert nobody["model_server"] is None


def beside(port: int, ready) -> None:
    _listener = bound("::", port, alone=True)
    ready.set()
    time.sleep(60)


def shifting(port: int, ready, shifts: bool) -> None:
    """Accepts, stops listening, and makes its connection one of IPv4 while it is looked up."""
    for waits in itertools.cycle([0, 0.0002, 0.0005, 0.001, 0.002, 0.004]):
        listener = bound("::ffff:127.0.0.1", port)
        ready.set()
        connection, _ = listener.accept()
        listener.close()
        time.sleep(waits)
        with contextlib.suppress(OSError):  # the other end may have looked and left by now
            if shifts:
                connection.setsockopt(socket.IPPROTO_IPV6, IPV6_ADDRFORM, socket.AF_INET)
            connection.recv(1)
        connection.close()


def leaving(port: int, ready, device: bytes) -> None:
    """Accepts a connection and stops listening, so that somebody else can."""
    listener = bound("127.0.0.1", port, device=device)
    ready.set()
    _connection, _ = listener.accept()
    listener.close()
    time.sleep(60)


IPV6_ADDRFORM = 1
two_users = pytest.mark.skipif(ME != 0, reason="only root can be two other users")


@contextlib.contextmanager
def others(*works):
    """A free port, where processes of other users do each a work that begins with it."""
    with bound("127.0.0.1") as probe:
        port = probe.getsockname()[1]
    forked = multiprocessing.get_context("fork")
    ready = [forked.Event() for _ in works]
    started = [
        as_user(user, work, port, event, *given)
        for event, (user, work, *given) in zip(ready, works, strict=True)
    ]
    try:
        assert all(each.wait(10) for each in ready)
        yield port
    finally:
        for process in started:
            process.kill()


@pytest.mark.slow
@two_users
@pytest.mark.parametrize("shifts", [False, True])
def test_who_accepted_is_seen_though_the_socket_changes_its_family(shifts):
    seen, connections, late = [], 0, time.monotonic() + 60
    with others((OTHER, beside), (THIRD, shifting, shifts)) as port:
        while connections < 60 and time.monotonic() < late:
            with socket.socket() as own:
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                try:
                    own.connect(("127.0.0.1", port))
                except ConnectionRefusedError:  # it listens again in a moment
                    time.sleep(0.002)
                    continue
                found, end = [], time.monotonic() + 0.006
                while time.monotonic() < end:
                    found.append(owners(TcpAddress("127.0.0.1", port), own.getsockname()))
                try:
                    own.recv(1, socket.MSG_DONTWAIT)
                except BlockingIOError:  # it is open: somebody has accepted it
                    seen, connections = seen + found, connections + 1
                except ConnectionResetError:
                    continue  # a busy machine closed the listener while it waited
    assert connections == 60
    assert all(THIRD in users for users in seen), seen


@two_users
@pytest.mark.parametrize("device", [b"", b"lo"])
def test_who_accepted_is_seen_though_this_user_listens_there_now(device):
    with others((THIRD, leaving, device)) as port:
        address = TcpAddress("127.0.0.1", port)
        with socket.create_connection(("127.0.0.1", port)) as ours:
            assert until(lambda: not owners(address))  # it has accepted, and listens no more
            with bound("127.0.0.1", port):
                assert owners(address) == {ME}
                assert owners(address, ours.getsockname()) == {ME, THIRD}


@two_users
def test_a_listener_of_another_user_at_the_port_of_ipv6_is_not_asked_and_no_owner():
    with others((OTHER, beside)) as port, bound("127.0.0.1", port):
        assert owners(TcpAddress("127.0.0.1", port)) == {ME}
        assert owners(TcpAddress("::1", port)) == {OTHER}  # the control
