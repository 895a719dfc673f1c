"""Values as documents write them, in one form for all spellings."""

import pytest

from corpus_agent.fields.amounts import find_durations, find_money, find_percentages
from corpus_agent.fields.checked import checked_value
from corpus_agent.fields.definition import field_of, fields_from, fields_of
from corpus_agent.fields.names import name_at, place_at
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import Field, ProposedValue
from corpus_agent.fields.table import proposed
from corpus_agent.text.dates import add_duration, find_dates, habit
from corpus_agent.text.values import Reading
from indexer import Line, UsageError


def normal(readings) -> list[str]:
    return [reading.normal for reading in readings]


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-12",
        "2024/3/12",
        "12.03.2024",
        "12 March 2024",
        "12th day of March, 2024",
        "12t h day of March 2024",
        "March 12, 2024",
        "Mar. 12th, 2024",
        "12-Mar-24",
        "12. März 2024",
        "12 mars 2024",
        "12 de marzo de 2024",
        "12 marzo 2024",
        "12 de março de 2024",
        "12 maart 2024",
        "12 marca 2024",
        "12 марта 2024",
        "2024年3月12日",
        "2024년 3월 12일",
        "25/12/2023 und 12/03/2024",
    ],
)
def test_a_day_has_one_form_in_every_language(text):
    assert normal(find_dates(f"on {text}, at noon", day_first=habit(text)))[-1] == "2024-03-12"


def test_a_date_that_may_be_read_in_two_ways_is_both_unless_others_say_which():
    assert normal(find_dates("due 03/04/2024")) == ["2024-03-04", "2024-04-03"]
    assert habit("sent 25/12/2023, due 03/04/2024") is True
    assert habit("sent 12/25/2023, due 03/04/2024") is False
    assert habit("sent May 4, 2023, due 03/04/2024") is False
    assert habit("due 03/04/2024") is None
    assert normal(find_dates("due 03/04/2024", day_first=True)) == ["2024-04-03"]


@pytest.mark.parametrize("text", ["31 February 2024", "version 1.2.2020.3", "10-12", "may 20"])
def test_what_is_no_day_of_the_calendar_is_no_date(text):
    assert find_dates(text) == []


def test_a_month_is_a_date_without_a_day():
    assert normal(find_dates("in May 2013")) == ["2013-05"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("€ 1.234,50", "EUR 1234.5"),
        ("1 234,50 EUR", "EUR 1234.5"),
        ("$5,000", "USD 5000"),
        ("$55 CAD", "CAD 55"),
        ("US$ 1.2 million", "USD 1200000"),
        ("CHF 1'200.-", "CHF 1200"),
        ("100 dollars", "USD 100"),
        ("12,50 zł", "PLN 12.5"),
    ],
)
def test_a_sum_has_its_currency_and_a_plain_number(text, expected):
    assert normal(find_money(f"to pay {text} now")) == [expected]
    assert find_money("to pay 5 visits to room 12") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("three (3) years", "P3Y"),
        ("twenty-four months", "P24M"),
        ("FIVE (5) year period", "P5Y"),
        ("12 full calendar months", "P12M"),
        ("thirty (30) days'", "P30D"),
        ("the third anniversary", "P3Y"),
        ("drei Monate", "P3M"),
        ("un an", "P1Y"),
    ],
)
def test_a_duration_has_one_form(text, expected):
    assert normal(find_durations(f"for {text}")) == [expected]


def test_a_share_and_a_later_day():
    assert normal(find_percentages("5.5 % or 3 percent")) == ["5.5%", "3%"]
    assert add_duration("2024-01-31", "P1M") == "2024-02-29"
    assert add_duration("2019-08-01", "P3Y") == "2022-08-01"
    assert add_duration("2019-12-15", "P2W") == "2019-12-29"
    assert add_duration("2019-08", "P3Y") is None
    assert add_duration("9999-08-01", "P3Y") is None


def test_names_and_places_end_where_a_description_begins():
    text = "Dunmoor Heating & Sons Ltd., a company of England"
    assert name_at(text, 0).normal == "Dunmoor Heating & Sons Ltd."
    assert name_at("Jane Roe, residing at", 0).normal == "Jane Roe"
    assert place_at("NEW YORK, WITHOUT REGARD", 0).normal == "New York"
    assert place_at("England and Wales applies", 0).normal == "England and Wales"


@pytest.mark.parametrize(
    "name",
    ["Dr. med. Anna Vogel", "Prof. Dr. rer. nat. h. c. Anna Vogel", "Dr.-Ing. Anna Vogel"],
)  # fmt: skip
def test_a_person_is_named_with_the_degrees_before_the_name(name):
    document = DocumentText("a.txt", [Line(f"Kunde: {name}"), Line("Datum: 3. Mai 2024")])
    assert [one.normal for one in proposed(document, field_of("kunde"))] == [name]
    # The control: a sentence ends behind a name that is no degree.
    ended = DocumentText("a.txt", [Line("Kunde: Anna Vogel. Er zahlt.")])
    assert [one.normal for one in proposed(ended, field_of("kunde"))] == ["Anna Vogel"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("governing law", "place"),
        ("Kaution", "money"),
        ("the due date", "date"),
        ("landlord", "party"),
        ("interest rate", "percent"),
        ("how many rooms", "number"),
        ("When was the roof mended?", "date"),
        ("colour of the door", "text"),
    ],
)
def test_the_type_of_a_field_is_guessed_from_its_words(words, kind):
    assert field_of(words).type == kind


def test_a_field_that_is_not_known_is_looked_for_as_it_is_written():
    for words, phrase in {
        "the number of rooms?": "number of rooms",
        "date of birth": "date of birth",
        "Name of the dog": "name of the dog",
        "the": "the",
    }.items():
        assert field_of(words).phrases == (phrase,)
    # The control: articles keep no field out of the lexicon.
    assert field_of("the canone della locazione").phrases[1:]


def test_columns_come_from_a_file_and_then_from_words(tmp_path):
    file = tmp_path / "fields.toml"
    file.write_text('[[fields]]\nname = "ends"\nquestion = "expiry"\ntype = "date"\n')
    ends, rent = fields_of(["rent"], file)
    assert (ends.name, ends.type, ends.clause, rent.type) == ("ends", "date", "expiry", "money")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("fields = 1", "no list of"),
        ("[[fields]]\n", "Field 1 of .* has no name"),
        ('[[fields]]\nname = "a"\nkind = "date"', "'kind', which is no key"),
        ('[[fields]]\nname = "a"\ntype = "day"', "of the type 'day'"),
        ('[[fields]]\nname = "a"\nphrases = "b"', "phrases is no list"),
        ("[[", "is no TOML"),
        (f"a = {'[' * 20_000}", "is no TOML"),
        ('[[fields]]\nname = "a"\nphrases = [" "]', "phrases is no list"),
        ('[[fields]]\nname = "a"\nquestion = 3', "question is no text"),
    ],
)
def test_a_file_of_columns_that_is_wrong_says_where(tmp_path, content, message):
    file = tmp_path / "fields.toml"
    file.write_text(content)
    with pytest.raises(UsageError, match=message):
        fields_from(file)


def test_no_field_and_one_that_is_named_twice_are_refused():
    with pytest.raises(UsageError, match="No field is named"):
        fields_of([], None)
    with pytest.raises(UsageError, match="'rent' is named twice"):
        fields_of(["rent", "rent"], None)
    with pytest.raises(UsageError, match="names no field"):
        fields_of(["?!"], None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-30 EUR", "EUR -30"),
        ("-£30", "GBP -30"),
        ("Balance: −£1,250.00", "GBP -1250"),
        ("Balance: £-30", "GBP -30"),
        ("the balance is -30 €", "EUR -30"),
        ("| Balance: | -30 € |", "EUR -30"),
        ("Balance: 30 EUR", "EUR 30"),
        ("Milk -£2.50", "GBP 2.5"),  # a dash
        ("Milk - £2.50", "GBP 2.5"),
        ("10-30 EUR", "EUR 30"),
    ],
)
def test_a_minus_of_an_amount_is_not_lost(text, expected):
    assert [reading.normal for reading in find_money(text)] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from 2 September to 30 October 2024", "2024-09-02 2024-10-30"),
        ("2 September – 30 October 2024", "2024-09-02 2024-10-30"),
        ("on 3 and 4 May 2024", "2024-05-03 2024-05-04"),
        ("12–15 June 2024", "2024-06-12 2024-06-15"),
        ("Conference, 12-15 June 2024", "2024-06-12 2024-06-15"),
        ("from 12 – 15 June 2024", "2024-06-12 2024-06-15"),
        ("From 1 to 5 July 2024", "2024-07-01 2024-07-05"),
        ("from the 1st until the 5th of July 2024", "2024-07-01 2024-07-05"),
        ("on 1, 2 and 3 May 2024", "2024-05-01 2024-05-02 2024-05-03"),
        ("30 and 31 May and 1 June 2024", "2024-05-30 2024-05-31 2024-06-01"),
        ("from 20 December to 5 January 2025", "2024-12-20 2025-01-05"),
        ("du 2 septembre au 30 octobre 2024", "2024-09-02 2024-10-30"),
        ("du 1er au 5 mai 2024", "2024-05-01 2024-05-05"),
        ("vom 2. bis 5. Mai 2024", "2024-05-02 2024-05-05"),
        ("vom 2. September bis zum 30. Oktober 2024", "2024-09-02 2024-10-30"),
        ("am 12./13. Mai 2024", "2024-05-12 2024-05-13"),
        ("del 2 al 5 de mayo de 2024", "2024-05-02 2024-05-05"),
        ("dal 2 settembre al 30 ottobre 2024", "2024-09-02 2024-10-30"),
        ("van 2 tot en met 5 mei 2024", "2024-05-02 2024-05-05"),
        ("od 2 do 5 maja 2024", "2024-05-02 2024-05-05"),
        ("September 2 to October 30, 2024", "2024-09-02 2024-10-30"),
        ("June 12–15, 2024", "2024-06-12 2024-06-15"),
        ("May 3 and 4, 2024", "2024-05-03 2024-05-04"),
        ("vom 01.05. bis 15.06.2024", "2024-05-01 2024-06-15"),
        ("01.05.–15.06.2024", "2024-05-01 2024-06-15"),
    ],
)
def test_dates_that_share_their_month_or_year_are_all_found(text, expected):
    found = find_dates(text)
    assert normal(found) == expected.split()
    assert all(text[one.start : one.end] == one.text for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "Version 2 – 12 May 2024",
        "page 2 - 12 May 2024",
        "Room 3, 12 May 2024",
        "pp. 3-12 May 2024",
        "open from 9 to 12 and on 12 May 2024",
        "45 to 12 May 2024",
        "rule 1.3 and 12 May 2024",
        "open 20 to 12 May 2024",
        "by 3 votes to 12 May 2024",
        "3 rooms and 12 May 2024",
    ],
)
def test_a_number_beside_a_date_is_none(text):
    assert normal(find_dates(text)) == ["2024-05-12"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Balance: −900", "-900"),
        ("Balance: − 900", "-900"),
        ("Balance: (900)", "-900"),
        ("Balance: £(900)", "GBP -900"),
        ("Balance: (EUR 900)", "EUR -900"),
        ("| Balance | (900) | 3 |", "-900"),
        ("Balance: minus £900", "GBP -900"),
        ("Balance: £ − 900", "GBP -900"),
        # The controls: a dash, and brackets that are no account's.
        ("Balance – £900", "GBP 900"),
        ("Balance: £900 (net)", "GBP 900"),
        ("Balance: agreed (£900)", "GBP 900"),
    ],
)
def test_a_sum_below_zero_keeps_its_sign_however_it_is_written(line, expected):
    document = DocumentText("a.txt", [Line(line)])
    field = Field("balance", "money", ("balance",))
    (found,) = proposed(document, field)
    assert found.normal == expected
    assert checked_value(document, found, "money") is not None


def test_a_value_that_has_another_sign_than_its_document_does_not_hold():
    for written, said in (("900", "-900"), ("-900", "900"), ("− £900", "£900")):
        document = DocumentText("a.txt", [Line(f"Balance: {written}")])
        start, end = document.text.index(written), len(document.text)
        for text, holds in ((said, False), (written, True)):
            reading = Reading(start, end, text, text)
            value = checked_value(document, ProposedValue((reading,), 0, end, 1.0), "money")
            assert (value is not None) == holds, (written, text)
