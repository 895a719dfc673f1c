# ruff: noqa: E501 - a list of words that is broken over lines is harder to read
"""The words of conditions in seven languages: one table, no grammar. Data only.

English, German, French, Spanish, Italian, Dutch and Portuguese.

Folded as they are compared: lower case, without accents, "ss" for "ß".
"""

from __future__ import annotations

from typing import Literal

from corpus_agent.text.tokens import fold

Sign = Literal["=", "<", "<=", ">", ">="]


BETWEEN = ("between", "zwischen", "entre", "tra", "fra", "tussen")
AND = ("and", "to", "und", "et", "y", "e", "en")


def _words(listed: str) -> frozenset[str]:
    return frozenset(map(fold, listed.split()))


def _listed(table: dict[Sign, str]) -> dict[str, Sign]:
    return {fold(words): sign for sign, listed in table.items() for words in listed.split("|")}


DATE_SIGNS = _listed({
    "=": "in|during|on|im|im jahr|im jahre|am|während|en|en l'année|le|pendant|el|durante|en el año|nel|nell'anno|il|op|gedurende|in het jaar|em|no ano|no ano de",
    "<": "before|vor|vor dem|avant|avant le|antes de|antes del|prima di|prima del|prima dell'|voor|vóór|antes do|antes da",
    "<=": "until|by|bis|bis zum|bis ende|spätestens am|jusqu'au|jusqu'en|jusqu'à|hasta|hasta el|entro|entro il|fino a|fino al|tot|tot en met|uiterlijk|uiterlijk op|até|até o|até ao",
    ">": "after|nach|nach dem|après|après le|después de|después del|dopo|dopo il|na|depois de|depois do|após|após o",
    ">=": "since|seit|seit dem|ab|ab dem|frühestens am|depuis|depuis le|à partir de|à partir du|dès|desde|desde el|a partir de|a partir del|dal|a partire dal|a partire da|sinds|vanaf|a partir do",
})  # fmt: skip
AMOUNT_SIGNS = _listed({
    ">": "more than|longer than|länger als|plus long que|plus longue que|más largo que|más larga que|over|above|exceeding|greater than|higher than|mehr als|über|von über|höher als|größer als|plus de|de plus de|supérieur à|supérieure à|supérieurs à|supérieures à|au-dessus de|más de|de más de|superior a|superiores a|por encima de|mayor que|mayor de|più di|di più di|superiore a|superiori a|oltre|maggiore di|maggiori di|meer dan|van meer dan|boven|hoger dan|groter dan|mais de|de mais de|acima de|maior que|maior do que",
    ">=": "at least|no less than|mindestens|von mindestens|wenigstens|au moins|d'au moins|al menos|de al menos|como mínimo|almeno|di almeno|non inferiore a|minstens|van minstens|ten minste|van ten minste|pelo menos|de pelo menos|no mínimo",
    "<": "less than|shorter than|kürzer als|plus court que|plus courte que|más corto que|más corta que|under|below|lower than|weniger als|unter|von unter|niedriger als|geringer als|kleiner als|moins de|de moins de|inférieur à|inférieure à|inférieurs à|inférieures à|au-dessous de|en dessous de|menos de|de menos de|inferior a|inferiores a|por debajo de|menor que|menor de|meno di|di meno di|inferiore a|inferiori a|minore di|minori di|sotto|minder dan|van minder dan|onder|lager dan|kleiner dan|abaixo de|menor do que",
    "<=": "at most|up to|no more than|höchstens|von höchstens|maximal|bis zu|au plus|d'au plus|au maximum|jusqu'à|como máximo|de como máximo|a lo sumo|hasta|al massimo|di al massimo|non superiore a|fino a|hoogstens|van hoogstens|maximaal|no máximo|até|de até",
})  # fmt: skip
# How a comparison is said in English where it was asked in another language: of dates, of amounts.
ENGLISH_SIGNS: dict[Sign, tuple[str, str]] = {
    "=": ("in", "of"),
    "<": ("before", "less than"),
    "<=": ("until", "at most"),
    ">": ("after", "more than"),
    ">=": ("since", "at least"),
}
ENGLISH = frozenset(["in", "during", "on", "before", "until", "by", "after", "since", "more than", "longer than", "shorter than", "over", "above", "exceeding", "greater than", "higher than", "at least", "no less than", "less than", "under", "below", "lower than", "at most", "up to", "no more than", "between"])  # fmt: skip
# What leads from the documents to what they say.
LINKS = _words("""
    that which whose where with having die der das deren dessen welche mit bei qui dont que avec
    ayant où cuyo cuya cuyos cuyas con donde che cui aventi met waarvan com cujo cuja cujos cujas onde
""")
# What stands before the documents: a request or a question, then which of them.
REQUESTS = tuple(map(fold, ["please", "list", "show", "find", "give me", "which", "what", "how many", "bitte", "liste", "zeig", "zeige", "nenne", "finde", "gib", "welche", "welcher", "welches", "welchen", "wie viele", "s'il te plaît", "s'il vous plaît", "lister", "listez", "montre", "montrez", "trouve", "trouvez", "donne", "donnez", "donne-moi", "donnez-moi", "quels", "quelles", "combien de", "por favor", "lista", "muestra", "muéstrame", "encuentra", "dame", "qué", "cuáles", "cuántos", "cuántas", "per favore", "elenca", "mostra", "mostrami", "trova", "dammi", "quali", "quanti", "quante", "toon", "zoek", "geef", "welke", "hoeveel", "mostre", "encontre", "quais", "quantos", "quantas"]))  # fmt: skip
OF_THEM = _words("""
    me us all every each of the my our mir uns alle aller jeder jedes von der die das den meine
    meiner meinen unsere unserer unseren moi nous tous toutes les de mes nos todos todas los las
    mis nuestros nuestras tutti tutte i gli dei delle miei mie nostri nostre mijn onze het van os as dos das meus minhas nossos nossas
""")
FILLERS = _words("""
    is are was were be been has have had a an the of fall falls come comes which that whose with
    will do does did ist sind war waren wird werden wurde wurden hat haben hatte ein eine einen
    einem einer beträgt betragen liegt liegen der die das dem den des von vom zum zur sein est sont
    était a ont été un une le la les du de des se s' es son era fue fueron ha han una el los las del su sus que è sono erano stato stata stati state viene vengono uno il lo i gli della dei di si zijn wordt worden werd werden heeft hebben een het van bedraagt é são foi foram tem têm um uma o os as do da dos
""")
# What a verb of a condition asks for.
_VERBS = {
    "expiry": """end ends ended ending expire expires expired expiring terminate terminates
        terminated lapse lapses endet enden endete endeten auslaufen ausläuft ablaufen abläuft expirent
        expirant termine terminent finit finissent échoit échoient s'achève s'achèvent termina
        terminan vence vencen expira expiran acaba acaban finaliza finalizan caduca caducan scade scadono scadranno scaduto scaduti scaduta scadute
        terminano finisce finiscono cessa cessano eindigt eindigen eindigde eindigden afloopt aflopen verloopt
        verlopen vervalt vervallen terminam vencem expiram finalizam acabam caducam""",
    "effective date": """start starts started begin begins began commence commences commenced
        beginnt beginnen begann begannen startet starten commencent débute débutent comienza
        comienzan empieza empiezan inicia inician inizia iniziano comincia cominciano decorre decorrono begint beginnen
        ingaat ingaan começa começam iniciam""",
    "due date": "due payable fällig zahlbar dû dus dues exigible exigibles pagadero pagaderos pagadera pagaderas dovuto dovuti dovuta dovute pagabile pagabili betaalbaar verschuldigd pagável pagáveis",
    "agreement date": """signed concluded executed made unterschrieben unterzeichnet geschlossen
        abgeschlossen signé signés signée signées conclu conclus conclue conclues firmado firmados
        firmada firmadas celebrado celebrados firmato firmati firmata firmate stipulato stipulati stipulata
        stipulate sottoscritto sottoscritti getekend ondertekend gesloten afgesloten assinado assinados
        assinada assinadas""",
    "document date": """dated issued written datiert ausgestellt geschrieben daté datés datée datées
        émis émise émises écrit écrits écrites fechado fechados fechada fechadas emitido emitidos
        emitida emitidas escrito escritos escrita escritas emesso emessi emessa emesse datato datati datata
        datate gedateerd geschreven opgesteld datado datados datada datadas""",
    "delivery date": """delivered arrived geliefert angekommen livré livrés livrée livrées entregado
        entregados entregada entregadas consegnato consegnati consegnata consegnate geleverd entregue
        entregues""",
}
BY_VERB = {fold(verb): name for name, verbs in _VERBS.items() for verb in verbs.split()}
# What stands before a date and says nothing.
BEFORE_DATES = tuple(
    map(
        fold,
        (
            "the",
            "year",
            "jahr",
            "dem",
            "l'année",
            "le",
            "año",
            "el",
            "der",
            "l'anno",
            "il",
            "het",
            "jaar",
            "o",
            "ano",
        ),
    )
)
# Documents whose end is the day on which they are to be paid: "facturas que vencen en mayo".
TO_BE_PAID = ("invoice", "bill", "rechnung", "factur", "fattur", "fatur")
