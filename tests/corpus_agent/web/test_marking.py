"""Pieces of text that are marked, and lines as they are shown."""

from corpus_agent.web.marking import (
    words_marked,
)
from corpus_agent.web.place_page import Wanted, marked
from indexer.records import Line


def marks(pieces):
    return [text for text, is_marked in pieces if is_marked]


def test_the_words_of_a_query_are_marked_and_their_endings_not_their_likes():
    text = "The policy number; policies of policyholders, by the police, in number two."
    assert marks(words_marked(text, "the policy numbers")) == [
        "policy", "number", "policyholders", "number",
    ]  # fmt: skip
    assert "".join(piece for piece, _ in words_marked(text, "policy")) == text
    assert words_marked("", "x") == [("", False)]
    assert marks(words_marked("who is who", "who")) == ["who", "who"], "stop words alone"


def test_what_moved_is_found_and_what_is_gone_is_said():
    lines = [Line("New first line."), Line("The rent is due on the third day of the month.")]
    wanted = Wanted.from_query({"line": "1", "quote": "rent is due on the third day"})
    found, at, missing = marked(lines, wanted)
    assert (list(found), at, missing) == ([2], 2, False)
    wanted = Wanted.from_query({"line": "9", "quote": "otters swim in rivers"})
    assert marked(lines, wanted)[1:] == (2, True)
