"""The ways out that selftest tries, as a table, and the process that makes one attempt.

`python -m corpus_agent.selftest.escape.probes NAME sealed|control` makes one attempt, with the
surroundings as JSON on standard input, and prints the resulting errno. trial.py judges.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from errno import (
    EACCES,
    EBADF,
    EIO,
    EMFILE,
    ENODATA,
    ENOENT,
    ENOSPC,
    ENOSYS,
    ENOTSOCK,
    EOPNOTSUPP,
    EPERM,
    EPIPE,
    EROFS,
)
from pathlib import Path
from socket import AF_INET, AF_INET6, AF_UNIX, SOCK_DGRAM, SOCK_STREAM
from typing import Literal

from corpus_agent.seal import policy, seal
from corpus_agent.selftest.escape import attempt, files, network, processes
from corpus_agent.selftest.escape.attempt import Attempt, Prepare, Surroundings
from indexer.confine import Policy, confine, die_with_parent, restrict_syscalls
from indexer.errors import SealUnavailable
from indexer.parsers.limits import ocr_policy, worker_policy

Kind = Literal["tcp4", "tcp6", "udp4", "stream", "datagram", "abstract"]


@dataclass(frozen=True, slots=True)
class Probe:
    """One way out: `prepare` runs before the seal, `attempt` after it, with the former's result.

    `expected` are the errnos that the seal may answer with. `lacking` are those with which a
    system may refuse the attempt without a seal: too old, too strict, or not root. `connected`:
    `prepare` opens the connection, so that only data sent over it counts. `parser` marks what is
    denied to parser processes only, which `policy_of` confines. `serves`: `prepare` makes a socket
    that listens, and the seal leaves it. `since_abi` is the first Landlock
    ABI with which the seal closes it; SECURITY.md lists what is open before. `directly` replaces
    `attempt` in the control where `attempt` goes through something outside the seal.
    """

    name: str
    what: str
    attempt: Attempt
    expected: tuple[int, ...] = (EPERM,)
    lacking: tuple[int, ...] = ()
    listener: Kind | None = None
    prepare: Prepare = lambda _: None
    connected: bool = False
    threads: bool = False
    parser: bool = False
    policy_of: Callable[[], Policy] = worker_policy
    serves: bool = False
    since_abi: int = 1
    directly: Attempt | None = None


def _by_relay(name: str, what: str, attempt: Attempt, expected: int) -> Probe:
    """A probe that sends through the relay what reaches the listener if sent directly."""
    return Probe(
        name,
        what,
        attempt,
        (expected,),
        listener="tcp4",
        prepare=network.start_relay,
        directly=network.send_directly,
    )


def _at_a_neighbour(
    name: str, what: str, attempt: Attempt, *, since_abi: int = 1, parser: bool = False
) -> Probe:
    """A probe aimed at a process that was started before the seal."""
    prepare = processes.start_neighbour
    return Probe(name, what, attempt, prepare=prepare, since_abi=since_abi, parser=parser)


# A kernel without these channels, or a limit of none; and no /dev/shm.
_NO_IPC = (ENOSYS, ENOSPC, EMFILE, ENOENT)

# A file system without attributes of users.
_NO_ATTRIBUTES = (EOPNOTSUPP, ENODATA, ENOSYS)

_PROBES = (
    Probe("tcp", "connect by TCP", network.connect_and_send(AF_INET, SOCK_STREAM), listener="tcp4"),
    Probe(
        "tcp-ipv6",
        "connect by TCP over IPv6",
        network.connect_and_send(AF_INET6, SOCK_STREAM),
        listener="tcp6",
    ),
    Probe("udp", "send a datagram", network.send_datagram(attempt.MESSAGE), listener="udp4"),
    Probe("dns", "ask a name server", network.send_datagram(network.DNS_QUERY), listener="udp4"),
    Probe("raw", "open a raw socket", network.raw, lacking=(EPERM,)),
    Probe("netlink", "ask the kernel for its network devices", network.netlink),
    Probe(
        "unix-path",
        "connect to a Unix socket in the file system",
        network.connect_and_send(AF_UNIX, SOCK_STREAM),
        listener="stream",
    ),
    Probe(
        "unix-abstract",
        "connect to an abstract Unix socket",
        network.connect_and_send(AF_UNIX, SOCK_STREAM),
        listener="abstract",
    ),
    Probe(
        "unix-datagram",
        "send from a socket pair to a named Unix socket",
        network.datagram_from_a_pair,
        listener="datagram",
    ),
    Probe("io_uring", "set up io_uring", network.io_uring, lacking=(EPERM, ENOSYS)),
    Probe("libc", "socket and connect of the C library", network.libc_connect, listener="tcp4"),
    Probe("syscall", "socket and connect by number", network.system_calls, listener="tcp4"),
    Probe("child", "connect from a child process", processes.child, listener="tcp4"),
    Probe(
        "thread",
        "connect from a thread that was there before the seal",
        network.in_the_thread,
        prepare=network.start_thread,
        listener="tcp4",
        threads=True,
    ),
    Probe(
        "received-connect",
        "connect a socket that came from another process",
        network.connect_received,
        prepare=network.on_its_way(SOCK_STREAM),
        listener="tcp4",
    ),
    Probe(
        "received-fastopen",
        "the same with sendmsg and MSG_FASTOPEN",
        network.fast_open,
        prepare=network.on_its_way(SOCK_STREAM),
        listener="tcp4",
        lacking=(EOPNOTSUPP,),
    ),
    Probe(
        "received-sendto",
        "send a datagram from a socket that came from another process",
        network.send_to_received,
        prepare=network.on_its_way(SOCK_DGRAM),
        listener="udp4",
    ),
    Probe(
        "inherited",
        "write to a connection that the parent left open",
        network.write_inherited,
        expected=(EBADF,),
        prepare=network.inherit_connection,
        listener="tcp4",
        connected=True,
    ),
    Probe(
        "stolen",
        "take a connection from another process",
        processes.steal,
        prepare=processes.start_neighbour,
        listener="tcp4",
        lacking=(EPERM, ENOSYS),
        connected=True,
    ),
    Probe(
        "sockets",
        "write to every network socket that the process holds",
        network.use_network_sockets,
        expected=(ENOTSOCK,),
        prepare=network.start_relay,
        directly=network.use_held_connection,
        listener="tcp4",
        connected=True,
    ),
    _by_relay(
        "relay-http",
        "write a request of its own into the relay's pipe",
        network.write_to_relay(b"POST /api/push HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        EPIPE,
    ),
    _by_relay(
        "relay-path",
        "have the relay ask what is not on its list",
        network.write_to_relay(struct.pack("=IBBI", 7, 1, 99, 0)),
        EPIPE,
    ),
    _by_relay(
        "relay-body",
        "hide a second request in a body",
        network.ask_relay(network.CHATS["body"]),
        EPERM,
    ),
    _by_relay(
        "relay-picture",
        "have the model server fetch an address",
        network.ask_relay(network.CHATS["picture"]),
        EPERM,
    ),
    _by_relay(
        "relay-model",
        "have it ask a model that runs elsewhere",
        network.ask_relay(network.CHATS["model"]),
        EPERM,
    ),
    Probe(
        "serve-connect",
        "connect by TCP from the process that serves a browser",
        network.connect_and_send(AF_INET, SOCK_STREAM),
        listener="tcp4",
        prepare=network.start_listening,
        serves=True,
    ),
    Probe(
        "serve-turn",
        "connect the socket that it serves to somewhere else",
        network.turn_listener,
        listener="tcp4",
        prepare=network.start_listening,
        serves=True,
    ),
    Probe(
        "serve-listen",
        "listen at another port from there",
        network.listen_again,
        prepare=network.start_listening,
        serves=True,
    ),
    Probe(
        "memory",
        "read the memory of another process",
        processes.read_memory,
        prepare=processes.start_neighbour,
        lacking=(EPERM, ENOSYS),
    ),
    _at_a_neighbour("limits", "lower the limits of another process", processes.lower_limit),
    _at_a_neighbour("priority", "lower its priority", processes.lower_priority),
    _at_a_neighbour("cores", "choose its cores", processes.choose_cores),
    _at_a_neighbour("schedule", "choose how it is scheduled", processes.choose_schedule),
    _at_a_neighbour("signal", "send it a signal", processes.signal_one, since_abi=6),
    Probe("signal-group", "send a signal to a group of processes", processes.signal_group),
    _at_a_neighbour(
        "signal-descriptor", "have a descriptor send it a signal", processes.signal_by_descriptor
    ),
    Probe("shm", "make System V shared memory", processes.shared_memory, lacking=_NO_IPC),
    Probe("sem", "make System V semaphores", processes.semaphores, lacking=_NO_IPC),
    Probe("msg", "make a System V message queue", processes.message_queue, lacking=_NO_IPC),
    Probe("mq", "make a POSIX message queue", processes.named_queue, lacking=_NO_IPC),
    Probe("shm-name", "make named shared memory", processes.named_memory, (EACCES, EROFS), _NO_IPC),
    Probe("read-outside", "read a file outside", files.read_outside, (EACCES,)),
    Probe("read-link", "read it by a link in the corpus", files.through_a_link, (EACCES,)),
    Probe(
        "read-proc", "read another process's environment", processes.parents_environment, (EACCES,)
    ),
    Probe(
        "attribute",
        "read an attribute of a file outside",
        files.read_attribute,
        prepare=files.set_attribute,
        lacking=_NO_ATTRIBUTES,
    ),
    Probe(
        "attribute-names",
        "list the attributes of a file outside",
        files.list_attributes,
        lacking=_NO_ATTRIBUTES,
    ),
    Probe(
        "watch",
        "be told the names of files that others open outside",
        files.watch_outside,
        lacking=(ENOSYS, EMFILE, ENOSPC),
    ),
    Probe("write-outside", "make a file outside", files.write_outside, (EACCES,)),
    Probe("write-corpus", "make a file in the corpus", files.write_root, (EACCES,)),
    Probe("truncate", "empty a file outside", files.truncate, (EPERM,)),
    Probe("program", "start a shell", processes.program, (EACCES,)),
    Probe(
        "terminal",
        "type into the terminal",
        processes.type_into,
        prepare=processes.own_terminal,
        lacking=(EIO,),
    ),
    Probe(
        "parser-tcp",
        "connect by TCP from a parser's process",
        network.connect_and_send(AF_INET, SOCK_STREAM),
        listener="tcp4",
        parser=True,
    ),
    Probe(
        "parser-read",
        "read a document that it was not handed",
        files.read_document,
        (EACCES,),
        parser=True,
    ),
    Probe("parser-write", "write to the store", files.write_store, (EACCES,), parser=True),
    Probe("parser-process", "start a process", processes.start_process, parser=True),
    Probe("parser-signal", "send its parent a signal", processes.signal_parent, parser=True),
    _at_a_neighbour(
        "parser-limits",
        "lower the limits of another process from a parser's",
        processes.lower_limit,
        parser=True,
    ),
    Probe(
        "recogniser-tcp",
        "connect by TCP from the process that recognises text",
        network.connect_and_send(AF_INET, SOCK_STREAM),
        listener="tcp4",
        parser=True,
        policy_of=ocr_policy,
    ),
    Probe(
        "recogniser-write",
        "write to the store from there",
        files.write_store,
        (EACCES,),
        parser=True,
        policy_of=ocr_policy,
    ),
    Probe(
        "recogniser-process",
        "start a process from there",
        processes.start_process,
        parser=True,
        policy_of=ocr_policy,
    ),
)

PROBES = {probe.name: probe for probe in _PROBES}


def main(name: str, mode: str) -> int:
    """The exit code: 0 with errno and walls as JSON on standard output, or SealUnavailable's."""
    die_with_parent(os.getppid())
    probe = PROBES[name]
    around = Surroundings(**json.load(sys.stdin))
    walls: tuple[str, ...] = ()
    prepared = probe.prepare(around)
    if mode == "sealed":
        try:
            walls = _close(probe, around, prepared.fileno() if probe.serves else None)
        except SealUnavailable as error:
            sys.stderr.write(f"{error}\n")
            return error.exit_code
    met: int | None = None
    directly = probe.directly if mode == "control" else None
    try:
        (directly or probe.attempt)(around, prepared)
    except OSError as error:
        met = error.errno
    sys.stdout.write(json.dumps({"errno": met, "walls": walls}))
    sys.stdout.flush()
    return 0


def _close(probe: Probe, around: Surroundings, listener: int | None) -> tuple[str, ...]:
    """The walls behind the seal; none if there are other threads, where only calls are closed.

    A parser's process is confined inside the seal, since its parent is sealed first.
    """
    chosen = policy(Path(around.root), Path(around.store), listener=listener)
    if probe.threads:
        restrict_syscalls(chosen.confinement.calls)
        return ()
    sealed = seal(chosen)
    if probe.parser:
        confine(probe.policy_of())
    return sealed.walls


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    os._exit(status)
