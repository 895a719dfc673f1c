"""The documents say what is true: they are generated, or compared with the program, here."""

import json
import re
import subprocess
import sys

import pytest

from corpus_agent.cli import main
from corpus_agent.cli.group import GROUPS
from tests.support.places import REPOSITORY, SAMPLE

NAMED_KEYS = frozenset(re.findall(r"`(\w+)`", (REPOSITORY / "docs/json.md").read_text("utf-8")))


@pytest.mark.slow
def test_the_transcript_and_the_help_in_the_documents_are_what_the_program_prints():
    command = [sys.executable, REPOSITORY / "docs/generate.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_command_has_help_on_the_page_of_commands():
    page = (REPOSITORY / "docs/cli.md").read_text("utf-8")
    assert [name for name in main.commands if f"$ corpus-agent {name} --help\n" not in page] == []
    assert all(command.help for command in main.commands.values())


OF_DATA = frozenset({"chunks", "settings"})  # keys whose own keys are data: languages, names


def keys_of(content: object) -> set[str]:
    """All keys of a JSON value, those of the values inside it included."""
    if isinstance(content, list):
        return set().union(*map(keys_of, content))
    if not isinstance(content, dict):
        return set()
    inside = (keys_of(value) for key, value in content.items() if key not in OF_DATA)
    return {str(key) for key in content}.union(*inside)


@pytest.mark.slow
def test_the_json_page_names_every_key_of_a_real_answer(sample_store, cli):
    commands = (
        ["files"],
        ["status"],
        ["read", "home/lease.md"],
        ["trust", sample_store],
        ["search", "sourdough"],
        ["ask", "How long can the starter stay in the fridge?", "--llm", "none"],
        ["table", "rent", "--path", "home"],
        ["list", "notes due after 2020", "--path", "home"],
        ["timeline", "--path", "home"],
    )
    for command in commands:
        content = json.loads(cli("--store", sample_store, *command, "--json").stdout)
        assert keys_of(content) - NAMED_KEYS == set(), command


def test_the_sample_corpus_is_small():
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 1_000_000


def test_the_list_of_commands_has_each_once():
    listed = [name for commands in GROUPS.values() for name in commands]
    assert sorted(listed) == sorted(main.commands)
    assert all(len(line) < 66 for commands in GROUPS.values() for line in commands.values())
