"""The places where a program may think that it may write, and what lies in a folder."""

from __future__ import annotations

from pathlib import Path

PLACES = {
    "HOME": "home",
    "XDG_CACHE_HOME": "xdg/cache",
    "XDG_CONFIG_HOME": "xdg/config",
    "XDG_DATA_HOME": "xdg/data",
    "XDG_STATE_HOME": "xdg/state",
    "XDG_RUNTIME_DIR": "xdg/runtime",
    "TMPDIR": "temporary",
}


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder below, with its size and time of change; store and record left out."""
    left_out = (folder / "store", folder / PLACES["XDG_STATE_HOME"])
    return {
        str(path.relative_to(folder)): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if not any(path.is_relative_to(place) for place in left_out)
    }
