"""Documents named from the corpus, from the working folder and in full, on real folders."""

import pytest

from corpus_agent.service.places import selected, sources_of
from indexer import CorpusError, Index
from tests.support.toy_index import copied, sync


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    made = tmp_path_factory.mktemp("made")
    root = made / "docs"
    for source in ("lease.md", "docs/lease.md", "tax/2024.md", "Bücher/a.md"):
        (root / source).parent.mkdir(parents=True, exist_ok=True)
        (root / source).write_text(f"# About {source}\n")
    sync(root, made / "store")
    return made


@pytest.fixture
def root(made, tmp_path, monkeypatch):
    """A corpus in `docs`, seen from the folder above it; a folder of it is named as itself."""
    copied(made, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "docs"


@pytest.fixture
def corpus(root, tmp_path):
    return Index.open(tmp_path / "store", root=root)


def test_a_plain_path_is_a_source_first_and_a_dotted_one_a_place_on_disk(root):
    assert sources_of("docs/lease.md", {"": root}) == ["docs/lease.md", "lease.md"]
    assert sources_of("./docs/lease.md", {"": root}) == ["lease.md", "docs/lease.md"]
    assert sources_of(str(root / "tax") + "/", {"": root}) == ["tax/"]
    assert sources_of("./docs", {"": root}) == ["", "docs"]
    assert sources_of("tax/../lease.md", {"": root})[0] == "lease.md"
    assert sources_of("../elsewhere", {"": root}) == []
    assert sources_of("/etc/passwd", {"": root}) == []


def test_a_path_that_selects_nothing_is_an_error_that_names_what_is_near(corpus):
    with pytest.raises(CorpusError, match=r"No document of the index is at 'lease\.txt'") as caught:
        selected(corpus, ["lease.md", "lease.txt"])
    assert "Did you mean 'lease.md'" in caught.value.hint
    with pytest.raises(CorpusError, match="No document of the index is at 'tax-1/'") as caught:
        selected(corpus, ["tax-1/"])
    assert "Did you mean 'tax/'" in caught.value.hint
    with pytest.raises(CorpusError) as caught:  # the control: what has an ending is a file
        selected(corpus, ["tax.old"])
    assert "'tax/'" not in caught.value.hint
    with pytest.raises(CorpusError, match="lies outside of the indexed folder"):
        selected(corpus, ["/etc"])
