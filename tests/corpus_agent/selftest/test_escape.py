"""The self-test: it passes where the seal holds, and would say so where it does not."""

from dataclasses import replace

import pytest

from corpus_agent.selftest import trial
from corpus_agent.selftest.trial import PROBES
from indexer.confine import check_kernel

IMPOSSIBLE = {
    "raw", "io_uring", "tcp-ipv6", "received-fastopen", "stolen", "memory", "terminal",
    "shm", "sem", "msg", "mq", "shm-name", "attribute", "attribute-names", "watch",
}  # fmt: skip
MATTER = {
    "tcp", "tcp-ipv6", "udp", "dns", "raw", "netlink", "unix-path", "unix-abstract", "io_uring",
    "libc", "syscall", "child", "thread", "received-fastopen", "read-outside", "sockets",
    "limits", "priority", "cores", "signal-group", "shm", "sem", "msg", "mq", "parser-signal",
    "attribute", "attribute-names", "watch", "terminal",
}  # fmt: skip


@pytest.fixture(scope="module")
def results():
    return {result.name: result for result in trial.run_selftest()}


@pytest.mark.slow
def test_a_way_out_is_closed_and_was_open_before(results):
    assert set(PROBES) >= MATTER
    failing = []
    for name, probe in PROBES.items():
        result = results.get(name)
        if check_kernel()[1] < probe.since_abi:
            continue
        if result is None or not result.passed:
            failing.append((name, result))
        elif result.control == "impossible":  # the system refuses it without a seal
            failing += [(name, result)] * (name not in IMPOSSIBLE)
        else:
            met = (result.control, result.control_error, result.heard)
            if met != ("worked", None, 0) or result.sealed_error is None:
                failing.append((name, result))
    assert failing == []


@pytest.mark.slow
def test_a_process_without_a_seal_is_heard():
    # The same attempt judged as if it had been sealed: this is what a seal with a hole looks like.
    deaf = {}
    for name in ("tcp", "udp", "unix-datagram", "child", "inherited", "stolen"):
        met = trial._attempt(PROBES[name], "control")
        if met.errno not in PROBES[name].lacking and (met.error is not None or not met.heard):
            deaf[name] = met
    assert deaf == {}


@pytest.mark.slow
def test_a_hole_and_a_control_that_fails_fail_the_test():
    for change, control in (
        ({"expected": (99,)}, "worked"),  # as if another errno than the seal's had stopped it
        ({"listener": "udp4"}, "failed"),  # it waits for datagrams, and the probe connects by TCP
    ):
        result = trial._result(replace(PROBES["tcp"], **change))
        met = (result.control, result.sealed_error, result.passed)
        assert met == (control, "EPERM", False), change
