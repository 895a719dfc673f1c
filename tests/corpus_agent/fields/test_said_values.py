"""What a model says of a document: a value is taken whole, and with the sense that it has there."""

from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import Field, SaidValue
from corpus_agent.fields.said_values import proposals_of
from indexer import Line

ALLOWED = Field("allowed", "text", ("allowed",))


def taken(sentence: str, value: str, *, above: str = "", quote: str = "") -> list[str]:
    document = DocumentText("a.md", [Line(above), Line(""), Line(sentence)])
    return [
        one.text for one in proposals_of(document, ALLOWED, SaidValue(0, value, quote or sentence))
    ]


def test_a_value_that_its_sentence_denies_or_makes_conditional_is_refused():
    for sentence, value in (
        ("It does not deliver in August.", "deliver in August"),
        ("It does not, as it was agreed, ever deliver any goods in August.", "any goods in August"),
        ("The tenant may not keep dogs.", "keep dogs"),
        ("The tenant may not keep large or small dogs.", "small dogs"),
        ("Never sign anything without Karl Voss.", "Karl Voss"),
        ("If the tenant has asked for it dogs are welcome.", "dogs are welcome"),
        ("Unless the landlord agrees to it dogs are welcome.", "dogs are welcome"),
        ("Dogs in the flat are under no circumstances allowed.", "Dogs in the flat"),
        ("Der Mieter darf im Haus keine Hunde halten.", "Hunde halten"),
        ("Le locataire ne peut pas avoir de chiens.", "avoir de chiens"),
        ("Insurance: no", "Insurance"),
        ("The landlord is Acme Ltd if Bob agrees to it.", "Acme Ltd"),
        ("The landlord would be Acme Ltd in case Bob dies.", "Acme Ltd"),
        ("Vermieter ist die Acme GmbH, wenn Bob zustimmt.", "Acme GmbH"),
        ("The house may be let to anyone but Acme Ltd.", "Acme Ltd"),
        ("Is the landlord of the house Acme Ltd?", "Acme Ltd"),
    ):
        assert taken(sentence, value) == [], (sentence, value)
        assert taken(sentence, sentence) != [], sentence  # the control: the sentence itself


def test_a_value_that_is_a_piece_of_a_number_is_refused():
    for sentence, value in (
        ("The stock is 1.250.000 units.", "000 units"),
        ("The stock is 1 250 000 units.", "250 000 units"),
        ("It holds 2.5 litres of it.", "5 litres"),
        ("It holds 2 1/2 litres of it.", "1/2 litres"),
        ("The fee is -300 euros.", "300 euros"),
        ("The fee is −300 euros.", "300 euros"),
        ("The order has the number 17-300 of May.", "300 of May"),
    ):
        assert taken(sentence, value) == [], (sentence, value)


def test_a_value_that_stands_whole_is_taken():
    for sentence, value in (
        ("It delivers in August.", "delivers in August"),
        ("The tenant may keep dogs.", "keep dogs"),
        ("It is not far. The tenant may keep dogs.", "keep dogs"),
        ("The landlord is Acme Ltd, and if the rent is late a fee is due.", "Acme Ltd"),
        ("The landlord is Acme Ltd. If Bob agrees, a dog is welcome.", "Acme Ltd"),
        ("The stock is 1.250.000 units.", "1.250.000 units"),
        ("The fee is -300 euros.", "-300 euros"),
        ("It is not urgent, and Karl Voss is there, which no one denies.", "Karl Voss"),
        ("All of it is covered by **Northern Mutual 3** of York.", "Northern Mutual 3"),
    ):
        assert taken(sentence, value) == [value], sentence
    twice = "It does not deliver in August. Mondsee does deliver in August."
    document = DocumentText("a.md", [Line(twice)])
    (found,) = proposals_of(document, ALLOWED, SaidValue(0, "deliver in August", twice))
    assert found.readings[0].start == twice.rindex("deliver")


def test_what_stands_beside_the_quotation_counts_too():
    sentence = "The tenant may not keep dogs."
    assert taken(sentence, "keep dogs", quote="keep dogs") == []
    assert taken("The tenant may keep dogs.", "keep dogs", quote="keep dogs") == ["keep dogs"]


def test_a_sum_without_currency_is_each_that_it_may_be():
    sentence = "The deposit is USD 985, the rent is EUR 985, and EUR 985 is paid by the month."
    document = DocumentText("a.md", [Line(sentence)])
    field = Field("rent", "money", ("rent",))
    found = {
        said: [one.normal for one in proposals_of(document, field, SaidValue(0, said, sentence))]
        for said in ("985", "EUR 985", "986")
    }
    assert found == {"985": ["USD 985", "EUR 985"], "EUR 985": ["EUR 985"], "986": []}
