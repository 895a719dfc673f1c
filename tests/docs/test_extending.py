"""The worked changes of the page fit the program: what they take away or stand beside is there."""

import re

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
