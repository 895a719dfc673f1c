"""No side files: what the commands leave behind lies in the store, and in the user's own record."""

import shutil
from pathlib import Path

import pytest

from tests.support.command import Cli
from tests.support.fakes import ScriptedModelServer, says
from tests.support.places import SAMPLE

QUESTION = "How long can the sourdough starter stay in the fridge without being fed?"


# Where a program may think that it may write.
PLACES = {
    "HOME": "home",
    "XDG_CACHE_HOME": "xdg/cache",
    "XDG_CONFIG_HOME": "xdg/config",
    "XDG_DATA_HOME": "xdg/data",
    "XDG_STATE_HOME": "xdg/state",
    "XDG_RUNTIME_DIR": "xdg/runtime",
    "TMPDIR": "temporary",
}


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder below, with its size and time of change; store and record left out."""
    left_out = (folder / "store", folder / PLACES["XDG_STATE_HOME"])
    return {
        str(path.relative_to(folder)): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if not any(path.is_relative_to(place) for place in left_out)
    }


def recorded(folder: Path) -> list[str]:
    """What lies in the user's state folder: the record of the stores that were made, no more."""
    place = folder / PLACES["XDG_STATE_HOME"]
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with everything in it that a program may think it may write to; all names it."""
    for variable, name in PLACES.items():
        (tmp_path / name).mkdir(parents=True, mode=0o700)
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # the interpreter's own are no side files
    shutil.copytree(SAMPLE, tmp_path / "corpus")
    for name in ("work", "store"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--unsealed",)], ids=["sealed", "unsealed"])
def test_no_command_leaves_a_file_outside_of_the_store(cli: Cli, surroundings, flags):
    before = listing(surroundings)
    quote = '[kitchen/sourdough.md:15] "12 days"'
    with ScriptedModelServer([says(f"Twelve days {quote}.")]) as server:
        for command in (
            ("index", surroundings / "corpus"),
            ("search", "sourdough"),
            ("ask", QUESTION, "--llm", "none"),
            ("ask", QUESTION, "--llm", server.server.base_url),
            ("read", "kitchen/sourdough.md"),
            ("files",),
            ("status",),
        ):
            arguments = (*flags, "--store", surroundings / "store", *command)
            done = cli(*arguments, cwd=surroundings / "work")
            assert done.returncode == 0, done.stderr
            assert listing(surroundings) == before, command
    assert list((surroundings / "store").iterdir())  # the control: an index was made
    kept = ["corpus-agent/receipts.json", "corpus-agent/stores.json"]  # the key, the record
    assert recorded(surroundings) == kept
    (surroundings / PLACES["XDG_CACHE_HOME"] / "device-id").write_text("x")
    assert listing(surroundings) != before  # another one would be seen
