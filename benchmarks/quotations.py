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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.evidence import Documents
from corpus_agent.answering.quotations import check_quotation
from indexer.records import Line

DATA = Path(__file__).parent.parent.parent / "shared" / "eval"
LANGUAGES = ("en", "de", "fr", "es", "zh")
HABITS = ("1,234.5", "1.234,5", "1 234,5", "12,34,567", "二千三百")
SPACES = (" ", "\u00a0", "\u2009", "\u202f")
MINUSES = ("-", "−", "–", "‐", "‒", "﹣", "－", "- ", "− ", "–\u00a0", "-€", "−£ ", "$-", "minus ")
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


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence around a number: what stands before it, what it counts, what follows."""

    lang: str
    before: str
    unit: str
    after: str


# ---- Numbers as five habits write them


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
            gap = False
        else:
            gap = True
    return said


def written(habit: str, chance: random.Random) -> str:
    """A number of several groups as a habit writes it."""
    whole = chance.choice((1, 12, 230)) * 1000 + chance.randint(101, 999)
    tail = str(chance.randint(1, 9))
    if habit == "1,234.5":
        return f"{grouped(whole, (3, 3), ',')}.{tail}"
    if habit == "1.234,5":
        return f"{grouped(whole, (3, 3), '.')},{tail}"
    if habit == "1 234,5":
        return f"{grouped(whole, (3, 3), chance.choice(SPACES))},{tail}"
    if habit == "12,34,567":
        return grouped(chance.randint(1_000_000, 99_999_999), (3, 2, 2), ",")
    return chinese(chance.choice((whole, whole + 50_000, chance.randint(111, 9999))))


def cuts(number: str) -> list[int]:
    """Where a written number may be cut so that both pieces still look like numbers."""
    inner = range(1, len(number))
    return [at for at in inner if number[at].isalnum() and not number[at - 1].isspace()] or [1]


# ---- Damage to numbers: each gives the sentence's number, and the quotation


Made = tuple[str, str] | None  # text and quotation
Damage = Callable[[Place, str, random.Random], Made]


def _text(place: Place, number: str) -> str:
    return f"{place.before}{number}{place.unit}{place.after}"


def front_dropped(place: Place, number: str, chance: random.Random) -> Made:
    at = chance.choice(cuts(number))
    return _text(place, number), number[at:] + place.unit + place.after


def end_dropped(place: Place, number: str, chance: random.Random) -> Made:
    at = chance.choice(range(1, len(number)))
    return _text(place, number), place.before + number[:at].rstrip(" .,\u00a0\u2009\u202f")


def digit_changed(place: Place, number: str, chance: random.Random) -> Made:
    at = chance.choice([n for n, char in enumerate(number) if char.isnumeric()])
    known = "0123456789" if number[at].isdigit() else "一二三四五六七八九千百十万"
    other = chance.choice([char for char in known if char != number[at]])
    changed = number[:at] + other + number[at + 1 :]
    return _text(place, number), _text(place, changed)


def separator_changed(place: Place, number: str, chance: random.Random) -> Made:
    marks = [n for n, char in enumerate(number) if not char.isalnum()]
    if not marks:
        return None
    at = chance.choice(marks)
    changed = number[:at] + chance.choice(("", ", ", ". ")) + number[at + 1 :]
    return _text(place, number), _text(place, changed)


def sign_dropped(place: Place, number: str, chance: random.Random) -> Made:
    minus = chance.choice(MINUSES)
    before, after = place.before, number + place.unit + place.after
    if place.lang == "zh":
        minus = chance.choice(("负", "零下", "-", "−"))
    return before + minus + after, chance.choice((after, before + after))


def brackets_dropped(place: Place, number: str, chance: random.Random) -> Made:
    sign = chance.choice(("", "€", "£ "))
    text = f"{place.before}({sign}{number}){place.unit}{place.after}"
    whole = f"{place.before}{sign}{number}{place.unit}{place.after}"
    return text, chance.choice((whole, f"{number}){place.unit}{place.after}"))


def point_dropped(place: Place, number: str, chance: random.Random) -> Made:
    digits = str(chance.randint(1, 99))
    mark = chance.choice((".", ",")) if place.lang != "en" else "."
    return _text(place, mark + digits), digits + place.unit + place.after


def mixed_fraction(place: Place, number: str, chance: random.Random) -> Made:
    whole = str(chance.randint(1, 40))
    gap = chance.choice(("", *SPACES))
    part = chance.choice(("½", "¼", "¾")) if not gap else chance.choice(("½", "1/2", "3⁄4", "3/8"))
    text = _text(place, whole + gap + part)
    return text, chance.choice((part + place.unit + place.after, place.before + whole))


def exponent(place: Place, number: str, chance: random.Random) -> Made:
    tail = chance.choice(("e6", "E+9", "×10⁶", " × 10^6", " x 10^3", "²", "⁻³", "^2", "·10⁴"))
    whole = str(chance.randint(2, 99))
    return _text(place, whole + tail), place.before + whole


def percent(place: Place, number: str, chance: random.Random) -> Made:
    words = {"en": " percent", "de": " Prozent", "fr": " pour cent", "es": " por ciento"}
    tail = chance.choice(("%", " %", "\u00a0%", "‰", "\u202f‰", words.get(place.lang, "％")))
    return f"{place.before}{number}{tail}{place.after}", place.before + number


def scale_word(place: Place, number: str, chance: random.Random) -> Made:
    words = {
        "en": (" million", " billion", " thousand", "\u00a0million", " dozen"),
        "de": (" Millionen", " Mio.", " Milliarden", " Tausend"),
        "fr": (" millions de", "\u00a0milliards de", " mille"),
        "es": (" millones de", " mil", " mil millones de"),
        "zh": ("万", "亿", " 万"),
    }
    whole = str(chance.randint(2, 99))
    number = number if chance.random() < 0.5 else whole
    tail = chance.choice(words[place.lang])
    if tail in ("万", "亿") and number[-1] in "万亿":
        return None
    return _text(place, number + tail), place.before + number


def range_cut(place: Place, number: str, chance: random.Random) -> Made:
    words = {"en": " to ", "de": " bis ", "fr": " à ", "es": " a ", "zh": "至"}
    mark = chance.choice(("–", "-", " – ", "—", " - ", "‑", "~", words[place.lang]))
    low = str(chance.randint(2, 900))
    text = _text(place, low + mark + number)
    return text, chance.choice((number + place.unit + place.after, place.before + low))


def identifier(place: Place, number: str, chance: random.Random) -> Made:
    def digits(count: int) -> str:
        return "".join(chance.choice("123456789") for _ in range(count))

    gap = chance.choice(SPACES)
    made = (
        gap.join((f"DE{digits(2)}", *(digits(4) for _ in range(4)), digits(2))),
        gap.join(digits(4) for _ in range(4)),
        gap.join((f"0{digits(3)}", digits(3), digits(4))),
        gap.join((digits(4), digits(4))),
        f"+{digits(2)}{gap}{digits(3)}{gap}{digits(5)}",
        f"2025-0{digits(1)}-1{digits(1)}",
        f"{digits(1)}.{digits(1)}.{digits(2)}",
        f"1{digits(1)}:3{digits(1)}",
        f"1:{digits(2)}",
        f"{digits(2)}/{digits(3)}/{digits(2)}",
        f"{digits(3)}-{digits(2)}-{digits(4)}",
        f"{digits(2)}'{digits(3)}",
        f"{digits(2)}’{digits(3)}",
    )
    code = chance.choice(made)
    inner = [n for n in range(2, len(code)) if not code[n - 1].isalnum() and code[n].isalnum()]
    at = chance.choice(inner)
    text = _text(place, code)
    head = place.before + code[:at].rstrip("-.:/ '’\u00a0\u2009\u202f")
    return text, chance.choice((code[at:] + place.unit + place.after, head))


def over_a_line_end(place: Place, number: str, chance: random.Random) -> Made:
    if number[0] in "一二三四五六七八九":
        at = chance.choice(range(1, len(number)))
        head, tail = number[:at], number[at:]
    else:
        mark = chance.choice((" ", ",", ".", "-"))
        head, tail = str(chance.randint(1, 999)), f"{chance.randint(100, 999)}"
        head += mark.strip()
    text = _text(place, f"{head}\n{tail}")
    return text, chance.choice((tail + place.unit + place.after, place.before + head.rstrip(",.-")))


def other_digits(place: Place, number: str, chance: random.Random) -> Made:
    zero = ord(chance.choice("٠०０๐۰"))
    marks = {"٠": "٬", "۰": "٬", "０": "，"}
    mark = marks.get(chr(zero), ",")
    digits = [chr(zero + chance.randint(1, 9)) for _ in range(5)]
    code = "".join(digits[:2]) + chance.choice(("", mark)) + "".join(digits[2:])
    at = chance.choice(range(1, len(code)))
    head = place.before + code[:at].rstrip("٬，,")
    return _text(place, code), chance.choice((code[at:] + place.unit + place.after, head))


def letters_glued(place: Place, number: str, chance: random.Random) -> Made:
    whole = str(chance.randint(100, 999))
    if chance.random() < 0.5:
        code = chance.choice("ABKX") + chance.choice(("", "-", "/")) + whole
        tail = whole + place.unit + place.after
        return _text(place, code), chance.choice((tail, place.before + code[:-1]))
    code = whole + chance.choice(("kg", "km", "-B", "A", "b/2"))
    return _text(place, code), place.before + whole


def unit_left_out(place: Place, number: str, chance: random.Random) -> Made:
    tail = chance.choice((" kg", " mm", "\u00a0°C", " €", " km/h", " $", "\u202fEUR", " MB"))
    text = f"{place.before}{number}{tail}{place.after}"
    return text, place.before + number


NUMBER_DAMAGE: dict[str, Damage] = {
    "front of a number left out": front_dropped,
    "end of a number left out": end_dropped,
    "digit changed": digit_changed,
    "separator changed": separator_changed,
    "sign left out": sign_dropped,
    "brackets of a minus left out": brackets_dropped,
    "point left out": point_dropped,
    "piece of a mixed fraction": mixed_fraction,
    "exponent left out": exponent,
    "percent left out": percent,
    "scale word left out": scale_word,
    "piece of a range": range_cut,
    "piece of an identifier": identifier,
    "number over a line end": over_a_line_end,
    "other digits": other_digits,
    "letters beside digits": letters_glued,
    "unit left out": unit_left_out,
}


# ---- Damage to the sense, and too little of it


def stops_before(parts: list[str], chance: random.Random) -> Made:
    return "".join(parts), parts[0].rstrip(" ,，")


def begins_behind(parts: list[str], chance: random.Random) -> Made:
    return "".join(parts), parts[2].strip()


def left_out_inside(parts: list[str], chance: random.Random) -> Made:
    gap = "" if parts[0][-1] >= "\u2e80" else " "
    return "".join(parts), f"{parts[0].rstrip()}{gap}{parts[2].lstrip()}"


def too_little(parts: list[str], chance: random.Random) -> Made:
    if parts[0][-1] >= "\u2e80":
        return "".join(parts), parts[0][: chance.choice((1, 2))]
    words = parts[0].split()
    start = chance.randrange(len(words) - 1)
    return "".join(parts), " ".join(words[start : start + chance.choice((1, 2))])


SENSE_DAMAGE = {
    "stops before a negation": ("negated", stops_before),
    "begins behind a negation": ("negated", begins_behind),
    "negation left out": ("negated", left_out_inside),
    "stops before a restriction": ("restricted", stops_before),
    "too few words": ("negated", too_little),
}


# ---- Right ones


def whole_sentence(place: Place, number: str, chance: random.Random) -> Made:
    text = _text(place, number)
    return text, text


def from_the_number(place: Place, number: str, chance: random.Random) -> Made:
    return _text(place, number), number + place.unit + place.after


def up_to_the_unit(place: Place, number: str, chance: random.Random) -> Made:
    return _text(place, number), place.before + number + place.unit


def rewrapped(place: Place, number: str, chance: random.Random) -> Made:
    text = _text(place, number)
    if chance.random() < 0.5:
        text = text.replace(" ", "\n", 1)
    gaps = (" ", "  ", "\n", "\u00a0")
    quote = re.sub(r"(?<!\d) (?!\d)", lambda _: chance.choice(gaps), text)
    return text, quote.replace("'", "’")


def one_of_two(place: Place, number: str, chance: random.Random) -> Made:
    text = _text(place, number)
    other = FILLER[2]
    return chance.choice((f"{text} {other}", f"{other} {text}")), text


def with_sign_and_unit(place: Place, number: str, chance: random.Random) -> Made:
    sign = chance.choice(MINUSES[:6])
    text = f"{place.before}{sign}{number} °C{place.after}"
    return text, chance.choice((text, f"{sign}{number} °C{place.after}"))


def whole_identifier(place: Place, number: str, chance: random.Random) -> Made:
    code = chance.choice(("DE89 3704 0044 0532 0130 00", "2025-03-14", "1:50", "10:30", "A123"))
    return _text(place, code), _text(place, code)


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
    return check_quotation(documents, 1, SOURCE, case.quote, len(FILLER) + 1).verdict


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
