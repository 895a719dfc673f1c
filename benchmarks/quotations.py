"""Whether a damaged quotation is ever called verified, and a right one ever is not: generated.

Kinds of damage to numbers and to the sense of a sentence, in five habits of writing numbers, on the
sentences of quotations.toml and on sentences of the evaluation data where it is there. What a case
deserves is known from how it was made.

    python benchmarks/quotations.py [--cases 5000] [--seed 1] [--set dev|held|last] [--failures]
"""

from __future__ import annotations

import argparse
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.evidence import Documents
from benchmarks.quotation_damage import (
    HABITS,
    MINUSES,
    NUMBER_DAMAGE,
    SENSE_DAMAGE,
    Damage,
    Made,
    Place,
    text_of,
    written,
)
from corpus_agent.answering.quotations import check_quotation
from indexer.records import Line

DATA = Path(__file__).parent.parent.parent / "shared" / "eval"
LANGUAGES = ("en", "de", "fr", "es", "zh")
GOOD = ("verified", "moved")
SOURCE = "notes/a.md"
FILLER = ("# Notes", "", "Some other words stand here, and they say little.", "")


@dataclass(frozen=True, slots=True)
class Case:
    """A document, a quotation of it, and whether it deserves to be called verified."""

    kind: str
    habit: str
    text: str
    quote: str
    right: bool


# ---- Right ones


def whole_sentence(place: Place, number: str, chance: random.Random) -> Made:
    text = text_of(place, number)
    return text, text


def from_the_number(place: Place, number: str, chance: random.Random) -> Made:
    return text_of(place, number), number + place.unit + place.after


def up_to_the_unit(place: Place, number: str, chance: random.Random) -> Made:
    return text_of(place, number), place.before + number + place.unit


def rewrapped(place: Place, number: str, chance: random.Random) -> Made:
    text = text_of(place, number)
    if chance.random() < 0.5:
        text = text.replace(" ", "\n", 1)
    gaps = (" ", "  ", "\n", "\u00a0")
    quote = re.sub(r"(?<!\d) (?!\d)", lambda _: chance.choice(gaps), text)
    return text, quote.replace("'", "’")


def one_of_two(place: Place, number: str, chance: random.Random) -> Made:
    text = text_of(place, number)
    other = FILLER[2]
    return chance.choice((f"{text} {other}", f"{other} {text}")), text


def with_sign_and_unit(place: Place, number: str, chance: random.Random) -> Made:
    sign = chance.choice(MINUSES[:6])
    text = f"{place.before}{sign}{number} °C{place.after}"
    return text, chance.choice((text, f"{sign}{number} °C{place.after}"))


def whole_identifier(place: Place, number: str, chance: random.Random) -> Made:
    code = chance.choice(("DE89 3704 0044 0532 0130 00", "2025-03-14", "1:50", "10:30", "A123"))
    return text_of(place, code), text_of(place, code)


RIGHT: dict[str, Damage] = {
    "whole sentence": whole_sentence,
    "from the number on": from_the_number,
    "up to what it counts": up_to_the_unit,
    "other white space": rewrapped,
    "one of two sentences": one_of_two,
    "sign and unit kept": with_sign_and_unit,
    "identifier kept": whole_identifier,
}
RIGHT_SENSE = ("negation kept", "restriction kept")


# ---- Cases


@cache
def sentences(which: str) -> dict[str, list[tuple[str, str]]]:
    """The sentences of a set by table: language and text."""
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {
        table: [(entry["lang"], entry["text"]) for entry in entries if entry["set"] == which]
        for table, entries in tables.items()
    }


@cache
def real_sentences(which: str) -> list[tuple[str, str]]:
    """Sentences of the evaluation data with a plain number in their middle; none where absent.

    Of every second document those of "dev", of the others those of "held".
    """
    found = []
    for lang in ("en", "de", "es", "zh"):
        folder = DATA / "languages" / "xquad-r-dev" / lang / "paragraphs"
        for path in sorted(folder.iterdir() if folder.is_dir() else ())[which != "dev" :: 2]:
            text = " ".join(path.read_text("utf-8").split())
            stop = "。" if lang == "zh" else ". "
            found += [(lang, sentence) for sentence in text.split(stop) if 60 < len(sentence) < 400]
    return found


def place_in(lang: str, text: str) -> Place:
    before, _, rest = text.partition("{n}")
    unit, _, after = rest.partition("~")
    return Place(lang, before, unit, after)


def damaged(which: str, chance: random.Random) -> Iterator[Case]:
    """Cases without end: each kind of damage in each habit, and right ones beside them."""
    tables = sentences(which)
    places = [place_in(*entry) for entry in tables["numbers"]]
    while True:
        for habit in HABITS:
            fitting = [p for p in places if (p.lang == "zh") == (habit == HABITS[-1])]
            if habit in HABITS[:2]:
                fitting = places
            for kinds, right in ((NUMBER_DAMAGE, False), (RIGHT, True)):
                for kind, damage in kinds.items():
                    made = damage(chance.choice(fitting), written(habit, chance), chance)
                    if made:
                        yield Case(kind, habit, *made, right)
            for kind, (table, change) in SENSE_DAMAGE.items():
                made = change(chance.choice(tables[table])[1].split("|"), chance)
                yield Case(kind, habit, *made, False)
            for kind, table in zip(RIGHT_SENSE, ("negated", "restricted"), strict=True):
                text = chance.choice(tables[table])[1].replace("|", "")
                yield Case(kind, habit, text, text, True)
            for _ in range(8 if real_sentences(which) else 0):
                yield from _of_real(*chance.choice(real_sentences(which)), habit, chance)


_PLAIN = re.compile(r"(?<![\w.,:/–-])(?<![^\w.,!?;:] )\d{3,}(?:[.,]\d+)?(?![\w.,:/–%-])")
_TURNS = re.compile(
    r"(?i)\b(?:not|never|without|nicht|kein\w*|nie|ohne|no|nunca|sin(?! embargo)|jamás)\b"
    r"|不|没|未|无"
)


def _of_real(lang: str, text: str, habit: str, chance: random.Random) -> Iterator[Case]:
    yield Case("real: whole sentence", habit, text, text, True)
    if lang != "zh":
        run = _plain_run(text, chance)
        if run:
            yield Case("real: run of words", habit, text, run, True)
    number = _PLAIN.search(text)
    if number and number.start() > 20 and number.end() < len(text) - 20:
        at = chance.randrange(number.start() + 1, number.end())
        yield Case("real: front of a number left out", habit, text, text[at:], False)
        yield Case("real: end of a number left out", habit, text, text[:at], False)
    turn = _TURNS.search(text)
    if turn and turn.start() > 25 and len(text) - turn.end() > 25:
        if lang == "zh" and text[turn.start() : turn.end() + 1] not in ("不能", "没有", "无法"):
            return
        yield Case("real: stops before a negation", habit, text, text[: turn.start()], False)
        behind = text[turn.end() :].lstrip()
        if lang != "zh" and text[turn.end()] == " ":
            yield Case("real: begins behind a negation", habit, text, behind, False)


_OTHER_TURNS = re.compile(
    r"(?i)\b(?:n['’]t|un\w+|if|whether|only|except\w*|unless|wenn|ob|falls|außer|nur|si|solo|sólo|salvo"
    r"|nor|neither|none|niemand|weder|noch|nichts|ni|nadie|nada|tampoco|ningun\w*|lack\w*|fail\w*"
    r"|than|als|más|menos|over|under|least|most|over|über|unter|hasta|bis|to|rather|instead|out)\b"
)
_FIGURE_WORDS = re.compile(
    r"(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|zwei|drei|vier|fünf|sechs|halb"
    r"\w*|dos|tres|cuatro|cinco|seis|siete|ocho|medio|media|mil\w*|hundred|thousand|hundert|tausend)\b"
)


def _plain_run(text: str, chance: random.Random) -> str:
    """A run of words with neither figures nor words that turn the sense by its ends."""
    words = text.split(" ")
    length = chance.randint(8, 25)
    start = chance.randrange(max(1, len(words) - length))
    end = min(len(words), start + length)
    ends = [*words[max(0, start - 6) : start + 3], *words[end - 3 : end + 5]]
    beside = " ".join(ends)
    plain = not any(p.search(beside) for p in (_TURNS, _OTHER_TURNS, _FIGURE_WORDS))
    run = words[start:end]
    return " ".join(run) if plain and sum(len(word) > 5 for word in run) > 4 else ""


def verdict(case: Case) -> str:
    """What the program says of a case."""
    lines = (*FILLER, *case.text.split("\n"), "", FILLER[2])
    documents = Documents({SOURCE: tuple(Line(line) for line in lines)})
    found = check_quotation(documents, 1, SOURCE, case.quote, len(FILLER) + 1)
    widened = found.stands and len(found.quote) > len(case.quote)
    return "widened" if widened else found.verdict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", choices=("dev", "held", "last"), default="dev")
    parser.add_argument("--failures", action="store_true")
    arguments = parser.parse_args()
    from benchmarks.common import print_table

    made = damaged(arguments.set, random.Random(arguments.seed))
    cases = [next(made) for _ in range(arguments.cases)]
    good = [verdict(case) in GOOD for case in cases]
    every: Counter[str] = Counter(case.kind for case in cases)
    wrong = Counter(c.kind for c, g in zip(cases, good, strict=True) if g and not c.right)
    refused = Counter(c.kind for c, g in zip(cases, good, strict=True) if c.right and not g)
    print_table(
        ("kind", "cases", "wrongly verified", "right and refused"),
        [(kind, count, wrong[kind], refused[kind]) for kind, count in every.items()],
    )
    right = sum(case.right for case in cases)
    print(
        f"set {arguments.set}, seed {arguments.seed}: {wrong.total()} of {len(cases) - right} "
        f"damaged ones verified; {refused.total()} of {right} right ones refused "
        f"({refused.total() / right:.2%})"
    )
    for case, given in zip(cases, good, strict=True):
        if arguments.failures and given != case.right:
            print(f"\n{case.kind} ({case.habit})\n  {case.text!r}\n  {case.quote!r}")


if __name__ == "__main__":
    main()
