"""Any sequence of what people do to a folder, with `index` in between: a program, not a test.

Run by test_sequences.py in a process of its own, which gives up the superuser's right to read and
write whatever `chmod` said. Prints the shortest sequence that fails, and exits with 1.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support import no_override

no_override.drop()  # before anything below starts threads

from tests.support.checks import check_same, check_store, content  # noqa: E402
from tests.support.toy_index import sync  # noqa: E402

NAMES = ("a.txt", "b.md", "sub/c.txt", "sub/deep/d.md", "it's.txt", "é.txt")
TEXTS = (
    b"",
    b"The boiler pressure is 1.4 bar.\n",
    b"The boiler pressure is 1.9 bar.\n",  # as long as the one before
    b"# Bread\n\nSourdough rises slowly.\n\nRye needs more water than wheat.\n",
    "Überraschung im Garten.\n".encode() * 40,
    b"\x00\x01\x02 nobody reads this \xff\xfe",
)

paths = st.sampled_from(NAMES)
texts = st.sampled_from(TEXTS)
has_files = precondition(lambda self: bool(self._files()))


class Folder(RuleBasedStateMachine):
    """A folder, and the index that is brought up to date now and then."""

    @initialize()
    def start(self) -> None:
        self.scratch = Path(tempfile.mkdtemp())
        self.root, self.store = self.scratch / "docs", self.scratch / "store"
        self.root.mkdir()
        self.ticks = 0
        (self.root / "always.txt").write_text("So that the folder is never empty.\n")

    def teardown(self) -> None:
        if hasattr(self, "scratch"):
            self._unlock()
            shutil.rmtree(self.scratch)

    def _unlock(self) -> None:
        for path in (self.root, *self.root.rglob("*")):
            path.chmod(0o700)

    def _files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    @rule(name=paths, text=texts)
    def create_or_edit(self, name: str, text: bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.chmod(0o600)
        path.write_bytes(text)

    @has_files
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        data.draw(st.sampled_from(self._files())).unlink()

    @has_files
    @rule(data=st.data(), name=paths)
    def rename(self, data: st.DataObject, name: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        data.draw(st.sampled_from(self._files())).rename(self.root / name)

    @precondition(lambda self: (self.root / "sub").is_dir())
    @rule(name=st.sampled_from(("sub", "moved", "moved/sub")))
    def rename_folder(self, name: str) -> None:
        target = self.root / name
        if not target.exists() and target.parent.is_dir():
            (self.root / "sub").rename(target)

    @has_files
    @rule(data=st.data(), mode=st.sampled_from((0o000, 0o400, 0o600)))
    def chmod(self, data: st.DataObject, mode: int) -> None:
        data.draw(st.sampled_from(self._files())).chmod(mode)

    @has_files
    @rule(data=st.data(), size=st.integers(0, 40))
    def truncate(self, data: st.DataObject, size: int) -> None:
        path = data.draw(st.sampled_from(self._files()))
        path.chmod(0o600)
        os.truncate(path, min(size, path.stat().st_size))

    @has_files
    @rule(data=st.data(), back=st.booleans())
    def touch(self, data: st.DataObject, back: bool) -> None:
        path = data.draw(st.sampled_from(self._files()))
        path.chmod(0o600)
        # No time twice: of files of one size and time only --verify tells which is which.
        self.ticks += 1
        os.utime(path, (self.ticks, self.ticks) if back else None)

    @has_files
    @rule(prune=st.booleans())
    def index(self, prune: bool) -> None:
        """The index equals a fresh one, apart from documents that cannot be looked at and stay."""
        before = self._passages()
        sync(self.root, self.store, prune_unreachable=prune)
        fresh = self.scratch / "fresh"
        sync(self.root, fresh)
        check_store(self.store).close()
        stayed = self._unreachable()
        assert not (prune and stayed), stayed
        for source in stayed:
            assert not os.access(self.root / source, os.R_OK), source
            assert self._passages()[source] == before[source]
        check_same(self.store, fresh, without=stayed)
        shutil.rmtree(fresh)

    def _unreachable(self) -> set[str]:
        _, files = content(self.store)
        return {row.source for row in files if row.status == "unreachable"}

    def _passages(self) -> dict[str, list[str]]:
        """The texts of each source's passages, in their order."""
        passages: dict[str, list[str]] = {}
        if self.store.exists():
            for row in content(self.store)[0].to_pylist():
                passages.setdefault(row["source"], []).append(row["text"])
        return passages


def main(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Folder,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
