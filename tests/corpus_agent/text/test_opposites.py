# ruff: noqa: E501 - a fact and what is said of it are read side by side
import pytest

from corpus_agent.answering.evidence import quoted_window
from corpus_agent.answering.grounding import bearing
from corpus_agent.tools.result import passage


def said(fact, claim):
    source = passage("a.md", 1, fact)
    return bearing(claim, [quoted_window(source, 0, len(fact))], None)


@pytest.mark.parametrize(
    ("fact", "wrong", "right"),
    [
        ("The rent of the mill rose by 12 percent.", "The rent of the mill fell by 12 percent.", "The rent of the mill increased by twelve percent."),
        ("The boiler is checked monthly by an engineer.", "The boiler is checked yearly by an engineer.", "The boiler is checked every month by an engineer."),
        ("The buyer pays for the transport.", "The seller pays for the transport.", "It is the buyer who pays for the transport."),
        ("Invoices are paid before the end of June.", "Invoices are paid after the end of June.", "Before the end of June invoices are paid."),
        ("The result of the quarter was (500) dollars.", "The result of the quarter was 500 dollars.", "The result of the quarter was -500 dollars."),
        ("The lease of the mill runs for 24 months.", "The lease of the mill runs for three years.", "The lease of the mill runs for two years."),
        ("The salt content is 0.5 of the limit.", "The salt content is 0.5 % of the limit.", "The salt content is 50 % of the limit."),
    ],
)  # fmt: skip
def test_the_opposite_of_a_quotation_is_not_what_it_says(fact, wrong, right):
    assert said(fact, wrong) != "supported"
    assert said(fact, right) == "supported"


def test_what_is_denied_may_be_said_by_its_opposite():
    assert (
        said("The gate of the yard is not open.", "The gate of the yard is closed.")
        != "contradicted"
    )
