"""A value whose sentence denies it, makes it conditional or quotes somebody is doubtful."""

import tomllib

from corpus_agent.fields.condition import listed, parse_condition
from corpus_agent.fields.lexicon import field_of
from corpus_agent.fields.table import table_of
from indexer import Line
from tests.support.fakes import ListedCorpus
from tests.support.places import REPOSITORY

CASES = tomllib.loads((REPOSITORY / "benchmarks" / "fields.toml").read_text())["none_of_them"]


def said(field: str, text: str | list[Line]) -> dict[str, str]:
    """The values of a document, with what makes each doubtful."""
    (cell,) = table_of(ListedCorpus({"a.md": text}), [field_of(field)]).rows[0].cells
    return {value.normal: value.doubt for value in cell.values}


def test_a_value_that_does_not_count_is_marked_or_none():
    for line in (CASES["first"] + "\n" + CASES["second"]).strip().splitlines():
        _, field, wrong, _, text = line.split(" | ", 4)
        assert said(field, text.replace("\\n", "\n")).get(wrong) != "", line


def test_a_plain_statement_is_not_doubtful():
    rows = [line.split(" | ", 2) for line in CASES["plain"].strip().splitlines()]
    right = [said(field, text.replace("\\n", "\n")).get(v) == "" for field, v, text in rows]
    assert sum(right) >= len(right) - 4


def test_what_a_value_was_raised_to_is_no_former_one():
    for text in ("The rent was raised to 950 euros.", "The rent was raised from 900 to 950 euros."):
        assert said("rent", text).get("EUR 950") != "a former value", text
    assert said("rent", "The rent was 950 euros.") == {"EUR 950": "a former value"}


def test_a_row_is_what_its_brief_cells_say():
    rows = "| Work | Cost | State |\n|---|---|---|\n| {} | 900 euros | {} |"
    assert said("cost", rows.format("boiler again, old pump replaced", "open")) == {"EUR 900": ""}
    assert said("cost", rows.format("boiler", "withdrawn")) == {"EUR 900": "not agreed"}


def test_what_a_document_hides_or_strikes_out_says_nothing():
    assert said("rent", [Line("The rent is 900 euros.", hidden=True)]) == {}
    assert said("rent", "The rent is ~~900 euros~~.") == {}
    assert said("rent", "Rent: ~~900 euros~~ 950 euros") == {"EUR 950": ""}


def test_a_doubtful_value_is_shown_with_its_sentence_and_not_counted():
    corpus = ListedCorpus({"a.md": "If it rains, the rent is 900 euros."})
    made = table_of(corpus, [field_of("rent")])
    (value,) = made.rows[0].cells[0].values
    assert (value.shown, value.citations[0].quote) == (
        "900 euros (doubtful: a condition)",
        "If it rains, the rent is 900 euros.",
    )
    assert (made.count(0, "found", "several"), made.count(0, "doubtful")) == (0, 1)
    assert listed(corpus, parse_condition("rent > 800")).verdicts == ("unclear",)
