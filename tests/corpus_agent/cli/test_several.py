"""Several indexes in one command: what each says, what is refused, and from Python the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from corpus_agent.cli import main
from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer import Encoder
from tests.support.command import Cli
from tests.support.sealed_child import python

TEXTS = {
    "home": "# Rent\n\nThe rent of the flat is due on the third day of each month.\n",
    "work": "# Services\n\nThis agreement is governed by the laws of Norway.\n",
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Two indexes that are made by the real model, by the names of their folders."""
    base = tmp_path_factory.mktemp("several")
    encoder = Encoder(None)
    for name, text in TEXTS.items():
        (base / name).mkdir()
        (base / name / "terms.md").write_text(text)
        settings = Settings(store=base / f"{name}-store", ocr="off")
        session.index(settings, base / name, encoder=encoder)
    return {name: base / f"{name}-store" for name in TEXTS}


def chosen(stores: dict[str, Path]) -> list[str]:
    return [word for store in stores.values() for word in ("-s", str(store))]


@pytest.mark.slow
def test_commands_read_several_inside_one_seal(cli: Cli, stores, tmp_path):
    def ran(*words: str) -> Any:
        done = cli(*words, *chosen(stores), "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["seal"] == "enforced"
        names = [one["name"] for one in found["stores"]]
        assert [name.rstrip("-2345678") for name in names] == ["home", "work"]
        return found

    asked = ran("ask", "When is the rent due?", "--llm", "none", "--receipt", str(tmp_path / "r"))
    assert asked["passages"][0]["source"].endswith(":terms.md")
    assert ran("check", str(tmp_path / "r"))["check"]["holds"]
    laws = {
        row["source"]: row["cells"][0]["status"] for row in ran("table", "governing law")["rows"]
    }
    assert sorted(laws.values()) == ["found", "silent"]
    for store in stores.values():
        assert not list(store.glob("receipts*"))  # the text of one is kept in no other


def test_what_works_on_one_index_says_so_before_anything_else(stores):
    for words in (["index"], ["forget", "a.md"]):
        done = CliRunner().invoke(main, [*words, *chosen(stores)])
        assert done.exit_code == 2, (words, done.output)
        assert "This works on one index, and 2 are named" in done.stderr, words
    done = CliRunner().invoke(main, ["-s", "no-such-name", "status"])
    assert "There is no index 'no-such-name'" in done.stderr
    assert "corpus-agent stores" in done.stderr


PROBES = """
from corpus_agent.settings import NamedStore, Settings
from corpus_agent.startup import for_reading
listener = socket.create_server(("127.0.0.1", 0))
stores = [Path(given) for given in sys.argv[2:]]
several = tuple(NamedStore(store.name, store) for store in stores[:2])
settings = Settings(several=several)
launch = for_reading(settings, seal_off=sys.argv[1] == "off", listener=listener.fileno())
for store in stores:
    attempt(f"read {store.name}", lambda: len(os.listdir(store)) > 0)
    attempt(f"write {store.name}", (store / "new").write_text, "words")
    documents = store.parent / store.name[:4]
    attempt(f"documents {store.name}", lambda: len(os.listdir(documents)) > 0)
    attempt(f"into {store.name}", (documents / "new.txt").write_text, "words")
attempt("elsewhere", (stores[2].parent / "new.txt").write_text, "words")
attempt("beside", lambda: len(os.listdir(stores[0].parent)))
"""


@pytest.mark.slow
def test_a_server_of_several_is_sealed_to_exactly_these(stores, tmp_path):
    (tmp_path / "rest-store").mkdir()
    (tmp_path / "rest").mkdir()
    (tmp_path / "rest" / "a.md").write_text("words")
    (tmp_path / "rest-store" / "a").write_text("words")
    every = [*stores.values(), tmp_path / "rest-store"]
    found = python(PROBES, "on", *every)
    reading = [f"{what} {name}-store" for what in ("read", "documents") for name in TEXTS]
    assert all(found.pop(name) is True for name in reading)
    assert set(found.values()) == {"EACCES"}, found
    free = python(PROBES, "off", *every)  # the control
    assert "EACCES" not in free.values(), free
    for store in every:
        (store / "new").unlink()
        (store.parent / store.name[:4] / "new.txt").unlink()
