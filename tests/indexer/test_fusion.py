"""From two result lists to one: the order, the parts of the score, and room for other documents."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from indexer.embed.languages import covered
from indexer.fusion import (
    diverse,
    fuse,
    languages_by_vectors,
    search,
    vector_weight,
    with_relevance,
)
from indexer.records import Chunk, Hit, Query
from indexer.store.ranking import Candidate
from indexer.store.snapshot import Snapshots
from indexer.words import phrases
from tests.support.toy_index import ENCODER, sync


def unit(*values):
    vector = np.array(values, np.float32)
    return vector / np.linalg.norm(vector)


@dataclass(frozen=True)
class Row:
    """A row that one side of a search found."""

    source: str
    vector: object
    score: float
    language: str = ""


def fused(query, by_vector, by_text, then=lambda one: one, language=""):
    """The sources in their order, each with its score, cosine and BM25."""
    rows = {row.source: row for row in (*by_vector, *by_text)}.values()
    pool = [
        Candidate(number, row.source, 0, None, row.language, row.vector)
        for number, row in enumerate(rows)
    ]
    ids = {row.source: row.id for row in pool}
    ranking = {ids[row.source]: row.score for row in by_text}
    weight = vector_weight(ENCODER, "zeppelin", language, pool, ranking)
    one = then(fuse(query, pool, ranking, weight))
    return {pool[at].source: (one.scores[at], one.cosines[at], one.bm25[at]) for at in one.order}


def test_a_passage_near_in_both_ways_comes_first():
    query = unit(1, 0, 0)
    both, near, lexical = unit(1, 0.2, 0), unit(1, 0.1, 0), unit(0, 1, 0)
    hits = fused(
        query,
        [Row("near", near, 0.9), Row("both", both, 0.8)],
        [Row("both", both, 7.0), Row("lexical", lexical, 6.0)],
    )
    assert list(hits) == ["both", "near", "lexical"]
    assert all(0 <= score <= 1 for score, _, _ in hits.values())


def test_words_order_passages_of_one_language_and_vectors_order_languages():
    query = unit(1, 0, 0)
    right = Row("right.en", unit(1, 0.2, 0), 0.95, "en")
    same = [Row(f"{n}.de", unit(1, 1 + n, 0), 0.5, "de") for n in range(3)]
    worded = [replace(row, score=7.0 + n) for n, row in enumerate(same)]

    def then(one, owed=(0, 0, 0, 0)):
        return languages_by_vectors(one, np.array(owed))

    hits = fused(query, [right, *same], worded, then)
    assert list(hits) == ["right.en", "2.de", "1.de", "0.de"]
    assert sorted((score for score, *_ in hits.values()), reverse=True) == [
        score for score, *_ in hits.values()
    ]
    assert next(iter(fused(query, [right, *same], worded))) != "right.en"  # the control
    owed = fused(query, [right, *same], worded, lambda one: then(one, (0.9, 0, 0, 0)))
    assert list(owed) == ["2.de", "1.de", "0.de", "right.en"]  # by its language alone


def test_words_of_another_language_than_the_question_do_not_drown_the_vectors():
    near, worded = Row("near", unit(1, 0.2), 0.9, "en"), Row("worded", unit(0.6, 1), 7.0, "en")
    found = [near, Row("far", unit(0, 1), 0.0, "en")]
    for language, first in (("en", "worded"), ("el", "near")):
        assert next(iter(fused(unit(1, 0), found, [worded], language=language))) == first


def test_equal_scores_are_ordered_by_source():
    vector = unit(1, 0)
    assert list(fused(vector, [Row("b", vector, 1.0), Row("a", vector, 1.0)], [])) == ["a", "b"]
    assert fuse(vector, [], {}).order == []  # where nothing is found


def test_a_document_gives_way_to_others_but_is_not_lost():
    hits = [("long", 1), ("long", 1), ("long", 2), ("long", 3), ("other", None), ("other", None)]
    own = frozenset(["long", "other"])
    for limit, per_source, named, among, shown in (
        (6, 2, (), None, [0, 2, 4, 5, 1, 3]),  # one of a page, two of a document, then the rest
        (3, 2, (), None, [0, 2, 4]),
        (6, None, (), None, [0, 2, 3, 4, 5, 1]),
        (6, 1, ("long",), None, [0, 2, 3, 4, 1, 5]),  # it was named
        (6, None, (), own, [0, 1, 2, 3, 4, 5]),  # they are searched whole
        (6, 2, (), own, [0, 2, 4, 5, 1, 3]),
    ):
        asked = Query("", limit, per_source, among=among)
        assert diverse(hits, asked, named) == shown


def test_phrases_are_what_stands_in_quotation_marks():
    asked = {
        'where is "Notice  of\nTermination"?': ["notice of termination"],
        "„Grüner Tee“ «thé vert» “the tenant’s”": ["grüner tee", "thé vert", "the tenant's"],
        '5" pipe': [],
        '"a" and ""': [],
        "no marks": [],
    }
    assert {text: phrases(text) for text in asked} == asked


@pytest.mark.slow
def test_the_passage_that_holds_the_phrase_is_first_however_far_below_it_was(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    for n in range(90):
        (root / f"n{n:02}.md").write_text(
            f"# {n}\n\nThe green tea and the tea that is green {n}.\n"
        )
    (root / "exact.md").write_text(
        "# Stores\n\nMany other words stand here of boats, oars, ropes and sails, the mast, the\n"
        "rudder, a lamp and the anchor; under them all lies Tea\nGreen in a tin.\n"
    )
    sync(root, tmp_path / "store")
    snapshot = Snapshots({"": (tmp_path / "store", None)})
    plain = search(snapshot, ENCODER, Query("tea green", 100))
    assert plain[0].chunk.source != "exact.md"  # the control
    exact = search(snapshot, ENCODER, Query('"tea green"', 100))
    assert exact[0].chunk.source == "exact.md"
    scores = [hit.score for hit in exact]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] >= 0.5 >= scores[1]
    none = search(snapshot, ENCODER, Query('"green lamp"', 100))
    assert none
    assert all(hit.score <= 0.5 for hit in none)


PACKAGED = SimpleNamespace(name="all-MiniLM-L6-v2 int8")  # of an encoder the name alone counts


def found(text, score, cosine, language="en"):
    return Hit(Chunk("a.md", 0, text, "", 1, 1, language=language), score, cosine, 0.0)


def test_what_is_shown_falls_as_the_hits_do():
    hits = [found("rent", 1.0, 0.2), found("rent", 0.9, 0.7), found("x", 0.8, 0.6)]
    shown = [hit.relevance for hit in with_relevance(hits, PACKAGED, "rent")]
    assert shown == sorted(shown, reverse=True)
    alone = with_relevance(hits[1:2], PACKAGED, "rent")
    assert alone[0].relevance > shown[1]  # the control: it is the one before that holds it down


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("rent due", "The rent is due.", 1.0),
        ("the rent", "of boilers", 0.0),
        ("Kündigungsfrist", "Kuendigung", 4 / 12),
        ("Kündigungsfrist", "die Kündigung", 7 / 12),
        ("灯油", "灯油は物置にある", 1.0),
        ("", "rent", 0.0),
        ("the", "the", 1.0),  # nothing but small words
    ],
)
def test_the_words_of_a_query_are_found_in_any_language(query, text, share):
    assert covered(query, text) == pytest.approx(share, abs=0.1)
