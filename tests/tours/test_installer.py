"""Who installs the wheel into an environment of its own, by each line of the README, and uses it.

The libraries are linked from this environment, so that nothing is downloaded: `make wheel` has pip
choose them. What asks about them is answered by what is there.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from importlib.metadata import Distribution, distribution, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.places import REPOSITORY, SAMPLE

PROGRAM = "corpus-agent"


def needed() -> Iterator[Distribution]:
    """What is installed here of all that the program requires without extras, each once."""
    seen, waiting = {(PROGRAM, "")}, [(distribution(PROGRAM), "")]
    while waiting:
        one, extra = waiting.pop()
        for line in one.requires or ():
            requirement = Requirement(line)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            name = canonicalize_name(requirement.name)
            for part in {"", *requirement.extras}:
                if (name, part) not in seen:
                    seen.add((name, part))
                    found = distribution(name)
                    waiting.append((found, part))
                    if part == "":
                        yield found


def link(environment: Path) -> None:
    """Link their files into an environment, but for programs and compiled modules."""
    (packages,) = (environment / "lib").glob("python*/site-packages")
    for one in needed():
        for file in one.files or ():
            source = Path(str(one.locate_file(file)))
            if ".." in file.parts or "__pycache__" in file.parts or not source.is_file():
                continue
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, target)
            except FileExistsError:
                continue
            except OSError:  # on another file system
                shutil.copyfile(source, target)


pytestmark = pytest.mark.slow
(BLOCK,) = re.findall(
    r"```sh\n(pip install .*?)```", (REPOSITORY / "README.md").read_text("utf-8"), re.DOTALL
)
LINES = {
    " ".join(line.split()[: line.split().index("install")]): line for line in BLOCK.split("\n")[:-1]
}
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIPX_DISABLE_SHARED_LIBS_AUTO_UPGRADE": "1",
    "UV_NO_CONFIG": "1",
    "UV_OFFLINE": "1",
    "UV_PYTHON_DOWNLOADS": "never",
}

Run = Callable[..., str]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", folder, REPOSITORY]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture
def run(tmp_path: Path, wheel: Path) -> Run:
    """Runs what is typed in a folder with the wheel and some documents; both streams."""
    shutil.copy(wheel, tmp_path)
    shutil.copytree(SAMPLE / "home", tmp_path / "home")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("pipx", "uv"):  # and no other program of this environment
        (programs / name).symlink_to(Path(sys.executable).with_name(name))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP", "UV"))}
    environment |= OFFLINE | {
        "PATH": f"{programs}:{tmp_path}/env/bin:{os.defpath}",
        "VIRTUAL_ENV": f"{tmp_path}/env",
        "PIPX_HOME": f"{tmp_path}/pipx",
        "PIPX_BIN_DIR": f"{programs}",
        "PIPX_MAN_DIR": f"{tmp_path}/man",
        "UV_CACHE_DIR": f"{tmp_path}/cache",
        "UV_TOOL_DIR": f"{tmp_path}/tools",
        "UV_TOOL_BIN_DIR": f"{programs}",
    }

    def run(command: str, folder: str = ".", **variables: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path / folder, env={**environment, **variables},
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def with_pip(run: Run, folder: Path) -> Path:
    """An environment that pip installs into, which finds its requirements there."""
    venv.create(folder / "env")
    link(folder / "env")
    program = folder / "bin/pip"  # as `with_pip` would unpack it, in three seconds
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m pip --python env "$@"\n')
    program.chmod(0o755)
    assert "Successfully installed corpus-agent" in run(LINES["pip"])
    return folder / "env"


def with_uv(run: Run, folder: Path) -> Path:
    """An environment that uv installs into, which finds its requirements there."""
    run(f"uv venv --python {sys.executable} env")
    link(folder / "env")
    assert "Installed 1 package" in run(LINES["uv pip"])
    return folder / "env"


def with_pipx(run: Run, folder: Path) -> Path:
    """A tool of pipx, in an environment that is there, since pipx asks every requirement's name."""
    environment = folder / "pipx/venvs/corpus-agent"
    venv.create(environment)
    link(environment)
    line = LINES["pipx"].replace("pipx install", "pipx install --force")
    assert "installed package corpus-agent" in run(line, PIP_NO_DEPS="1")
    return environment


def with_uv_tool(run: Run, folder: Path) -> Path:
    """A tool of uv, which makes its environment anew: its libraries come after it."""
    names = {Requirement(line).name for line in requires("corpus-agent") or ()}
    (folder / "libraries.txt").write_text("\n".join(names))
    line = LINES["uv tool"].replace(
        "install", f"install --python {sys.executable} --excludes libraries.txt"
    )
    assert "Installed 1 executable: corpus-agent" in run(line)
    link(folder / "tools/corpus-agent")
    return folder / "tools/corpus-agent"


INSTALLERS = {"pip": with_pip, "pipx": with_pipx, "uv pip": with_uv, "uv tool": with_uv_tool}


def test_each_line_of_the_readme_that_installs_is_tried_here():
    assert LINES.keys() == INSTALLERS.keys()


@pytest.mark.nightly
@pytest.mark.parametrize("installer", INSTALLERS)
def test_what_is_installed_indexes_and_answers_within_the_seal(installer, run, tmp_path):
    environment = INSTALLERS[installer](run, tmp_path)
    assert "0.2.0" in run("corpus-agent --version")
    code = '"import corpus_agent; print(corpus_agent.__file__)"'
    assert run(f"{environment}/bin/python -c {code}").startswith(str(environment))

    assert '"added": 3' in run("corpus-agent index home --json")
    question = "On which day of the month is the rent due?"
    answer = run(f'corpus-agent ask --llm none --json "{question}"', "home")
    assert '"seal": "enforced"' in answer
    assert "due in advance on the 3rd day of each month" in answer
