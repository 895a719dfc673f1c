"""From two result lists to one: the order, the parts of the score, and room for other documents."""

from dataclasses import replace

import numpy as np
import pytest

from indexer.records import Chunk, Hit, Query
from indexer.retrieve import (
    VECTOR_WEIGHT,
    convex,
    diverse,
    fuse,
    other_weight,
    phrases,
    search,
    with_years,
)
from indexer.store.snapshot import Snapshot
from tests.support.toy_index import ENCODER, sync


def unit(*values):
    vector = np.array(values, np.float32)
    return vector / np.linalg.norm(vector)


def found(source, vector, score, ordinal=0):
    chunk = Chunk(source, ordinal, f"text of {source}", "", 1, 1)
    return Hit(chunk, score, 0.0, 0.0, "hash", vector=vector)


def hit(source, score):
    return Hit(Chunk(source, int(score * 100), "", "", 1, 1), score, 0.0, 0.0, "hash")


def test_a_passage_near_in_both_ways_comes_first():
    query = unit(1, 0, 0)
    both, near, lexical = unit(1, 0.2, 0), unit(1, 0.1, 0), unit(0, 1, 0)
    hits = fuse(
        query,
        [found("near", near, 0.9), found("both", both, 0.8)],
        [found("both", both, 7.0), found("lexical", lexical, 6.0)],
    )
    assert [one.chunk.source for one in hits] == ["both", "near", "lexical"]
    assert all(0 <= one.score <= 1 for one in hits)


def test_the_parts_of_a_score_are_those_of_the_query_as_asked():
    query, vector = unit(1, 1, 0), unit(1, 0, 0)
    (only,) = fuse(query, [found("a", vector, 0.7)], [found("a", vector, 3.0)])
    assert only.cosine == pytest.approx(float(query @ vector))
    assert only.bm25 == 3.0


def test_what_the_first_hits_are_about_brings_their_like_up():
    """Two passages equally far from the query: the one that is like the best hits goes first."""
    query = unit(1, 0, 0)
    best = [found(f"best{n}", unit(1, 0.5, 0.01 * n), 0.9) for n in range(5)]
    like, unlike = found("like", unit(1, 1, 0), 0.7), found("alone", unit(1, -1, 0), 0.7)
    far = found("far", unit(0, 0, 1), 0.0)
    order = [one.chunk.source for one in fuse(query, [*best, unlike, like, far], [])]
    assert order.index("like") < order.index("alone") < order.index("far")
    cosine = {one.chunk.source: one.cosine for one in fuse(query, [*best, unlike, like, far], [])}
    assert cosine["like"] == pytest.approx(cosine["alone"])


def test_equal_scores_are_ordered_by_source():
    vector = unit(1, 0)
    hits = fuse(vector, [found("b", vector, 1.0), found("a", vector, 1.0)], [])
    assert [one.chunk.source for one in hits] == ["a", "b"]


def test_nothing_found_is_no_hits():
    assert fuse(unit(1, 0), [], []) == []


def test_without_a_word_in_common_the_meaning_decides():
    assert list(convex(np.array([0.1, 0.9], np.float32), np.zeros(2))) == [
        0.0,
        pytest.approx(VECTOR_WEIGHT),
    ]


def test_a_document_gives_way_to_others_but_is_not_lost():
    hits = [hit("long", 0.9), hit("long", 0.8), hit("long", 0.7), hit("other", 0.6)]
    assert [one.chunk.source for one in diverse(hits, 5, 2)] == ["long", "long", "other", "long"]
    assert [one.chunk.source for one in diverse(hits, 3, 2)] == ["long", "long", "other"]
    assert diverse(hits, 3, None) == hits[:3]
    assert len(diverse(hits[:3], 5, 2)) == 3


@pytest.mark.parametrize(
    ("asked", "added"),
    [
        ("What were sales in FY22?", " 2022 FY2022 FY22"),
        ("What were sales in 2017?", " 2017 FY2017 FY17"),
        ("What is FY2017 beside FY 2018?", " 2017 FY2017 FY17 2018 FY2018 FY18"),
        ("Who signed it in 1974, on page 22, line 120178?", ""),
    ],
)
def test_a_year_is_looked_up_as_reports_write_it_too(asked, added):
    assert with_years(asked) == asked + added


def in_language(hit, language):
    return replace(hit, chunk=replace(hit.chunk, language=language))


def test_words_weigh_more_where_they_find_other_languages():
    query = unit(1, 0, 0)
    near, worded = found("near", unit(1, 0.1, 0), 0.9), found("worded", unit(1, 2, 0), 6.0)
    weak = replace(near, score=4.0)

    def first(language):
        by_text = [in_language(hit, language) for hit in (worded, weak)]
        return fuse(query, [in_language(near, language)], by_text)[0].chunk.source

    assert (first("en"), first("")) == ("near", "near")
    assert first("de") == "worded"


def test_a_model_of_many_languages_weighs_the_same_in_all():
    class Vocabulary:
        def __init__(self, size):
            self.tokenizer = self
            self.get_vocab_size = lambda: size

    assert other_weight(Vocabulary(250_000), "Wie lang?") == VECTOR_WEIGHT
    assert other_weight(Vocabulary(30_522), "Wie lang?") < VECTOR_WEIGHT
    assert other_weight(Vocabulary(30_522), "How long is it?") == VECTOR_WEIGHT


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('where is "Notice  of\nTermination"?', ["notice of termination"]),
        ("„Grüner Tee“ «thé vert» “the tenant’s”", ["grüner tee", "thé vert", "the tenant's"]),
        ('5" pipe', []),
        ('"a" and ""', []),
        ("no marks", []),
    ],
)
def test_phrases_are_what_stands_in_quotation_marks(text, found):
    assert phrases(text) == found


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
    snapshot = Snapshot(tmp_path / "store")
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
