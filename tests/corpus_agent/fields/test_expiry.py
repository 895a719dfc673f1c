"""When an agreement ends, as six languages say it; what begins, may end or is none has no end."""

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


RENEWALS = """
It shall automatically renew for successive periods of one (1) year unless 90 days' notice is given.
The term may be extended for an additional 1-year period by either party.
Der Vertrag verlängert sich jeweils um ein Jahr, wenn er nicht gekündigt wird.
Le contrat est renouvelé pour un an.
"""


def renewals(text: str) -> list[str]:
    document = DocumentText("a.txt", [Line(text)])
    return [one.normal for one in proposed(document, field_of("renewal term"))]


def test_how_long_a_contract_goes_on_is_read_in_its_sentence_and_its_notice_is_not():
    assert {text for text in RENEWALS.strip().splitlines() if renewals(text) != ["P1Y"]} == set()
    assert renewals("Either party gives 90 days' notice before it is renewed.") == []
