"""The short names of recorded stores: from the folders of their documents, and no two the same.

Pure. A name is given once and stays in the record, since sources begin with it where several stores
are searched together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from corpus_agent.settings import MARK
from corpus_agent.text.sanitize import inert, visible

MAX_NAME_CHARS = 40
_NAME = re.compile(rf"\w[\w-]{{0,{MAX_NAME_CHARS + 10}}}")
_OTHER = re.compile(r"\W+")


def names_of(stores: Mapping[str, Any]) -> dict[str, str]:
    """The name of each store of a record, by its path: the recorded one, else a new one."""
    found: dict[str, str] = {}
    for path, entry in stores.items():
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(name, str) and _may_be(name, found.values()):
            found[path] = name
    for path, entry in stores.items():
        if path not in found and isinstance(entry, dict) and isinstance(entry.get("root"), str):
            found[path] = name_for(Path(entry["root"]), found.values())
    return found


def name_for(folder: Path, taken: Collection[str] = ()) -> str:
    """A name for the store of a folder of documents that is not yet taken."""
    # A letter that is not shown stays unfit with any number behind it.
    plain = visible(_OTHER.sub("-", folder.name)).strip("-")
    name = plain[:MAX_NAME_CHARS] or "store"
    numbered = (f"{name}-{number}" for number in count(2))
    return name if _may_be(name, taken) else next(one for one in numbered if _may_be(one, taken))


def _may_be(name: str, taken: Collection[str]) -> bool:
    """Whether a name is free, and begins nothing that a program would take for a link."""
    begun = f"{name}{MARK}a"
    return bool(_NAME.fullmatch(name)) and name not in taken and inert(begun) == begun
