"""A quotation beside a document: both in the form in which they are compared. Pure.

Exactly, by words and signs, with the way back: white space, line ends, hyphenation at line ends,
ligatures, quotation marks, dashes, Unicode forms and mark-up without meaning are normalised. By
words alone: where they are most alike, and what differs.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise

import regex

from corpus_agent.text.sanitize import visible
from corpus_agent.text.tokens import fold

SAME = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‟": '"'}
    | {"«": '"', "»": '"'}
    | dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-")
    | {"\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "…": "..."}
)
_HIDDEN = "\x1e"  # stands for mark-up: it parts no word, and between words it is a blank

# Mark-up without meaning: emphasis in pairs, tags within a line, the sign of
# a quoted mail. Not strikethrough (~~), and no "*" or "_" next to a figure or letter.
_OPENED, _CLOSED = r"(?<![[\p{L}\p{N}*_\\]--\p{Han}])", r"(?![[\p{L}\p{N}*_]--\p{Han}])"
_MARKUP = regex.compile(
    rf"(?P<a>{_OPENED}(?:\*\*\*|\*\*|\*|___|__|_|`))(?=[^\s*_`])(?:(?!\s{{2}}).){{0,2000}}?(?<=[^\s*_`\\])"
    rf"(?P<b>(?P=a){_CLOSED})"
    r"|(?P<a></?(?:b|i|u|em|strong|span|a|code|mark|font)(?:\s[^<>]{0,80})?>)"
    r"|(?P<a>^(?:[^\S\n]*>)+[^\S\n]+)(?![^\S\n]*[\p{N}\p{Sc}.\p{Pd}−])",
    regex.VERSION1,
)
# Link targets and note marks are ignored for a quotation that has none.
LINKS = regex.compile(
    r"(?<!\\)(?P<a>!?\[\[(?:[^\[\]|\n]{1,300}\|)?)(?=[\p{L}\p{N}])[^\[\]|\n]{1,300}(?P<b>\]\])"
    r"|(?P<a>(?<=\S)[ ]\^(?=[\w-]*[A-Za-z])[A-Za-z0-9-]{3,40}$)|"
    r"(?<!\\)(?P<a>!?\[)(?![\s^])[^\[\]\n]{1,200}(?P<b>\](?:\([^()\s]{1,300}\)|\[[^\[\]\n]{0,40}\]))"
    r"|(?<=[\p{L}\p{P}])(?P<a>\[\^?\p{N}{1,3}\])(?![\p{N}(\[])"
)
# What parts the cells of a table is a blank as well: readers write it in their own way.
_BLANKS = regex.compile(
    r"(?i)<br\s?/?>|&(?:nbsp|ensp|emsp|thinsp|#160|#xa0|#8239|#x202f);|(?<!\S)\|(?!\S)"
)


@lru_cache(maxsize=4096)
def without_markup(text: str, linked: bool) -> str:
    """A line of the same length without its mark-up; with `linked` links and note marks stay."""
    text = _BLANKS.sub(lambda blank: " " * len(blank[0]), text)
    for pattern in (_MARKUP, _MARKUP, *(() if linked else (LINKS,))):  # bold in italics
        for match in pattern.finditer(text):
            for start, end in (*match.spans("a"), *match.spans("b")):
                text = text[:start] + _HIDDEN * (end - start) + text[end:]
    return text


# ---- Exactly

_ALONE = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
_LETTER, _WITHIN = rf"[[\p{{L}}\p{{M}}]--{_ALONE}]", rf"[\p{{Cf}}{_HIDDEN}]*+"
_BREAK = r"[-‐‑–—][^\S\n]*+\n\s*+"
# Digits in threes are one number, also over a line end.
_THREES = r"(?:\p{N}{1,3}(?:[.,-]?[^\S\n]*+\n\s*+|[ \u00a0\u202f])(?=\p{N}{3}(?!\p{N})))*+"
_NUMBER = rf"{_THREES}\p{{N}}(?:{_WITHIN}(?:[.,:/'’]{_WITHIN})?\p{{N}})*+"
_SIGNS, _BROKEN_SIGNS = (
    regex.compile(
        rf"{_LETTER}(?:{_WITHIN}{between}{_LETTER})*+|{_NUMBER}|\.\.\.|\S", regex.VERSION1
    )
    for between in ("", f"(?:{_BREAK})?+")
)
_UNSAID = regex.compile(rf"(?<!\p{{N}}){_BREAK}|{_HIDDEN}")
_OTHER_FORM = regex.compile("[\ufb00-\ufb06\uff01-\uffee]")  # ligatures, full width; not 10²
_PARTS = "\x1f"


@lru_cache(maxsize=16384)
def _plain(sign: str) -> str:
    """A word or sign in one form; "" for one that nobody sees."""
    said = " ".join(_UNSAID.sub("", sign).translate(SAME).split())
    return _OTHER_FORM.sub(lambda form: unicodedata.normalize("NFKC", form[0]), visible(said))


@dataclass(frozen=True)
class Signs:
    """The words, numbers and signs of a text in one form; with `broken` no hyphen of a line end."""

    text: str
    linked: bool
    broken: bool

    @cached_property
    def joined(self) -> str:
        """All of them, each between two marks."""
        signs = _PARTS.join(filter(None, (_plain(match[0]) for match in self._matches())))
        return f"{_PARTS}{signs}{_PARTS}"

    @cached_property
    def _bare(self) -> str:
        return "\n".join(without_markup(line, self.linked) for line in self.text.split("\n"))

    def _matches(self) -> Iterator[regex.Match[str]]:
        return (_BROKEN_SIGNS if self.broken else _SIGNS).finditer(self._bare)

    @cached_property
    def spans(self) -> Sequence[tuple[int, int]]:
        """Where each of them stands in the text."""
        return [match.span() for match in self._matches() if _plain(match[0])]

    @cached_property
    def _starts(self) -> Sequence[int]:
        return [at for at, char in enumerate(self.joined) if char == _PARTS]

    def nearest(self, wanted: Signs, position: int) -> tuple[int, int] | None:
        """Where the text has all signs of another, in their order, at a position or next to it.

        Upwards it is sought backwards, as `rfind` takes square time in a text that repeats itself.
        """
        signs, count = wanted.joined, wanted.joined.count(_PARTS) - 1
        start = self._starts[bisect_left(self.spans, (position, position))]
        above = self.joined[: start + len(signs) - 1]
        places = [self.joined.find(signs, start)]
        if (behind := above[::-1].find(signs[::-1])) >= 0:
            places.append(len(above) - behind - len(signs))
        firsts = [bisect_left(self._starts, at) for at in places if at >= 0]
        found = [(self.spans[first][0], self.spans[first + count - 1][1]) for first in firsts]
        return min(found, key=lambda place: abs(place[0] - position), default=None)


# ---- By words

LONGEST_GAP = 12  # words left out within a quotation; more were two places
FEW = 2  # words that stand anywhere by chance
LEAST_RUN = 4  # words of a part of a quotation that stands at another place
LONG_RUN, LONG_SHARE = 8, 0.4  # words in a row, and of all, that are an altered quotation as well
ALTERED_SHARE = 0.6  # of the words in common, in order: then it is a version of that passage
_TRIED = 8  # places of a text that a quotation is compared with in full
_MOST_PLACES = 200  # of one pair of words in a text

_TOKEN = regex.compile(
    r"\p{N}+(?:[.,:/’']\p{N}+)*|[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]"
    r"|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|[%％‰°℃€$£¥§±<>≤≥=]"
)
_PARTING = regex.compile(r"[.,;:!?()\[\]|…。，；：、！？]|\n[^\S\n]*(?:\n|[-*•])")
_BROKEN = regex.compile(r"(?<=\p{L})[-‐][^\S\n]*\n[^\S\n]*(\p{Ll}\S*)")

WRITTEN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*")

Difference = tuple[str, str]  # the words of a quotation, and those of the document


@dataclass(frozen=True)
class Text:
    """A text as words that can be compared, with the way back."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str) -> Text:
        """A text without mark-up, its words in one form."""
        lines = (without_markup(line, linked=False) for line in visible(text).split("\n"))
        plain = _BROKEN.sub(r"\1\n", "\n".join(lines))
        found = [*_TOKEN.finditer(plain)]
        words = (unicodedata.normalize("NFKC", m[0].translate(SAME)).casefold() for m in found)
        return cls(plain, tuple(words), tuple(match.span() for match in found))

    def shown(self, start: int, end: int) -> str:
        """The words of a range as they are written."""
        if start >= end:
            return ""
        return one_line(self.text[self.spans[start][0] : self.spans[end - 1][1]])

    def is_parted(self, at: int) -> bool:
        """Whether a text begins or ends before a word, or a sign or an empty line stands there."""
        if not 0 < at < len(self.words):
            return True
        return bool(_PARTING.search(self.text, self.spans[at - 1][1], self.spans[at][0]))

    @cached_property
    def pairs(self) -> dict[tuple[str, str], list[int]]:
        """Where each two words follow each other."""
        found: dict[tuple[str, str], list[int]] = {}
        for at, pair in enumerate(pairwise(self.words)):
            found.setdefault(pair, []).append(at)
        return found


_NUMERAL = regex.compile(r"[\p{N}〇零一二三四五六七八九十百千万亿%‰°]")
_GOES_ON = regex.compile(r"\s*(?:[^\s,;:.!?)\]。，；！？]|[.,’']\s*\p{N})")
_RANGE = regex.compile(r"\p{N}\S*\s+\S{1,4}\s*$")


def cuts_number(before: str, own: Sequence[str], behind: str) -> bool:
    """Whether words begin or end at a number that has more to it: a sign, a unit, a range."""
    near, last = before[-1:].strip(), before.rstrip()[-1:]
    is_part = (near and not near.isalpha()) or not (last.isalpha() or last in ",;:")
    ranged = is_part or _NUMERAL.match(last) or _RANGE.search(before[-30:])
    begins = last and _NUMERAL.search(own[0]) and ranged
    return bool(begins or (_NUMERAL.search(own[-1]) and _GOES_ON.match(behind)))


def one_line(text: str) -> str:
    """A text on one line, without the marks at its ends."""
    return " ".join(text.split()).strip(" ,;-–—")


Block = tuple[int, int, int]
"""Words of a document, words of a quotation, and how many from there on are equal."""


@dataclass(frozen=True, slots=True)
class Run:
    """A quotation beside the words of a document that are most like it."""

    there: Text
    blocks: Sequence[Block]
    wanted: int

    @property
    def longest(self) -> Block:
        """The most words in a row that are equal."""
        return max(self.blocks, key=lambda block: block[2])

    @property
    def share(self) -> float:
        """The share of the words of the quotation that are there in order."""
        return sum(size for _, _, size in self.blocks) / self.wanted

    @property
    def range(self) -> tuple[int, int]:
        """The words of the document in the place of the quotation; where it ends otherwise, on
        to the next sign.
        """
        (a, b, _), (c, d, size) = self.blocks[0], self.blocks[-1]
        first, last = max(0, a - b), min(len(self.there.words), c + self.wanted - d)
        begin = next((n for n in range(first, max(0, first - LONGEST_GAP) - 1, -1)
                      if b and self.there.is_parted(n)), first)  # fmt: skip
        end = next((n for n in range(last, last + LONGEST_GAP)
                    if d + size < self.wanted and self.there.is_parted(n)), last)  # fmt: skip
        return begin, end

    @property
    def is_of_one_place(self) -> bool:
        """Whether what the quotation has otherwise is short, or in between."""
        first, last = self.blocks[0], self.blocks[-1]
        ends = max(first[1], self.wanted - last[1] - last[2])
        gaps = [
            (other[0] - one[0] - one[2] <= max(LONGEST_GAP, self.wanted // 4))
            and other[1] - one[1] - one[2] <= LONGEST_GAP // 2
            for one, other in pairwise(self.blocks)
        ]
        return ends < LEAST_RUN and self.share >= ALTERED_SHARE and all(gaps)

    @property
    def is_alike(self) -> bool:
        """Whether the quotation is a version of these words."""
        long_run = self.longest[2] >= LONG_RUN and self.share >= LONG_SHARE
        return self.share >= ALTERED_SHARE or long_run

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line that it stands in, counted from 0."""
        (a, _, _), (c, _, size) = self.blocks[0], self.blocks[-1]
        first, last = (self.there.spans[word][0] for word in (a, c + size - 1))
        text = self.there.text
        return text.count("\n", 0, first), text.count("\n", 0, last)


def aligned(there: Text, wanted: Sequence[str]) -> Run | None:
    """The words of a text that are most like a quotation."""
    slack, words, best = 6 + len(wanted) // 3, there.words, None
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(wanted)
    # Each two words in both vote for the beginning that they imply.
    votes = Counter(
        max(0, at - number)
        for number, pair in enumerate(pairwise(wanted))
        for at in there.pairs.get(pair, ())[:_MOST_PLACES]
    )
    for begin, _ in votes.most_common(_TRIED):
        start = max(0, begin - slack)
        matcher.set_seq1(words[start : begin + len(wanted) + slack])
        blocks = [(a + start, b, size) for a, b, size in matcher.get_matching_blocks() if size]
        run = Run(there, _together(blocks), len(wanted))
        best = run if best is None or run.share > best.share else best
    return best


def _together(blocks: Sequence[Block]) -> Sequence[Block]:
    """The longest block and those near it, without words at either end that stand far from it."""
    first = last = max(range(len(blocks)), key=lambda at: blocks[at][2])

    def are_near(one: int, outer: int) -> bool:
        (a, b, size), (c, d, _) = blocks[one], blocks[one + 1]
        gap, own = c - a - size, d - b - size
        return blocks[outer][2] > FEW or (gap <= own + FEW and own <= FEW + 1)

    while first and are_near(first - 1, first - 1):
        first -= 1
    while last < len(blocks) - 1 and are_near(last, last + 1):
        last += 1
    return blocks[first : last + 1]


def differences(wanted: Text, run: Run, beside: int = 0) -> Iterator[Difference]:
    """The words of a quotation and those of the document where they differ.

    An empty side is shown with the word beside it, and words that changed places as one; with
    `beside` each with so many words on either side.
    """
    there, (start, end) = run.there, run.range
    matcher = SequenceMatcher(None, wanted.words, there.words[start:end], autojunk=False)
    spans: list[list[int]] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal" and spans and i1 - spans[-1][1] <= max(FEW, 2 * beside):
            spans[-1][1], spans[-1][3] = i2, j2
        elif tag != "equal":
            spans.append([i1, i2, j1, j2])
    for i1, i2, j1, j2 in spans:
        empty = i1 == i2 or j1 == j2
        before, behind = min(i1, j1), min(len(wanted.words) - i2, end - start - j2)
        back = min(before, max(beside, empty))
        on = min(behind, max(beside, empty and not back))
        yield wanted.shown(i1 - back, i2 + on), there.shown(start + j1 - back, start + j2 + on)


@dataclass(frozen=True, slots=True)
class Change:
    """Words of a claim in the place of words of a text; `inner` if both go on on either side."""

    mine: Sequence[str]
    theirs: Sequence[str]
    inner: bool
    following: str


def changes_of(claim: str, text: str) -> tuple[float, list[Change]]:
    """The share of a claim's words that a text has in this order, and what changed between them."""
    mine, theirs = WRITTEN.findall(claim), WRITTEN.findall(text)
    plain = [[fold(word) for word in words] for words in (mine, theirs)]
    codes_ = SequenceMatcher(None, plain[0], plain[1], autojunk=False).get_opcodes()
    equal = [number for number, code in enumerate(codes_) if code[0] == "equal"]
    share = sum(codes_[n][2] - codes_[n][1] for n in equal) / max(1, len(mine))
    return share, [
        Change(
            mine[i1:i2],
            theirs[j1:j2],
            inner=equal[0] < number < equal[-1],
            following=" ".join(mine[i2 : i2 + 1]),
        )
        for number, (tag, i1, i2, j1, j2) in enumerate(codes_)
        if tag != "equal" and equal
    ]
