"""The checks of doctor outside of any index; `model_server` is called before the seal."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent import service
from corpus_agent.doctor import Check, Diagnosis
from corpus_agent.models import discovery
from corpus_agent.models.address import GgufFile, parse
from corpus_agent.models.llama_server import find_program
from corpus_agent.settings import engine_of
from indexer import CorpusError, all_extensions, paths, recognition_state
from indexer.confine import check_kernel

if TYPE_CHECKING:
    from corpus_agent.seal import Sealed
    from corpus_agent.settings import Settings

SHOWN = ("corpus-agent", "lancedb", "onnxruntime", "pypdf", "sentence-transformers", "torch")
INSTRUCTIONS = {  # by their flags in /proc/cpuinfo
    "avx2": "AVX2", "avx512f": "AVX-512", "avx_vnni": "AVX-VNNI", "avx512_vnni": "AVX-512 VNNI",
    "amx_int8": "AMX",
}  # fmt: skip
LITTLE_BYTES = 1_000_000_000
TOO_LITTLE_BYTES = 100_000_000  # LanceDB writes new files before it drops old ones


def checks(settings: Settings, closed: Sealed | CorpusError, server: Diagnosis) -> Iterator[Check]:
    """The checks of this machine."""

    def weights() -> Diagnosis:
        encoder = service.encoding.encoder_for(settings, settings.store)
        sha = encoder.weights_sha256[:16]
        return Diagnosis("ok", f"{encoder.name}, SHA-256 {sha}, by {engine_of(settings)}")

    where = settings.store or paths.working_folder()
    yield Check("versions", "of Python and the libraries", versions)
    yield Check(
        "processor", "AVX2, without which LanceDB crashes; VNNI and AMX embed faster", processor
    )
    yield Check("seal", "whether this kernel enforces the seal", lambda: sealing(closed))
    yield Check("weights", "the SHA-256 of the embedding model", weights)
    yield Check("extensions", "what installed packages bring", extensions)
    yield Check("recognition", "what reads scans and pictures", recognition)
    yield Check("model server", "whether a language model answers", lambda: server)
    yield Check("disk", "free space where the index is", lambda: disk(where))


def versions() -> Diagnosis:
    """What a bug report needs; whether the libraries fit together is pip's to say."""
    found = [f"Python {platform.python_version()} on {platform.machine()}"]
    for name in SHOWN:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return Diagnosis("ok", ", ".join(found))


def extensions() -> Diagnosis:
    """Every extension by its package: code that the user installed, used or not."""
    found = all_extensions()
    refused = [each for each in found if each.refused]
    shown = [f"{each.kind[:-1]} {each}" for each in found if not each.refused]
    shown += [f"{each.kind[:-1]} {each} is NOT used: {each.refused}" for each in refused]
    if not shown:
        return Diagnosis("ok", "none")
    return Diagnosis("warn" if refused else "ok", "; ".join(shown))


def recognition() -> Diagnosis:
    """What text recognition is installed; nobody needs it who keeps no scans."""
    found = recognition_state()
    if found.engine is None:
        return Diagnosis("ok", "none: scans and pictures are not read", found.install)
    scripts = ", ".join(found.tesseract)
    others = f"; Tesseract for {scripts}" if scripts else "; no Tesseract for other scripts"
    return Diagnosis("ok", f"rapidocr {found.engine}{others}")


def processor() -> Diagnosis:
    """Whether the processor has what LanceDB was compiled for, and what makes int8 fast."""
    if platform.machine() != "x86_64":
        return Diagnosis("ok", platform.machine())
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return Diagnosis("warn", "/proc/cpuinfo cannot be read")
    flags = next((line for line in lines if line.startswith("flags")), "").split()
    if "avx2" not in flags:
        return Diagnosis(
            "fail", "no AVX2: LanceDB crashes here", "use a machine with AVX2 (since 2013)"
        )
    return Diagnosis("ok", ", ".join(name for flag, name in INSTRUCTIONS.items() if flag in flags))


def sealing(closed: Sealed | CorpusError) -> Diagnosis:
    """The result of sealing this process, or with the seal off, what the kernel supports."""
    if isinstance(closed, CorpusError):
        return Diagnosis("fail", closed.message, closed.hint)
    if closed.state == "off":
        _, abi = check_kernel()
        return Diagnosis("warn", f"off (--unsealed); this kernel has Landlock ABI {abi}")
    enforced = f"enforced: seccomp, Landlock ABI {closed.landlock_abi}"
    if closed.not_covered:
        missing = "; ".join(closed.not_covered)
        return Diagnosis("warn", f"{enforced}; not covered: {missing}", "use a newer kernel")
    return Diagnosis("ok", enforced)


def model_server(settings: Settings) -> Diagnosis:
    """Whether the model of `--llm` answers. Call before the seal."""
    if settings.llm == "none":
        return Diagnosis("ok", "none wanted; answers are quotations")
    try:
        wanted = parse(settings.llm, settings.allow_remote_llm)
        if isinstance(wanted, GgufFile):
            return Diagnosis("ok", f"{find_program()} would be started for {str(wanted.path)!r}")
        model = discovery.find(wanted, settings.llm_model)
    except discovery.ModelUnavailable as error:
        # No server was named, so none is missing: the one found may not be used unnamed.
        return Diagnosis("warn" if wanted == "auto" else "fail", error.message, error.hint)
    except CorpusError as error:
        return Diagnosis("fail", error.message, error.hint)
    if model is None:
        return Diagnosis("ok", "none on this machine; answers are quotations")
    owner = f" of {model.server.owner}" if model.server.owner is not None else ""
    return Diagnosis("ok", f"{model.name} at {model.server}{owner}")


def disk(where: Path) -> Diagnosis:
    """Free space on the file system of `where`, or of the folder that it would be made in."""
    there = next(path for path in (where, *paths.from_here(where).parents) if path.exists())
    free = shutil.disk_usage(there).free
    found = f"{free / 1e9:,.1f} GB free"
    if free < TOO_LITTLE_BYTES:
        return Diagnosis("fail", found, "free some space")
    return Diagnosis("warn" if free < LITTLE_BYTES else "ok", found, "free some space")
