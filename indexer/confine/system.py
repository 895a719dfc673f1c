"""The short list of files outside corpus and store that a confined Python needs, with reasons.

The list is files.txt. Reads a few attributes of this interpreter and looks up device nodes. Each
entry was found by tracing what imports of LanceDB, PyTorch, sentence-transformers and asyncio open.

Deliberately omitted, as the libraries work without them: /etc/passwd, /etc/hosts,
/etc/resolv.conf, /dev/shm (POSIX semaphores and shared memory, so multiprocessing.Lock and Queue),
/proc of any other process, /run, the home folder and the shared temp folders.
"""

from __future__ import annotations

import site
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from indexer.confine.policy import Access, FileRule
from indexer.confine.starting import user_site
from indexer.confine.syscalls import grouped

_FILES = grouped("files.txt")

# Device nodes of the drivers of GPUs that torch computes on.
GPU_DEVICES = ("/dev/nvidiactl", "/dev/kfd")


def _rules(group: str) -> Iterator[FileRule]:
    for line in _FILES[group]:
        path, access, why = line.split(maxsplit=2)
        yield FileRule(Path(path), cast(Access, access), reason=why)


def system_files(*, gpu: bool = False) -> tuple[FileRule, ...]:
    """Rules for libraries, clocks and processor facts; with `gpu` the device nodes of a GPU too."""
    rules = [*_rules("system")]
    if gpu:
        rules += _rules("gpu")
        nodes = sorted(Path("/dev").glob("nvidia*"))
        rules += [FileRule(node, "device", reason="NVIDIA GPUs") for node in nodes]
    return tuple(rules)


def interpreter_files(*packages: Path) -> tuple[FileRule, ...]:
    """Rules for this Python: its program, standard library, installed packages, and `packages`.

    `packages` are folders of the program's own modules, which lie outside the installation in a
    source checkout; their parent may then be listed, or a child process could not import them.
    """
    program = "the interpreter, for child processes too"
    rules = [
        FileRule(Path(path).resolve(), "execute", reason=program)
        for path in dict.fromkeys((sys.executable, getattr(sys, "_base_executable", "")))
        if path
    ]
    prefixes = tuple(dict.fromkeys((Path(sys.prefix), Path(sys.base_prefix))))
    rules += [FileRule(prefix / "pyvenv.cfg", reason=program) for prefix in prefixes]
    libraries = [prefix / name for prefix in prefixes for name in ("lib", "lib64")]
    libraries += [Path(path) for path in site.getsitepackages()]
    if (folder := user_site()) is not None:
        libraries.append(Path(folder))
    rules += [
        FileRule(path, "execute", reason="the standard library and installed packages")
        for path in dict.fromkeys(libraries)
    ]
    for package in packages:
        rules.append(FileRule(package, reason="the program itself"))
        if not any(package.is_relative_to(library) for library in libraries):
            rules.append(FileRule(package.parent, "list", reason="to find the program itself"))
    return tuple(rules)


# ---- Which device embeds, as far as that can be told without loading torch


def gpu_seen() -> str | None:
    """What shows that this machine may have a GPU; None if nothing does."""
    if sys.platform == "darwin":
        return sys.platform
    return next((device for device in GPU_DEVICES if Path(device).exists()), None)


def engine_for(device: str, *, packaged: bool) -> str:
    """What computes vectors under these settings, and why, on one line."""
    own = "ONNX Runtime (sentence-transformers for an architecture that it does not know)"
    own = "ONNX Runtime in int8" if packaged else own
    seen = gpu_seen()
    if device == "cpu" or (device == "auto" and seen is None):
        why = "--device cpu" if device == "cpu" else "no GPU is seen"
        return f"{own} on the processor: {why}"
    why = f"{seen} is there" if device == "auto" else f"--device {device}"
    return f"sentence-transformers on the GPU for index: {why}; {own} for questions"
