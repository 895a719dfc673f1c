"""Where the clauses of a contract or a statute begin: § 2, Art. 3, 1.2. Pure.

A clause may begin within a line and without a full stop before it. A reference ("nach § 535 BGB",
"as set out in Section 4") begins none. Called by sentences.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from corpus_agent.text.number_words import MONTHS, listed
from corpus_agent.text.tokens import STOP_WORDS, fold

_SIGN = (
    r"§{1,2}|art(?:\.|icle|ikel|ículo|icolo|igo)|section|clause|abschnitt|ziffer|cl[áa]usula"
    r"|clausola|paragraaf"
)
_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,4}"
# The sign and number of a clause, and the word that its title or its sentence begins with.
_MARK = regex.compile(
    rf"(?<!\S)(?:(?P<sign>(?i:{_SIGN}))[ ]?(?P<number>{_NUMBER})(?P<letter>[a-z]?)[.:)]?"
    rf"|\(?(?P<number>{_NUMBER})(?P<stop>[.)]?))"
    r"(?:\s+[-–—]?\s*\(?(?P<word>\p{Lu}\p{L}*)|\s*$)"
)
_BEFORE = regex.compile(r"(?P<word>[\p{L}\p{M}]+)?(?P<sign>[^\p{L}\p{M}\s]*)\s*$")
# What a reference goes on with: a part of the clause, or the name of a law in short (BGB, BetrKV).
_REFERS_ON = regex.compile(
    r"(?:Abs|Absatz|Satz|S|Nr|Nummer|Ziffer|Ziff|Buchst|Buchstabe|Unterabsatz|Anlage)"
    r"|\p{Lu}{2,4}|\p{L}*\p{Ll}\p{Lu}\p{L}*"
)
_ENDING = "above below it him her them there here me us you again once off out not too so es ihn"
_POINTERS = (STOP_WORDS - frozenset(_ENDING.split())) | frozenset(
    fold(
        "gemäß gem laut siehe vgl per see under pursuant bis through seit ab cf lt i iv v voir"
        " selon conformément según véase secondo vedi volgens zie conforme ver nr no abs satz"
        " section sections article articles artikel clause clauses paragraph bzw sowie"
    ).split()
)
_MONTHS = frozenset(map(fold, listed(MONTHS)))
_LEAST_BARE = 3  # numbers in a row, where nothing but "1." says that they are those of clauses


def begins_clause(line: str, previous: str) -> bool:
    """Whether a line begins with a clause's sign and number, and with no rest of a reference."""
    mark = _MARK.match(line.lstrip())
    return mark is not None and bool(mark["sign"]) and _is_clause(mark, previous)


def clause_starts(text: str) -> list[int]:
    """Where further clauses begin within a paragraph: each with the number after the one before.

    The first of them has the number 1 or begins the paragraph.
    """
    first = len(text) - len(text.lstrip())
    runs: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
    for mark in _marks(text):
        number = tuple(map(int, mark["number"].split(".")))
        sign = fold(mark["sign"] or ("." if len(number) > 1 else mark["stop"] or ""))
        run = runs.setdefault(sign, [])
        begins = mark.start() == first or (mark["sign"] is not None and number == (1,))
        if (run and _follows(number, run[-1][1])) or (not run and begins and sign):
            run.append((mark.start(), number))
    least = {sign: _LEAST_BARE if sign in (".", ")") else 2 for sign in runs}
    found = (at for sign, run in runs.items() if len(run) >= least[sign] for at, _ in run)
    return sorted(at for at in found if at)


def _marks(text: str) -> Iterator[regex.Match[str]]:
    for mark in _MARK.finditer(text):
        if mark["word"] and _is_clause(mark, text[max(0, mark.start() - 60) : mark.start()]):
            yield mark


def _is_clause(mark: regex.Match[str], before: str) -> bool:
    """Whether a mark is no reference, by the words before and behind it."""
    word = mark["word"] or ""
    if _REFERS_ON.fullmatch(word) or (mark["sign"] is None and fold(word) in _MONTHS):
        return False
    last = _BEFORE.search(before)
    if last is None or not before.strip():
        return True
    if last["sign"]:
        return last["sign"][-1] not in ",(–—-&/§"
    return fold(last["word"] or "") not in _POINTERS


def _follows(number: tuple[int, ...], before: tuple[int, ...]) -> bool:
    """Whether a number comes right after another: 2 and 2.1 after 1.3, 1.1 after 1."""
    same = next(
        (n for n, (a, b) in enumerate(zip(number, before, strict=False)) if a != b), len(before)
    )
    begun = (*before[:same], before[same] + 1) if same < len(before) else before
    further = number[len(begun) :]
    return number[: len(begun)] == begun and number != before and set(further) <= {1}
