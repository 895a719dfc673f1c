import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from indexer.embed import PACKAGED_SHA256, SentenceTransformerEncoder, packaged_model
from indexer.errors import CorpusError
from tests.conftest import REPOSITORY

TEXTS = ["The boiler pressure is low.", "Sourdough rises slowly.", "x"]


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real, very small sentence-transformers model with random weights and prompts."""
    import json

    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("tiny") / "tiny-model"
    shutil.copytree(packaged_model(), folder, ignore=shutil.ignore_patterns("*.safetensors"))
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=30_522, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder, safe_serialization=True)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 48}')
    pooling = folder / "1_Pooling/config.json"
    pooling.write_text(
        json.dumps({**json.loads(pooling.read_text()), "word_embedding_dimension": 16})
    )
    card = folder / "config_sentence_transformers.json"
    card.write_text('{"prompts": {"query": "query: ", "document": "passage: "}}')
    return folder


def test_the_packaged_model_has_the_published_weights():
    assert SentenceTransformerEncoder().weights_sha256 == PACKAGED_SHA256


def test_vectors_have_length_one_and_neighbours_in_meaning_are_near():
    encoder = SentenceTransformerEncoder()
    vectors = encoder.encode([*TEXTS, "heating system"])
    assert (vectors.shape, vectors.dtype) == ((4, encoder.dimension), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[3] > vectors[1] @ vectors[3]
    assert encoder.encode([]).shape == (0, encoder.dimension)


def test_another_local_model_is_used_as_its_folder_says(tiny_model):
    encoder = SentenceTransformerEncoder(tiny_model)
    assert (encoder.name, encoder.dimension, encoder.max_tokens) == ("tiny-model", 16, 48)
    assert (encoder.query_prefix, encoder.document_prefix) == ("query: ", "passage: ")
    assert encoder.encode(TEXTS).shape == (3, 16)
    assert encoder.weights_sha256 != PACKAGED_SHA256


def test_changed_weights_are_refused(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(packaged_model(), folder)
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\xff")
    encoder = SentenceTransformerEncoder(folder)
    assert encoder.weights_sha256 != PACKAGED_SHA256
    # The packaged model is held to its hash; the same folder, taken for it, must not load.
    encoder._expected = PACKAGED_SHA256
    del encoder.__dict__["weights_sha256"]
    with pytest.raises(CorpusError, match="changed or damaged"):
        encoder.encode(["x"])


def test_a_folder_that_is_no_model_is_explained(tmp_path):
    with pytest.raises(CorpusError, match=r"no readable model\.safetensors"):
        SentenceTransformerEncoder(tmp_path).encode(["x"])


def test_recognising_a_model_does_not_import_torch():
    code = (
        "import sys; from indexer.embed import SentenceTransformerEncoder as Encoder\n"
        "e = Encoder(); e.tokenizer, e.dimension, e.max_tokens, e.weights_sha256\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY
    )
    assert done.stdout == "[]\n", done.stderr
