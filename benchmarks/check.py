"""Whether `check` says what is true: of sentences in five languages, every other one changed in
one of fifteen ways; of SciFact's claims beside their abstracts; of ContractNLI's in each agreement.

    python benchmarks/check.py quotations|claims|contracts 1000
"""

from __future__ import annotations

import csv
import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path

from benchmarks.common import corpus_of, data, document_files, print_table, written
from corpus_agent.check.checking import check_text
from corpus_agent.check.records import Piece
from corpus_agent.check.statements import NEAR, StatementFinder
from corpus_agent.text.sentences import units
from indexer.index import Index
from indexer.records import Query
from tests.support import toy_index

NOT = {"en": "not", "de": "nicht", "es": "no", "ru": "не", "zh": "不"}
ONE = ["figure", "name", "replaced", "added", "not added", "left out", "not left out", "order"]
PARTS = ["clause left out", "cut", "other end", "two documents"]
WAYS = dict.fromkeys(ONE, "altered") | dict.fromkeys(PARTS, "altered pieced_together")
WAYS |= {"two places": "pieced_together", "other document": "elsewhere"}
WAYS |= {"shuffled": "altered not_found"}
WORDS = {"figure": r"\d+", "name": r"[A-ZА-Я]\w{3,}", "not left out": "|".join(NOT.values())}

CLASSES = dict.fromkeys(["supported", "leaning", "elsewhere"], "Entailment")
CLASSES |= {"doubtful": "Contradiction", "not_found": "NotMentioned"}


def changed(way: str, words: list[str], other: list[str], far: list[str], no: str) -> list[str]:
    """A changed quotation; none where it has nothing of that kind."""
    chance, wanted = random.Random(str(words)), WORDS.get(way, r"\w{4,}|[一-鿿]")
    fits = [n for n in range(2, len(words) - 2) if re.fullmatch(wanted, words[n])]
    news = [word for word in other[1:-1] if re.fullmatch(wanted, word)] or [no]
    if not fits:
        return []
    n, half, new = chance.choice(fits), len(words) // 2, chance.choice(news)
    new = f"{int(words[n]) + 3}" if way == "figure" else new
    return {
        "added": [*words[:n], new, *words[n:]],
        "not added": [*words[:n], no, *words[n:]],
        "order": [*words[: n - 1], words[n], words[n - 1], *words[n + 1 :]],
        "clause left out": [*words[:5], *words[-5:]],
        "cut": [*words[:half], "."],
        "other end": [*words[:half], "…", *other[-6:]],
        "two places": [*words, *far] if far else [],
        "two documents": [*words[:half], *other[len(other) // 2 :]],
        "other document": [*words, ""],
        "shuffled": chance.sample(other, len(other)),
    }.get(way, [*words[:n], *[new] * ("left out" not in way), *words[n + 1 :]])


def quotations(cases: int) -> None:
    texts, own = {}, defaultdict(list)
    for lang in NOT:
        for path in sorted(data("languages", "xquad-r-dev", lang, "paragraphs").iterdir())[1::2]:
            text = texts[name := f"{lang}/{path.name}"] = path.read_text("utf-8")
            for said in (text[unit.start : unit.end] for unit in units(text, lang)):
                words = list(said) if lang == "zh" else said.split()
                plain = not re.search(r"[\"“”„«»`*_|#<>\[\]{}…()\n]|\.\.", said)
                if plain and 14 <= len(words) <= 60 and said[-1] in ".。":
                    own[name].append(words)
    chance, right, every, told = random.Random(7), Counter(), Counter(), Counter()
    with tempfile.TemporaryDirectory() as scratch:
        root, store = written(texts, Path(scratch, "docs")), Path(scratch, "store")
        toy_index.sync(root, store)
        corpus = Index.open(store, toy_index.ENCODER, root=root)
        while every.total() < cases:
            name = chance.choice(sorted(own))
            at = chance.randrange(len(own[name]))
            other = chance.choice([o for o in sorted(own) if o[:2] == name[:2] and o != name])
            far = [words for n, words in enumerate(own[name]) if abs(n - at) > 1]
            said, there = own[name][at], chance.choice(own[other])
            way = [*WAYS][every.total() // 2 % len(WAYS)] if every.total() % 2 else "as it stands"
            one = said, there, far and chance.choice(far), NOT[name[:2]]
            made = changed(way, *one) if way in WAYS else said
            if not made or (made == said and way in WAYS):
                continue
            text = ("" if name[:2] == "zh" else " ").join(made).strip()
            place = f" ({other})" if way == "other document" else ""
            [finding, *_] = check_text(f"It says “{text}”{place}.", corpus).findings
            every[way] += 1
            right[way] += finding.kind in WAYS.get(way, "quoted").split()
            told["lifted"] += finding.kind == "quoted" and way in WAYS
            if finding.kind == WAYS.get(way) == "altered" and way != "order":
                differs = " ".join(f"{one} {two}" for one, two in finding.differs).casefold()
                words = (Counter(made) - Counter(said)) + (Counter(said) - Counter(made))
                told["all"] += 1
                told["named"] += all(w.strip(".,;:。，、").casefold() in differs for w in words)
    print_table(["way", "right", "cases"], [(w, right[w] / every[w], every[w]) for w in every])
    print(f"right: {right.total() / cases:.3f}; {dict(told)}")


def judged(corpus: Index, labels: dict[str, str]) -> Counter[tuple[str, str]]:
    """Of each kind and label how many; apart what was not found and is rather said than not."""
    finder, counts = StatementFinder(corpus, corpus.encoder), Counter()
    for claim, label in labels.items():
        found = finder.find(Piece(0, 0, 1, claim, False))
        counts["leaning" if (found.probability or 0) >= 0.5 else found.kind, label] += 1
    return counts


def claims(cases: int) -> None:
    table = data("claims", "scifact-claims-train.csv").read_text("utf-8").splitlines()
    rows = list(csv.DictReader(table))[:: max(1, len(table) // cases)]
    cited = {one for row in rows for one in re.findall(r"\d+", row["cited_doc_ids"])}
    with tempfile.TemporaryDirectory() as scratch:
        for source, document in document_files("scifact-train", Path(scratch)).items():
            if document not in cited:
                Path(scratch, source).unlink()
        with corpus_of(Path(scratch)) as corpus:
            found = judged(corpus, {row["claim"]: row["evidence_label"] for row in rows})
    print_table(["said", "is", "claims"], [(*pair, n) for pair, n in sorted(found.items())])


def contracts(cases: int) -> None:
    nli = json.loads(data("claims", "contract-nli-dev.json").read_text("utf-8"))
    said = {name: label["hypothesis"] for name, label in nli["labels"].items()}
    some = nli["documents"][-cases // len(said) :]  # the first half set what a sentence says
    texts = {f"{each['id']}.txt": each["text"] for each in some}
    found, near = Counter[tuple[str, str]](), list[bool]()
    with tempfile.TemporaryDirectory() as scratch, corpus_of(written(texts, Path(scratch))) as all_:
        finder = StatementFinder(all_, all_.encoder)
        for one in some:
            corpus, own = all_.bounded([f"{one['id']}.txt"]), one["annotation_sets"][0]
            truth = {said[name]: each for name, each in own["annotations"].items()}
            found += judged(corpus, {claim: each["choice"] for claim, each in truth.items()})
            for claim, each in truth.items():
                best = islice(finder.nearest(claim, corpus.search(Query(claim, NEAR, None))), 3)
                shown = ["".join(window.evidence.text.split()) for window, _ in best]
                spans = [one["text"][slice(*one["spans"][n])].split() for n in each["spans"]]
                both = [("".join(span), text) for span in spans for text in shown]
                near += [any(a in b or (b in a and len(b) >= 20) for a, b in both)] if spans else []
    print_table(["said", "is", "statements"], [(*pair, n) for pair, n in sorted(found.items())])
    right = sum(n for (kind, label), n in found.items() if CLASSES[kind] == label)
    print(f"three classes: {right / found.total():.3f} of {found.total()}")
    print(f"right span among three: {sum(near) / len(near):.3f} of {len(near)}")


if __name__ == "__main__":
    globals()[sys.argv[1]](int(sys.argv[2]))
