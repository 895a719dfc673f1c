"""The map is of this house: modules exist, flows are as short as they claim, layers hold."""

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from indexer.store.storage import FILES, FOLDERS

REPOSITORY = next(above for above in Path(__file__).parents if (above / "pyproject.toml").is_file())
PAGE = (REPOSITORY / "docs/architecture.md").read_text("utf-8")
MODULE = re.compile(r"\b(?:indexer|corpus_agent)(?:\.\w+)+")
BLOCKS = re.findall(r"^```\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
MOST_TYPES = {"index": 8, "ask": 7, "read": 6, "search": 4}


def sections(block: str) -> dict[str, list[str]]:
    """The indented lines of a block below the word that each of its parts begins with."""
    found: dict[str, list[str]] = {}
    for line in block.splitlines():
        if line[:1].strip():
            found[line.split()[0]] = []
        elif line.strip():
            found[list(found)[-1]].append(line.strip())
    return found


FLOWS = sections(BLOCKS[0])
HOPS = [(flow, *re.fullmatch(r"(\S+) .* -> (\w+)", line).groups())
        for flow, lines in FLOWS.items() for line in lines]  # fmt: skip


def test_every_module_on_the_map_exists():
    assert [name for name in sorted(set(MODULE.findall(PAGE))) if find_spec(name) is None] == []


@pytest.mark.parametrize("flow", MOST_TYPES)
def test_a_flow_is_as_short_as_it_is_meant_to_be(flow):
    types = [kind for name, _, kind in HOPS if name == flow]
    assert 2 < len(types) <= MOST_TYPES[flow]
    assert len(set(types)) == len(types), "each hop changes the type"


@pytest.mark.parametrize("package", ["indexer", "corpus_agent", "indexer.extract"])
def test_the_layers_are_those_that_the_contracts_hold(package):
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    held = {contract["name"]: contract.get("layers") for contract in contracts}
    assert sections(BLOCKS[1])[package] == held[f"{package}: nothing reaches up"]


def test_every_file_of_a_store_is_on_the_map_and_has_a_name_that_a_store_allows():
    table = PAGE.partition("## The files of a store")[2].partition("\nWhat draws")[0]
    named = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
             for name in re.findall(r"`(.*?)`", row)]  # fmt: skip
    tops = {name.partition("/")[0] for name in named}
    folders = set(filter(FOLDERS.fullmatch, tops))
    assert folders == {"lance", "texts", "probes", "saved", "tmp"}
    assert [
        name for name in named if not (FILES.fullmatch(name) or name.split("/")[0] in folders)
    ] == []
    assert not FILES.fullmatch("notes.txt")
