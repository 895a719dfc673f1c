"""No code of the working folder: where programs are started, with what, and that no trap is run.

The folder and the variables are a stranger's in every test here; each trap in it leaves a mark when
it runs, and the controls show that it does.
"""

import ast
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_agent import mcp
from corpus_agent.librarian import Librarian
from corpus_agent.models.llama_server import find_program
from corpus_agent.web.listening import open_browser, wait_for_browsers
from corpus_agent.workspace import FileTools, Workspace
from indexer.confine import starting
from indexer.errors import UsageError
from indexer.parsers.process import Child
from indexer.parsers.tesseract import find_tesseract
from indexer.records import GREY_BYTES, Points
from tests.support.pictures import picture
from tests.support.places import REPOSITORY
from tests.support.processes import until
from tests.support.toy_index import ENCODER, sync

MODULES = (
    *("json", "runpy", "typing", "subprocess", "socket", "lancedb", "numpy", "lxml", "regex"),
    *("sitecustomize", "usercustomize", "startup"),
    *("corpus_agent/__init__", "corpus_agent/__main__", "indexer/__init__", "encodings/__init__"),
)
PROGRAMS = ("rg", "llama-server", "python", "python3", "sh", Path(sys.executable).name)
MARK = "import posix; posix.close(posix.open({!r}, posix.O_CREAT | posix.O_WRONLY))\n"


@pytest.fixture
def marks(tmp_path):
    """Which traps have run, by name."""
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


def planted(folder, marks, leave_out=()):
    """A folder full of traps."""
    for name in MODULES:
        if name.partition("/")[0] not in leave_out:
            trap = folder / f"{name}.py"
            trap.parent.mkdir(parents=True, exist_ok=True)
            trap.write_text(MARK.format(str(marks / trap.stem.replace("__", ""))))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "lib" / version / "site-packages"
    packages.mkdir(parents=True)
    (packages / "trap.pth").write_text(MARK.format(str(marks / "pth")))
    for name in PROGRAMS:
        program = folder / name
        program.write_text(f"#!/bin/bash -p\n: > {marks / 'program'}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (folder / "notes.md").write_text("words\n")
    return folder


def variables_of(folder):
    """What a stranger would have a shell hold, each by a relative and by its full name."""
    both = f".{os.pathsep}{os.pathsep}{folder}"
    return {
        "PATH": f"{both}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": both,
        "PYTHONSTARTUP": str(folder / "startup.py"),
        "PYTHONUSERBASE": str(folder),
        "PYTHONINSPECT": "1",
        "LD_LIBRARY_PATH": both,
        "LD_AUDIT": "",
    }


@pytest.fixture
def stranger(tmp_path, marks, monkeypatch):
    """This process stands in a folder full of traps, and its variables name them."""
    folder = tmp_path / "cloned"
    folder.mkdir()
    planted(folder, marks)
    for name, value in variables_of(folder).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    return folder


BASE = os.path.realpath(sys.executable)  # outside of a virtual environment: with a user's site
CARELESS = {
    "json": [sys.executable, "-c", "import json"],
    "startup": [sys.executable, "-i"],
    "sitecustomize": [sys.executable, "-c", ""],
    "usercustomize": [BASE, "-c", ""],
    "pth": [BASE, "-c", ""],
    "init": [sys.executable, "-m", "corpus_agent"],
    "program": ["rg", "--version"],
}


@pytest.mark.parametrize("trap", CARELESS)
def test_a_program_that_is_started_without_care_runs_a_trap(tmp_path, marks, trap):
    folder = planted(tmp_path / "cloned", marks, leave_out={"encodings"})
    careless(folder, CARELESS[trap])
    assert (marks / trap).exists()


@pytest.mark.slow
def test_the_module_takes_no_name_from_where_one_stands_once_it_runs(tmp_path, marks):
    """What Python itself imports to find it can be kept out by -P alone: here `contextlib`."""
    names = {"click", "lancedb", "typing", "json", "indexer", "platformdirs"}
    for name in names | {"contextlib"}:
        (tmp_path / f"{name}.py").write_text(MARK.format(str(marks / name)))

    def sprung(*arguments, modules=str(REPOSITORY)):
        words, environment = [sys.executable, *arguments], {**os.environ, "PYTHONPATH": modules}
        done = subprocess.run(words, capture_output=True, cwd=tmp_path, env=environment)
        found = {path.name for path in marks.iterdir()}
        for path in marks.iterdir():
            path.unlink()
        return done.returncode, found

    assert sprung("-P", "-m", "corpus_agent", "--help") == (0, set())
    assert sprung("-m", "corpus_agent", "--help") == (1, {"contextlib"})
    (tmp_path / "contextlib.py").unlink()
    for modules in (f"{REPOSITORY}", f":{REPOSITORY}"):
        assert sprung("-m", "corpus_agent", "--help", modules=modules) == (0, set())
    importing = f"import {', '.join(sorted(names))}"
    assert sprung("-c", importing) == (0, names)  # the control


def careless(folder, command):
    environment = {**os.environ, **variables_of(folder), "PYTHONINSPECT": ""}
    # As a shell would find it: by the PATH of the new environment.
    subprocess.run(
        ["/usr/bin/env", *command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def a_parser(_):
    child = Child("indexer.parsers.child")
    child._running()
    assert Path(f"/proc/{child._process[0].pid}/cwd").readlink() == Path(starting.FOLDER)
    assert child.end(20) == 0


def a_search_in_files(folder):
    # ripgrep itself, and the process that confines itself and becomes it.
    found = FileTools(Workspace(folder)).grep("words")
    assert found == "notes.md:1:words"


def a_librarian(folder):
    store = folder.parent / "store"
    (folder.parent / "docs").mkdir()
    (folder.parent / "docs/a.md").write_text("# Bread\n\nSourdough rises slowly.\n")
    sync(folder.parent / "docs", store, ENCODER)
    with Librarian(store, llm="none") as librarian:
        assert Path(f"/proc/{librarian.pid}/cwd").readlink() == Path(starting.FOLDER)


def a_page_for_tesseract(_):
    program = find_tesseract()
    if program is None or not program.languages:
        pytest.skip("there is no Tesseract here (apt-get install tesseract-ocr tesseract-ocr-rus)")
    page = picture(["the rent is due"]).convert("L")
    page = Points(*page.size, GREY_BYTES, page.tobytes())
    assert program.table(page, next(iter(program.languages)))


def a_browser_of_ours(folder):
    places, own = folder.parent / "bin", folder.parent / "run"
    places.mkdir()
    own.mkdir(mode=0o700)
    said = places / "said"
    browser = places / "xdg-open"
    browser.write_text(f"#!/bin/bash -p\npwd > {said}.new; mv {said}.new {said}\n")
    browser.chmod(0o755)
    before = {name: os.environ.get(name, "") for name in ("PATH", "XDG_RUNTIME_DIR")}
    os.environ["PATH"] = before["PATH"].replace(str(folder), f"{folder}{os.pathsep}{places}")
    os.environ["XDG_RUNTIME_DIR"] = str(own)
    try:
        assert open_browser("http://127.0.0.1:1/") is None
    finally:
        os.environ.update(before)
    assert until(said.exists)
    assert said.read_text() == f"{starting.FOLDER}\n"
    wait_for_browsers()


def a_client_of_the_server_over_mcp(folder):
    # Printed for others, who start it where they stand and with the variables that they have.
    command = [*mcp.command(), "--version"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONINSPECT"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.stdout.startswith("corpus-agent, version"), done.stderr


LIVE = {
    "indexer.parsers.process:_start": a_parser,
    "indexer.confine.program:main": a_search_in_files,
    "corpus_agent.workspace.ripgrep:search": a_search_in_files,
    "corpus_agent.librarian.process:_started": a_librarian,
    "indexer.parsers.tesseract:finished": a_page_for_tesseract,
    "corpus_agent.web.listening:open_browser": a_browser_of_ours,
    "corpus_agent.mcp:command": a_client_of_the_server_over_mcp,
}
# Whose folder and variables their own tests look at: test_llama_server.py, test_opening.py.
ELSEWHERE = {"corpus_agent.models.llama_server:_become_server", "corpus_agent.service.opening:_run"}


@pytest.mark.slow
@pytest.mark.parametrize("start", dict.fromkeys(LIVE.values()), ids=lambda start: start.__name__)
def test_no_program_that_is_started_runs_a_trap_of_the_working_folder(stranger, marks, start):
    start(stranger)
    assert [path.name for path in marks.iterdir()] == []


STARTS = {"popen", "run", "become"}
OF_SUBPROCESS = {
    *("Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput")
}
OF_OS = {"system", "popen", "startfile", "posix_spawn", "posix_spawnp"}
FRAMES = "multiprocessing.connection"  # messages over a descriptor that is there; starts nothing
BY_OTHERS = {"pty", "multiprocessing", "commands", "pexpect", "sh", "plumbum"}
ANYWHERE = {
    *("create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"),
    *("open_process", "run_process", "ProcessPoolExecutor", "which"),
}


@pytest.fixture(scope="module")
def sources():
    """Each module of the program, read once; the attacks of the selftest start what they attack."""
    return [*parsed()]


def parsed():
    for package in ("corpus_agent", "indexer"):
        for path in sorted((REPOSITORY / package).rglob("*.py")):
            name = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
            yield name.removesuffix(".__init__"), ast.parse(path.read_text("utf-8"))


def spawns(tree):
    """The names of what starts programs in a module, as they are written there."""
    types = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in types:
            if _starts(ast.unparse(node.value), node.attr):
                yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield from (a.name for a in node.names if _starts(module, a.name))
            if module.partition(".")[0] in BY_OTHERS and module != FRAMES:
                yield module
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.partition(".")[0] in BY_OTHERS)
            yield from (a.name for a in node.names if a.asname and a.name in ("os", "subprocess"))


def _starts(module, name):
    if module in ("subprocess", "_posixsubprocess"):
        return name in OF_SUBPROCESS or module == "_posixsubprocess"
    if module in ("os", "posix"):
        return name in OF_OS or name.startswith(("exec", "spawn"))
    return name in ANYWHERE


@pytest.mark.slow
def test_programs_are_started_in_one_place(sources):
    found = {name: sorted(spawns(tree)) for name, tree in sources}
    ours = found.pop("indexer.confine.starting")
    assert set(ours) == {"Popen", "os.execve", "subprocess.run", "which"}
    assert {name: names for name, names in found.items() if names} == {}


OTHER_WAYS = [
    "import subprocess\nsubprocess.run(['x'])",
    "import subprocess as s\ns.run(['x'])",
    "from subprocess import check_output",
    "import os\nstart = os.posix_spawn\nstart('x', [], {})",
    "import os\nos.execvp('x', ['x'])",
    "from os import spawnl",
    "import asyncio\nasync def f():\n    await asyncio.create_subprocess_exec('x')",
    "import anyio\nanyio.run_process(['x'])",
    "from multiprocessing import Process",
    "import pty",
    "import shutil\nshutil.which('rg')",
    "from concurrent.futures import ProcessPoolExecutor",
]


def test_another_way_to_start_a_program_would_be_found():
    assert [code for code in OTHER_WAYS if not list(spawns(ast.parse(code)))] == []


@pytest.mark.slow
def test_every_start_is_tried_in_a_strangers_folder(sources):
    found = set()
    for name, tree in sources:
        if name.startswith("corpus_agent.selftest"):
            continue
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    called = isinstance(node, ast.Call) and ast.unparse(node.func)
                    if called in {f"starting.{start}" for start in STARTS}:
                        found.add(f"{name}:{function.name}")
    assert found | {"corpus_agent.mcp:command"} == set(LIVE) | ELSEWHERE


def test_a_program_of_the_working_folder_is_not_found(stranger):
    assert starting.find_program("rg") != stranger / "rg"
    assert starting.find_program(PROGRAMS[-1]) != stranger / PROGRAMS[-1]
    with pytest.raises(UsageError, match="the working folder do not count"):
        find_program()


@pytest.mark.slow
@given(st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", min_size=1, max_size=12))
def test_a_variable_that_is_not_on_the_list_is_not_handed_on(name):
    assert "PYTHONPATH" not in starting.common_variables()
    written = {*starting.LANGUAGE, *starting.THREADS, *starting.DEVICES, *starting.FOLDERS}
    with pytest.MonkeyPatch.context() as patch:
        for prefix in ("PYTHON", "LD_", "OMP_", "CUDA_", ""):
            patch.setenv(prefix + name, "x")
        told = set(starting.common_variables())
    assert told <= written | {"PATH", starting.LIBRARIES}
