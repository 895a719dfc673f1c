"""Three hundred answers by a model that makes a third of its quotations up."""

import random

import pytest

from benchmarks.evidence import Case, cases, sample_documents
from corpus_agent.agent.answerer import ModelAnswerer
from tests.support.fakes import ScriptedModelServer, says

ANSWERS = 300
SEED = 11
GOOD = ("verbatim", "re-wrapped", "hyphenated", "ligatures")
MADE_UP = ("one word changed", "number changed", "fabricated", "from another source")


def drafts(documents) -> list[list[Case]]:
    """For each answer three quotations, one of them made up, in any order."""
    chance = random.Random(SEED)
    made = cases(documents, 9 * ANSWERS, SEED)
    good = [case for case in made if case.kind in GOOD]
    false = [case for case in made if case.kind in MADE_UP]
    found = []
    for number in range(ANSWERS):
        three = [*good[2 * number : 2 * number + 2], false[number]]
        chance.shuffle(three)
        found.append(three)
    return found


def written(three: list[Case]) -> str:
    claims = [f"It is so [{case.source}:{case.line}] “{case.quote}”." for case in three]
    return "\n\n".join(claims)


@pytest.mark.nightly
@pytest.mark.slow
def test_no_quotation_that_was_made_up_reaches_the_user_as_verified():
    documents = sample_documents()
    planned = drafts(documents)
    # The chance to repair is wasted: the model insists.
    script = [says(written(three)) for three in planned for _ in range(2)]
    dropped = kept = 0
    with ScriptedModelServer(script) as fake:
        answerer = ModelAnswerer(fake.server, "toy-model", fake.broker)
        for three in planned:
            answer = answerer.answer("Is it so?", documents)
            false = next(case for case in three if case.kind in MADE_UP)
            kept += len(answer.citations)
            dropped += any("left out" in notice for notice in answer.notices)
            for citation in answer.citations:
                assert citation.verdict in ("verified", "moved")
                assert squeezed(citation.quote) in whole(documents, citation.source)
                same = (citation.source, squeezed(citation.quote))
                assert same != (false.source, squeezed(false.quote)), false
    assert dropped == ANSWERS
    assert kept >= 1.95 * ANSWERS  # the true ones get through: two an answer, rarely the same


def squeezed(text: str) -> str:
    return "".join(text.split())


def whole(documents, source: str) -> str:
    return squeezed("".join(line.text for line in documents.documents[source]))
