"""Of dated documents that answer otherwise than each other, the newest first.

A price list of this year and one of last year say the same of the same thing, with other values.
Where the dates of both are known, and both bear the same title, letterhead or sender, the newer one
is quoted first, and the answer says that the older one says otherwise. What succeeds a mail is a
mail of the same sender, and a mail succeeds nothing else, since anybody may send one; an amendment
succeeds the only document of the name that it amends, and a day that is still to come says nothing.
Called by extractive.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.answer_type import expected_kind, has_kind
from corpus_agent.answering.named_documents import file_stem
from corpus_agent.answering.records import Citation
from corpus_agent.answering.shown import MOST_SENTENCES, Sentence
from corpus_agent.text.calendar_names import calendar_names
from corpus_agent.text.dates import find_dates, without_dates
from corpus_agent.text.front_matter import is_asked_for, key_of
from corpus_agent.text.letterhead import naming_lines
from corpus_agent.text.negation import negations
from corpus_agent.text.sentences import units
from corpus_agent.text.tokens import STOP_WORDS, content_terms, fold, has_digit, terms, words_held

if TYPE_CHECKING:
    from indexer import Chunk, Hit

SAME_FRAME = 0.5  # of the words of two sentences, values left out
_TOLD = "An older document says otherwise: {}."
_MORE_TOLD = "Older documents say otherwise: {}."
_YEAR = regex.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FIGURE = regex.compile(  # "3,450" is one
    r"(?<![\p{L}\p{N}])(?=\p{L}*\p{N})[\p{L}\p{N}]+(?:[.,]\p{N}+)*"
)
_DAYS = regex.compile(r"(?i)(?<=day)s\b")
_SENDER = regex.compile(r"(?i)from:\s")
_MAIL = (".eml", ".emlx", ".msg", ".mbox", ".mbx")
# Words of a question that asks for what was, or for how it changed; folded.
_THEN = frozenset(
    fold(
        "old older former formerly previous previously earlier before original originally first"
        " initially used change changed changes increase increased rise risen last past alt alte"
        " alten alter frueher fruher bisher bisherige vorher vorige damals urspruenglich geandert"
        " erhoht gestiegen ancien ancienne precedent avant auparavant antes anterior antiguo"
    ).split()
)
# Words of a title that changes another document: "Nachtrag zum Mietvertrag"; folded.
_AMENDS = frozenset(
    fold(
        "amendment addendum supplement nachtrag änderung ergänzung zusatz avenant adenda"
        " modificación modifica aditamento wijziging aanvulling"
    ).split()
)


@dataclass(frozen=True)
class Dated:
    """A sentence with the day of its document, an ISO date or the beginning of one."""

    sentence: Sentence
    day: str


def versions(question: str, hits: Sequence[Hit], sentences: Sequence[Sentence]) -> list[Dated]:
    """The first sentence and those that older or newer documents have in its place, newest first.

    [] where there is none, or where the question says which time it is about.
    """
    asked = terms(question)
    if not sentences or not _THEN.isdisjoint(asked) or _names_a_time(question):
        return []
    first = sentences[0]
    own = hits[first.passage].chunk
    if first.text in _head(hits, own.source)[1]:
        return []
    titles, day = _titles(hits, own.source), _day(hits, own.source)
    senders = _senders(hits, own.source)
    found = {own.source: Dated(first, day)}
    for number, hit in enumerate(hits):
        source = hit.chunk.source
        if source in found or not day:
            continue
        other = _day(hits, source)
        if not other or other.startswith(day) or day.startswith(other):
            continue
        new, old = (own.source, source) if day > other else (source, own.source)
        if titles.isdisjoint(_titles(hits, source)) and not _amends(hits, new, old):
            continue
        if senders != _senders(hits, source):
            continue
        instead = _instead(question, own, first, number, hit)
        if instead is not None:
            found[source] = Dated(instead, other)
    if len(found) < 2:
        return []
    return sorted(found.values(), key=lambda each: each.day, reverse=True)


def newest_first(dated: Sequence[Dated], others: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """The sentences that are shown: those of dated documents, then others."""
    own = [each.sentence for each in dated]
    taken = {(s.passage, s.start) for s in own}
    rest = [s for s in others if (s.passage, s.start) not in taken]
    return tuple([*own, *rest][:MOST_SENTENCES])


def told_of_older(
    dated: Sequence[Dated], hits: Sequence[Hit], shown: Sequence[Citation]
) -> tuple[str, ...]:
    """The notice that names the older documents by their citations, and counts those not shown."""
    days = {hits[each.sentence.passage].chunk.source: each.day for each in dated}
    first = {c.source: c.n for c in reversed(shown) if c.source in days}
    newest, *older = sorted(first, key=lambda source: days[source], reverse=True) or [""]
    if not older:
        return ()
    said = [f"[{first[source]}] of {days[source]}" for source in older]
    said[-1] += f"; [{first[newest]}] is of {days[newest]}"
    told = (_TOLD if len(older) == 1 else _MORE_TOLD).format(", ".join(said))
    left = [day for source, day in days.items() if source not in first]
    if left:
        told += f" {len(left)} more {'is' if len(left) == 1 else 'are'} not shown"
        told += f", of {left[0]}." if len(left) == 1 else f", the oldest of {min(left)}."
    return (told,)


def _names_a_time(question: str) -> bool:
    return bool(_YEAR.search(question) or find_dates(question) or calendar_names(question))


def _instead(question: str, own: Chunk, first: Sentence, number: int, hit: Hit) -> Sentence | None:
    """The sentence of a passage that says the same with another value; None if there is none."""
    passage, best = hit.chunk, (0.0, 0)
    every = units(passage.text, passage.language)
    for at, unit in enumerate(every):
        text = passage.text[unit.start : unit.end]
        if unit.kind in ("text", "row") and _says_otherwise(question, first.text, text):
            best = max(best, (_frame(first.text, text), -at))
    if not best[0]:
        return None
    unit = every[-best[1]]
    return Sentence(number, unit.start, unit.end, passage.text[unit.start : unit.end], first.score)


def _says_otherwise(question: str, one: str, other: str) -> bool:
    """Whether two sentences say the same of one thing, with other values."""
    kind, asked = expected_kind(question), frozenset(terms(question))
    if kind and not all(has_kind(kind, text, asked) for text in (one, other)):
        return False
    if not _differ(kind, asked, one, other):
        return False
    held = [words_held(content_terms(question), text) for text in (one, other)]
    return bool(held[0]) and held[0] == held[1] and _frame(one, other) >= SAME_FRAME


def _differ(kind: str, asked: frozenset[str], one: str, other: str) -> bool:
    """Whether two sentences have other values, compared by the first sort that both have."""
    sorts = (_days, _dates, _figures) if kind == "date" else (_figures, _days, _dates)
    pairs = ((values(one) - asked, values(other) - asked) for values in sorts)
    told = next((a.isdisjoint(b) for a, b in pairs if a and b), None)
    if told is None and not kind:  # asked whether: one says yes, the other no
        return bool(negations(one, other)) != bool(negations(other, one))
    return bool(told)


def _figures(text: str) -> frozenset[str]:
    found = _FIGURE.findall(fold(without_dates(text)))
    return frozenset(figure.replace(",", "").replace(".", "") for figure in found)


def _days(text: str) -> frozenset[str]:
    """The weekdays and months of a sentence, those of its dates left out."""
    named = calendar_names(_plain(text)).values()
    return frozenset(f"{kind} {number}" for kind, number in named)


def _dates(text: str) -> frozenset[str]:
    return frozenset(reading.normal for reading in find_dates(text))


def _frame(one: str, other: str) -> float:
    """How much of the words of the shorter of two sentences the other has, values left out."""
    words = [{w for w in content_terms(_plain(text)) if not has_digit(w)} for text in (one, other)]
    return len(words[0] & words[1]) / max(1, min(map(len, words)))


def _plain(text: str) -> str:
    return _DAYS.sub("", without_dates(text))


def _head(hits: Sequence[Hit], source: str) -> tuple[list[str], list[str]]:
    """The properties of a document and the lines of its letterhead, of its first passage found."""
    own = [hit.chunk for hit in hits if hit.chunk.source == source and hit.chunk.ordinal == 0]
    if not own:
        return [], []
    text = own[0].text
    every = units(text, own[0].language)
    properties = [unit for unit in every if unit.kind == "property"]
    named = naming_lines(text, every)
    return [text[u.start : u.end] for u in properties], [text[u.start : u.end] for u in named]


def _titles(hits: Sequence[Hit], source: str) -> frozenset[str]:
    """What a document is called: its title, its letterhead, its sender, the name of its file.

    Without figures, which tell versions apart.
    """
    properties, lines = _head(hits, source)
    heading = next(hit.chunk.heading for hit in hits if hit.chunk.source == source)
    named = [text.partition(":")[2] for text in properties if is_asked_for(key_of(text), ["title"])]
    undated = [line for line in lines if _words(without_dates(line))]
    every = [
        heading.partition(" > ")[0],
        *named,
        *undated[:1],
        *_senders(hits, source),
        file_stem(source),
    ]
    return frozenset(name for text in every if (name := _words(without_dates(text))))


def _amends(hits: Sequence[Hit], new: str, old: str) -> bool:
    """Whether the title of a document says that it amends one, and `old` alone is called so."""
    for title in _titles(hits, new):
        words = title.split()
        at = next((i for i, word in enumerate(words) if word in _AMENDS), None)
        if at is None or not (what := frozenset(words[at + 1 :])):
            continue
        others = {hit.chunk.source for hit in hits} - {new}
        called = {s for s in others if any(what <= {*t.split()} for t in _titles(hits, s))}
        if called == {old}:
            return True
    return False


def _senders(hits: Sequence[Hit], source: str) -> list[str]:
    """The lines of a document that say who sent it; a mail of which none is known is nobody's."""
    own = [hit.chunk.text for hit in hits if hit.chunk.source == source and hit.chunk.ordinal == 0]
    header = own[0].partition("\n\n")[0].split("\n") if own else []
    lines = dict.fromkeys([*_head(hits, source)[1], *header])
    senders = [line for line in lines if _SENDER.match(line)]
    return senders or ([source] if source.lower().endswith(_MAIL) else [])


def _words(text: str) -> str:
    words = (word for word in terms(text.replace("_", " ")) if not has_digit(word))
    return " ".join(word for word in words if word not in STOP_WORDS)


def _day(hits: Sequence[Hit], source: str) -> str:
    """The day of a document: of its properties, its letterhead, its file name; "" if unknown.

    One that is still to come, anywhere on Earth, is none: it would be the newest for years.
    """
    day = _written_day(hits, source)
    return day if day <= (datetime.now(UTC) + timedelta(days=1)).date().isoformat() else ""


def _written_day(hits: Sequence[Hit], source: str) -> str:
    properties, lines = _head(hits, source)
    dated = [text for text in properties if is_asked_for(key_of(text), ["date", "created"])]
    stem = file_stem(source).replace("_", " ")
    for text in (*dated, *lines, stem):
        days = {reading.normal for reading in find_dates(text)}
        if len(days) == 1:
            return days.pop()
    found = _YEAR.findall(stem)
    return found[0] if len(found) == 1 else ""
