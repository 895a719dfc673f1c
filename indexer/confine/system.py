"""The short list of files outside corpus and store that a confined Python needs, with reasons.

Reads a few attributes of this interpreter and looks up device nodes; opens nothing. Each entry
was found by tracing what imports of LanceDB, PyTorch, sentence-transformers and asyncio open.

Deliberately omitted, as the libraries work without them: /etc/passwd, /etc/hosts,
/etc/resolv.conf, /dev/shm (POSIX semaphores and shared memory, so multiprocessing.Lock and Queue),
/proc of any other process, /run, the home folder and the shared temp folders.
"""

from __future__ import annotations

import site
import sys
from pathlib import Path

from indexer.confine.policy import Access, FileRule
from indexer.confine.starting import user_site

_LIBRARIES = "shared libraries and the program loader"
_CPU = "how many cores there are and what they can do, for thread pools and vector code"

# import mimetypes fails where one of these exists and cannot be read (starlette imports it).
_TYPES = "which suffix means which type of file"
_TYPE_LISTS = (
    "/etc/mime.types",
    "/etc/httpd/mime.types",
    "/etc/httpd/conf/mime.types",
    "/etc/apache/mime.types",
    "/etc/apache2/mime.types",
    "/usr/local/etc/httpd/conf/mime.types",
    "/usr/local/etc/mime.types",
)

_SYSTEM: tuple[tuple[str, Access, str], ...] = (
    ("/lib", "execute", _LIBRARIES),
    ("/lib64", "execute", _LIBRARIES),
    ("/usr/lib", "execute", _LIBRARIES),
    ("/usr/lib64", "execute", _LIBRARIES),
    ("/usr/local/lib", "execute", _LIBRARIES),
    ("/nix/store", "execute", _LIBRARIES + ", where the system keeps them there"),
    ("/gnu/store", "execute", _LIBRARIES + ", where the system keeps them there"),
    ("/etc/ld.so.cache", "read", "where the loader finds shared libraries"),
    ("/etc/ssl/openssl.cnf", "read", "import ssl, hashlib: settings of the crypto library"),
    ("/etc/localtime", "read", "local time"),
    ("/usr/share/zoneinfo", "read", "local time"),
    *((path, "read", _TYPES) for path in _TYPE_LISTS),
    ("/etc/terminfo", "read", "colours and line editing in a terminal"),
    ("/usr/share/terminfo", "read", "colours and line editing in a terminal"),
    ("/proc/self", "read", "this process's own limits, memory map and cgroup"),
    ("/proc", "list", "a worker counts its own threads before it confines itself; numbers only"),
    ("/proc/cpuinfo", "read", _CPU),
    ("/proc/meminfo", "read", "how much memory a cache may take"),
    ("/proc/sys/vm/overcommit_memory", "read", "how the C library gives memory back"),
    ("/sys/devices/system/cpu", "read", _CPU),
    ("/sys/devices/system/node", "read", _CPU),
    ("/sys/fs/cgroup", "read", "limits that a container puts on cores and memory"),
    ("/sys/kernel/mm/transparent_hugepage", "read", "how allocators align memory"),
    ("/dev/null", "device", "output that nobody wants"),
    ("/dev/zero", "read", "empty memory"),
    ("/dev/urandom", "read", "random numbers, where getrandom is not used"),
    ("/dev/random", "read", "random numbers, where getrandom is not used"),
)

# Device nodes of the drivers of GPUs that torch computes on.
GPU_DEVICES = ("/dev/nvidiactl", "/dev/kfd")

_GPU: tuple[tuple[str, Access, str], ...] = (
    ("/dev/dri", "device", "AMD and Intel GPUs"),
    ("/dev/kfd", "device", "AMD GPUs"),
    ("/dev/nvidia-caps", "device", "NVIDIA GPUs that are divided"),
    ("/proc/driver/nvidia", "read", "which NVIDIA GPUs there are"),
    ("/proc/devices", "read", "which driver has which device number"),
    ("/sys/bus/pci/devices", "read", "which GPU sits where"),
    ("/sys/class/drm", "read", "which GPU sits where"),
    ("/sys/module", "read", "which driver is loaded"),
    ("/usr/local/cuda", "execute", "CUDA libraries"),
    ("/usr/local/nvidia", "execute", "driver libraries in a container"),
    ("/opt/rocm", "execute", "ROCm libraries"),
)


def system_files(*, gpu: bool = False) -> tuple[FileRule, ...]:
    """Rules for libraries, clocks and processor facts; with `gpu` the device nodes of a GPU too."""
    rules = [FileRule(Path(path), access, reason=why) for path, access, why in _SYSTEM]
    if gpu:
        rules += [FileRule(Path(path), access, reason=why) for path, access, why in _GPU]
        rules += [FileRule(Path("/sys/devices"), reason="which GPU sits where")]
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
