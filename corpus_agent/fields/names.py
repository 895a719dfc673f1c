# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read
"""The names of parties and places of a text. Pure.

A name is a run of capitalised words, cut where a description begins; nothing is looked up in a
list of companies, people or towns.
"""

from __future__ import annotations

import regex

from corpus_agent.text.values import Reading

_JOINING = r"(?:of|the|for|in|de|del|della|di|du|des|la|le|les|van|von|der|den|d['’]|d/b/a)"
# What ends a name: a company's form, then words that only some names end with.
_FORM = r"(?:incorporated|inc|corporation|corp|limited|ltd|l\.?l\.?c|l\.?l\.?p|l\.?p|plc|gmbh|mbh|ag|kg|ohg|e\.?\s?v|s\.?\s?a\.?\s?s|s\.?\s?a|s\.?\s?p\.?\s?a|s\.?\s?r\.?\s?l|b\.?\s?v|n\.?\s?v|a/s|oy|ab|pty|pte|sarl|n\.?a|f\.?s\.?b)"
_BODY = r"(?:company|co|bank|university|trust|fund|association|foundation|city|group)"
_NOT_A_NAME = r"(?!(?:AND|OR|BY|BETWEEN|AMONG|DATED|WITH|HAVING|WHEREAS|EFFECTIVE|AS|IS|A|AN|TO|FOR|FROM|UND|ET|MADE|EXECUTED|ENTERED|HEREINAFTER|COLLECTIVELY|TABLE)(?![\p{L}.]))"
_WORD = rf"{_NOT_A_NAME}(?:[\p{{Lu}}\p{{Lt}}\p{{N}}][\p{{L}}\p{{N}}\p{{M}}'’&@.+*/-]*|\(\p{{Lu}}[\p{{L}}. ]{{1,30}}\)|\p{{Ll}}{{1,2}}-?\p{{N}}*\p{{Lu}}[\p{{L}}\p{{N}}'’.-]*|(?!(?:an?|the|such|said|each|any|this|its|one)\b)\p{{Ll}}[\p{{L}}-]*(?:\.(?:com|net|org)\b|(?=,?\s+(?i:{_FORM})(?!\p{{L}})))|\p{{Ll}}\p{{N}}\b)"
_DEGREE = r"(?:med|phil|jur|rer|nat|dent|vet|pol|oec|h\.[ ]?c)\.(?=\s)"  # "Dr. med. Anna Vogel"
_NAME = regex.compile(
    rf"{_WORD}(?:(?:\s+|[ ]?&\s?|\s?&[ ]?|,\s*(?=(?i:{_FORM}|{_BODY})(?!\p{{L}})))(?:{_WORD}|{_DEGREE}|(?i:{_FORM})(?!\p{{L}})\.?|{_JOINING}(?=\s+(?:{_JOINING}\s+)?\p{{Lu}}))){{0,12}}"
)
_FORMED = regex.compile(
    rf"(?i)(?<![\p{{L}}\p{{N}}(]){_FORM}(?!\p{{L}})\.?(?:,?\s*(?:&\s*co\.?\s*kg|{_FORM}(?!\p{{L}})\.?))*"
)
_ORGANISED = regex.compile(rf"(?i)(?<!\p{{L}})(?:{_FORM}|{_BODY})\.?$")
_AFTER_PLACE = r"(?!(?i:without|with|applicable|applied|excluding|exclusive|as|and|regardless|notwithstanding|except|the|each|any|which|including|irrespective|not|for|shall|both|or|in|to|by|all|this|without|disregarding|exclusively|only|other|if|that|these|such|governs?|will|may|is|are)\b)"
_PLACE_WORD = rf"{_AFTER_PLACE}(?:(?:\p{{Lu}}\.){{2,4}}|St\.|\p{{Lu}}[\p{{L}}\p{{M}}'’-]*)"
_BEGINS = regex.compile(r"(?<![\p{L}\p{N}'’.&-])[\p{Lu}\p{Lt}\p{N}]")
_LONGEST = 100  # characters of a name that is read from its end
_PLACE = regex.compile(
    rf"{_PLACE_WORD}(?:(?:\s+(?i:of|and|the|de|del|la|do|da|du|am|upon|der)){{1,2}}\s+{_PLACE_WORD}|\s+{_PLACE_WORD}|,\s+{_PLACE_WORD}(?=[\s,.;)]|$)){{0,5}}"
)
_STATE = regex.compile(
    r"(?i)^(?:the\s+)?(?:(?:state|commonwealth|province|canton|land|bundesland|federal\s+republic|republic|kingdom|country)\s+of\s+)"
)


def name_at(text: str, start: int, end: int | None = None) -> Reading | None:
    """The name that begins at a place of a text; it goes on to a company's form, or to `end`."""
    match = _NAME.match(text, start, len(text) if end is None else end)
    if match is None:
        return None
    formed = _FORMED.search(
        text, start + 1, min(match.end() + 1, len(text) if end is None else end)
    )
    written = text[start : formed.end()] if formed else match[0]
    written = written.rstrip(" ,;:\n")
    written = written if is_organisation(written) else written.rstrip(".")
    if not any(char.isalpha() for char in written):
        return None
    plain = " ".join(written.split())
    return Reading(start, start + len(written), plain, plain)


def name_before(text: str, at: int) -> Reading | None:
    """The longest name of a line that ends at a place."""
    first = max(text.rfind("\n", 0, at) + 1, at - _LONGEST)
    for begins in _BEGINS.finditer(text, first, at):
        name = name_at(text, begins.start(), at)
        if name is not None and not text[name.end : at].strip():
            return name
    return None


def is_organisation(name: str) -> bool:
    """Whether a name ends like that of a company, bank or the like."""
    return bool(_ORGANISED.search(name))


def place_at(text: str, start: int, end: int | None = None) -> Reading | None:
    """The place whose name begins there and goes on to `end` at most."""
    match = _PLACE.match(text, start, len(text) if end is None else end)
    if match is None:
        return None
    written = match[0].rstrip(" ,.;")
    return Reading(start, start + len(written), " ".join(written.split()), plain_place(written))


def plain_place(name: str) -> str:
    """A place without "State of" before it, with capitals as usual."""
    name = _STATE.sub("", " ".join(name.split()))
    return name.title().replace(" Of ", " of ") if name.isupper() and len(name) > 4 else name
