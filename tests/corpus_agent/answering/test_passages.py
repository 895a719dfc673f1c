"""What a passage is shown with: the heads of its list, the names of its columns."""

import pytest

from corpus_agent.answering.extractive import passage_of
from corpus_agent.answering.quotations import check_quotation
from tests.support.fakes import MemoryCorpus

FAR = [f"- Damage {n} in the north part of the building, with all of it." for n in range(90)]
DEEP = [f"  {each}" for each in FAR]
ROWS = [f"| {n} | {n + 10} | {n * 3} |" for n in range(100)]


@pytest.mark.parametrize(
    ("above", "quote", "shown"),
    [
        (["The policy does not pay for:", "", *FAR], "- Water in the cellar.", "does not pay for:"),
        (["Not before May", "", *FAR], "- Water in the cellar.", "Not before May"),
        (["Never:", "- at night", *DEEP], "  - Swimming.", "Never:\n- at night"),
        (["| Line | Old fare | New |", "| --- | --- | --- |", *ROWS], "| 7 | 8 | 9 |", "Old fare"),
        (["| Line | Old fare | New |", *ROWS], "| 7 | 8 | 9 |", "Old fare"),
        (["Item   Cost in 1990   Now", "Boat   1,200   9,900"], "Ship   3,400   28,000", "in 1990"),
        (["Stuff Limit Measured", "Zinc 90 12"], "Lead 10 44", "Stuff Limit"),
    ],
)
def test_what_says_what_an_item_or_a_row_is_comes_first(above, quote, shown):
    lines = ["Intro.", "", *above, quote]
    corpus = MemoryCorpus({"a.txt": "\n".join(lines)})
    passage = passage_of(corpus, check_quotation(corpus, 1, "a.txt", quote, len(lines)))
    assert passage.citation.verdict == "verified"
    assert shown in passage.text.partition(passage.citation.quote)[0]


def test_a_head_on_the_page_before_is_one_too():
    above = "\n".join(["Not before May", "", *FAR[:9]])
    corpus = MemoryCorpus({"a.pdf": [above, "\n".join([*FAR[9:20], "- Water in the cellar."])]})
    quote = check_quotation(corpus, 1, "a.pdf", "Water in the cellar.", 20)
    assert passage_of(corpus, quote).text.startswith("Not before May\n")


def test_a_list_has_the_head_right_above_it_alone():
    lines = ["Not covered:", "", *FAR, "", "The rest is covered.", "", "- Water in the cellar."]
    corpus = MemoryCorpus({"a.txt": "\n".join(lines)})
    quote = check_quotation(corpus, 1, "a.txt", "Water in the cellar.", len(lines))
    assert "Not covered" not in passage_of(corpus, quote).text
