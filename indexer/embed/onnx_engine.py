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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.embed import Encoded, Tokens
from indexer.errors import CorpusError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from indexer.embed.encoder import Encoder

# Model types whose layers are BertModel's; the value says whether places count from the padding
# index on, as RoBERTa's do.
_FAMILIES = {"bert": False, "roberta": True, "xlm-roberta": True, "camembert": True}
_POOLINGS, _STEPS = (("mean",), ("cls",)), ["Transformer", "Pooling"]

Result = TypeVar("Result")
Precision = Literal["float32", "int8"]
Weights = Mapping[str, NDArray[np.float32]]


def runs(folder: Encoder) -> bool:
    """Whether this engine may be tried with the model."""
    config, steps = folder.config, [name for name, _ in folder.modules]
    return (
        config.get("model_type") in _FAMILIES
        and (config.get("hidden_act"), bool(config.get("is_decoder"))) == ("gelu", False)
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not folder.lowers_itself
        and steps in (_STEPS, [*_STEPS, "Normalize"])
        and folder.pooling in _POOLINGS
    )


class OnnxEngine:
    """A loaded model, one that this engine `runs`.

    `threads` texts are encoded at once; default: one per core, or OMP_NUM_THREADS. Raises
    CorpusError if the weights do not match the configuration.
    """

    def __init__(
        self, folder: Encoder, precision: Precision = "float32", threads: int | None = None
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


def _places(folder: Encoder, weights: Weights) -> NDArray[np.float32]:
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
    """Discard what is written to stderr: ONNX Runtime looks for GPUs, which the seal prevents."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


# ---- The weights of a BERT as a graph from a text's input rows to the vectors of its tokens
#
# One text at a time, so there is neither padding nor mask. It begins after the embedding look-up,
# which is plain indexing, and ends before pooling. Layer names and arithmetic are those of
# transformers' BertModel. ONNX is Protocol Buffers: few of its messages are needed, and its library
# takes longer to import than the weights take to load.

# Weights have seven bits of the eight, so that no sum of two products overflows the 16 bits in
# which processors without VNNI add them: the integers are the same everywhere.
MOST_INT8 = 63
LEAST_GELU = 0.17  # no value of Gelu is below -0.17

OPSET = 20  # the first with Gelu
IR_VERSION = 10  # what goes with it

# Of onnx.proto: DataType of a TensorProto, AttributeType of an AttributeProto.
_FLOAT = 1
_TYPES = {np.dtype(np.float32): _FLOAT, np.dtype(np.int8): 3, np.dtype(np.int64): 7}
_INT, _INTS = 2, 7

Attribute = int | Sequence[int]
Message = list[bytes | memoryview]
"""The pieces of a message, joined but once: a model has many megabytes."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Parameters of a BERT that its weights do not determine."""

    layers: int
    heads: int
    width: int
    epsilon: float


def bert(weights: Weights, shape: Shape, precision: Precision) -> bytes:
    """A serialised ONNX model: `rows` float32 (tokens, width) -> one output, the same shape.

    `rows` are the sums of word, position and type embeddings. With "int8" linear layers multiply
    8-bit integers. Raises KeyError for a missing weight.
    """
    graph = Graph()
    value = _normalised(graph, "rows", weights, "embeddings.LayerNorm", shape)
    for number in range(shape.layers):
        value = _layer(graph, value, weights, f"encoder.layer.{number}.", shape, precision)
    return graph.serialised("rows", value, shape.width)


def _layer(
    graph: Graph, value: str, weights: Weights, prefix: str, shape: Shape, precision: Precision
) -> str:
    def dense(name: str, value: str, *, by_token: bool = False) -> str:
        return _linear(graph, value, weights, prefix + name, precision, by_token=by_token)

    seen = _attention(graph, [dense(f"attention.self.{n}", value) for n in _ROLES], shape)
    seen = graph.node("Add", dense("attention.output.dense", seen), value)
    seen = _normalised(graph, seen, weights, f"{prefix}attention.output.LayerNorm", shape)
    inner = graph.node("Gelu", dense("intermediate.dense", seen))
    inner = graph.node("Add", dense("output.dense", inner, by_token=True), seen)
    return _normalised(graph, inner, weights, f"{prefix}output.LayerNorm", shape)


_ROLES = ("query", "key", "value")


def _attention(graph: Graph, roles: list[str], shape: Shape) -> str:
    """Multi-head attention from query, key and value rows."""
    size = shape.width // shape.heads
    by_head = graph.constant(np.array([0, shape.heads, size]))
    query, key, value = (
        graph.node("Transpose", graph.node("Reshape", role, by_head), perm=order)
        for role, order in zip(roles, ([1, 0, 2], [1, 2, 0], [1, 0, 2]), strict=True)
    )
    near = graph.node("MatMul", query, key)
    near = graph.node("Mul", near, graph.constant(np.array(size**-0.5, np.float32)))
    mixed = graph.node("MatMul", graph.node("Softmax", near, axis=-1), value)
    mixed = graph.node("Transpose", mixed, perm=[1, 0, 2])
    return graph.node("Reshape", mixed, graph.constant(np.array([0, shape.width])))


def _normalised(graph: Graph, value: str, weights: Weights, name: str, shape: Shape) -> str:
    """LayerNormalization in its parts: ONNX Runtime's own, number by number, took 30% of a run."""
    scale, shift = (graph.constant(weights[f"{name}.{part}"]) for part in ("weight", "bias"))
    epsilon = graph.constant(np.array(shape.epsilon, np.float32))
    rows = graph.constant(np.array([1]))
    centred = graph.node("Sub", value, graph.node("ReduceMean", value, rows, keepdims=1))
    squares = graph.node("Mul", centred, centred)
    variance = graph.node("ReduceMean", squares, rows, keepdims=1)
    deviation = graph.node("Sqrt", graph.node("Add", variance, epsilon))
    # By the reciprocal, which is quicker, and which is not put together again when it is loaded.
    unit = graph.node("Mul", centred, graph.node("Reciprocal", deviation))
    return graph.node("Add", graph.node("Mul", unit, scale), shift)


def _linear(
    graph: Graph, value: str, weights: Weights, name: str, precision: Precision, *, by_token: bool
) -> str:
    """A linear layer; in int8 with a scale for each output channel and one for the input of a text.

    With `by_token` the input has one for each token: after Gelu their ranges differ by large
    factors.
    """
    weight, bias = weights[f"{name}.weight"], graph.constant(weights[f"{name}.bias"])
    if precision == "float32":
        return graph.node("Gemm", value, graph.constant(weight), bias, transB=1)
    if not by_token:
        return _int8_product(graph, value, weight, bias)
    largest = graph.node("ReduceMax", value, graph.constant(np.array([1])), keepdims=1)
    largest = graph.node("Max", largest, graph.constant(np.array(LEAST_GELU, np.float32)))
    scaled = graph.node("Mul", value, graph.node("Reciprocal", largest))
    product = _int8_product(graph, scaled, weight)
    return graph.node("Add", graph.node("Mul", product, largest), bias)


def _int8_product(graph: Graph, value: str, weight: NDArray[np.float32], bias: str = "") -> str:
    rows, scales = quantised(weight)
    symmetric = ""  # no zero points
    inputs = (value, graph.constant(rows.T), graph.constant(scales), symmetric, bias)
    return graph.node("DynamicQuantizeMatMul", *inputs, domain="com.microsoft")


def quantised(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The int8 rows and their scales, with rows * scales close to `weight`, (out, in)."""
    scales = np.maximum(np.abs(weight).max(axis=1), np.float32(1e-12)) / np.float32(MOST_INT8)
    return np.rint(weight / scales[:, None]).astype(np.int8), scales


# ---- The bytes of a graph


@dataclass(slots=True)
class Graph:
    """Operations and constants of a graph under construction."""

    _nodes: list[Message] = field(default_factory=list)
    _constants: list[Message] = field(default_factory=list)

    def constant(self, array: NDArray[np.generic]) -> str:
        """Add a constant of float32, int8 or int64; returns its name."""
        array = np.ascontiguousarray(array)
        name = f"constant{len(self._constants)}"
        message = [piece for size in array.shape for piece in _integer(1, size)]
        message += [*_integer(2, _TYPES[array.dtype]), *_text(8, name)]
        self._constants.append(message + _nested(9, [array.reshape(-1).view(np.uint8).data]))
        return name

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: Attribute) -> str:
        """Add an operation; returns the name of its output."""
        name = f"value{len(self._nodes)}"
        message = [piece for each in inputs for piece in _text(1, each)]
        message += [*_text(2, name), *_text(4, kind)]
        for each in attributes.items():
            message += _nested(5, _attribute(*each))
        self._nodes.append(message + _text(7, domain))
        return name

    def serialised(self, given: str, made: str, width: int) -> bytes:
        """The model from one value to another, both float32 (tokens, width)."""
        graph = [piece for node in self._nodes for piece in _nested(1, node)]
        graph += _text(2, "graph")
        graph += [piece for constant in self._constants for piece in _nested(5, constant)]
        graph += [*_nested(11, _rows(given, width)), *_nested(12, _rows(made, width))]
        model = [*_integer(1, IR_VERSION), *_nested(7, graph)]
        for domain, version in (("", OPSET), ("com.microsoft", 1)):
            model += _nested(8, [*_text(1, domain), *_integer(2, version)])
        return b"".join(model)


def _attribute(name: str, value: Attribute) -> Message:
    if isinstance(value, int):
        return [*_text(1, name), *_integer(3, value), *_integer(20, _INT)]
    values = [piece for each in value for piece in _integer(8, each)]
    return [*_text(1, name), *values, *_integer(20, _INTS)]


def _rows(name: str, width: int) -> Message:
    """A value of float32 rows, as many as there are tokens."""
    shape = [*_nested(1, _text(2, "tokens")), *_nested(1, _integer(1, width))]
    return [*_text(1, name), *_nested(2, _nested(1, [*_integer(1, _FLOAT), *_nested(2, shape)]))]


def _integer(field_number: int, value: int) -> Message:
    return [_varint(field_number << 3), _varint(value % 2**64)]


def _nested(field_number: int, pieces: Message) -> Message:
    return [_varint(field_number << 3 | 2), _varint(sum(map(len, pieces))), *pieces]


def _text(field_number: int, text: str) -> Message:
    return _nested(field_number, [text.encode()])


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
