"""Splits a question that asks for two things."""

from __future__ import annotations

import regex

from corpus_agent.text.sentences import asks, units
from corpus_agent.text.tokens import content_terms

_ASKING = (
    r"(?:(?:up to|by|at|in|on|from|until|since|to|for|with) )?"
    r"(?:what|when|where|who|whom|whose|which|why|how (?:many|much|long|often|far|old|high|big"
    r"|heavy|soon))"
)
_FRAGEND = (
    r"(?:(?:bis|seit|ab|von|mit|zu|in|an|um|für) )?"
    r"(?:was|wann|wo|wohin|wer|wen|wem|warum|wie|wieviel|wie ?viele?|welche[rsnm]?)"
)
_JOINED = regex.compile(rf"(?i),? (?:and (?={_ASKING}\b)|und (?={_FRAGEND}\b))")
_ASKS_FIRST = regex.compile(rf"(?i)\b(?:{_ASKING}|{_FRAGEND}|do|does|did|is|are|was|were|can)\b")
# Choices, not measurements: of 8,600 questions of the evaluation data only ten are split.
LONGEST = 300  # characters of a question that is split at its names
LEAST_WORDS = 1  # content word that the first half needs to be a question of its own


# "of A and of B", "A's and B's": where the word between is said again, each is asked about alone.
# Without that it may be one thing: "the author of Romeo and Juliet".
_THING = r"(?-i:(?:\p{Lu}[\p{L}\p{N}-]*)(?: \p{Lu}[\p{L}\p{N}-]*){0,3})"
_OF_EACH = [
    regex.compile(rf"(?i)^(?P<head>[^?]*?\b{pattern}(?P<tail>[^?]{{0,80}}\??)$")
    for pattern in (
        (
            rf"(?P<of>of|for|in|at|from|von|bei|de|en|di)) (?P<a>{_THING})"
            rf" (?:and|und|et|y|e) (?P=of) (?P<b>{_THING})\b"
        ),
        rf")(?P<a>{_THING}['’]s) and (?P<b>{_THING}['’]s)",
    )
]

_COLON = regex.compile(rf"(?i):\s*(?={_ASKING}\b)")


def asking_sentence(question: str) -> str:
    """The only sentence of a text that asks, without what leads to it; else the whole text.

    "You are an analyst. From the balance sheet: what is the debt? Answer in dollars."
    """
    found = [question[unit.start : unit.end] for unit in units(question)]
    asking = [sentence for sentence in found if asks(sentence)]
    if len(asking) != 1:
        return question
    return _COLON.split(asking[0])[-1].strip()


def _of_each(question: str) -> tuple[str, str] | None:
    """The question about each of two names that are both marked as what it is asked of."""
    if len(question) > LONGEST:
        return None
    found = next((match for pattern in _OF_EACH if (match := pattern.match(question))), None)
    if found is None:
        return None
    head, tail = found["head"], found["tail"]
    one, other = (" ".join(f"{head} {thing}{tail}".split()) for thing in (found["a"], found["b"]))
    return one, other


def parts(question: str) -> list[str]:
    """The question itself, or its two halves if it clearly asks for two things.

    The second half includes the first half's words, because its subject is often only "it".
    """
    if (each := _of_each(question)) is not None:
        return list(each)
    found = list(_JOINED.finditer(question))
    if len(found) != 1:
        return [question]
    first, second = question[: found[0].start()].strip(), question[found[0].end() :].strip()
    carried = content_terms(first)
    halves = _ASKS_FIRST.search(first) and len(carried) >= LEAST_WORDS and len(second.split()) >= 3
    if not halves:
        return [question]
    own = set(content_terms(second))
    subject = " ".join(word for word in carried if word not in own)
    return [f"{first}?", f"{second} ({subject})" if subject else second]
