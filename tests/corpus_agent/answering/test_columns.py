import pytest

from corpus_agent.answering.columns import with_columns
from corpus_agent.answering.quotations import check_quotation
from tests.support.fakes import MemoryCorpus

PAGE = "Accounts\n2023 2022\nFees 41,200 39,850\nBerth rent 18,400 17,900\nBerths are let yearly."
CORPUS = MemoryCorpus({"a.pdf": ["2021 2020\nFees 1 2", PAGE]})


def shown(*quotes: str) -> list[tuple[str, int]]:
    cited = [(quote, check_quotation(CORPUS, 0, "a.pdf", quote, 5)) for quote in quotes]
    found = list(with_columns(CORPUS, cited))
    assert all(citation.stands for _, citation in found)
    return [(text, citation.line_start) for text, citation in found]


def test_a_row_of_figures_stands_below_the_names_of_its_columns_once():
    names = ("2023 2022\nFees 41,200 39,850", 6)  # two years alone are too little of a quotation
    rent, fees = "Berth rent 18,400 17,900", "Fees 41,200 39,850"
    assert shown(rent) == [names, (rent, 8)]
    assert shown(rent, fees) == [names, (rent, 8), (fees, 7)]


def test_a_sentence_stays_alone():
    assert shown("Berths are let yearly.") == [("Berths are let yearly.", 9)]


def test_names_on_another_page_are_of_another_table():
    corpus = MemoryCorpus({"a.pdf": ["2023 2022\nFees 1 2", "Berth rent 18,400 17,900"]})
    row = "Berth rent 18,400 17,900"
    cited = [(row, check_quotation(corpus, 0, "a.pdf", row, 5))]
    assert [text for text, _ in with_columns(corpus, cited)] == [row]


def test_the_unit_and_the_title_above_the_names_are_quoted_with_them():
    page = "Boats\n\nStatement of Income\n(in thousands)\n2023 2022\nFees 41,200 39,850"
    corpus = MemoryCorpus({"a.pdf": [page]})
    row = "Fees 41,200 39,850"
    cited = [(row, check_quotation(corpus, 0, "a.pdf", row, 6))]
    names = "Statement of Income\n(in thousands)\n2023 2022"
    assert [text for text, _ in with_columns(corpus, cited)] == [names, row]
    bare = MemoryCorpus({"a.pdf": [page.replace("(in thousands)", "(as restated)")]})
    assert [text for text, _ in with_columns(bare, cited)] != [names, row]


@pytest.mark.parametrize(
    ("names", "row"),
    [
        ("2023 2022", "Berth rent (2) 18,400 17,900"),
        ("2023 2022 (1)", "Berth rent 18,400 17,900"),
        ("Note 2023 2022", "Berth rent 4 18,400 17,900"),
        ("2023 2022", "Berths that are let on January 1 310 298"),
    ],
)
def test_a_mark_of_a_note_and_the_day_in_a_label_are_no_figures_of_a_row(names, row):
    corpus = MemoryCorpus({"a.pdf": [f"Accounts of the harbour\n{names}\nFees 1 2\n{row}"]})
    cited = [(row, check_quotation(corpus, 0, "a.pdf", row, 5))]
    assert [text.partition("\n")[0] for text, _ in with_columns(corpus, cited)] == [names, row]


@pytest.mark.parametrize("row", ["Berth rent 4 18,400 17,900", "Berth rent (2) (1) 18 17"])
def test_a_row_with_more_figures_than_names_of_columns_has_none(row):
    corpus = MemoryCorpus({"a.pdf": [f"Accounts of the harbour\n2023 2022\nFees 1 2\n{row}"]})
    cited = [(row, check_quotation(corpus, 0, "a.pdf", row, 5))]
    assert [text for text, _ in with_columns(corpus, cited)] == [row]
