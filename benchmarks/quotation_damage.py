"""Numbers as five habits write them, and damage to them and to the sense of a sentence.

Used by quotations.py, which makes cases of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

HABITS = ("1,234.5", "1.234,5", "1 234,5", "12,34,567", "二千三百")
SPACES = (" ", "\u00a0", "\u2009", "\u202f")
MINUSES = ("-", "−", "–", "‐", "‒", "﹣", "－", "- ", "− ", "–\u00a0", "-€", "−£ ", "$-", "minus ")


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


def text_of(place: Place, number: str) -> str:
    return f"{place.before}{number}{place.unit}{place.after}"


def front_dropped(place: Place, number: str, chance: random.Random) -> Made:
    at = chance.choice(cuts(number))
    return text_of(place, number), number[at:] + place.unit + place.after


def end_dropped(place: Place, number: str, chance: random.Random) -> Made:
    at = chance.choice(range(1, len(number)))
    return text_of(place, number), place.before + number[:at].rstrip(" .,\u00a0\u2009\u202f")


def digit_changed(place: Place, number: str, chance: random.Random) -> Made:
    at = chance.choice([n for n, char in enumerate(number) if char.isnumeric()])
    known = "0123456789" if number[at].isdigit() else "一二三四五六七八九千百十万"
    other = chance.choice([char for char in known if char != number[at]])
    changed = number[:at] + other + number[at + 1 :]
    return text_of(place, number), text_of(place, changed)


def separator_changed(place: Place, number: str, chance: random.Random) -> Made:
    marks = [n for n, char in enumerate(number) if not char.isalnum()]
    if not marks:
        return None
    at = chance.choice(marks)
    changed = number[:at] + chance.choice(("", ", ", ". ")) + number[at + 1 :]
    return text_of(place, number), text_of(place, changed)


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
    return text_of(place, mark + digits), digits + place.unit + place.after


def mixed_fraction(place: Place, number: str, chance: random.Random) -> Made:
    whole = str(chance.randint(1, 40))
    gap = chance.choice(("", *SPACES))
    part = chance.choice(("½", "¼", "¾")) if not gap else chance.choice(("½", "1/2", "3⁄4", "3/8"))
    text = text_of(place, whole + gap + part)
    return text, chance.choice((part + place.unit + place.after, place.before + whole))


def exponent(place: Place, number: str, chance: random.Random) -> Made:
    tail = chance.choice(("e6", "E+9", "×10⁶", " × 10^6", " x 10^3", "²", "⁻³", "^2", "·10⁴"))
    whole = str(chance.randint(2, 99))
    return text_of(place, whole + tail), place.before + whole


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
    return text_of(place, number + tail), place.before + number


def range_cut(place: Place, number: str, chance: random.Random) -> Made:
    words = {"en": " to ", "de": " bis ", "fr": " à ", "es": " a ", "zh": "至"}
    mark = chance.choice(("–", "-", " – ", "—", " - ", "‑", "~", words[place.lang]))
    low = str(chance.randint(2, 900))
    text = text_of(place, low + mark + number)
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
    text = text_of(place, code)
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
    text = text_of(place, f"{head}\n{tail}")
    return text, chance.choice((tail + place.unit + place.after, place.before + head.rstrip(",.-")))


def other_digits(place: Place, number: str, chance: random.Random) -> Made:
    zero = ord(chance.choice("٠०０๐۰"))
    marks = {"٠": "٬", "۰": "٬", "０": "，"}
    mark = marks.get(chr(zero), ",")
    digits = [chr(zero + chance.randint(1, 9)) for _ in range(5)]
    code = "".join(digits[:2]) + chance.choice(("", mark)) + "".join(digits[2:])
    at = chance.choice(range(1, len(code)))
    head = place.before + code[:at].rstrip("٬，,")
    return text_of(place, code), chance.choice((code[at:] + place.unit + place.after, head))


def letters_glued(place: Place, number: str, chance: random.Random) -> Made:
    whole = str(chance.randint(100, 999))
    if chance.random() < 0.5:
        code = chance.choice("ABKX") + chance.choice(("", "-", "/")) + whole
        tail = whole + place.unit + place.after
        return text_of(place, code), chance.choice((tail, place.before + code[:-1]))
    code = whole + chance.choice(("kg", "km", "-B", "A", "b/2"))
    return text_of(place, code), place.before + whole


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
