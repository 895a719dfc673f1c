"""What the page of extensions names is there."""

import re

from tests.support.places import REPOSITORY, TESTS

PAGE = (REPOSITORY / "docs/extending.md").read_text("utf-8")


def test_every_file_and_test_that_the_page_names_is_there():
    made = "corpus_agent/lines/"  # by the door of the page
    paths = set(re.findall(r"`((?:corpus_agent|indexer|tests|benchmarks)/[\w/.]*)`", PAGE))
    assert len(paths) > 5
    assert [p for p in paths if not p.startswith(made) and not (REPOSITORY / p).exists()] == []
    files = {path.stem: path.read_text("utf-8") for path in TESTS.rglob("test_*.py")}
    tests = set(re.findall(r"\btest_\w+(?!\w*\.py)\b", PAGE)) - files.keys()
    assert [name for name in tests if f"def {name}(" not in "\n".join(files.values())] == []
