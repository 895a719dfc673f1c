"""The documents say what is true: they are generated, or compared with the program, here."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec

import pytest

from corpus_agent.cli import main
from corpus_agent.cli.group import GROUPS
from indexer import errors
from indexer.store.storage import FILES, FOLDERS
from tests.support.places import REPOSITORY, SAMPLE, TESTS


def page(name: str) -> str:
    return (REPOSITORY / name).read_text("utf-8")


@pytest.mark.slow
def test_the_transcript_and_the_help_in_the_documents_are_what_the_program_prints():
    command = [sys.executable, REPOSITORY / "docs/generate.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_command_has_help_and_is_listed_once():
    text = page("docs/cli.md")
    assert [name for name in main.commands if f"$ corpus-agent {name} --help\n" not in text] == []
    assert all(command.help for command in main.commands.values())
    listed = [name for commands in GROUPS.values() for name in commands]
    assert sorted(listed) == sorted(main.commands)
    assert all(len(line) < 66 for commands in GROUPS.values() for line in commands.values())


OF_DATA = frozenset({"chunks", "settings"})  # keys whose own keys are data: languages, names
SHOWN = (
    *("files", "status", "read home/lease.md", "trust STORE", "search sourdough"),
    "ask --llm none how long can the starter stay in the fridge",
    *("table rent --path home", "timeline --path home"),
)


def keys_of(content: object) -> set[str]:
    if isinstance(content, list):
        return set().union(*map(keys_of, content))
    if not isinstance(content, dict):
        return set()
    inside = (keys_of(value) for key, value in content.items() if key not in OF_DATA)
    return {str(key) for key in content}.union(*inside)


@pytest.mark.slow
def test_the_json_page_names_every_key_of_a_real_answer(sample_store, cli):
    named = set(re.findall(r"`(\w+)`", page("docs/json.md")))
    commands = [line.replace("STORE", str(sample_store)).split() for line in SHOWN]
    commands[5][3:] = [" ".join(commands[5][3:])]
    for command in (*commands, ["list", "notes due after 2020", "--path", "home"]):
        content = json.loads(cli("--store", sample_store, *command, "--json").stdout)
        assert keys_of(content) - named == set(), command


def test_the_sample_corpus_is_small():
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 1_000_000


def test_what_the_page_of_extensions_names_is_there():
    text, made = page("docs/extending.md"), "corpus_agent/lines/"  # by the door of the page
    paths = set(re.findall(r"`((?:corpus_agent|indexer|tests|benchmarks)/[\w/.]*)`", text))
    assert len(paths) > 5
    assert [p for p in paths if not p.startswith(made) and not (REPOSITORY / p).exists()] == []
    files = {path.stem: path.read_text("utf-8") for path in TESTS.rglob("test_*.py")}
    tests = set(re.findall(r"\btest_\w+(?!\w*\.py)\b", text)) - files.keys()
    assert [name for name in tests if f"def {name}(" not in "\n".join(files.values())] == []


ERRORS = {each.__name__ for each in vars(errors).values() if isinstance(each, type)}
ERRORS -= {"UnreadableDocument"}  # whose words are codes
ERRORS |= {"ModelUnavailable", "NoUserState", "OwnerUnknown", "LibrarianFailed", "LibrarianTimeout"}
UNPLAIN = re.compile(r"(?i)\b(hear|tell|owe|somebody|hardly|that which|what is left|errno)\b")


def written(node: ast.expr) -> str:
    """The text of a literal, with {} for each value in it; "" of what is no literal."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = (part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
    return "".join(map(str, texts)) if isinstance(node, ast.JoinedStr | ast.Constant) else ""


def messages(text: str) -> list[tuple[str, str]]:
    """The messages of errors that stand in a module, each with its hint."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    raised = [node for node in calls if getattr(node.func, "id", "") in ERRORS and node.args]
    return [(written(each.args[0]), written(each.args[-1])) for each in raised]


def unplain(message: str, hint: str) -> bool:
    return bool(
        UNPLAIN.search(f"{message} {hint}") or not f"{message}.".endswith(("..", "?.", "}."))
    )


def test_every_message_of_an_error_is_a_sentence_in_plain_words():
    modules = [*REPOSITORY.glob("corpus_agent/**/*.py"), *REPOSITORY.glob("indexer/**/*.py")]
    every = [each for path in modules for each in messages(path.read_text("utf-8"))]
    print(*sorted(message for message, _ in every if message), sep="\n")
    assert len(every) > 200
    assert [each for each in every if each[0] and unplain(*each)] == []
    for bad in ('UsageError("No dot")', 'Refused(f"Somebody took {x}.")'):  # the controls
        assert unplain(*messages(bad)[0])


MAP = page("docs/architecture.md")
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


def test_the_map_is_of_this_house():
    modules = set(re.findall(r"\b(?:indexer|corpus_agent)(?:\.\w+)+", MAP))
    assert [name for name in sorted(modules) if find_spec(name) is None] == []
    flows, layers = map(sections, re.findall(r"^```\n(.*?)^```", MAP, re.DOTALL | re.MULTILINE)[:2])
    for flow, most in MOST_TYPES.items():
        types = [re.fullmatch(r"\S+ .* -> (\w+)", line)[1] for line in flows[flow]]
        assert 2 < len(types) <= most
        assert len(set(types)) == len(types), f"each hop of {flow} changes the type"
    contracts = tomllib.loads(page("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    held = {contract["name"]: contract.get("layers") for contract in contracts}
    for package in ("indexer", "corpus_agent", "indexer.extract"):
        assert layers[package] == held[f"{package}: nothing reaches up"]


def test_every_file_of_a_store_is_on_the_map_and_has_a_name_that_a_store_allows():
    table = MAP.partition("## The files of a store")[2].partition("\nWhat draws")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(.*?)`", row)]
    tops = {name: name.partition("/")[0] for name in named}
    folders = set(filter(FOLDERS.fullmatch, tops.values()))
    assert folders == {"lance", "texts", "probes", "saved", "tmp"}
    others = (name for name, top in tops.items() if top not in folders)
    assert [name for name in others if not FILES.fullmatch(name)] == []
    assert not FILES.fullmatch("notes.txt")
