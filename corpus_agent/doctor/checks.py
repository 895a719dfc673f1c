"""The checks of doctor, of this machine and of an index. Changes nothing."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import indexer
from corpus_agent import answering, service
from corpus_agent.doctor import Check, Diagnosis, found_before
from corpus_agent.models import discovery
from corpus_agent.models.discovery import GgufFile, parse
from corpus_agent.models.llama_server import find_program
from corpus_agent.settings import engine_of
from corpus_agent.text.naming import PATH, called
from corpus_agent.text.wording import number_of
from indexer import CorpusError, Refused, paths, storage
from indexer.confine import check_kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from corpus_agent.seal import Sealed
    from corpus_agent.settings import Settings
    from indexer import Chunk, Encoder, Index

    Samples = list[tuple[Chunk, NDArray[np.float32]]]

SHOWN = ("corpus-agent", "lancedb", "onnxruntime", "pypdf", "sentence-transformers", "torch")
LITTLE_BYTES = 1_000_000_000
TOO_LITTLE_BYTES = 100_000_000  # LanceDB writes new files before it drops old ones


def of_machine(
    settings: Settings, closed: Sealed | CorpusError, server: Diagnosis
) -> Iterator[Check]:
    """The checks of this machine."""
    yield Check("versions", versions)
    yield Check("processor", processor)
    yield Check("seal", partial(sealing, closed))
    yield Check("weights", partial(weights, settings))
    yield Check("model server", partial(found_before, server))
    yield Check("disk", partial(disk, settings.store or paths.working_folder()))


def weights(settings: Settings) -> Diagnosis:
    """The SHA-256 of the embedding model."""
    encoder = service.session.encoder_for(settings, settings.store)
    sha = encoder.weights_sha256[:16]
    return Diagnosis("ok", f"{encoder.name}, SHA-256 {sha}, by {engine_of(settings)}")


def versions() -> Diagnosis:
    """What a bug report needs; whether the libraries fit together is pip's to say."""
    found = [f"Python {platform.python_version()} on {platform.machine()}"]
    for name in SHOWN:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return Diagnosis("ok", ", ".join(found))


def processor() -> Diagnosis:
    """Whether the processor has what LanceDB was compiled for."""
    try:
        flags = Path("/proc/cpuinfo").read_text().partition("\nflags")[2].partition("\n")[0]
    except OSError:
        return Diagnosis("warn", "/proc/cpuinfo cannot be read")
    if platform.machine() == "x86_64" and "avx2" not in flags.split():
        mend = "use a machine with AVX2 (since 2013)"
        return Diagnosis("fail", "no AVX2: LanceDB crashes here", mend)
    return Diagnosis("ok", platform.machine())


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


INDEX = "corpus-agent index"
ANEW = "corpus-agent index --force"
MOUNT = "mount the disk, or make the folder readable; then: corpus-agent index"
# Cosine of a stored vector and one made today. The same weights on another processor or in another
# batch differ by 1e-6; other weights, or another text, by 0.1 and more.
LIKENESS = 0.985  # of two engines whose vectors may mix: indexer/embed/encoder.py, NEAR


def of_index(settings: Settings, problem: CorpusError | None = None) -> Iterator[Check]:
    """The checks of the index that the settings mean, as far as it can be looked into."""
    store = settings.store
    if problem is not None:
        refused = Diagnosis("fail", problem.message, problem.hint)
        yield Check("index", partial(found_before, refused))
        return
    yield Check("index", partial(there_is_one, store))
    if store is None or not paths.is_folder(store):
        return
    yield Check("permissions", partial(permissions, store))
    try:
        manifest = storage.read_manifest(store)
    except CorpusError:  # which the first check reports
        return
    yield Check("corpus", partial(corpus_folder, store, settings.root))
    if processor().state == "fail":  # importing LanceDB would end this process
        return
    yield Check("table files", partial(as_written, store))
    encoder = service.session.encoder_for(settings, store)
    yield Check("model", partial(same_model, store, encoder))
    root = settings.root or storage.root_of(store, manifest)
    yield from _of_rows(store, root, encoder)
    if paths.is_there(root):
        yield Check("stale files", partial(stale_files, settings))


def _of_rows(store: Path, root: Path, encoder: Encoder) -> Iterator[Check]:
    try:
        samples = indexer.Index.open(store).parts[""].samples()
    except CorpusError as error:
        yield Check("tables", partial(found_before, Diagnosis("fail", error.message, error.hint)))
        return
    yield Check("embedding", partial(embedded_again, samples, encoder))
    yield Check("texts", partial(parsed_anew, store, root, samples))


def there_is_one(store: Path | None) -> Diagnosis:
    """Whether there is an index and it is complete."""
    if store is None or not (store / storage.MANIFEST_NAME).exists():
        where = f"in {str(store)!r}" if store else "here or in any folder above"
        return Diagnosis("warn", f"none {where}", f"{INDEX} FOLDER")
    manifest = storage.read_manifest(store)
    found = f"{str(store)!r}, brought up to date {manifest.updated[:16]}"
    if not manifest.complete:
        return Diagnosis("warn", f"{found}; its last run did not finish", INDEX)
    return Diagnosis("ok", found)


def as_written(store: Path) -> Diagnosis:
    """Whether the files of the tables are those that the last run wrote."""
    manifest = storage.checked_manifest(store, storage.EVERY_BYTE)
    if not manifest.contents:
        return Diagnosis("warn", "an earlier version listed no files; the next run does", INDEX)
    size = sum(int(sums.partition(" ")[0]) for sums in manifest.contents.values())
    return Diagnosis("ok", f"{len(manifest.contents):,} of the index's own, {size / 1e6:,.1f} MB")


def permissions(store: Path) -> Diagnosis:
    """Whether the store is private to its owner, and the owner is this user."""
    info = store.stat()
    mode = stat.S_IMODE(info.st_mode)
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        return Diagnosis(
            "fail", f"mode {mode:04o}: others may read it", f"chmod 700 {shlex.quote(str(store))}"
        )
    if not os.access(store, os.W_OK):
        return Diagnosis("warn", f"mode {mode:04o}; read only for this user: `index` cannot write")
    return Diagnosis("ok", f"mode {mode:04o}")


def corpus_folder(store: Path, root: Path | None = None) -> Diagnosis:
    """Whether the folder that was indexed is still there."""
    manifest = storage.read_manifest(store)
    root = root or storage.root_of(store, manifest)
    absent = paths.absence(root)
    if not absent and (paths.is_there(root) or not manifest.coverage.searched):
        return Diagnosis("ok", called(str(root), kind=PATH))
    found = f"{str(root)!r} {absent or 'is empty'}; what was indexed can be searched and not read"
    return Diagnosis("fail", found, f"mount or restore it, or name its new place: {INDEX} FOLDER")


def same_model(store: Path, encoder: Encoder) -> Diagnosis:
    """Whether the index was made with this model, as a search requires."""
    corpus: Index = indexer.Index.open(store, encoder)
    manifest = storage.read_manifest(store)
    return Diagnosis(
        "ok", f"{manifest.fingerprint.model}, {number_of(corpus.coverage().indexed, 'document')}"
    )


def embedded_again(samples: Samples, encoder: Encoder) -> Diagnosis:
    """Whether the current model reproduces the stored vectors."""
    import numpy as np

    if not samples:
        return Diagnosis("ok", "nothing to compare")
    chunker = indexer.Chunker(encoder)
    texts = [encoder.document_prefix + chunker.embedded_text(chunk) for chunk, _ in samples]
    stored = np.stack([vector for _, vector in samples])
    if stored.shape[1] != encoder.dimension:
        return Diagnosis("fail", f"{stored.shape[1]} numbers, not {encoder.dimension}", INDEX)
    likeness = np.sum(encoder.encode(texts) * stored, axis=1)
    if not bool((likeness >= LIKENESS).all()):
        found = f"cosine {float(likeness.min()):.4f}, at least {LIKENESS} expected"
        return Diagnosis("fail", found, ANEW)
    return Diagnosis(
        "ok", f"{number_of(len(texts), 'chunk')}, cosine {float(likeness.min()):.4f} or more"
    )


def parsed_anew(store: Path, root: Path, samples: Samples) -> Diagnosis:
    """Whether the unchanged files yield the stored text when parsed again."""
    parsed = indexer.Index.open(store, root=root, anew=True)
    kept = indexer.Index.open(store, root=root)
    compared = 0
    for chunk, _ in samples:
        try:
            today = answering.quotations.read_all(parsed, chunk.source)
            if today.stale:
                continue
            same = today.lines == answering.quotations.read_all(kept, chunk.source).lines
        except Refused:
            continue  # gone, or not readable now: the check of stale files reports it
        text = "\n".join(line.text for line in today.lines[chunk.line_start - 1 : chunk.line_end])
        if not same or "".join(chunk.text.split()) not in "".join(text.split()):
            return Diagnosis(
                "fail", f"{chunk.source!r} does not say what the store holds of it", ANEW
            )
        compared += 1
    said = "says what the store holds of it", "say what the store holds of them"
    return Diagnosis("ok", number_of(compared, f"document {said[0]}", f"documents {said[1]}"))


def stale_files(settings: Settings) -> Diagnosis:
    """The files that `index` would update now."""
    todo = service.session.dry_run(settings, None, indexer.Choices())
    if todo.changes_nothing and not todo.unreachable:
        return Diagnosis("ok", f"{number_of(len(todo.keep), 'file')} as indexed")
    changed = len(todo.update) + len(todo.record) + len(todo.touch)
    counted = {
        "changed": changed,
        "new": len(todo.add),
        "gone": len(todo.remove),
        "out of reach": len(todo.unreachable),
    }
    said = ", ".join(f"{count:,} {what}" for what, count in counted.items() if count)
    elsewhere = changed or todo.add or todo.remove
    return Diagnosis("warn", f"{said} since the last run", INDEX if elsewhere else MOUNT)
