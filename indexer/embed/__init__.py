"""Texts -> unit vectors, by a model from a local folder only.

`protocol` is the interface; `encoder` its implementation, which runs a model `folder` through ONNX
Runtime (`graph`, `onnx_engine`) if that reproduces the model's vectors, else through
sentence-transformers (`torch_engine`). Importing this package imports no engine.
"""

from indexer.embed.encoder import FolderEncoder
from indexer.embed.folder import PACKAGED_SHA256
from indexer.embed.protocol import Encoded, Encoder, Engine
from indexer.measure import Tokens
from indexer.records import PACKAGED_MODEL
from indexer.weights import packaged_model

__all__ = [
    "PACKAGED_MODEL",
    "PACKAGED_SHA256",
    "Encoded",
    "Encoder",
    "Engine",
    "FolderEncoder",
    "Tokens",
    "packaged_model",
]
