"""SECURITY.md claims nothing without a test; docs/seal.md has the limits and files of the code."""

import re

from corpus_agent.agent import conversation, request
from corpus_agent.models import discovery
from corpus_agent.seal import relay, routes, upstream
from corpus_agent.settings import Settings
from indexer.confine import system_files
from indexer.confine.syscalls import grouped
from indexer.parsers import limits
from indexer.store import manifest, storage
from tests.support.places import REPOSITORY, TESTS

CLAIMS = (REPOSITORY / "SECURITY.md").read_text("utf-8")
TEXT = (REPOSITORY / "docs/seal.md").read_text("utf-8")
ROW = re.compile(r"^\| .+ \| (?P<tests>`test_\w+\.py`(?:, `test_\w+\.py`)*) \|$")
MIB = 2**20
# What the rows of the other limits say: the numbers in their order.
LIMITS = {
    "manifest of a store; its marker, its settings": [
        *(manifest.MAX_BYTES, storage.MAX_SMALL_BYTES)
    ],
    "steps of a model": [conversation.MAX_STEPS, request.MAX_CALLS],
    "a request to a model server, its reply, at once": [
        *(routes.MAX_CHAT_BYTES // MIB, upstream.MAX_REPLY_BYTES // MIB, relay.MAX_AT_ONCE)
    ],
    "characters of a reply, of a draft, of an error that is shown": [
        *(request.MAX_REPLY_CHARACTERS, conversation.MAX_DRAFT, discovery.MAX_SAID)
    ],
    "seconds of a connection": [
        *(upstream.CONNECT_SECONDS, upstream.SEND_SECONDS),
        *(upstream.IDLE_SECONDS, upstream.REPLY_SECONDS),
    ],
    "seconds of a model": [
        *(Settings().llm_seconds, request.FIRST_SECONDS, request.STALL_SECONDS),
        discovery.BUSY_SECONDS,
    ],
}


def test_each_claim_names_test_files_that_are_there():
    tables = CLAIMS.split("| Claim | Test |\n|---|---|\n")[1:]
    rows = [line for table in tables for line in table.partition("\n\n")[0].splitlines()]
    assert len(rows) > 50
    assert [row for row in rows if not ROW.match(row)] == []
    named = {name for row in rows for name in re.findall(r"`(test_\w+\.py)`", row)}
    assert [name for name in sorted(named) if len([*TESTS.rglob(name)]) != 1] == []


def test_every_file_that_stays_open_is_listed_with_its_right_and_none_that_is_closed():
    rows = [line for line in TEXT.splitlines() if line.startswith("|")]
    for rule in system_files():
        row = next(line for line in rows if f"`{rule.path}`" in line)
        assert f"| {rule.access} |" in row, rule
    allowed = {str(rule.path) for rule in system_files(gpu=True)}
    allowed |= {line.split()[0] for line in grouped("files.txt")["tesseract"]}
    assert [each for each in allowed if f"`{each}`" not in TEXT and "/dev/nvidia" not in each] == []
    listed = TEXT.partition("## Files that stay readable")[2].partition("Closed on purpose")[0]
    allowed |= {"/dev/nvidia*", "/dev/nvidia-caps"}
    assert set(re.findall(r"`(/[^`]*)`", listed)) <= allowed


def test_the_limits_that_are_listed_are_those_of_the_program():
    listed = dict(re.findall(r"^\| `([A-Z_]+)` \| ([\d,]+ \S+)", TEXT, re.MULTILINE))
    units = {"MiB": MIB, "s": 1, "bytes": 1, "lines": 1, "at": 1, "documents,": 1}
    values = {
        name: int(value.split()[0].replace(",", "")) * units[value.split()[1]]
        for name, value in listed.items()
    }
    bounds = {name: value for name, value in vars(limits).items() if name.isupper()}
    del bounds["MIB"]
    assert values == {name: value for name, value in bounds.items() if isinstance(value, int)}
    for row, expected in LIMITS.items():
        (said,) = re.findall(rf"^\| {row} \| ([^|]+) \|", TEXT, re.MULTILINE)
        numbers = re.findall(r"\d[\d,]*\b", said)
        assert [int(number.replace(",", "")) for number in numbers] == expected, row
