"""Any language asks any language: XQuAD-R, the questions of every other article.

`across`: a question of each language over the English paragraphs. `same`: over those of its own.
`pool`: over the paragraphs of all eleven at once, of which any translation of the right one counts.

`centres` writes what the questions of each language have in common, for the multilingual model, and
says how often the nearest is the right one.

    python benchmarks/languages.py {across,same,pool,centres} [--every N] [--model minilm]
        [LANGUAGE ...]
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Asked, corpus_of, flat, held_out, print_table, xquad
from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer import encoder_of, multilingual_model
from indexer.embed.languages import CENTRES, nearest_language
from indexer.index import Index
from indexer.records import Query

LANGUAGES = ("en", "de", "es", "ru", "el", "tr", "vi", "zh", "ar", "hi", "th")
FIVE, SHOWN = 5, 3
RANKED = ("first", "in five")
PREFERRED = ("own first", "in five without", "own first without")
ANSWERED = ("line first", "line shown", "refused", "likely", "likely right")


def ranked(index: Index, asked: Sequence[Asked]) -> tuple[float, float]:
    """How often the right paragraph is first, and among the first five."""
    found = []
    for each in asked:
        hits = index.search(Query(each.text, FIVE, per_source=1))
        found.append([Path(hit.chunk.source).name == each.source for hit in hits] or [False])
    return mean(right[0] for right in found), mean(any(right) for right in found)


def preferred(index: Index, asked: Sequence[Asked], language: str) -> tuple[float, float, float]:
    """Shares of a pool: first hits in the asker's own language, where one in eleven is chance.

    Without the right paragraph in the asker's own: a translation in five, and first hits that are
    in the asker's own, all of them wrong.
    """
    every = frozenset(file.source for file in index.files())
    own, others, wrong = [], [], []
    for each in asked:
        first = index.search(Query(each.text, 1))
        among = every - {f"{language}/{each.source}"}
        hits = index.search(Query(each.text, FIVE, per_source=1, among=among))
        own.append(first[0].chunk.source.startswith(f"{language}/"))
        others.append(any(Path(hit.chunk.source).name == each.source for hit in hits))
        wrong.append(hits[0].chunk.source.startswith(f"{language}/"))
    return mean(own), mean(others), mean(wrong)


def answered(index: Index, asked: Sequence[Asked]) -> tuple[float, ...]:
    """Shares: the answer in the first likely line, in what is shown, nothing, `likely`, and right.

    The answer counts as held where the words of one of its spellings stand there. `likely` is of
    each question twice, once without its paragraph: then none is right.
    """
    answerer = ExtractiveAnswerer(index.encoder)
    every = {file.source for file in index.files()}
    rows, likely = [], []
    for each in asked:
        answer = answerer.answer(each.text, index)
        shown = [passage.text for passage in answer.passages[:SHOWN]]
        line = [citation.quote for citation in answer.citations[:1]]
        rows.append((holds(line, each), holds(shown, each), answer.status == "not_found"))
        without = answerer.answer(each.text, index.bounded(every - {each.source}))
        for found, right in ((answer, True), (without, False)):
            texts = [p.text for p in found.passages if p.word != "perhaps"][:1]
            likely += [right and holds(texts, each)] if texts else []
    share = len(likely) / len(rows) / 2
    return (*map(mean, zip(*rows, strict=True)), share, mean(likely or [0]))


def holds(texts: Sequence[str], asked: Asked) -> bool:
    return any(flat(gold) in flat(text) for gold in asked.answers for text in texts)


def asked_in(language: str, over: str) -> list[Asked]:
    """The questions of a language; the answers are those of the paragraphs that are searched."""
    asked = xquad(language)[1]
    if over != "across":
        return asked
    return [replace(q, answers=en.answers) for q, en in zip(asked, xquad("en")[1], strict=True)]


def folder_of(where: str, kept: Path) -> Path:
    """The paragraphs of a language; those of `all`, each language in a folder of its own."""
    if where in LANGUAGES:
        return xquad(where)[0]
    for language in LANGUAGES:
        shutil.copytree(xquad(language)[0], kept / "every" / language, dirs_exist_ok=True)
    return kept / "every"


def centres() -> None:
    table = Path(__file__).with_name("question_centres.toml").read_text("utf-8")
    encoder = encoder_of(multilingual_model())

    def vectors(texts: Iterable[str]) -> NDArray[np.float32]:
        return encoder.encode([encoder.query_prefix + each for each in texts])

    questions = tomllib.loads(table)
    means = [vectors(of_language).mean(axis=0) for of_language in questions.values()]
    np.save(CENTRES, np.array(means, np.float16), allow_pickle=False)
    right = [
        [*questions][nearest_language(vector)] == language
        for language in LANGUAGES
        for vector in vectors(each.text for each in xquad(language)[1])
    ]
    print(f"language right: {mean(right):.3f} of {len(right):,} questions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("over", choices=("across", "same", "pool", "centres"))
    parser.add_argument("languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--stores", type=Path, help="keep the indexes here")
    parser.add_argument("--model", type=Path, default=Path("multilingual"), help="or minilm")
    parser.add_argument("--every", type=int, default=1, help="every n-th question alone")
    options = parser.parse_args()
    if options.over == "centres":
        return centres()
    rows: list[tuple[str, *tuple[float, ...]]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for language in options.languages:
            asked = held_out(asked_in(language, options.over))[:: options.every]
            where = {"across": "en", "same": language, "pool": "all"}[options.over]
            kept = options.stores or Path(scratch)
            folder = folder_of(where, kept)
            with corpus_of(folder, kept / where, options.model) as index:
                if options.over == "pool":
                    more: tuple[float, ...] = preferred(index, asked, language)
                else:
                    more = answered(index, asked)
                rows.append((language, *ranked(index, asked), *more))
            print(*rows[-1], flush=True)
    last = PREFERRED if options.over == "pool" else ANSWERED
    columns = list(zip(*(row[1:] for row in rows), strict=True))
    print_table(
        ("language", *RANKED, *last),
        [*rows, ("mean", *map(mean, columns)), ("worst", *map(min, columns))],
    )
    return None


if __name__ == "__main__":
    main()
