"""What a shard's process may do, and its jobs: see `shard_work`.

Runs in indexer.parsers.child, sealed before anything is imported that could start a thread or open
a document: no socket, the documents and the store to be read, the store's staging folder to be
written, and no other file of the user's.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from indexer.confine import (
    FileRule,
    Policy,
    interpreter_files,
    sealed_calls,
    starting,
    system_files,
)

OPENING = "CORPUS_AGENT_SHARDS"  # the variable that says which folder, store and model, as JSON
STAGING = "staging"


def POLICY() -> Policy:  # noqa: N802 - one of the two names of a program
    """Documents, store and model to be read, staged shards to be written; no socket at all."""
    opening = json.loads(os.environ[OPENING])
    store = Path(opening["store"])
    rules = [
        FileRule(Path(opening["root"]), required=True, no_links=True),
        FileRule(store, required=True, no_links=True),
        FileRule(store / STAGING, "write", required=True, no_links=True),
    ]
    if opening["model"]:
        rules.append(FileRule(Path(opening["model"]), required=True))
    packages = [Path(starting.packages(), name) for name in ("corpus_agent", "indexer")]
    files = (*rules, *interpreter_files(*packages), *system_files())
    return Policy(calls=sealed_calls(), files=files)


def Jobs(_: object) -> Any:  # noqa: ANN401, N802 - imported once the process is sealed
    """The worker of this process."""
    work = import_module("indexer.sync.shard_work")
    return work.ShardWorker(json.loads(os.environ[OPENING]))
