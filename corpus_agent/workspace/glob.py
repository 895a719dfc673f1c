"""The glob tool: the files of a folder whose paths match, newest first. Called by files.py."""

from __future__ import annotations

import os
from collections.abc import Iterable

from corpus_agent.workspace import listing
from corpus_agent.workspace.ripgrep import Ripgrep
from corpus_agent.workspace.roots import Workspace, is_folder, named
from indexer import Refused


def glob(workspace: Workspace, ripgrep: Ripgrep, pattern: str, path: str) -> str:
    """The paths that match, one a line, ties in order of the path; raises Refused.

    `*` stays in one folder, so that a pattern without `/` matches in `path` alone.
    """
    pattern = f"/{listing.check_glob('pattern', pattern)}"
    with listing.opened(workspace.for_reading(path)) as where:
        shown = named(where.place.shown)
        if not is_folder(where.descriptor):
            raise Refused(
                f"{shown} is a file, not a folder.", "Use read to read it.", code="not_a_folder"
            )
        found, lacking = listing.files(ripgrep, where, pattern)
        names = newest_first(where.descriptor, found)
    gathered = listing.gather(listing.shown_path(where.place, name) for name in names)
    return listing.answer(
        gathered,
        "files, the newest",
        nothing=_nothing(shown, pattern.removeprefix("/")),
        hint="narrow the pattern or the path.",
        lacking=lacking,
    )


def _nothing(shown: str, pattern: str) -> str:
    """That no file matches, and how the pattern would match further down."""
    if "/" in pattern:
        return f"No file below {shown} matches {named(pattern)}."
    return f"No file in {shown} matches {named(pattern)}; {named(f'**/{pattern}')} looks below too."


def newest_first(folder: int, names: Iterable[bytes]) -> list[bytes]:
    """`names` below the open `folder` by time of change, then by name; without those now gone."""
    dated: list[tuple[int, bytes]] = []
    for name in names:
        try:
            info = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        dated.append((-info.st_mtime_ns, name))
    dated.sort()
    return [name for _, name in dated]
