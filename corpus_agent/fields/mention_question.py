# ruff: noqa: E501 - a pattern that is broken over lines is harder to read
"""Questions which documents mention words, or do not, as "Which leases do not mention a deposit?".

Pure; English, German, French and Spanish. Only where the whole question is understood: exactly the
words are looked for, as `missing` looks for them. A word that denies or restricts is understood where
a form names it, and within quotation marks; anywhere else it makes the question another one.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from corpus_agent.text.polarity import holds_turning_word

MAX_TERM_WORDS = 5  # of one that stands without quotation marks
_OPEN, _CLOSE = "\"'“”„«»‘’", "\"'“”„«»‘’"
_TERM = r"(?P<term>\S.*?)"
_WHICH = r"(?:which|what)(?: ones?)?(?: of (?:my|our|the|these|those|them))?(?: (?!to\b)\w+){0,2}"
_WELCHE = r"welche[rns]?(?: (?:von|meiner|unserer|der|dieser))*(?: \w+){0,2}"
_QUELS = r"(?:lesquel(?:le)?s|quel(?:le)?s)(?: de (?:mes|nos|ces))?(?: \w+){0,2}"
_QUE = r"(?:qu[eé]|cu[aá]les)(?: de (?:mis|nuestr[oa]s|est[oa]s))?(?: \w+){0,2}"
_WORDS = r"(?:the (?:word|term|phrase)s? |das wort |den begriff |le mot |les mots |la palabra |las palabras )?"
MAX_QUESTION = 300  # characters; a longer one asks for more than what is mentioned
_FORMS = tuple(
    regex.compile(rf"(?i){form}")
    for form in (
        rf"{_WHICH} (?P<not>do not|don't|does not|doesn't|did not|never) (?:mention|contain(?= the (?:word|term|phrase))|use(?= the (?:word|term|phrase))) {_WORDS}{_TERM}",
        rf"{_WHICH} (?P<not>make no mention of|makes no mention of|have no mention of) {_WORDS}{_TERM}",
        rf"{_WHICH} (?:mentions?|contains?(?= the (?:word|term|phrase))) {_WORDS}{_TERM}",
        rf"in {_WHICH} (?:is|are|was|were) {_WORDS}{_TERM}(?P<not> not| never)? mentioned",
        rf"{_WELCHE} erwähn(?:en|t) (?P<not>kein(?:en?|er|em)?|nicht das wort) {_TERM}",
        rf"{_WELCHE} erwähn(?:en|t) {_WORDS}{_TERM}(?P<not> nicht| nie| niemals)?",
        rf"in welche[nrm](?: (?:von|meiner|unserer|der|dieser))*(?: \w+){{0,2}} (?:wird|werden) {_WORDS}{_TERM}(?P<not> nicht| nie| niemals)? erwähnt",
        rf"in welche[nrm](?: (?:von|meiner|unserer|der|dieser))*(?: \w+){{0,2}} kommt {_WORDS}{_TERM}(?P<not> nicht| nie| niemals)? vor",
        rf"{_QUELS} (?P<not>ne mentionnent (?:pas|jamais|aucune?)) {_WORDS}{_TERM}",
        rf"{_QUELS} mentionnent {_WORDS}{_TERM}",
        rf"{_QUE} (?P<not>(?:no|nunca) mencionan?(?: ning[uú]n[oa]?)?) {_WORDS}{_TERM}",
        rf"{_QUE} mencionan {_WORDS}{_TERM}",
    )
)
_ARTICLE = regex.compile(
    r"(?i)(?:an?|the|any|ein(?:e[nrms]?)?|der|die|das|den|dem|des|les?|la|une?|du|de|d['’]|l['’](?=\w)|el|los|las|una|un) ?(?<=[ '’])"
)
_OR = regex.compile(r"(?i)\s*,?\s+(?:or|nor|oder|noch|ou|ni|o|u)\s+")
# Words that say more about what is mentioned: then the words alone are not what is asked for.
_MORE = regex.compile(
    r"(?i)\b(?:and|und|et|y|but|that|which|whose|where|when|who|than|more|less|over|under|before|after|if|dass?|deren?|wann|wo|mehr|über|vor|nach|que|qui|dont|cuy[oa]|cuando|m[aá]s)\b|[,;:?]"
    # How much or how, of what is mentioned.
    r"|\b(?:all|both|either|few|fewer|little|most|ever|even|also|too|just|about|anything|something|everything|explicitly|expressly|anywhere|everywhere|always|often|sometimes|again|once|twice"
    r"|gar|überhaupt|sowohl|beide[ns]?|entweder|auch|sogar|immer|manchmal|oft|mehrmals|je|jemals|irgend\w*|etwas|alles|ausdrücklich|explizit|wenig(?:er)?|außerdem"
    r"|tout|tous|toutes|deux|plus|moins|aussi|même|souvent|toujours|parfois|explicitement|expressément|quelque|peu"
    r"|tod[oa]s?|ambos|ambas|también|siempre|menos|algo|a veces|expresamente|explícitamente|en absoluto|poco)\b"
)


@dataclass(frozen=True, slots=True)
class MentionQuestion:
    """Terms that a document must mention, any of them; with `missing`, none of them."""

    terms: tuple[str, ...]
    missing: bool


def parse_mention(question: str) -> MentionQuestion | None:
    """What a question asks to be mentioned or not; None where it asks for anything else."""
    asked = " ".join(question.split()).strip(" ?.!¿¡").replace("’", "'")
    if len(asked) > MAX_QUESTION:
        return None
    for form in _FORMS:
        if found := form.fullmatch(asked):
            terms = [_term(part) for part in _OR.split(found["term"])]
            if None in terms or holds_turning_word(_lead(asked, found)):
                return None
            named = tuple(dict.fromkeys(term for term in terms if term is not None))
            return MentionQuestion(named, bool(found.groupdict().get("not")))
    return None


def _lead(asked: str, found: regex.Match[str]) -> str:
    """What stands before the term, and before the negation that the form names."""
    denied = found.spans("not") if "not" in found.groupdict() else []
    return asked[: min([found.start("term"), *(start for start, _ in denied)])]


def _term(part: str) -> str | None:
    """The words that are looked for: those in quotation marks, else without their article."""
    part = part.strip()
    if len(part) > 2 and part[0] in _OPEN and part[-1] in _CLOSE:
        part = part[1:-1].strip()
    else:
        while article := _ARTICLE.match(part):
            part = part[article.end() :]
        if _MORE.search(part) or holds_turning_word(part) or len(part.split()) > MAX_TERM_WORDS:
            return None
    return part if any(map(str.isalnum, part)) else None
