"""Months and weekdays in each spelling; words that only look like them; a question in both."""

from corpus_agent.text.number_words import calendar_names, with_spellings

FEBRUARY = """in February; in feb; 14 Feb 2024; Feb. 2024; FEB-24; 2024-02-14; 14.2.2024;
am 3. Februar; le 3 février; | Month: Feb | Rain: 80 |"""
SATURDAY = "on Saturday; on sat; Sat 3 May; Mon-Sat; Sat & Sun; | Day: Sat |; Samstag"
NONE = """The cat sat there.; It needs full sun and they wed.; Who is Jan?; They march on.;
So we did. Do it.; mon chat et mon chien; Version 1.2.3; decide, second, marble, octopus"""


def test_a_month_and_a_weekday_are_known_in_each_of_their_spellings():
    for texts, name in ((FEBRUARY, ("month", 2)), (SATURDAY, ("weekday", 6))):
        for text in texts.split(";"):
            assert name in calendar_names(text.strip()).values(), text


def test_words_that_are_no_dates_name_none_and_the_doubtful_ones_count_in_a_date():
    for text in NONE.split(";"):
        assert calendar_names(text.strip()) == {}, text
    found = calendar_names("Jan 2024, 3 May, on Wed, Sun-Mon")
    assert found.keys() == {"jan", "may", "wed", "sun", "mon"}


def test_a_question_is_searched_with_both_spellings():
    for question, also in (
        ("What was paid in February?", " Feb"),
        ("What was paid in Feb?", " February"),
        ("Was war im Dezember?", " December Dec"),
        ("Who comes on Tues?", " Tuesday Tue"),
        ("Who sat there?", ""),
    ):
        assert with_spellings(question) == f"{question}{also}"
