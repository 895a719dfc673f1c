"""The self-test: it passes where the seal holds, and would say so where it does not."""

import json
from dataclasses import replace

import pytest

from corpus_agent.selftest.escape import trial
from corpus_agent.selftest.escape.probes import PROBES
from indexer.confine import check_kernel
from tests.support.sealed_child import run


@pytest.fixture(scope="module")
def results():
    return {result.name: result for result in trial.run_selftest()}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBES)
def test_a_way_out_is_closed_and_was_open_before(results, name):
    if check_kernel()[1] < PROBES[name].since_abi:
        pytest.skip(f"needs Landlock ABI {PROBES[name].since_abi}")
    result = results[name]
    if result.control == "impossible":
        assert result.passed
        pytest.skip(f"this system refuses it without a seal: {result.control_error}")
    assert (result.control, result.control_error) == ("worked", None)
    assert result.sealed_error is not None
    assert result.heard == 0
    assert result.passed


@pytest.mark.slow
def test_only_what_needs_a_privilege_may_be_impossible(results):
    impossible = {name for name, result in results.items() if result.control == "impossible"}
    assert impossible <= {
        "raw", "io_uring", "tcp-ipv6", "received-fastopen", "stolen", "memory", "terminal",
        "shm", "sem", "msg", "mq", "shm-name", "attribute", "attribute-names", "watch",
    }  # fmt: skip


def test_the_ways_that_matter_most_are_among_the_probes():
    assert {
        "tcp", "tcp-ipv6", "udp", "dns", "raw", "netlink", "unix-path", "unix-abstract", "io_uring",
        "libc", "syscall", "child", "thread", "received-fastopen", "read-outside", "sockets",
        "relay-http", "relay-path", "relay-body", "limits",
        "priority", "cores", "signal-group", "shm", "sem", "msg", "mq", "parser-signal",
        "attribute", "attribute-names", "watch",
    } <= set(PROBES)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["tcp", "udp", "unix-datagram", "child", "inherited", "stolen", "sockets", "relay-body"]
)
def test_a_process_without_a_seal_is_heard(name):
    # The same attempt judged as if it had been sealed: this is what a seal with a hole looks like.
    met = trial._attempt(PROBES[name], "control")
    if met.errno in PROBES[name].lacking:
        pytest.skip(f"this system refuses it without a seal: {met.error}")
    assert met.error is None
    assert met.heard > 0


@pytest.mark.slow
def test_a_hole_fails_the_test_that_found_it():
    # A probe that expects another errno than the seal's stands for one that was not stopped by it.
    wrong = replace(PROBES["tcp"], expected=(99,))
    result = trial._result(wrong)
    assert result.control == "worked"
    assert result.sealed_error == "EPERM"
    assert not result.passed


@pytest.mark.slow
def test_a_control_that_fails_fails_the_test():
    def never(around, prepared):
        raise AssertionError("not called: the probe runs in a process of its own")

    # The listener waits for datagrams and the probe connects by TCP: nothing can be heard.
    deaf = replace(PROBES["tcp"], listener="udp4", attempt=never)
    result = trial._result(deaf)
    assert result.control == "failed"
    assert result.sealed_error == "EPERM"
    assert not result.passed


@pytest.mark.slow
def test_the_table_has_a_line_per_probe_and_counts_the_failures(results):
    lines = trial.table(list(results.values())).splitlines()
    assert len(lines) == len(results) + 3
    assert lines[-2].startswith("Second wall behind the seal: ")
    assert lines[-1] == f"{len(results)} of {len(results)} ways out are closed."
    open_one = replace(results["tcp"], sealed_error=None, heard=6, passed=False)
    shown = trial.table([open_one, results["udp"]]).splitlines()
    assert shown[1].startswith("FAIL  tcp")
    assert "SUCCEEDED, heard 6" in shown[1]
    assert shown[-1] == "1 of 2 ways out are closed."


@pytest.mark.slow
def test_the_json_can_be_written_and_says_whether_all_passed(results):
    found = json.loads(json.dumps(trial.as_json(list(results.values()))))
    assert found["passed"] is True
    assert [probe["name"] for probe in found["probes"]] == list(results)
    assert set(found["walls"]) <= {"network", "ipc", "mount", "children"}
    failed = replace(results["tcp"], passed=False)
    assert trial.as_json([failed])["passed"] is False


@pytest.mark.slow
def test_without_a_kernel_that_can_the_selftest_says_so_and_does_not_pass():
    script = """
import errno, sys
from indexer.confine import Denial, restrict_syscalls
from indexer.errors import CorpusError
restrict_syscalls([Denial(sys.argv[1], getattr(errno, sys.argv[2]))])
from corpus_agent.selftest.escape.trial import run_selftest
try:
    run_selftest()
except CorpusError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
"""
    done = run(script, "landlock_create_ruleset", "ENOSYS")
    assert done.returncode == 3
    assert "Landlock is not in this kernel" in done.stderr
    done = run(script, "seccomp", "EINVAL")
    assert done.returncode == 3
    assert "sets no seccomp filter" in done.stderr
