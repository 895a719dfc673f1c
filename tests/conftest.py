"""Fixtures shared by all tests; nothing is patched, everything runs for real."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import CorpusError

REPOSITORY = Path(__file__).parent.parent
SAMPLE = REPOSITORY / "sample_corpus"
EVAL_DATA = REPOSITORY.parent / "shared" / "eval"

# A shell that starts a job in the background has it ignore Ctrl-C, and `nohup` a terminal's end; so
# would every process of a test. With these set here, children begin with the default.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests first that start a broker in this process.

    A broker is forked before anything starts threads; once other tests have loaded LanceDB and
    ONNX Runtime here, a fork has threads from its first moment, and cannot be confined.
    """
    first = [f"tests/test_{name}.py" for name in ("llama", "loop", "relay", "owner")]

    def place(item: pytest.Item) -> int:
        file = item.nodeid.partition("::")[0]
        return first.index(file) if file in first else len(first)

    items.sort(key=place)


Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's state folder, one for all tests, so that each trusts what another one made."""
    folder = tmp_path_factory.mktemp("state")
    os.environ["XDG_STATE_HOME"] = str(folder)
    yield folder / "corpus-agent"
    del os.environ["XDG_STATE_HOME"]


@pytest.fixture(autouse=True)
def clean_environment(
    state_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No test sees or changes the developer's home folder or settings."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in list(os.environ):
        if name.startswith(("CORPUS_AGENT_", "XDG_")) and name != "XDG_STATE_HOME":
            monkeypatch.delenv(name)


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs the real command in a process of its own, in `tmp_path` unless told otherwise."""

    def run(*arguments: object, cwd: Path = tmp_path, **options: object):
        command = [sys.executable, "-m", "corpus_agent", *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        environment |= options.pop("env", {})  # type: ignore[arg-type]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=cwd, env=environment, **options
        )

    return run


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The index of sample_corpus, made once with the real model."""
    from corpus_agent.service import session
    from corpus_agent.settings import Settings

    store = tmp_path_factory.mktemp("sample") / "store"
    session.index(Settings(store=store), SAMPLE)
    yield store


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A temporary folder that any user may enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name).resolve()


def own(store: Path, root: Path) -> Path:
    """The store, recorded as this user's, as `index` records what it makes."""
    from corpus_agent.trust.stores import StorePlace, absolute, record
    from indexer.store.ownership import make_store

    record(StorePlace(absolute(store), root.resolve()), make_store(store))
    return store


def as_nobody(work: Callable[[], Any]) -> Any:
    """What `work` returns, as JSON gives it back, run by a user whom permissions stop.

    The superuser is stopped by none, so the work is done in a child that has become nobody.
    """
    if os.getuid() != 0:
        return work()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            outcome = work()
        except OSError as error:
            outcome = {"cannot": str(error)}
        except CorpusError as error:
            outcome = {"error": type(error).__name__, "message": str(error)}
        os.write(writer, json.dumps(outcome).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        outcome = json.load(pipe)
    os.waitpid(child, 0)
    if isinstance(outcome, dict) and "cannot" in outcome:
        pytest.skip(f"this process cannot become another user: {outcome['cannot']}")
    return outcome


def eval_data(*parts: str) -> Path:
    """A folder of the evaluation data, which is not part of the project; skips without it."""
    path = EVAL_DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"evaluation data {'/'.join(parts)} is not at hand")
    return path
