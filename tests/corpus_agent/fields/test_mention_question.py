"""Questions which documents mention words: only one that is understood whole is read by code."""

import pytest

from corpus_agent.fields.mention_question import parse_mention


@pytest.mark.parametrize(
    ("question", "terms", "missing"),
    [
        ("Which of my documents mention rent or deposit?", ("rent", "deposit"), False),
        ("Which leases do not mention rent or a deposit?", ("rent", "deposit"), True),
        ("Which leases don’t mention any pets?", ("pets",), True),
        ("In which contracts is a deposit never mentioned?", ("deposit",), True),
        ("Which policies mention non-disclosure?", ("non-disclosure",), False),
        ('Which leases mention "no pets"?', ("no pets",), False),
        ('Which leases do not mention "nothing but the rent"?', ("nothing but the rent",), True),
        ("Welche Verträge erwähnen keine Kaution?", ("Kaution",), True),
        ("Welche Verträge erwähnen die Kaution nicht?", ("Kaution",), True),
        ("Quels contrats ne mentionnent aucune caution?", ("caution",), True),
        ("Quels contrats mentionnent la caution?", ("caution",), False),
        ("¿Qué contratos no mencionan ninguna fianza?", ("fianza",), True),
        ("¿Qué contratos mencionan la fianza?", ("fianza",), False),
    ],
)
def test_one_that_a_form_names_or_that_stands_in_quotation_marks_is_understood(
    question, terms, missing
):
    found = parse_mention(question)
    assert found is not None
    assert (found.terms, found.missing) == (terms, missing)
