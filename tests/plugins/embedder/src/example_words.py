"""An embedder with its own tokenizer: each word has a place of its own in the vector."""

import hashlib
import re

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers


class Words:
    """What corpus-agent asks of an embedder; the prefixes and `weights_sha256` may be left out."""

    dimension = 256
    max_tokens = 128

    def __init__(self) -> None:
        self.tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
        self.tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()

    def encode(self, texts):
        """Vectors of the texts: float32, (len(texts), 256), rows of length 1."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()) or [""]:
                place = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % self.dimension
                row[place] += 1.0
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
