"""Any sequence of changes and runs ends in the index that a fresh run would make."""

import subprocess
import sys

import pytest

from tests.support.places import REPOSITORY


@pytest.mark.slow
@pytest.mark.parametrize("examples", ["6", pytest.param("40", marks=pytest.mark.nightly)])
def test_any_sequence_of_changes_and_runs_equals_one_fresh_index(examples):
    command = [
        sys.executable,
        "-m",
        "tests.support.sequences",
        examples,
        "25",  # steps in each
    ]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if "Operation not permitted" in done.stderr and "setgroups" in done.stderr:
        pytest.skip("this process cannot become another user")
    assert done.returncode == 0, done.stdout + done.stderr
