"""Whether `check` says the right thing of quotations and statements whose truth is known.

Quotations are taken out of documents that nothing was set on, in five languages, and half of them
changed in fifteen ways. Statements are SciFact's claims beside their abstracts, and sentences of
contracts and notes, as they are or contradicted. ContractNLI is checked agreement by agreement.

    python benchmarks/check.py [quotations|statements|nli] [--set dev|held]
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common import corpus_of_texts, data, print_table, read_jsonl
from corpus_agent.answering.support import coverage, windows_of
from corpus_agent.check.checking import check_text
from corpus_agent.check.records import Finding
from corpus_agent.text.sentences import units
from indexer.index import Index
from tests.support import toy_index

LANGUAGES = ("en", "de", "es", "ru", "zh")
NOT = {"en": "not", "de": "nicht", "es": "no", "ru": "не", "zh": "不"}
MADE_UP = ("altered", "pieced_together", "not_found", "elsewhere", "doubtful")
CASES = 1_000
CONTRACTS, NOTES, PARAGRAPHS = 8, 300, 100


@dataclass(frozen=True)
class Case:
    """A quotation, how it was changed, and what may be said of it; `words` are those changed."""

    way: str
    text: str
    right: tuple[str, ...]
    words: tuple[str, ...] = ()


Sentences = dict[str, list[str]]  # of each document


def documents(part: str) -> dict[str, str]:
    """The texts of the development half of the documents, or of the one that is held out."""
    found: dict[str, str] = {}
    for language in LANGUAGES:
        folder = data("languages", "xquad-r-dev", language, "paragraphs")
        for path in sorted(folder.iterdir())[: 2 * PARAGRAPHS]:
            found[f"{language}/{path.name}"] = path.read_text("utf-8")
    for path in sorted(data("corpora", "til").rglob("*.md"))[: 2 * NOTES]:
        found[f"notes/{path.parent.name}-{path.name}"] = path.read_text("utf-8")
    for path in sorted(data("fields", "cuad-dev", "txt").iterdir())[: 2 * CONTRACTS]:
        found[f"contracts/{path.stem[:40]}.txt"] = path.read_text("utf-8")
    return {name: found[name] for name in sorted(found)[part == "held" :: 2]}


def sentences(texts: dict[str, str]) -> Sentences:
    found: Sentences = defaultdict(list)
    for name, text in texts.items():
        language = name[:2] if name[2] == "/" else "en"
        for unit in units(text, language):
            said = text[unit.start : unit.end]
            size = len(said) // 2 if language == "zh" else len(said.split())
            plain = not re.search(r"[\"“”„«»`*_|#<>\[\]{}…]|\.\.|\n\s*\n", said)
            if unit.kind == "text" and plain and 8 <= size <= 40 and said[-1] in ".!。":
                found[name].append(said)
    return {name: said for name, said in found.items() if len(said) > 1}


# ---- Fifteen ways to change a quotation


def _split(said: str, language: str) -> list[str]:
    return list(said) if language == "zh" else said.split()


def _joined(words: list[str], language: str) -> str:
    return ("" if language == "zh" else " ").join(words)


def changed(way: str, name: str, own: Sentences, chance: random.Random) -> Case | None:
    """A sentence of a document changed in one way; None where it has nothing of that kind."""
    language = name[:2] if name[2] == "/" else "en"
    at = chance.randrange(len(own[name]))
    said = own[name][at]
    words = _split(said, language)
    inner = range(2, len(words) - 2)
    other = chance.choice([each for each in own if each != name and each[:3] == name[:3]])
    foreign = own[other][chance.randrange(len(own[other]))]
    altered = ("altered",)

    def one(put: Callable[[str], str], which: str) -> Case | None:
        fits = [n for n in inner if re.search(which, words[n])]
        if not fits:
            return None
        n = chance.choice(fits)
        new = put(words[n])
        if new.casefold() == words[n].casefold():
            return None
        made = [*words[:n], *([new] if new else []), *words[n + 1 :]]
        both = (new, words[n]) if new else (words[n],)
        return Case(way, _joined(made, language), altered, both)

    def digits(word: str) -> str:
        return re.sub(r"\d", lambda d: str((int(d[0]) + chance.randint(1, 8)) % 10), word)

    others = [word for word in _split(foreign, language) if re.fullmatch(r"\w{4,}|[\u4e00-\u9fff]", word)]
    if way == "figure":
        return one(digits, r"\d")
    if way == "name":
        names = [word for word in _split(foreign, language)[1:] if word[:1].isupper()]
        return one(lambda _: chance.choice(names), r"^[^\W\d_]*[A-ZА-Я]") if names else None
    if way in ("word replaced", "word added", "word left out") and not others:
        return None
    if way == "word replaced":
        return one(lambda _: chance.choice(others), r"^\w{4,}$|^[\u4e00-\u9fff]$")
    if way == "word left out":
        return one(lambda _: "", r"^\w{4,}$|^[\u4e00-\u9fff]$")
    n = chance.choice(list(inner))
    if way == "word added":
        new = chance.choice(others)
        return Case(way, _joined([*words[:n], new, *words[n:]], language), altered, (new,))
    if way == "not added":
        new = NOT[language]
        return Case(way, _joined([*words[:n], new, *words[n:]], language), altered, (new,))
    if way == "not left out":
        return one(lambda _: "", rf"^(?:{'|'.join(NOT.values())}|never|kein\w*|nie|nunca)$")
    if way == "word order":
        a, b = sorted(chance.sample(list(inner), 2))
        words[a], words[b] = words[b], words[a]
        made = _joined(words, language)
        return Case(way, made, altered, (words[a], words[b])) if words[a] != words[b] else None
    if way == "clause left out":
        if len(words) < 14:
            return None
        made = [*words[:5], *words[-5:]]
        return Case(way, _joined(made, language), (*altered, "pieced_together"))
    if way == "cut":
        cut = _joined(words[: len(words) * 2 // 3], language).rstrip(",;:-–，、；")
        return Case(way, f"{cut}{said[-1]}", ("pieced_together", "altered"))
    if way == "two places":
        far = [each for n, each in enumerate(own[name]) if abs(n - at) > 1]
        gap = "" if language == "zh" else " "
        return Case(way, f"{said}{gap}{chance.choice(far)}", ("pieced_together",)) if far else None
    if way == "two documents":
        half = _split(foreign, language)
        made = [*words[: len(words) // 2], *half[len(half) // 2 :]]
        return Case(way, _joined(made, language), ("pieced_together", "altered"))
    if way == "other document":
        return Case(way, said, ("elsewhere",), (other,))
    if way == "other sense between":
        near = _split(own[name][(at + 1) % len(own[name])], language)
        made = [*words[: len(words) // 2], "…", *_split(foreign, language)[-6:]]
        return Case(way, _joined(made, language), ("pieced_together", "altered")) if near else None
    made = _split(foreign, language)[:]
    chance.shuffle(made)
    return Case(way, _joined(made, language), ("not_found", "altered"))


WAYS = (
    "figure", "name", "word replaced", "word added", "word left out", "not added", "not left out",
    "word order", "clause left out", "cut", "two places", "two documents", "other document",
    "other sense between", "shuffled",
)  # fmt: skip
RIGHT_WAYS = ("whole", "two in a row", "other signs", "small first letter", "named")


def unchanged(way: str, name: str, own: Sentences, texts: dict[str, str], chance: random.Random) -> Case:
    """A sentence as it stands, in a habit of quoting; where it cannot be, plain."""
    at = chance.randrange(len(own[name]))
    said = own[name][at]
    if way == "two in a row":
        begin = texts[name].find(said)
        rest = texts[name][begin + len(said) :].lstrip()
        following = [each for each in own[name] if rest.startswith(each)]
        gap = "" if name.startswith("zh") else " "
        said = f"{said}{gap}{following[0]}" if following else said
    elif way == "other signs":
        said = said.replace("'", "’").replace("-", "‑").replace(" ", "  ", 2).rstrip(".")
    elif way == "small first letter":
        said = said[0].lower() + said[1:] if said[1:2].islower() else said
    return Case(way, " ".join(said.split()), ("quoted",), (name,) if way == "named" else ())


def cases(texts: dict[str, str], seed: int) -> Iterator[Case]:
    own, chance = sentences(texts), random.Random(seed)
    kinds = defaultdict(list)
    for name in own:
        kinds[name.partition("/")[0]].append(name)
    for number in range(CASES):
        made = None
        while made is None:
            name = chance.choice(kinds[chance.choice(sorted(kinds))])
            if number % 2:
                made = changed(WAYS[number // 2 % len(WAYS)], name, own, chance)
            else:
                way = RIGHT_WAYS[number // 2 % len(RIGHT_WAYS)]
                made = unchanged(way, name, own, texts, chance)
        yield made


def written(case: Case) -> str:
    """A text that quotes, as a person would write it."""
    place = f" ({case.words[0]})" if case.way in ("named", "other document") else ""
    return f"It says “{case.text}”{place}."


@contextmanager
def found_by_words(texts: dict[str, str]) -> Iterator[Index]:
    """The corpus of texts without a model, which no quotation is looked up with."""
    with tempfile.TemporaryDirectory() as scratch:
        root, store = Path(scratch, "docs"), Path(scratch, "store")
        for name, text in texts.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        toy_index.sync(root, store)
        yield Index.open(store, toy_index.ENCODER, root=root)


def quotations(part: str, show: int) -> None:
    texts = documents(part)
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    named = told = made_up = 0
    with found_by_words(texts) as corpus:
        for case in cases(texts, seed=7):
            found = check_text(written(case), corpus).findings
            kind = found[0].kind if found else "nothing"
            every[case.way] += 1
            right[case.way] += kind in case.right
            made_up += case.right != ("quoted",) and kind == "quoted"
            if kind not in case.right and show > 0:
                show -= 1
                print(case.way, kind, case.text, found[:1], sep=" | ")
            if case.right == ("altered",) and kind == "altered":
                told += 1
                own = " ".join(f"{a} {b}" for a, b in found[0].differs)
                plain = [word.strip(".,;:()'’。，、；：").casefold() for word in case.words]
                named += all(word in own.casefold() for word in plain)
    rows = [(way, right[way] / every[way], every[way]) for way in (*RIGHT_WAYS, *WAYS)]
    total = sum(right.values()) / sum(every.values())
    print_table(["way", "right", "cases"], [*rows, ("all", total, sum(every.values()))])
    print(f"difference names the changed words: {named / told:.3f} of {told}")
    print(f"changed and called quoted: {made_up}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["quotations", "statements", "nli"])
    parser.add_argument("--set", dest="part", choices=["dev", "held"], default="held")
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    quotations(given.part, given.show)
