# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read
"""When an agreement ends: the day that it names, or a term counted from its effective date. Pure.

"shall remain in effect until 31 December 2024"; "for three (3) years from the Effective Date", which
is computed and says so: until the same day of another year, which is the last one where the first day
does not count, and the day behind it where it does. A term counted from an event has no day.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from corpus_agent.fields.amounts import find_durations
from corpus_agent.fields.clauses import document_date, effective_date
from corpus_agent.fields.due import is_invoice
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue
from corpus_agent.text.dates import add_duration, find_dates
from corpus_agent.text.sentences import refers_back
from corpus_agent.text.values import Reading

_LEAST = 0.75

_THING = r"(?:agreement|contract|lease|licen[cs]e|term|policy|tenancy|subscription|membership|engagement|employment|cooperation|appointment|venture|partnership|\p{L}*vertr[aä]g\p{Ll}*|\p{L}*vereinbarung|\p{L}*verhältnis\p{Ll}*|\p{L}*mitgliedschaft|\p{L}*versicherung|abo|abonnement\p{Ll}*|police|laufzeit|contrat|bail|convention|accord|location|assurance|durée|contrato|arrendamiento|alquiler|acuerdo|convenio|póliza|suscripción|duración|vigencia|contratto|convenzione|locazione|affitto|accordo|polizza|abbonamento|durata|\p{L}*overeenkomst|\p{L}*contract|\p{L}*verzekering|polis|huur|looptijd|lidmaatschap|arrendamento|locação|acordo|apólice|assinatura|vigência)"
# Words for an end, those that say it themselves and those for the last day of something.
_ENDS = r"(?:expir(?:e[sd]?|y|ing|ation)(?:\s+(?:date|day))?|terminat(?:e[sd]?|ion\s+date|ing)(?:\s+automatically)?|end(?:s|ed|ing)?(?:\s+date)?|endete?n?|läuft|laufen|ausläuft|abläuft|ablauf|(?:prend|prendra|prendront)\s+fin|expirera|se\s+terminer?a?|s['’]achève(?:ra)?|arriver?a?\s+à\s+(?:échéance|(?:son\s+)?terme)|échéance|vence(?:rá)?|termina(?:rá)?|finaliza(?:rá)?|expira(?:rá)?|concluye|concluirá|caduca(?:rá)?|acaba(?:rá)?|vencimiento|scade|scadrà|terminerà|cess(?:a|erà)|si\s+conclude(?:rà)?|scadenza|eindigt|loopt|vervalt|verstrijkt|cessará|finda(?:rá)?)"
_UNTIL = r"(?:cease[sd]?|conclude[sd]?|valid|until|till|through|thru|to\s+and\s+including|up\s+to|to|befristet|bis|gültig|jusqu['’]au|jusqu['’]à|hasta|fino\s+al?|tot(?:\s+en\s+met)?|t/m|até)"
_ENDS_ON = regex.compile(
    rf"(?i)\b(?P<how>(?P<ends>{_ENDS})|{_UNTIL})(?!\p{{L}})(?P<gap>[^.;]{{0,40}})$"
)
_LINKED = regex.compile(
    r"(?i)^(?:[\s:,“”\"()|]|(?:is|are|on|upon|at|as|of|shall|will|be|the|and|including|in|no|later|than|midnight|noon|close|business|end|day|earlier|earliest|occur|i|one|a|1|not|automatically|without|notice|date|term|until|11|12|59|00|p\.?m\.?|a\.?m\.?|inclusive|am|zum|mit|ablauf|des|den|dem|einschließlich|automatisch|bis|au|le|la|automatiquement|el|día|de|del|automáticamente|al|il|giorno|automaticamente|op|af|per|met|ingang|van|tot|en|em|no|dia|ao)(?![\p{L}]))*$"
)
_SUBJECT = regex.compile(
    rf"(?i)(?<!\p{{L}})(?:(?:this|these|present|such|its|my|our|initial|effective|diese[rsnm]?|meine?[rsnm]?|unsere?[rsnm]?|ce|cette|présente?|mon|ma|notre|este|esta|presente|mi|nuestr[oa]|quest[oa]|mi[oa]|nostr[oa]|deze|dit|mijn|onze?|meu|minha|noss[oa])\s+(?:\p{{L}}+[\s-]){{0,3}}?|(?:(?:the|der|die|das|den|dem|des|le|la|el|il|lo|de|het|du|al|del|da|do)\s+|l['’]|(?<!\p{{L}})[oa]\s+(?=contrato|arrendamento|locação|acordo|apólice|assinatura|vigência))(?:(?:initial|original|current|fixed|joint|cooperation|lease|licen[cs]e|contract|service)\s+)?){_THING}(?!\p{{L}})|[“\"]term[”\"]|\binitial\s+term\b|\bin\s+(?:full\s+)?(?:force|effect)\b|\bterms?\s+(?:of|is|shall|will)\b|\b(?:(?:vertrags)?laufzeit|mietdauer|mietzeit|pachtzeit|vertragsdauer|looptijd)\b"
)
_NOT_THE_TERM = regex.compile(
    r"(?i)\b(?:fiscal|quarter|year\s+end(?:ed|ing)|period\s+end(?:ed|ing)|options?|warrants?|notes?|bonds?|patents?|insurance|certificate|invoice|payment|payable|deliver(?:y|ed)?|prior\s+to|no\s+event|surviv\p{Ll}*|confidential\p{Ll}*|exclusiv\p{Ll}*|extend(?:ed)?|renew(?:al|ed)?\s+(?:term|period)|cure|notice\s+of|milestone|forecast|report|audit|minimum|purchase\s+price|escrow|interest|standstill)\b|(?:is|are|was|were|been)\s+terminated\b|[“\"](?!(?:initial\s+)?term\b|expir)[\p{L} ]{2,40}[”\"]\s+(?:means|shall\s+mean)"
    r"|\b(?:probezeit|geschäftsjahr|\p{L}*rechnung|\p{L}*zahlung\p{Ll}*|zahlbar|angebot|garantie|gewährleistung|verlänger\p{Ll}*|widerruf\p{Ll}*|période\s+d['’]essai|exercice|paiement|facture|offre|renouvel\p{Ll}*|rétractation|per[ií]odo\s+de\s+prueba|ejercicio|pago|factura|oferta|garantía|prórroga|prorrog\p{Ll}*|periodo\s+di\s+prova|esercizio|pagamento|fattura|offerta|garanzia|rinnov\p{Ll}*|proeftijd|boekjaar|betaling|factuur|offerte|verleng\p{Ll}*|período\s+experimental|fatura|proposta|garantia|renova\p{Ll}*)(?!\p{L})"
)
# A contract that somebody ended: as of when. What may be done is not done.
_GIVES_UP = regex.compile(
    r"(?i)\b(?:(?:ge)?kündig\p{Ll}*|aufgekündigt|résili\p{Ll}*|dénoncé\p{Ll}*|rescind\p{Ll}*|resuelto|resolvi\p{Ll}*|disdett\p{Ll}*|receduto|opgezegd|opzegging|denunciad\p{Ll}*|cancell?ed|(?:given|gave)\s+notice)\b"
)
_AS_OF = regex.compile(
    r"(?i)\b(?:zum|per|auf\s+den|mit\s+wirkung\s+(?:zum|ab|vom)|mit\s+ablauf\s+des|au|à\s+compter\s+du|(?:à|avec)\s+effet\s+(?:du|au)|con\s+efectos?\s+(?:(?:a\s+partir\s+)?del?|desde\s+el|el)|con\s+fecha(?:\s+de)?|a\s+partir\s+del?|con\s+effetto\s+dal?|(?:a\s+partire\s+)?dal|per\s+il|met\s+ingang\s+van|tegen|com\s+efeitos?\s+(?:a\s+partir\s+de|em|a|de)|a\s+partir\s+de|with\s+effect\s+(?:from|on)|effective|as\s+of|to\s+end\s+on)\s*(?:dem\s+|the\s+)?$"
)
_MAY = regex.compile(
    r"(?i)\b(?:may|can|could|earliest|unless|if|kann|können|könn\p{Ll}*|darf|dürf\p{Ll}*|frühestens|erstmals|jeweils|kündbar|wenn|falls|sofern|kündigungsfrist|peut|peuvent|pourr\p{Ll}*|résiliable|si|puede\p{Ll}*|podr\p{Ll}*|può|possono|potr\p{Ll}*|se|kan|kunnen|mag|indien|opzegbaar|pode\p{Ll}*|poder\p{Ll}*)\b"
)
_RANGE = regex.compile(
    r"(?i)(?:from|beginning|commencing|commences?|starting|vom|ab|von|du|desde|dal|van)\b[^.;]{0,60}$"
)
_LABELLED = regex.compile(
    r"(?i)(?:expir(?:y|ation)(?:\s+date)?|end\s+date|termination\s+date|valid\s+(?:until|through|to)|expires(?:\s+on)?|end\s+of\s+(?:the\s+)?(?:term|lease|tenancy)|vertragsende|mietende|gültig\s+bis|date\s+de\s+fin|fecha\s+de\s+fin|einddatum)\s*[”\"]?\s*[:：|]\s*$"
)
_YEAR_END = regex.compile(
    r"(?i)\b(?:until|through|bis|jusqu['’]à|hasta|fino\s+a(?:lla)?|tot|até)\s+(?:the\s+|zum\s+|la\s+|el\s+|o\s+|ao\s+)?(?P<end>(?:end\s+of|ende|fin(?:al|ales)?(?:\s+de)?|fine(?:\s+del)?|eind|fim\s+de)\s+(?:the\s+year\s+|des\s+jahres\s+|del?\s+año\s+|van\s+)?(?P<year>20\d\d|19\d\d))\b"
)


# Under the title of an agreement, the two days between which it runs: "Period: 1 May 2024 to".
_PERIOD = regex.compile(
    r"(?i)(?<!\p{L})(?:period(?:\s+of\s+\p{L}{2,20})?|term|laufzeit|vertragslaufzeit|mietzeit|versicherungs(?:zeitraum|dauer|periode)|zeitraum|durée|période(?:\s+d['’]assurance)?|vigencia|per[ií]odo|duración|durata|looptijd|(?:verzekerings)?periode|vigência|duração)\s*[:：|]\s*(?P<from>[^;:\n]{6,40})\s(?:to|until|till|through|bis(?:\s+zum)?|au|jusqu['’]au|al?|hasta(?:\s+el)?|fino\s+al|tot(?:\s+en\s+met)?|até|-|–|—)\s+(?:the\s+)?$"
)
_TITLE = 300  # characters at the beginning of a document, which say what it is
_AGREEMENT = regex.compile(
    rf"(?i)(?<!\p{{L}})(?!(?:term|laufzeit|location|durée|duración|durata|looptijd|vigencia|vigência)(?!\p{{L}})){_THING}(?!\p{{L}})"
)


def _year_ends(document: DocumentText) -> Iterator[Reading]:
    """The last days of years: "until the end of 2026"."""
    for match in _YEAR_END.finditer(document.text):
        plain = " ".join(match["end"].split())
        yield Reading(match.start("end"), match.end("end"), plain, f"{match['year']}-12-31")


def expiry(document: DocumentText) -> list[ProposedValue]:
    """The day on which an agreement ends, as written or computed; [] if it has none."""
    stated = sorted(_stated(document), key=lambda proposal: -proposal.score)
    if stated and stated[0].score >= _LEAST:
        return stated
    return sorted(_computed(document), key=lambda proposal: -proposal.score)[:1]


def _stated(document: DocumentText) -> Iterator[ProposedValue]:
    """Days behind words for an end, in a sentence about the term of the document."""
    for reading in (*_year_ends(document), *document.dates):
        if len(reading.normal) < len("2024-03-12"):
            continue
        before = document.before(reading.start, 320)
        every = _ENDS_ON.finditer(before, overlapped=True)
        ends = next((each for each in every if _LINKED.match(each["gap"])), None)
        score = 0.0 if ends is None else _stated_score(document, reading, before, ends)
        if score < _LEAST and _AS_OF.search(before) and _is_given_up(document, reading):
            score = 0.85 - reading.start / 1_000_000
        if score < _LEAST and _PERIOD.search(before) and _is_agreement(document):
            score = 0.9 - reading.start / 1_000_000
        if score >= _LEAST:
            first, last = document.sentence(reading.start, reading.end)
            yield ProposedValue((reading,), first, last, score)


def _is_given_up(document: DocumentText, reading: Reading) -> bool:
    """Whether the sentence of a day says that a contract was ended, and not that it may be."""
    first, last = document.sentence(reading.start, reading.end)
    sentence = document.text[first:last]
    return _GIVES_UP.search(sentence) is not None and _MAY.search(sentence) is None


def is_about_the_term(document: DocumentText, reading: Reading, before: str) -> bool:
    """Whether the clause `before` a day is about the term of the document, by its words or heading."""
    clause = _clause(before)
    named = _SUBJECT.search(clause) or _heads(document, reading.start)
    return bool(named) and _NOT_THE_TERM.search(clause) is None


def period_from(document: DocumentText, reading: Reading) -> bool:
    """Whether a day is the first of the period that an agreement names under its title."""
    behind = find_dates(document.text[reading.end : reading.end + 40], day_first=document.day_first)
    if not behind or not _is_agreement(document):
        return False
    period = _PERIOD.search(document.before(reading.end + behind[0].start, 320))
    return (
        period is not None
        and " ".join(document.text[reading.start : reading.end].split()) in period["from"]
    )


def _clause(before: str) -> str:
    """The words of its sentence before a day, with the sentence that "it" refers to."""
    clause = _last_sentence(before)
    if refers_back(clause):
        clause = _last_sentence(before.removesuffix(clause).rstrip(" .;")) + " " + clause
    return clause


def _stated_score(
    document: DocumentText, reading: Reading, before: str, ends: regex.Match[str]
) -> float:
    clause = _clause(before)
    how = ends["how"].lower()
    if _LABELLED.search(before):
        return 0.95 - reading.start / 1_000_000
    if not _SUBJECT.search(clause) and not _heads(document, reading.start):
        return 0.0
    score = 0.9 if ends["ends"] else 0.8
    if how == "to":
        score = 0.8 if _RANGE.search(before) else 0.0
    if _NOT_THE_TERM.search(clause):
        score -= 0.4
    return score - reading.start / 1_000_000


def _is_agreement(document: DocumentText) -> bool:
    """Whether a document calls itself one that runs for a time, and no invoice for such a time."""
    title = document.text[:_TITLE]
    return _AGREEMENT.search(title) is not None and not is_invoice(document)


# Not within a day: "1. April 2024".
_SENTENCE = regex.compile(
    r"(?<=[\p{Ll}\p{N})\"”])[.;]\s+(?=[\p{Lu}(\"“])(?!\p{Lu}\p{Ll}{2,12}\s+(?:19|20)\d\d)"
)


def _last_sentence(text: str) -> str:
    """What stands in the same sentence before a place."""
    return _SENTENCE.split(text)[-1]


_TERM_HEAD = regex.compile(
    r"(?i)\b(?:term|duration|term\s+(?:and|&)\s+termination|period|laufzeit|vertragsdauer|mietzeit|durée|duración|vigencia|durata|duur)\b"
)


def _heads(document: DocumentText, at: int) -> bool:
    """Whether a clause about the term stands under a heading that says so."""
    lines = document.text[max(0, at - 400) : at].split("\n")[:-1]
    return any(len(line) < 60 and bool(_TERM_HEAD.search(line)) for line in lines)


_RUNS = regex.compile(
    r"(?i)\b(?:term|duration|laufzeit|durée|duración|durata|looptijd)\b[^.;]{0,120}?\b(?:is|of|be|beträgt|est|es|continue\p{Ll}*|commence\p{Ll}*|begin\p{Ll}*|start\p{Ll}*|extend\p{Ll}*|expire\p{Ll}*|end\p{Ll}*|terminate\p{Ll}*)\b"
    r"|\b(?:continue|remain|be|is|stay|run|last|extend|valid|binding)\p{Ll}*\b[^.;]{0,80}?\b(?:for|until|in\s+(?:full\s+)?(?:force|effect))\b"
    r"|\b(?:shall|will)\s+(?:expire|terminate|end)\b|\bläuft\b|\bgilt\b|\bgeschlossen\b|\best\s+(?:conclue?|valable)\s+pour\b|\bvale\b|\bconclu\s+pour\b|\bpor\s+un\s+(?:período|plazo)\b"
)
_OTHER_TERM = regex.compile(
    r"(?i)\b(?:renew\p{Ll}*|successive|additional|extension|surviv\p{Ll}*|confidential\p{Ll}*|non-?compet\p{Ll}*|warrant(?:y|ies|s)|guarantee|notice|cure|breach|after\s+(?:the\s+)?(?:termination|expiration|expiry)|following\s+(?:the\s+)?(?:termination|expiration|expiry)|retain|records?|audit|inspection|insurance|exclusiv\p{Ll}*|support|maintenance|option|payment|invoice|royalt\p{Ll}*|grace|probation\p{Ll}*|months?\s+of\s+salary|at\s+least|standstill|tail|non-?solicit\p{Ll}*)\b|\b(?:within|more\s+than|less\s+than|least|and\s+for(?:\s+a\s+(?:further\s+)?period\s+of)?)\s*$"
)
_ASIDE = regex.compile(
    r"(?i)\bin\s+no\s+event\b|\bduring\s+the\s+(?:initial\s+)?term\b|\bfor\s+the\s+duration\s+of\b|\b(?:later|latest)\s+(?:of|to\s+occur)\b|\bpilot\b"
)
_ANCHOR = regex.compile(
    r"(?i)\b(?:effective\s+date|commencement\s+date|start\s+date|date\s+(?:hereof|of\s+(?:this|the)\s+(?:\p{L}+\s+)?(?:agreement|contract|lease))|date\s+(?:first\s+)?(?:set\s+forth\s+|written\s+)?above|date\s+first\s+(?:written|above)|date\s+of\s+(?:execution|signature|signing)|execution\s+date|signing\s+date|agreement\s+date|that\s+date|such\s+date|vertragsbeginn|mietbeginn|inkrafttreten)\b"
)
_EVENT = regex.compile(
    r"(?i)^[^.;]{0,40}?\b(?:from|after|following|of|since|beginning|commencing|starting|ab|nach|à\s+compter|desde|dal)\s+(?:and\s+including\s+)?(?:the\s+|its\s+)?(?:first\s+|date\s+(?:of|that|the|on\s+which|upon\s+which)\s+(?!this|the\s+agreement|execution|signature)|expir|terminat|(?-i:\p{Lu})|launch|delivery|acceptance|closing|completion|receipt|first|commercial|approval|purchase|shipment)"
)


def _computed(document: DocumentText) -> Iterator[ProposedValue]:
    """A term of the document counted from the day on which it begins."""
    anchor = next(iter(effective_date(document)), None)
    if anchor is None and not _by_event(document):
        anchor = next(iter(document_date(document)), None)
    for reading in find_durations(document.text):
        if reading.normal[-1] == "D" and int(reading.normal[1:-1]) < 90:
            continue
        first, last = document.sentence(reading.start, reading.end)
        score = _term_score(document, reading, first)
        if score < _LEAST:
            continue
        begins = _begins(document, reading, (first, last)) or anchor
        if begins is None:
            continue
        day = add_duration(begins.normal.partition(";")[0], reading.normal)
        if day is not None and len(begins.readings) == 1:
            text = f"{reading.text} from {begins.text}: until {day}"
            value = Reading(reading.start, reading.end, text, day)
            stated = document.sentence(begins.readings[0].start, begins.readings[0].end)
            yield ProposedValue((value,), first, last, score, also=(stated,))


_DEFINED = regex.compile(r"(?i)[“\"]\s*effective\s+date\s*[”\"]")
_BY_SIGNING = regex.compile(
    r"(?i)\b(?:above|hereof|sign\p{Ll}*|execut\p{Ll}*|below|written|set\s+forth|entered\s+into|made|dated|day\s+of)\b"
)


def _by_event(document: DocumentText) -> bool:
    """Whether the effective date is the day of an event, which no date of the document is."""
    defined = _DEFINED.search(document.text)
    if defined is None:
        return False
    said = document.before(defined.start(), 90) + document.after(defined.end(), 90)
    return not _BY_SIGNING.search(said)


def _term_score(document: DocumentText, reading: Reading, first: int) -> float:
    """How surely a duration is the term of the document, counted from its beginning."""
    text = document.text
    start = max(first, reading.start - 400)
    before = " ".join(text[start : reading.start].split())
    behind = " ".join(text[reading.end : reading.end + 120].split())
    clause = _last_sentence(before)
    if not _RUNS.search(clause) or not (_SUBJECT.search(clause) or _heads(document, reading.start)):
        return 0.0
    if (
        _ASIDE.search(clause)
        or _OTHER_TERM.search(clause[-90:])
        or (_EVENT.match(behind) and not _ANCHOR.search(behind[:90]))
    ):
        return 0.0
    score = 0.8 + 0.1 * bool(_ANCHOR.search(clause + behind[:90]))
    score += 0.05 * bool(
        regex.search(
            r"(?i)\binitial\b|[“\"(]\s*the\s+[“\"]?(?:initial\s+)?term", clause + behind[:60]
        )
    )
    return score - reading.start / 1_000_000


def _begins(
    document: DocumentText, reading: Reading, clause: tuple[int, int]
) -> ProposedValue | None:
    """The day that the clause itself counts from: "commencing on 1 May 2024, for two years"."""
    first, last = clause
    for named in find_dates(document.text[first:last], day_first=document.day_first):
        before = document.text[max(first, first + named.start - 50) : first + named.start]
        begins = regex.search(
            r"(?i)\b(?:commenc\p{Ll}*|begin\p{Ll}*|start\p{Ll}*|from|effective|ab|vom|am|du|desde|dal)\b[^.;]{0,30}$",
            before,
        )
        if begins and len(named.normal) == len("2024-03-12"):
            moved = Reading(named.start + first, named.end + first, named.text, named.normal)
            return ProposedValue((moved,), moved.start, moved.end, 1.0)
    return None
