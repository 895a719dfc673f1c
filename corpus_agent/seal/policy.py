"""What stays open to this process once it is sealed, as a value.

Looks paths up and changes nothing. `closing.seal` applies what comes out.
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
)
from indexer.confine.policy import Access

TEMP_FOLDER = "tmp"  # inside the store


@dataclass(frozen=True, slots=True)
class SealPolicy:
    """What the kernel is told, and the folder that temporary files go to.

    `temp` is None where nothing may be written at all; then a library that tries gets an error.
    """

    confinement: Policy
    temp: Path | None


def policy(
    root: Path | None,
    store: Path | None,
    *,
    read: Sequence[Path] = (),
    gpu: bool = False,
    watching: bool = False,
) -> SealPolicy:
    """A policy that reads `root` and what `read` names, and writes `store` alone.

    No socket, of any family. All paths but the store's temp folder must exist when it is applied.
    With `watching` the kernel may be asked to tell of changes, which it does for any folder.
    A store that this user may not write is read only, and without one nothing is written.
    Raises SealUnavailable for a root of "/", outside of which there would be nothing.
    """
    # What was judged before is not looked up anew: a link that took its place would be followed.
    rules = [FileRule(path.resolve(), required=True) for path in read]
    if root is not None:
        rules.append(FileRule(root.absolute(), required=True, no_links=True))
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
    files = (*rules, *interpreter_files(*packages), *system_files(gpu=gpu))
    temp = store.absolute() / TEMP_FOLDER if store is not None and writable else None
    calls = sealed_calls(gpu=gpu, watching=watching)
    return SealPolicy(Policy(calls=calls, files=files), temp)
