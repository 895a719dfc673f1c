"""Every single entry of the policy does something: without it the kernel answers otherwise."""

import json
import subprocess
import sys

import pytest

from tests.support.call_mutation import TABLES
from tests.support.places import REPOSITORY

pytestmark = pytest.mark.slow


def examined(module, *arguments):
    command = [sys.executable, "-m", f"tests.support.{module}", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def answers():
    return examined("call_mutation", "answers")


@pytest.mark.parametrize("kind", TABLES)
def test_the_kernel_answers_every_call_as_the_documents_say(kind, answers):
    assert answers[kind]["wrong"] == []
    assert answers[kind]["probes"] > 5000


def test_the_table_of_what_each_process_gets_is_what_the_kernel_gives():
    command = [sys.executable, "-W", "ignore", "benchmarks/kernel_probes.py", "--check"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def files():
    return examined("file_mutation")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "part", ["rights", "network_and_scopes", "system_rules", "limits", "capabilities"]
)
def test_no_right_rule_limit_or_capability_can_be_left_out_or_added_unnoticed(files, part):
    if not files[part]:
        pytest.skip("this user or this kernel cannot try it")
    assert [what for what, noticed in files[part] if not noticed] == []


FIRST, *REST = TABLES


@pytest.mark.parametrize(
    "kind", [FIRST, *(pytest.param(kind, marks=pytest.mark.nightly) for kind in REST)]
)
def test_no_entry_of_a_table_of_calls_can_be_removed_or_widened_unnoticed(kind, record_property):
    found = examined("call_mutation", "mutants", kind)[kind]
    record_property("mutants", found["mutants"])
    assert found["unnoticed"] == []
    assert found["mutants"] > found["entries"] > 300
