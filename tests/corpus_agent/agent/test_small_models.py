"""Small models: worse with tools, refusals in words, a first word that says whether it answers."""

import json

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.agent.conversation import PROMPTS
from corpus_agent.answering.decision import OF_ALL
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.records import Onlooker
from corpus_agent.models.http import SMALL
from corpus_agent.service import session
from indexer import Encoder
from tests.support.fakes import MemoryCorpus, ScriptedModelServer, fails, raw, reads, says

ENCODER = Encoder()
QUESTION = "When is the rent due?"
DUE = "The rent is due on the 3rd day of each month."
YES, NO = reads(yes=0.9, no=0.1), reads(no=0.999, yes=0.001)
ANSWER = says(DUE)


CORPUS = MemoryCorpus(
    {
        "lease.md": f"# Lease\n\n{DUE}\n\nThe tenant keeps no dogs.\n",
        "bread.md": "# Bread\n\nThe dough rises at 24 °C for five hours.\n",
    }
)


def ask(replies, *questions, parameters=None, passages=None, **limits):
    """The answers of one answerer, and the requests of each as the server saw them."""
    model = {"id": "toy-model", "meta": {"n_params": parameters}}
    listed = {"object": "list", "models": [{"name": "toy-model"}], "data": [model]}
    listing = raw(json.dumps(listed).encode())  # as llama.cpp has both
    with ScriptedModelServer(replies, listing=listing) as fake:
        answerer = ModelAnswerer(
            fake.server,
            "toy-model",
            fake.broker,
            **limits,
            encode=ENCODER.encode_tokens,
            own=ExtractiveAnswerer(ENCODER),
        )
        shown = [] if passages is None else passages
        onlooker = Onlooker(passages=lambda found: shown.append((found, len(fake.paths))))
        answers = [
            session.ask(question, CORPUS, answerer, onlooker=onlooker)
            for question in questions or (QUESTION,)
        ]
    return answers, fake.requests


@pytest.mark.slow
def test_a_model_that_refuses_with_tools_is_asked_once_more_without_and_that_is_remembered():
    for refusal in ("NOT_FOUND", "The documents do not mention it.", "It rains on Tuesdays."):
        replies = [says(refusal), YES, ANSWER, YES, says("The dough rises at 24 °C.")]
        asked = (QUESTION, "At what temperature does the dough rise?")
        (first, second), requests = ask(replies, *asked)
        assert first.citations[0].quote == DUE and "[1]" in first.text
        assert second.citations[0].quote == "The dough rises at 24 °C for five hours."
        assert ["tools" in request for request in requests] == [True, False, False, False, False]


@pytest.mark.slow
def test_a_model_that_refuses_both_times_keeps_its_tools_and_the_answer_is_that_without_it():
    passages = []
    replies = [says("NOT_FOUND"), YES, says("NOT_FOUND"), says("NOT_FOUND"), NO]
    (answer, _), requests = ask(replies, QUESTION, QUESTION, passages=passages)
    own = passages[0][0]
    assert (answer.text, answer.status, answer.answerer) == ("", own.status, "toy-model")
    assert (answer.passages, answer.probability) == (own.passages, own.probability)
    assert ["tools" in request for request in requests] == [True, False, False, True, False]


@pytest.mark.slow
def test_a_model_that_fails_when_it_is_asked_again_leaves_the_answer_without_it():
    (answer,), requests = ask([says("NOT_FOUND"), fails(500), fails(500)])
    assert (answer.text, answer.answerer, len(requests)) == ("", "toy-model", 3)
    assert (answer.citations[0].quote, len(answer.notices)) == (DUE, 2)


@pytest.mark.slow
def test_a_server_that_takes_no_tools_is_asked_without_and_that_is_remembered():
    replies = [fails(400, "does not support tools"), YES, ANSWER, YES, ANSWER]
    answers, requests = ask(replies, QUESTION, QUESTION)
    assert [answer.citations[0].quote for answer in answers] == [DUE, DUE]
    assert ["tools" in request for request in requests] == [True, False, False, False, False]


def test_a_model_sees_the_passages_that_a_reader_would_be_shown_in_full():
    for parameters in (1, None):
        passages = []
        _, requests = ask([YES, ANSWER], parameters=parameters, passages=passages)
        sent = json.dumps(requests[0]["messages"], ensure_ascii=False)
        for passage in passages[0][0].passages:
            assert json.dumps(passage.text, ensure_ascii=False)[1:-1] in sent
    assert passages[0][0].passages


@pytest.mark.slow
def test_a_model_that_reports_a_small_size_is_offered_no_tools():
    good = says(f'{DUE} [lease.md:3] "{DUE}"')
    for parameters, offered in ((SMALL - 1, False), (SMALL, True), (None, True), ("135M", True)):
        (answer,), requests = ask([good] if offered else [YES, good], parameters=parameters)
        assert answer.citations[0].quote == DUE and ("tools" in requests[0]) == offered


def test_the_reader_asks_for_one_word_with_its_probability_and_shares_the_drafts_beginning():
    _, (asked, draft) = ask([YES, ANSWER], parameters=1)
    assert (asked["max_tokens"], asked["logprobs"], asked["top_logprobs"]) == (1, True, 20)
    system, user = asked["messages"]
    assert system == {"role": "system", "content": PROMPTS["passages"]} == draft["messages"][0]
    assert user["content"] == f"{draft['messages'][1]['content']}\n\n{PROMPTS['reader']}"


def test_a_sure_no_of_the_reader_ends_the_question_with_the_passages_and_no_draft():
    (answer,), requests = ask([NO], parameters=1)
    assert (answer.text, answer.citations[0].quote, len(requests)) == ("", DUE, 1)


@pytest.mark.slow
def test_a_server_that_refuses_probabilities_is_asked_for_a_draft_and_that_is_said():
    refused = fails(400, "logprobs is not supported")
    (answer,), requests = ask([refused, ANSWER], parameters=1)
    assert (len(requests), answer.citations[0].quote) == (2, DUE)
    assert len(answer.notices) == 1
    assert "logprobs" not in "".join(answer.notices)


@pytest.mark.slow
def test_a_question_about_all_documents_is_never_answered_from_the_nearest():
    every = "Which of my documents say when the rent is due?"
    for question, status, noted in ((every, "perhaps", True), (QUESTION, "answered", False)):
        (answer,), _ = ask([says(f'On the 3rd day [lease.md:3] "{DUE}".')], question)
        assert (answer.status, OF_ALL in answer.notices) == (status, noted)
        without = session.ask(question, CORPUS, ExtractiveAnswerer(ENCODER))
        assert without.citations and (OF_ALL in without.notices) is noted
    bare = session.ask(every, MemoryCorpus({}), ExtractiveAnswerer(ENCODER))
    assert OF_ALL not in bare.notices  # there is nothing that a table could look at
