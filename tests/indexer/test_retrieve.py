"""From two result lists to one: the order, the parts of the score, and room for other documents."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.embed.languages import covered, fragments, is_english
from indexer.records import Chunk, Hit, Query
from indexer.retrieve import (
    VECTOR_WEIGHT,
    convex,
    diverse,
    fuse,
    other_weight,
    phrases,
    search,
    with_relevance,
    with_years,
)
from indexer.store.exact import Pool, Ranked
from indexer.store.snapshot import Snapshot
from indexer.store.snapshots import Snapshots
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


def fused(query, by_vector, by_text):
    """The sources in their order, each with its score, cosine and BM25."""
    rows = list({row.source: row for row in (*by_vector, *by_text)}.values())
    ids = {row.source: number for number, row in enumerate(rows)}

    def ranked(found):
        return Ranked(
            np.array([ids[row.source] for row in found], np.uint64),
            np.array([row.score for row in found], float),
        )

    pool = Pool(
        ranked(rows).ids,
        [row.source for row in rows],
        [0] * len(rows),
        [row.language for row in rows],
        np.stack([row.vector for row in rows]),
    )
    one = fuse(query, pool, ranked(by_text))
    return {pool.sources[at]: (one.scores[at], one.cosines[at], one.bm25[at]) for at in one.order}


def hit(source, score):
    return Hit(Chunk(source, int(score * 100), "", "", 1, 1), score, 0.0, 0.0, "hash")


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


def test_the_parts_of_a_score_are_those_of_the_query_as_asked():
    query, vector = unit(1, 1, 0), unit(1, 0, 0)
    (only,) = fused(query, [Row("a", vector, 0.7)], [Row("a", vector, 3.0)]).values()
    assert only[1:] == (pytest.approx(float(query @ vector)), 3.0)


def test_what_the_first_hits_are_about_brings_their_like_up():
    """Two passages equally far from the query: the one that is like the best hits goes first."""
    query = unit(1, 0, 0)
    best = [Row(f"best{n}", unit(1, 0.5, 0.01 * n), 0.9) for n in range(5)]
    like, unlike = Row("like", unit(1, 1, 0), 0.7), Row("alone", unit(1, -1, 0), 0.7)
    far = Row("far", unit(0, 0, 1), 0.0)
    hits = fused(query, [*best, unlike, like, far], [])
    order = list(hits)
    assert order.index("like") < order.index("alone") < order.index("far")
    assert hits["like"][1] == pytest.approx(hits["alone"][1])


def test_equal_scores_are_ordered_by_source():
    vector = unit(1, 0)
    assert list(fused(vector, [Row("b", vector, 1.0), Row("a", vector, 1.0)], [])) == ["a", "b"]


def test_nothing_found_is_no_hits():
    nothing = Pool(Ranked.none().ids, [], [], [], np.empty((0, 0), np.float32))
    assert fuse(unit(1, 0), nothing, Ranked.none()).order == []


def test_without_a_word_in_common_the_meaning_decides():
    assert list(convex(np.array([0.1, 0.9], np.float32), np.zeros(2))) == [
        0.0,
        pytest.approx(VECTOR_WEIGHT),
    ]


def test_a_document_gives_way_to_others_but_is_not_lost():
    hits = [hit("long", 0.9), hit("long", 0.8), hit("long", 0.7), hit("other", 0.6)]
    sources = [hit.chunk.source for hit in hits]
    assert diverse(sources, 5, 2, str) == ["long", "long", "other", "long"]
    assert diverse(sources, 3, 2, str) == ["long", "long", "other"]
    assert diverse(hits, 3, None, lambda hit: hit.chunk.source) == hits[:3]
    assert len(diverse(sources[:3], 5, 2, str)) == 3


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


def test_words_weigh_more_where_they_find_other_languages():
    query = unit(1, 0, 0)
    near, worded = Row("near", unit(1, 0.1, 0), 0.9), Row("worded", unit(1, 2, 0), 6.0)

    def first(language):
        found, best = replace(near, language=language), replace(worded, language=language)
        return next(iter(fused(query, [found], [best, replace(found, score=4.0)])))

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
    snapshot = Snapshots({"": Snapshot(tmp_path / "store")})
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


# -- the score that is shown


class Named:
    """An encoder of which the name alone counts."""

    def __init__(self, name):
        self.name = name


PACKAGED = Named("all-MiniLM-L6-v2 int8")


def found(text, score, cosine, language="en"):
    return Hit(Chunk("a.md", 0, text, "", 1, 1, language=language), score, cosine, 0.0, "hash")


def test_what_is_shown_is_weak_where_a_hit_is_weak_in_itself():
    text = "The rent is due on the third day."
    (good,) = with_relevance([found(text, 1.0, 0.5)], PACKAGED, "when is the rent due")
    (nonsense,) = with_relevance([found(text, 1.0, 0.1)], PACKAGED, "zebra quantum tariff")
    assert good.score == nonsense.score == 1.0  # what orders the hits of a search says nothing
    assert good.relevance > 0.7
    assert nonsense.relevance < 0.1


def test_what_is_shown_falls_as_the_hits_do():
    hits = [found("rent", 1.0, 0.2), found("rent", 0.9, 0.7), found("x", 0.8, 0.6)]
    shown = [hit.relevance for hit in with_relevance(hits, PACKAGED, "rent")]
    assert shown == sorted(shown, reverse=True)
    alone = with_relevance(hits[1:2], PACKAGED, "rent")
    assert alone[0].relevance > shown[1]  # the control: it is the one before that holds it down


def test_cosines_of_other_models_and_languages_do_not_count():
    rent = "Die Miete ist am dritten Tag fällig."
    for cosine in (0.0, 0.9):  # of another model, whose cosines may all be high
        (one,) = with_relevance([found("boiler", 1.0, cosine)], Named("other"), "zebra")
        assert one.relevance < 0.1, cosine
    (ours,) = with_relevance([found(rent, 1.0, 0.1, "de")], PACKAGED, "Miete fällig")
    (english,) = with_relevance([found(rent, 1.0, 0.1, "en")], PACKAGED, "Miete fällig")
    assert ours.relevance > 0.7 > english.relevance


def test_a_passage_with_the_phrase_that_was_asked_for_is_shown_so():
    hits = [found("Fair wear and tear.", 0.8, 0.0), found("Fair tear.", 0.3, 0.0)]
    holds, other = with_relevance(hits, PACKAGED, '"wear and tear"')
    assert holds.relevance >= 0.9 > other.relevance


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


ASCII = st.text(st.characters(max_codepoint=127) | st.sampled_from("the of rent a1 _-\n"))


@given(ASCII, ASCII)
def test_texts_of_ascii_have_the_words_that_they_have_beside_other_signs(query, text):
    assert covered(query, text) == covered(query, f"{text} –") == covered(f"{query} –", text)
    assert fragments(text) == fragments(f"{text} –")
    assert is_english(text) == is_english(f"{text} –")
