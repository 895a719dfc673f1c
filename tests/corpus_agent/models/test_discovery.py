"""Where a model may be: on this machine and nowhere else, however the address is spelled."""

import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from corpus_agent.models import discovery
from corpus_agent.models.discovery import Server, find, listing_of, parse
from corpus_agent.seal import TcpAddress
from indexer.errors import UsageError
from tests.support.fakes import ScriptedModelServer, fails, raw, redirects


def test_loopback_addresses_are_accepted():
    failing = {}
    for given, shown, ip, port in (
        ("http://127.0.0.1:8080", "127.0.0.1", "127.0.0.1", 8080),
        ("http://127.0.0.1:8080/", "127.0.0.1", "127.0.0.1", 8080),
        ("http://127.0.0.1:8080/v1", "127.0.0.1", "127.0.0.1", 8080),
        ("HTTP://127.9.8.7:1/v1/", "127.9.8.7", "127.9.8.7", 1),
        ("http://[::1]:65535", "[::1]", "::1", 65535),
        ("http://[0:0:0:0:0:0:0:1]:80", "[::1]", "::1", 80),
    ):
        found = parse(given)
        wanted = Server(TcpAddress(ip, port)), f"http://{shown}:{port}/v1"
        if (found, found.base_url) != wanted:
            failing[given] = found
    assert failing == {}
    assert (parse("auto"), parse("none")) == ("auto", "none")
    assert parse("http://LocalHost:8080/v1") == parse("http://127.0.0.1:8080")


HOSTS = """
    example.com 192.168.1.5 10.0.0.1 0.0.0.0 [::] [::2] [fe80::1] [::ffff:127.0.0.1]
    [::ffff:8.8.8.8] 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 127.1 127.0.0.1. 127.0.0.01
    127.0.0.256 127.0.0.1.example.com localhost.example.com localhost. notlocalhost ip6-localhost
"""


FORMS = (
    *("http://127.0.0.1:80@example.com:80", "http://user:pw@127.0.0.1:8080"),
    *("http://example.com%2f@127.0.0.1:80", "https://127.0.0.1:8080", "file:///etc/passwd"),
    *("http://127.0.0.1:8080/v2", "http://127.0.0.1:8080/v1?x=1", "http://127.0.0.1:8080#x"),
    *("http://127.0.0.1\\.example.com:80", "http://127.0.0.1%00.example.com:80"),
    *("http://１２７.0.0.1:80", "http://[::1%25eth0]:80", "http://127.0.0.1:80\n"),
    *(" http://127.0.0.1:80", "http:///v1", "127.0.0.1:8080", "ollama", "AUTO", ""),
    *("http://127.0.0.1/v1", "http://127.0.0.1:0", "http://127.0.0.1:65536"),
)


def test_every_other_host_is_refused_by_name_and_every_other_form():
    for host in HOSTS.split():
        with pytest.raises(UsageError, match="is not this machine") as caught:
            parse(f"http://{host}:8080/v1")
        assert repr(host.strip("[]")) in caught.value.message
    for given in FORMS:
        with pytest.raises(UsageError, match=r"not the address of a model server|has no port"):
            parse(given)


def test_a_unix_socket_is_a_server_and_what_is_not_there_is_named(tmp_path):
    with ScriptedModelServer(path=tmp_path / "llm.sock", models=["one"]) as fake:
        server = parse(f"unix:{fake.path}")
        assert server == fake.server
        assert str(server) == f"unix:{fake.path}"
        assert listing_of(server).names == ["one"]
        assert find(server) == discovery.Model(server, "one")
    for given in (f"unix:{tmp_path}/no.sock", f"unix:{tmp_path}", f"gguf:{tmp_path}/no.gguf"):
        with pytest.raises(UsageError, match=r"there is no (?:socket|file)"):
            parse(given)


def test_one_remote_host_can_be_permitted_and_permits_no_other():
    server = parse("http://192.0.2.7:8080", "192.0.2.7")
    assert server == Server(TcpAddress("192.0.2.7", 8080), "192.0.2.7")
    assert server.egress == "remote-llm 192.0.2.7"
    assert parse("http://localhost:8080", "localhost").egress is None
    for host in ("192.0.2.8", "example.com", "192.0.2.7.example.com"):
        with pytest.raises(UsageError, match="is not this machine"):
            parse(f"http://{host}:8080", "192.0.2.7")


def test_a_named_server_is_used_with_its_first_model_that_can_chat():
    with ScriptedModelServer(models=["nomic-embed-text", "qwen3:4b", "phi4"]) as fake:
        found = find(parse(f"http://127.0.0.1:{fake.port}"))
        assert found == discovery.Model(fake.server, "qwen3:4b")
        assert fake.paths == ["GET /v1/models"]


LISTINGS = (
    *(raw(b"<html>hello</html>", "text/html"), raw(b"[]"), raw(b'"models"'), raw(b"[" * 100_000)),
    *(raw(b'{"data": "x"}'), raw(b'{"data": [{"name": "no id"}]}'), raw(b'{"data": [7]}')),
    raw(b'{"data": [{"id": "a"}], "x": "' + b"x" * 1_100_000 + b'"}'),
    *(fails(404), fails(500), redirects("/v1/models")),
)


def test_something_else_on_a_port_is_no_model_server_and_a_redirect_is_not_followed():
    for listing in LISTINGS:
        with ScriptedModelServer(listing=listing) as fake:
            assert listing_of(fake.server) is None
    with ScriptedModelServer() as elsewhere:
        away = redirects(f"http://127.0.0.1:{elsewhere.port}/v1/models")
        with ScriptedModelServer(listing=away) as fake:
            assert listing_of(fake.server) is None
        assert elsewhere.paths == []


@pytest.mark.slow
def test_proxies_of_the_environment_are_ignored_and_the_control_shows_they_would_be_used():
    code = (
        "import sys, urllib.request as u\n"
        "from corpus_agent.models.discovery import server_at\n"
        "from corpus_agent.models.discovery import listing_of\n"
        "print(listing_of(server_at('127.0.0.1', int(sys.argv[1]))).names)\n"
        "print(u.urlopen('http://127.0.0.1:' + sys.argv[1] + '/v1/models').status)"
    )
    with ScriptedModelServer(models=["here"]) as fake, ScriptedModelServer() as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        run = subprocess.run(
            [sys.executable, "-c", code, str(fake.port)],
            env={"http_proxy": address, "HTTP_PROXY": address, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
        )
        assert run.stdout.splitlines()[0] == "['here']", run.stderr
        assert proxy.paths == [f"GET http://127.0.0.1:{fake.port}/v1/models"]


@contextmanager
def refusing_port():
    """A port at which nothing listens, held so that no other test's server is given it."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_auto_takes_the_first_port_that_is_a_model_server_with_a_model():
    with (
        refusing_port() as silent,
        ScriptedModelServer(listing=raw(b"<html>a wiki</html>", "text/html")) as wiki,
        ScriptedModelServer(models=[]) as bare,
        ScriptedModelServer(models=["first", "second"]) as fake,
        ScriptedModelServer(models=["last"]) as later,
    ):
        ports = [silent, wiki.port, bare.port, fake.port, later.port]
        assert find("auto", ports=ports) == discovery.Model(fake.server, "first")
        assert later.paths == []

    with ScriptedModelServer(models=["a"]) as one, ScriptedModelServer(models=["b:latest"]) as two:
        found = find("auto", "b", [one.port, two.port])
        assert found == discovery.Model(two.server, "b:latest")
