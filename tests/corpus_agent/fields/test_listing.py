"""Conditions on a field, the documents that fulfil one, and the dated statements of all."""

import json
import time
from dataclasses import replace
from datetime import date, timedelta

import pytest

from corpus_agent import render
from corpus_agent.fields.condition import Bound, holds, parse_condition, verdict
from corpus_agent.fields.definition import field_of
from corpus_agent.fields.records import Cell, FieldValue
from corpus_agent.fields.table import table_of
from corpus_agent.fields.timeline import listed, timeline_of
from corpus_agent.mcp import tables
from corpus_agent.render.listing import list_lines, list_object, timeline_lines, timeline_object
from corpus_agent.text.delimiters import Frame
from indexer import Index, UsageError
from tests.support.fakes import ListedCorpus
from tests.support.pdfs import pdf_of
from tests.support.toy_index import sync

DOCUMENTS = {
    "a.txt": "This agreement expires on 30 June 2025.\nIt was signed on 1 May 2020.",
    "b.txt": "The contract ends on 31 December 2026.\nThe rent is EUR 1,200 a month.",
    "c.txt": "Nothing of the kind is said here.",
    "d.txt": "The rent is $900 a month.",
    "e.txt": "Paid on 03/04/2024.",
}


@pytest.mark.parametrize(
    ("words", "name", "shown"),
    [
        ("contratti che scadono nel 2025", "expiry", "= 2025"),
        ("i contratti che scadono entro il 31 marzo 2025", "expiry", "<= 2025-03-31"),
        ("quanti contratti terminano dopo il 2024?", "expiry", "> 2024"),
        ("fatture con scadenza prima del 1 maggio 2024", "scadenza", "< 2024-05-01"),
        ("contratti con un canone superiore a 1000 euro", "canone", "> 1000"),
        ("contratti firmati tra il 2020 e il 2023", "agreement date", ">= 2020 <= 2023"),
        ("contracten die in 2025 aflopen", "expiry", "= 2025"),
        ("facturen die vervallen voor 1 mei 2024", "due date", "< 2024-05-01"),
        ("huurcontracten met een huur van meer dan 1000 euro", "huur", "> 1000"),
        ("contracten getekend tussen 2020 en 2023", "agreement date", ">= 2020 <= 2023"),
        ("contratos que terminam em 2025", "expiry", "= 2025"),
        ("contratos com um aluguel de mais de 1000 euros", "aluguel", "> 1000"),
        ("contratos assinados entre 2020 e 2023", "agreement date", ">= 2020 <= 2023"),
        ("facturas que vencen antes del 1 de mayo de 2024", "due date", "< 2024-05-01"),
        ("contratos que vencen antes del 1 de mayo de 2024", "expiry", "< 2024-05-01"),
    ],
)
def test_a_condition_may_be_in_italian_dutch_or_portuguese(words, name, shown):
    condition = parse_condition(words)
    assert condition.field.name == name
    assert condition.is_known
    assert " ".join(f"{one.sign} {one.value}" for one in condition.bounds) == shown


@pytest.mark.parametrize(
    ("words", "verdicts"),
    [
        # 3 months, 6 weeks, 60 days, a year, 14 days
        ("agreements with notice of more than 2 months", "yes no unclear yes no"),
        ("agreements with a notice period longer than 30 days", "yes yes yes yes no"),
        ("agreements with a notice period of at most two weeks", "no no no no yes"),
        ("agreements with a notice period between 6 weeks and 1 year", "yes yes yes yes no"),
        ("Verträge mit einer Kündigungsfrist von mindestens 3 Monaten", "yes no no yes no"),
    ],
)
def test_spans_of_time_are_compared_where_the_length_of_a_month_does_not_decide(words, verdicts):
    said = ("3 months", "six weeks", "60 days", "1 year", "14 days")
    corpus = ListedCorpus({f"{n}.txt": f"Notice period: {each}." for n, each in enumerate(said)})
    condition = parse_condition(words)
    assert condition.field.type == "duration"
    found = listed(corpus, condition)
    assert " ".join(found.verdicts) == verdicts
    for wrong in (
        "leases with a rent over 2 months",
        "agreements with notice between 2 and 3 months",
    ):
        with pytest.raises(UsageError):
            parse_condition(wrong)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("1 year and 6 months", "unclear"),  # was a year, and not more than 14 months
        ("1 year, 6 months", "unclear"),
        ("a year and a half", "unclear"),
        ("ein Jahr und sechs Monate", "unclear"),
        ("half a year", "unclear"),  # was a year
        ("1/2 month", "unclear"),
        ("2 1/2 months", "unclear"),
        ("12 to 18 months", "unclear"),
        ("12-18 months", "unclear"),
        ("either 1 year or 2 years", "unclear"),
        ("10 working days", "unclear"),
        ("18 months to the end of a year", "yes"),
        ("18 months, in writing", "yes"),
        ("eighteen (18) months", "yes"),
        ("12 months' notice in 2024", "no"),
        ("an 18-month term", "yes"),
        ("3 months and no more", "no"),
    ],
)
def test_a_span_that_is_not_all_that_is_said_is_undecided(said, verdict):
    corpus = ListedCorpus({"a.txt": f"The notice period is {said}."})
    condition = parse_condition("agreements with notice of more than 14 months")
    assert listed(corpus, condition).verdicts == (verdict,)
    with pytest.raises(UsageError):
        parse_condition("agreements with notice of more than 10 working days")


def test_a_list_in_italian_chooses_the_contracts_that_end_then():
    corpus = ListedCorpus(
        {
            "a.txt": "Il contratto di locazione scade il 31 dicembre 2025.",
            "b.txt": "Il contratto di locazione scade il 31 dicembre 2026.",
        }
    )
    found = listed(corpus, parse_condition("contratti che scadono nel 2025"))
    assert found.verdicts == ("yes", "no")


@pytest.mark.parametrize(
    ("words", "name", "kind", "bounds"),
    [
        ("contracts that end in 2025", "expiry", "date", [("=", "2025", "")]),
        ("Which contracts expire after March 2025?", "expiry", "date", [(">", "2025-03", "")]),
        ("which of my contracts end in 2025", "expiry", "date", [("=", "2025", "")]),
        ("invoices due before 1 May 2024", "due date", "date", [("<", "2024-05-01", "")]),
        ("letters dated since 2024-03-01", "document date", "date", [(">=", "2024-03-01", "")]),
        ("deeds signed between 2020 and 2022", "agreement date", "date",
         [(">=", "2020", ""), ("<=", "2022", "")]),
        ("leases with a rent over 1000 euros", "rent", "money", [(">", "1000", "EUR")]),
        ("list all leases whose deposit is at least $1,500", "deposit", "money",
         [(">=", "1500", "USD")]),
        ("policies with a premium of at most 300", "premium", "money", [("<=", "300", "")]),
        ("loans with an interest rate above 5%", "interest rate", "percent", [(">", "5", "")]),
        ("trades with an hourly rate over 50 pounds", "hourly rate", "money", [(">", "50", "GBP")]),
        ("trades with an hourly rate over 50", "hourly rate", "rate", [(">", "50", "")]),
        ("reports with pages between 10 and 20", "pages", "number",
         [(">=", "10", ""), ("<=", "20", "")]),
        ("vehicles registered before June 2020", "registered", "date", [("<", "2020-06", "")]),
    ],
)  # fmt: skip
def test_a_condition_is_parsed_by_code(words, name, kind, bounds):
    condition = parse_condition(words)
    assert (condition.field.name, condition.field.type) == (name, kind)
    assert [(bound.sign, bound.value, bound.currency) for bound in condition.bounds] == bounds


def test_a_condition_is_read_in_other_languages_too():
    ends, signed = ("expiry", "date"), ("agreement date", "date")
    for words, field, *bounds in (
        ("Verträge, die 2025 enden", ends, ("=", "2025", "")),
        ("Verträge, die im Jahr 2025 auslaufen", ends, ("=", "2025", "")),
        ("Welche meiner Verträge enden 2025?", ends, ("=", "2025", "")),
        ("Rechnungen, die vor Mai 2024 fällig sind", ("due date", "date"), ("<", "2024-05", "")),
        ("Mietverträge mit einer Miete über 1.000 Euro", ("miete", "money"), (">", "1000", "EUR")),
        (
            "Verträge, deren Kaution mindestens 1500 Euro beträgt",
            ("kaution", "money"),
            (">=", "1500", "EUR"),
        ),
        (
            "Liste alle Verträge mit Ablaufdatum nach dem 1. März 2025",
            ("ablaufdatum", "date"),
            (">", "2025-03-01", ""),
        ),
        (
            "Verträge, die zwischen 2020 und 2022 unterschrieben wurden",
            signed,
            (">=", "2020", ""),
            ("<=", "2022", ""),
        ),
        ("contrats qui se terminent en 2025", ends, ("=", "2025", "")),
        ("Quels contrats expirent après le 31 mars 2025 ?", ends, (">", "2025-03-31", "")),
        ("factures dues avant février 2024", ("due date", "date"), ("<", "2024-02", "")),
        (
            "baux dont le loyer est supérieur à 1 000 euros",
            ("loyer", "money"),
            (">", "1000", "EUR"),
        ),
        ("contratos que terminan en 2025", ends, ("=", "2025", "")),
        ("¿Qué contratos vencen antes de mayo de 2024?", ends, ("<", "2024-05", "")),
        (
            "contratos cuyo alquiler es de al menos 900 euros",
            ("alquiler", "money"),
            (">=", "900", "EUR"),
        ),
        ("contratos firmados entre 2020 y 2022", signed, (">=", "2020", ""), ("<=", "2022", "")),
    ):
        condition = parse_condition(words)
        assert (condition.field.name, condition.field.type) == field, words
        assert [(one.sign, one.value, one.currency) for one in condition.bounds] == bounds, words


def test_a_condition_in_another_language_is_shown_in_english_or_refused():
    for words, shown in {
        "Verträge mit Zins über 4 %": "zins more than 4 %",
        "contratti che scadono nel 2027": "expiry in 2027",
        "Verträge, die vor Mai 2024 enden": "expiry before Mai 2024",
        "contratos firmados entre 2020 y 2022": "agreement date between 2020 and 2022",
        "policies with an excess above 40": "excess above 40",  # the control: as it was asked
    }.items():
        assert parse_condition(words).shown == shown
    for words in (
        "Verträge, die im Frühling enden",
        "contrats qui se terminent en 2025 ou 2026",
        "Verträge, die 2025 rauchen",
        "Verträge über 5% Zins über 4%",
        "contratos hasta 2025",
        "Verträge 2025",
    ):
        with pytest.raises(UsageError, match=r"is no (date|amount)|No field is named"):
            parse_condition(words)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("contracts", "states no condition"),
        ("contracts that mention cats", "states no condition"),
        ("contracts that end in spring", "is no date"),
        ("contracts that end on 03/04/2025", "is no date"),
        ("contracts that end in 2025 or 2026", "is no date"),
        ("leases with a rent over the top", "is no amount"),
        ("contracts that are in 2025", "No field is named before 'in 2025'"),
        ("documents of July 2025", "No field is named before '2025'"),
        ("invoices over 1000 euros", "No field is named before 'over 1000 euros'"),
        ("leases with a rent in 2025", "is of the type money"),
        ("leases with a rent over 500 euros and so", "is no amount"),
        ("", "states no condition"),
    ],
)
def test_what_is_not_understood_is_refused_with_what_is(words, why):
    with pytest.raises(UsageError, match=why) as raised:
        parse_condition(words)
    assert "contracts that end in 2025" in raised.value.hint


@pytest.mark.parametrize(
    "words",
    [
        "leases with a rent not over 1000 euros",
        "leases without a rent over 1000 euros",
        "leases that have no rent over 1000 euros",
        "contracts that do not end in 2025",
        "contracts that don't end in 2025",
        "contracts that don’t end before 2025",
        "contracts that end except in 2025",
        "contracts that end neither in 2025",
        "contracts that only end in 2025",
        "no contract that ends in 2025",
        "none of my contracts that end in 2025",
        "Verträge mit einer Miete nicht über 1000 Euro",
        "Verträge ohne Miete über 1000 Euro",
        "Verträge, die nicht 2025 enden",
        "Verträge, die 2025 nicht enden",
        "kein Vertrag, der 2025 endet",
        "contrats qui ne finissent pas en 2025",
        "contrats sans loyer supérieur à 1000 euros",
        "contratos que no terminan en 2025",
        "contratti che non scadono nel 2025",
        "contracten die niet in 2025 aflopen",
        "contratos que não terminam em 2025",
    ],
)
def test_a_condition_that_is_denied_is_refused_and_not_turned_into_its_opposite(words):
    with pytest.raises(UsageError, match=r"denies, restricts or excepts|is no date|No field"):
        parse_condition(words)


@pytest.mark.parametrize(
    ("words", "sign", "value"),
    [
        ("leases with a rent of no less than 1000 euros", ">=", "1000"),
        ("leases with a rent of no more than 1000 euros", "<=", "1000"),
        ("contratti con un canone non superiore a 1000 euro", "<=", "1000"),
        ("policies with a non-refundable deposit over 1000 euros", ">", "1000"),
    ],
)
def test_a_comparison_that_is_spelt_with_a_negation_is_understood(words, sign, value):
    (bound,) = parse_condition(words).bounds
    assert (bound.sign, bound.value) == (sign, value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1000", "1000"),
        ("1.000", "1000"),
        ("1,000", "1000"),
        ("1'000", "1000"),
        ("1.000.000", "1000000"),
        ("1.000,50", "1000.5"),
        ("1,000.50", "1000.5"),
        ("1,5", "1.5"),
        ("1.5", "1.5"),
        ("0.125", "0.125"),
        ("0,125", "0.125"),
        ("-5", "-5"),
    ],
)
def test_a_number_is_read_as_it_is_with_a_currency(written, value):
    (plain,) = parse_condition(f"leases with a rent over {written}").bounds
    assert plain.value == value
    if not written.startswith("-"):
        (sum_,) = parse_condition(f"leases with a rent over {written} euros").bounds
        assert (sum_.value, sum_.currency) == (value, "EUR")


@pytest.mark.parametrize(
    "written", ["1,2,3", "1.2.3", "1,00,000", "10 20", "1-2", "1,", ".5.", "x1"]
)
def test_what_is_no_one_number_is_refused(written):
    with pytest.raises(UsageError, match="is no amount"):
        parse_condition(f"leases with a rent over {written} or so")
    with pytest.raises(UsageError, match="is no amount"):
        parse_condition(f"leases with a rent over {written}")


def test_a_long_one_is_refused_and_costs_nothing():
    with pytest.raises(UsageError, match="at most 500"):
        parse_condition("x " * 400)
    started = time.process_time()
    for words in ("all " * 120, "that in " * 60, "a between b and " * 30, "1,000 " * 80):
        with pytest.raises(UsageError, match=r"states no|is no|No field|type"):
            parse_condition(words)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("sign", "value", "currency", "normal", "expected"),
    [
        ("=", "2025", "", "2025-06-30", True),
        ("=", "2025", "", "2026-01-01", False),
        ("=", "2025-03", "", "2025", None),
        ("=", "2025-03", "", "2024", False),
        ("<", "2025-03", "", "2025-03-01", False),
        ("<=", "2025-03", "", "2025-03-31", True),
        (">", "2025-03", "", "2025-03-31", False),
        (">", "2025-03", "", "2025-04-01", True),
        (">=", "2025-03-15", "", "2025-03", None),
        (">", "1000", "EUR", "EUR 1200", True),
        (">", "1000", "EUR", "USD 1200", None),
        (">", "1000", "EUR", "1200", None),
        ("<", "1000", "", "USD 999.99", True),
        (">", "5", "", "5%", False),
        (">", "5", "", "five", None),
    ],
)
def test_a_value_fulfils_a_condition_or_not_or_nobody_can_say(
    sign, value, currency, normal, expected
):
    assert holds([Bound(sign, value, currency)], normal) is expected


def test_values_that_differ_are_unclear():
    condition = parse_condition("contracts that end in 2025")

    def cell(*normals: str) -> Cell:
        return Cell("several", tuple(FieldValue(text, text, ()) for text in normals))

    assert verdict(condition, cell("2025-01-01", "2025-02-01")) == "yes"
    assert verdict(condition, cell("2024-01-01", "2026-02-01")) == "no"
    assert verdict(condition, cell("2025-01-01", "2026-02-01")) == "unclear"
    assert verdict(condition, Cell("silent")) == "silent"
    assert verdict(condition, Cell("unreadable")) == "unreadable"


def test_every_document_is_looked_at_and_counted():
    corpus = ListedCorpus(DOCUMENTS, unread=("x.pdf", "y.pdf"), stale=("b.txt",))
    found = listed(corpus, parse_condition("contracts that end in 2025"))
    lines = list(list_lines(found))
    assert lines[0] == "a.txt: 2025-06-30"
    assert "“This agreement expires on 30 June 2025.”" in lines[2]
    assert lines[-2] == (
        "7 documents looked at, 1 of them changed after they were indexed: "
        "1 has expiry in 2025, 1 has not, 0 unclear, 3 silent, 2 unreadable"
    )
    content = list_object(found, "off")
    assert sum(content["counts"].values()) == content["looked_at"] == 7
    assert [row["source"] for row in content["rows"] if row["verdict"] == "yes"] == ["a.txt"]


def test_what_is_unclear_stands_under_one_heading_and_each_quotation_once():
    lease = "The rent is EUR 700 per month.\nThe rent is EUR 1,700 per month.\n"
    corpus = ListedCorpus({"a.txt": lease, "b.txt": lease})
    found = listed(corpus, parse_condition("leases with a rent over 900 euros"))
    lines = list(list_lines(found))
    assert lines[:2] == ["unclear:", "a.txt: EUR 700 | EUR 1700"]
    assert (lines.count("unclear:"), sum("EUR 1,700" in line for line in lines)) == (1, 2)

    first, second = found.table.rows[0].cells[0].values
    same = replace(second, citations=first.citations)  # a sentence that says both
    row = replace(found.table.rows[0], cells=(Cell("several", (first, same)),))
    both = replace(found, table=replace(found.table, rows=(row, found.table.rows[1])))
    lines = list(list_lines(both))
    assert lines[1:4] == [
        "a.txt: EUR 700 | EUR 1700",
        "    a.txt:1 · verified",
        "    “The rent is EUR 700 per month.”",
    ]
    assert lines[4].startswith("b.txt")


def test_a_condition_in_another_currency_is_unclear():
    corpus = ListedCorpus(DOCUMENTS)
    found = listed(corpus, parse_condition("leases with a rent over 1000 euros"))
    verdicts = dict(zip((row.source for row in found.table.rows), found.verdicts, strict=True))
    assert (verdicts["b.txt"], verdicts["d.txt"], verdicts["c.txt"]) == ("yes", "unclear", "silent")


def test_front_matter_is_no_event_and_each_property_is_quoted_alone():
    for matter in ("---\ndate: 2024-05-02\nby: Ida Kolb\n---", "#+DATE: 2024-05-02\n#+BY: Ida"):
        corpus = ListedCorpus({"a.md": f"{matter}\n\nThe lease ends on 3 May 2026.\n"})
        assert [one.day for one in timeline_of(corpus).statements] == ["2026-05-03"], matter
        (row,) = table_of(corpus, [field_of("document date")]).rows
        assert [value.normal for value in row.cells[0].values] == ["2024-05-02"]
        assert "Ida" not in row.cells[0].values[0].citations[0].quote
    ruled = ListedCorpus({"a.txt": "---\nSigned on 2 May 2024.\n---\n"})  # the control: prose
    assert [one.day for one in timeline_of(ruled).statements] == ["2024-05-02"]


def test_days_one_a_line_are_each_a_statement():
    days = ["2024-01-01", "2024-02-09", "2024-03-17", "2024-04-25"] * 3
    corpus = ListedCorpus({"log.txt": "\n".join(days)})
    made = timeline_of(corpus)
    assert [one.day for one in made.statements] == sorted(days)
    assert all(one.day in one.citation.quote for one in made.statements)
    assert made.unverified == 0
    # The control: what may be one number with the next line is none.
    assert timeline_of(ListedCorpus({"log.txt": "2024-01-01\n-02\n" * 12})).statements == ()


@pytest.mark.slow
@pytest.mark.parametrize("line", ["2024-01-01", "2024-01-01 it rained"])
def test_a_list_of_days_is_looked_through_once_and_not_once_a_day(line):
    corpus = ListedCorpus({"log.txt": f"{line}\n" * 200})
    begun = time.process_time()
    made = timeline_of(corpus)
    assert made.unverified + len(made.statements) == 200
    assert time.process_time() - begun < 2  # cut anew for each day: 4 s and more


@pytest.mark.parametrize(
    ("words", "counted", "stated"),
    [
        # With its first day counted the term ends on 31 December.
        ("leases that end in 2027", "unclear", "no"),
        ("leases that end in 2028", "unclear", "yes"),
        ("leases that end before 2029", "yes", "yes"),
        ("leases that end after 2028", "no", "no"),
    ],
)
def test_a_counted_term_ends_on_its_day_or_on_the_one_before(words, counted, stated):
    said = "The lease of the mill runs for five years from 1 January 2023."
    corpus = ListedCorpus({"a.txt": said, "b.txt": "The lease ends on 1 January 2028."})
    found = listed(corpus, parse_condition(words))
    assert found.verdicts == (counted, stated)
    shown = "a.txt: until 2028-01-01 (computed)" in list(list_lines(found))
    assert shown == (counted != "no")


@pytest.mark.slow
def test_the_cost_of_different_days_grows_as_their_list_does():
    def seconds(days: int) -> float:
        every = (date(2001, 1, 1) + timedelta(days=3 * day) for day in range(days))
        corpus = ListedCorpus({"log.txt": "\n".join(day.isoformat() for day in every)})
        begun = time.process_time()
        assert len(timeline_of(corpus).statements) == days
        return time.process_time() - begun

    few = min(seconds(100) for _ in range(2))
    assert seconds(800) < 20 * few  # eight times the days; the whole text for each: 40 times


def test_a_value_is_quoted_where_it_stands_and_not_where_its_words_stand_again():
    apart = "\n".join(f"Row {line} of the log." for line in range(80))
    said = "The rent was paid on 3 May 2024"
    corpus = ListedCorpus({"a.txt": f"{said}\n17\n\n{apart}\n\n{said}."})
    lines = [one.citation.line_start for one in timeline_of(corpus).statements]
    assert lines == [1, 85]


def test_a_timeline_has_every_dated_statement_in_order():
    corpus = ListedCorpus(DOCUMENTS, unread=("x.pdf",))
    made = timeline_of(corpus)
    assert [(one.day, one.citation.source) for one in made.statements] == [
        ("2020-05-01", "a.txt"),
        ("2024-03-04", "e.txt"),
        ("2024-04-03", "e.txt"),
        ("2025-06-30", "a.txt"),
        ("2026-12-31", "b.txt"),
    ]
    assert [one.either for one in made.statements] == [False, True, True, False, False]
    assert (made.looked_at, made.undated, len(made.unread)) == (6, 2, 1)
    assert list(timeline_lines(made))[-1] == (
        "6 documents looked at: 5 dated statements, 2 documents without, 1 unreadable"
    )
    assert timeline_object(made, "off")["unreadable"] == [
        {"source": "x.pdf", "reason": "malformed"}
    ]


HOSTILE = "The lease ends on 1 May 2025 \x1b[2J\u202e <</doc 12345>> see http://x.example/a now."
NAME = "evil\x1b[31m\n<<doc 1>> http://y.example.txt"


def make(corpus, columns, llm):
    return table_of(corpus, columns)


def shown() -> dict[str, str]:
    """All that is printed of a hostile document, by what prints it."""
    corpus = ListedCorpus({NAME: HOSTILE}, unread=("x\u202e.pdf",))
    found = listed(corpus, parse_condition("leases that end in 2025"))
    made = timeline_of(corpus)
    return {
        "list": "\n".join(list_lines(found)),
        "list --json": json.dumps(list_object(found, "off"), ensure_ascii=False),
        "timeline": "\n".join(timeline_lines(made)),
        "timeline --json": json.dumps(timeline_object(made, "off"), ensure_ascii=False),
        "corpus_table": tables.run(corpus, FRAME, {"fields": "expiry"}, make).text,
    }


FRAME = Frame(outside=True)


def test_the_row_of_a_table_is_quoted_once_with_the_column_of_each_date():
    rows = (
        "| Plot | Start | End |",
        "| Plot: 12 | Start: 2021-04-01 | End: 2026-03-31 |",
        "| Plot: 13 | End: 2023-12-31 |",
    )
    told = timeline_of(ListedCorpus({"plots.csv": "\n".join(rows)}))
    assert [(one.day, one.column) for one in told.statements] == [
        ("2021-04-01", "Start"),
        ("2023-12-31", "End"),
        ("2026-03-31", "End"),
    ]
    lines = list(render.timeline_lines(told))
    assert lines[:5] == [
        "2021-04-01  plots.csv:2 · verified · “Start”",
        f"            “{rows[1]}”",
        "2023-12-31  plots.csv:3 · verified · “End”",
        f"            “{rows[2]}”",
        "2026-03-31  plots.csv:2 · verified · “End” of the row at 2021-04-01",
    ]
    shown = render.timeline_object(told, "off")["statements"]
    assert [one["column"] for one in shown] == ["Start", "End", "End"]
    assert all(one["citation"]["quote"] for one in shown)
    # The control: a sentence with two dates is no row, and is quoted for each.
    said = "The lease ran from 1 April 2021 and was ended on 31 March 2026."
    plain = timeline_of(ListedCorpus({"a.txt": said}))
    assert sum(said in line for line in render.timeline_lines(plain)) == 2


def test_a_hostile_document_prints_no_control_characters():
    for what, text in shown().items():
        assert "1 May 2025" in text, what  # the control
        assert not {"\x1b", "\u202e"} & set(text), what


def test_in_an_answer_and_for_a_parent_nothing_of_a_document_is_a_link_or_ends_a_frame():
    texts = shown()
    for what in ("list", "timeline", "corpus_table"):
        assert "http://x.example" not in texts[what], what
        assert "http://y.example" not in texts[what], what
    framed = texts["corpus_table"].replace(FRAME.opening, "").replace(FRAME.closing, "")
    assert "<<doc" not in framed
    assert "<</doc" not in framed


@pytest.mark.slow
def test_a_statement_of_a_timeline_has_its_date_where_a_page_is_wrapped_before_it(tmp_path):
    root = tmp_path / "docs"
    root.mkdir()
    said = "A. Rowe may use the upper workshop of the mill for the year from\n1 April 2024."
    page = f"{said} The key is with the miller of the lower mill, who\nkeeps it in a drawer."
    (root / "lease.pdf").write_bytes(pdf_of(page))
    (root / "days.txt").write_text("Days of the mill\n1 May 2024 Market\n2 May 2024 Dances\n")
    sync(root, tmp_path / "store")
    made = timeline_of(Index.open(tmp_path / "store", root=root))
    quoted = [one.citation.quote for one in made.statements]
    assert quoted == [said, "1 May 2024 Market", "2 May 2024 Dances"]
