"""Documents read in processes of their own: sealed, limited, and replaced when one dies.

`child` is the program of every such process, with its own jobs or those of `recognising`; `process`
is its parent's handle, `worker` and `pages` are what is asked of it, `protocol` what passes between
them, `limits` the bounds. Here stands what is installed to recognise text: `status` asks.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache

INSTALL = "pip install 'corpus-agent[ocr]'"
_NEEDED = ("rapidocr", "cv2", "PIL", "pillow_heif")  # the extra: what its process imports


@dataclass(frozen=True, slots=True)
class RecognitionState:
    """rapidocr's version, None without the extra, and the command that installs it."""

    engine: str | None
    install: str


def recognition_state() -> RecognitionState:
    """What is installed; imports nothing of it."""
    from importlib.metadata import version

    return RecognitionState(version("rapidocr") if is_installed() else None, INSTALL)


@cache
def is_installed() -> bool:
    """Whether the extra `[ocr]` is there; imports none of it."""
    return all(importlib.util.find_spec(name) is not None for name in _NEEDED)
