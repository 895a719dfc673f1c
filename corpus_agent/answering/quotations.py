"""Verifies quotations in documents: whether the text is there, and where.

Compares text, not bytes: white space, line ends, hyphenation at line ends, ligatures, quotation
marks, dashes and Unicode forms are normalised on both sides. A changed word, number or name is a
changed quotation. Words that are there but leave out too much are `cut`: part of a number, text
without its adjacent negation, too few words. The span reported is the source's own text, with
whether the document shows it and how surely it was recognised.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, Literal

import regex

from corpus_agent.answering.records import STANDING, Citation, Verdict
from corpus_agent.text.negation import turned_before, turned_behind
from corpus_agent.text.numerals import runs_over
from corpus_agent.text.quantities import measured
from corpus_agent.text.sanitize import visible
from corpus_agent.text.tokens import STOP_WORDS, UNSPACED, terms
from indexer import Line, Refused, Window

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView

NEAR_LINES = 30  # a quotation found within this distance of the claimed line is not moved
ALTERED_SHARE = 0.6  # of the words in common, in order: then it is a version of that passage
_BEST_RUNS = 8  # candidate places of an altered quotation that are compared in full
_MOST_PLACES = 200  # of one pair of words in one document
LEAST_WORDS = 3  # content words in a quotation without a figure
CONTEXT_LINES = 6  # before and after a quotation that may belong to its sentence

_SAME = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‟": '"'}
    | {"«": '"', "»": '"'}
    | dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-")
    | {"\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "…": "..."}
)
_WORD = re.compile(r"[^\W_]+")
_LETTER = r"[\p{L}--\p{Han}]"  # of the scripts that have hyphens
_HYPHEN = regex.compile(rf"(?<={_LETTER})[-‐‑–—](?=\s*{_LETTER})", regex.VERSION1)
_ENDING_HYPHEN = regex.compile(rf"(?<={_LETTER})[-‐‑–—]\s*$", regex.VERSION1)
_GAP_MARK, _HYPHEN_MARK = "\x1f", "\x1e"
_GAP = regex.compile(rf"(?<=\p{{N}}{_HYPHEN_MARK}*)\s+(?={_HYPHEN_MARK}*\p{{N}})")
# Characters attached to a word, and the hyphens within it, gaps at line ends included.
_WORD_ENDS = regex.compile(r"[\p{L}\p{N}]\p{M}*\Z")
_WORD_GOES_ON = regex.compile(r"\p{M}*[\p{L}\p{N}]")
_HYPHENATED_END = regex.compile(rf"{_LETTER}[-‐‑]\s*$|\b(?i:non|un|nicht)[–—−]\s*$", regex.VERSION1)
_HYPHENATED_ON = regex.compile(
    rf"[-‐‑](?:{_LETTER}|[^\S\n]*\n\s*\p{{Ll}})|[–—−](?:free|less|frei|los)\b", regex.VERSION1
)
_CONTRACTED_ON = regex.compile(r"['’](?:t|s|d|m|ll|re|ve)\b")
_CONTRACTED = regex.compile(r"(?:t|s|d|m|ll|re|ve)\b")
# White space next to these may change a figure: a sign, a point, a letter.
_LOOSE = "([{\"')]}%‰°€$£¥*|"

_UNPARTED = regex.compile(f"[{UNSPACED}]")
_DASHED = regex.compile(r"[-‐‑–—]")
_HYPHENATED_LINE = regex.compile(r"[-‐‑–—\u00ad][^\S\n]*\n")

# Mark-up without meaning: emphasis in pairs, tags within a line, the sign of
# a quoted mail. Not strikethrough (~~), and no "*" or "_" next to a figure or letter.
_OPENED, _CLOSED = r"(?<![[\p{L}\p{N}*_\\]--\p{Han}])", r"(?![[\p{L}\p{N}*_]--\p{Han}])"
_MARKUP = regex.compile(
    rf"(?P<a>{_OPENED}(?:\*\*\*|\*\*|\*|___|__|_|`))(?=[^\s*_`])(?:(?!\s{{2}}).)*?(?<=[^\s*_`\\])"
    rf"(?P<b>(?P=a){_CLOSED})"
    r"|(?P<a></?(?:b|i|u|em|strong|span|a|code|mark|font)(?:\s[^<>]{0,80})?>)"
    r"|(?P<a>^(?:[^\S\n]*>)+[^\S\n]+)(?![^\S\n]*[\p{N}\p{Sc}.\p{Pd}−])",
    regex.VERSION1,
)
# Link targets and note marks are ignored for a quotation that has none.
_LINKS = regex.compile(
    r"(?<!\\)(?P<a>!?\[)(?![\s^])[^\[\]\n]{1,200}(?P<b>\](?:\([^()\s]{1,300}\)|\[[^\[\]\n]{0,40}\]))"
    r"|(?<=[\p{L}\p{P}])(?P<a>\[\^?\p{N}{1,3}\])(?![\p{N}(\[])"
)
_BLANKS = regex.compile(r"(?i)<br\s?/?>|&(?:nbsp|ensp|emsp|thinsp|#160|#xa0|#8239|#x202f);")
# Of the text next to a quotation only the words count.
_TAGS = regex.compile(
    r"(</?(?:b|i|u|em|strong|span|a|code|mark|font)(?:\s[^<>]{0,80})?>)|<[^<>\n]{1,80}>"
)
_NOTE = regex.compile(r"(?<=[\p{L}\p{P}])\[\^?\p{N}{1,3}\]|^\[\^?\p{N}{1,3}\]")
_LINK_END = regex.compile(r"\]\([^()\s]*\)")
_EMPHASIS = regex.compile(r"(?<!^[^\S\n]*)\*+|^[^\S\n]*\*+(?!\s)|_+|`+", regex.MULTILINE)
_MAIL = regex.compile(r"(?m)^(?:[^\S\n]*>)+[^\S\n]+(?![^\S\n]*[\p{N}\p{Sc}]|\Z)")
_ENCLOSING = regex.compile(
    r"\[(?! \])|(?<!\[ )\]|[(){}\"“”„«»‹›「」『』]|(?<!\p{L})['‘’]|['‘’](?!\p{L})"
)
_RAISED = regex.compile(r"^[⁰¹²³⁴-⁹]{1,2}(?!\p{L})")
_MAY_BE_RAISED = regex.compile(r"\p{L}{3}[.,;:!?]?$")
_MEASURE = regex.compile(
    r"(?i)(?:met(?:er|re)s?n?|mètres?|metros?|inch(?:es)?|feet|foot|yards?|miles?|Zoll|Fu(?:ß|ss))$"
)
_SHORT_UNIT = regex.compile(r"(?<=\p{N}\s*)\p{L}{1,2}(?!\p{L})")
_ELLIPSIS = re.compile(r"^\s*(?:\[?(?:\.{3}|…)\]?\s*)+|(?:\s*\[?(?:\.{3}|…)\]?)+\s*$")
_WITHIN_MARKS = re.compile(r"^\s*[\"'“„«]([^\"“”„«»]+)[\"'”“»]\s*$")
_BRACKETED_LETTER = re.compile(r"^\[(\w)\](?=\w)")


_ITEM = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]+")
_ENDED = re.compile(r"[.!?:;][\"'”’)\]]*\s*\Z")


class _Normalised(dict[int, str]):
    """A table for `str.translate` that maps each character to its plain form.

    "" for white space and for control and invisible characters, which a model never saw; "fi" for
    its ligature. Compatibility forms are resolved for ligatures and full-width letters only: in
    general they would make a power of ten (10²) equal to another number (102).
    """

    def __missing__(self, code: int) -> str:
        char = chr(code).translate(_SAME)
        if "\ufb00" <= char <= "\ufb06" or "\uff01" <= char <= "\uffee":
            char = unicodedata.normalize("NFKC", char)
        found = self[code] = "" if char.isspace() else visible(char)
        return found


_NORMALISED = _Normalised({ord(_GAP_MARK): " ", ord(_HYPHEN_MARK): ""})


def _flat(text: str, linked: bool = False) -> str:
    """One line in comparable form: normalised, without white space except between two digits.

    A hyphen between letters is left out, since it may come from the line break; the space in
    "1 20" stays, otherwise it would be the number 120.
    """
    text = _HYPHEN.sub(_HYPHEN_MARK, _without_markup(text, linked))
    return _GAP.sub(_GAP_MARK, text).translate(_NORMALISED)


@lru_cache(maxsize=4096)
def _without_markup(text: str, linked: bool) -> str:
    """A line of the same length in which mark-up is replaced by characters that `_flat` drops.

    Mark-up for a blank or a line end becomes as many blanks; with `linked`, links and note marks
    stay as they are.
    """
    text = _BLANKS.sub(lambda blank: " " * len(blank[0]), text)
    for pattern in (_MARKUP, _MARKUP, *(() if linked else (_LINKS,))):  # bold in italics
        for match in pattern.finditer(text):
            for start, end in (*match.spans("a"), *match.spans("b")):
                text = text[:start] + _HYPHEN_MARK * (end - start) + text[end:]
    return text


@lru_cache(maxsize=4096)
def _columns(text: str, linked: bool = False) -> list[int]:
    """For each character of `_flat(text)` the index in `text` that it came from."""
    text = _HYPHEN.sub(_HYPHEN_MARK, _without_markup(text, linked))
    gaps = {match.start() for match in _GAP.finditer(text)}
    columns: list[int] = []
    for column, char in enumerate(text):
        pieces = " " if column in gaps else _NORMALISED[ord(char)]
        columns += [column] * len(pieces)
    return columns


@dataclass(frozen=True, slots=True)
class Comparable:
    """A document as one string in which quotations are looked up.

    `text` joins the flat lines; `starts` are their offsets in it, `numbers` their line numbers
    (1-based), and `leads` the number of characters inserted before each. `linked` is whether links
    and note marks are included.
    """

    text: str
    starts: Sequence[int]
    numbers: Sequence[int]
    leads: Sequence[int]
    lines: Sequence[Line]
    linked: bool = False

    def line(self, at: int) -> int:
        """The 1-based number of the line that a character came from."""
        return self.numbers[bisect_right(self.starts, at) - 1]

    def column(self, at: int) -> int:
        """The column in its line that a character came from."""
        index = bisect_right(self.starts, at) - 1
        columns = _columns(self.lines[self.numbers[index] - 1].text, self.linked)
        return columns[max(0, min(at - self.starts[index] - self.leads[index], len(columns) - 1))]


def comparable(lines: Sequence[Line], linked: bool = False) -> Comparable:
    """The lines in the form in which quotations are compared, without page marks."""
    pieces: list[str] = []
    numbers: list[int] = []
    leads: list[int] = []
    for number, line in enumerate(lines, start=1):
        flat = "" if line.is_mark else _flat(line.text, linked)
        if not flat:
            continue
        before = pieces[-1] if pieces else ""
        if flat[0].isalpha() and numbers and _ENDING_HYPHEN.search(lines[numbers[-1] - 1].text):
            pieces[-1] = before[:-1]
        gap = " " if before[-1:].isdigit() and flat[0].isdigit() else ""
        pieces.append(gap + flat)
        numbers.append(number)
        leads.append(len(gap))
    starts, size = [], 0
    for piece in pieces:
        starts.append(size)
        size += len(piece)
    return Comparable("".join(pieces), starts, numbers, leads, lines, linked)


def _spellings(quote: str) -> list[str]:
    """The quotation as written, then as adapted to the sentence around it.

    Ellipses at its ends, another case of its first letter, another stop at its end. These carry no
    meaning; the document's text is checked in the same way.
    """
    bare = _BRACKETED_LETTER.sub(r"\1", _ELLIPSIS.sub("", quote))
    found = [quote, bare, re.sub(r"(?<=[\w\"'”’»)%€$£°])[.,;。，；]\s*$", "", bare)]
    found.append(_WITHIN_MARKS.sub(r"\1", found[-1]))
    found += [
        each[0].swapcase() + each[1:]
        for each in found[1:]
        if each[:1].isalpha() and (each[1:2].islower() or each[1:2].isspace())
    ]
    return list(dict.fromkeys(found))


def _needle(quote: str, linked: bool) -> Comparable:
    """A quotation in comparable form; it may end at a hyphen of a line break."""
    lines = [Line(part) for part in unicodedata.normalize("NFC", quote).split("\n")]
    found = comparable(lines, linked)
    return replace(found, text=re.sub(r"(?<=\w)-$", "", found.text))


def check_quotation(
    corpus: CorpusView, n: int, source: str, quote: str, near_line: int = 1
) -> Citation:
    """The citation numbered `n` for a quotation claimed to be near a line of `source`.

    `verified` at the claimed place, `moved` elsewhere in the source: both have the source's own
    text and lines, and both are `verified in recognised text` if a line of it was recognised from
    a picture. `cut` is there but leaves out too much, `altered` resembles a passage: both have
    the lines in question. `not_found` keeps the claim.
    """
    try:
        # Twice the distance downwards: a quotation may begin near and end further on.
        offset = max(1, near_line - NEAR_LINES - CONTEXT_LINES)
        near = corpus.read(source, offset, near_line - offset + 2 * NEAR_LINES)
        found = _exactly(near.lines, quote, near_line - offset + 1)
        if found is not None and _surely_near(found, near, near_line):
            first, last, text, _ = found
            cited = _citation(n, source, near.lines, (first, last, text, "verified"))
            shift = offset - 1
            return replace(cited, line_start=first + shift, line_end=last + shift)
    except Refused:
        pass  # the claimed line may be beyond the end: then the whole document is searched
    try:
        lines = read_all(corpus, source)
    except Refused:
        return Citation(n, source, None, near_line, near_line, quote, "not_found")
    whole = locate(lines, quote, near_line)
    if whole is None:
        return Citation(n, source, None, near_line, near_line, quote, "not_found")
    return _citation(n, source, lines, whole)


def _citation(n: int, source: str, lines: Sequence[Line], found: Located) -> Citation:
    """The citation of lines that were located, with what their extractor noted about them."""
    first, last, text, verdict = found
    quoted = lines[first - 1 : last]
    confidences = [line.confidence for line in quoted if line.confidence is not None]
    if confidences and verdict in STANDING:
        verdict = "verified in recognised text"
    hidden = any(line.hidden for line in quoted)
    page, lowest = quoted[0].page, min(confidences, default=None)
    return Citation(n, source, page, first, last, text, verdict, hidden, lowest)


Located = tuple[int, int, str, Verdict]
"""First line, last line, the source's own text and the verdict."""


Found = tuple[int, int, str, bool]
"""First line, last line, text, and whether the quotation is whole and not `cut`."""


def _surely_near(found: Found, window: Window, near_line: int) -> bool:
    """Whether a window contains a quotation near a line, whole and with its context."""
    first, last, _, whole = found
    first, last = first + window.offset - 1, last + window.offset - 1
    begun = window.offset == 1 or first - window.offset >= CONTEXT_LINES
    shown = window.offset + len(window.lines) - 1
    ended = window.next_offset is None or shown - last >= CONTEXT_LINES
    return whole and begun and ended and abs(first - near_line) <= NEAR_LINES


def read_all(corpus: CorpusView, source: str) -> list[Line]:
    """All lines of a document, window by window; raises Refused as `CorpusView.read` does."""
    lines: list[Line] = []
    offset: int | None = 1
    while offset is not None:
        window = corpus.read(source, offset)
        lines += window.lines
        offset = window.next_offset
    return lines


def locate(lines: Sequence[Line], quote: str, near_line: int = 1) -> Located | None:
    """Where a quotation is, or what resembles it; None if not found."""
    found = _exactly(lines, quote, near_line)
    if found is None:
        return _resembling(lines, quote)
    first, last, text, whole = found
    if not whole:
        return first, last, _lines_of(lines, first, last), "cut"
    near = first - NEAR_LINES <= near_line <= last + NEAR_LINES
    return first, last, text, "verified" if near else "moved"


def _exactly(lines: Sequence[Line], quote: str, near_line: int) -> Found | None:
    """The occurrence nearest to a line; whole ones come before cut ones."""
    linked = _LINKS.search(quote) is not None
    haystack = comparable(lines, linked)
    cut: Found | None = None
    for capitals in (False, True):
        if capitals:
            haystack = replace(haystack, text=_small(haystack.text))
        for spelling in _spellings(quote):
            needle = _needle(spelling, linked)
            if capitals:
                needle = replace(needle, text=_small(needle.text))
            found = _as_spelled(haystack, needle, near_line)
            if found is None or (capitals and not _in_capitals(found[2], spelling)):
                continue
            if found[3]:
                return found
            cut = cut or found
        if cut:
            break
    return cut


def _small(text: str) -> str:
    """The text in lower case, with the same number of characters."""
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _in_capitals(there: str, quoted: str) -> bool:
    """Whether a passage is all capitals, which a quotation may write in sentence case.

    False if a short unit would become another one: "5 MW" and "5 mW".
    """
    if there != there.upper():
        return False
    return _SHORT_UNIT.findall(there) == _SHORT_UNIT.findall(quoted)


def _as_spelled(haystack: Comparable, wanted: Comparable, near_line: int) -> Found | None:
    if not any(char.isalnum() for char in wanted.text):
        return None
    cut: Found | None = None
    starts = list(_occurrences(haystack.text, wanted.text))
    for start in sorted(starts, key=lambda at: abs(haystack.line(at) - near_line)):
        end = start + len(wanted.text)
        first, last, text = _span(haystack, start, end)
        if _gaps_differ(haystack, start, wanted):
            continue
        if says_enough(text) and not _leaves_out(haystack, start, end, text):
            return first, last, text, True
        cut = cut or (first, last, text, False)
    return cut


def _occurrences(text: str, needle: str) -> Iterator[int]:
    start = text.find(needle)
    while start >= 0:
        yield start
        start = text.find(needle, start + 1)


def _leaves_out(haystack: Comparable, start: int, end: int, text: str) -> bool:
    """Whether a match ends inside a word or number, or next to a word that changes its sense.

    Checked with and without mark-up: a sign may belong to a figure, and mark-up may hide a word.
    """
    before, after = _before(haystack, start), _behind(haystack, end)
    after = _without_note(text, after)
    bare, bare_after = _words_alone(before), _words_alone(after)
    spoken, spoken_after = _ENCLOSING.sub("", bare), _ENCLOSING.sub("", bare_after)
    for left, right in ((before, after), (bare, bare_after)):
        if runs_over(_block_before(left, text), text) or runs_over(
            text, _block_behind(text, right)
        ):
            return True
    for left, right in ((before, after), (spoken, spoken_after)):
        if _in_a_word(left, text) or _in_a_word(text, right):
            return True
    return turned_before(spoken, text) or turned_behind(text, spoken_after)


def _words_alone(context: str) -> str:
    """The context of a quotation without tags, links, notes, emphasis and mail signs."""
    text = _TAGS.sub(lambda tag: "" if tag[1] else " ", context)
    text = _LINK_END.sub("", _NOTE.sub("", text))
    return _EMPHASIS.sub("", _MAIL.sub("", text))


def _without_note(text: str, after: str) -> str:
    """The text after a quotation, without a superscript footnote number at its last word."""
    if _MAY_BE_RAISED.search(text) and not _MEASURE.search(text):
        return _RAISED.sub("", after)
    return after


def _block_before(context: str, text: str) -> str:
    """The text before a quotation, back to an empty line or the beginning of a list item.

    An item begins a block only if the line above ended like a sentence: a dash at the beginning of
    a line may be a minus or part of a range.
    """
    block = context.rpartition("\n\n")[2]
    above, line_end, line = block.rpartition("\n")
    return line if line_end and _ITEM.match(line + text) and _ENDED.search(above) else block


def _block_behind(text: str, context: str) -> str:
    """The text after a quotation, up to an empty line or the next list item."""
    block = context.partition("\n\n")[0]
    line, _, below = block.partition("\n")
    return line if _ITEM.match(below) and _ENDED.search(text + line) else block


def _in_a_word(before: str, after: str) -> bool:
    """Whether a word spans the boundary between two texts."""
    if _HYPHENATED_END.search(before) and _WORD_GOES_ON.match(after.lstrip()):
        return True
    if not _WORD_ENDS.search(before):
        # "L'eau" is two words, "don't" is one.
        return before[-1:] in "'’" and before[-2:-1].isalpha() and bool(_CONTRACTED.match(after))
    if _WORD_GOES_ON.match(after):
        # Scripts without spaces have no word boundaries to check.
        return not any(unicodedata.east_asian_width(c) in "WF" for c in (before[-1], after[0]))
    return bool(_HYPHENATED_ON.match(after) or _CONTRACTED_ON.match(after))


def _before(haystack: Comparable, at: int) -> str:
    """The text before a position, without page marks, across one empty line at most."""
    number = haystack.line(at)
    line = haystack.lines[number - 1].text[: haystack.column(at)]
    above = haystack.lines[max(0, number - 1 - CONTEXT_LINES) : number - 1]
    pieces = [line, *_beside(list(reversed(above)))]
    return visible("\n".join(reversed(pieces)))


def _behind(haystack: Comparable, end: int) -> str:
    """The text from a position on, with the limits of `_before`."""
    number = haystack.line(end - 1)
    line = haystack.lines[number - 1].text[haystack.column(end - 1) + 1 :]
    below = haystack.lines[number : number + CONTEXT_LINES]
    return visible("\n".join([line, *_beside(below)]))


def _beside(lines: Sequence[Line]) -> list[str]:
    """The text of lines up to the second empty one, without page marks."""
    found: list[str] = []
    for line in lines:
        if line.is_mark:
            continue
        if not line.text.strip():
            if "" in found:
                break
            found.append("")
        else:
            found.append(line.text)
    return found


def _gaps_differ(haystack: Comparable, start: int, wanted: Comparable) -> bool:
    """Whether white space makes different words or figures of the same characters.

    "1, 234" and "1,234"; "now here" and "nowhere"; "re-sign" and "resign".
    """
    text = wanted.text
    for at in range(1, len(text)):
        left, right = text[at - 1], text[at]
        if left.isalpha() and right.isalpha():
            there, quoted = _between(haystack, start + at), _between(wanted, at)
            if there == quoted or _UNPARTED.match(left) or _UNPARTED.match(right):
                continue
            if _parted_otherwise(_break(there), _break(quoted)):
                return True
            continue
        if not (left.isdigit() or right.isdigit() or text[max(0, at - 2)].isdigit()):
            continue
        if _gap(haystack, start + at) == _gap(wanted, at):
            continue
        if _is_of_a_figure(text, at):
            return True
    return False


def _between(text: Comparable, at: int) -> str:
    """The document's text between a character and the previous one."""
    first, last = text.line(at - 1), text.line(at)
    left, right = text.column(at - 1), text.column(at)
    line = _without_markup(text.lines[first - 1].text, text.linked)
    if first == last:
        return line[left + 1 : right]
    next_line = _without_markup(text.lines[last - 1].text, text.linked)
    return f"{line[left + 1 :]}\n{next_line[:right]}"


Break = Literal["none", "blank", "hyphen", "line end"]


def _break(between: str) -> Break:
    """The kind of break between two letters: a hyphen at a line end may not be in the text."""
    if _HYPHENATED_LINE.search(between):
        return "line end"
    if _DASHED.search(between):
        return "hyphen"
    return "blank" if any(map(str.isspace, between)) else "none"


def _parted_otherwise(there: Break, quoted: Break) -> bool:
    """Whether a quotation splits words that the document joins, or the reverse."""
    if "line end" in (there, quoted):
        return "blank" in (there, quoted)
    return there != quoted


def _gap(text: Comparable, at: int) -> bool:
    """Whether there is white space before a character."""
    if text.text[at - 1] == " " or text.text[at] == " ":
        return True
    return any(map(str.isspace, _between(text, at)))


def _is_of_a_figure(text: str, at: int) -> bool:
    """Whether white space before a character affects the value of a figure."""
    left, right = text[:at], text[at:]
    if any(unicodedata.east_asian_width(char) in "WF" for char in (left[-1], right[0])):
        return False
    if left[-1] in _LOOSE or right[0] in _LOOSE:
        return False
    if left[-1].isdigit() and right[0].isalpha():
        return measured(f"{left[-1]} {right[:12]}") is None
    if left[-1].isalpha() and right[0].isdigit():
        return True
    behind = next((char for char in right[:3] if char.isalnum()), "")
    before = next((char for char in reversed(left[-3:]) if char.isalnum()), "")
    if behind.isdigit() and before.isdigit():
        return True
    return right[0].isdigit() and not before


def says_enough(text: str) -> bool:
    """Whether a quotation has enough content words, or a figure with its unit or noun."""
    words = {word for word in terms(text) if word not in STOP_WORDS and len(word) > 1}
    return len(words) >= LEAST_WORDS or measured(text) is not None


def _lines_of(lines: Sequence[Line], first: int, last: int) -> str:
    return "\n".join(line.text for line in lines[first - 1 : last] if not line.is_mark)


def _span(haystack: Comparable, start: int, end: int) -> tuple[int, int, str]:
    """Lines and text of the source between two positions of the comparable text."""
    lines = haystack.lines
    first, last = haystack.line(start), haystack.line(end - 1)
    left, right = haystack.column(start), haystack.column(end - 1) + 1
    if first == last:
        return first, last, lines[first - 1].text[left:right]
    middle = [line.text for line in lines[first : last - 1] if not line.is_mark]
    parts = [lines[first - 1].text[left:], *middle, lines[last - 1].text[:right]]
    return first, last, "\n".join(parts)


def _resembling(lines: Sequence[Line], quote: str) -> Located | None:
    """The lines most similar to the quotation, if they are similar enough."""
    wanted = _words(quote)
    own = [(w, n) for n, line in enumerate(lines) if not line.is_mark for w in _words(line.text)]
    if not wanted or not own:
        return None
    words = [word for word, _ in own]
    best, best_share = None, ALTERED_SHARE
    slack = 1 + len(wanted) // 5
    for begin in _likely(words, wanted):
        start, end = max(0, begin - slack), begin + len(wanted) + slack
        matcher = SequenceMatcher(None, words[start:end], wanted, autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        share = sum(block.size for block in blocks) / len(wanted)
        if share >= best_share and blocks:
            first = own[start + blocks[0].a][1]
            last = own[start + blocks[-1].a + blocks[-1].size - 1][1]
            best, best_share = (first, last), share
    if best is None:
        return None
    first, last = best
    return first + 1, last + 1, _lines_of(lines, first + 1, last + 1), "altered"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.translate(_SAME).casefold())


def _likely(words: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """The likely start positions of a run of words that `wanted` is a version of, best first.

    Each pair of adjacent words in both votes for the start position that it implies; a run that
    shares most words in order shares pairs.
    """
    text = f" {' '.join(words)} "
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))
    votes: Counter[int] = Counter()
    for number, (one, other) in enumerate(pairwise(wanted)):
        for at in islice(_occurrences(text, f" {one} {other} "), _MOST_PLACES):
            votes[max(0, bisect_left(starts, at) - number)] += 1
    return [begin for begin, _ in votes.most_common(_BEST_RUNS)]
