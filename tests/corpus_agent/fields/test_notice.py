"""How much notice ends a contract, said without a label; notice of something else is none."""

from corpus_agent.fields.definition import field_of
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.table import proposed
from indexer import Line

GIVEN = {
    "Either side may end it with two months' notice.": "P2M",
    "Cancel with three weeks' written notice.": "P3W",
    "Es gilt ein Monat Kündigungsfrist": "P1M",
    "Termination requires 60 days’ prior written notice.": "P60D",
    "She can leave by giving one month's notice in writing.": "P1M",
    "The tenant gives notice of at least two months.": "P2M",
    "You may cancel on not less than 30 days' notice.": "P30D",
    "Six weeks in advance, either party may withdraw.": "P6W",
    "Der Vertrag ist mit einer Frist von drei Monaten kündbar.": "P3M",
    "Es gilt eine dreimonatige Kündigungsfrist.": "P3M",
    "Mit vierwöchiger Kündigungsfrist zum Quartalsende.": "P4W",
    "Gekündigt werden kann unter Einhaltung einer Frist von 14 Tagen.": "P14D",
    "Chaque partie peut résilier avec un préavis de deux mois.": "P2M",
    "Il faut trois mois de préavis.": "P3M",
    "Se puede rescindir con dos meses de preaviso.": "P2M",
    "Puede darse de baja con 15 días de antelación.": "P15D",
    "Il conduttore può recedere con sei mesi di preavviso.": "P6M",
    "La disdetta richiede un preavviso di tre mesi.": "P3M",
    "Opzeggen kan met twee maanden opzegtermijn.": "P2M",
    "De opzegtermijn is een maand.": "P1M",
    "O contrato pode ser denunciado com dois meses de aviso prévio.": "P2M",
    "Pode cessar com 30 dias de antecedência.": "P30D",
    "Notice period: 3 months": "P3M",
    "A one-month notice period applies.": "P1M",
    "The notice period is four weeks to the end of a month.": "P4W",
}
NONE = (
    "Members get two weeks' notice of every meeting.",
    "The landlord may inspect the flat on three days' notice.",
    "The rent may be increased with one month's notice.",
    "The term is two months. Notice must be in writing.",
    "The supplier has 30 days to cure a breach after notice.",
    "Zur Versammlung wird mit einer Frist von zwei Wochen eingeladen.",
    "A notice was put up two weeks ago.",
    "We noticed two months later.",
    "L'assemblée est convoquée avec un préavis de quinze jours.",
)


def notice(text: str) -> list[str]:
    document = DocumentText("a.txt", [Line(line) for line in text.split("\n")])
    return [one.normal for one in proposed(document, field_of("notice period"))]


def test_a_duration_of_notice_is_found_before_and_behind_its_word():
    for text, wanted in GIVEN.items():
        assert notice(text) == [wanted], text


def test_notice_of_something_else_and_durations_beside_the_word_are_none():
    for text in NONE:
        assert notice(text) == [], text
