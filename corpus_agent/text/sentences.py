"""The sentences, rows, headings and code blocks of a Markdown or plain text."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import sentencex

from corpus_agent.text.numbers import figures
from corpus_agent.text.tables import ends_with_figures, is_row_of_names
from corpus_agent.text.tokens import WANT_MORE, fold, has_digit, lazy

CODE_WITH_LEAD_IN = 500  # characters; keeps a code block with the sentence before it
MERGE_LIMIT = 400


@dataclass(frozen=True)
class Unit:
    """A sentence-like piece of a text.

    `kind`: text, row, code, head, page (header or footer), or property (of front matter).
    """

    start: int
    end: int
    kind: str


_HEAD = lazy(r"^\s{0,3}#{1,6}\s+\S")
_ITEM = lazy(
    r"^\s*(?:[-*+•▪◦–・](?!\s[-*_]\s)|\(?\d{1,3}(?:\.\d+)*[.)]?|\(?(?:[a-z]|[ivx]{2,5})[.)]"
    r"|\[[ xX]\])\s+\S"
)
_ROW = lazy(r"^\s*\|.*\|\s*$")
_RULE = lazy(r"^\s*\|?[\s:|=_*~-]{3,}\|?\s*$")
_FENCE = lazy(r"^\s*(?:```|~~~)")
_LABEL = lazy(r"^\s*[*_]{0,2}[\p{Lu}\p{Lo}][\p{L}\p{N} /()&'’.-]{0,40}[*_]{0,2}[:：]")
# A page's header or footer in the text of a PDF: "Owner's manual Page 2 of 6", "Seite 3/4".
_PAGE = lazy(
    r"(?i)^.{0,100}\b(?:page|seite|p[aá]gina|pagina|side|strona)\s+\d{1,4}(?:\s*(?:of|von|/|de|sur|di|van)\s*\d{1,4})?\s*$"
)
# A number that may go on a sentence ("from / 1 April"); "(1)" and "1." begin an item always.
_NUMBER_LEADS = lazy(r"\s*(?!1[.)])\d{1,3}(?:\.\d{1,3}){0,4}\.?\s")
_COUNTS = lazy(r"\s*\d{1,3}(?:[.,]\d{1,3})*\s+(?:\p{Ll}|[%‰€$£¥])")  # "owes / 250 pounds"
_IN_FIGURES = lazy(r"\s*\((\d{1,3})\)\s+\p{Ll}")  # "within thirty / (30) days"
_ENDS_OPEN = lazy(r"[\p{L}\p{M}\p{N}),]$")
_CLAUSE = lazy(r"(?i)\s*(?:§|(?:art(?:\.|icle|ikel|[íi]c[uo]lo|igo)|section|clause|ziffer)\s?\d)")
_ENDING = lazy(r"(?<![\p{L}\p{M}])\p{L}[\p{L}\p{M}]*$")
_MARKED = (_HEAD, _ROW, _RULE, _FENCE, _LABEL, _PAGE)
_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_ABBREVIATIONS = {name: frozenset(words.split()) for name, words in _TABLE.items()}
_ANY = {name: "|".join(words).replace("_", " ") for name, words in _ABBREVIATIONS.items()}
# A dot after these ends no sentence, although the segmenter splits there ("am 3. Mai", "z. B.").
_ABBREVIATED = lazy(r"(?:^|[^\p{L}\p{N}\p{Sc}°])(?:(?<![.])\d{1,2}|\p{L}(?<!['’]s))\.\s*$")
_FIGURE_ENDS = lazy(r"(?:\S+\s+){3}\S*\d\.\s*$")  # where no dot makes an ordinal, a sentence ends
_LAST_WORD = lazy(r"(?P<word>\p{L}(?:[\p{L}\p{M}-]|\.(?=\p{L}))*)\.\s*$")
_SMALL, _NO_START = lazy(r"\s*\p{Ll}"), lazy(r"\s*[\p{Ll}\p{Nd}]")
# Nor does one after these before a figure ("POLIZZA n. 2290/71", "pág. 3"): it may end one else.
_NUMBERS_WHAT = lazy(rf"(?i)(?:^|[^\p{{L}}\p{{N}}])(?:{_ANY['before_numbers']})\.\s*$")
_NUMBER = lazy(r"\s*(?:[ºª°]\s*)?\p{Nd}")
# The mark that ends what is stressed or struck stands behind the stop: "**Pay by card!** Cash is
# not taken."
_CLOSING = lazy(r"(?:(?P<sign>[*_]{1,3}|~~)){1,2}(?![\p{L}\p{N}*_])")
_NOTE = lazy(
    r"(?:\[\^?\w{1,4}\]|\^\d{1,3}|[¹²³⁰⁴-⁹]{1,3}|[†‡§*]{1,2}(?=\s|$)|(?<=\p{L}[.!?])\d{1,2}(?=\s|$))+"
)
# A title on the line of its text: "3. **Stray cats.** The town asks". No sentence without it.
_RUN_IN = lazy(r"\s{0,8}(?:\P{L}{1,8}\s)?[*_]{1,3}(?=[\p{L}\p{N}])[^*_\n]{1,60}")
_NOT_SENTENCE_BREAKS = str.maketrans({"\r": " ", "\n": " ", "\t": " "})
_WIDE = lazy(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
# Thai and Lao have no full stop, and a space may stand before what a clause denies or permits. So
# they are cut at spaces only into pieces as long as can be verified whole.
MOST_WITHOUT_STOPS = 300  # characters
_SPACE_WITHOUT_STOPS = lazy(r"(?<=[\p{Thai}\p{Lao}]) +(?=[\p{Thai}\p{Lao}])")
# What follows the bracket of a Japanese quotation goes on with its sentence: "「行く。」と言った。"
_QUOTED_ON = lazy(r"(?<=[」』])\p{Hiragana}")
# A line that ends with one is complete; so is one that ends with a company before a capital.
_COMPLETE = lazy(r"[。！？】।۔]\n|\b(?:Ltd|Inc|Corp|Co|Bros|LLC|Ltda|Cie|Cía)\.\n\s*\p{Lu}")


def wants_more(line: str) -> bool:
    """Whether a line ends with a word that ends no sentence, so that the next line goes on."""
    last = _ENDING.search(line.rstrip())
    # "Part A" is a title.
    return bool(last and (last[0].islower() or len(last[0]) > 1) and fold(last[0]) in WANT_MORE)


def _continues(lines: Sequence[str], index: int, width: int) -> bool:
    """Whether a line break only wraps a paragraph, so that the sentence may run over it."""
    previous, line = lines[index - 1], lines[index]
    if any(mark.match(line) for mark in _MARKED) or any(
        mark.match(previous) for mark in (_HEAD, _ROW, _RULE, _FENCE, _PAGE)
    ):
        return False
    written, said = _IN_FIGURES.match(line), " ".join(previous.split()[-2:])
    if written and not has_digit(said) and written[1] in figures(said):
        return True
    numbered, open_ended = bool(_ITEM.match(line)), wants_more(previous)
    if numbered and not (open_ended and _NUMBER_LEADS.match(line)):
        beside = (previous, *lines[index + 1 : index + 2])
        counts = _COUNTS.match(line) and _ENDS_OPEN.search(previous.rstrip())
        if not counts or any(_ITEM.match(each) for each in beside):
            return False
    if _COMPLETE.search(f"{previous.rstrip()}\n{line}") or (_CLAUSE.match(line) and not open_ended):
        return False
    # Rows of a table without cells, and the line that names its columns.
    if any(ends_with_figures(each) or is_row_of_names(each) for each in (line, previous)):
        return False
    first = line.split(maxsplit=1)[0]
    if first[:1].islower() or (numbered and open_ended):
        return True
    first = first[:1] if _WIDE.match(first) else first  # a line may break at any of these
    return width >= 40 and _columns(previous) + 1 + _columns(first) > 0.85 * width


def _columns(line: str) -> int:
    """How wide a line is: letters of Chinese and Japanese take two columns."""
    return len(line.rstrip()) + (0 if line.isascii() else len(_WIDE.findall(line)))


def _blocks(text: str, position: int) -> Iterator[Unit]:
    """Each paragraph, list item, table row, heading and code block of a text from there on."""
    places: list[int] = []
    lines: list[str] = []
    for raw in text[position:].splitlines(keepends=True):
        places.append(position)
        lines.append(raw.rstrip("\r\n"))
        position += len(raw)
    width = min(120, max((_columns(line) for line in lines if not _ROW.match(line)), default=0))
    start, kind, fenced = -1, "text", False
    for index, (position, line) in enumerate(zip(places, lines, strict=True)):
        fence = bool(_FENCE.match(line))
        if fenced and not fence:
            if start < 0:
                start, kind = position, "code"
            continue
        ends = fence or not line.strip() or bool(_RULE.match(line))
        if start >= 0 and (ends or not _continues(lines, index, width)):
            yield Unit(start, position, kind)
            start = -1
        if fence:
            fenced = not fenced
        if not ends and start < 0:
            named = (("head", _HEAD), ("row", _ROW), ("page", _PAGE))
            start, kind = position, next((n for n, mark in named if mark.match(line)), "text")
    if start >= 0:
        yield Unit(start, len(text), kind)


def _trimmed(text: str, start: int, end: int, kind: str) -> Unit:
    """The unit without the blanks around it."""
    body = text[start:end]
    return Unit(end - len(body.lstrip()), start + len(body.rstrip()), kind)


def _sentences(text: str, block: Unit, language: str) -> Iterator[Unit]:
    """The sentences of a paragraph; pieces cut after an abbreviation are joined again."""
    start = block.start
    for position in _ends(text, block, language):
        end = position + _closing(text, start, position, block.end)
        open_ended = end < block.end and end - start < MERGE_LIMIT
        runs_in = end > position and start == block.start
        if open_ended and (
            _goes_on(text, start, position, language)
            or (runs_in and _RUN_IN.fullmatch(text, start, position))
        ):
            continue
        yield _trimmed(text, start, end, block.kind)
        start = end
    if start < block.end:
        yield _trimmed(text, start, block.end, block.kind)


def _ends(text: str, block: Unit, language: str) -> Iterator[int]:
    """Where a paragraph may be cut: the ends of its sentences, and of parts without stops."""
    end = block.start
    body = text[block.start : block.end].translate(_NOT_SENTENCE_BREAKS)
    for piece in sentencex.segment(language or "en", body):
        start, end = end, end + len(piece)
        yield from _spaces(text, start, end)
        yield end


def _spaces(text: str, start: int, end: int) -> Iterator[int]:
    """Where a long piece in a script without stops is cut: at the last space of each part."""
    last = start
    for space in _SPACE_WITHOUT_STOPS.finditer(text, start, end):
        if space.start() - start > MOST_WITHOUT_STOPS and last > start:
            yield last
            start = last
        last = space.end()
    if end - start > MOST_WITHOUT_STOPS and last > start:
        yield last


def _closing(text: str, start: int, end: int, last: int) -> int:
    """The length of what belongs to a piece behind its stop: the mark of a note, of an emphasis."""
    mark = _CLOSING.match(text, end, last)
    if mark and all(text.count(sign, start, end) % 2 for sign in mark.captures("sign")):
        return len(mark[0])
    note = _NOTE.match(text, end, last)
    return len(note[0]) if note else 0


def _goes_on(text: str, start: int, end: int, language: str) -> bool:
    """Whether a piece ends with an abbreviation, and its sentence is behind it."""
    word = _LAST_WORD.search(text, start, end)
    if word is not None and (_SMALL.match(text, end) or _is_short(word["word"], language)):
        return True
    piece = text[start:end]
    no_ordinals = language in ("en", "fr", "es", "it", "pt", "nl")
    figure_ends = no_ordinals and not _NO_START.match(text, end) and _FIGURE_ENDS.search(piece)
    if (_ABBREVIATED.search(piece) and not figure_ends) or _QUOTED_ON.match(text, end):
        return True
    return bool(_NUMBER.match(text, end) and _NUMBERS_WHAT.search(text[start:end]))


def _is_short(word: str, language: str) -> bool:
    """Whether a word is written short in a language; where none is known, English and German."""
    last = word.casefold().rpartition(".")[2]
    if last in _ABBREVIATIONS["any"]:
        return True
    known = (language,) if language in _ABBREVIATIONS else ("en", "de")
    listed = any(last in _ABBREVIATIONS[each] for each in known)
    return listed and not _NUMBERS_WHAT.search(f"{last}.")  # these may end one before a word


def units(text: str, language: str = "") -> list[Unit]:
    """The sentences, list items, table rows, headings and code blocks of a text, in order.

    `language` is an ISO 639 code; a text whose language is not known is cut by English rules.
    """
    properties, begin = front_matter(text)
    found = [Unit(*place, "property") for place in properties]
    for block in _blocks(text, begin):
        own = [_trimmed(text, block.start, block.end, block.kind)]
        every = _sentences(text, block, language) if block.kind == "text" else own
        for unit in (unit for unit in every if unit.start < unit.end):
            last = found[-1] if found else unit
            announced = last.kind == "text" and leads_in(text[last.start : last.end])
            if unit.kind == "code" and announced and unit.end - last.start <= CODE_WITH_LEAD_IN:
                unit = Unit(found.pop().start, unit.end, "code")
            found.append(unit)
    return found


_NUMBERED = lazy(r"^(?:\d{1,3}(?:\.\d+)*[.)]?|[【\[])\s*")
_TITLE_LENGTH = 60


def is_title(text: str) -> bool:
    """Whether a line looks like a title: short, no end mark, no label or number but a first one."""
    if (
        len(text) > _TITLE_LENGTH
        or "\n" in text
        or _LABEL.match(text)
        or text[-1] in ".!?;,。！？…"
    ):
        return False
    bare = _NUMBERED.sub("", text)
    return bool(bare) and bare[:1].isalpha() and not bare[:1].islower() and not has_digit(bare)


_LINK = r"(?:!?\[[^\]]{0,200}\]\([^()\s]*(?:\([^()\s]*\))?[^()\s]*\)|<?https?://\S+)"
_POINTER = lazy(
    rf"(?i)\s*(?:[-*+•]\s+)?(?:{_LINK}|(?:see|source|via|read|reference|quelle|siehe)\b[^.\[]{{0,20}}"
    rf"{_LINK}[^.\[]{{0,50}})[.>\s]*"
)


def is_pointer(text: str) -> bool:
    """Whether a unit only says where something stands: a link alone, "See [the manual](…)"."""
    return bool(_POINTER.fullmatch(text))


def is_item(text: str) -> bool:
    """Whether a unit is an item of a list."""
    return bool(_ITEM.match(text))


def asks(text: str) -> bool:
    """Whether a unit is a question."""
    return text.endswith(("?", "？", "؟"))


def leads_in(text: str) -> bool:
    """Whether a unit announces what follows it, by a colon at its end."""
    return text.endswith((":", "："))


_COURTESY = lazy(rf"(?i)\W*(?:{_ANY['greeting']}|{_ANY['courtesy']})\b")
_GREETING = lazy(rf"(?i)\s*(?:{_ANY['greeting']})\b[^,\n]{{0,50}},\s*")


def greets(text: str) -> bool:
    """Whether a line is no more than the greeting of a letter: "Dear Ms Low,"."""
    return bool(_GREETING.fullmatch(text))


def is_courtesy(text: str) -> bool:
    """Whether a sentence is one of those that a letter opens or closes with."""
    return bool(_COURTESY.match(text))


# It begins a sentence, a line or a bracket and is no name ("Draft beer"), or is all in capitals.
_STATE = lazy(
    rf"(?:^|[.;(\[–—-])[ *_]*(?i:{_ANY['state']})(?=\s*(?:$|[).;\]–—\p{{N}}-])"
    rf"|\s(?i:of\s\d|by|on|since|am|ab|seit|vom|durch|par|le|por|dal|il)\b)"
    rf"|\b(?=\p{{Lu}}{{4}})(?=[\p{{Lu}} ]+\b)(?i:{_ANY['state']})\b(?![\s]\p{{Lu}}{{2}})"
)
TOP, LONGEST_STATE = 8, 120  # lines of a document; characters of the one that says so


def state_of(top: Iterable[str]) -> str:
    """The line among the first of a document that calls it a draft or no longer in force, or ""."""
    lines = (line.strip("#*_ |\t") for line in top)
    return next((one for one in lines if len(one) <= LONGEST_STATE and _STATE.search(one)), "")


_REFERS_BACK = lazy(rf"(?i)\W*(?:(?:{_ANY['leads']})\s+)?(?:{_ANY['refers_back']})\b")


def refers_back(text: str) -> bool:
    """Whether a sentence begins with a word for what an earlier one names: they, this, in it."""
    return bool(_REFERS_BACK.match(text))


# ---- Properties at the top of a note: YAML between ---, TOML between +++, keywords of Org

_NAME = r"[\"']?(?P<key>[\p{L}_][\p{L}\p{N}_. -]{0,40}?)[\"']?[ \t]*(?::(?=[ \t]|$)|=)"
_ORG_NAME = r"#\+(?P<key>[\p{L}_]{2,30}):(?=[ \t]|$)"
# What goes on with the property before: a list, a text over several lines, a comment, a table.
_GOES_ON = r"(?:[ \t]|-[ \t]|[#\[\]{}]|$)"
# At most 200 lines; a ruler at the top of a note is closed by none as near.
_FENCED = lazy(
    rf"(?m)\A(?:---|(?P<toml>\+\+\+))[ \t]*\n(?P<body>(?:(?:{_NAME}|{_GOES_ON}).*\n){{1,200}}+)"
    r"(?(toml)\+\+\+|(?:---|\.\.\.))[ \t]*$"
)
_ORG = lazy(rf"(?m)\A(?P<body>(?:{_ORG_NAME}.*(?:\n|\Z))++)")
_PROPERTY = lazy(rf"(?m)^(?:{_NAME}|{_ORG_NAME}).*(?:\n(?!{_NAME}|{_ORG_NAME}).*)*")


def front_matter(text: str) -> tuple[list[tuple[int, int]], int]:
    """The places of the properties that a text begins with, and where its prose begins.

    None, and 0, where the first line is a ruler above prose.
    """
    matter = _FENCED.match(text) or _ORG.match(text)
    if matter is None:
        return [], 0
    start, end = matter.span("body")
    found = [
        (each.start(), each.start() + len(each[0].rstrip()))
        for each in _PROPERTY.finditer(text, start, end)
    ]
    return (found, matter.end()) if found else ([], 0)
