"""When an agreement ends, as six languages say it; what begins, may end or is none has no end."""

from corpus_agent.fields.lexicon import field_of
from corpus_agent.fields.table import table_of
from tests.support.fakes import ListedCorpus

ENDS = """
Der Vertrag endet am 30. Juni 2027.
Der Mietvertrag läuft bis zum 30. Juni 2027.
Das Mietverhältnis ist bis zum 30.06.2027 befristet.
Der Versicherungsvertrag läuft am 30. Juni 2027 aus.
Der Vertrag wurde zum 30. Juni 2027 gekündigt.
Der Anschluss gehört zum Tarif Nord. Er wurde von der Kundin gekündigt zum 30. Juni 2027.
Der Leihvertrag gilt für beide Geräte. Er endet am 30. Juni 2027.
Le bail prend fin le 30 juin 2027.
Ce contrat court jusqu'au 30 juin 2027.
La convention arrive à échéance le 30 juin 2027.
Le contrat a été résilié avec effet au 30 juin 2027.
El contrato termina el 30 de junio de 2027.
La póliza estará vigente hasta el 30 de junio de 2027.
El contrato fue rescindido con efectos desde el 30 de junio de 2027.
Il contratto scade il 30 giugno 2027.
Il presente accordo dura fino al 30 giugno 2027.
L'abbonamento è stato disdetto con effetto dal 30 giugno 2027.
De huurovereenkomst eindigt op 30 juni 2027.
Het contract loopt tot en met 30 juni 2027.
Het abonnement is opgezegd per 30 juni 2027.
O contrato termina em 30 de junho de 2027.
A apólice é válida até 30 de junho de 2027.
O contrato foi denunciado com efeitos a partir de 30 de junho de 2027.
The contract was signed in May. It ends on 30 June 2027.
My membership was cancelled with effect from 30 June 2027.
Die Laufzeit endet mit Ablauf des 30. Juni 2027.
Die Vereinbarung gilt vom 1. März 2026 bis 30. Juni 2027.
Die Vereinbarung gilt ab dem 30. Juni 2025 für zwei Jahre.
La convenzione vale dal 30 giugno 2025 per due anni.
La convention est conclue pour deux ans à compter du 30 juin 2025.
"""
TERMS = """
expiry | 2025-03-03 | This agreement, made on 3 March 2023, expires two years after its date.
expiry | 2023-06-01 | The contract begins on 1 June 2022 and ends one year later.
expiry | P18M (from a day that is not stated) | It expires 18 months after its effective date.
expiry | P5Y (from a day that is not stated) | The licence ends five years after publication.
expiry | 2027-06-30 | The lease\\n\\n## Term\\n\\nUntil 30 June 2027.
expiry |  | The lease\\n\\n## Deposit\\n\\nUntil 30 June 2027.
expiry | 2027-06-30 | The lease: the end date of 31 May 2026 is replaced by 30 June 2027.
expiry | 2025-05-31 (not agreed) | Lease: end date is 31 May 2025 and all is replaced by 1 May 2024.
expiry | 2025-05-31 | In the term all is replaced by 1 May 2024. The lease ends on 31 May 2025.
expiry | 2027-06-30 | The term of the lease is extended by six months and now ends on 30 June 2027.
expiry |  | Made on 3 March 2023: the term of the lease is extended by six months.
expiry |  | The duty of confidence in this agreement ends two years after its termination.
parties | Low Ltd; Anna Wren | Licence\\n\\nLicensor: Low Ltd\\nLicensee: Anna Wren\\n\\nFee: none.
parties |  | From: Ann Lee\\nTo: Bo Dahl\\n\\nThe contract is here.
liability cap | EUR 500 | The Licensor's total liability under this deed shall not exceed EUR 500.
liability cap | GBP 500 (denied) | In no event shall the liability be £500.
deposit | GBP 200 | The hirer leaves a deposit of £200 before collection.
parties | Low AS; Anna Wren | Agreement between Low AS ("Seller") and Anna Wren ("Buyer").
parties | Ann Lee; Bo Dahl | Lease between Ann Lee, Hill Road 3, and Bo Dahl.
parties | The Low Company; Anna Wren | Made between The Low Company ("A") and Anna Wren ("B").
parties | Low Ltd; Roe LLC | They file jointly.\\n\\nLow Ltd\\nBy: /s/ A\\n\\nRoe LLC\\nBy: /s/ B
renewal term | P1Y | The lease renews from year to year unless it is ended.
payment term | P30D | Invoices are payable within 30 days of receipt.
payment term | P30D | Payment terms: Net 30
governing law | Danish law | 6  Law: Danish law. Arbitration in Aarhus.
total | 136.1 | Card fee        10.00\\nTotal GBP                 136.10\\n\\nPAID
total | GBP 136.1 | Total GBP 136.10
governing law | Kentucky | This deed is governed by the laws of KENTUCKY.
net sales | USD 11000000 | in millions\\n2022 2021\\nNet sales $ 11 $ 9\\nPaper\\nNet sales $ 4 $ 3
net sales | USD 310000000 (not stated outright) | In Europe, net sales grew to $310 million.
net income | USD 12000000 | In fiscal 2022 net income was $12 million.
net income | 18 | 2024 2023\\n\\nNet income 7 18 17
auditor | Low & Co. audited it. | Auditor: Low & Co. audited it.
net income | -120 | 2024 2023\\n\\nNet income (120) 310
net income |  | 2023 2024\\n\\nNet income 310 –
payment term |  | The deposit of the invoice is paid back within 14 days.
payment term |  | The bonus is paid within 60 days of the end of the year.
payment term |  | The goods are paid for in advance and delivered within 21 days.
notice period |  | Notice period: another month after the first two.
parties |  | Ash Ltd. ("Ash") and Elm Ltd. ("Elm") declined to sign this agreement with Oak plc.
liability cap | EUR 1500000 | The Licensor's total liability shall not exceed EUR 1.500'000.
deposit | GBP 200 (not stated outright) | Guests who are late leave a deposit of £200.
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
Der Kurs endet am 30. Juni 2027.
Die Rechnung zum Vertrag ist bis zum 30. Juni 2027 zu zahlen.
Le bail prend effet le 30 juin 2027.
Le contrat peut être résilié au 30 juin 2027.
La période d'essai du contrat prend fin le 30 juin 2027.
El contrato comienza el 30 de junio de 2027.
El contrato podrá ser rescindido con efectos desde el 30 de junio de 2027.
De tentoonstelling loopt tot en met 30 juni 2027.
Het contract kan worden opgezegd per 30 juni 2027.
The show ends on 30 June 2027.
"""


def of(field: str, text: str) -> list[str]:
    (cell,) = table_of(ListedCorpus({"a.txt": text}), [field_of(field)]).rows[0].cells
    return [one.normal for one in cell.values]


def test_a_day_on_which_a_contract_ends_is_found_or_counted_in_six_languages():
    for text in ENDS.strip().splitlines():
        assert of("expiry", text) == ["2027-06-30"], text
    assert of("expiry", "Das Mietverhältnis läuft bis Ende 2027.") == ["2027-12-31"]


def test_what_a_contract_states_in_common_words_is_a_value():
    for line in TERMS.strip().splitlines():
        field, expected, text = line.split(" | ", 2)
        corpus = ListedCorpus({"a.txt": text.replace("\\n", "\n")})
        (cell,) = table_of(corpus, [field_of(field)]).rows[0].cells
        said = (f"{one.normal} ({one.doubt})".removesuffix(" ()") for one in cell.values)
        assert "".join(said) == expected.strip(), line


def test_a_day_on_which_something_else_is_ends_no_contract():
    for text in GOES_ON.strip().splitlines():
        assert of("expiry", text) == [], text


RENEWALS = """
It shall automatically renew for successive periods of one (1) year unless 90 days' notice is given.
The term may be extended for an additional 1-year period by either party.
Der Vertrag verlängert sich jeweils um ein Jahr, wenn er nicht gekündigt wird.
Le contrat est renouvelé pour un an.
"""
BEGINS = """
2018-09-18 | This Agreement is made on 18 September 2018. It takes effect on the date hereof.
2018-05-20 | Contract made on 8 May 2018. It takes effect on its signature. /s/ A Date: 20 May 2018
2018-09-18 | Agreement of 3 May. The term of this Agreement shall commence on 18 September 2018.
 | This Agreement is made on 18 September 2018 between Low Ltd and Roe Ltd.
2018-09-18 | Das Mietverhältnis beginnt am 18. September 2018.
"""


def test_a_renewal_has_its_term_and_beside_it_the_notice_that_ends_it():
    for text in RENEWALS.strip().splitlines():
        assert of("renewal term", text) == ["P1Y"], text
    assert of("renewal term", "Either party gives 90 days' notice before it is renewed.") == []
    assert of("renewal notice", RENEWALS.splitlines()[1]) == ["P90D"]


def test_an_effective_date_is_that_of_signing_only_where_the_document_says_so():
    for line in BEGINS.strip("\n").splitlines():
        day, text = line.split("| ", 1)
        assert of("effective date", text) == day.split(), text
