"""Pieces of text that are marked, and lines as they are shown."""

from corpus_agent.web.place_page import Wanted, marked
from indexer.records import Line


def test_what_moved_is_found_and_what_is_gone_is_said():
    lines = [Line("New first line."), Line("The rent is due on the third day of the month.")]
    wanted = Wanted.from_query({"line": "1", "quote": "rent is due on the third day"})
    found, at, missing = marked(lines, wanted)
    assert (list(found), at, missing) == ([2], 2, False)
    wanted = Wanted.from_query({"line": "9", "quote": "otters swim in rivers"})
    assert marked(lines, wanted)[1:] == (2, True)
