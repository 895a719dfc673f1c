"""BERT-like models through ONNX Runtime: starts in a quarter of a second, without torch.

The only module that imports onnxruntime. The graph is built in memory from the weights at every
start, which is faster than reading and verifying an exported one; nothing is written. Each text is
one single-threaded run, with one run per core at a time, so a vector is a function of its text, to
the last bit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.embed import Encoded, Tokens
from indexer.embed.graph import Precision, Shape, Weights, bert
from indexer.errors import CorpusError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from indexer.embed.encoder import FolderEncoder

# Model types whose layers are BertModel's; the value says whether places count from the padding
# index on, as RoBERTa's do.
_FAMILIES = {"bert": False, "roberta": True, "xlm-roberta": True, "camembert": True}
_POOLINGS = (("mean",), ("cls",))

Result = TypeVar("Result")


def obstacle(folder: FolderEncoder) -> str | None:
    """The reason why this engine cannot run the model; None if it may be tried."""
    config = folder.config
    kind = config.get("model_type")
    if kind not in _FAMILIES:
        return f"its architecture is {kind!r}"
    if config.get("hidden_act") != "gelu" or config.get("is_decoder"):
        return f"it is no plain {kind}"
    if config.get("position_embedding_type", "absolute") != "absolute":
        return "its places are relative"
    if folder.lowers_itself:
        return "it is given texts in lower case"
    steps = [name for name, _ in folder.modules]
    if steps not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        return f"its steps are {', '.join(steps)}"
    if folder.pooling not in _POOLINGS:
        return f"its pooling is {' and '.join(folder.pooling) or 'none'}"
    return None


class OnnxEngine:
    """A loaded model, one for which `obstacle` returned None.

    `threads` texts are encoded at once; default: one per core, or OMP_NUM_THREADS. Raises
    CorpusError if the weights do not match the configuration.
    """

    def __init__(
        self, folder: FolderEncoder, precision: Precision = "float32", threads: int | None = None
    ) -> None:
        folder.check()  # nothing is loaded whose hash was not taken
        self._folder = folder
        self._max_tokens = folder.max_tokens
        self._takes_first = folder.pooling == ("cls",)
        self._threads = threads or _cores()
        try:
            weights = folder.tensors()
            self._words = folder.words(weights)
            self._places = _places(folder, weights)
            shape = _shape(folder.config, self._places.shape)
            self.dimension = shape.width
            self._session = _session(bert(weights, shape, precision))
        except (KeyError, TypeError, ValueError) as error:
            what = f"it has no {error}" if isinstance(error, KeyError) else error
            raise CorpusError(
                f"The weights in {str(folder.path)!r} are not those of its configuration: {what}.",
                "It must be a complete sentence-transformers folder.",
            ) from None

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32, (len(texts), dimension), rows of length 1."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        encodings = self._folder.tokens(texts)
        for at, vector in self._each(lambda e: self._pooled(self._run(e)), encodings):
            vectors[at] = vector
        return vectors

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors with those of the tokens; tokens past the window are left out."""
        encodings = self._folder.tokens(texts)
        found = dict(self._each(self._with_tokens, encodings))
        return [found[at] for at in range(len(encodings))]

    def _each(
        self, work: Callable[[Tokens], Result], encodings: Sequence[Tokens]
    ) -> Iterator[tuple[int, Result]]:
        """Index and result of each text, longest first, which balances the cores."""
        order = sorted(range(len(encodings)), key=lambda at: -len(encodings[at].ids))
        chosen = [encodings[at] for at in order]
        if min(self._threads, len(chosen)) < 2:
            yield from zip(order, map(work, chosen), strict=True)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            yield from zip(order, pool.map(work, chosen), strict=True)

    def _run(self, encoding: Tokens) -> NDArray[np.float32]:
        """The vectors of a text's tokens, float32, (tokens, width); special tokens included."""
        ids = encoding.ids
        if len(ids) > self._max_tokens:  # cut as transformers cuts: the end mark stays
            ids = [*ids[: self._max_tokens - 1], ids[-1]]
        rows = self._words(ids) + self._places[: len(ids)]
        tokens: NDArray[np.float32] = self._session.run(None, {"rows": rows})[0]
        return tokens

    def _pooled(self, tokens: NDArray[np.float32]) -> NDArray[np.float32]:
        vector = tokens[0] if self._takes_first else tokens.mean(axis=0)
        unit: NDArray[np.float32] = vector / np.float32(max(float(np.linalg.norm(vector)), 1e-12))
        return unit

    def _with_tokens(self, encoding: Tokens) -> Encoded:
        tokens = self._run(encoding)
        spans = np.array(encoding.offsets, np.int64).reshape(-1, 2)[: len(tokens)]
        if len(encoding.ids) > len(tokens):
            spans[-1] = (0, 0)  # cut off here: the last vector is that of the end mark
        return Encoded(self._pooled(tokens), spans, tokens)


def _cores() -> int:
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _places(folder: FolderEncoder, weights: Weights) -> NDArray[np.float32]:
    """The position and type embeddings: (positions, width)."""
    first = int(folder.config["pad_token_id"]) + 1 if _FAMILIES[folder.config["model_type"]] else 0
    places: NDArray[np.float32] = (
        weights["embeddings.position_embeddings.weight"][first:]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    return places


def _shape(config: Mapping[str, Any], places: tuple[int, ...]) -> Shape:
    """The sizes that the configuration names; raises ValueError or TypeError for none."""
    shape = Shape(
        layers=int(config["num_hidden_layers"]),
        heads=int(config["num_attention_heads"]),
        width=int(config["hidden_size"]),
        epsilon=float(config["layer_norm_eps"]),
    )
    if places[1:] != (shape.width,):
        raise ValueError(f"hidden_size is {shape.width}, the places are {places}")
    if shape.layers < 1 or shape.heads < 1 or shape.width % shape.heads:
        raise ValueError(f"{shape.layers} layers, {shape.heads} heads over {shape.width}")
    return shape


def _session(model: bytes) -> InferenceSession:
    # Releases before 1.29 have no telemetry on Linux; both switches are for the day one has.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    with _muted():
        import onnxruntime
    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(3)  # errors; they come as exceptions too
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@contextmanager
def _muted() -> Iterator[None]:
    """Discard what a native library writes to stderr.

    On import, before its logger can be configured, ONNX Runtime probes for GPUs and warns that the
    seal prevents it.
    """
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
