"""Where a sentence differs from a document, in the words of both: figures, sense, names. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise, permutations

import regex

from corpus_agent.answering.claims import CLAUSES, MONEY, Evidence, names, periods, share_covered
from corpus_agent.answering.comparable import WRITTEN, Change, changes_of
from corpus_agent.text.number_words import UNIT
from corpus_agent.text.numbers import Figure, figures, found, readings
from corpus_agent.text.polarity import alike, denials, excluded, still_said, turned, written
from corpus_agent.text.quantities import (
    bounds,
    converted,
    counted,
    is_label,
    is_unit,
)
from corpus_agent.text.tokens import (
    STOP_WORDS,
    content_terms,
    fold,
    has_digit,
    names_are_nouns,
    same_word,
    terms,
)

_NEARLY = 0.7  # share of the words of a claim, in order: then it repeats a text
_ALIKE = 0.5  # the same: in other words a sentence may say no and mean yes
_HAN = regex.compile(r"\p{Han}")
_ARTICLES = "a an the der die das den dem ein eine le la les un une el los las il lo i de het een o"
_TITLES = "mr mrs ms dr herr herrn frau mme madame monsieur signor signora"
_JOINING = frozenset(["and", "or", "und", "oder", "et", "ou", "y", "o", "e", "with", "mit"])
_UNIT_BEHIND = regex.compile(r"\s?(?:[%‰°€$£]\p{L}?|-?\p{L}[\p{L}/²³]*)")
_RUN = regex.compile(r"\p{Lu}[\p{L}\p{M}\p{N}'’-]*(?:\s\p{Lu}[\p{L}\p{M}\p{N}'’-]*)*")
_BY = regex.compile(r"\b(?:by|von|vom|durch|par|por|da|dal|dalla|door)\b")
_JOINED = regex.compile(r"\s(?:and|or|&)\s(?:the\s)?")
_BEHIND = regex.compile(
    r"(?<!\p{L})(?:in|at|to|of|from|with|for|on|under|unlike|near|via)\s(?:(?:the|an?)\s)?$"
)
_YEAR, _MOST = re.compile(r"(?:19|20)\d\d"), 40  # words of a claim that are compared in pairs
_PART = re.compile(
    r"(?P<month>month )|(?P<week>(?:week)?day )|(?P<year>(?:19|20)\d\d$)|(?P<day>\d\d?$)"
)
_IN_DATE = regex.compile(r"(?:\p{L}{1,2}|[.º])?,?\s?(?:(?:of|de|del)\s)?")  # between its parts


def missing_figures(claim: str, text: str, question: str) -> list[Figure]:
    """The figures that a text has not, or of another unit: 7 days are not 7 hours, but a bare 7."""
    theirs, given = converted(text), figures(question)
    years = {year.removeprefix("year ") for year in periods(claim)}  # these count nothing
    years.update(v for each in _wholes(claim) if _date(each.values) for v in each.values)
    known = readings(text) | theirs.keys() | given
    own, wrong = counted(claim), [w for w in _wholes(claim) if not _fits(w, text)]

    def is_missing(figure: Figure) -> bool:
        apart = not known.issuperset(figure.values) or is_label(claim, figure, text)
        if apart or any(w.start <= figure.start < w.end for w in wrong):
            return True
        values = [value for value in figure.values if value not in given | years and own.get(value)]
        return not all(_counts(value, own[value][0], theirs) for value in values)

    return [figure for figure in found(claim) if is_missing(figure)]


def _fits(whole: Figure, text: str) -> bool:
    """Whether a date is one of a text, if it has any: not the day of one, the year of another."""
    mine, every = _date(whole.values), _wholes(text)
    theirs = [date for each in every if (date := _date(each.values))]
    bare = {value for each in every if not _date(each.values) for value in each.values}
    fits = (all(mine.get(part, v) in (v, *bare) for part, v in each.items()) for each in theirs)
    return len(mine) < 2 or not theirs or any(fits)


def _counts(value: str, word: str, theirs: dict[str, tuple[str, ...]]) -> bool:
    """Whether a text has a value of a unit or noun, or at least no other value of that."""
    own = theirs.get(value, ())
    if any(same_word(word, other) for other in own):
        return True
    if is_unit(word) and any(map(is_unit, own)):
        return False
    return not any(same_word(word, other) for others in theirs.values() for other in others)


# ---- Where a text differs


def difference(claim: str, evidence: Evidence, question: str = "") -> tuple[str, str] | None:
    """The words of a claim that a text contradicts, and its own; None if it only says less."""
    told = written("reported").search(evidence.text)
    if told and not _without(content_terms(claim), content_terms(told["said"])):
        return claim, told["but"]
    whole, evidence = evidence, replace(evidence, text=still_said(claim, evidence.text))
    text = evidence.text
    share, changes = changes_of(claim, text)
    return (
        _other_figure(claim, text, question)
        or _other_bound(claim, text)
        or excluded(claim, text)
        or (_repeated_otherwise(claim, text, share, changes) if share >= _NEARLY else None)
        or (other_sense(claim, text) if share >= _ALIKE else None)
        or exchanged(claim, text, named=True)
        or _other_name(claim, evidence, question)
        or _crossed(claim, text)
        or _no_longer(claim, whole, evidence)
    )


def _no_longer(claim: str, whole: Evidence, still: Evidence) -> tuple[str, str] | None:
    """What a text says was so before, where it has a claim's words for that alone."""
    told = written("before").search(whole.text) or written("replaced").search(whole.text)
    missing = [len(missing_figures(claim, each.text, "")) for each in (whole, still)]
    lost = missing[0] < missing[1] or share_covered(claim, still) < share_covered(claim, whole)
    return (claim, told[0]) if told and lost and not written("before").search(claim) else None


def _other_figure(claim: str, text: str, question: str) -> tuple[str, str] | None:
    """A figure of a claim that a text has otherwise: of that unit or noun; a date with a date."""
    own, mine, theirs = counted(claim), readings(claim), counted(text)
    units_there = {word for words in converted(text).values() for word in words if is_unit(word)}
    for figure in missing_figures(claim, text, question):
        of = [word for value in figure.values for word in own.get(value, ())]
        whole = next(each for each in _wholes(claim) if figure.start < each.end)
        parts, ranked, every = _date(whole.values), [], _wholes(text)
        if any(len(_date(o.values)) > 1 and {*o.values} <= {*whole.values} for o in every):
            continue  # that day, and its year is not said
        for other in every:
            its = [word for value in other.values for word in theirs.get(value, ())]
            measured, shared = any(map(is_unit, its)), set(whole.values) & set(other.values)
            if mine.issuperset(other.values) and not (
                shared and (measured or not _fits(whole, text))
            ):
                continue
            near = len(_led(claim, whole) & _led(text, other))
            there = _date(other.values)
            both = [w for w in of if not parts and any(same_word(w, each) for each in its)]
            if parts or there:
                same: object = any(there.get(part, said) != said for part, said in parts.items())
            else:  # 24 months, three years; a figure that counts nothing at the same place
                years = [any(map(_YEAR.fullmatch, each.values)) for each in (whole, other)]
                bare = near and years[0] == years[1] and not any(map(is_unit, (*of[:1], *its)))
                same = of[:1] == both[:1] != [] or shared or bare
                same = same or (measured and not units_there.isdisjoint(of[:1]))
            if same:
                ranked.append((len(shared) + near + 2 * len(both), other, both))
        if ranked:
            _, other, both = max(ranked, key=lambda each: each[0])
            return _measured(claim, whole, both), _measured(text, other, both)
    return None


def _wholes(text: str) -> list[Figure]:
    """The figures of a text, those of one date as one: 20 June 2025."""
    wholes: list[Figure] = []
    for figure in found(text):
        last = wholes[-1] if wholes else figure
        both = (*last.values, *figure.values)
        beside = wholes and _IN_DATE.fullmatch(text, last.end, figure.start)
        if beside and len(_date(both)) == len(both):
            figure = Figure(wholes.pop().start, figure.end, both)
        wholes.append(figure)
    return wholes


def _date(values: Sequence[str]) -> dict[str, str]:
    """The parts of a date: a month or weekday, and a year or the day of a month beside it."""
    every = [(part, value) for value in values if (part := _PART.match(value))]
    return {str(part.lastgroup): v for part, v in every} if any(" " in v for v in values) else {}


def _led(text: str, figure: Figure) -> set[str]:
    """The words close before a figure, and the one behind it."""
    before = content_terms(text[max(0, figure.start - 40) : figure.start])[-2:]
    return {*before, *content_terms(text[figure.end : figure.end + 20])[:1]} - STOP_WORDS


def _measured(text: str, figure: Figure, counted_there: Sequence[str]) -> str:
    """A figure with its currency or unit, or with the word that counts another one too."""
    money = MONEY.search(text, max(0, figure.start - 5), figure.start)
    bare = money or _date(figure.values)
    behind, end = None if bare else _UNIT_BEHIND.match(text, figure.end), figure.end
    if behind and (word := fold(behind[0].strip())) not in STOP_WORDS:
        meets = any(same_word(word, other) for other in counted_there)
        end = behind.end() if meets or word in UNIT or not word.isalpha() else end
    return text[money.start() if money else figure.start : end].strip(" .")


def _other_bound(claim: str, text: str) -> tuple[str, str] | None:
    """A figure that is the lower bound in one text and the upper one in the other."""
    said = {"low": "at least", "high": "at most"}
    theirs = bounds(text)
    for value, senses in bounds(claim).items():
        if value in theirs and not senses & theirs[value]:
            words = [said[next(iter(each))] for each in (senses, theirs[value])]
            return f"{words[0]} {value}", f"{words[1]} {value}"
    return None


def other_sense(claim: str, text: str) -> tuple[str, str] | None:
    """A negation, or an opposite, of one of two texts, in the parts that are most alike.

    Two of them cancel: "not without consent" is "with consent".
    """
    shared = [(_shared(claim, part), part) for part in CLAUSES.split(text)]
    most = max(count for count, _ in shared)
    parts = [part for count, part in shared if 2 * count >= most]
    opposite, mine = turned(claim, text), denials(claim, text)
    theirs = [denials(part, claim) for part in parts]
    own = len(mine) + len(opposite)
    if own % 2 in {len(each) % 2 for each in theirs}:
        return None
    if opposite:
        return opposite[0]
    said = next((each[0] for each in theirs if each), "")
    denied = mine[0] if mine else said.partition(" ")[2]
    return denied, said or denied.partition(" ")[2]


def _shared(claim: str, text: str) -> int:
    words = frozenset(terms(text))
    return sum(any(same_word(word, other) for other in words) for word in content_terms(claim))


def _other_name(claim: str, evidence: Evidence, question: str) -> tuple[str, str] | None:
    """A name that the sentence has not, where it has another: the claim's may be of its context."""
    own = (names(claim) | _names_around(claim, evidence)) - names(question)
    elsewhere = own - evidence.words - evidence.named
    others = _capitals(evidence.text) - frozenset(terms(claim))
    mine, theirs = _runs(elsewhere, claim)[:1], _runs(others, text := evidence.text)
    for one in mine if theirs else []:
        other = max(theirs, key=lambda each: (len(_led(claim, one) & _led(text, each)), each.start))
        return claim[one.start : one.end], text[other.start : other.end]
    return None


def _names_around(claim: str, evidence: Evidence) -> frozenset[str]:
    """Words of a claim that the context of a sentence has with a capital alone: its names."""
    german, words = names_are_nouns(claim), WRITTEN.findall(claim)
    led = [False, *(fold(word) in STOP_WORDS for word in words)]  # as German nouns are
    own = [word for word, is_led in zip(words, led, strict=False) if not (german and is_led)]
    around = f"{evidence.before} {evidence.behind}"
    small = frozenset(terms(" ".join(w for w in WRITTEN.findall(around) if w[0].islower())))
    return _capitals(" ".join(own)) & _capitals(around) - small


def _capitals(text: str) -> frozenset[str]:
    """The folded words of a text that have a capital."""
    written = (word for word in WRITTEN.findall(text) if word[0].isupper())
    every = frozenset(terms(" ".join(written))) - STOP_WORDS
    return frozenset(word for word in every if word not in UNIT and not figures(word.title()))


def _runs(folded: frozenset[str], text: str) -> list[Figure]:
    """Where names of these words stand, words with a capital in a row as one."""
    every = (Figure(*match.span(), ()) for match in _RUN.finditer(text))
    return [run for run in every if not folded.isdisjoint(terms(text[run.start : run.end]))]


def exchanged(claim: str, text: str, *, named: bool = False) -> tuple[str, str] | None:
    """Two words, or names, that stand the other way round others: who pays whom, with no "by"."""
    if len(_BY.findall(claim)) != len(_BY.findall(text)):
        return None
    there, said = ([*map(fold, WRITTEN.findall(each))] for each in (text, claim))
    left_out = UNIT.keys() | _JOINING | {*_ARTICLES.split(), *_TITLES.split()}
    leads = STOP_WORDS - left_out if named else ()  # "Im Mai hat Ann" is said of what Ann did
    led = {word for lead, word in {*pairwise(said)} & {*pairwise(there)} if lead in leads}
    own = [word for word in said if not (word in left_out or has_digit(word))][:_MOST]
    at = {w: n for w in own for n, o in reversed([*enumerate(there)]) if same_word(w, o)}
    ends = at.keys() & (_capitals(claim) if named else {*own}) - STOP_WORDS - led
    for first, last in combinations(range(len(own)), 2):
        one, other, between = own[first], own[last], own[first + 1 : last]
        told = next((word for word in between if word not in STOP_WORDS), other)
        places = [at[word] for word in between if word in at]
        if not (ends >= {one, other} and told in at and places):
            continue
        if at[other] < min(places) <= max(places) < at[one]:
            return one, other
    return None


def said_of_another(claim: str, text: str) -> bool:
    """Whether what a claim says of a name stands in a text behind other names, nearly all of it.

    One that is joined to it ("Olga and Ben Low"), or stands behind a preposition, says nothing.
    """
    own = next((run for run in _RUN.finditer(claim) if {*terms(run[0])} - STOP_WORDS), None)
    subject = frozenset(terms(own[0])) - STOP_WORDS if own else frozenset()
    if own is None or names_are_nouns(text) or not subject & (names(claim) | names(text)):
        return False
    said = frozenset(content_terms(claim)) - subject - STOP_WORDS
    led, of_own, of_others, before, last = "", 0, 0, 0, -1
    for match in WRITTEN.finditer(text):
        word = fold(match[0])
        if any(same_word(word, each) for each in subject):
            led, before = "own", match.end()
        elif any(same_word(word, each) for each in said):
            of_own, of_others = of_own + (led == "own"), of_others + (led == "other")
        elif match[0][0].isupper() and word not in STOP_WORDS | UNIT.keys():
            joined = led == "own" and _JOINED.fullmatch(text, before, match.start())
            behind = _BEHIND.search(text, max(0, match.start() - 20), match.start())
            led = led if joined or behind or text[last : match.start()] == " " else "other"
            last = match.end()
    return not subject.isdisjoint(terms(text)) and of_others > 2 * of_own


def _crossed(claim: str, text: str) -> tuple[str, str] | None:
    """What a claim joins of two clauses about two things: "at six on Fridays and at …"."""
    said = content_terms(claim)
    for parts in pairwise(CLAUSES.split(text)):
        one, other = map(content_terms, parts)
        if _without(said, [*one, *other]):
            continue
        first = [word for part in parts for word in WRITTEN.findall(part)[:1]]
        begun = all(word[0].isupper() or fold(word) in STOP_WORDS for word in first)
        for own, others in permutations((one, other)):
            gone, left = _without(own, said), _without(others, said)
            taken = _without(_without(others, own), left)
            if not (gone and left and taken and len(own) > 1):
                continue
            if begun and others[0] in left and own[0] not in (*gone, *others):
                return taken[0], gone[0]  # the one does what the other does
            for word, lost in ((own[0], others[0]), (own[-1], others[-1])):
                led = own[: own.index(word)]  # of which a claim has lost more than a third
                turned = sum(3 for each in led if each in gone) > len(led)
                named = not (has_digit(word) or has_digit(lost))
                if named and turned and lost in left and word not in (*gone, *others):
                    return word, lost
    return None


def _without(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words that have no form of theirs among others."""
    return [word for word in words if not any(same_word(word, other) for other in others)]


# ---- A claim that repeats a text, word by word


def _repeated_otherwise(
    claim: str, text: str, share: float, changes: Sequence[Change]
) -> tuple[str, str] | None:
    """What a claim that repeats a text has otherwise: one word for one, two swapped, a "not"."""
    new = [word for change in changes for word in change.mine]
    gone = [word for change in changes for word in change.theirs]
    for change in changes:
        mine, theirs = change.mine, change.theirs
        if change.inner or mine:
            left = theirs if change.inner else []
            said, there = denials(" ".join(mine), ""), denials(" ".join(left), "")
            opposite = turned(" ".join(mine), " ".join(left))
            if (len(said) + len(opposite) - len(there)) % 2:
                beside = (" ".join([*words, change.following]) for words in (mine, left))
                return opposite[0] if opposite else (next(beside), next(beside))
        own, others = _apart(mine, theirs), _apart(theirs, mine)
        if not (own and others):
            continue
        swapped = not _apart(own, gone) and len(_apart(others, new)) < len(others)
        moved = any(_count(w, claim) <= _count(w, text) for w in own if _count(w, text))
        if swapped or (not moved and _is_other(mine, theirs, own, others)):
            return " ".join(own), " ".join(others)
    return None


def _is_other(
    mine: Sequence[str], theirs: Sequence[str], own: Sequence[str], others: Sequence[str]
) -> bool:
    """Whether words say something else than others: no synonym, no figure."""
    one, other = " ".join(mine), " ".join(theirs)
    part = _HAN.fullmatch(other) and not readings(other)  # a character of a longer word
    same = alike(one, other) or not readings(one).isdisjoint(readings(other))
    as_many = len(mine) == len(theirs) and len(own) == len(others)
    as_many = as_many and has_digit(one) == has_digit(other)
    return (_is_named(own) and _is_named(others)) or (as_many and not (same or part))


def _count(word: str, text: str) -> int:
    """How often a text has a word, in any of its forms."""
    return sum(same_word(fold(word), other) for other in terms(text))


def _apart(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The content words that have no form of theirs among the others."""
    folded = [*map(fold, others)]
    return [w for w in words if fold(w) not in STOP_WORDS and _without([fold(w)], folded)]


def _is_named(words: Sequence[str]) -> bool:
    return any(word[0].isupper() for word in words)
