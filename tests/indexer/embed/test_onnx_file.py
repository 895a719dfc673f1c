"""The model that is written for ONNX Runtime, read by the library of the format."""

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from indexer.embed.graph import Shape, bert
from indexer.embed.onnx_file import Graph

NUMBERS = np.random.default_rng(7)


def layers(count: int, width: int) -> dict[str, np.ndarray]:
    """The weights of a BERT, by transformers' names."""
    found = {}
    dense = ("attention.self.query", "attention.self.key", "attention.self.value",
             "attention.output.dense", "output.dense", "intermediate.dense")  # fmt: skip
    names = ["embeddings.LayerNorm"]
    for number in range(count):
        before = f"encoder.layer.{number}."
        names += [f"{before}attention.output.LayerNorm", f"{before}output.LayerNorm"]
        for name in dense:
            found[f"{before}{name}.weight"] = NUMBERS.normal(size=(width, width))
            found[f"{before}{name}.bias"] = NUMBERS.normal(size=width)
    for name in names:
        found |= {f"{name}.{part}": NUMBERS.normal(size=width) for part in ("weight", "bias")}
    return {name: array.astype(np.float32) for name, array in found.items()}


def test_constants_and_operations_are_read_as_they_were_given():
    given = [
        np.arange(6, dtype=np.float32).reshape(2, 3).T,  # not as it lies in memory
        np.array([-63, 0, 63], np.int8),
        np.array([0, 12, -(2**40)]),
        NUMBERS.normal(size=(70, 70)).astype(np.float32),  # its length takes several bytes
    ]
    graph = Graph()
    names = [graph.constant(array) for array in given]
    first = graph.node("Gemm", "rows", names[0], "", transB=1, alpha=-2)
    last = graph.node("Ünï", first, domain="com.microsoft", perm=[1, 0, 300])
    model = onnx.load_from_string(graph.serialised("rows", last, 384))
    for constant, name, array in zip(model.graph.initializer, names, given, strict=True):
        assert constant.name == name
        read = numpy_helper.to_array(constant)
        assert read.dtype == array.dtype
        assert np.array_equal(read, array)
    made = [
        onnx.helper.make_node("Gemm", ["rows", names[0], ""], [first], transB=1, alpha=-2),
        onnx.helper.make_node(
            "Ünï", [first], [last], domain="com.microsoft", perm=[1, 0, 300]
        ),
    ]  # fmt: skip
    by_name = {node.op_type: sorted(node.attribute, key=lambda one: one.name) for node in made}
    for node, expected in zip(model.graph.node, made, strict=True):
        assert (node.op_type, node.domain) == (expected.op_type, expected.domain)
        assert (list(node.input), list(node.output)) == (
            list(expected.input),
            list(expected.output),
        )
        assert sorted(node.attribute, key=lambda one: one.name) == by_name[node.op_type]
    for value, name in ((model.graph.input[0], "rows"), (model.graph.output[0], last)):
        expected = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["tokens", 384])
        assert value == expected


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_the_graph_of_a_bert_is_a_valid_model(precision):
    written = bert(layers(2, 32), Shape(2, 4, 32, 1e-12), precision)
    onnx.checker.check_model(onnx.load_from_string(written), full_check=True)
    with pytest.raises(onnx.checker.ValidationError):  # the control
        broken = onnx.load_from_string(written)
        broken.graph.node[3].input[0] = "nobody"
        onnx.checker.check_model(broken, full_check=True)


def test_a_constant_of_a_type_that_no_model_has_is_refused():
    with pytest.raises(KeyError):
        Graph().constant(np.zeros(2, np.float64))
