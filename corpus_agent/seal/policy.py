"""The permissions of this process once it is sealed, as a value.

Looks paths up and changes nothing. `enforce.seal` applies the policy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer import SealUnavailable
from indexer.confine import (
    FileRule,
    Policy,
    interpreter_files,
    sealed_calls,
    starting,
    system_files,
    tesseract_files,
)
from indexer.confine.rules import Access

TEMP_FOLDER = "tmp"  # inside the store


@dataclass(frozen=True, slots=True)
class SealPolicy:
    """The kernel policy, the folder for temporary files, and the socket that is served.

    `temp` is None if nothing may be written at all; then a library that tries gets an error.
    `listener` is the descriptor of the one listening socket that the process keeps, None for none.
    """

    confinement: Policy
    temp: Path | None
    listener: int | None = None


def policy(
    root: Path | None,
    store: Path | None,
    *,
    read: Sequence[Path] = (),
    several: Sequence[Path] = (),
    gpu: bool = False,
    watching: bool = False,
    listener: int | None = None,
) -> SealPolicy:
    """A policy that permits reading `root` and `read`, and writing `store` only.

    No socket, of any family. All paths but the store's temp folder must exist when it is applied.
    With `watching` inotify is permitted, which reports changes in any folder. With `listener`, a
    socket that listens already, its connections are accepted; nothing else listens or connects.
    A store that this user cannot write is read only, and without one nothing is written. The
    folders of `several` stores and of their documents are read only: what the text of one makes a
    run do reaches no other.
    Raises SealUnavailable for a root of "/", which would permit everything.
    """
    # A checked path is not resolved again: a link that replaced it would be followed.
    rules = [FileRule(path.resolve(), required=True) for path in read]
    checked = [*several, *([root] if root is not None else [])]
    rules += [FileRule(folder.absolute(), required=True, no_links=True) for folder in checked]
    writable = store is not None and os.access(store, os.W_OK)
    if store is not None:
        access: Access = "write" if writable else "read"
        rules.append(FileRule(store.absolute(), access, required=True, no_links=True))
    for rule in rules:
        if rule.path == Path("/"):
            raise SealUnavailable(
                "Nothing lies outside of '/', so that no file rule could hold.",
                "Index a folder instead.",
            )
    packages = [Path(starting.packages(), name) for name in ("corpus_agent", "indexer")]
    files = (
        *rules,
        *interpreter_files(*packages),
        *system_files(gpu=gpu),
        *tesseract_files(),  # started by it for pages that rapidocr has no letters for
    )
    temp = store.absolute() / TEMP_FOLDER if store is not None and writable else None
    calls = sealed_calls(gpu=gpu, watching=watching, serving=listener is not None)
    return SealPolicy(Policy(calls=calls, files=files), temp, listener)
