"""The settings of a run as one frozen record: where they come from, and what they mean.

Flag > CORPUS_AGENT_* > config.toml in the store > the user's > default. A store may be an
attacker's: its file is read last, by `of_store`, after the store was verified as this user's, and
only for sizes and times.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import indexer
from indexer import (
    INSTALL_MULTILINGUAL,
    MAX_FILE_BYTES,
    MULTILINGUAL,
    OCR_CHOICES,
    CorpusError,
    NoIndex,
    Ocr,
    UsageError,
    paths,
)

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
    """The settings of a run; docs/settings.md says what each means.

    `store` and `model` are folders; None: search for it, or the packaged model. `llm_context` is
    None to ask the server.
    `allow_remote_llm` and `trust_store` have only a flag: no file and no variable can permit them.
    Not settings: `root`, the folder of the documents, set once the store's owner is verified,
    `several`, the stores in the place of `store` where there is more than one, and `config`, the
    file that the user named. Those in `fixed` were given by flag or variable, so that a store
    cannot change them.
    """

    store: Path | None = None
    llm: str = "auto"
    llm_model: str | None = None
    model: Path | None = None
    device: Device = "auto"
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


# ---- Where settings come from

PREFIX = "CORPUS_AGENT_"
CONFIG_NAME = "config.toml"
MAX_CONFIG_BYTES = 1_000_000
MAX_SHOWN = 80  # characters of a wrong value

SettingKind = type | range | tuple[str, ...]  # a type, the numbers or the words that are allowed
# The settings of the user's file and of variables; `store` only has a flag and a variable.
KINDS: dict[str, SettingKind] = {
    "store": Path,
    "llm": str,
    "llm_model": str,
    "model": Path,
    "device": get_args(Device),
    "max_file_bytes": range(1, 2**40 + 1),
    "llm_seconds": range(1, 7 * 86_400 + 1),
    "llm_context": range(1, 2**31 + 1),
    "ocr": OCR_CHOICES,
    "log": get_args(Log),
}
_OF_A_USER = KINDS.keys() - {"store"}
_FLAG_ONLY: dict[str, SettingKind] = {"allow_remote_llm": str, "trust_store": bool}
# The settings that change no boundary: neither what is read nor which model is used. Code that
# took over a run may rewrite the store, so their ranges are narrower: no document of ordinary size
# is left out of the index, no model times out before it begins, nothing runs for weeks.
OF_A_STORE = {
    "max_file_bytes": range(2**20, 2**30 + 1),
    "llm_seconds": range(10, 86_401),
    "llm_context": range(2_048, 2**24 + 1),
}
# A relative path in a variable or a file would mean another folder wherever one stands.
_ABSOLUTE = ("config", "model")


def load(flags: Mapping[str, Any], config: Path | None, environ: Mapping[str, str]) -> Settings:
    """The settings in force except those of a store. A flag that was not given is None."""
    given: dict[str, Any] = {
        key: environ[PREFIX + key.upper()]
        for key in (*KINDS, "config")
        if environ.get(PREFIX + key.upper())
    }
    _check_absolute(given, lambda key: PREFIX + key.upper())
    named = given.pop("config", None)
    config = config or (Path(named) if named else None)
    given |= {key: value for key, value in flags.items() if value is not None}
    chosen = _of_user(config) | given
    typed: dict[str, Any] = {key: _typed(key, value) for key, value in chosen.items()}
    if typed.get("store") is not None:
        typed["store"] = indexer.storage.named_store(typed["store"])
    return Settings(**typed, config=config, fixed=frozenset(given))


def of_store(settings: Settings, store: Path) -> Settings:
    """The settings with those of the store's own config.toml; its owner must be verified before."""
    path, data = store / CONFIG_NAME, indexer.storage.read_small(store, CONFIG_NAME)
    values = _parsed(path, data) if data is not None else {}
    for key, value in values.items():
        where = f"{str(path)!r}: an index may"
        if key not in OF_A_STORE:
            raise UsageError(
                f"{where} not decide {_shown(key)}.",
                f"It may set {', '.join(OF_A_STORE)}. Move the line to {str(user_config())!r}, "
                "or use the flag.",
            )
        allowed = OF_A_STORE[key]
        if _typed(key, value) not in allowed:
            raise UsageError(
                f"{where} set {key!r} from {allowed[0]:,} to {allowed[-1]:,}, "
                f"not to {_shown(value)}.",
                f"Remove the line; your own {str(user_config())!r} may set it.",
            )
    return replace(settings, **{key: values[key] for key in values.keys() - settings.fixed})


def of_user(variable: str, default: str) -> Path | None:
    """The program's folder below one that an XDG variable names, else in the home; None for none.

    A relative one would be resolved in the working folder, which may be another user's.
    """
    named = os.environ.get(variable, "").strip()
    try:
        folder = Path(named) if named else Path.home() / default
    except RuntimeError:  # no home folder, and no entry in /etc/passwd
        return None
    return folder / "corpus-agent" if folder.is_absolute() else None


def user_config() -> Path:
    """The path of the user's own configuration; need not exist."""
    folder = of_user("XDG_CONFIG_HOME", ".config")
    return (folder or Path(os.devnull)) / CONFIG_NAME


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Variables in the environment that look like settings but are not."""
    known = {PREFIX + key.upper() for key in (*KINDS, "config")}
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def _of_user(named: Path | None) -> dict[str, Any]:
    """The content of the file that is named, else of the user's own, which need not exist."""
    path = named or user_config()
    try:
        data = indexer.read_regular(path, MAX_CONFIG_BYTES) if str(path) != os.devnull else b""
    except (FileNotFoundError, NotADirectoryError):
        if named is None:
            return {}
        message = f"There is no configuration file {str(path)!r}."
        raise UsageError(message, "Check --config.") from None
    except OSError:
        raise UsageError(
            f"The configuration {str(path)!r} cannot be read.",
            "It must be a small text file that you may read. Change its permissions, or remove it.",
        ) from None
    values = _parsed(path, data)
    for key in values.keys() - _OF_A_USER:
        raise UsageError(
            f"{str(path)!r} has an unknown key {_shown(key)}.",
            f"Known are: {', '.join(sorted(_OF_A_USER))}.",
        )
    _check_absolute(values, lambda key: f"{str(path)!r}: {key}")
    return values


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"The configuration {str(path)!r} cannot be read: {error}.", "Mend or remove it."
        ) from None


def _check_absolute(values: Mapping[str, Any], where: Callable[[str], str]) -> None:
    """Raise UsageError for a relative path; on the command line one may be relative."""
    for key in _ABSOLUTE:
        value = values.get(key)
        named = value in MODEL_NAMES
        if isinstance(value, str) and not (named or Path(value).is_absolute()):
            raise UsageError(
                f"{where(key)} must be an absolute path, not {_shown(value)}.",
                "A relative one would mean another folder wherever you stand.",
            )


def _typed(key: str, value: object) -> object:
    """The value in its type; raises UsageError for a wrong type, or a value out of range."""
    kind = KINDS.get(key) or _FLAG_ONLY[key]
    if isinstance(kind, tuple):
        fits, wanted = value in kind, f"one of {', '.join(kind)}"
    elif isinstance(kind, range):
        if isinstance(value, str):  # a flag and a variable are text
            with suppress(ValueError):
                value = int(value)
        fits = type(value) is int and value in kind
        wanted = f"a number from {kind[0]:,} to {kind[-1]:,}"
    else:
        if isinstance(value, str | Path) and kind in (str, Path):
            value = kind(value)
        fits, wanted = isinstance(value, kind), "a path" if kind is Path else "a text"
    if not fits:
        raise UsageError(
            f"The setting {key!r} must be {wanted}, not {_shown(value)}.",
            f"Change it where it is set: a flag, {PREFIX}{key.upper()} or a {CONFIG_NAME}.",
        )
    return value


def _shown(value: object) -> str:
    """A value of a file for a message, truncated to MAX_SHOWN characters."""
    try:
        text = repr(value)
    except ValueError:  # Python formats no number of more than 4,300 digits
        return f"such a {type(value).__name__}"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


# ---- What settings in force mean: the stores to read, folders, the engine


def model_folder(folder: Path | None) -> Path | None:
    """The folder that is meant, None for the packaged model; raises UsageError for none."""
    if folder == Path("minilm"):
        return None
    if folder == Path("multilingual"):
        if (found := indexer.multilingual_model()) is not None:
            return found
        raise CorpusError(f"{MULTILINGUAL} is not installed.", f"Run: {INSTALL_MULTILINGUAL}")
    if folder is not None and not paths.is_folder(folder):
        raise UsageError(
            f"There is no model folder {str(folder)!r}.",
            "Name minilm, multilingual or a folder; see --model, CORPUS_AGENT_MODEL and model.",
        )
    return folder


def engine_of(settings: Settings) -> str:
    """What embeds under these settings, and why; nothing is loaded to say it."""
    return indexer.engine_for(settings.device, packaged=settings.model is None)


def absolute(settings: Settings) -> Settings:
    """The same settings with absolute paths, independent of the working folder."""
    store, model = settings.store, settings.model
    if store is None and not settings.several:
        store = indexer.storage.find_store(paths.working_folder())
    if model is not None and str(model) not in MODEL_NAMES:
        model = paths.from_here(model)
    store = paths.from_here(store) if store else None
    kind, _, path = (llm := settings.llm).partition(":")
    if kind in ("unix", "gguf"):  # a socket, or a file of weights
        llm = f"{kind}:{paths.expanded(Path(path))}"
    return replace(settings, store=store, model=model, llm=llm)


def stores_to_read(settings: Settings) -> tuple[NamedStore, ...]:
    """The stores to read, one alone without a name."""
    for one in settings.several:
        _check_index(one.store)
    return settings.several or (NamedStore("", existing_store(settings), settings.root),)


def one_by_one(settings: Settings) -> list[tuple[str, Settings]]:
    """The settings for each of several stores alone, with its name, "" for a single one."""
    return [
        (one.name, replace(settings, store=one.store, root=one.root, several=()))
        for one in stores_to_read(settings)
    ]


def existing_store(settings: Settings) -> Path:
    """The one store to read; raises NoIndex with the command that creates one."""
    check_one(settings)
    store = settings.store or indexer.storage.find_store(paths.working_folder())
    if store is None:
        raise NoIndex("There is no index here or in a folder above.", indexer.storage.MAKE_ONE)
    return _check_index(store)


def _check_index(store: Path) -> Path:
    if not os.path.lexists(store / indexer.storage.MANIFEST_NAME):
        raise indexer.storage.no_index(store)
    return store


def check_one(settings: Settings) -> None:
    """Raise UsageError where several stores are named, for what works on one."""
    if settings.several:
        names = ", ".join(one.name for one in settings.several)
        raise UsageError(
            f"This works on one index, and {len(settings.several)} are named: {names}.",
            f"Name one: -s {settings.several[0].name}",
        )


def existing_place(settings: Settings) -> tuple[Path, Path]:
    """The one store and its root of settings that a launch verified; see `existing_store`."""
    check_one(settings)
    assert settings.store is not None
    assert settings.root is not None
    return settings.store, settings.root
