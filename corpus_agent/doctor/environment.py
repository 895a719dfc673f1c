"""The checks of doctor outside of any index; `model_server` is called before the seal."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent import service
from corpus_agent.doctor import Check, Diagnosis, State, found_before
from corpus_agent.models import discovery
from corpus_agent.models.address import GgufFile, parse
from corpus_agent.models.llama_server import find_program
from corpus_agent.settings import engine_of
from indexer import CorpusError, all_extensions, paths
from indexer.confine import check_kernel

if TYPE_CHECKING:
    from corpus_agent.seal import Sealed
    from corpus_agent.settings import Settings

SHOWN = ("corpus-agent", "lancedb", "onnxruntime", "pypdf", "sentence-transformers", "torch")
LITTLE_BYTES = 1_000_000_000
TOO_LITTLE_BYTES = 100_000_000  # LanceDB writes new files before it drops old ones


def checks(settings: Settings, closed: Sealed | CorpusError, server: Diagnosis) -> Iterator[Check]:
    """The checks of this machine."""
    yield Check("versions", versions)
    yield Check("processor", processor)
    yield Check("seal", partial(sealing, closed))
    yield Check("weights", partial(weights, settings))
    yield Check("extensions", extensions)
    yield Check("model server", partial(found_before, server))
    yield Check("disk", partial(disk, settings.store or paths.working_folder()))


def weights(settings: Settings) -> Diagnosis:
    """The SHA-256 of the embedding model."""
    encoder = service.encoding.encoder_for(settings, settings.store)
    sha = encoder.weights_sha256[:16]
    return Diagnosis("ok", f"{encoder.name}, SHA-256 {sha}, by {engine_of(settings)}")


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
    shown = [
        f"{each.kind[:-1]} {each}{f' is NOT used: {each.refused}' if each.refused else ''}"
        for each in found
    ]
    state: State = "warn" if any(each.refused for each in found) else "ok"
    return Diagnosis(state, "; ".join(shown) or "none")


def processor() -> Diagnosis:
    """Whether the processor has AVX2, without which LanceDB crashes."""
    if platform.machine() != "x86_64":
        return Diagnosis("ok", platform.machine())
    try:
        flags = Path("/proc/cpuinfo").read_text().partition("\nflags")[2].partition("\n")[0]
    except OSError:
        return Diagnosis("warn", "/proc/cpuinfo cannot be read")
    if "avx2" not in flags.split():
        mend = "use a machine with AVX2 (since 2013)"
        return Diagnosis("fail", "no AVX2: LanceDB crashes here", mend)
    return Diagnosis("ok", "AVX2")


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
