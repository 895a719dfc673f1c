"""Where the repository's own files are."""

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
REPOSITORY = TESTS.parent
SAMPLE = REPOSITORY / "sample_corpus"
SNAPSHOTS = TESTS / "snapshots"
EVAL_DATA = REPOSITORY.parent / "shared" / "eval"


def eval_data(*parts: str) -> Path:
    """A folder of the evaluation data, which is not part of the project; skips without it."""
    path = EVAL_DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"evaluation data {'/'.join(parts)} is not at hand")
    return path
