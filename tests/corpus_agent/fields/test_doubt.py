"""A value whose sentence denies it, makes it conditional or quotes somebody is doubtful."""

import tomllib

from corpus_agent.fields.condition import listed, parse_condition
from corpus_agent.fields.lexicon import field_of
from corpus_agent.fields.table import table_of
from indexer import Line
from tests.support.fakes import ListedCorpus
from tests.support.places import REPOSITORY

CASES = tomllib.loads((REPOSITORY / "benchmarks" / "fields.toml").read_text())["none_of_them"]
DENIED = """
rent | EUR 900 | The rent is no longer 900 euros.
rent | EUR 900 | There is no rent of 900 euros.
rent | EUR 900 | Die Miete von 900 Euro gilt nicht mehr.
rent | EUR 900 | Die bisherige Miete war 900 Euro.
rent | EUR 900 | Le loyer n'est pas de 900 euros.
rent | EUR 900 | El alquiler ya no es de 900 euros.
rent | EUR 900 | Il canone non è di 900 euro.
rent | EUR 900 | De huur is niet meer 900 euro.
rent | EUR 900 | The rent is 900 euros, unless the tenant pays for heating.
rent | EUR 900 | Does anybody say that the rent is 900 euros?
rent | EUR 900 | The landlord proposed a rent of 900 euros, which nobody accepted.
rent | EUR 900 | Im Nachbarhaus, einer anderen Wohnung, beträgt die Miete 900 Euro.
rent | EUR 900 | Le loyer serait de 900 euros.
rent | EUR 900 | # Superseded clauses\\n\\nThe rent is 900 euros.
notice period | P6M | The tenant is not bound to a notice period of six months.
notice period | P6M | Perhaps a notice period of six months is enough.
governing law | Malta | It is governed by laws other than the laws of Malta.
rent | EUR 900 | The neighbour told us that the rent is 900 euros. The rent is 950 euros.
rent | EUR 900 | > The rent is 900 euros.
rent | EUR 900 | The rent is 900 euros more than that of the shop.
rent | EUR 900 | Nach der Anzeige ist die Miete 900 Euro. Die Miete ist 950 Euro.
expiry | 2024-05-03 | The lease ended on 3 May 2024.
deposit | EUR 900 | | Version | Deposit |\\n|---|---|\\n| superseded | 900 euros |
governing law | Malta | Whether this is governed by the laws of Malta is not known.
governing law | Malta | Nothing here is governed by the laws of Malta.
"""
PLAIN = """
rent | EUR 900 | The rent is 900 euros, payable without deduction.
deposit | EUR 900 | The deposit shall not exceed 900 euros.
policy number | AB-12-7 | Policy number: AB-12-7\\nSum insured: 900 euros
account number | 8830 1175 | Account number: 8830 1175. Please quote it.
account number | 8830 1175 | Please quote your account number 8830 1175 when you call.
deposit | EUR 900 | The deposit is not more than 900 euros.
rent | EUR 900 | “Rent” is 900 euros a month.
expiry | 2024-05-03 | This agreement ends on 3 May 2024 unless it is terminated earlier.
notice period | P3M | Either party may, if it wishes, end it with three months' notice.
landlord | Erika Beispiel | Vermieterin: Erika Beispiel
notice period | P30D | She may end this agreement and his or her engagement by 30 days' notice.
renewal term | P1Y | It renews for successive periods of one year unless 90 days' notice is given.
rent | EUR 950 | The rent is not 900 euros, as the first draft had it, but the rent is 950 euros.
rent | EUR 950 | In the other house the rent is 900 euros. The rent of this flat is 950 euros.
governing law | Spain | El contrato se rige por la ley española.
expiry | 2026-03-31 | This agreement expires on 31 March 2022. It was renewed until 31 March 2026.
notice period | P30D | It may not be terminated without 30 days' notice.
governing law | Florida | It is governed by the laws of Florida, except its conflict rules.
"""


def said(field: str, text: str | list[Line]) -> dict[str, str]:
    """The values of a document, with what makes each doubtful."""
    (cell,) = table_of(ListedCorpus({"a.md": text}), [field_of(field)]).rows[0].cells
    return {value.normal: value.doubt for value in cell.values}


def test_a_value_that_does_not_count_is_marked_or_none():
    for line in (CASES["first"] + CASES["second"]).strip().splitlines():
        _, field, wrong, _, text = line.split(" | ", 4)
        assert said(field, text.replace("\\n", "\n")).get(wrong) != "", line
    for line in DENIED.strip().splitlines():
        field, wrong, text = line.split(" | ", 2)
        assert said(field, text.replace("\\n", "\n")).get(wrong) != "", line


def test_a_plain_statement_is_not_doubtful():
    for line in PLAIN.strip().splitlines():
        field, value, text = line.split(" | ")
        assert said(field, text.replace("\\n", "\n")).get(value) == "", line


def test_what_a_document_hides_or_strikes_out_says_nothing():
    assert said("rent", [Line("The rent is 900 euros.", hidden=True)]) == {}
    assert said("rent", "The rent is ~~900 euros~~.") == {}
    assert said("rent", "Rent: ~~900 euros~~ 950 euros") == {"EUR 950": ""}


def test_a_doubtful_value_is_shown_with_its_sentence_and_not_counted():
    corpus = ListedCorpus({"a.md": "If it rains, the rent is 900 euros."})
    made = table_of(corpus, [field_of("rent")])
    (value,) = made.rows[0].cells[0].values
    assert (value.shown, value.citations[0].quote) == (
        "900 euros (doubtful: a condition)",
        "If it rains, the rent is 900 euros.",
    )
    assert (made.count(0, "found", "several"), made.count(0, "doubtful")) == (0, 1)
    assert listed(corpus, parse_condition("rent > 800")).verdicts == ("unclear",)
