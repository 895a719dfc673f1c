"""The worked changes of the page fit the program: what they take away or stand beside is there."""

import re
from pathlib import Path

from tests.support.places import REPOSITORY, TESTS

PAGE = (REPOSITORY / "docs/extending.md").read_text("utf-8")
NAMED = re.compile(r"[ `](\w+(?:/\w+)*\.(?:py|md|toml))\b")


def changes(page: str) -> list[tuple[str, str]]:
    """Each line of a worked change with the file named last before it, at a line's beginning."""
    file, within, found = "", False, []
    for line in page.splitlines():
        named = NAMED.match(line)
        if line.startswith("```"):
            within = line == "```diff"
        elif named:
            file = named[1]
        elif within:
            found.append((file, line))
    return found


def misfits(page: str) -> list[tuple[str, str]]:
    """What the page takes for a line of a file and is none."""
    return [
        (file, line)
        for file, line in changes(page)
        if line[:1] in (" ", "-") and line[1:] not in lines_of(REPOSITORY / file)
    ]


def lines_of(path: Path) -> list[str]:
    """The lines of a file; none where there is none."""
    return path.read_text("utf-8").splitlines() if path.is_file() else []


def test_every_worked_change_fits_the_files_of_today():
    assert misfits(PAGE) == []
    assert len(changes(PAGE)) > 100


def test_a_change_that_does_not_fit_would_be_noticed():
    page = "`indexer/records.py`\n```diff\n-no such line\n+a new one\n nor this one\n```\n"
    assert misfits(page) == [
        ("indexer/records.py", "-no such line"),
        ("indexer/records.py", " nor this one"),
    ]
    assert misfits("`indexer/nowhere.py`\n```diff\n x\n```") == [("indexer/nowhere.py", " x")]


def test_every_file_and_test_that_the_page_names_is_there():
    made = "corpus_agent/lines/"  # by the door of the page
    paths = set(re.findall(r"`((?:corpus_agent|indexer|tests|benchmarks)/[\w/.]*)`", PAGE))
    assert [
        path for path in paths if not path.startswith(made) and not (REPOSITORY / path).exists()
    ] == []
    defined = "\n".join(path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    tests = set(re.findall(r"\btest_\w+(?!\w*\.py)\b", PAGE))
    files = {path.stem for path in TESTS.rglob("test_*.py")}
    assert [name for name in tests - files if f"def {name}(" not in defined] == []
