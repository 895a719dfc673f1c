"""The kind of answer that a question asks for, and whether a sentence contains one."""

from __future__ import annotations

from corpus_agent.text.number_words import (
    CARDINALS,
    HUNDRED,
    MONTHS,
    ORDINALS,
    SCALES,
    UNIT,
    WEEKDAYS,
    by_word,
)
from corpus_agent.text.patterns import lazy
from corpus_agent.text.tokens import STOP_WORDS, fold, has_digit, terms
from corpus_agent.text.when import hours, times

_KIND_PATTERNS = {
    "number": r"\bhow (?!do\b|does\b|did\b|can\b|could\b|to\b|should\b|would\b|will\b|is\b"
    r"|are\b|was\b|were\b"
    r"|come\b|about\b|have\b|has\b|had\b|might\b|may\b|must\b|i\b|we\b|you\b)\p{L}+\b"
    r"|\b(?:what|which)(?:'s| is| was| are| were)?(?: \w+){0,3} (?:number|percentage|percent"
    r"|amount|price|cost|costs"
    r"|temperature|speed|population|age|height|distance|score|total|phone|code|weight|salary|fee)\b"
    r"|\bwhat (?:do|does|did|will|would)\b[^?]{0,80}\b(?:cost|charge)\b"
    r"|\bwas\b[^?]{0,80}\b(?:kostet|kosten|gekostet|zahlt|zahle|zahlen)\b"
    r"|\bwie ?(?:viel|viele|lange|alt|hoch|gro(?:ss|ß)|oft|weit|schwer|tief|warm|breit)\b"
    r"|\bcombien\b|\bquel age\b"
    r"|\bcuant[oa]s?\b|\bquant[oiae]s?\b|\bhoeveel\b|いくら|いくつ|何[人個年円歳回台本枚分番階度]|多少|几",
    "date": r"\b(?:when|wann|quand|cuando|quando|wanneer)\b"
    r"|\b(?:what|which)(?: (?!modern\b|present\b)\w+)? (?:year|date|day|month)s?\b"
    r"|\b(?:what|which)(?: \w+)? (?:century|decade|weekday)\b"
    r"|\bwhat(?:'s| is| was| are| were)(?: \w+){0,3} (?:dates?|deadline|birthday)\b"
    r"|\bwelche[mnrs]? (?:jahr|tag|datum|monat)|\bquel(?:le)?s? (?:date|annee|jour|mois)s?\b"
    r"|\bque (?:ano|dia|fecha|mes|data)s?\b|\b(?:che|quale) (?:anno|giorno|data|mese)\b"
    r"|\bwelke? (?:jaar|dag|datum|maand)\b|いつ|何[日月曜]|什么时候|何时",
    "hour": r"\b(?:what|which)(?: \w+)? time\b|\bum wie ?viel uhr\b|\bquelle heure\b"
    r"|\bque horas?\b|\bche ora\b|\bhoe laat\b|何時",
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
KINDS = {kind: lazy(pattern) for kind, pattern in _KIND_PATTERNS.items()}
_TIMES = [UNIT[word] for word in ("hour", "day", "week", "month", "year")]
_NUMBER_WORDS = frozenset(by_word(CARDINALS, [HUNDRED], SCALES, ORDINALS[:5])) | frozenset(
    fold(
        "one eins none zero hundreds thousands dozen half halb quarter once single double both"
        " twice daily weekly monthly yearly"
    ).split()
)
_DATE_WORDS = frozenset([*by_word(MONTHS, WEEKDAYS), *" ".join(_TIMES).split()]) | frozenset(
    fold(
        "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag today tomorrow"
        " yesterday morning noon evening midnight spring summer autumn winter century centuries"
        " decade daily weekly monthly annually uhr"
    ).split()
)
_BECAUSE = lazy(
    r"\b(?:because|since|due to|so that|so as|in order|reason|caused?|owing|as a result"
    r"|therefore|to avoid|to prevent"
    r"|weil|denn|damit|wegen|deshalb|parce|car|porque|perche)\b|から|ため|ので|因为"
)
_CAPITALISED = lazy(r"\p{Lu}[\p{L}\p{M}\p{N}'’-]+")
_CASED = lazy(r"[\p{Lu}\p{Ll}]")
_HAN_NUMBER = lazy(r"[一二三四五六七八九十百千万]")
_WHEN = {"date": times, "hour": hours}

_ASIDE = lazy(r"\([^()]*\)")  # an explanation, not part of what is asked
# "What happens when …", "When it is frozen, who …": such a word asks for no date.
_ASKS = (
    r"(?:what|which|who|whom|whose|why|where|how|qui|quel(?:le)?s?|comment|pourquoi|combien"
    r"|cual(?:es)?|quien(?:es)?|como|donde|cuant[oa]s?|cosa|chi|quale?|dove|perche|quant[oiae]"
    r"|wat|welke?|wie|waar|waarom|hoe(?:veel)?)\b"
)
_ASKING = lazy(rf"\b{_ASKS}|^\W{{0,3}}(?:o )?que\b")
# Before its verb it asks, whatever else is in the question: "When was the firm, which …, founded?"
_ASKING_VERB = (
    r"(?:do|does|did|is|are|was|were|has|have|had|must|can|could|should|would|shall"
    r"|will (?:it|the|this|that|they|we|i|you|he|she|my|our|your|their))\b"
)
_CONJUNCTION = lazy(rf"\b(?:when(?! {_ASKING_VERB})|quand|cuando|quando|wanneer)\b")
_THEN = lazy(rf",[^\p{{L}}]{{1,3}}(?:\p{{L}}{{1,4}} )?(?:que\b|{_ASKS})")


def _what_is_asked(question: str) -> str:
    """The folded question without what stands in brackets, and a "when" that asks nothing."""
    folded = _ASIDE.sub(" ", fold(question))
    when, asking = _CONJUNCTION.search(folded), _ASKING.search(folded)
    if when and asking and (asking.start() < when.start() or _THEN.search(folded, when.end())):
        return _CONJUNCTION.sub(" ", folded)
    return folded


def expected_kind(question: str) -> str:
    """The kind of answer asked for: number, date, hour, name, reason, or "" if unclear."""
    folded = _what_is_asked(question)
    firsts = {
        kind: found.start() for kind, pattern in KINDS.items() if (found := pattern.search(folded))
    }
    if "date" in firsts and "number" in firsts:
        return "number"  # "how long", "in what year and how many": digits answer both
    return min(firsts, key=lambda kind: firsts[kind], default="")


def _has_new_name(text: str, asked: frozenset[str]) -> bool:
    """Whether a capitalised word is not in the question, and no month (true without case)."""
    if len(_CASED.findall(text)) < 3:
        return True
    for found in _CAPITALISED.finditer(text):
        after = text[found.end() : found.end() + 2]
        if found.start() == 0 and not (after[:1] == " " and after[1:].isupper()):
            continue  # the first word of a sentence is capitalised anyway
        word = fold(found.group())
        if word not in asked and word not in STOP_WORDS and word not in _DATE_WORDS:
            return True
    return False


def has_kind(kind: str, text: str, asked: frozenset[str]) -> bool:
    """Whether a sentence contains something of the kind that is not in the question itself."""
    new = [word for word in terms(text) if word not in asked]
    if kind == "number":
        return any(has_digit(word) or word in _NUMBER_WORDS for word in new) or bool(
            _HAN_NUMBER.search(text)
        )
    if kind in _WHEN:
        return any(not asked.issuperset(terms(time)) for time in _WHEN[kind](text))
    if kind == "name":
        return _has_new_name(text, asked)
    return bool(_BECAUSE.search(fold(text)))
