"""What each rule of the answers without a model is worth: every one is switched off alone.

Questions of XQuAD, SQuAD 2.0 (with its unanswerable ones) and the sample corpus, answered whole:
searched, ranked, chosen, looked up. A rule whose removal loses nothing on any set, and gains or
changes nothing elsewhere (tables, conversations, languages), earns no line.

    python benchmarks/ablation.py [--every 3] [--only WORDS]    # every third question of SQuAD 2.0
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import mean
from types import ModuleType
from typing import Any

import numpy as np
from common import print_table

from benchmarks.asked import Asked, flat, index_of, sample, squad, xquad
from benchmarks.calibration import area
from corpus_agent.answering import (
    coverage,
    extractive,
    probability,
    ranking,
    reading,
    shown,
)
from corpus_agent.answering.coverage import Subject
from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer import Encoded, Encoder, Hit, Query, Window
from indexer.index import Index

Off = tuple[ModuleType | type, str, object]
"""A module or class, the name of what a rule calls there, and what takes its place."""


def _const(value: object) -> Callable[..., Any]:
    return lambda *_, **__: value


def _same(text: str, *_: object) -> str:
    return text


RULES: dict[str, tuple[Off, ...]] = {
    "a label of the question's own words": ((Subject, "adds", _const(True)),),
    "a line about another code": ((Subject, "names_another", _const(False)),),
    "what only announces": ((ranking, "leads_in", _const(False)),),
    "rows that name columns": ((ranking, "is_row_of_names", _const(False)),),
    "the names above a row of figures": ((ranking, "_names_above", _const("")),),
    "the header of a table": ((ranking, "heads_table", _const(False)),),
    "a pointer to elsewhere is a title": ((ranking, "is_pointer", _const(False)),),
    "titles": ((ranking, "is_title", _const(False)),),
    "a question in the text heads its answer": ((ranking, "asks", _const(False)),),
    "an item keeps what leads to it": ((ranking, "is_item", _const(False)),),
    "what refers back comes with the one before": ((ranking, "refers_back", _const(False)),),
    "front matter for its keys alone": ((ranking, "is_asked_for", _const(True)),),
    "the kind of answer": ((coverage, "expected_kind", _const("")),),
    "the measure": ((coverage, "expected_measure", _const("")),),
    "months and weekdays": (
        (coverage, "calendar_names", _const({})),
        (reading, "with_spellings", _same),
    ),
    "codes make the topic sure": ((probability, "is_code", _const(False)),),
    "two in a row are one quotation": ((shown, "ADDS_BESIDE", 9.0),),
    "a further one in another passage is nearer": (
        (shown, "KEEP_WITHIN_OTHER", shown.KEEP_WITHIN),
        (shown, "LACKS_AT_MOST", 9.0),
    ),
    "a further one adds": ((shown, "_adds", _const(True)),),
    "antonyms": ((probability, "turned_words", _const(0)),),
    "negations": ((probability, "negations", _const(0)),),
    "a count before what is counted": ((probability, "lacks_count", _const(False)),),
    "the sentence that asks": ((reading, "asking_sentence", _same),),
    "two halves of a question": (
        (reading, "parts", lambda question: [question]),
        (ranking, "parts", lambda question: [question]),
    ),
    "documents that are named": ((reading, "named_documents", _const([])),),
    "values computed from cells": ((extractive, "computed_answer", _const(None)),),
    "rows of statements": ((extractive, "statement_rows", _const(((), ()))),),
    "what 'this library' points at": ((extractive, "pointed_at", _const(None)),),
    "which of several documents is meant": ((extractive, "meanings", _const(None)),),
    "names that no passage has": ((extractive, "missing_names", _const(())),),
    "the columns above a row": ((extractive, "with_columns", lambda _, quoted: quoted),),
    "the language of the question": ((extractive, "is_asked_in_another", _const(False)),),
    "the noun of a pronoun": ((extractive, "antecedent", _const("")),),
}


@contextmanager
def without(rule: str) -> Iterator[None]:
    """The program without one rule."""
    with ExitStack() as stack:
        for place, name, value in RULES.get(rule, ()):
            stack.callback(partial(setattr, place, name, getattr(place, name)))
            setattr(place, name, value)
        yield


class Kept:
    """An index and its encoder that search, read and encode everything once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._encoder: Encoder = index.encoder
        self._hits: dict[Query, list[Hit]] = {}
        self._windows: dict[tuple[str, int, int], Window] = {}
        self._texts: dict[str, Encoded] = {}
        self.version = index.version

    def coverage(self) -> object:
        """As of the index."""
        return self._index.coverage()

    def search(self, query: Query) -> list[Hit]:
        """The hits of a query, found once."""
        if query not in self._hits:
            self._hits[query] = self._index.search(query)
        return self._hits[query]

    def read(self, source: str, offset: int = 1, limit: int = 2_000) -> Window:
        """A window of a document, read once."""
        key = (source, offset, limit)
        if key not in self._windows:
            self._windows[key] = self._index.read(source, offset, limit)
        return self._windows[key]

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The vectors of texts, made once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._texts]
        self._texts.update(zip(new, self._encoder.encode_tokens(new), strict=True))
        return [self._texts[text] for text in texts]

    def __getattr__(self, name: str) -> object:
        return getattr(self._encoder, name)


@dataclass
class Measured:
    """What the answers to one set hold: of answerable questions, and of the others."""

    first: list[bool] = field(default_factory=list)
    shown: list[bool] = field(default_factory=list)
    quotations: list[int] = field(default_factory=list)
    refused: list[bool] = field(default_factory=list)
    rightly: list[bool] = field(default_factory=list)
    chances: list[float] = field(default_factory=list)
    answerable: list[bool] = field(default_factory=list)

    def add(self, asked: Asked, corpus: Kept, answerer: ExtractiveAnswerer) -> None:
        """Answer one question more."""
        answer = answerer.answer(asked.text, corpus)  # type: ignore[arg-type]
        wanted = [flat(text) for text in asked.answers]
        held = all if asked.which == "sample" else any
        quotes = [flat(citation.quote) for citation in answer.citations]
        self.answerable.append(bool(wanted))
        self.chances.append(answer.probability or 0.0)
        if not wanted:
            self.rightly.append(answer.status == "not_found")
            return
        self.first.append(held(one in " ".join(quotes[:1]) for one in wanted))
        self.shown.append(held(one in " ".join(quotes) for one in wanted))
        self.quotations.append(len(quotes))
        self.refused.append(answer.status == "not_found")

    def cells(self) -> tuple[object, ...]:
        """Its columns of the table."""
        known = len(set(self.answerable)) == 2
        auc = area(np.array(self.chances), np.array(self.answerable)) if known else float("nan")
        rightly = mean(self.rightly) if self.rightly else float("nan")
        return (
            f"{mean(self.first):.3f} / {mean(self.shown):.3f} / {mean(self.quotations):.2f}",
            f"{mean(self.refused):.3f} / {rightly:.3f} / {auc:.3f}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--only", default="", help="rules whose name holds these words")
    arguments = parser.parse_args()
    sets = [xquad("en"), squad(), sample()]
    header = (
        "without",
        *(
            f"{each[1][0].which}: {w}"
            for each in sets
            for w in ("first / shown / quotations", "refused / rightly / AUC")
        ),
        "gained, lost",
        "seconds",
    )
    with ExitStack() as stack:
        corpora = [Kept(stack.enter_context(index_of(folder))) for folder, _ in sets]
        print_table(header, [])
        base: list[Measured] = []
        for rule in ("nothing", *(rule for rule in RULES if arguments.only in rule)):
            started = time.process_time()
            found = [Measured() for _ in sets]
            with without(rule):
                for one, corpus, (_, every) in zip(found, corpora, sets, strict=True):
                    answerer = ExtractiveAnswerer(corpus)  # type: ignore[arg-type]
                    step = arguments.every if every[0].which == "squad" else 1
                    for asked in every[::step]:
                        one.add(asked, corpus, answerer)
            base = base or found
            pairs = [
                (a, b)
                for one, other in zip(base, found, strict=True)
                for a, b in zip(one.shown, other.shown, strict=True)
            ]
            change = f"{sum(b > a for a, b in pairs)}, {sum(a > b for a, b in pairs)}"
            cells = [cell for one in found for cell in one.cells()]
            print(
                "| "
                + " | ".join(map(str, (rule, *cells, change, round(time.process_time() - started))))
                + " |",
                flush=True,
            )


if __name__ == "__main__":
    main()
