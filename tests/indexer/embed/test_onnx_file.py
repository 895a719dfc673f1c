"""The model that is written for ONNX Runtime, read by the library of the format."""

import numpy as np
import onnx
import pytest

from indexer.embed.graph import Shape, bert

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


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_the_graph_of_a_bert_is_a_valid_model(precision):
    written = bert(layers(2, 32), Shape(2, 4, 32, 1e-12), precision)
    onnx.checker.check_model(onnx.load_from_string(written), full_check=True)
    with pytest.raises(onnx.checker.ValidationError):  # the control
        broken = onnx.load_from_string(written)
        broken.graph.node[3].input[0] = "nobody"
        onnx.checker.check_model(broken, full_check=True)
