"""What the pronoun that a quotation begins with stands for, where code can tell. Pure.

Only English, and only where the sentence before, in the document, has one thing that it may be: its
subject, or its only name. Shown in brackets before the quotation, whose words stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from corpus_agent.answering.own_words import says_own_words
from corpus_agent.answering.records import Citation
from corpus_agent.text.calendar_names import calendar_names
from corpus_agent.text.sentences import refers_back, units
from corpus_agent.tools.corpus import Readable
from indexer import Refused

LINES_ABOVE = 8
_PRONOUN = regex.compile(r"(?P<word>It|They|He|She)\s+(?P<next>[\p{Ll}’']+)")
# "It is necessary that", "It rains", "It takes an hour": it stands for nothing.
_EMPTY = regex.compile(
    r"It\s+(?:rain|snow|seem|appear|take|cost|follow|happen|pay)s?\b|It\b[^.;]{0,80}?\b(?:that|to|who|whether|if)\b"
)
_AUXILIARY = "is|are|was|were|has|have|had|will|shall|must|may|can|does|do|did"
_WORD = rf"(?!(?:{_AUXILIARY})\b)\p{{Ll}}[\p{{L}}-]*"
_DETERMINED = regex.compile(r"(?:The|Our|My|Your|His|Her|Their|This|These|An?|Some|Two|Three)\s")
_SUBJECT = regex.compile(
    rf"(?P<whole>(?:The|Our|My|Your|His|Her|Their|This|These)\s(?:{_WORD}\s){{0,2}}(?P<noun>{_WORD}))"
    rf"\s(?:{_AUXILIARY}|\p{{Ll}}{{2,}}(?:s|ed)"
    r"|left|pay|paid|live|stand|stood|run|ran|come|came|go|went|hold|held|keep|kept|lie|lay|begin"
    r"|began|cost|own|owe|need|get|got|make|made|give|gave|take|took|sell|sold|buy|bought|send"
    r"|sent|meet|met)\b"
)
_NAME = regex.compile(r"\p{Lu}[\p{L}\p{N}’'-]*(?:\s(?:(?:of|&)\s)?\p{Lu}[\p{L}\p{N}’'-]*)*")
_COMPANY = regex.compile(r"\b(?:Ltd|Inc|LLC|GmbH|AG|Corp|Co|PLC|plc|SA|BV)\b|&")
_PLURAL = regex.compile(r"(?:[^su]s|people|children|men|women)$")


def antecedent(corpus: Readable, citation: Citation) -> str:
    """The noun that the first word of a quotation stands for, as it is written before; or ""."""
    found = _antecedent(corpus, citation)
    return "" if says_own_words(found) else found


def _antecedent(corpus: Readable, citation: Citation) -> str:
    pronoun = _PRONOUN.match(citation.quote)
    if pronoun is None or _EMPTY.match(citation.quote):
        return ""
    before = _sentence_before(corpus, citation)
    if not before or refers_back(before):
        return ""
    subject = _SUBJECT.match(before)
    names = list(_names(before))
    word, name = pronoun["word"], names[0] if len(names) == 1 else ""
    if subject is None:
        if _DETERMINED.match(before):
            return ""
        leads = bool(name) and before.startswith(name)
        return name if (word == "They" or leads) and _fits(word, name) else ""
    plural = _PLURAL.search(subject["noun"]) is not None
    if names:
        return name if word == "They" and not plural else ""
    return subject["whole"] if plural == (word == "They") and word in ("It", "They") else ""


def _fits(word: str, name: str) -> bool:
    """Whether a name may be that of a person, for "he" and "she"."""
    return word in ("It", "They") or not _COMPANY.search(name)


def _names(sentence: str) -> Iterator[str]:
    """The names of a sentence; its first word is one before another, or where no article is."""
    for found in _NAME.finditer(sentence):
        first = found.start() == 0 and " " not in found[0]
        if found[0] in ("I", "The", "A", "An") or calendar_names(f"in {found[0]} 2024"):
            continue
        if not first:
            yield found[0]


def _sentence_before(corpus: Readable, citation: Citation) -> str:
    """The sentence right before a quotation, in its paragraph or the one above; "" for none."""
    first = max(1, citation.line_start - LINES_ABOVE)
    try:
        lines = corpus.read(citation.source, first, citation.line_start - first + 1).lines
    except Refused:
        return ""
    text = "\n".join("" if line.is_mark else line.text for line in lines)
    at = text.rfind(citation.quote.split("\n")[0])
    found = units(text[:at]) if at > 0 else []
    if not found or found[-1].kind != "text" or text[found[-1].end : at].count("\n") > 2:
        return ""
    return text[found[-1].start : found[-1].end]
