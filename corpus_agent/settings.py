"""One frozen Settings: flag > CORPUS_AGENT_* > config.toml in the store > the user's > default.

Reads configuration files and the environment; decides nothing else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from indexer.errors import NoIndex, UsageError
from indexer.manifest import MANIFEST_NAME, STORE_NAME, find_store
from indexer.walk import MAX_FILE_BYTES

PREFIX = "CORPUS_AGENT_"
CONFIG_NAME = "config.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person may choose. `store`, `model` and `reranker` are folders; None means: look
    for it, and for the last: none.

    `llm_seconds` is what a model may take for one question, `llm_context` its window in tokens,
    None where its server is to be asked.
    `allow_remote_llm` is a host that passages may be sent to. It has a flag and nothing else: no
    file and no environment variable opens the way out.
    """

    store: Path | None = None
    llm: str = "auto"
    llm_model: str | None = None
    model: Path | None = None
    reranker: Path | None = None
    max_file_bytes: int = MAX_FILE_BYTES
    llm_seconds: int = 600
    llm_context: int | None = None
    allow_remote_llm: str | None = None


_KINDS = {
    "store": Path,
    "llm": str,
    "llm_model": str,
    "model": Path,
    "reranker": Path,
    "max_file_bytes": int,
    "llm_seconds": int,
    "llm_context": int,
}
_FLAG_ONLY = {"allow_remote_llm": str}
assert {*_KINDS, *_FLAG_ONLY} == {field.name for field in fields(Settings)}


def load(flags: Mapping[str, Any], config: Path | None, environ: Mapping[str, str]) -> Settings:
    """The settings in force. `flags` hold None where a flag was not given.

    Raises UsageError for an unknown key, a value of the wrong kind, a file named and absent.
    """
    given = _from_environment(environ)
    given |= {key: value for key, value in flags.items() if value is not None}
    named = config or (Path(environ[PREFIX + "CONFIG"]) if PREFIX + "CONFIG" in environ else None)
    if named is not None and not named.is_file():
        raise UsageError(f"There is no configuration file {str(named)!r}.", "Check --config.")
    store = given.get("store") or find_store(Path.cwd())
    of_store = _from_file(Path(store) / CONFIG_NAME) if store else {}
    chosen = _from_file(named or user_config()) | of_store | given
    typed: dict[str, Any] = {key: _typed(key, value) for key, value in chosen.items()}
    return Settings(**typed)


def user_config() -> Path:
    """Where the user's own configuration is looked for."""
    from platformdirs import user_config_path

    return user_config_path("corpus-agent") / CONFIG_NAME


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Names in the environment that look like settings and are none."""
    known = {PREFIX + key.upper() for key in _KINDS} | {PREFIX + "CONFIG"}
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    names = {key: PREFIX + key.upper() for key in _KINDS}
    return {key: environ[name] for key, name in names.items() if environ.get(name)}


def _from_file(path: Path) -> dict[str, Any]:
    try:
        loaded = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"The configuration {str(path)!r} cannot be read: {error}.") from None
    for key in loaded:
        if key not in _KINDS or key == "store":
            known = ", ".join(sorted(set(_KINDS) - {"store"}))
            raise UsageError(f"{str(path)!r} has an unknown key {key!r}.", f"Known are: {known}.")
    return loaded


def _typed(key: str, value: object) -> object:
    kind = {**_KINDS, **_FLAG_ONLY}[key]
    if value is None or isinstance(value, kind):
        return value
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise UsageError(f"The setting {key!r} must be a {kind.__name__}, not {value!r}.") from None


def model_folder(folder: Path | None, flag: str) -> Path | None:
    """The folder that `flag` names; raises UsageError where there is none of that name."""
    if folder is not None and not folder.is_dir():
        raise UsageError(f"There is no model folder {str(folder)!r}.", f"Check {flag}.")
    return folder


def absolute(settings: Settings) -> Settings:
    """The same settings, found from here and true wherever a process stands."""
    store = settings.store or find_store(Path.cwd())
    places = {"store": store, "model": settings.model, "reranker": settings.reranker}
    found: dict[str, Any] = {key: path.absolute() if path else None for key, path in places.items()}
    kind, colon, path = settings.llm.partition(":")
    if kind in ("unix", "gguf"):
        found["llm"] = f"{kind}{colon}{Path(path).expanduser().absolute()}"
    return replace(settings, **found)


def existing_store(settings: Settings) -> Path:
    """The store to read; raises NoIndex with the command that makes one."""
    store = settings.store or find_store(Path.cwd())
    if store is None or not (store / MANIFEST_NAME).exists():
        where = f"in {str(settings.store)!r}" if settings.store else "here or in any folder above"
        raise NoIndex(f"There is no index {where}.", "Make one: corpus-agent index FOLDER")
    return store


def store_to_write(settings: Settings) -> Path:
    """The store that `index` writes: the one named or found, else a new one right here."""
    return settings.store or find_store(Path.cwd()) or Path.cwd() / STORE_NAME
