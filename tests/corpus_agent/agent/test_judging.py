"""A model's word on what was not found: shown as its own, and it decides nothing."""

import pytest

from corpus_agent import render
from corpus_agent.agent.numbered import judged
from corpus_agent.check.checking import check_text
from corpus_agent.models.discovery import Model
from corpus_agent.seal import unsealed
from corpus_agent.settings import Settings
from corpus_agent.startup import Launch
from tests.support.fakes import ListedCorpus, ScriptedModelServer, fails, says, stalls

CORPUS = ListedCorpus({"cats.md": "# Cats\n\nEvery kitten sleeps upstairs with its mother.\n"})
OPEN = "Young felines spend their nights upstairs in a basket."


def asked(text: str, *replies, seconds: int = 60):
    with ScriptedModelServer(replies) as fake:
        launch = Launch(
            unsealed(),
            Model(fake.server, "toy-model"),
            fake.broker,
            settings=Settings(llm_seconds=seconds),
        )
        done = check_text(text, CORPUS)  # type: ignore[arg-type]
        return judged(done, CORPUS, launch, lambda *_: None), fake


@pytest.mark.parametrize(
    ("reply", "model", "places"),
    [
        ("SUPPORTED [1]", "supported", ["cats.md"]),
        ("Contradicted [1]", "contradicted", ["cats.md"]),
        ("UNDECIDED", "undecided", []),
        ("SUPPORTED [9]", "undecided", []),
        ("SUPPORTED [0]", "undecided", []),
        ("The documents say “quoted”. SUPPORTED [1] \x1b[31m", "undecided", []),
        ("", "undecided", []),
    ],
)
def test_a_models_word_is_marked_and_changes_no_kind(reply, model, places):
    done, fake = asked(OPEN, says(reply))
    [finding] = done.findings
    assert (finding.kind, finding.model, done.holds) == ("not_found", model, False)
    assert [cited.source for cited in finding.citations] == places
    first, *rest = render.checked_lines(done)
    assert f"a model: {model}" in first and "a model: toy-model" in rest
    shown = render.checked_object(done, "off")
    assert (shown["check"]["model"], shown["check"]["findings"][0]["model"]) == ("toy-model", model)
    assert shown["egress"] is None and shown["check"]["holds"] is False
    assert "[1] Every kitten sleeps upstairs" in str(fake.requests[0]["messages"])


def test_only_statements_that_were_not_found_are_asked_about():
    text = (
        "Every kitten sleeps upstairs with its mother. “Every kitten sleeps downstairs with its "
        "mother.” It says “the mother has sold the kitten”.\n\n"
        "For 12 euros young felines have “every kitten sleeps downstairs with its mother”.\n"
    )
    done, fake = asked(text)
    kinds = [finding.kind for finding in done.findings]
    assert {"supported", "altered", "not_found"} <= {*kinds}
    assert fake.requests == [] and all(finding.model is None for finding in done.findings)
    assert asked(f"{text}\n{OPEN}", says("SUPPORTED [1]"))[1].requests != []


@pytest.mark.parametrize("reply", [fails(500), stalls("SUPP", 5.0)])
def test_a_model_that_fails_or_takes_too_long_leaves_the_rest_unjudged(reply):
    other = "Old hounds prefer their own mother at dusk in the cellar."
    done, fake = asked(f"{OPEN}\n\n{other}", says("SUPPORTED [1]"), reply, seconds=2)
    assert [finding.model for finding in done.findings] == ["supported", None]
    assert len(fake.requests) == 2 and done.notices and not done.holds
