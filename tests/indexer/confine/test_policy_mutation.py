"""The kernel is asked about every call and every right."""

import json
import subprocess
import sys

import pytest

from tests.support.places import REPOSITORY

pytestmark = pytest.mark.slow


def printed(*arguments):
    command = [sys.executable, "-W", "ignore", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_kernel_answers_every_call_as_the_documents_say():
    answers = json.loads(printed("-m", "tests.support.call_spec"))
    assert {kind: found["wrong"] for kind, found in answers.items() if found["wrong"]} == {}
    assert len(answers) == 9
    assert all(found["probes"] > 5000 for found in answers.values())


def test_each_right_gives_what_is_written_and_no_more():
    rights = json.loads(printed("-m", "tests.support.file_rights"))
    assert [what for what, as_written in rights if not as_written] == []
    assert len(rights) == 6  # whatever this user and this kernel can try
