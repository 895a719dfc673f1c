"""Ratios that no passage names, answered with the rows of a report's statements that they need."""

import pytest

from corpus_agent.answering import statements
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.statements import rows_asked, statement_rows
from indexer.embed import FolderEncoder
from tests.support.fakes import MemoryCorpus

REPORT = [
    """CONTENTS
Consolidated Balance Sheets 3
Consolidated Statements of Operations 4
Harbour Mills makes rope. Its quick ratio is watched by the board.
""",
    """HARBOUR MILLS, INC. AND SUBSIDIARIES
Consolidated Balance Sheets
(in thousands) 2023 2022
Cash and cash equivalents 310 290
Trade receivables, net 1,210 1,190
Inventories, net 2,310 2,290
Total current assets 4,180 4,010
Property and equipment, net 9,100 8,700
Total assets 13,900 13,200
Accounts payable 1,700 1,650
Total current liabilities 2,900 3,050
Long-term debt 4,000 4,400
""",
    """Consolidated Statements of Operations HARBOUR MILLS, INC.
2023 2022
Net sales 20,100 19,400 Cost of goods sold 12,300 12,100
Selling expenses 3,000 2,900
Operating income 4,800 4,400
Interest expense (210) (230)
Income before income taxes 4,590 4,170
Net income $ 3,500 $ 3,200
""",
]
SOURCE = "harbour_mills_2023.txt"


def rows(question, report=REPORT, source=SOURCE):
    found, lacking = statement_rows(question, [source], MemoryCorpus({source: report}))
    assert all(citation.stands for _, citation in found)
    return [text for text, _ in found], lacking


def test_a_ratio_is_answered_with_the_rows_that_it_is_made_of():
    for asked, wanted in (
        (
            "quick ratio",
            [
                "Total current assets 4,180 4,010",
                "Inventories, net 2,310 2,290",
                "Total current liabilities 2,900 3,050",
            ],
        ),
        ("working capital", REPORT[1].splitlines()[6:11:4]),
        ("DPO", ["Accounts payable 1,700 1,650", "Cost of goods sold 12,300 12,100"]),
        ("net PP&E on the balance sheet", ["Property and equipment, net 9,100 8,700"]),
        ("interest coverage", ["Operating income 4,800 4,400", "Interest expense (210) (230)"]),
        ("net profit margin", ["Net income $ 3,500 $ 3,200", "Net sales 20,100 19,400"]),
    ):
        found, lacking = rows(f"What is the {asked} of Harbour Mills?")
        assert found[: len(wanted)] == wanted, asked
        assert not lacking, asked


def test_a_row_that_is_not_there_is_named_and_two_are_too_many():
    less = [page.replace("Interest expense (210) (230)\n", "") for page in REPORT]
    found, lacking = rows("What is the interest coverage of Harbour Mills?", less)
    assert found == ["Operating income 4,800 4,400"]
    assert lacking == ("interest",)
    none = [page.replace("Operating income 4,800 4,400\n", "") for page in less]
    assert rows("What is the interest coverage of Harbour Mills?", none) == ([], ())


def test_other_questions_and_other_documents_are_read_as_before():
    assert not rows_asked("Who makes the rope?")
    assert not rows_asked("How high is the net income?")  # it names no statement
    assert rows("What is the quick ratio?") == ([], ())  # and this one no report
    prose = ["Consolidated Balance Sheets\nTotal current assets are 5 7.\n"]
    assert rows("What is the quick ratio of Harbour Mills?", prose) == ([], ())


@pytest.mark.slow
def test_the_rows_are_the_closest_passages_with_the_years_above_them():
    corpus = MemoryCorpus({SOURCE: REPORT})
    answer = ExtractiveAnswerer(FolderEncoder()).answer(
        "What is the quick ratio of Harbour Mills in FY2023?", corpus
    )
    assert answer.status == "closest"
    assert answer.probability is None
    assert [citation.page for citation in answer.citations] == [2] * len(answer.citations)
    assert "2023 2022" in answer.text
    assert "Total current liabilities 2,900 3,050" in answer.text


def test_no_more_of_a_line_is_looked_at_than_a_row_has():
    long = "Revenue " + "1" * 10**6
    assert all(len(row) <= statements.MOST_LINE for _, row in statements._rows(1, long))
    assert statements._rows(1, "Revenue 1,200 1,100") == [(1, "Revenue 1,200 1,100")]  # the control
    assert len(statements._letters("a" * 10**5)) == statements.MOST_LETTERS
