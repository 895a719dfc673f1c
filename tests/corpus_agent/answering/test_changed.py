"""Where a file changed after a passage of it was found: no door says "do not say"."""

from dataclasses import replace

import pytest

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.render import answers, export, for_parent
from corpus_agent.text.delimiters import Frame
from indexer.embed import FolderEncoder
from tests.support.fakes import MemoryCorpus

LEASE = "# Lease\n\nThe deposit is £1,130 and is held by the landlord.\n"
GARDEN = "# Garden\n\nThe pears are picked in the second week of September.\n"


class Changed(MemoryCorpus):
    """A corpus that finds what its files held, and reads what they hold now."""

    def __init__(self, held, now):
        super().__init__(now, stale=now)
        self._before = MemoryCorpus(held)

    def search(self, query):
        return [replace(hit, stale=True) for hit in self._before.search(query)]


@pytest.fixture(scope="module")
def answerer():
    return ExtractiveAnswerer(FolderEncoder())


@pytest.mark.slow
def test_the_first_line_names_the_file_that_changed_and_what_to_run(answerer):
    for text, question in {
        LEASE: "How much is the deposit?",
        GARDEN: "When are the pears picked?",
    }.items():
        held = {"home/note.md": text}
        for now in ({"home/note.md": "# Note\n\nNothing of it.\n"}, {}):  # changed, and gone
            answer = answerer.answer(question, Changed(held, now))
            assert (answer.status, answer.changed) == ("not_found", ("home/note.md",))
            assert answer.text.startswith("home/note.md changed or went away after it was indexed")
            assert "run corpus-agent index" in answer.text
            assert "do not say" not in answer.text
        control = answerer.answer(question, MemoryCorpus(held))
        assert (control.status, control.changed) == ("closest", ())
    unsaid = answerer.answer("Who won the cup in 1998?", Changed({"a.md": LEASE}, {"a.md": "No."}))
    assert unsaid.text.startswith("The documents do not say.")
    assert unsaid.changed == ()


def test_every_door_says_so(answerer):
    held = {f"{name}.md": f"# {name}\n\nThe deposit of {name} is £1,130.\n" for name in "abcd"}
    answer = answerer.answer("How much is the deposit?", Changed(held, dict.fromkeys(held, "-")))
    assert answer.changed == ("a.md", "b.md", "c.md")
    (first, *_) = answers.answer_lines(answer)
    assert first.startswith("a.md, b.md, c.md changed")
    assert answers.answer_object(answer, "enforced")["changed"] == ["a.md", "b.md", "c.md"]
    assert export.exported_answer(answer).status == "Not found: a file changed"
    given = for_parent.handed_over(for_parent.with_unambiguous_sources(answer))
    assert given.changed == ("a[.]md", "b[.]md", "c[.]md")
    told = for_parent.render(Frame(outside=True), given)
    assert told.startswith("NOT answered: what was found stands in a file that changed")
    assert "Not found in the documents" not in told
