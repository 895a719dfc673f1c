"""Splits a question that compares two things into one question for each.

"Which is cheaper, A or B?", "Is the notice longer in A or in B?", "Is A older than B?", "the
difference between A and B"; in German, French and Spanish too. Called by subquestions.py.
"""

from __future__ import annotations

import regex

_GRADABLE = """
bright cheap clean close cold cool dark dear deep early fast few great hard heavy high hot large
late light long loud low narrow near new old poor quick quiet rich safe short slow small soft soon
strict strong tall thick thin warm weak wide young big
"""
_IRREGULAR = {"better": "good", "best": "good", "worse": "bad", "worst": "bad", "first": "early"}
_DEGREE = {"more": "much", "most": "much", "less": "much", "least": "much"}


def _forms(adjective: str) -> tuple[str, str]:
    stem = adjective.removesuffix("e")
    if adjective.endswith("y"):
        stem = f"{adjective[:-1]}i"
    elif adjective in ("big", "hot", "thin"):
        stem = f"{adjective}{adjective[-1]}"
    return f"{stem}er", f"{stem}est"


_POSITIVE = {form: each for each in _GRADABLE.split() for form in _forms(each)} | _IRREGULAR
_COMPARED = (
    rf"(?P<compared>{'|'.join(_POSITIVE)}|(?:more|most|less|least)"
    r"(?: (?:expensive|costly|powerful|generous|accurate|common|important|recent|economical))?)"
)
_WH = r"(?:which|what|who|whose|where|when)"
_IS = r"(?:is|are|was|were|do|does|did|has|have|had)"
_IN = r"(?:in|at|for|with|on|under|after|before)"
_TAIL = r"(?P<tail>(?: \w+){0,3}?)"
LONGEST = 300  # characters of a question that compares: what is pasted before one is not searched
_COMPARING = [
    regex.compile(rf"(?i)^\W*{pattern}\s*[?.]*$")
    for pattern in (
        (
            rf"(?P<head>{_WH}\b.*?)\b{_COMPARED}\b{_TAIL} ?[,:;–—-] ?"
            r"(?P<a>[^,:;?]+?),? or (?P<b>[^,:;?]+?)"
        ),
        (
            rf"(?P<head>(?:{_WH}|{_IS})\b.*?)\b{_COMPARED}\b{_TAIL}"
            rf" (?P<in>{_IN}) (?P<a>.+?),? or (?:(?P=in) )?(?P<b>.+?)"
        ),
        rf"(?P<head>{_IS}) (?P<a>.+?) {_COMPARED}\b{_TAIL} than (?P<b>.+?)",
        (
            r"(?P<head>(?:what|how)\b.*? difference) (?P<tail>in .+? )?"
            r"between (?P<a>.+?) and (?P<b>.+?)"
        ),
        r"(?:(?:please|can you|could you) )?compare (?P<a>.+?) (?:and|with|to) (?P<b>.+?)",
    )
]
# In other languages each question keeps all words but those of the other thing.
_MORE_ABROAD = (
    # A noun has a capital, and these are words of other kinds.
    r"(?:(?!(?:oder|aber|über|unter|hinter|immer|wieder|[dsmk]?einer?|ihrer?|dieser?|jeder?)\b)"
    r"(?-i:[a-zäöüß]{2,}er(?:en?|e[rs]|em)?)|mehr|plus \p{L}+|moins \p{L}+|meilleure?|más \p{L}+"
    r"|menos \p{L}+|mejor|peor|mayor|menor)"
)
_ABROAD = [
    regex.compile(rf"(?i)^\W*{pattern}\s*[?.]*$")
    for pattern in (
        (
            r"(?P<head>(?:was|wer|welche[rsnm]?|wo|qu['’]est|quel(?:le)?s?|qui|qué|cuál|¿.*?)\b.*?"
            rf"\b{_MORE_ABROAD}\b[^,:;?]{{0,40}}[,:;–—-])"
            r" (?P<a>[^,:;?]+?),? (?:oder|ou|o) (?P<b>[^,:;?]+?)"
        ),
        (
            rf"(?P<head>(?:ist|sind|war|est|es|¿?es)) (?P<a>.+?) (?P<tail>{_MORE_ABROAD})"
            r" (?:als|que) (?P<b>.+?)"
        ),
        (
            r"(?P<head>.*?(?:unterschied(?:en?)?|différences?|diferencias?)\b.*?)"
            r" (?:zwischen|entre) (?P<a>.+?) (?:und|et|y) (?P<b>.+?)"
        ),
        r"(?:vergleiche|comparez?|compara) (?P<a>.+?) (?:mit|und|et|avec|y|con) (?P<b>.+?)",
    )
]
_LEAD = regex.compile(rf"(?i)^{_WH}\b(?: (?:one|of (?:the two|them|these)))*|\bdifference\b")
_PLACED = regex.compile(rf"(?i)(?:^|(?<=\S) ){_IN}\b")
_ITS_VERB = regex.compile(r"(?i)^(?:do|does|did)\b")


def sides(question: str) -> tuple[str, str] | None:
    """A question about each of the two things that are compared; None if it compares none."""
    if len(question) > LONGEST:
        return None
    found = next((match for pattern in _COMPARING if (match := pattern.match(question))), None)
    if found is None:
        return _sides_abroad(question)
    parts = found.groupdict()
    head, a, b = parts.get("head") or "", found["a"].strip(), found["b"].strip()
    if _ITS_VERB.match(head) and " than " in question:  # "does A cost more than B"
        a, _, verb = a.rpartition(" ")
        head = f"{head} {verb}"
    elif _PLACED.match(b) and (before := [*_PLACED.finditer(a)]):  # "notice in A or in B"
        head, a = f"{head} {a[: before[-1].start()]}", a[before[-1].start() :].strip()
    rest = _LEAD.sub("", f"{head} {parts.get('tail') or ''}".strip())
    how = _how((parts.get("compared") or "").lower())
    shared = " ".join(f"{how} {rest} {parts.get('in') or ''}".split())
    return f"{shared} {a}?".strip(), f"{shared} {b}?".strip()


def _sides_abroad(question: str) -> tuple[str, str] | None:
    found = next((match for pattern in _ABROAD if (match := pattern.match(question))), None)
    if found is None:
        return None
    parts = found.groupdict()
    rest = " ".join(
        each.rstrip(",:;–—- ") for name in ("head", "tail") if (each := parts.get(name))
    )
    return f"{rest} {found['a']}?".strip(), f"{rest} {found['b']}?".strip()


def _how(compared: str) -> str:
    """How a thing alone is asked for what is compared: how cheap, how expensive, how much."""
    degree, _, adjective = compared.partition(" ")
    positive = adjective or _POSITIVE.get(degree) or _DEGREE.get(degree)
    return f"how {positive}" if positive else ""


_OF_TWO = regex.compile(
    r"(?i)^\W*(?:and |so )?which (?:one )?(?:of (?:the two|them|these|those) )?"
    r"(?:is|was|has|costs|takes|runs) "
    rf"(?:the )?{_COMPARED}\b[^,:;]*?\?*$"
)


def of_the_two(question: str, *spoken_of: str) -> str | None:
    """The question with the two things that were spoken of; None if it compares nothing."""
    if (
        len(spoken_of) != 2
        or len(question) > LONGEST
        or not _OF_TWO.match(question)
        or sides(question)
    ):
        return None
    one, other = spoken_of
    return f"{question.rstrip('? ')}, {one} or {other}?"
