"""Words that say of one thing that it happens, by the happenings that are asked when.

English, German, French, Spanish, Italian, Portuguese, Dutch. Pure. Called by answering/coverage.py,
for questions of when: "when does it end" is answered by "until June" and "expires in June".
"""

from __future__ import annotations

from corpus_agent.text.tokens import fold

_SAME = (
    """
    end ends ended ending expire expires expired expiry expiration terminate terminates terminated
    conclude concludes concluded finish finishes finished cease ceases ceased until till
    enden endet endete endeten beendet ablaufen ablauf abgelaufen bis
    finir finit fini fin expire expirer jusqu jusque terminar termina terminó acabar acaba acabó
    finaliza finalizó vence caduca hasta finire finisce finì scade fino até
    eindigen eindigt eindigde vervalt tot
    """,
    """
    begin begins began begun beginning start starts started starting commence commences commenced
    since beginnen beginnt begann begonnen anfangen anfing angefangen start startet startete seit
    commencer commence commencé débute débuté depuis comenzar comienza comenzó empezar empieza
    empezó inicia inició desde iniziare inizia iniziò comincia cominciò começa começou início
    begint begon sinds
    """,
    "due payable deadline fällig zahlbar échéance exigible vencimiento scadenza vencimento",
    """
    born birth geboren geburt né née naissance nació nacido nacida nacimiento nato nata nascita
    nasceu nascido nascida geboorte
    """,
    """
    die dies died death starb gestorben sterben tod mort morte mourut décédé décès murió muerto
    muerta muerte morì morto morreu stierf gestorven
    """,
    """
    build builds built construct constructed construction erect erected bauen baut gebaut erbaut
    errichtet construit construire construction construir construido construida construyó costruito
    costruita construído gebouwd
    """,
    """
    found founded foundation founding establish established establishment form formed gegründet
    gründete gründung fondé fondée fondation fundado fundada fundó fundación fondato fondata
    fondazione fundação opgericht
    """,
    """
    sign signs signed signing signature dated unterzeichnet unterschrieben unterschrift signé
    signature firmar firmado firmó firma firmato assinado ondertekend getekend
    """,
)
_OF_ONE = [frozenset(fold(line).split()) for line in _SAME]


def same_event(word: str) -> frozenset[str]:
    """The folded words that say of the same as a folded one that it happens, with it; or none."""
    return frozenset().union(*(words for words in _OF_ONE if word in words))
