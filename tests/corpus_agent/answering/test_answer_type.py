import pytest

from corpus_agent.answering.answer_type import expected_measure, has_kind, has_measure


@pytest.mark.parametrize(
    "row",
    [
        "| What: Gutter | Out: 340.00 |",
        "| Was: Rinne | Aus: 1.340,00 |",
        "| What: Gutter | Amount: 340 |",
        "| What: Gutter | Net total (EUR): -12 |",
    ],
)
def test_a_column_of_sums_is_money_without_its_sign(row):
    assert has_measure("money", row)


@pytest.mark.parametrize("row", ["| What: Gutter | Length: 3.4 |", "| Train: 7 | Leaves: 10:30 |"])
def test_other_columns_are_not(row):
    assert not has_measure("money", row)


def test_a_month_is_no_name():
    asked = frozenset({"who", "mends", "the", "boat"})
    assert not has_kind("name", "The boat is mended in March or on a Friday.", asked)
    assert has_kind("name", "The boat is mended by Tom in March.", asked)  # the control


@pytest.mark.parametrize(
    "question",
    [
        "Quanto costa la vela?",
        "Combien coûte la voile ?",
        "¿Cuánto cuesta la vela?",
        "Quanto custa a vela?",
        "Hoeveel kost het zeil?",
        "Was zahlt Herr Tarrant für das Segel?",
        "Combien payons-nous pour la voile ?",
        "¿Cuánto hay que pagar por la vela?",
        "Quanto viene pagato il velaio?",
        "Hoeveel verdient zij?",
        "Quel est le loyer du hangar ?",
        "¿Cuál es el precio de la vela?",
        "Qual è l'affitto?",
        "À combien s'élève la caution ?",
    ],
)
def test_what_something_costs_is_a_sum_of_money_in_other_languages(question):
    assert expected_measure(question) == "money"


@pytest.mark.parametrize(
    "question",
    [
        "Quanto dura la vela?",
        "Combien de voiles a le bateau ?",
        "Combien de jours a-t-on pour payer ?",
        "¿Cuánto tiempo tengo para pagar?",
        "Quanto è lunga la pagina?",
        "Quelle est la couleur de la voile ?",
    ],
)
def test_how_much_of_what_is_no_money_is_none(question):
    assert expected_measure(question) != "money"
