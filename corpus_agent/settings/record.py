"""The settings of a run as one frozen record, and the stores that it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from indexer import MAX_FILE_BYTES, Ocr

Log = Literal["on", "off"]
Device = Literal["auto", "cpu", "cuda", "mps", "xpu"]
MODEL_NAMES = ("minilm", "multilingual")  # in place of a folder
MARK = ":"  # between the name of a store and a source, where several stores are read


@dataclass(frozen=True, slots=True)
class NamedStore:
    """One of several stores, and the name before its sources; `root` once it is verified."""

    name: str
    store: Path
    root: Path | None = None

    @property
    def prefix(self) -> str:
        """What its sources begin with, "" without a name."""
        return f"{self.name}{MARK}" if self.name else ""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run. `store` and `model` are folders; None: search for it, or the packaged
    model. `embedder` and
    `backend` name what an installed package brings in place of the model and of LanceDB's search,
    `extractors` packages whose readers go before ours; see docs/extending.md.

    `device` is what `index` embeds on. `chunk_tokens` and `chunk_overlap` say how passages are cut,
    None as the index has it.

    `llm_seconds` limits a model's time for one question, `llm_context` is its window in tokens,
    None to ask its server. `ocr` says which pages without text are recognised; see sync_folder.
    `log` says whether questions and answers are kept as receipts in the store.
    `allow_remote_llm` is a host that passages may be sent to. It has only a flag: no file and no
    environment variable can permit it. `trust_store` has only a flag, too.
    Not settings: `root`, the folder of the documents, set once the store's owner is verified,
    `several`, the stores in the place of `store` where there is more than one, and
    `config`, the file that the user named, if any. Those in `fixed` were given by flag or variable,
    so that a store cannot change them.
    """

    store: Path | None = None
    llm: str = "auto"
    llm_model: str | None = None
    model: Path | None = None
    embedder: str | None = None
    backend: str = "lance"
    extractors: str | None = None
    device: Device = "auto"
    chunk_tokens: int | None = None
    chunk_overlap: int | None = None
    max_file_bytes: int = MAX_FILE_BYTES
    llm_seconds: int = 600
    llm_context: int | None = None
    ocr: Ocr = "auto"
    log: Log = "on"
    allow_remote_llm: str | None = None
    trust_store: bool = False
    root: Path | None = None
    several: tuple[NamedStore, ...] = ()
    config: Path | None = None
    fixed: frozenset[str] = frozenset()


def is_address(place: str) -> bool:
    """Whether a setting that may be a folder is the address of a server."""
    return "://" in place or place.startswith("unix:")
