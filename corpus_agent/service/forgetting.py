"""`forget`: a document leaves the index, and its file stays where it is.

What belongs to a corpus is decided by its folder and the ignore files there, and by nothing else;
so a forgotten document comes back with the next look at the folder unless a rule keeps it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpus_agent.settings import Settings, existing_store
from corpus_agent.text.sanitize import visible
from indexer.errors import CorpusError
from indexer.files.ignore import IGNORE_FILES
from indexer.files.walk import ignore_line
from indexer.index import LocalCorpus
from indexer.records import FileRow
from indexer.store.manifest import read_manifest, root_of
from indexer.store.texts import Texts
from indexer.store.writer import Writer


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became of `source`: the row that it had, None where it was not in the index.

    `rule` is the line which, in the file `rules`, keeps it out from now on; None where no line can
    name it. `near` are documents of similar names.
    """

    source: str
    row: FileRow | None
    version: int
    rules: Path
    rule: str | None
    near: tuple[str, ...] = ()


def forget(settings: Settings, source: str) -> Forgotten:
    """Drop a document from the index; once more changes nothing. Needs no model.

    Raises StoreLocked while another process writes.
    """
    store = existing_store(settings)
    manifest = read_manifest(store)
    root = settings.root or root_of(store, manifest)
    with Writer(store, manifest.fingerprint, manifest.root) as writer:
        if writer.rebuilding or writer.manifest is None:
            raise CorpusError("The index was made anew just now.", "Run the same command again.")
        manifest = writer.manifest
        row = writer.files.get(source)
        near: list[str] = []
        if row is None:
            near = LocalCorpus.open(store, root=root).similar(source)
        else:
            writer.replace([], [source])
            writer.commit(
                ignored=manifest.ignored,
                complete=manifest.complete,
                walked_ns=manifest.walked_ns,
            )
            # So that its text leaves the disk too, and is no more than in the file itself.
            Texts(store).keep_only({left.sha256 for left in writer.files.values()})
            manifest = writer.cleanup(removed=True)
    # A name that is no text, or twice the same text, is not the name that the file has.
    named = row is None or row.reason != "name"
    rule = _copyable(ignore_line(root, source)) if named else None
    return Forgotten(source, row, manifest.version, root / IGNORE_FILES[-1], rule, tuple(near))


def _copyable(line: str) -> str:
    """`line` with `?`, which stands for any character, for each that would not be seen."""
    return "".join(char if char.isprintable() and visible(char) == char else "?" for char in line)
