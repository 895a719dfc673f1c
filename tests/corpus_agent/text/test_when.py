import pytest

from corpus_agent.text.when import calendar_names, with_spellings

FEBRUARY, SATURDAY = ("month", 2), ("weekday", 6)


@pytest.mark.parametrize(
    "text",
    [
        "in February",
        "in feb",
        "14 Feb 2024",
        "Feb. 2024",
        "FEB-24",
        "2024-02-14",
        "14.2.2024",
        "am 3. Februar",
        "le 3 février",
        "| Month: Feb | Rain: 80 |",
    ],
)
def test_a_month_is_known_in_each_of_its_spellings(text):
    assert FEBRUARY in calendar_names(text).values()


@pytest.mark.parametrize(
    "text",
    [
        "on Saturday",
        "on sat",
        "Sat 3 May",
        "Mon-Sat",
        "Sat & Sun",
        "| Day: Sat |",
        "Mo-Sa",
        "Samstag",
    ],
)
def test_a_weekday_is_known_in_each_of_its_spellings(text):
    assert SATURDAY in calendar_names(text).values()


@pytest.mark.parametrize(
    "text",
    [
        "The cat sat there.",
        "It needs full sun and they wed.",
        "Who is Jan?",
        "They march on.",
        "So we did. Do it.",
        "mon chat et mon chien",
        "Version 1.2.3",
        "decide, second, marble, octopus",
    ],
)
def test_words_that_are_no_dates_name_none(text):
    assert calendar_names(text) == {}


def test_the_doubtful_ones_count_in_a_date():
    assert calendar_names("Jan 2024, 3 May, on Wed, Sun-Mon").keys() == {
        "jan",
        "may",
        "wed",
        "sun",
        "mon",
    }


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("What was paid in February?", "What was paid in February? Feb"),
        ("What was paid in Feb?", "What was paid in Feb? February"),
        ("Was war im Dezember?", "Was war im Dezember? December Dec"),
        ("Who comes on Tues?", "Who comes on Tues? Tuesday Tue"),
        ("Who sat there?", "Who sat there?"),
    ],
)
def test_a_question_is_searched_with_both_spellings(question, searched):
    assert with_spellings(question) == searched
