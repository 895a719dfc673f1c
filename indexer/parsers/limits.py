"""The limits for one document, and the policy of the process that reads it.

Named constants with their units; docs/seal.md holds the same table, and a test compares them. Pure,
but for looking up where this interpreter's files are.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.confine import Limits, Policy, interpreter_files, parser_calls, system_files

MIB = 2**20

# Address space, libraries and the file itself included. A parser of text holds about six copies of
# it (bytes, decoded, normalised, lines), one that decodes to four bytes a character eight.
MEMORY_BYTES = 1024 * MIB
MEMORY_BYTES_PER_FILE_BYTE = 8
MOST_MEMORY_BYTES = 2048 * MIB

# The slow PDF engine reads about six pages a second, and a long scan goes through it in vain.
CPU_SECONDS = 60
CPU_SECONDS_PER_MIB = 1

# More than the processor time: the machine has other work. What waits without working hits this.
WALL_SECONDS = 180
WALL_SECONDS_PER_MIB = 3

# Of extracted text, line ends included: a book has one million, a year of logs may have more.
TEXT_CHARS = 64 * MIB
TEXT_LINES = 2_000_000

OPEN_FILES = 64  # at a time
WRITTEN_BYTES = 0  # to any file

# Documents that one process reads, pages that one draws, before a new one takes its place: what
# leaks, ends with it.
DOCUMENTS_PER_PROCESS = 200

# The process that recognises text, of which there is one at a time. A page holds 730 to 900 MB; the
# address space counts libraries and stacks too, which take no memory.
OCR_MEMORY_BYTES = 3072 * MIB
OCR_CPU_SECONDS = 120  # of a page, all threads together
OCR_WALL_SECONDS = 240  # of a page

# The process that shows pages: somebody waits for each.
PAGE_CPU_SECONDS = 20
PAGE_WALL_SECONDS = 60


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """The bounds for one document or page; `wall_seconds` count while its process works."""

    memory_bytes: int = MEMORY_BYTES
    cpu_seconds: int = CPU_SECONDS
    wall_seconds: float = WALL_SECONDS
    text_chars: int = TEXT_CHARS
    text_lines: int = TEXT_LINES


def limits_for(file_bytes: int) -> DocumentLimits:
    """The limits for a file of this size: large files get more memory and time."""
    mib = file_bytes // MIB
    return DocumentLimits(
        memory_bytes=min(MOST_MEMORY_BYTES, MEMORY_BYTES + MEMORY_BYTES_PER_FILE_BYTE * file_bytes),
        cpu_seconds=CPU_SECONDS + CPU_SECONDS_PER_MIB * mib,
        wall_seconds=WALL_SECONDS + WALL_SECONDS_PER_MIB * mib,
    )


def policy(address_space_bytes: int = MOST_MEMORY_BYTES) -> Policy:
    """The policy of a process that reads: this Python and its libraries, and nothing else."""
    package = Path(__file__).resolve().parent.parent
    rules = (*interpreter_files(package), *system_files())
    # No right to start programs or to write to a device.
    files = (replace(r, access="list" if r.access == "list" else "read") for r in rules)
    limits = Limits(
        address_space_bytes=address_space_bytes, file_bytes=WRITTEN_BYTES, open_files=OPEN_FILES
    )
    return Policy(calls=parser_calls(os.getpid()), files=tuple(files), limits=limits)
