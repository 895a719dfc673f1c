"""SECURITY.md claims nothing without a test; docs/seal.md has the limits and files of the code."""

import re

import pytest

from corpus_agent.agent import conversation, request
from corpus_agent.models import discovery
from corpus_agent.seal import relay, routes, upstream
from corpus_agent.settings import Settings
from indexer.confine import system_files
from indexer.parsers import limits
from indexer.store import manifest, storage
from tests.support.places import REPOSITORY, TESTS

CLAIMS = (REPOSITORY / "SECURITY.md").read_text("utf-8")
TEXT = (REPOSITORY / "docs/seal.md").read_text("utf-8")
ROW = re.compile(
    r"^\| (?P<claim>.+) \| (?P<tests>`test_\w+\.py`(?:, `test_\w+\.py`)*) \|$", re.MULTILINE
)


def test_each_claim_names_test_files_that_are_there():
    tables = CLAIMS.split("| Claim | Test |\n|---|---|\n")[1:]
    rows = [line for table in tables for line in table.partition("\n\n")[0].splitlines()]
    assert len(rows) > 50
    found = [ROW.match(row) for row in rows]
    assert [row for row, match in zip(rows, found, strict=True) if match is None] == []
    named = {
        name for match in found if match for name in match["tests"].replace("`", "").split(", ")
    }
    assert [name for name in sorted(named) if len([*TESTS.rglob(name)]) != 1] == []


def test_every_file_that_stays_open_is_listed_with_its_right():
    for rule in system_files():
        rows = [line for line in TEXT.splitlines() if line.startswith("|")]
        row = next(line for line in rows if f"`{rule.path}`" in line)
        assert f"| {rule.access} |" in row, rule
    for rule in system_files(gpu=True):
        if not str(rule.path).startswith("/dev/nvidia"):
            assert f"`{rule.path}`" in TEXT, rule


def test_no_file_is_listed_that_is_closed():
    listed = TEXT.partition("## Files that stay readable")[2].partition("Closed on purpose")[0]
    allowed = {str(rule.path) for rule in system_files(gpu=True)} | {"/dev/nvidia*"}
    allowed.add("/dev/nvidia-caps")
    assert set(re.findall(r"`(/[^`]*)`", listed)) <= allowed


def test_the_limits_of_a_document_are_those_of_the_program():
    listed = dict(re.findall(r"^\| `([A-Z_]+)` \| ([\d,]+ \S+)", TEXT, re.MULTILINE))
    units = {"MiB": 2**20, "s": 1, "bytes": 1, "lines": 1, "at": 1, "documents,": 1}
    values = {
        name: int(value.split()[0].replace(",", "")) * units[value.split()[1]]
        for name, value in listed.items()
    }
    bounds = {name: value for name, value in vars(limits).items() if name.isupper()}
    own = {name: value for name, value in bounds.items() if isinstance(value, int)}
    del own["MIB"]
    assert values == own


MIB = 2**20


@pytest.mark.parametrize(
    ("row", "values"),
    [
        (
            "manifest of a store; its marker, its settings",
            [manifest.MAX_BYTES, storage.MAX_SMALL_BYTES],
        ),
        ("steps of a model", [conversation.MAX_STEPS, request.MAX_CALLS]),
        (
            "a request to a model server, its reply, at once",
            [routes.MAX_CHAT_BYTES // MIB, upstream.MAX_REPLY_BYTES // MIB, relay.MAX_AT_ONCE],
        ),
        (
            "characters of a reply, of a draft, of an error that is shown",
            [request.MAX_REPLY_CHARACTERS, conversation.MAX_DRAFT, discovery.MAX_SAID],
        ),
        (
            "seconds of a connection",
            [
                *(upstream.CONNECT_SECONDS, upstream.SEND_SECONDS),
                *(upstream.IDLE_SECONDS, upstream.REPLY_SECONDS),
            ],
        ),
        (
            "seconds of a model",
            [
                *(Settings().llm_seconds, request.FIRST_SECONDS, request.STALL_SECONDS),
                discovery.BUSY_SECONDS,
            ],
        ),
    ],
)
def test_the_limits_of_a_row_are_those_of_the_code(row, values):
    (limits,) = re.findall(rf"^\| {row} \| ([^|]+) \|", TEXT, re.MULTILINE)
    assert [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\b", limits)] == values
