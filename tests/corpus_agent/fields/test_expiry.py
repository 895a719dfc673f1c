"""When an agreement ends, as six languages say it; what begins, may end or is none has no end."""

import pytest

from corpus_agent.fields.definition import field_of
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.table import proposed
from indexer import Line

ENDS = """
Der Vertrag endet am 30. Juni 2027.
Der Mietvertrag läuft bis zum 30. Juni 2027.
Das Mietverhältnis ist bis zum 30.06.2027 befristet.
Der Versicherungsvertrag läuft am 30. Juni 2027 aus.
Unser Abo läuft am 30. Juni 2027 ab.
Der Vertrag wurde zum 30. Juni 2027 gekündigt.
Hiermit kündige ich den Vertrag zum 30. Juni 2027.
Der Anschluss gehört zum Tarif Nord. Er wurde von der Kundin gekündigt zum 30. Juni 2027.
Der Leihvertrag gilt für beide Geräte. Er endet am 30. Juni 2027.
Le bail prend fin le 30 juin 2027.
Le contrat de location expire le 30 juin 2027.
L'abonnement se termine le 30 juin 2027.
Ce contrat court jusqu'au 30 juin 2027.
La convention arrive à échéance le 30 juin 2027.
Le contrat a été résilié avec effet au 30 juin 2027.
El contrato termina el 30 de junio de 2027.
El arrendamiento vence el día 30 de junio de 2027.
La póliza estará vigente hasta el 30 de junio de 2027.
El contrato fue rescindido con efectos desde el 30 de junio de 2027.
Il contratto scade il 30 giugno 2027.
La locazione termina il 30 giugno 2027.
Il presente accordo dura fino al 30 giugno 2027.
L'abbonamento è stato disdetto con effetto dal 30 giugno 2027.
De huurovereenkomst eindigt op 30 juni 2027.
Het contract loopt tot en met 30 juni 2027.
De verzekering loopt af op 30 juni 2027.
Het abonnement is opgezegd per 30 juni 2027.
O contrato termina em 30 de junho de 2027.
O contrato de locação vence no dia 30 de junho de 2027.
A apólice é válida até 30 de junho de 2027.
O contrato foi denunciado com efeitos a partir de 30 de junho de 2027.
The contract was signed in May. It ends on 30 June 2027.
My membership was cancelled with effect from 30 June 2027.
Our tenancy ends on 30 June 2027.
Die Laufzeit endet mit Ablauf des 30. Juni 2027.
Der Vertrag gilt vom 1. Juli 2025 bis zum 30. Juni 2027.
Die Vereinbarung gilt vom 1. März 2026 bis 30. Juni 2027.
La convenzione scade il 30 giugno 2027.
"""
COUNTED = """
Die Vereinbarung gilt ab dem 30. Juni 2025 für zwei Jahre.
La convenzione vale dal 30 giugno 2025 per due anni.
La convention est conclue pour deux ans à compter du 30 juin 2025.
"""
GOES_ON = """
Das Angebot gilt vom 1. Juli 2025 bis zum 30. Juni 2027.
Der Vertrag liegt im Ordner 3. Die Ausstellung ist bis zum 30. Juni 2027 offen.
L'offerta vale dal 30 giugno 2025 per due anni.
Der Vertrag beginnt am 30. Juni 2027.
Der Vertrag läuft ab dem 30. Juni 2027.
Der Vertrag kann zum 30. Juni 2027 gekündigt werden.
Der Vertrag ist erstmals zum 30. Juni 2027 kündbar.
Die Probezeit des Vertrags endet am 30. Juni 2027.
Die Ausstellung läuft bis zum 30. Juni 2027.
Das Angebot ist bis zum 30. Juni 2027 gültig.
Der Kurs endet am 30. Juni 2027.
Die Rechnung zum Vertrag ist bis zum 30. Juni 2027 zu zahlen.
Le bail prend effet le 30 juin 2027.
Le contrat peut être résilié au 30 juin 2027.
L'exposition se termine le 30 juin 2027.
La période d'essai du contrat prend fin le 30 juin 2027.
El contrato comienza el 30 de junio de 2027.
El contrato podrá ser rescindido con efectos desde el 30 de junio de 2027.
La exposición termina el 30 de junio de 2027.
Il contratto decorre dal 30 giugno 2027.
La mostra termina il 30 giugno 2027.
De overeenkomst gaat in op 30 juni 2027.
De tentoonstelling loopt tot en met 30 juni 2027.
Het contract kan worden opgezegd per 30 juni 2027.
O contrato começa em 30 de junho de 2027.
A exposição termina em 30 de junho de 2027.
The show ends on 30 June 2027.
The membership may be cancelled with effect from 30 June 2027.
"""


def ends(text: str) -> list[str]:
    document = DocumentText("a.txt", [Line(text)])
    return [one.normal for one in proposed(document, field_of("expiry"))]


def test_a_day_on_which_a_contract_ends_is_found_in_six_languages():
    for text in ENDS.strip().splitlines():
        assert ends(text) == ["2027-06-30"], text
    assert ends("Das Mietverhältnis läuft bis Ende 2027.") == ["2027-12-31"]


def test_a_term_that_runs_from_a_day_ends_on_a_computed_day_in_three_languages():
    for text in COUNTED.strip().splitlines():
        assert ends(text) == ["2027-06-30"], text


def test_a_day_on_which_something_else_is_ends_no_contract():
    for text in GOES_ON.strip().splitlines():
        assert ends(text) == [], text


def of(text: str, field: str) -> list[tuple[str, bool]]:
    document = DocumentText("a.txt", [Line(line) for line in text.splitlines()])
    return [(one.normal, one.computed) for one in proposed(document, field_of(field))]


def test_the_end_is_the_end_of_the_term():
    text = "Our tenancy ends on 30 June 2027.\nEither party may end this agreement by notice."
    for words in ("end", "the end", "Ende", "fin"):
        assert of(text, words) == [("2027-06-30", False)], words
    # The control: a word that is not asked for as the end is found where it stands.
    assert of("End: bottom\n", "lid") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Home policy\nInsured: A. Ash. Period: 1 May 2024 to 30 June 2027.", ["2027-06-30"]),
        ("Lease\n| Term | 1 May 2024 until 30 June 2027 |", ["2027-06-30"]),
        ("Mietvertrag\nMietzeit: 01.05.2024 bis 30.06.2027", ["2027-06-30"]),
        ("Police d'assurance\nPériode : du 1er mai 2024 au 30 juin 2027", ["2027-06-30"]),
        # The controls: neither an agreement, nor the time that an invoice is for.
        ("Water report\nPeriod: 1 May 2024 to 30 June 2027.", []),
        ("Invoice for your contract\nPeriod: 1 May 2024 to 30 June 2027.", []),
    ],
)
def test_an_agreement_ends_with_the_period_that_it_names(text, expected):
    assert [normal for normal, _ in of(text, "expiry")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Invoice 7\nAsh to Birch, 29 April 2024.\nDue within 30 days.", "2024-05-29"),
        ("Invoice 7\n29 April 2024.\nDue within 30 days. Paid on 3 May 2024.", "2024-05-29"),
        ("Invoice 7\nDate: 29 April 2024\nPayment: 14 days net", "2024-05-13"),
        ("Invoice 7\nDate: 29 April 2024\nPayable within thirty days of the invoice date.",
         "2024-05-29"),
        ("Rechnung 7\nLeeds, 29. April 2024\nZahlbar innerhalb von 14 Tagen.", "2024-05-13"),
        ("Facture 7\nDate : 29 avril 2024\nPaiement à 30 jours.", "2024-05-29"),
        # The controls: from receipt, to the end of a month, no date or two, and no invoice.
        ("Invoice 7\nDate: 29 April 2024\nDue within 30 days of receipt of the invoice.", None),
        ("Facture 7\nDate : 29 avril 2024\nPaiement à 30 jours fin de mois.", None),
        ("Invoice 7\nDue within 30 days.", None),
        ("Invoice 7\nWork of 3 April 2024 and of 5 April 2024.\nDue within 30 days.", None),
        ("Prices\nDate: 29 April 2024\nInvoices are due within 30 days.", None),
        ("Invoice 7\nDate: 29 April 2024\nThe work is guaranteed for 30 days.", None),
    ],
)  # fmt: skip
def test_an_invoice_that_is_due_in_some_days_is_due_on_a_computed_day(text, expected):
    assert of(text, "due date") == ([(expected, True)] if expected else [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The term runs from 1 April 2024 to 30 June 2027.", ["2024-04-01"]),
        ("The tenancy runs from 1 April 2024.", ["2024-04-01"]),
        ("This policy is valid from 1 April 2024 until 30 June 2027.", ["2024-04-01"]),
        ("Our lease is at Mill Lane. It runs for two years from 1 April 2024.", ["2024-04-01"]),
        ("Lease\nPeriod: 1 April 2024 to 30 June 2027", ["2024-04-01"]),
        ("Die Mietzeit läuft vom 1. April 2024 bis 30. Juni 2027.", ["2024-04-01"]),
        ("Der Vertrag gilt ab dem 1. April 2024.", ["2024-04-01"]),
        ("Le bail court du 1er avril 2024 au 30 juin 2027.", ["2024-04-01"]),
        # The controls: what else runs, and a day that is none of the term.
        ("The exhibition runs from 1 April 2024 to 30 June 2027.", []),
        ("The insurance certificate for the lease is valid from 1 April 2024.", []),
        ("The rent of the lease is £900 from 1 April 2024.", []),
        ("Water report\nPeriod: 1 April 2024 to 30 June 2027", []),
    ],
)
def test_a_term_begins_on_the_day_that_it_runs_from(text, expected):
    for words in ("start", "begin", "effective date"):
        assert [normal for normal, _ in of(text, words)] == expected, words


def test_a_rental_period_ends_as_a_term_does():
    assert ends("Die Mietzeit läuft vom 1. April 2024 bis 30. Juni 2027.") == ["2027-06-30"]


@pytest.mark.parametrize(
    "head",
    ["Bill", "# Bill", "Bill no. 7", "BILL TO: A. Ash", "Electricity Bill", "Your water bill"],
)  # fmt: skip
def test_a_bill_is_an_invoice(head):
    text = f"{head}\nDate: 29 April 2024\nPayable within 30 days."
    assert of(text, "due date") == [("2024-05-29", True)]


@pytest.mark.parametrize(
    "head",
    ["Bill Ash", "BILL ASH", "Dear Bill", "Dear Bill,", "From: Bill", "Note from Bill to Ann"],
)  # fmt: skip
def test_a_person_called_bill_is_no_invoice(head):
    text = f"{head}\nDate: 29 April 2024\nPayable within 30 days."
    assert of(text, "due date") == []
    lease = "Lease to Bill Ash\nPeriod: 1 May 2024 to 30 June 2027."
    assert of(lease, "expiry") == [("2027-06-30", False)]


def test_a_day_that_an_invoice_names_goes_before_one_that_is_computed():
    text = "Invoice 7\nDate: 29 April 2024\nDue date: 3 May 2024\nPayment: 14 days net"
    assert of(text, "due date") == [("2024-05-03", False)]
