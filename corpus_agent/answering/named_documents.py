"""The documents that a question names by a word of their file names: COCACOLA_2023.pdf, Coca Cola.

Compared without blanks and signs, so that no border of words has to be known. Pure; called by
extractive.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

import regex

from corpus_agent.answering.claims import names_are_nouns
from corpus_agent.text.calendar_names import calendar_names, names_of_dates
from corpus_agent.text.tokens import STOP_WORDS, fold, has_digit, terms

MOST_NAMED = 3  # documents that are searched before the others
_LONGEST_NAME = 4  # words
_LEAST_NAME = 3  # letters of a name, unless it is of letters and digits: 3M
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_PROPER = regex.compile(r"(?<![\p{L}\p{N}'’-])\p{Lu}\p{Ll}{3,}(?![\p{L}\p{N}-])")
_OWN = regex.compile(r"['’]s\b")
_APART = regex.compile(r"[\W_]+")
_YEAR = regex.compile(r"(?<!\d)(?:(?:19|20)(\d\d)|(?i:FY) ?'?(?:20)?(\d\d))(?!\d)")
_STORE = regex.compile(r"\A[\w-]+:(?=\S)")  # where several are read together
_NAME = regex.compile(r"\p{Lu}[\p{L}\p{N}&.'’-]*|(?<!\p{N})\p{N}++\p{Lu}\p{L}*|\p{Ll}\p{Lu}\p{L}+")


def named_documents(question: str, sources: Iterable[str]) -> list[str]:
    """The sources, in order, whose file name begins with a name of the question.

    Of several those that bear a year of the question too, if any do. None if many are and no other
    is: such a name tells nothing apart.
    """
    every = list(dict.fromkeys(sources))
    asked = _names(question)
    found = [source for source in every if not asked.isdisjoint(_called(source))]
    if len(found) == len(every) > MOST_NAMED:
        return []
    years = _years(question)
    dated = [source for source in found if years & _years(file_stem(source))]
    return (dated or found)[:MOST_NAMED]


def missing_names(question: str, texts: Collection[str]) -> list[str]:
    """The names of a question, as written, that no text has: what these say may be of another.

    A date has its month and its weekday. None of a German question, whose nouns are written like
    names.
    """
    if names_are_nouns(question):
        return []
    first = _WORD.search(question)
    together = " ".join("".join(terms(text)) for text in texts)
    missing = [
        word
        for word in dict.fromkeys(match[0] for match in _PROPER.finditer(question))
        if (first is None or word != first[0]) and fold(word) not in together
    ]
    asked = calendar_names(question) if missing else {}
    told = {name for text in texts for name in names_of_dates(text)} if asked else set()
    return [word for word in missing if asked.get(fold(word)) not in told]


def without_names(question: str, source: str) -> str:
    """The question without the words that name a document: each of its passages is about those."""
    called = _called(source)
    words = [*_WORD.finditer(question)]
    kept, at, number = [], 0, 0
    while number < len(words):
        run = [fold(word[0]) for word in words[number : number + _LONGEST_NAME]]
        sizes = range(0 if words[number][0][0].isdigit() else len(run), 0, -1)
        size = next((size for size in sizes if "".join(run[:size]) in called), 0)
        if size:
            kept.append(question[at : words[number].start()])
            end = words[number + size - 1].end()
            own = _OWN.match(question, end)
            at = own.end() if own else end
        number += size or 1
    return "".join(kept) + question[at:]


def file_stem(source: str) -> str:
    """The name of a document's file without its ending, and without the name of its store."""
    return PurePosixPath(_STORE.sub("", source)).stem


def _years(text: str) -> frozenset[str]:
    return frozenset(long or short for long, short in _YEAR.findall(text.replace("_", " ")))


def _called(source: str) -> frozenset[str]:
    """The beginnings of a file name, word by word, each written together: bestbuy, bestbuy2017."""
    words = [word for word in _APART.split(fold(file_stem(source))) if word]
    return frozenset("".join(words[:n]) for n in range(1, min(len(words), _LONGEST_NAME) + 1))


def _names(question: str) -> frozenset[str]:
    """Each run of words of a question with a capital in it, written together."""
    written = [fold(word) for word in _NAME.findall(question)]
    capital = {word for each in written for word in terms(each)} - STOP_WORDS
    words = [word for word in terms(question) if word != "s"]
    runs = (
        words[start : start + size]
        for size in range(1, _LONGEST_NAME + 1)
        for start in range(len(words) - size + 1)
    )
    return frozenset(
        name
        for run in runs
        if not capital.isdisjoint(run[:1]) and _is_name(name := "".join(run), run)
    )


def _is_name(name: str, run: Collection[str]) -> bool:
    if name.isdigit() or all(word in STOP_WORDS for word in run):
        return False
    return len(name) >= _LEAST_NAME or (has_digit(name) and len(name) > 1)
