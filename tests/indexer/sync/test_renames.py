"""Documents that were renamed and changed, told apart from those that came and went."""

from pathlib import Path

import pytest

from indexer.sync.renames import MOST
from tests.support.toy_index import sync

pytestmark = pytest.mark.slow

POEM = "".join(f"Verse number {number} of many.\n" for number in range(10))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "poem.md").write_text(POEM)
    (folder / "b.md").write_text("The boiler pressure is 1.4 bar.\n")
    return folder


def test_a_document_that_is_renamed_and_edited_is_both(root, tmp_path):
    sync(root, tmp_path / "store")
    (root / "poem.md").unlink()
    (root / "ode.md").write_text(POEM.replace("number 3", "the third"))
    (root / "b.md").rename(root / "boiler.md")
    done = sync(root, tmp_path / "store")
    assert done.renamed == [("poem.md", "ode.md")]
    assert (done.added, done.removed, done.moved) == (2, 2, 1)


def test_each_document_is_one_of_a_pair_at_most_and_many_are_none(root, tmp_path):
    sync(root, tmp_path / "store")
    (root / "poem.md").unlink()
    (root / "close.md").write_text(POEM + "One more.\n")
    (root / "far.md").write_text(POEM + "One more.\nAnd another.\n")
    assert sync(root, tmp_path / "store").renamed == [("poem.md", "close.md")]
    (root / "close.md").unlink()
    for number in range(MOST + 1):
        (root / f"copy{number}.md").write_text(f"{POEM}{number}\n")
    assert sync(root, tmp_path / "store").renamed == []
