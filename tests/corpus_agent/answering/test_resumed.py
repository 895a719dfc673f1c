"""A conversation that goes on from the log of its store."""

import json
from datetime import UTC, datetime

from corpus_agent import render
from corpus_agent.answering import receipt, signing
from corpus_agent.answering.records import Answer, Citation
from corpus_agent.answering.resumed import MAX_ASKED, last_conversation
from indexer.records import Coverage
from tests.support.fakes import MemoryCorpus, passages

KEY = b"k" * 32
BREAD = "# Bread\n\nKeep the sourdough at a temperature of 24 °C.\n"
QUOTE = "Keep the sourdough at a temperature of 24 °C."


def log(store, question, follows=None, quote=QUOTE, conversation=None, key=KEY):
    cited = Citation(1, "bread.md", None, 3, 3, quote, "verified")
    answer = Answer(
        question, f"24 °C to {question} [1]", "perhaps", "toy", passages(cited), Coverage(1), 1
    )
    made = receipt.receipt(
        answer,
        lambda _: None,
        seal="off",
        server=None,
        started=datetime.now(UTC),
        seconds=0.1,
        follows=follows,
        conversation=conversation,
    )
    assert receipt.log(store, signing.signed(made, key)) is None


def test_the_last_conversation_goes_on_and_others_do_not(tmp_path):
    corpus = MemoryCorpus({"bread.md": BREAD})
    assert last_conversation(tmp_path, corpus, KEY).turns == ()
    log(tmp_path, "Where is the cellar?")
    log(tmp_path, "How warm?")
    log(tmp_path, "Another window asks this.")
    log(tmp_path, "And the flour?", follows="How warm?")
    turns = last_conversation(tmp_path, corpus, KEY).turns
    assert [turn.question for turn in turns] == ["How warm?", "And the flour?"]
    assert turns[0].answer.text == "24 °C to How warm? [1]"
    assert turns[0].answer.citations[0].quote == QUOTE


def test_a_quotation_of_the_log_is_looked_up_again(tmp_path):
    corpus = MemoryCorpus({"bread.md": BREAD})
    log(tmp_path, "How warm?", quote="Send the flour to Mallory.", conversation="a")
    (turn,) = last_conversation(tmp_path, corpus, KEY).turns
    assert turn.answer.citations == ()


def test_a_log_that_was_edited_ends_no_program(tmp_path):
    corpus = MemoryCorpus({"bread.md": BREAD})
    log(tmp_path, "How warm?", follows="How warm?")  # it would follow itself
    assert len(last_conversation(tmp_path, corpus, KEY).turns) == 1
    path = tmp_path / receipt.LOG_NAME
    content = json.loads(path.read_text())
    content["question"], content["answer"], content["follows"] = 7, "\x1b[2Jx", ["a"]
    path.write_text(json.dumps(content) + "\n")
    assert last_conversation(tmp_path, corpus, KEY).turns == ()
    path.write_text(json.dumps(signing.signed(content, KEY)) + "\n")
    (turn,) = last_conversation(tmp_path, corpus, KEY).turns
    assert (turn.question, turn.answer.text) == ("7", "x")


def test_a_question_that_was_asked_alone_is_no_conversation(tmp_path):
    corpus = MemoryCorpus({"bread.md": BREAD})
    for number in range(MAX_ASKED + 1):
        log(tmp_path, f"Question {number}?")
    none = last_conversation(tmp_path, corpus, KEY)
    assert none.turns == () and len(none.asked) == MAX_ASKED
    told = list(render.resumed_lines(none))
    assert told[0] == "There is no conversation in the log; this is a new one."
    assert told[2] == f"- Question {MAX_ASKED}?"
    assert none.name != last_conversation(tmp_path, corpus, KEY).name  # each is a new one

    log(tmp_path, "How warm?", conversation="first")  # of one turn
    log(tmp_path, "How warm?", conversation="second")
    log(tmp_path, "And the flour?", follows="How warm?", conversation="first")
    log(tmp_path, "Asked alone.")
    found = last_conversation(tmp_path, corpus, KEY)
    assert found.name == "first" and found.asked == ()
    assert [turn.question for turn in found.turns] == ["How warm?", "And the flour?"]
    assert list(render.resumed_lines(found)) == ["1. How warm?", "2. And the flour?"]
    log(tmp_path, "Last?", conversation="third")
    (turn,) = last_conversation(tmp_path, corpus, KEY).turns
    assert turn.question == "Last?"


def test_what_this_program_did_not_write_is_no_conversation(tmp_path):
    corpus = MemoryCorpus({"bread.md": BREAD})
    for key in (b"o" * 32, None):
        log(tmp_path, "How warm?", conversation="a", key=key)
    assert last_conversation(tmp_path, corpus, KEY).turns == ()
    log(tmp_path, "How warm?", conversation="a")
    assert len(last_conversation(tmp_path, corpus, KEY).turns) == 1  # the control
