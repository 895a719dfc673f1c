"""Fixtures shared by all tests; nothing is patched, everything runs for real."""

import itertools
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import cost, forked
from tests.support.command import Cli
from tests.support.places import REPOSITORY, SAMPLE

# A shell that starts a job in the background has it ignore Ctrl-C, and `nohup` a terminal's end; so
# would every process of a test. With these set here, children begin with the default.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
# What a test starts imports the program and the tests' own modules wherever it stands.
os.environ["PYTHONPATH"] = str(REPOSITORY)

# By the clock, 200 ms for an example, a busy machine fails; what bounds a cost asks the processor.
settings.register_profile("whatever else runs", deadline=None)
settings.load_profile("whatever else runs")


NIGHTLY_SECONDS = 1_500  # for a test, however busy the machine is


@pytest.hookimpl(tryfirst=True)  # before cases are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of `sampled(n)` every n-th case stays for the day; long files come first; the night has time.

    A long file that comes last would keep one process alone.
    """
    seen: Counter[str] = Counter()
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            function = item.nodeid.partition("[")[0]
            if seen[function] % sampled.args[0]:
                item.add_marker("nightly")
            seen[function] += 1
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.timeout(NIGHTLY_SECONDS))
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    long = {REPOSITORY / name for name in cost.LONG}
    items.sort(key=lambda item: (item.path not in long, -slow[item.path]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """In `make check`, which leaves slow tests out, one that costs far too much fails."""
    before = cost.processor_seconds()
    yield
    if "not slow" in item.config.option.markexpr:
        cost.hold(cost.processor_seconds() - before, slow=bool(item.get_closest_marker("slow")))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """No bytes in a test's name: a packed file holds the second in which it was made.

    Two processes that collect at different times would then have different tests, and run none.
    """
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's state folder, one for all tests, so that each trusts what another one made."""
    folder = tmp_path_factory.mktemp("state")
    os.environ["XDG_STATE_HOME"] = str(folder)
    yield folder / "corpus-agent"
    del os.environ["XDG_STATE_HOME"]


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Paths of home folders that are not there yet; `mktemp` looks through all folders for each."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def clean_environment(
    state_folder: Path, homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test sees or changes the developer's home folder or settings."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in list(os.environ):
        if name.startswith(("CORPUS_AGENT_", "XDG_")) and name != "XDG_STATE_HOME":
            monkeypatch.delenv(name)
    # A scan costs seconds, and the sample has one: what tests recognition asks for it.
    monkeypatch.setenv("CORPUS_AGENT_OCR", "off")


@pytest.fixture(scope="session")
def forks() -> Iterator[forked.Server]:
    with forked.Server(os.environ) as server:
        yield server


@pytest.fixture
def cli(tmp_path: Path, forks: forked.Server) -> Cli:
    """Runs the real command in a process of its own, in `tmp_path` unless told otherwise."""

    def run(*arguments: object, cwd: Path = tmp_path, **options: object):
        command = [sys.executable, "-m", "corpus_agent", *map(str, arguments)]
        own: dict[str, str] = options.pop("env", {})  # type: ignore[assignment]
        if options.keys() <= {"input"} and forked.as_at_the_start({**os.environ, **own}):
            typed = str(options.get("input", "")).encode()
            ended = forks.run(command[3:], cwd, {**os.environ, **own}, typed)
            texts = [text.decode().replace("\r\n", "\n") for text in (ended.out, ended.err)]
            return subprocess.CompletedProcess(command, ended.code or 0, *texts)
        environment = {**os.environ, **own}
        return subprocess.run(
            command, capture_output=True, text=True, cwd=cwd, env=environment, **options
        )

    return run


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    from corpus_agent.service import session
    from corpus_agent.settings import Settings

    store = tmp_path_factory.mktemp("sample") / "store"
    session.index(Settings(store=store, ocr="off"), SAMPLE)
    yield store


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name).resolve()


# The folders of a process that seals itself, and one outside of them.


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/note.md").write_text("words")
    return tmp_path / "corpus"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_text("words")
    return tmp_path / "outside"
