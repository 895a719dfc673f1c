"""A reranker puts what was found into its order, and a search without it is what it was."""

import json
import shutil
from itertools import pairwise

import numpy as np
import pytest

from corpus_agent.seal import unsealed
from corpus_agent.service import session
from corpus_agent.settings import Settings
from corpus_agent.startup import Launch
from corpus_agent.text.sanitize import one_line
from indexer.embed import FolderEncoder, Reranker
from indexer.errors import CorpusError, UsageError
from indexer.index import Index
from indexer.records import Query
from tests.support.fakes import MemoryCorpus
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
@pytest.mark.parametrize("kind", KINDS)
def test_one_that_fails_is_told_of_once_and_the_search_is_what_it_was(sample_store, folder, kind):
    reranker = Reranker(broken(folder.with_name(kind), kind))
    corpus = opened(sample_store, reranker)
    assert corpus.search(Query(QUERY)) == opened(sample_store, None).search(Query(QUERY))
    assert corpus.search(Query("lease")) == opened(sample_store, None).search(Query("lease"))
    assert f"The reranker {kind} failed" in reranker.outage
    assert corpus.notices == (reranker.outage,)


@pytest.mark.nightly
@pytest.mark.slow
def test_scores_that_are_no_numbers_are_an_outage(sample_store, folder):
    from safetensors.numpy import load_file, save_file

    sick = folder.with_name("sick")
    shutil.copytree(folder, sick)
    weights = load_file(sick / "model.safetensors")
    weights["classifier.bias"] = np.full_like(weights["classifier.bias"], np.nan)
    save_file(weights, sick / "model.safetensors", {"format": "pt"})
    corpus = opened(sample_store, Reranker(sick))
    assert corpus.search(Query(QUERY)) == opened(sample_store, None).search(Query(QUERY))
    assert "no numbers" in corpus.notices[0]


@pytest.mark.nightly
@pytest.mark.slow
def test_an_answer_says_that_its_reranker_failed(sample_store, tmp_path):
    store = tmp_path / "store"
    shutil.copytree(sample_store, store)
    with pytest.raises(UsageError, match="Check --reranker"):
        session.open_corpus(Settings(store=store, reranker=str(tmp_path / "absent")))
    empty = tmp_path / "empty"
    empty.mkdir()
    settings = Settings(store=store, reranker=str(empty))
    corpus, launch = session.open_corpus(settings), Launch(unsealed())
    answerer = session.answerer_for(corpus, launch, settings)
    answer, _ = session.ask_recorded("How long?", corpus, answerer, launch, settings)
    (notice,) = (each for each in answer.notices if "reranker" in each)
    assert "The reranker empty failed" in notice


@pytest.mark.nightly
@pytest.mark.slow
def test_the_command_reranks_sealed_and_says_what_it_could_not(sample_store, folder, cli, tmp_path):
    sealed = ("--store", sample_store, "--reranker")
    found = cli(*sealed, folder, "search", QUERY, "--json", "--explain")
    shown = json.loads(found.stdout)
    assert shown["seal"] == "enforced"
    assert shown["notices"] == []
    scores = [hit["rerank"] for hit in shown["results"]]
    assert scores == sorted(scores, reverse=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    failed = cli(*sealed, empty, "search", QUERY, "--json")
    (notice,) = json.loads(failed.stdout)["notices"]
    assert "The reranker empty failed" in notice and failed.stderr == ""
    absent = cli(*sealed, tmp_path / "absent", "search", QUERY)
    assert absent.returncode == 2
    assert "Check --reranker" in absent.stderr


class Failing:
    """A scorer whose name and failure are worded by another."""

    def __init__(self, name, error):
        self.name, self._error = name, error

    def fits(self, query, passages):
        raise self._error


def test_what_a_failure_says_is_one_clean_line_and_said_once(capfd):
    hostile = "\x1b]0;mine\x07\x1b[2Jno \u202eroom" + "!" * 5_000 + "\nNote: all is well"
    cases = [
        (CorpusError(hostile), "(no room!!!!"),
        (ValueError(hostile), "(no room!!!!"),
        (MemoryError(), "(MemoryError)"),
        (CorpusError("\n"), "(CorpusError)"),
    ]
    hits = MemoryCorpus({"a.md": "Of sourdough.\n"}).search(Query("sourdough"))
    for error, told in cases:
        reranker = Reranker(Failing("a\x1b[31mb\n", error), one_line)
        assert reranker.reorder("q", hits) == hits
        assert reranker.outage.startswith("The reranker ab failed ")
        assert told in reranker.outage and "all is well" not in reranker.outage
        assert reranker.outage.isprintable() and len(reranker.outage) < 320
    careless = Reranker(Failing("a", CorpusError(hostile)), str)  # the control
    careless.reorder("q", hits)
    assert "\x1b" in careless.outage
    alone = Reranker(Failing("a", CorpusError(hostile)))  # where nobody says how to clean
    alone.reorder("q", hits)
    assert alone.outage.isprintable()
    assert capfd.readouterr() == ("", "")  # the notices of the index say it
