"""A graph -> the bytes of an ONNX model. Pure.

ONNX is Protocol Buffers, and a graph needs few of its messages, which are written here: the
library of the format takes longer to import than the weights take to load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

OPSET = 20  # the first with Gelu
IR_VERSION = 10  # what goes with it

# Of onnx.proto: DataType of a TensorProto, AttributeType of an AttributeProto.
_FLOAT = 1
_TYPES = {np.dtype(np.float32): _FLOAT, np.dtype(np.int8): 3, np.dtype(np.int64): 7}
_INT, _INTS = 2, 7

Attribute = int | Sequence[int]
Message = list[bytes | memoryview]
"""The pieces of a message, joined but once: a model has many megabytes."""


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
