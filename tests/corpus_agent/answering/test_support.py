# ruff: noqa: E501 - a fact and what is said of it are read side by side
"""Which sentence is supported by which passage, which differs from it, and in what words."""

import re
from dataclasses import replace

import pytest

from corpus_agent.answering.claims import claims, codes, names
from corpus_agent.answering.support import Judgement, Supporter, Window, judged, windows_of
from corpus_agent.text.numbers import figures, readings
from corpus_agent.tools.corpus import passage

LEASE = passage(
    "home/lease.md",
    20,
    "2.1 A deposit of £1,130 has been paid and is registered with the Harbour Deposit Scheme.\n\n"
    "2.2 The deposit is to be returned within 10 working days of the end of the tenancy.\n\n"
    "4.3 The Tenant may keep one cat. Any other animal needs the Landlord's consent in writing, "
    "which shall not be unreasonably withheld.\n\n"
    "4.5 Batteries of electric bicycles shall not be charged in the cellar.",
)
LEASE = replace(LEASE, heading="Lease")
MANUAL = passage("bike/varda-c7.pdf", 5, "Weight, size M 23.8 kg\nE1042 Torque sensor not at zero")


def said(claim, fact, question=""):
    return judged(claim, [Window(passage("a.md", 1, fact), 0, len(fact))], None, question)


SAME = """
£1,130 = 1130; 1.130 Einwohner = 1,130 people; 10 000 km = 10,000 km; 7,4 K = 7.4 K; 24.0 °C = 24 °C
12 March 2025 = 2025-03-12; 12.03.2025 = 12 March 2025; am 15. Oktober = on 15 October
le 3 Juin = June 3; 10:30 pm = 22:30; 04/2023 = April 2023; 27/4/2023 = 2023-04-27
two months = 2 months; zwölf Stunden = 12 hours; the 3rd day = day 3; ninety-five steps = 95 steps
vierhundertfünfzehn Seiten = 415 Seiten; quatre-vingt-douze pages = 92 pages
setenta y cuatro sillas = 74 sillas; £3.4 million = 3,400,000; 7,5 Mio. EUR = 7.500.000 EUR
die vierte Etage = 4. Etage; minus 12 degrees = −12 °C"""
OTHERS = """
£1,130 = £1,310; 0.5 mm = 5 mm; 22:30 = 10:30; 12 March = 12 May; 1.25 = 125; 2025 = 2024; -8 = 8
eighty chairs = sixty chairs; 6 million = 6 billion; a third of the crew = a quarter of the crew
3/4/2023 = 4/3/2023; chaque mardi = chaque jeudi"""


def pairs(table):
    return [row.strip().split(" = ") for row in re.split(r"[;\n]", table) if row.strip()]


def test_the_same_figures_are_the_same_however_they_are_written_and_others_are_others():
    for one, other in pairs(SAME):
        assert figures(one) == figures(other) != frozenset(), (one, other)
    for one, other in pairs(OTHERS):
        assert figures(one) != figures(other), (one, other)
    for text in ("You may pay", "one of the cats", "the C7 and the E1042", "", "march on"):
        assert figures(text) == frozenset(), text
    assert {"12130", "12", "130"} <= readings("| 12 130 |")  # apart and together


LESS = (
    "Balance: − 900 EUR",
    "Balance: minus\u00a0900 EUR",
    "| Balance | -\u202f900 |",
    "Balance: 900 EUR -",
    "Balance: -**900** EUR",
)
MORE = (
    "| - 900 nails |",
    "Balance: 900 EUR -\nnails are extra",
    "Balance: 900 EUR",
    "Balance (900 EUR)",
    "Balance: 900 EUR - net",
    "- 900 EUR are the balance",
    "Balance: 900 EUR\n- 800 EUR of rent",
)


SAYS = (  # claim, fact, and whether the fact supports it
    *((f"The balance is {sign}900.", fact, sign == "-") for fact in LESS for sign in ("-", "")),
    *((f"The balance is {sign}900.", fact, sign == "") for fact in MORE for sign in ("-", "")),
    ("It lasts 7 days.", "It lasts 7 days", True),
    ("It lasts 7 days.", "It lasts 7 hours", False),
    ("There are 7 portions.", "6 portions, made 7 September", False),
    ("There are 6 portions.", "6 portions of dal", True),
    ("It weighs 23.8 kg.", "It weighs 23.8", True),
    ("It takes 4 minutes.", "It takes 4 min", True),
    ("It takes 4 minutes.", "It takes a note", False),
    ("It costs $70.", "It costs €70", False),
    ("It costs EUR 70.", "It costs 70 euros a week", True),
    ("The share is 4 percent.", "The share is 4 per mille", False),
    # a bound or a word turned round
    ("The crew has at least nine sailors.", "The crew has at most nine sailors.", False),
    ("Die Crew hat höchstens neun Leute.", "Die Crew hat mindestens neun Leute.", False),
    ("The pool holds more than 400 people.", "The pool holds up to 400 people.", False),
    ("The harbour opens before 7 May.", "The harbour opens after 7 May.", False),
    ("The ticket is transferable.", "The ticket is nontransferable.", False),
    ("The crew has at most nine sailors.", "The crew has at most nine sailors.", True),
    ("Die Crew hat mindestens neun Leute.", "Die Crew hat mindestens neun Leute.", True),
    ("The harbour opens after 7 May.", "The harbour opens after 7 May.", True),
    ("The ticket is nontransferable.", "The ticket is nontransferable.", True),
)


def test_a_text_says_a_figure_with_its_sign_its_unit_and_its_bound():
    found = {row: said(*row[:2]).verdict == "supported" for row in SAYS}
    assert [row for row, supported in found.items() if supported is not row[2]] == []


def test_what_the_question_gives_need_not_be_said():
    assert said("In 2003 ten nights", "ten nights", "How many in 2003?").verdict == "supported"


def test_claims_are_sentences_with_the_numbers_behind_them():
    text = "Yes. [1] The deposit is £1,130 [2][3]. It is kept by them, I think.\n\n- one cat [7]"
    found = [(claim.text, claim.cited) for claim in claims(text, [1, 2, 3])]
    assert found == [
        ("Yes.", (1,)),
        ("The deposit is £1,130.", (2, 3)),
        ("It is kept by them, I think.", ()),
        ("one cat", ()),
    ]
    text = "# The Deposit Scheme\n\nHere is what I found:\n\nShall I look further?"
    assert claims(text, []) == []


def test_names_and_codes_are_found_and_german_nouns_are_no_names():
    assert names("The trip of Oskar to Rotterdam was cancelled.") == {"oskar", "rotterdam"}
    assert names("Das Wasser wird im Oktober vom Verein abgestellt.") == frozenset()
    assert codes("Part GX-1180-B and E1042") == {"gx", "1180", "b", "e1042"}


SUPPORTED = {
    "A deposit of £1,130 has been paid.": "A deposit of £1,130",
    "The deposit must be returned within 10 working days.": "returned within 10 working days",
    "The tenant may keep one cat.": "may keep one cat",
    "Any other animal needs the written consent of the landlord.": "Any other animal",
    "Batteries of electric bicycles must not be charged in the cellar.": "not be charged",
    "E1042 is the torque sensor not at zero.": "E1042",
}
UNSUPPORTED = (
    "A deposit of £1,310 has been paid.",
    "The deposit must be returned within 10 working weeks.",
    "The deposit is registered with the Northern Deposit Scheme.",
    "Batteries of electric bicycles may be charged in the cellar.",
    "The tenant may not keep one cat.",
    "E1043 is the torque sensor not at zero.",
    'The lease says "a deposit of two thousand pounds has been paid".',
    "The neighbours are loud.",
)


def test_a_claim_gets_the_words_that_say_it_and_one_with_another_sense_none():
    for claim, quote in SUPPORTED.items():
        (window,) = Supporter([LEASE, MANUAL]).support(claim)
        assert quote in window.evidence.text
    for claim in UNSUPPORTED:
        assert isinstance(Supporter([LEASE, MANUAL]).support(claim), Judgement), claim
    (window,) = Supporter([LEASE]).support("The tenant may keep one cat.")
    assert (window.passage.source, window.line) == ("home/lease.md", 24)


def test_two_passages_may_support_a_sentence_together():
    camp = passage("camp.md", 1, "The camp starts on Monday 8 June.")
    fees = passage("fees.md", 1, "The camp costs 245 euros per child.")
    claim = "The camp starts on Monday 8 June and costs €245 per child."
    found = Supporter([LEASE, camp, fees]).support(claim)
    assert {window.passage.source for window in found} == {"camp.md", "fees.md"}
    assert isinstance(Supporter([LEASE, camp, fees]).support(claim.replace("5", "4")), Judgement)
    for end in (". The", ", and the", ", while the"):
        whole = f"The Landlord keeps the roof{end} Tenant mends the gates. They are shut in May."
        duties = Supporter([passage("duties.md", 1, whole)])
        for claim in ("The Landlord mends the gates.", "The Tenant keeps the roof."):
            assert isinstance(duties.support(claim), Judgement), whole
        assert not isinstance(duties.support("The gates are shut in May."), Judgement)  # by "They"


def test_no_title_supports_and_no_sentence_of_another_year_does_with_one_of_this():
    pier = passage("pier.md", 1, "Pier works\n\n# Ferry\n\nThe toll is £45. It is paid.")
    quotes = [window.quote for window in windows_of(pier)]
    assert quotes == ["The toll is £45.", "The toll is £45. It is paid.", "It is paid."]
    for this, other in (("2024", "2023"), ("June", "May"), ("Q2", "Q3")):
        shut = passage("shut.md", 1, f"In {this} the pier was shut on 12 days.")
        painted = passage("painted.md", 1, f"In {other} the pier was painted.")
        both = Supporter([shut, painted])
        assert not isinstance(both.support(f"In {this} the pier was shut on 12 days."), Judgement)
        assert isinstance(both.support(f"In {other} the pier was shut on 12 days."), Judgement)


@pytest.mark.parametrize(
    ("fact", "wrong", "differing", "right"),
    [
        ("The rent of the mill rose by 12 percent.", "The rent of the mill fell by 12 percent.", ("fell", "rose"), "The rent of the mill increased by twelve percent."),
        ("The boiler is checked monthly by an engineer.", "The boiler is checked yearly by an engineer.", ("yearly", "monthly"), "The boiler is checked every month by an engineer."),
        ("The buyer pays for the transport.", "The seller pays for the transport.", ("seller", "buyer"), "It is the buyer who pays for the transport."),
        ("Invoices are paid before the end of June.", "Invoices are paid after the end of June.", ("after", "before"), "Before the end of June invoices are paid."),
        ("The lease of the mill runs for 24 months.", "The lease of the mill runs for three years.", ("three years", "24 months"), "The lease of the mill runs for two years."),
        ("Payable within 14 days of the invoice.", "The invoice was paid within 14 days.", ("was", "payable"), "The invoice is payable within 14 days."),
        ("Payable within 30 days of the invoice.", "The invoice is payable within 60 days.", ("60 days", "30 days"), "The invoice is payable within thirty days."),
        ("The parish sold the field on 3 Sept. 1998 and the lane on 4/6/2021.", "The parish sold the field on September 3rd, 1998 and the lane on 5 June 2021.", None, "The parish sold the lane on 4 June 2021 and the field on September 3rd, 1998."),
        ("The tenant may keep a cat.", "The tenant must keep a cat.", ("must", "may"), "A cat may be kept by the tenant."),
        ("Some of the samples had traces of lead.", "All of the samples had traces of lead.", ("all", "some"), "Traces of lead were in some of the samples."),
        ("The screws are made of brass, the hinges of steel.", "The hinges are made of brass.", None, "The screws are made of brass."),
        ("The hotel lost its licence but kept its staff.", "The hotel kept its licence.", None, "The hotel kept its staff."),
        ("Oskar Blum owes Peter Brandt the boat.", "Peter Brandt owes Oskar Blum the boat.", None, "What Oskar Blum owes Peter Brandt is the boat."),
        ("The gate of the yard is not open.", "The gate of the yard is open.", None, "The gate is not open."),
        ("Der Mieter darf im Garten keine Hunde halten.", "Der Mieter darf im Garten Hunde halten.", None, "Der Mieter darf keine Hunde im Garten halten."),
        ("Members earn two days of leave a month.", "Members lose two days of leave a month.", ("lose", "earn"), "Members earn 2 days of leave a month."),
        ("The seller ships to Cork at the buyer's cost.", "The buyer ships to Cork at the seller's cost.", None, "The seller ships to Cork."),
        ("Het bedrag is negen euro per maand.", "Het bedrag is zeven euro per maand.", ("zeven euro", "negen euro"), "Het bedrag is 9 euro per maand."),
        ("Le loyer est de 850 euros par mois.", "Le loyer est de 850 euros par an.", ("par an", "par mois"), "Par mois le loyer est de 850 euros."),
    ],
)  # fmt: skip
def test_what_contradicts_its_quotation_is_told_with_the_two_words(fact, wrong, differing, right):
    judgement = said(wrong, fact)
    assert judgement.verdict == "differs"
    assert differing in (None, (judgement.claimed, judgement.found))
    assert said(right, fact).verdict == "supported"


def test_a_day_whose_year_a_text_does_not_say_is_no_other_day():
    text = "The sensor arrived on 3 June and was installed on 5 June."
    assert said("The sensor was installed on 5 June 2025.", text).verdict != "differs"
    assert said("The sensor was installed on 6 June 2025.", text).verdict == "differs"
