"""The encoder: what it says of a model, what it computes, and by which engine."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from indexer.embed import packaged_model
from indexer.embed.encoder import PACKAGED_SHA256, Encoder
from indexer.embed.onnx_engine import OnnxEngine, runs
from indexer.embed.torch_engine import TorchEngine
from indexer.errors import CorpusError

pytestmark = pytest.mark.slow

TEXTS = [
    "The boiler pressure is low.",
    "Sourdough rises slowly.",
    "x",
    "",
    "naïve café — 会議は三時に終わりました。 🙂 [SEP]",
    "Costs rose by 14.5 %. " * 12,
    "one text that is longer than the window of the model " * 40,
]


def tiny_model(folder: Path, kind: str = "Bert", pooling: str = "mean") -> Path:
    """A real, very small sentence-transformers model with random weights."""
    import torch
    import transformers

    shutil.copytree(packaged_model(), folder, ignore=shutil.ignore_patterns("*.safetensors"))
    torch.manual_seed(7)
    sizes = {"vocab_size": 30_522, "max_position_embeddings": 64, "pad_token_id": 0}
    sizes |= {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = getattr(transformers, f"{kind}Config")(**sizes, intermediate_size=32)
    getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
    own = {"embedding_dimension": 16, "pooling_mode": pooling}
    (folder / "1_Pooling/config.json").write_text(json.dumps(own))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 48}')
    return folder


@pytest.fixture(scope="session")
def library() -> TorchEngine:
    return TorchEngine(Encoder())


def test_changed_weights_are_refused(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(packaged_model(), folder)
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\xff")
    changed = Encoder(folder)
    assert changed.weights_sha256 != PACKAGED_SHA256
    # The packaged model is held to its hash; the same folder, taken for it, must not load.
    taken = Encoder()
    taken.path = folder
    with pytest.raises(CorpusError, match="changed or damaged"):
        OnnxEngine(taken)
    with pytest.raises(CorpusError, match="changed or damaged"):
        TorchEngine(taken)


@pytest.mark.nightly
def test_weights_that_are_not_what_the_configuration_promises_are_explained(tmp_path):
    folder = tiny_model(tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    wrong = ({"num_hidden_layers": 3}, {"num_attention_heads": 7}, {"num_attention_heads": "two"})
    for sizes in (*wrong, {"num_hidden_layers": 0}, {"hidden_size": 32}, {"layer_norm_eps": None}):
        (folder / "config.json").write_text(json.dumps({**config, **sizes}))
        with pytest.raises(CorpusError, match="not those of its configuration"):
            OnnxEngine(Encoder(folder))
    (folder / "config.json").write_text(json.dumps(config))
    OnnxEngine(Encoder(folder))  # the control
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(CorpusError, match="cannot be read"):
        OnnxEngine(Encoder(folder))


def test_vectors_have_length_one_and_neighbours_in_meaning_are_near():
    encoder = Encoder()
    vectors = encoder.encode([*TEXTS[:3], "heating system"])
    assert (vectors.shape, vectors.dtype) == ((4, encoder.dimension), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[3] > vectors[1] @ vectors[3]
    assert encoder.encode([]).shape == (0, encoder.dimension)
    assert encoder.encode_tokens([]) == []


@pytest.mark.parametrize("kind", ["Bert", "Roberta", "XLMRoberta", "Camembert"])
def test_other_models_have_the_librarys_own_vectors_by_either_engine(tmp_path, kind):
    for pooling in ("mean", "cls", "max"):
        path = tiny_model(tmp_path / pooling, kind, pooling)
        library, encoder = TorchEngine(Encoder(path)), Encoder(path)
        assert runs(Encoder(path)) is (pooling != "max")
        assert isinstance(encoder._engine, OnnxEngine) is (pooling != "max")
        theirs = library.encode_tokens(TEXTS)
        for ours, other in zip(encoder.encode_tokens(TEXTS), theirs, strict=True):
            assert ours.vector @ other.vector > 0.999_99
            assert np.array_equal(ours.spans, other.spans)
            assert np.allclose(ours.tokens, other.tokens, atol=1e-4)
    # Engines whose steps differ do not agree: what the first assertion would show.
    assert (encoder.encode(TEXTS) * Encoder(tmp_path / "cls").encode(TEXTS)).sum(1).min() < 0.99


def test_int8_vectors_are_near_those_of_sentence_transformers(library):
    encoder = Encoder()
    assert encoder.name == "all-MiniLM-L6-v2 int8"  # so that the two kinds never mix
    texts = [text for text in TEXTS if len(text) > 1]
    cosines = (encoder.encode(texts) * library.encode(texts)).sum(axis=1)
    assert cosines.min() > 0.985
    assert cosines.mean() > 0.99


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_a_vector_depends_on_its_text_alone_to_the_last_bit(precision):
    two = OnnxEngine(Encoder(), precision, threads=2)
    together = two.encode(TEXTS)
    assert np.array_equal(together[::-1], two.encode(TEXTS[::-1]))
    one = OnnxEngine(Encoder(), precision, threads=1)
    alone = np.concatenate([one.encode([text]) for text in TEXTS])
    assert np.array_equal(together, alone)
    assert np.array_equal(together, [e.vector for e in two.encode_tokens(TEXTS)])


# What the releases with a telemetry client hold, and those without do not.
TELEMETRY = (b"events.data.microsoft.com", b"OneCollector", b"sqlite3_", b"ORT_DISABLE_TELEMETRY")


def found_in(library: bytes) -> list[bytes]:
    return [mark for mark in TELEMETRY if mark in library]


def test_the_installed_library_holds_no_telemetry_client():
    spec = find_spec("onnxruntime")
    assert spec is not None
    assert spec.origin is not None
    libraries = sorted(Path(spec.origin).parent.glob("capi/*.so*"))
    content = b"".join(path.read_bytes() for path in libraries)
    assert found_in(content) == []
    # The controls: these are the libraries that compute, and a client would be seen.
    assert b"DynamicQuantizeMatMul" in content
    assert found_in(content + b"https://mobile.events.data.microsoft.com/OneCollector") != []
