"""A sentence-transformers folder of a few hundred kilobytes: real code, random weights.

For tests and benchmarks that start many processes and do not care what a text means.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.folders import SYLLABLES

DIMENSION = 32


def make_small_reranker(folder: Path, seed: int = 0, labels: int = 1) -> Path:
    """The folder, with a cross-encoder of one layer in it; its opinions are random and firm."""
    from transformers import BertForSequenceClassification

    config = _config(folder, seed)
    config.num_labels = labels
    BertForSequenceClassification(config).save_pretrained(folder, safe_serialization=True)
    return folder


def _config(folder: Path, seed: int) -> Any:
    """The configuration of a small BERT, whose tokenizer is in the folder now."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig

    folder.mkdir(parents=True, exist_ok=True)
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,;:!?-()'\""
    pieces = [*letters, *SYLLABLES]
    vocabulary = [*specials, *pieces, *(f"##{piece}" for piece in pieces)]
    places = {piece: place for place, piece in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(places, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", places["[SEP]"]), ("[CLS]", places["[CLS]"])
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    torch.manual_seed(seed)
    tokenizer_config = {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": True,
        "model_max_length": 256,
        **{f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")},
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer_config))
    return BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=DIMENSION,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
    )
