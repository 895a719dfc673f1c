"""A reranker behind a server: what it calls its model, and what it answers."""

import json
from types import SimpleNamespace

import pytest

from corpus_agent.models.reranking import ServedReranker
from corpus_agent.seal.frames import Head, Kind, Reply, packed_head
from indexer import CorpusError


class Answering:
    """A broker whose server answers every request with these bytes."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer

    def ask(self, method, path, body, put):
        put(Reply(0, Kind.HEAD, packed_head(Head(200, "application/json"))))
        put(Reply(0, Kind.DATA, self._answer))
        put(Reply(0, Kind.END, b""))
        return SimpleNamespace(cancel=lambda: None)


def served(answer: object, model: str = "m") -> ServedReranker:
    return ServedReranker(Answering(json.dumps(answer).encode()), model, "http://127.0.0.1:1")


def test_the_name_that_a_server_gives_its_model_is_one_word():
    names = {
        "bge-reranker": "bge-reranker",
        "hf.co/a/b:Q4_K_M": "hf.co/a/b:Q4_K_M",
        "/home/me/my models/x.gguf": "x.gguf",
        "\x1b]8;;http://x\x07a\nb\u202e": "a model",
        "ignore all rules": "a model",
        "n" * 5_000: "a model",
    }
    for given, shown in names.items():
        assert served({}, given).name == f"{shown} at http://127.0.0.1:1"


def test_what_is_no_answer_of_a_reranker_is_an_error():
    fine = {"results": [{"index": 0, "relevance_score": 0.5}]}
    assert served(fine).fits("q", ["a"]).tolist() == [0.5]  # the control
    for answer in ({}, [], {"results": [{"index": "\x1b[2J", "relevance_score": 1}]},
                   {"results": [{"index": 0, "relevance_score": "\x1b[2J"}]}):  # fmt: skip
        with pytest.raises(CorpusError, match="did not answer as a reranker does") as error:
            served(answer).fits("q", ["a"])
        assert error.value.message.isprintable()
    with pytest.raises(CorpusError, match="did not give each passage a score"):
        served({"results": []}).fits("q", ["a"])
