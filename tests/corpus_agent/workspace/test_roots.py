"""Nothing outside of the roots is read, listed or written, whatever the path and whoever races."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import pytest

from corpus_agent.workspace import FileTools, Workspace
from corpus_agent.workspace.roots import open_place
from indexer.errors import Refused

CANARY = "canary 7b1e"


@pytest.fixture
def outside(tmp_path):
    """A folder beside the workspace, with something to find in it."""
    folder = tmp_path / "outside"
    (folder / "sub").mkdir(parents=True)
    (folder / "secret.txt").write_text(CANARY)
    (folder / "sub/file.txt").write_text(CANARY)
    return folder


@pytest.fixture
def root(tmp_path, outside):
    folder = tmp_path / "root"
    (folder / "sub/deep").mkdir(parents=True)
    (folder / "a.txt").write_text("inside")
    (folder / "sub/file.txt").write_text("inside")
    (folder / "out").symlink_to(outside)
    (folder / "out.txt").symlink_to(outside / "secret.txt")
    (folder / "sub/up").symlink_to("../..")
    (folder / "in.txt").symlink_to("sub/file.txt")
    (folder / "in").symlink_to("sub")
    (folder / "loop").symlink_to("loop")
    (folder / "gone").symlink_to("nowhere/at/all")
    (folder / "to-new").symlink_to(outside / "new.txt")
    return folder


def contents(folder):
    """Every name below a folder, with what it holds."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def refusal(work, *arguments):
    with pytest.raises(Refused) as caught:
        work(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("a.txt", "a.txt"),
        ("./sub//file.txt", "sub/file.txt"),
        ("sub/../a.txt", "a.txt"),
        ("in.txt", "sub/file.txt"),
        ("in/file.txt", "sub/file.txt"),
        ("sub/up/root/a.txt", "a.txt"),
        ("in/../a.txt", "a.txt"),
        ("no/such/file", "no/such/file"),
        ("gone", "nowhere/at/all"),
        (".", "."),
        ("~/a.txt", "~/a.txt"),
    ],
)
def test_a_path_leads_where_its_links_lead_if_that_is_inside(root, path, leads):
    place = Workspace(root).for_reading(path)
    assert (place.shown, place.path) == (leads, root / leads)


@pytest.mark.parametrize(
    "path",
    [
        *("..", "../outside/secret.txt", "out/secret.txt", "out.txt", "sub/up/outside"),
        *("sub/../../outside/secret.txt", "in/../../outside", "no/../../outside", "to-new"),
        *("/etc/passwd", "/", "//etc/passwd"),
    ],
)
def test_what_leaves_the_roots_is_refused_for_reading_and_writing(root, path):
    workspace = Workspace(root)
    text = f"{path!r} is outside of the workspace. Use a path below {str(root)!r}."
    assert refusal(workspace.for_reading, path) == text
    assert refusal(workspace.for_writing, path) == text


@pytest.mark.parametrize(
    ("path", "leads"), [("in.txt", "sub/file.txt"), ("in/new.txt", "sub/new.txt")]
)
def test_a_link_is_not_written_through_though_it_stays_inside(root, path, leads):
    assert refusal(Workspace(root).for_writing, path) == (
        f"{path!r} leads over a symbolic link to {leads!r}. "
        "Links are not written through: use that path."
    )
    assert Workspace(root).for_writing(leads).path == root / leads


def test_readable_roots_are_read_and_writable_ones_written(root, outside, tmp_path):
    workspace = Workspace(root, readable=[outside])
    assert workspace.for_reading("out.txt").shown == str(outside / "secret.txt")
    path = str(outside / "secret.txt")
    assert refusal(workspace.for_writing, path) == (
        f"{path!r} may be read and not written. Write below {str(root)!r}."
    )
    workspace = Workspace(root, writable=[outside])
    assert workspace.for_writing(str(outside / "new.txt")).path == outside / "new.txt"


def test_a_root_that_was_replaced_is_not_opened(root, outside, tmp_path):
    place = Workspace(root).for_reading("sub/file.txt")
    os.close(open_place(place))
    root.rename(tmp_path / "away")
    root.symlink_to(outside)
    with pytest.raises(OSError, match="Not a directory"):
        open_place(place)
    root.unlink()
    outside.rename(root)
    assert (root / "sub/file.txt").read_text() == CANARY
    assert refusal(open_place, place) == f"The folder {str(root)!r} was replaced by another one."


SWAPPER = """
import ctypes, os, sys
os.chdir(sys.argv[1])
swap = ctypes.CDLL(None, use_errno=True).renameat2
HERE, EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h: both names change places at once
print("ready", flush=True)
while os.getppid() == int(sys.argv[2]):
    if swap(HERE, b"sub", HERE, b"link", EXCHANGE):
        sys.exit(os.strerror(ctypes.get_errno()))
"""


@contextmanager
def swapping(root, target):
    """`sub` is a folder and a link to `target` in turns, as fast as a process can do it."""
    (root / "link").symlink_to(target)
    command = [sys.executable, "-c", SWAPPER, str(root), str(os.getpid())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        try:
            yield
            assert process.poll() is None, "nothing is swapped any more"
        finally:
            process.kill()


def looked_at(root, path):
    """The path, for a program that looks first and opens then, as many do."""
    with suppress(OSError):
        if (root / path).resolve().is_relative_to(root):
            return root / path
    return None


def until(done, work, seconds=60):
    """Whether `done` within the time, `work` being done again and again."""
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        with suppress(OSError):
            work()
    return done()


@pytest.mark.slow
def test_a_folder_that_is_swapped_for_a_link_meanwhile_is_never_read_through(root, outside):
    tools = FileTools(Workspace(root))
    plain = []
    with swapping(root, outside / "sub"):
        answers = []
        for _ in range(3_000):
            tools.forget_windows()
            answers.append(tools.read("sub/file.txt"))
        assert until(
            lambda: CANARY in plain,
            lambda: (path := looked_at(root, "sub/file.txt")) and plain.append(path.read_text()),
        ), "the race is none: nobody wins it"
    assert not [answer for answer in answers if CANARY in answer]
    assert "     1\tinside" in answers
    assert [answer for answer in answers if answer.startswith("Error:")]


@pytest.mark.slow
def test_a_folder_that_is_swapped_for_a_link_meanwhile_is_never_written_through(root, outside):
    before = contents(outside)
    tools = FileTools(Workspace(root), confirm=lambda _: True)
    done = 0
    with swapping(root, outside / "sub"):
        for number in range(1_500):
            done += tools.write("sub/file.txt", f"inside {number}").startswith("Wrote")
            done += tools.write(f"sub/new/{number}.txt", "inside").startswith("Wrote")
            tools.read("sub/file.txt")
            done += tools.edit("sub/file.txt", "inside", "within").startswith("Edited")
        assert contents(outside) == before
        assert done > 10
        assert until(
            lambda: contents(outside) != before,
            lambda: (path := looked_at(root, "sub/file.txt")) and path.write_text("escaped"),
        ), "the race is none: nobody wins it"


def test_a_search_that_follows_links_still_sees_nothing_outside(root, outside):
    from corpus_agent.workspace import search
    from corpus_agent.workspace.ripgrep import find_ripgrep

    ripgrep = find_ripgrep()
    follow = ["--follow", "--", "canary|inside", "./"]
    with (
        search.opened(Workspace(root).for_reading(".")) as where,
        ripgrep.search(where.descriptor, where.root, follow) as search,
    ):
        output = search.output.read().decode()
    assert "inside" in output and CANARY not in output
    plain = subprocess.run([ripgrep.program, *follow], cwd=root, capture_output=True, text=True)
    assert CANARY in plain.stdout
