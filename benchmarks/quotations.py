"""Whether a damaged quotation is ever called verified, and a right one ever is not: generated.

Kinds of damage to numbers and to the sense of a sentence, in five habits of writing numbers, on the
sentences of quotations.toml. What a case deserves is known from how it was made.

    python benchmarks/quotations.py [--cases 5000] [--seed 1] [--set dev|held|last]
"""

from __future__ import annotations

import argparse
import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corpus_agent.answering.quotations import check_quotation
from indexer.records import Line
from tests.support.fakes import MemoryCorpus

HABITS = ("1,234.5", "1.234,5", "1 234,5", "12,34,567", "二千三百")
GOOD = ("verified", "moved")
SOURCE = "notes/a.md"
FILLER = ("# Notes", "", "Some other words stand here, and they say little.", "")
TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
WORDS = TABLES["damage"]
SPACES, MINUSES = WORDS["spaces"], WORDS["minuses"]
MARKS = " .,:/-'’\u00a0\u2009\u202f٬，"  # within a number or an identifier


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence around a number: what stands before it, what it counts, what follows."""

    lang: str
    before: str
    unit: str
    after: str

    def text(self, number: str) -> str:
        return self.before + self.from_on(number)

    def from_on(self, number: str) -> str:
        return number + self.unit + self.after


@dataclass(frozen=True, slots=True)
class Case:
    """A document, a quotation of it, and whether it deserves to be called verified."""

    kind: str
    habit: str
    text: str
    quote: str
    right: bool


Made = tuple[str, str] | None  # text and quotation
Damage = Callable[[Place, str, random.Random], Made]


def grouped(whole: int, sizes: tuple[int, ...], mark: str) -> str:
    digits, groups = str(whole), []
    for size in sizes:
        if len(digits) <= size:
            break
        digits, last = digits[:-size], digits[-size:]
        groups.insert(0, last)
    return mark.join([digits, *groups])


def chinese(number: int) -> str:
    """A number below a hundred million in Chinese numerals: 二千三百."""
    if number >= 10_000:
        rest = number % 10_000
        gap = "零" if 0 < rest < 1000 else ""
        return f"{chinese(number // 10_000)}万{gap}{chinese(rest) if rest else ''}"
    said, gap = "", False
    for power, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, power)
        if digit:
            said += ("零" if gap and said else "") + "零一二三四五六七八九"[digit] + name
        gap = not digit
    return said


def written(habit: str, chance: random.Random) -> str:
    """A number of several groups as a habit writes it."""
    whole = chance.choice((1, 12, 230)) * 1000 + chance.randint(101, 999)
    tail = str(chance.randint(1, 9))
    if habit == "12,34,567":
        return grouped(chance.randint(1_000_000, 99_999_999), (3, 2, 2), ",")
    if habit == HABITS[-1]:
        return chinese(chance.choice((whole, whole + 50_000, chance.randint(111, 9999))))
    mark, point = {"1,234.5": (",", "."), "1.234,5": (".", ",")}.get(habit, (" ", ","))
    return f"{grouped(whole, (3, 3), mark.replace(' ', chance.choice(SPACES)))}{point}{tail}"


def pieces(place: Place, code: str, at: int, chance: random.Random) -> Made:
    """The sentence up to a place within a number or identifier, or from there on."""
    head, tail = place.before + code[:at].rstrip(MARKS), place.from_on(code[at:].lstrip())
    return place.text(code), chance.choice((head, tail))


def front_dropped(place: Place, number: str, chance: random.Random) -> Made:
    inner = range(1, len(number))
    starts = [at for at in inner if number[at].isalnum() and not number[at - 1].isspace()]
    return place.text(number), place.from_on(number[chance.choice(starts or [1]) :])


def end_dropped(place: Place, number: str, chance: random.Random) -> Made:
    at = chance.choice(range(1, len(number)))
    return place.text(number), place.before + number[:at].rstrip(MARKS)


def digit_changed(place: Place, number: str, chance: random.Random) -> Made:
    at = chance.choice([n for n, char in enumerate(number) if char.isnumeric()])
    known = "0123456789" if number[at].isdigit() else "一二三四五六七八九千百十万"
    other = chance.choice([char for char in known if char != number[at]])
    return place.text(number), place.text(number[:at] + other + number[at + 1 :])


def separator_changed(place: Place, number: str, chance: random.Random) -> Made:
    marks = [n for n, char in enumerate(number) if not char.isalnum()]
    if not marks:
        return None
    at = chance.choice(marks)
    changed = number[:at] + chance.choice(("", ", ", ". ")) + number[at + 1 :]
    return place.text(number), place.text(changed)


def sign_dropped(place: Place, number: str, chance: random.Random) -> Made:
    minus = chance.choice(("负", "零下", "-", "−") if place.lang == "zh" else MINUSES)
    quote = chance.choice((place.from_on(number), place.text(number)))
    return place.text(minus + number), quote


def brackets_dropped(place: Place, number: str, chance: random.Random) -> Made:
    sign = chance.choice(("", "€", "£ "))
    quotes = place.text(sign + number), place.from_on(f"{number})")
    return place.text(f"({sign}{number})"), chance.choice(quotes)


def point_dropped(place: Place, number: str, chance: random.Random) -> Made:
    digits = str(chance.randint(1, 99))
    mark = chance.choice((".", ",")) if place.lang != "en" else "."
    return place.text(mark + digits), place.from_on(digits)


def mixed_fraction(place: Place, number: str, chance: random.Random) -> Made:
    whole, gap = str(chance.randint(1, 40)), chance.choice(("", *SPACES))
    part = chance.choice(("½", "¼", "¾")) if not gap else chance.choice(("½", "1/2", "3⁄4", "3/8"))
    return pieces(place, whole + gap + part, len(whole), chance)


def range_cut(place: Place, number: str, chance: random.Random) -> Made:
    words = {"en": " to ", "de": " bis ", "fr": " à ", "es": " a ", "zh": "至"}
    mark = chance.choice(("–", "-", " – ", "—", " - ", "‑", "~", words[place.lang]))
    low = str(chance.randint(2, 900))
    quotes = place.from_on(number), place.before + low
    return place.text(low + mark + number), chance.choice(quotes)


def identifier(place: Place, number: str, chance: random.Random) -> Made:
    code = chance.choice(WORDS["codes"]).replace(" ", chance.choice(SPACES))
    digits = re.compile(r"\{(\d)\}")
    code = digits.sub(lambda n: "".join(chance.choices("123456789", k=int(n[1]))), code)
    inner = [n for n in range(2, len(code)) if not code[n - 1].isalnum() and code[n].isalnum()]
    return pieces(place, code, chance.choice(inner), chance)


def over_a_line_end(place: Place, number: str, chance: random.Random) -> Made:
    if number[0] in "一二三四五六七八九":
        at = chance.choice(range(1, len(number)))
        head, tail = number[:at], number[at:]
    else:
        mark = chance.choice(("", ",", ".", "-"))
        head, tail = f"{chance.randint(1, 999)}{mark}", f"{chance.randint(100, 999)}"
    quotes = place.from_on(tail), place.before + head.rstrip(MARKS)
    return place.text(f"{head}\n{tail}"), chance.choice(quotes)


def other_digits(place: Place, number: str, chance: random.Random) -> Made:
    zero, mark = chance.choice((("٠", "٬"), ("۰", "٬"), ("０", "，"), ("०", ","), ("๐", ",")))
    digits = [chr(ord(zero) + chance.randint(1, 9)) for _ in range(5)]
    code = "".join(digits[:2]) + chance.choice(("", mark)) + "".join(digits[2:])
    return pieces(place, code, chance.choice(range(1, len(code))), chance)


def letters_glued(place: Place, number: str, chance: random.Random) -> Made:
    whole = str(chance.randint(100, 999))
    if chance.random() < 0.5:
        code = chance.choice("ABKX") + chance.choice(("", "-", "/")) + whole
        return place.text(code), chance.choice((place.from_on(whole), place.before + code[:-1]))
    return place.text(whole + chance.choice(("kg", "km", "-B", "A", "b/2"))), place.before + whole


def left_out_behind(kind: str, *, long: bool) -> Damage:
    """What stands behind a number is left out; of all languages, or of the sentence's own."""

    def damage(place: Place, number: str, chance: random.Random) -> Made:
        number = number if long else str(chance.randint(2, 99))
        tails = WORDS[kind]
        tail = chance.choice([*tails.get("all", ()), *tails.get(place.lang, ())])
        return f"{place.before}{number}{tail}{place.after}", place.before + number

    return damage


NUMBER_DAMAGE: dict[str, Damage] = {
    "front of a number left out": front_dropped,
    "end of a number left out": end_dropped,
    "digit changed": digit_changed,
    "separator changed": separator_changed,
    "sign left out": sign_dropped,
    "brackets of a minus left out": brackets_dropped,
    "point left out": point_dropped,
    "piece of a mixed fraction": mixed_fraction,
    "exponent left out": left_out_behind("exponents", long=False),
    "percent left out": left_out_behind("percents", long=True),
    "scale word left out": left_out_behind("scales", long=False),
    "piece of a range": range_cut,
    "piece of an identifier": identifier,
    "number over a line end": over_a_line_end,
    "other digits": other_digits,
    "letters beside digits": letters_glued,
    "unit left out": left_out_behind("units", long=True),
}


def left_out_inside(parts: list[str], chance: random.Random) -> str:
    gap = "" if parts[0][-1] >= "\u2e80" else " "
    return f"{parts[0].rstrip()}{gap}{parts[2].lstrip()}"


def too_little(parts: list[str], chance: random.Random) -> str:
    if parts[0][-1] >= "\u2e80":
        return parts[0][: chance.choice((1, 2))]
    words = parts[0].split()
    start = chance.randrange(len(words) - 1)
    return " ".join(words[start : start + chance.choice((1, 2))])


SENSE_DAMAGE: dict[str, tuple[str, Callable[[list[str], random.Random], str]]] = {
    "stops before a negation": ("negated", lambda parts, _: parts[0].rstrip(" ,，")),
    "begins behind a negation": ("negated", lambda parts, _: parts[2].strip()),
    "negation left out": ("negated", left_out_inside),
    "stops before a restriction": ("restricted", lambda parts, _: parts[0].rstrip(" ,，")),
    "too few words": ("negated", too_little),
}


def rewrapped(place: Place, number: str, chance: random.Random) -> Made:
    text = place.text(number)
    if chance.random() < 0.5:
        text = text.replace(" ", "\n", 1)
    quote = re.sub(r"(?<!\d) (?!\d)", lambda _: chance.choice((" ", "  ", "\n", "\u00a0")), text)
    return text, quote.replace("'", "’")


def one_of_two(place: Place, number: str, chance: random.Random) -> Made:
    text = place.text(number)
    return chance.choice((f"{text} {FILLER[2]}", f"{FILLER[2]} {text}")), text


def with_sign_and_unit(place: Place, number: str, chance: random.Random) -> Made:
    rest = f"{chance.choice(MINUSES[:6])}{number} °C{place.after}"
    return place.before + rest, chance.choice((place.before + rest, rest))


def whole_identifier(place: Place, number: str, chance: random.Random) -> Made:
    code = chance.choice(("DE89 3704 0044 0532 0130 00", "2025-03-14", "1:50", "10:30", "A123"))
    return place.text(code), place.text(code)


RIGHT: dict[str, Damage] = {
    "whole sentence": lambda place, number, _: (place.text(number), place.text(number)),
    "from the number on": lambda place, number, _: (place.text(number), place.from_on(number)),
    "up to what it counts": lambda place, number, _: (
        place.text(number), place.before + number + place.unit
    ),
    "other white space": rewrapped,
    "one of two sentences": one_of_two,
    "sign and unit kept": with_sign_and_unit,
    "identifier kept": whole_identifier,
}  # fmt: skip


@cache
def sentences(which: str) -> dict[str, list[tuple[str, str]]]:
    return {
        table: [(e["lang"], e["text"]) for e in TABLES[table] if e["set"] == which]
        for table in ("numbers", "negated", "restricted")
    }


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
                parts = chance.choice(tables[table])[1].split("|")
                yield Case(kind, habit, "".join(parts), change(parts, chance), False)
            for table in ("negated", "restricted"):
                text = chance.choice(tables[table])[1].replace("|", "")
                yield Case(f"{table} and whole", habit, text, text, True)


def verdict(case: Case) -> str:
    """What the program says of a case; "widened" where it shows the whole sentence instead."""
    lines = (*FILLER, *case.text.split("\n"), "", FILLER[2])
    documents = MemoryCorpus({SOURCE: [*map(Line, lines)]})
    found = check_quotation(documents, 1, SOURCE, case.quote, len(FILLER) + 1)
    widened = found.stands and len(found.quote) > len(case.quote)
    return "widened" if widened else found.verdict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", choices=("dev", "held", "last"), default="dev")
    arguments = parser.parse_args()
    made = damaged(arguments.set, random.Random(arguments.seed))
    cases = [next(made) for _ in range(arguments.cases)]
    verdicts = [verdict(case) for case in cases]
    wrong: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for case, given in zip(cases, verdicts, strict=True):
        wrong[case.kind] += not case.right and given in GOOD
        refused[case.kind] += case.right and given not in (*GOOD, "widened")
    for kind in wrong:
        if wrong[kind] or refused[kind]:
            print(f"{kind}: {wrong[kind]} wrongly verified, {refused[kind]} right and refused")
    right = sum(case.right for case in cases)
    print(f"{wrong.total()} of {len(cases) - right} damaged ones verified; "
          f"{refused.total()} of {right} right ones refused")  # fmt: skip


if __name__ == "__main__":
    main()
