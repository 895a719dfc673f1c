"""Questions which documents mention words: only one that is understood whole is read by code."""

import pytest

from corpus_agent.fields.mention_question import parse_mention


@pytest.mark.parametrize(
    "question",
    [
        "Which of my documents mention neither rent nor deposit?",
        "Which contracts mention no invoice?",
        "Which leases mention nothing about pets?",
        "Which leases mention only rent?",
        "Which leases mention rent without deposit?",
        "Which leases mention both a garage?",
        "Which leases mention everything except the rent?",
        "Which leases do not mention a deposit at all?",
        "Which leases do not mention anything about pets?",
        "Which leases hardly mention rent?",
        "Which ones forget to mention rent?",
        "In which contracts is neither a deposit nor a pet mentioned?",
        "In which contracts is no deposit mentioned?",
        "Welche Verträge erwähnen weder Kaution noch Haustiere?",
        "Welche Verträge erwähnen die Kaution überhaupt nicht?",
        "Welche Verträge erwähnen die Kaution gar nicht?",
        "Welche Verträge erwähnen nur die Kaution?",
        "In welchen Verträgen wird weder Kaution noch Miete erwähnt?",
        "Quels contrats ne mentionnent ni caution ni animaux?",
        "Quels contrats ne mentionnent plus la caution?",
        "Quels contrats mentionnent seulement le loyer?",
        "Qué contratos mencionan ninguna fianza?",
        "Qué contratos tampoco mencionan la fianza?",
        "Qué contratos mencionan solo la renta?",
    ],
)
def test_a_negation_or_restriction_that_no_form_names_is_left_to_the_answerer(question):
    assert parse_mention(question) is None


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
