"""What kind of answer a question asks for, and whether a sentence holds one of that kind."""

from __future__ import annotations

import regex

from corpus_agent.text.tokens import STOP_WORDS, fold, has_digit, terms

_KIND_PATTERNS = {
    "number": r"\bhow (?!do\b|does\b|did\b|can\b|could\b|to\b|should\b|would\b|will\b|is\b"
    r"|are\b|was\b|were\b"
    r"|come\b|about\b|have\b|has\b|had\b|might\b|may\b|must\b|i\b|we\b|you\b)\p{L}+\b"
    r"|\b(?:what|which)(?:'s| is| was| are| were)?(?: \w+){0,3} (?:number|percentage|percent"
    r"|amount|price|cost|costs"
    r"|temperature|speed|population|age|height|distance|score|total|phone|code|weight|salary|fee)\b"
    r"|\bwie ?(?:viel|viele|lange|alt|hoch|gro(?:ss|ß)|oft|weit|schwer|tief|warm|breit)\b"
    r"|\bcombien\b|\bquel age\b"
    r"|\bcuant[oa]s?\b|\bquant[oiae]s?\b|\bhoeveel\b|いくら|いくつ|何[人個年円歳回台本枚分番階度]|多少|几",
    "date": r"\bwhen\b|\b(?:what|which)(?: \w+)? (?:year|years|date|day|days|month|time"
    r"|century|decade|weekday)\b"
    r"|\b(?:by|until|since) what\b|\bhow (?:soon|late|early)\b|\bwann\b|\bum wie ?viel uhr\b"
    r"|\bwelche[mnrs]? (?:jahr|tag|datum|monat)\b|\bquand\b|\bquelle (?:date|annee|heure)\b"
    r"|\bcuando\b|\bquando\b"
    r"|\bwanneer\b|いつ|何[時日月曜]|什么时候|何时",
    "name": r"\b(?:who|whom|whose)\b|\bwer\b|\bwem\b|\bwen\b|\bwessen\b|\bqui\b"
    r"|\bquien(?:es)?\b|\bchi\b|\bquem\b"
    r"|誰|だれ|どなた|谁|\bwhere\b|\b(?:what|which)(?: \w+)?"
    r" (?:city|country|state|town|place|region"
    r"|location|address"
    r"|river|street|university)\b|\bwo\b|\bwohin\b|\bwoher\b|\bou\b|\bdonde\b|\bdove\b"
    r"|\bonde\b|\bwaar\b|どこ|哪里|哪儿",
    "reason": r"\bwhy\b|\bwarum\b|\bwieso\b|\bpourquoi\b|\bpor que\b|\bperche\b"
    r"|\bwaarom\b|なぜ|为什么",
}
KINDS = {kind: regex.compile(pattern) for kind, pattern in _KIND_PATTERNS.items()}
_NUMBER_TEXT = """
one two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty
forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions
billion billions dozen half quarter third twice once first second fourth fifth none zero single
double both weekly daily monthly yearly eins zwei drei vier fünf sechs sieben acht neun zehn elf
zwölf zwanzig dreißig hundert tausend halb deux trois quatre cinq six sept huit neuf dix onze
douze vingt trente cent mille dos tres cuatro cinco seis siete ocho nueve diez veinte treinta
cien mil
"""
_DATE_TEXT = """
january february march april may june july august september october november december jan feb
mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday
sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays today tomorrow yesterday
morning noon evening midnight spring summer autumn winter century centuries decade year years
month months week weeks daily weekly monthly annually day days januar februar märz mai juni juli
oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag jahr
jahre monat monate tag tage woche wochen uhr janvier février mars avril juin juillet août
septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche enero
febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes
miércoles jueves viernes sábado domingo heure heures hora horas
"""
_NUMBER_WORDS = frozenset(fold(_NUMBER_TEXT).split())
_DATE_WORDS = frozenset(fold(_DATE_TEXT).split())
_BECAUSE = regex.compile(
    r"\b(?:because|since|due to|so that|so as|in order|reason|caused?|owing|as a result"
    r"|therefore|to avoid|to prevent"
    r"|weil|denn|damit|wegen|deshalb|parce|car|porque|perche)\b|から|ため|ので|因为"
)
_CAPITALISED = regex.compile(r"\p{Lu}[\p{L}\p{M}\p{N}'’-]+")
_CASED = regex.compile(r"[\p{Lu}\p{Ll}]")
_HAN_NUMBER = regex.compile(r"[一二三四五六七八九十百千万]")
_HAN_DATE = regex.compile(r"[年月日時曜]")

_ASIDE = regex.compile(r"\([^()]*\)")  # says what is meant, not what is asked


def expected_kind(question: str) -> str:
    """Which kind of answer is asked for: number, date, name, reason, or "" where none is clear."""
    folded = _ASIDE.sub(" ", fold(question))
    firsts = {
        kind: found.start() for kind, pattern in KINDS.items() if (found := pattern.search(folded))
    }
    if "date" in firsts and "number" in firsts:
        return "number"  # "how long", "in what year and how many": digits answer both
    return min(firsts, key=lambda kind: firsts[kind], default="")


def _has_new_name(text: str, asked: frozenset[str]) -> bool:
    """Whether a capitalised word is new to the question (true where a script has no case)."""
    if len(_CASED.findall(text)) < 3:
        return True
    for found in _CAPITALISED.finditer(text):
        after = text[found.end() : found.end() + 2]
        if found.start() == 0 and not (after[:1] == " " and after[1:].isupper()):
            continue  # the first word of a sentence is capitalised anyway
        if (word := fold(found.group())) not in asked and word not in STOP_WORDS:
            return True
    return False


def has_kind(kind: str, text: str, asked: frozenset[str]) -> bool:
    """Whether a sentence holds something of the kind that the question does not say itself."""
    new = [word for word in terms(text) if word not in asked]
    if kind == "number":
        return any(has_digit(word) or word in _NUMBER_WORDS for word in new) or bool(
            _HAN_NUMBER.search(text)
        )
    if kind == "date":
        return any(has_digit(word) or word in _DATE_WORDS for word in new) or bool(
            _HAN_DATE.search(text)
        )
    if kind == "name":
        return _has_new_name(text, asked)
    return bool(_BECAUSE.search(fold(text)))


# ---- Measures: a unit or a form that only answers of that sort have. All patterns run on folded
# text.

_NUMBER = (
    r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen"
    r"|twenty|thirty|forty|fifty"
    r"|sixty|ninety|hundred|thousand|half|several|einen?|zwei|drei|vier|funf|sechs|acht|zehn"
    r"|zwolf|zwanzig)"
)
_MONEY = (
    r"price|costs?|pay|paid|pays|fees?|rent|deposit|earns?|spend|spent|budget|premium|worth"
    r"|salary|wages?"
    r"|kosten|kostet|preis|miete|kaltmiete|pacht|gebuhr|beitrag|bezahlt|bezahlen|zahlen"
)


def _measured(units: str) -> str:
    """A pattern for a number followed by one of the units."""
    return rf"{_NUMBER}\s?[-–]?\s?(?:{units})(?![\p{{L}}\p{{N}}])"


_ASKED_BY = {
    "phone": r"\b(?:tele)?phone number\b|\b(?:mobile|fax|cell|telephone|phone|out-of-hours"
    r"|emergency)\b.{0,20}\bnumber\b"
    r"|\btelefonnummer\b|\bhandynummer\b|\bwhat number (?:do|can|should) i (?:call|ring)\b",
    "mail": r"\be-?mail\b",
    "web": r"\b(?:website|url|web address|web page|homepage)\b",
    "torque": r"\btorque\b|\bhow (?:tight|firm)(?:ly)?\b|\bdrehmoment\b",
    "pressure": r"\b(?:what|which|how much|how high)\b(?: \w+){0,3} pressure\b(?! cooker)"
    r"|\bluftdruck\b|\bblutdruck\b",
    "temperature": r"\b(?:what|which)\b(?: \w+){0,2} temperatures?\b|\bhow (?:hot|cold|warm)\b"
    r"|\bhow many degrees\b|\bwie (?:warm|kalt|heiss)\b|何度",
    "mass": r"\bhow heavy\b|\bweighs?\b|\bweight\b|\bwie schwer\b|\bhow many (?:kilos|grams|kg"
    r"|pounds)\b",
    "percent": r"\bper ?cent(?:age)?\b|\bproportion\b|\bwie ?viel prozent\b",
    "speed": r"\bhow fast\b|\bspeed\b|\bwie schnell\b",
    "money": rf"\b(?:how much|what|which amount|up to what)\b.*\b(?:{_MONEY})\b"
    rf"|\bhow (?:expensive|cheap)\b"
    rf"|\b(?:was|wie ?viel|wie hoch)\b.*\b(?:{_MONEY})\b|いくら|値段",
    "clock": r"\b(?:what|which) time\b|\bum wie ?viel uhr\b|何時",
    "duration": r"\bhow long (?:does|do|did|can|could|will|may|must|should|has|have|had)\b"
    r"|\bhow soon\b|\bwie lange\b"
    r"|\bhow many (?:minutes|hours|days|nights|weeks|months|years|seconds)\b|\bnotice\b",
    "length": r"\bhow (?:wide|tall|high|deep|thick|far|large|big)\b|\bwie (?:breit|hoch|tief"
    r"|dick|weit)\b"
    r"|\b(?:what|which)\b.{0,20}\b(?:size|height|width|depth|diameter|distance|thickness)\b",
    "volume": r"\bhow many (?:litres|liters|gallons)\b|\bcapacity\b|\bwie ?viele? liter\b",
    "password": r"\b(?:password|passwort|passcode|pin|access code)\b|パスワード",
    "age": r"\bhow old\b|\bwie alt\b|何歳",
    "address": r"\b(?:what|which)\b(?: \w+){0,4} (?:postal )?address\b|\badresse\b|住所",
    "colour": r"\b(?:what|which) colou?rs?\b|\bwelche farbe\b",
    "code": r"\b(?:part|serial|customer|reference|policy|certificate|account|registration"
    r"|membership|contract|frame"
    r"|order|model|invoice|ticket) (?:number|no|code)\b|\b(?:booking|flight) (?:reference"
    r"|code|number)\b"
    r"|\b(?:postcode|postleitzahl)\b",
}
_WRITTEN_AS = {
    "phone": r"\+?\d[\d ()/.-]{6,}\d",
    "mail": r"\S@\S",
    "web": r"https?://|www\.|\b\w+\.(?:com|org|net|de|uk)\b",
    "torque": _measured("n ?m|ft ?lbs?|lbf ?ft"),
    "pressure": _measured("bar|psi|k?pa|mbar|hpa|mmhg") + r"|\d{2,3} ?/ ?\d{2,3}",
    "temperature": r"°|\bdegrees?\b|\bgrad\b|度|" + _measured("k"),
    "mass": _measured(
        "k?g|mg|t|lbs?|oz|pounds?|stone|grams?|kilos?|kilograms?|tons?|tonnes?"
        "|kilogramm|gramm|tonnen"
    ),
    "percent": r"%|\bper ?cent\b|\bprozent\b",
    "speed": _measured(
        r"km ?/ ?h|mph|kph|knots?|m ?/ ?s|rpm|[mkg]bit ?/ ?s|[mkg]bps"
        "|miles per hour"
    )
    + r"|\brpm\b",
    "money": r"[£$€¥]|円|\b(?:euros?|eur|usd|gbp|dollars?|pounds?|pence|cents?|francs?|chf|yen"
    r"|free|kostenlos|gratis)\b"
    rf"|\b(?:{_MONEY})\b\D{{0,30}}\d|\d (?:a|per) (?:month|year|week|day|person|head)\b",
    "clock": r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?(?:am|pm|uhr)\b|\bo'?.?clock\b|\bnoon\b"
    r"|\bmidnight\b|\bhalf past\b|\d時",
    "duration": _measured(
        "s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|nights?|weeks?|months?|years?"
        "|working days"
        "|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|calendar months?"
    )
    + r"|\b(?:always|until|overnight|since|bis|seit)\b|-?(?:year|month|week|day|hour"
    r"|minute)\b|[分間年日週]",
    "length": _measured(
        "mm|cm|m|km|miles?|ft|feet|foot|inch(?:es)?|metres?|meters?|yards?|metern?|kilometern?"
    )
    + '|["″]|\\b(?:size|m²|sq)\\b',
    "volume": _measured("m?l|litres?|liters?|gallons?|pints?|cups?|m3|liter"),
    "password": r"\b(?:password|passwort|passcode|pin|code|key)\b|\bwi-?fi\b.{0,20}:|パスワード",
    "age": _measured("years?|months?|weeks?|days?|jahre?|monate?") + r"|\b(?:old|age[ds]?|born"
    "|geboren)\b|[歳才]",
    "address": r"\b\d{1,4}\w?,? \p{L}+|\p{L}(?:strasse|str\.|weg|platz|gasse|allee) \d"
    r"|\b(?:street|road|lane|avenue|square|rue)\b|[県市町]",
    "colour": r"\b(?:red|green|blue|yellow|black|white|gr[ae]y|brown|orange|pink|purple|violet"
    r"|silver|gold|rot|grun|blau"
    r"|gelb|schwarz|weiss|grau|braun)\w{0,2}\b",
    "code": r"\b(?=[\p{L}\d./-]*\d)[\p{L}\d]+(?:[-./][\p{L}\d]+)+\b"
    r"|\b(?=\p{L}*\d)(?=\d*\p{L})[\p{L}\d]{4,}\b|\b\d{4,}\b",
}
MEASURES = {name: regex.compile(pattern) for name, pattern in _ASKED_BY.items()}
_HOLDING = {name: regex.compile(pattern) for name, pattern in _WRITTEN_AS.items()}


def expected_measure(question: str) -> str:
    """Which unit or form the answer must have (money, mass, phone), or "" where none is clear."""
    folded = _ASIDE.sub(" ", fold(question))
    return next((name for name, asks in MEASURES.items() if asks.search(folded)), "")


def has_measure(measure: str, text: str) -> bool:
    """Whether a text holds a figure with such a unit or of such a form."""
    return bool(_HOLDING[measure].search(fold(text)))
