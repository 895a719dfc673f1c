"""The grep tool: lines, files or counts that match, in order of the paths. Called by files.py."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from io import BufferedReader
from typing import Any, Literal, get_args

from corpus_agent.workspace import listing
from corpus_agent.workspace.content import has_utf16_mark, is_binary, sample_of
from corpus_agent.workspace.ripgrep import Ripgrep
from corpus_agent.workspace.roots import Workspace, WorkspacePath, is_folder, named, open_place
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
    listing.check_pattern("pattern", pattern)
    wanted = None if glob is None else listing.check_glob("glob", glob)
    if mode not in MODES:
        raise Refused(
            f"There is no mode {named(mode)}.",
            f"Use one of {', '.join(MODES)}.",
            code="bad_argument",
        )
    with listing.opened(workspace.for_reading(path)) as where:
        return _grep(ripgrep, where, pattern, wanted, mode, ignore_case)


def _grep(
    ripgrep: Ripgrep,
    where: listing.SearchedPlace,
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
            found, lacking = listing.files(ripgrep, where, glob)
            only = set(found)
        arguments += [*listing.globs(glob), "--", pattern, "./"]
        search = ripgrep.search(where.descriptor, where.root, arguments, rules=where.rules)
    else:
        _check_text(where)
        # The open file itself: no path, so nothing to follow.
        arguments += ["--", pattern, "-"]
        search = ripgrep.search(where.root, where.root, arguments, stdin=where.descriptor)
    with search:
        matches = _of_texts(where, _found(search.output, mode))
        gathered = listing.gather(
            None if (shown := _shown(where.place, name)) is None else shown + rest
            for name, rest in matches
            if only is None or name.removeprefix(b"./") in only
        )
        lacking = search.finish() or lacking
    return listing.answer(
        gathered,
        "lines" if mode == "content" else "files",
        nothing=f"Nothing in {named(where.place.shown)} matches {named(pattern)}.",
        hint="narrow the pattern, the path or the glob.",
        lacking=lacking,
    )


def _of_texts(where: listing.SearchedPlace, found: Found) -> Found:
    """The matches, without those in files that are text for ripgrep and not for `read`."""
    last, wanted = b"", True
    for name, rest in found:
        if name != last:
            last, wanted = name, name == _STDIN or not _is_binary(where, name)
        if wanted:
            yield name, rest


def _is_binary(where: listing.SearchedPlace, name: bytes) -> bool:
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


def _check_text(where: listing.SearchedPlace) -> None:
    sample = sample_of(where.descriptor)
    if is_binary(sample) and not has_utf16_mark(sample):
        shown = named(where.place.shown)
        raise Refused(
            f"{shown} is binary, and grep searches text.",
            "Use read to read it.",
            code="binary_file",
        )


def _shown(place: WorkspacePath, name: bytes) -> str | None:
    return place.shown if name == _STDIN else listing.shown_path(place, name)


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
