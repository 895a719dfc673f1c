"""The grep and glob tools: what matches, as a bounded result."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal, get_args

from corpus_agent.workspace.reading import has_utf16_mark, is_binary, sample_of
from corpus_agent.workspace.ripgrep import Ripgrep
from corpus_agent.workspace.roots import (
    Workspace,
    WorkspacePath,
    explained,
    is_folder,
    is_text,
    named,
    open_place,
    open_root,
)
from indexer import Refused

Mode = Literal["content", "files", "count"]
MODES: tuple[Mode, ...] = get_args(Mode)

MAX_MATCH_CHARS = 300  # of a line that matches
_BEFORE_MATCH = 100  # of these, before a match that is not at the start of the line
_MAX_EVENT_BYTES = 2**20  # a matching line of more is left out
_STDIN = b"<stdin>"

Found = Iterator[tuple[bytes, str]]
"""File names as ripgrep prints them, each with the text that follows it in the result."""


def grep(
    workspace: Workspace,
    ripgrep: Ripgrep,
    pattern: str,
    path: str,
    glob: str | None,
    mode: Mode,
    ignore_case: bool,
) -> str:
    """What matches, one a line; raises Refused."""
    check_pattern("pattern", pattern)
    wanted = None if glob is None else check_glob("glob", glob)
    if mode not in MODES:
        raise Refused(
            f"There is no mode {named(mode)}.",
            f"Use one of {', '.join(MODES)}.",
            code="bad_argument",
        )
    with opened(workspace.for_reading(path)) as where:
        return _grep(ripgrep, where, pattern, wanted, mode, ignore_case)


def _grep(
    ripgrep: Ripgrep,
    where: SearchedPlace,
    pattern: str,
    glob: str | None,
    mode: Mode,
    ignore_case: bool,
) -> str:
    arguments = ["--json", "--sort=path", *(["--ignore-case"] if ignore_case else [])]
    only: set[bytes] | None = None
    lacking = ""
    if is_folder(where.descriptor):
        if glob is not None:
            found, lacking = files(ripgrep, where, glob)
            only = set(found)
        arguments += [*globs(glob), "--", pattern, "./"]
        search = ripgrep.search(where.descriptor, where.root, arguments, rules=where.rules)
    else:
        _check_text(where)
        # The open file itself: no path, so nothing to follow.
        arguments += ["--", pattern, "-"]
        search = ripgrep.search(where.root, where.root, arguments, stdin=where.descriptor)
    with search:
        matches = _of_texts(where, _found(search.output, mode))
        gathered = gather(
            None if (shown := _shown(where.place, name)) is None else shown + rest
            for name, rest in matches
            if only is None or name.removeprefix(b"./") in only
        )
        lacking = search.finish() or lacking
    return answer(
        gathered,
        "lines" if mode == "content" else "files",
        nothing=f"Nothing in {named(where.place.shown)} matches {named(pattern)}.",
        hint="narrow the pattern, the path or the glob.",
        lacking=lacking,
    )


def _of_texts(where: SearchedPlace, found: Found) -> Found:
    """The matches, without those in files that are text for ripgrep and not for `read`."""
    last, wanted = b"", True
    for name, rest in found:
        if name != last:
            last, wanted = name, name == _STDIN or not _is_binary(where, name)
        if wanted:
            yield name, rest


def _is_binary(where: SearchedPlace, name: bytes) -> bool:
    """Whether a file below the folder is binary, or can no longer be opened."""
    parts = tuple(os.fsdecode(name).removeprefix("./").split("/"))
    try:
        descriptor = open_place(replace(where.place, parts=where.place.parts + parts))
    except (OSError, Refused):
        return True
    try:
        sample = sample_of(descriptor)
    finally:
        os.close(descriptor)
    return is_binary(sample) and not has_utf16_mark(sample)


def _check_text(where: SearchedPlace) -> None:
    sample = sample_of(where.descriptor)
    if is_binary(sample) and not has_utf16_mark(sample):
        shown = named(where.place.shown)
        raise Refused(
            f"{shown} is binary, and grep searches text.",
            "Use read to read it.",
            code="binary_file",
        )


def _shown(place: WorkspacePath, name: bytes) -> str | None:
    return place.shown if name == _STDIN else shown_path(place, name)


def _found(output: BufferedReader, mode: Mode) -> Found:
    """A line `:12:text` for each match, or for each file nothing or `:3`, its number of them."""
    for event in _events(output):
        data = event["data"]
        if event["type"] == "match" and mode == "content":
            line = _bytes(data["lines"])
            start = data["submatches"][0]["start"] if data["submatches"] else 0
            yield _bytes(data["path"]), f":{data['line_number']}:{_cut(line, start)}"
        elif event["type"] == "end" and mode != "content":
            lines = data["stats"]["matched_lines"]
            if lines:
                yield _bytes(data["path"]), f":{lines}" if mode == "count" else ""


def _events(output: BufferedReader) -> Iterator[dict[str, Any]]:
    """What ripgrep tells; a line that is longer than any that is shown is left out."""
    while event := output.readline(_MAX_EVENT_BYTES):
        if event.endswith(b"\n"):
            yield json.loads(event)
        while event and not event.endswith(b"\n"):
            event = output.readline(_MAX_EVENT_BYTES)


def _bytes(value: dict[str, Any]) -> bytes:
    """The bytes of a value of ripgrep: text, or base 64 if it is not UTF-8."""
    return base64.b64decode(value["bytes"]) if "bytes" in value else value["text"].encode()


def _cut(line: bytes, start: int) -> str:
    """At most MAX_MATCH_CHARS of the line, the match at byte `start` among them."""
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    if len(text) <= MAX_MATCH_CHARS:
        return text
    match = len(line[:start].decode("utf-8", "replace"))
    begin = max(0, min(match - _BEFORE_MATCH, len(text) - MAX_MATCH_CHARS))
    end = begin + MAX_MATCH_CHARS
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"


MAX_OUTPUT_BYTES = 51_200
MAX_PATTERN_CHARS = 1_000
MAX_LISTING_BYTES = 64 * 2**20  # some 800,000 paths
# Patterns that match every file; with them ripgrep would list ignored folders in vain.
_EVERYTHING = ("*", "**", "**/*", "/**", "/**/*")
_NOT_GIT = "--glob=!.git"
# A name with one of these could look like two lines.
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class SearchedPlace:
    """An open place, the root that a search is confined to, and ignore files around it."""

    place: WorkspacePath
    descriptor: int
    root: int
    rules: tuple[Path, ...]


@contextmanager
def opened(place: WorkspacePath) -> Iterator[SearchedPlace]:
    """The open place."""
    with explained(place.shown), ExitStack() as closing:
        root = open_root(place.root)
        closing.callback(os.close, root)
        descriptor = open_place(place)
        closing.callback(os.close, descriptor)
        yield SearchedPlace(place, descriptor, root, rules_above(place.root.path))


def rules_above(root: Path) -> tuple[Path, ...]:
    """The ignore files of the repository that `root` lies in, from the folder above it on."""
    found: list[Path] = []
    for folder in (root, *root.parents):
        if folder != root:
            found.append(folder / ".gitignore")
        if (folder / ".git").exists():
            found.append(folder / ".git" / "info" / "exclude")
            return tuple(path for path in found if path.is_file() and not path.is_symlink())
    return ()


def check_pattern(what: str, pattern: str) -> str:
    """The pattern; raises Refused if ripgrep cannot accept it."""
    if not pattern:
        raise Refused(f"The {what} is empty.", "Say what to look for.", code="bad_argument")
    if "\0" in pattern or not is_text(pattern):
        raise Refused(f"The {what} holds a character that no text has.", code="bad_argument")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise Refused(
            f"The {what} has {len(pattern):,} characters, more than {MAX_PATTERN_CHARS:,}.",
            code="bad_argument",
        )
    return pattern


def check_glob(what: str, pattern: str) -> str:
    """The glob without a leading `./`; raises Refused if it could match nothing below."""
    pattern = check_pattern(what, pattern).removeprefix("./")
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise Refused(
            f"The {what} {named(pattern)} leads out of the folder.",
            "Give the folder as path, and a pattern relative to it.",
            code="outside_root",
        )
    return pattern


def globs(pattern: str | None) -> list[str]:
    """Ripgrep's arguments for a pattern, or for every file; the last one takes precedence."""
    chosen = [] if pattern is None or pattern in _EVERYTHING else [f"--glob={pattern}"]
    return [*chosen, _NOT_GIT]


def files(ripgrep: Ripgrep, where: SearchedPlace, pattern: str | None) -> tuple[list[bytes], str]:
    """The matching files that are not ignored, unordered; and what is missing, or ""."""
    found, lacking = _listed(ripgrep, where, globs(None))
    if globs(pattern) != globs(None):
        matching, also_lacking = _listed(ripgrep, where, globs(pattern))
        wanted = set(matching)
        found = [name for name in found if name in wanted]
        lacking = lacking or also_lacking
    return found, lacking


def _listed(
    ripgrep: Ripgrep, where: SearchedPlace, arguments: Sequence[str]
) -> tuple[list[bytes], str]:
    arguments = ["--files", "--null", *arguments]
    with ripgrep.search(where.descriptor, where.root, arguments, rules=where.rules) as search:
        output = search.output.read(MAX_LISTING_BYTES + 1)
        if len(output) > MAX_LISTING_BYTES:
            raise Refused(
                "There are too many files to list.",
                "Choose a folder further down.",
                code="too_large",
            )
        lacking = search.finish()
    return output.split(b"\0")[:-1], lacking


def shown_path(place: WorkspacePath, name: bytes) -> str | None:
    """The name to show for a file below `place`; None if it would not fit on one line."""
    try:
        text = name.removeprefix(b"./").decode()
    except UnicodeDecodeError:
        return None
    path = text if place.shown == "." else f"{place.shown}/{text}"
    return None if _BREAKS.search(path) else path


@dataclass(frozen=True, slots=True)
class Gathered:
    """The first lines, how many there are in all, and how many have names that cannot be shown."""

    lines: list[str]
    total: int
    unnamed: int


def gather(lines: Iterable[str | None]) -> Gathered:
    """The lines up to the limit; None stands for a line whose file cannot be named."""
    kept: list[str] = []
    size = total = unnamed = 0
    for line in lines:
        if line is None:
            unnamed += 1
            continue
        total += 1
        size += len(line.encode()) + 1
        if size <= MAX_OUTPUT_BYTES:
            kept.append(line)
    return Gathered(kept, total, unnamed)


def answer(gathered: Gathered, what: str, nothing: str, hint: str, lacking: str) -> str:
    """The lines, or `nothing`; then what is not shown, and why; `what` a line stands for."""
    shown = len(gathered.lines)
    least = "at least " if lacking else ""
    cut = f"{shown:,} of {least}{gathered.total:,} {what}; {hint}"
    notes = [cut] if shown < gathered.total else []
    if gathered.unnamed:
        notes.append(f"Left out: {gathered.unnamed}, for names that are not one line of text.")
    if lacking:
        notes.append(lacking)
    return "\n".join([*(gathered.lines or [nothing]), *([""] if notes else []), *notes])


def glob(workspace: Workspace, ripgrep: Ripgrep, pattern: str, path: str) -> str:
    """The paths that match, one a line, ties in order of the path; raises Refused."""
    pattern = f"/{check_glob('pattern', pattern)}"
    with opened(workspace.for_reading(path)) as where:
        shown = named(where.place.shown)
        if not is_folder(where.descriptor):
            raise Refused(
                f"{shown} is a file, not a folder.", "Use read to read it.", code="not_a_folder"
            )
        found, lacking = files(ripgrep, where, pattern)
        names = newest_first(where.descriptor, found)
    pattern = pattern.removeprefix("/")
    nothing = f"No file below {shown} matches {named(pattern)}."
    if "/" not in pattern:
        below = named(f"**/{pattern}")
        nothing = f"No file in {shown} matches {named(pattern)}; {below} looks below too."
    gathered = gather(shown_path(where.place, name) for name in names)
    return answer(
        gathered,
        "files, the newest",
        nothing=nothing,
        hint="narrow the pattern or the path.",
        lacking=lacking,
    )


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
