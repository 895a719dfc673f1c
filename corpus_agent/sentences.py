"""Extractive answering: which one to three sentences of the retrieved passages answer a question, and how surely.

No model is needed beyond the sentence encoder the search already has. Every sentence gets a score that is a
sum of five written-down features; a logistic function of seven figures about the best sentence is the confidence.
All numbers come from experiments described in report.md; each constant names its own.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import regex
import sentencex  # type: ignore[import-untyped]
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Encode = Callable[[list[str]], Vectors]


@dataclass(frozen=True)
class Passage:
    """One retrieved chunk: its text, fused score in [0, 1], cosine to the question and nearest heading."""

    text: str
    score: float
    cosine: float
    heading: str


@dataclass(frozen=True)
class Sentence:
    """One sentence of a passage, word for word: `text == passages[passage].text[start:end]`."""

    passage: int
    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True)
class Ranking:
    """The best sentences, best first (at most three), and the probability that they answer the question."""

    sentences: tuple[Sentence, ...]
    confidence: float


@dataclass(frozen=True)
class Unit:
    """A sentence-like piece of a text with what precedes it: kind is text, row, code or head."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class Candidate:
    """A unit that may be the answer, with the words around it that say what it is about."""

    passage: int
    start: int
    end: int
    text: str
    hits: frozenset[int]
    context_hits: frozenset[int]
    titled: bool


# ---- Limits. Experiment "pool": 8 passages hold the answer for .997 of XQuAD questions, 49 units at most.
PASSAGES_READ = 8
UNITS_READ = 120
CODE_WITH_LEAD_IN = 500  # characters; keeps a code block with the sentence that announces it
MERGE_LIMIT = 400

# ---- Sentence score. Experiment "rank" (fit.py): conditional logit on XQuAD, 8 folds by article: held out .850 first,
# .949 in three.
WEIGHT_COSINE = 5.2
WEIGHT_PASSAGE = 4.0
WEIGHT_RARE = 4.6
WEIGHT_SHARE = 3.9
WEIGHT_KIND = 1.0
# A line that only names what follows seldom answers; set by hand (XQuAD has none), checked on three folders of notes.
TITLE_PENALTY = 2.0
# A further sentence is returned while its score is within this of the best (final.py "how many"): 1.9 sentences on
# average hold the answer for .944, always three for .949.
KEEP_WITHIN = 3.5
MOST_SENTENCES = 3

# ---- Confidence. Experiment "confidence" (fitconf.py, final.py): logistic regression, answerable against unanswerable,
# on XQuAD (whole and small folders), two folders of notes and other domains' questions; AUC .936 held out by question.
CONFIDENCE_BIAS = -8.25
CONFIDENCE_SCORE = 0.308  # score of the best sentence
CONFIDENCE_COSINE = 4.88  # its cosine to the question
CONFIDENCE_GAP = 0.231  # its lead over the fourth
CONFIDENCE_PASSAGE = 1.90  # its passage's cosine
CONFIDENCE_WORDS = -0.661  # question words in it (already in its score), at most MOST_WORDS
CONFIDENCE_PASSAGE_WORDS = 0.848  # question words in its passage, at most MOST_PASSAGE_WORDS
CONFIDENCE_KIND_MISSING = -1.03  # it lacks the kind of answer asked for
MOST_WORDS = 5
MOST_PASSAGE_WORDS = 6
UNRELATED_SCORE = (
    5.0  # what the best of unrelated sentences reaches; stands in where there are fewer than four
)
# Held out: refuses .07 of answerable XQuAD questions (.12 of those about notes) and .86 (near) to .99 (far) of others.
NOT_FOUND_THRESHOLD = 0.40

# ---- Words

_CJK = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}ー"
_WORD = regex.compile(rf"[{_CJK}][{_CJK}\p{{M}}]*|(?:(?![{_CJK}])[\p{{L}}\p{{M}}\p{{N}}])+")
_UNSPACED = regex.compile(rf"[{_CJK}]")
_HIRAGANA = regex.compile(r"\p{Hiragana}+")
_DIGIT = regex.compile(r"\p{N}")
_MARKS = regex.compile(r"[\u0300-\u036f]+")


def fold(text: str) -> str:
    """The text without case, accents and compatibility forms; kana and Hangul stay whole."""
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare).casefold()


def terms(text: str) -> list[str]:
    """The folded words of a text; a run of a script without spaces becomes its character pairs."""
    found: list[str] = []
    for word in _WORD.findall(fold(text)):
        if _UNSPACED.match(word):
            found.extend(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found.append(word)
    return found


_STOP_TEXT = """
a about above after again against all also am an and any are as at be because been before being below between both
but by can could did do does doing down during each few for from further had has have having he her here hers him his
how i if in into is it its itself just me more most my no nor not now of off on once only or other our ours out over
own s same shall she should so some such t than that the their theirs them then there these they this those through to
too under until up upon us very was we were what when where which while who whom whose why will with would you your
yours d ll m re ve doesn don didn isn wasn aren won many much name named called happen happened long old often far
kind type tell please find know mean means need
der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren wird werden wurde wurden hat
haben hatte was wer wen wem wann wo wie warum welche welcher welches welchen wieviel viel viele von vom zu zum zur im
in am an auf aus bei mit nach für uber unter durch nicht auch es er sie wir ich mein meine unser unsere
le la les un une des du de et ou est sont était qui que quoi quand comment combien pourquoi quel quelle quels quelles
dans sur avec pour par ne pas ce cette il elle nous vous mon ma mes notre au aux l qu
el los las una uno y o es son fue fueron quién qué cuál cuándo dónde cómo cuánto cuánta cuántos cuántas por para con
sin del al en se su sus mi mis nuestro lo gli e di che chi quando dove come quanto quanti quale per non della nel
het een en van is wat wie waar wanneer hoe hoeveel welke voor met
です ます した する ある いる どこ いつ 何 誰 とは
"""
STOP_WORDS = frozenset(fold(_STOP_TEXT).split())


def content_terms(question: str) -> list[str]:
    """The words of a question that carry its subject, each once, in order; all its words if none do."""
    every = list(dict.fromkeys(terms(question)))
    kept = [
        word
        for word in every
        if word not in STOP_WORDS
        and (len(word) > 1 or _DIGIT.search(word) or _UNSPACED.match(word))
        and not _HIRAGANA.fullmatch(word)
    ]
    return kept or every


def same_word(one: str, other: str) -> bool:
    """Whether two folded words are equal or look like forms of one word (intercept, interceptions)."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < 3 or short[0] != long[0] or _DIGIT.search(one) or _DIGIT.search(other):
        return False
    if long.startswith(short) and long[len(short) :] in ("s", "es"):
        return True
    common = next(
        (i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short)
    )
    return common >= 4 and len(long) - common <= 3 and common >= 0.6 * len(long)


# ---- What kind of answer a question asks for

_KIND_PATTERNS = {
    "number": r"\bhow (?!do\b|does\b|did\b|can\b|could\b|to\b|should\b|would\b|will\b|is\b|are\b|was\b|were\b"
    r"|come\b|about\b|have\b|has\b|had\b|might\b|may\b|must\b|i\b|we\b|you\b)\p{L}+\b"
    r"|\b(?:what|which)(?:'s| is| was| are| were)?(?: \w+){0,3} (?:number|percentage|percent|amount|price|cost|costs"
    r"|temperature|speed|population|age|height|distance|score|total|phone|code|weight|salary|fee)\b"
    r"|\bwie ?(?:viel|viele|lange|alt|hoch|gro(?:ss|ß)|oft|weit|schwer|tief|warm|breit)\b|\bcombien\b|\bquel age\b"
    r"|\bcuant[oa]s?\b|\bquant[oiae]s?\b|\bhoeveel\b|いくら|いくつ|何[人個年円歳回台本枚分番階度]|多少|几",
    "date": r"\bwhen\b|\b(?:what|which)(?: \w+)? (?:year|years|date|day|days|month|time|century|decade|weekday)\b"
    r"|\b(?:by|until|since) what\b|\bhow (?:soon|late|early)\b|\bwann\b|\bum wie ?viel uhr\b"
    r"|\bwelche[mnrs]? (?:jahr|tag|datum|monat)\b|\bquand\b|\bquelle (?:date|annee|heure)\b|\bcuando\b|\bquando\b"
    r"|\bwanneer\b|いつ|何[時日月曜]|什么时候|何时",
    "name": r"\b(?:who|whom|whose)\b|\bwer\b|\bwem\b|\bwen\b|\bwessen\b|\bqui\b|\bquien(?:es)?\b|\bchi\b|\bquem\b"
    r"|誰|だれ|どなた|谁|\bwhere\b|\b(?:what|which)(?: \w+)? (?:city|country|state|town|place|region|location|address"
    r"|river|street|university)\b|\bwo\b|\bwohin\b|\bwoher\b|\bou\b|\bdonde\b|\bdove\b|\bonde\b|\bwaar\b|どこ|哪里|哪儿",
    "reason": r"\bwhy\b|\bwarum\b|\bwieso\b|\bpourquoi\b|\bpor que\b|\bperche\b|\bwaarom\b|なぜ|为什么",
}
_KINDS = {kind: regex.compile(pattern) for kind, pattern in _KIND_PATTERNS.items()}
_NUMBER_TEXT = """
one two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty forty fifty sixty seventy
eighty ninety hundred hundreds thousand thousands million millions billion billions dozen half quarter third twice once
first second fourth fifth none zero single double both weekly daily monthly yearly
eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend halb
deux trois quatre cinq six sept huit neuf dix onze douze vingt trente cent mille
dos tres cuatro cinco seis siete ocho nueve diez veinte treinta cien mil
"""
_DATE_TEXT = """
january february march april may june july august september october november december jan feb mar apr jun jul aug sep
sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
saturdays sundays today tomorrow yesterday morning noon evening midnight spring summer autumn winter century centuries
decade year years month months week weeks daily weekly monthly annually day days
januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonnabend
sonntag jahr jahre monat monate tag tage woche wochen uhr janvier février mars avril juin juillet août septembre
octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche enero febrero marzo abril mayo junio
julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo heure heures
hora horas
"""
_NUMBER_WORDS = frozenset(fold(_NUMBER_TEXT).split())
_DATE_WORDS = frozenset(fold(_DATE_TEXT).split())
_BECAUSE = regex.compile(
    r"\b(?:because|since|due to|so that|so as|in order|reason|caused?|owing|as a result|therefore|to avoid|to prevent"
    r"|weil|denn|damit|wegen|deshalb|parce|car|porque|perche)\b|から|ため|ので|因为"
)
_CAPITALISED = regex.compile(r"\p{Lu}[\p{L}\p{M}\p{N}'’-]+")
_CASED = regex.compile(r"[\p{Lu}\p{Ll}]")
_HAN_NUMBER = regex.compile(r"[一二三四五六七八九十百千万]")
_HAN_DATE = regex.compile(r"[年月日時曜]")


def expected_kind(question: str) -> str:
    """Which kind of answer is asked for: number, date, name, reason, or "" where no question word says."""
    folded = fold(question)
    firsts = {
        kind: found.start() for kind, pattern in _KINDS.items() if (found := pattern.search(folded))
    }
    if "date" in firsts and "number" in firsts:
        return "number"  # "how long", "in what year and how many": digits answer both
    return min(firsts, key=lambda kind: firsts[kind], default="")


def _has_new_name(text: str, asked: frozenset[str]) -> bool:
    """Whether a capitalised word occurs that the question does not have (true where a script has no case)."""
    if len(_CASED.findall(text)) < 3:
        return True
    for found in _CAPITALISED.finditer(text):
        after = text[found.end() : found.end() + 2]
        if found.start() == 0 and not (after[:1] == " " and after[1:].isupper()):
            continue  # the first word of a sentence is capitalised anyway
        if (word := fold(found.group())) not in asked and word not in STOP_WORDS:
            return True
    return False


def has_kind(kind: str, text: str, asked: frozenset[str]) -> bool:
    """Whether a sentence holds something of the kind asked for that the question does not say itself."""
    new = [word for word in terms(text) if word not in asked]
    if kind == "number":
        return any(_DIGIT.search(word) or word in _NUMBER_WORDS for word in new) or bool(
            _HAN_NUMBER.search(text)
        )
    if kind == "date":
        return any(_DIGIT.search(word) or word in _DATE_WORDS for word in new) or bool(
            _HAN_DATE.search(text)
        )
    if kind == "name":
        return _has_new_name(text, asked)
    return bool(_BECAUSE.search(fold(text)))


# ---- Sentences of a passage

_HEAD = regex.compile(r"^\s{0,3}#{1,6}\s+\S")
_ITEM = regex.compile(r"^\s*(?:[-*+•▪◦–・]|\(?\d{1,3}(?:\.\d+)*[.)]?|[a-z][.)]|\[[ xX]\])\s+\S")
_ROW = regex.compile(r"^\s*\|.*\|\s*$")
_RULE = regex.compile(r"^\s*\|?[\s:|=_*~-]{3,}\|?\s*$")
_FENCE = regex.compile(r"^\s*(?:```|~~~)")
_LABEL = regex.compile(r"^\s*[*_]{0,2}[\p{Lu}\p{Lo}][\p{L}\p{N} /()&'’.-]{0,40}[*_]{0,2}[:：]")
_MARKED = (_HEAD, _ITEM, _ROW, _RULE, _FENCE, _LABEL)
# A dot after these does not end a sentence although the segmenter of English says so ("am 3. Mai", "Nr. 5").
_ABBREVIATED = regex.compile(
    r"(?:^|[^\p{L}\p{N}])(?:\d{1,2}|\p{Lu}|(?i:nr|no|abs|str|art|ca|bzw|vgl|evtl|inkl|zzgl|dr|fig|vol|pp?))\.\s*$"
)
_NOT_SENTENCE_BREAKS = str.maketrans({"\r": " ", "\n": " ", "\t": " "})
_LEADS_IN = (":", "：")
_ASKS = ("?", "？")
_FULL_STOPS = ("。", "！", "？", "】")  # scripts without spaces: a line that ends so is whole


def _continues(previous: str, line: str, width: int) -> bool:
    """Whether a line break only wraps a paragraph, so that the sentence may run over it."""
    if any(mark.match(line) for mark in _MARKED) or any(
        mark.match(previous) for mark in (_HEAD, _ROW, _RULE, _FENCE)
    ):
        return False
    if previous.rstrip().endswith(_FULL_STOPS):
        return False
    first = line.split(maxsplit=1)[0]
    if first[:1].islower():
        return True
    return width >= 40 and len(previous.rstrip()) + 1 + len(first) > 0.85 * width


def _blocks(text: str) -> Iterator[Unit]:
    """Each paragraph, list item, table row, heading and code block of a Markdown or plain text, in order."""
    lines: list[tuple[int, str]] = []
    position = 0
    for raw in text.splitlines(keepends=True):
        lines.append((position, raw.rstrip("\r\n")))
        position += len(raw)
    width = min(
        120, max((len(line.rstrip()) for _, line in lines if not _ROW.match(line)), default=0)
    )
    start, kind, previous, fenced = -1, "text", "", False
    for position, line in lines:
        fence = bool(_FENCE.match(line))
        if fenced and not fence:
            if start < 0:
                start, kind = position, "code"
            continue
        ends = fence or not line.strip() or bool(_RULE.match(line))
        if start >= 0 and (ends or not _continues(previous, line, width)):
            yield Unit(start, position, kind)
            start = -1
        if fence:
            fenced = not fenced
        if not ends and start < 0:
            start, kind = (
                position,
                "head" if _HEAD.match(line) else "row" if _ROW.match(line) else "text",
            )
        previous = line
    if start >= 0:
        yield Unit(start, len(text), kind)


def _trimmed(text: str, start: int, end: int, kind: str) -> Unit:
    """The unit without the blanks around it."""
    body = text[start:end]
    return Unit(end - len(body.lstrip()), start + len(body.rstrip()), kind)


def _split(text: str, block: Unit) -> Iterator[Unit]:
    """The sentences of one paragraph; pieces cut after an abbreviation or an ordinal are joined again."""
    start = position = block.start
    for piece in sentencex.segment(
        "en", text[block.start : block.end].translate(_NOT_SENTENCE_BREAKS)
    ):
        position += len(piece)
        open_ended = position < block.end and position - start < MERGE_LIMIT
        if open_ended and _ABBREVIATED.search(text[start:position]):
            continue
        yield _trimmed(text, start, position, block.kind)
        start = position
    if start < block.end:
        yield _trimmed(text, start, block.end, block.kind)


def units(text: str) -> list[Unit]:
    """The sentences, list items, table rows, headings and code blocks of a text, in order, none empty."""
    found: list[Unit] = []
    for block in _blocks(text):
        if block.kind == "text":
            found.extend(unit for unit in _split(text, block) if unit.start < unit.end)
            continue
        unit = _trimmed(text, block.start, block.end, block.kind)
        if unit.start >= unit.end:
            continue
        last = found[-1] if found else unit
        announced = last.kind == "text" and text[last.start : last.end].endswith(_LEADS_IN)
        if unit.kind == "code" and announced and unit.end - last.start <= CODE_WITH_LEAD_IN:
            found[-1] = Unit(last.start, unit.end, "code")
        else:
            found.append(unit)
    return found


_NUMBERED = regex.compile(r"^(?:\d{1,3}(?:\.\d+)*[.)]?|[【\[])\s*")
_TITLE_LENGTH = 60


def is_title(text: str) -> bool:
    """Whether a line looks like a title: short, no end mark, no list mark or label, no number but a leading one."""
    if (
        len(text) > _TITLE_LENGTH
        or "\n" in text
        or _LABEL.match(text)
        or text[-1] in ".!?;,。！？…"
    ):
        return False
    bare = _NUMBERED.sub("", text)
    return bool(bare) and bare[:1].isalpha() and not bare[:1].islower() and not _DIGIT.search(bare)


# ---- Candidates and their features


class Subject:
    """What a question is about: its content words, how rare each is among the passages, the kind asked for."""

    def __init__(self, question: str, passages: Sequence[Passage]) -> None:
        self.words = content_terms(question)
        self.asked = frozenset(terms(question))
        self.kind = expected_kind(question)
        self._cache: dict[str, frozenset[int]] = {}
        self.passage_hits = [
            self.hits(f"{passage.heading}\n{passage.text}") for passage in passages
        ]
        count = len(passages)
        frequency = [sum(i in hits for hits in self.passage_hits) for i in range(len(self.words))]
        self.rarity = [math.log(1 + (count - n + 0.5) / (n + 0.5)) for n in frequency]

    def hits(self, text: str) -> frozenset[int]:
        """Which of the question's words (by number) occur in the text, in any form."""
        found: set[int] = set()
        for word in set(terms(text)):
            if word not in self._cache:
                self._cache[word] = frozenset(
                    i for i, own in enumerate(self.words) if same_word(own, word)
                )
            found |= self._cache[word]
        return frozenset(found)

    def rare_share(self, hits: frozenset[int]) -> float:
        """The share of the question's words that occur, each counted by its rarity among the passages."""
        total = sum(self.rarity)
        return sum(self.rarity[i] for i in hits) / total if total else 0.0

    def share(self, hits: frozenset[int]) -> float:
        """The share of the question's words that occur, each counted once."""
        return len(hits) / len(self.words) if self.words else 0.0


def _candidates(subject: Subject, passages: Sequence[Passage]) -> list[Candidate]:
    """Every unit of the first passages that can be an answer, with the question words in and around it."""
    found: list[Candidate] = []
    for number, passage in enumerate(passages[:PASSAGES_READ]):
        heading, lead, before = passage.heading, "", frozenset[int]()
        own = units(passage.text)
        for unit in own:
            text = passage.text[unit.start : unit.end]
            titled = unit.kind == "text" and unit is not own[-1] and is_title(text)
            if unit.kind == "head" or text.endswith(_ASKS):
                heading, lead, before = (
                    (text, "", frozenset()) if unit.kind == "head" else (heading, text, before)
                )
                continue
            if not terms(text):
                continue
            if unit.kind == "row" and not lead.startswith("|"):
                lead = text
            elif unit.kind != "row" and not _ITEM.match(text):
                lead = lead if lead.endswith(_ASKS) else ""
            hits = subject.hits(text)
            around = hits | before | subject.hits(f"{heading}\n{lead}")
            found.append(Candidate(number, unit.start, unit.end, text, hits, around, titled))
            before = hits
            heading = text if titled else heading
            if text.endswith(_LEADS_IN):
                lead = text
    return found[:UNITS_READ]


def features(
    subject: Subject, passages: Sequence[Passage], found: Sequence[Candidate], cosines: Vectors
) -> Vectors:
    """One row for each candidate: cosine, passage score, rare share with context, share, kind, title.

    Kind is 1 where the sentence holds the kind of answer asked for, -1 where not, 0 where no kind is asked for.
    """
    highest = max((passage.score for passage in passages), default=0.0) or 1.0
    rows = []
    for candidate, cosine in zip(found, cosines, strict=True):
        kind = 0.0
        if subject.kind:
            kind = 1.0 if has_kind(subject.kind, candidate.text, subject.asked) else -1.0
        rows.append(
            (
                float(cosine),
                passages[candidate.passage].score / highest,
                subject.rare_share(candidate.context_hits),
                subject.share(candidate.hits),
                kind,
                float(candidate.titled),
            )
        )
    return np.array(rows, dtype=np.float32).reshape(-1, 6)


WEIGHTS = np.array(
    [WEIGHT_COSINE, WEIGHT_PASSAGE, WEIGHT_RARE, WEIGHT_SHARE, WEIGHT_KIND, -TITLE_PENALTY],
    dtype=np.float32,
)


def summary(
    subject: Subject, passages: Sequence[Passage], found: Sequence[Candidate], table: Vectors
) -> list[float]:
    """Seven figures about the best candidate, in the order of CONFIDENCE_WEIGHTS."""
    scores: Vectors = table @ WEIGHTS
    order = np.argsort(-scores, kind="stable")
    best = int(order[0])
    lowest = float(scores[order[: MOST_SENTENCES + 1][-1]])
    last = lowest if len(order) > MOST_SENTENCES else min(lowest, UNRELATED_SCORE)
    candidate = found[best]
    return [
        float(scores[best]),
        float(table[best, 0]),
        float(scores[best]) - last,
        passages[candidate.passage].cosine,
        float(min(len(candidate.hits), MOST_WORDS)),
        float(min(len(subject.passage_hits[candidate.passage]), MOST_PASSAGE_WORDS)),
        float(table[best, 4] < 0),
    ]


CONFIDENCE_WEIGHTS = (
    CONFIDENCE_SCORE,
    CONFIDENCE_COSINE,
    CONFIDENCE_GAP,
    CONFIDENCE_PASSAGE,
    CONFIDENCE_WORDS,
    CONFIDENCE_PASSAGE_WORDS,
    CONFIDENCE_KIND_MISSING,
)


def confidence(figures: Sequence[float]) -> float:
    """The probability that the best sentences answer the question, from the figures of `summary`."""
    logit = CONFIDENCE_BIAS + sum(w * x for w, x in zip(CONFIDENCE_WEIGHTS, figures, strict=True))
    return 1 / (1 + math.exp(-logit))


def _chosen(found: Sequence[Candidate], scores: Vectors) -> tuple[Sentence, ...]:
    """The best candidates, best first, without repeats and without those far behind the best."""
    chosen: list[Sentence] = []
    seen: set[str] = set()
    for i in np.argsort(-scores, kind="stable"):
        candidate, score = found[int(i)], float(scores[i])
        if len(chosen) == MOST_SENTENCES or (chosen and score < chosen[0].score - KEEP_WITHIN):
            break
        if (key := " ".join(terms(candidate.text))) not in seen:
            seen.add(key)
            chosen.append(
                Sentence(candidate.passage, candidate.start, candidate.end, candidate.text, score)
            )
    return tuple(chosen)


def rank_sentences(question: str, passages: Sequence[Passage], encode: Encode) -> Ranking:
    """The sentences of the passages that answer the question, best first, and how sure that is.

    `passages` come best first; the first PASSAGES_READ are searched, all of them tell common words from rare ones.
    `encode` gives one unit vector for each text and is called once.
    """
    subject = Subject(question, passages)
    found = _candidates(subject, passages)
    if not found:
        return Ranking((), 0.0)
    vectors = encode([question, *(candidate.text for candidate in found)])
    table = features(subject, passages, found, vectors[1:] @ vectors[0])
    scores: Vectors = table @ WEIGHTS
    return Ranking(_chosen(found, scores), confidence(summary(subject, passages, found, table)))
