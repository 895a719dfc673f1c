"""A reranker puts what was found into its order, and a search without it is what it was."""

import shutil
from itertools import pairwise

import numpy as np
import pytest

from indexer.embed import FolderEncoder, Reranker
from indexer.index import Index
from indexer.records import Query
from tests.support.small_model import make_small_reranker

QUERY = "sourdough starter in the fridge"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_small_reranker(tmp_path_factory.mktemp("reranker") / "toy-reranker")


def opened(store, reranker):
    return Index.open(store, FolderEncoder(), reranker)


def own_opinion(folder, query, hits):
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(folder), local_files_only=True)
    return model.predict([(query, f"{hit.chunk.heading}\n{hit.chunk.text}") for hit in hits])


@pytest.mark.nightly
@pytest.mark.slow
def test_hits_come_in_the_order_of_the_model_with_scores_on_the_usual_scale(sample_store, folder):
    plain = opened(sample_store, None).search(Query(QUERY, 20, None))
    ranked = opened(sample_store, Reranker(folder)).search(Query(QUERY, 20, None))
    assert [hit.chunk.id for hit in ranked] != [hit.chunk.id for hit in plain]  # the control
    assert all(first.rerank >= second.rerank for first, second in pairwise(ranked))
    assert [hit.score for hit in ranked] == [hit.score for hit in plain]
    fits = own_opinion(folder, QUERY, ranked)
    np.testing.assert_allclose([hit.rerank for hit in ranked], fits, atol=1e-5)
    assert {hit.rerank for hit in plain} == {None}


def broken(folder, kind):
    shutil.copytree(folder.parent / "toy-reranker", folder)
    weights = folder / "model.safetensors"
    if kind == "no weights":
        weights.unlink()
    elif kind == "cut weights":
        weights.write_bytes(weights.read_bytes()[:1000])
    elif kind == "pickled weights":
        weights.rename(folder / "pytorch_model.bin")
    elif kind == "nonsense":
        (folder / "config.json").write_text("{")
    elif kind == "another architecture":
        (folder / "config.json").write_text('{"model_type": "no-such-model"}')
    elif kind == "two labels":
        shutil.rmtree(folder)
        make_small_reranker(folder, labels=2)
    return folder


KINDS = ["no weights", "cut weights", "pickled weights", "nonsense", "two labels"]
KINDS += ["another architecture"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [KINDS[0], *(pytest.param(each, marks=pytest.mark.nightly) for each in KINDS[1:])]
)
def test_one_that_fails_is_told_of_once_and_the_search_is_what_it_was(sample_store, folder, kind):
    reranker = Reranker(broken(folder.with_name(kind), kind))
    corpus = opened(sample_store, reranker)
    assert corpus.search(Query(QUERY)) == opened(sample_store, None).search(Query(QUERY))
    assert corpus.search(Query("lease")) == opened(sample_store, None).search(Query("lease"))
    assert f"The reranker {kind} failed" in reranker.outage
    assert corpus.notices == (reranker.outage,)
