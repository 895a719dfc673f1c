"""What the program does today, recorded, so that a rewrite that changes any of it is told where.

Each module here that has a `NAME` is a part, whose record is `data/NAME.json`:

    take(names, report) -> {key: value}   what is so now; `names` are beginnings of keys, None: all
    QUICK                                 the names that `--quick` takes; without it: all
    differences(old, new) -> [line]       if what compare.py says is not plain enough

A key is a path ("extract/tika/testPDF.pdf"); a value is what JSON can hold. What cannot be taken
where it runs is named under "skipped": {name: reason}. Of documents hashes alone are kept.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
EVAL = Path(os.environ.get("GOLDEN_EVAL") or REPOSITORY.parent / "shared" / "eval")


def digest(*texts: object) -> str:
    """Ten hex digits of what the texts are."""
    return hashlib.sha256("\0".join(map(str, texts)).encode("utf-8", "replace")).hexdigest()[:10]
