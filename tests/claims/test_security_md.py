"""SECURITY.md says nothing that no test proves, and leaves no file out that stays readable."""

import re

import pytest

from corpus_agent.agent import conversation, request, work
from corpus_agent.models import discovery
from corpus_agent.seal import relay, routes, upstream
from corpus_agent.settings import Settings
from indexer.confine import system_files
from indexer.parsers import limits
from tests.support.places import REPOSITORY, TESTS

TEXT = (REPOSITORY / "SECURITY.md").read_text()
CLAIMS = "| Claim | Mechanism | Test | Does not cover |"
NAMED = sorted(set(re.findall(r"`(test_\w+\.py)::(test_\w+)`", TEXT)))


def claim_rows():
    """The cells of every row below a heading of claims."""
    rows = []
    for table in TEXT.split(CLAIMS)[1:]:
        for line in table.strip().splitlines()[1:]:
            if not line.startswith("|"):
                break
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


@pytest.mark.parametrize(("file", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_test_that_is_named_exists(file, name):
    [path] = TESTS.rglob(file)  # one file of that name, wherever it lies
    assert re.search(rf"^def {name}\(", path.read_text(), re.MULTILINE)


@pytest.mark.parametrize("row", claim_rows(), ids=lambda row: row[0][:50])
def test_a_claim_has_a_mechanism_and_a_test(row):
    assert len(row) == 4
    claim, mechanism, tests, _ = row
    assert claim
    assert mechanism
    assert re.fullmatch(r"`test_\w+\.py::test_\w+`(, `test_\w+\.py::test_\w+`)*", tests)


def test_there_are_claims():
    assert len(claim_rows()) > 20


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
        ("steps of a model", [conversation.MAX_STEPS, request.MAX_CALLS]),
        (
            "a request to a model server, its reply, at once",
            [routes.MAX_CHAT_BYTES // MIB, upstream.MAX_REPLY_BYTES // MIB, relay.MAX_AT_ONCE],
        ),
        (
            "characters of a reply, of a draft, of an error that is shown",
            [request.MAX_REPLY_CHARACTERS, work.MAX_DRAFT, discovery.MAX_SAID],
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
def test_the_limits_of_a_model_are_those_of_the_code(row, values):
    (limits,) = re.findall(rf"^\| {row} \| ([^|]+) \|", TEXT, re.MULTILINE)
    assert [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\b", limits)] == values
