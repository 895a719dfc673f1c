"""Every format that is read, in the order in which they are tried: archives, and formats.toml."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path

from indexer.extract.extraction import Extractor
from indexer.extract.text.kinds import BEGINS

_ROWS = tomllib.loads(Path(__file__).with_name("formats.toml").read_text("utf-8"))
_DOCUMENTS = tuple(
    Extractor(name, **row | {"begins": BEGINS[row.get("begins", "")]})
    for name, row in _ROWS.items()
)
# An archive is read by all of them: when the text of one format changes, so may that of an archive.
_archive = partial(
    Extractor,
    version=2 + sum(extractor.version for extractor in _DOCUMENTS),
    module="members",
    markdown=True,
    container=True,
)
REGISTRY = (
    _archive("zip", suffixes=".zip", kinds="zip"),
    _archive("tar", suffixes=".tar .tgz", kinds="tar"),
    _archive("packed", suffixes=".gz .bz2 .xz", kinds="gz bz2 xz"),
    *_DOCUMENTS,
)
