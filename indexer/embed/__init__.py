"""Texts -> unit vectors, by a model from a local folder only.

`protocol` is the seam; `encoder` is the one implementation that the program uses, which runs a
`folder` through ONNX Runtime (`graph`, `onnx_engine`) where the vectors are the model's own
(`probe`), else through sentence-transformers (`torch_engine`). `reranker` reorders what was
found, by another model. Importing this imports no engine.
"""

from indexer.embed.encoder import SentenceTransformerEncoder
from indexer.embed.folder import PACKAGED_MODEL, PACKAGED_SHA256, packaged_model
from indexer.embed.protocol import Encoded, Encoder, Engine
from indexer.embed.reranker import Reranker

__all__ = [
    "PACKAGED_MODEL",
    "PACKAGED_SHA256",
    "Encoded",
    "Encoder",
    "Engine",
    "Reranker",
    "SentenceTransformerEncoder",
    "packaged_model",
]
