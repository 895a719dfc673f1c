"""A rule that adds the words of the previous question to a follow-up, for the search.

Uses lists of pronouns and connectives in five languages, not their meaning. Called by
extractive.py; if a model answers, it rewrites the question (agent/query_rewrite.py).
"""

from __future__ import annotations

import regex

from corpus_agent.text.tokens import content_terms, fold, terms

# Both are choices: the evaluation data has no follow-up with a known standalone form. With two
# words a question is often whole ("Who fixes the boiler?").
FEW_WORDS = 1  # content words: a question with no more than this is a follow-up
MAX_CARRIED = 6  # words that the rule adds from the previous question

_POINTING = frozenset(
    fold(word)
    for word in [
        "it",
        "its",
        "they",
        "them",
        "their",
        "he",
        "she",
        "him",
        "his",
        "her",
        "this",
        "that",
        "these",
        "those",
        "there",
        "then",
        "one",
        "ones",
        "same",
        "else",
        "former",
        "latter",
        "er",
        "sie",
        "es",
        "ihn",
        "ihm",
        "ihr",
        "ihre",
        "sein",
        "seine",
        "dies",
        "diese",
        "dieser",
        "dieses",
        "das",
        "dort",
        "da",
        "damit",
        "dafür",
        "davon",
        "daran",
        "dazu",
        "darin",
        "il",
        "elle",
        "ils",
        "elles",
        "ce",
        "cela",
        "ça",
        "y",
        "en",
        "leur",
        "él",
        "ella",
        "eso",
        "esto",
        "ellos",
        "allí",
        "lo",
    ]
)
_GOES_ON = regex.compile(
    r"(?i)^\W*(?:and|but|or|so|then|also|what about|how about|what if|why|und|aber|oder|wieso"
    r"|warum|auch|was ist mit|wie ist es mit|et|mais|ou|pourquoi|y|pero|por qué)\b"
)


def carried_over(question: str, before: str | None) -> str:
    """The question, with the content words of the previous one if it is a follow-up.

    It is one if it has a pronoun ("it", "there"), begins with a connective ("and ...") or has
    hardly any content words.
    """
    own = content_terms(question)
    points = bool(_POINTING.intersection(terms(question)))
    leans = points or _GOES_ON.match(question) or len(own) <= FEW_WORDS
    if before is None or not leans:
        return question
    words = [word for word in content_terms(before) if word not in own][:MAX_CARRIED]
    return f"{question} ({' '.join(words)})" if words else question
