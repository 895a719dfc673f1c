"""Settings from flags, the environment and files: flag > CORPUS_AGENT_* > file > default.

A store may be an attacker's: its file is read last, by `of_store`, after the store was verified as
this user's, and only for sizes and times.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

from corpus_agent.settings.record import Device, Log, Settings, is_address
from indexer import OCR_CHOICES, UsageError, read_regular, storage

PREFIX = "CORPUS_AGENT_"
CONFIG_NAME = "config.toml"
MAX_CONFIG_BYTES = 1_000_000
MAX_SHOWN = 80  # characters of a wrong value

# The settings that a file of the user may have; `store` only has a flag and a variable.
_KINDS: dict[str, type] = {
    "store": Path,
    "llm": str,
    "llm_model": str,
    "model": Path,
    "reranker": str,
    "embedder": str,
    "backend": str,
    "extractors": str,
    "device": str,
    "chunk_tokens": int,
    "chunk_overlap": int,
    "max_file_bytes": int,
    "llm_seconds": int,
    "llm_context": int,
    "ocr": str,
    "log": str,
}
# The minimum and the maximum that the user may choose.
_RANGE = {
    "chunk_tokens": (8, 8_192),
    "chunk_overlap": (0, 8_191),
    "max_file_bytes": (1, 2**40),
    "llm_seconds": (1, 7 * 86_400),
    "llm_context": (1, 2**31),
}
# The settings that change no boundary: neither what is read nor which model is used. Code that
# took over a run may rewrite the store, so their ranges are narrower: no document of ordinary size
# is left out of the index, no model times out before it begins, nothing runs for weeks.
_RANGE_OF_A_STORE = {
    "max_file_bytes": (2**20, 2**30),
    "llm_seconds": (10, 86_400),
    "llm_context": (2_048, 2**24),
}
OF_A_STORE = frozenset(_RANGE_OF_A_STORE)
_NOT_FROM_HERE = frozenset({"model", "reranker"})  # if a variable or a file names them
_OF_A_USER = frozenset(_KINDS) - {"store"}
_FLAG_ONLY: dict[str, type] = {"allow_remote_llm": str, "trust_store": bool}
_VARIABLE_ONLY: dict[str, type] = {"trusted_stores": str}
_OF_VARIABLES = (*_KINDS, *_VARIABLE_ONLY)
_KNOWN = {**_KINDS, **_FLAG_ONLY, **_VARIABLE_ONLY}
assert {*_KNOWN, "root", "several", "config", "fixed"} == {field.name for field in fields(Settings)}


def load(flags: Mapping[str, Any], config: Path | None, environ: Mapping[str, str]) -> Settings:
    """The settings in force except those of a store. A flag that was not given is None.

    Raises UsageError for an unknown key, a value of the wrong type, a named file that is missing.
    """
    given = _from_environment(environ)
    given |= {key: value for key, value in flags.items() if value is not None}
    named = config or _named_by(environ)
    chosen = (_from_file(user_config()) if named is None else _from_named(named)) | given
    typed: dict[str, Any] = {key: _typed(key, value) for key, value in chosen.items()}
    if typed.get("store") is not None:
        typed["store"] = storage.named_store(typed["store"])
    return Settings(**typed, config=named, fixed=frozenset(given))


def _named_by(environ: Mapping[str, str]) -> Path | None:
    """The configuration file that the environment names, None without one."""
    name = PREFIX + "CONFIG"
    if not environ.get(name):
        return None
    _check_absolute(name, environ[name])
    return Path(environ[name])


def _from_named(path: Path) -> dict[str, Any]:
    """The content of a configuration file that the user named; the null device is empty."""
    return {} if path == Path(os.devnull) else _from_file(path, required=True)


def _check_absolute(where: str, value: object) -> None:
    """Raise UsageError for a relative path in a variable or a file.

    It would be resolved in the working folder of each command, which may be another user's. A path
    on the command line may be relative.
    """
    if isinstance(value, str) and not (is_address(value) or Path(value).is_absolute()):
        raise UsageError(
            f"{where} must be an absolute path, not {_shown(value)}.",
            "Else each folder that you stand in would decide what it means.",
        )


def of_store(settings: Settings, store: Path) -> Settings:
    """The settings with those of the store's own config.toml; its owner must be verified before.

    Raises UsageError, with the line, for a key that a store may not set.
    """
    path = store / CONFIG_NAME
    data = storage.read_small(store, CONFIG_NAME)
    if data is None:
        return settings
    values = _parsed(path, data)
    for key, value in values.items():
        if key not in OF_A_STORE:
            line = _line_of(key, data)
            raise UsageError(
                f"{str(path)!r}, line {line}: an index may not decide {_shown(key)}.",
                f"It may set {', '.join(sorted(OF_A_STORE))}. Move the line to "
                f"{str(user_config())!r}, or use the flag.",
            )
        _check_of_store(key, _typed(key, value), f"{str(path)!r}, line {_line_of(key, data)}")
    return replace(settings, **{key: values[key] for key in values.keys() - settings.fixed})


def _check_of_store(key: str, value: object, where: str) -> None:
    least, most = _RANGE_OF_A_STORE[key]
    if not (isinstance(value, int) and least <= value <= most):
        raise UsageError(
            f"{where}: an index may set {key!r} from {least:,} to {most:,}, "
            f"not to {_shown(value)}.",
            f"Remove the line; your own {str(user_config())!r} may set it, and so may "
            f"{PREFIX}{key.upper()}.",
        )


def _line_of(key: str, data: bytes) -> int:
    """The 1-based number of the line of a key; 1 if the key is spelt in another way."""
    of_key = re.compile(rf"\s*[\"'\[]*\s*{re.escape(key)}\b")
    lines = data.decode("utf-8", errors="replace").splitlines()
    return next((number for number, line in enumerate(lines, 1) if of_key.match(line)), 1)


def user_config() -> Path:
    """The path of the user's own configuration; need not exist."""
    from platformdirs import user_config_path

    nowhere = Path(os.devnull) / CONFIG_NAME
    try:
        folder = user_config_path("corpus-agent")
    except RuntimeError:  # no home folder, and no entry in /etc/passwd
        return nowhere
    # A relative one would be resolved in the working folder, which may be another user's.
    return folder / CONFIG_NAME if folder.is_absolute() else nowhere


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Variables in the environment that look like settings but are not."""
    known = {PREFIX + key.upper() for key in _OF_VARIABLES} | {PREFIX + "CONFIG"}
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    names = {key: PREFIX + key.upper() for key in _OF_VARIABLES}
    found = {key: environ[name] for key, name in names.items() if environ.get(name)}
    for key in _NOT_FROM_HERE & found.keys():
        _check_absolute(names[key], found[key])
    return found


def _from_file(path: Path, *, required: bool = False) -> dict[str, Any]:
    try:
        data = read_regular(path, MAX_CONFIG_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        if required:
            raise UsageError(
                f"There is no configuration file {str(path)!r}.", "Check --config."
            ) from None
        return {}
    except OSError as error:
        raise UsageError(
            f"The configuration {str(path)!r} cannot be read: {error.strerror}.",
            "Change its permissions, or remove it.",
        ) from None
    loaded = _parsed(path, data)
    for key in loaded:
        if key not in _OF_A_USER:
            known = ", ".join(sorted(_OF_A_USER))
            raise UsageError(
                f"{str(path)!r} has an unknown key {_shown(key)}.", f"Known are: {known}."
            )
    for key in _NOT_FROM_HERE & loaded.keys():
        _check_absolute(f"{str(path)!r}: {key}", loaded[key])
    return loaded


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"The configuration {str(path)!r} cannot be read: {error}.", "Mend or remove it."
        ) from None


def _typed(key: str, value: object) -> object:
    """The value in its type; raises UsageError for a wrong type, or a value out of range."""
    kind = _KNOWN[key]
    if value is not None and not isinstance(value, kind):
        value = _converted(key, kind, value)
    if kind is int and value is not None:
        least, most = _RANGE[key]
        if isinstance(value, bool) or not (isinstance(value, int) and least <= value <= most):
            raise _wrong(key, f"a number from {least:,} to {most:,}", value)
    if key == "ocr" and value not in OCR_CHOICES:
        raise _wrong(key, f"one of {', '.join(OCR_CHOICES)}", value)
    if key == "device" and value not in get_args(Device):
        raise _wrong(key, f"one of {', '.join(get_args(Device))}", value)
    if key == "log" and value not in get_args(Log):
        raise _wrong(key, f"one of {', '.join(get_args(Log))}", value)
    return value


def _converted(key: str, kind: type, value: object) -> object:
    # A flag and a variable are text; int() would truncate a fraction.
    if isinstance(value, str) or (key == "reranker" and isinstance(value, Path)):
        with suppress(ValueError):
            return kind(value)
    raise _wrong(key, f"a {kind.__name__}", value)


def _wrong(key: str, kind: str, value: object) -> UsageError:
    return UsageError(
        f"The setting {key!r} must be {kind}, not {_shown(value)}.",
        f"Change it where it is set: a flag, {PREFIX}{key.upper()} or a {CONFIG_NAME}.",
    )


def _shown(value: object) -> str:
    """A value of a file for a message, truncated to MAX_SHOWN characters."""
    try:
        text = repr(value)
    except ValueError:  # Python formats no number of more than 4,300 digits
        return f"such a {type(value).__name__}"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
