"""Documents read in processes of their own: sealed, limited, and replaced when one dies.

`child` is the program of every such process, with its own jobs or those of `recognising`; `process`
is its parent's handle, `worker` and `pages` are what is asked of it, `protocol` what passes between
them, `limits` the bounds. Here stands what is installed to recognise text: `status` asks.
"""

from __future__ import annotations

import importlib.util
from functools import cache

INSTALL_OCR = "pip install 'corpus-agent[ocr]'"
_NEEDED = ("rapidocr", "cv2", "PIL", "pillow_heif")  # the extra: what its process imports


def recogniser_version() -> str | None:
    """Rapidocr's version, None without the extra; imports nothing of it."""
    from importlib.metadata import version

    return version("rapidocr") if is_installed() else None


@cache
def is_installed() -> bool:
    """Whether the extra `[ocr]` is there; imports none of it."""
    return all(importlib.util.find_spec(name) is not None for name in _NEEDED)
