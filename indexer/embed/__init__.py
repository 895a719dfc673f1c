"""Texts -> unit vectors, by a model from a local folder only.

`protocol` is the interface; `encoder` its implementation, which runs a model `folder` through ONNX
Runtime (`graph`, `onnx_engine`) if that reproduces the model's vectors (`probe`), else through
sentence-transformers (`torch_engine`). `reranker` reorders hits with a cross-encoder. Importing
this package imports no engine.
"""

from indexer.embed.encoder import FolderEncoder
from indexer.embed.folder import PACKAGED_SHA256
from indexer.embed.installed import InstalledEncoder
from indexer.embed.protocol import Encoded, Encoder, Engine, Tokens
from indexer.embed.reranker import Reranker, Scorer
from indexer.records import PACKAGED_MODEL
from indexer.weights import packaged_model

__all__ = [
    "PACKAGED_MODEL",
    "PACKAGED_SHA256",
    "Encoded",
    "Encoder",
    "Engine",
    "FolderEncoder",
    "InstalledEncoder",
    "Reranker",
    "Scorer",
    "Tokens",
    "packaged_model",
]
