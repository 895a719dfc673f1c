import pytest

from corpus_agent.answering.answer_type import expected_kind, has_kind


def test_a_month_is_no_name():
    asked = frozenset({"who", "mends", "the", "boat"})
    assert not has_kind("name", "The boat is mended in March or on a Friday.", asked)
    assert has_kind("name", "The boat is mended by Tom in March.", asked)  # the control


@pytest.mark.parametrize(
    "text",
    [
        "It ended in 1923.",
        "It was never used before 711.",
        "It lasts until the end of June.",
        "It is due on Friday.",
        "Er endet am 31. März 2027.",
        "Am 3.4. ist Schluss.",
        "It is paid within 14 days.",
        "It is emptied every other week, on the first day.",
        "At the end of the month it is read.",
        "The rent is paid monthly.",
        "Seit den 90er Jahren steigt sie.",
        "Desde la década de los 90 sube.",
        "It closes at 5 pm.",
        "Il finit le 3 mars.",
        "Am Dienstag wird sie geleert.",
        "毎週日曜日です。",
    ],
)
def test_what_says_when_is_a_date(text):
    assert has_kind("date", text, frozenset({"when"}))


@pytest.mark.parametrize(
    "text",
    [
        "It has 12 rooms.",
        "The policy number is 4471.",
        "Sie kostet 80 Euro.",
        "It costs $1900 and weighs 1500 kg.",
        "The landlord may mend it.",
        "It has 1,934 pages, 40% of them blank.",
        "They march along the coast of Mars.",
        "The bolts are turned to 1.25.",
        "Days and weeks are long.",
    ],
)
def test_any_figure_is_no_date(text):
    assert not has_kind("date", text, frozenset({"when"}))


def test_the_day_that_the_question_names_is_no_answer():
    asked = frozenset({"when", "did", "the", "lease", "of", "2021", "end"})
    assert not has_kind("date", "The lease of 2021 ended.", asked)
    assert has_kind("date", "The lease of 2021 ended in May 2024.", asked)  # the control


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It opens at half past nine.", True),
        ("It opens at 9.30 am.", True),
        ("Er öffnet um 9 Uhr.", True),
        ("Er öffnet um 9.", True),
        ("Il ouvre à 10 h 30.", True),
        ("It opens in the morning.", True),
        ("It opens on 3 May 2024.", False),
        ("It opens on Friday with 12 rooms.", False),
        ("It is read at 20 degrees, 1.25 of them.", False),
    ],
)
def test_a_time_of_day_is_asked_for(text, said):
    assert has_kind("hour", text, frozenset()) == said


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When does the lease end?", "date"),
        ("Until when does the lease run?", "date"),
        ("The lease ends when?", "date"),
        ("Do you know when the lease ends?", "date"),
        ("Bis wann läuft der Vertrag?", "date"),
        ("Jusqu'à quand court le bail ?", "date"),
        ("Est-ce que vous savez quand finit le bail ?", "date"),
        ("¿Hasta cuándo dura el contrato?", "date"),
        ("Fino a quando dura il contratto?", "date"),
        ("Tot wanneer loopt het contract?", "date"),
        ("En quelle année a-t-il commencé ?", "date"),
        ("What is the due date of the invoice?", "date"),
        ("At what time does the shop open?", "hour"),
        ("Um wie viel Uhr öffnet der Laden?", "hour"),
        ("À quelle heure ouvre la boutique ?", "hour"),
        ("How many rooms were there when it opened?", "number"),
        ("What happens when the lease ends?", ""),
        ("When was the firm, which made tea, founded?", "date"),
        ("When did the man who built it, and who owned it, die?", "date"),
        ("When will the lease end, and who says so?", "date"),
        ("When the lease ends, what is to be done?", ""),
        ("When the lease ends, who pays?", "name"),
        ("¿Qué sucede cuando termina?", ""),
        ("By what method is it mended?", ""),
        ("Near what modern day city was it?", ""),
    ],
)
def test_the_kind_that_a_question_asks_for(question, kind):
    assert expected_kind(question) == kind
