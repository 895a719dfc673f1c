# ruff: noqa: E501 - a list of words that is broken over lines is harder to read
"""The words of conditions in English, German, French and Spanish: one table, no grammar. Data only.

Folded as they are compared: lower case, without accents, "ss" for "ß".
"""

from __future__ import annotations

from typing import Literal

from corpus_agent.text.tokens import fold

Sign = Literal["=", "<", "<=", ">", ">="]


BETWEEN = ("between", "zwischen", "entre")
AND = ("and", "to", "und", "et", "y", "e")


def _words(listed: str) -> frozenset[str]:
    return frozenset(map(fold, listed.split()))


def _listed(table: dict[Sign, str]) -> dict[str, Sign]:
    return {fold(words): sign for sign, listed in table.items() for words in listed.split("|")}


DATE_SIGNS = _listed({
    "=": "in|during|on|im|im jahr|im jahre|am|während|en|en l'année|le|pendant|el|durante|en el año",
    "<": "before|vor|vor dem|avant|avant le|antes de|antes del",
    "<=": "until|by|bis|bis zum|bis ende|spätestens am|jusqu'au|jusqu'en|jusqu'à|hasta|hasta el",
    ">": "after|nach|nach dem|après|après le|después de|después del",
    ">=": "since|seit|seit dem|ab|ab dem|frühestens am|depuis|depuis le|à partir de|à partir du|dès|desde|desde el|a partir de|a partir del",
})  # fmt: skip
AMOUNT_SIGNS = _listed({
    ">": "more than|over|above|exceeding|greater than|higher than|mehr als|über|von über|höher als|größer als|plus de|de plus de|supérieur à|supérieure à|supérieurs à|supérieures à|au-dessus de|más de|de más de|superior a|superiores a|por encima de|mayor que|mayor de",
    ">=": "at least|no less than|mindestens|von mindestens|wenigstens|au moins|d'au moins|al menos|de al menos|como mínimo",
    "<": "less than|under|below|lower than|weniger als|unter|von unter|niedriger als|geringer als|kleiner als|moins de|de moins de|inférieur à|inférieure à|inférieurs à|inférieures à|au-dessous de|en dessous de|menos de|de menos de|inferior a|inferiores a|por debajo de|menor que|menor de",
    "<=": "at most|up to|no more than|höchstens|von höchstens|maximal|bis zu|au plus|d'au plus|au maximum|jusqu'à|como máximo|de como máximo|a lo sumo|hasta",
})  # fmt: skip
# What leads from the documents to what they say.
LINKS = _words("""
    that which whose where with having die der das deren dessen welche mit bei qui dont que avec
    ayant où cuyo cuya cuyos cuyas con donde
""")
# What stands before the documents: a request or a question, then which of them.
REQUESTS = tuple(map(fold, ["please", "list", "show", "find", "give me", "which", "what", "how many", "bitte", "liste", "zeig", "zeige", "nenne", "finde", "gib", "welche", "welcher", "welches", "welchen", "wie viele", "s'il te plaît", "s'il vous plaît", "lister", "listez", "montre", "montrez", "trouve", "trouvez", "donne", "donnez", "donne-moi", "donnez-moi", "quels", "quelles", "combien de", "por favor", "lista", "muestra", "muéstrame", "encuentra", "dame", "qué", "cuáles", "cuántos", "cuántas"]))  # fmt: skip
OF_THEM = _words("""
    me us all every each of the my our mir uns alle aller jeder jedes von der die das den meine
    meiner meinen unsere unserer unseren moi nous tous toutes les de mes nos todos todas los las
    mis nuestros nuestras
""")
FILLERS = _words("""
    is are was were be been has have had a an the of fall falls come comes which that whose with
    will do does did ist sind war waren wird werden wurde wurden hat haben hatte ein eine einen
    einem einer beträgt betragen liegt liegen der die das dem den des von vom zum zur sein est sont
    était a ont été un une le la les du de des se s' es son era fue fueron ha han una el los las del su sus que
""")
# What a verb of a condition asks for.
_VERBS = {
    "expiry": """end ends ended ending expire expires expired expiring terminate terminates
        terminated lapse lapses endet enden endete endeten auslaufen ausläuft ablaufen abläuft expirent
        expirant termine terminent finit finissent échoit échoient s'achève s'achèvent termina
        terminan vence vencen expira expiran acaba acaban finaliza finalizan caduca caducan""",
    "effective date": """start starts started begin begins began commence commences commenced
        beginnt beginnen begann begannen startet starten commencent débute débutent comienza
        comienzan empieza empiezan inicia inician""",
    "due date": "due payable fällig zahlbar dû dus dues exigible exigibles pagadero pagaderos pagadera pagaderas",
    "agreement date": """signed concluded executed made unterschrieben unterzeichnet geschlossen
        abgeschlossen signé signés signée signées conclu conclus conclue conclues firmado firmados
        firmada firmadas celebrado celebrados""",
    "document date": """dated issued written datiert ausgestellt geschrieben daté datés datée datées
        émis émise émises écrit écrits écrites fechado fechados fechada fechadas emitido emitidos
        emitida emitidas escrito escritos escrita escritas""",
    "delivery date": """delivered arrived geliefert angekommen livré livrés livrée livrées entregado
        entregados entregada entregadas""",
}
BY_VERB = {fold(verb): name for name, verbs in _VERBS.items() for verb in verbs.split()}
# What stands before a date and says nothing.
BEFORE_DATES = tuple(map(fold, ("the", "year", "jahr", "dem", "l'année", "le", "año", "el", "der")))
