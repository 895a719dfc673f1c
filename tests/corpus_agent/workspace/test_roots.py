"""Nothing outside of the roots is read, listed or written, whatever the path and whoever races."""

import json
import os
import subprocess

import pytest

from corpus_agent.workspace import Workspace
from corpus_agent.workspace.roots import open_place
from indexer.errors import Refused
from tests.support.sealed_child import run

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


# Does each work again and again, each time with the folder a link to outside from its n-th look at
# the disk on, and says of each what it answered, and what the file outside holds then.
MEANWHILE = """
import json, sys
from pathlib import Path
from corpus_agent.workspace import FileTools, Workspace
root, outside = Path(sys.argv[1]), Path(sys.argv[2])
sub, file = root / "sub", root / "sub/file.txt"
tools = FileTools(Workspace(root), confirm=lambda _: True)
left = 0
def look(event, arguments):
    global left
    if left and event in ("open", "os.mkdir", "os.rename", "os.remove"):
        left -= 1
        if not left:
            sub.rename(root / "away")
            sub.symlink_to(outside)
def careful():  # as many a program: it looks first, and opens then
    return file if file.resolve().is_relative_to(root) else root / "none"
works = {
    "read": lambda: tools.read("sub/file.txt"),
    "edit": lambda: tools.edit("sub/file.txt", "inside", "within"),
    "write": lambda: tools.write("sub/file.txt", "mine"),
    "make": lambda: tools.write("sub/new/file.txt", "mine"),
    "careless read": lambda: careful().read_text(),
    "careless write": lambda: str(careful().write_text("mine")),
}
sys.addaudithook(look)
for name, work in works.items():
    for number in range(1, 100):
        file.write_text("inside")
        (outside / "file.txt").write_text("canary")
        tools.forget_windows()
        tools.read("sub/file.txt")
        left = number
        answer, swapped, left = work(), not left, 0
        there = sorted(path.name for path in outside.iterdir())
        print(json.dumps([name, swapped, answer, there, (outside / "file.txt").read_text()]))
        if not swapped:
            break
        sub.unlink()
        (root / "away").rename(sub)
        (sub / "new/file.txt").unlink(missing_ok=True)
"""


@pytest.mark.slow
def test_a_folder_that_becomes_a_link_at_any_moment_is_neither_read_nor_written_through(
    root, outside
):
    done = run(MEANWHILE, root, outside / "sub").stdout.splitlines()
    found = {}
    for name, swapped, answer, there, holds in map(json.loads, done):
        led = "canary" in answer or (there, holds) != (["file.txt"], "canary")
        found.setdefault(name, []).append((swapped, led, answer.startswith("Error:")))
    careless = [name for name, moments in found.items() if any(led for _, led, _ in moments)]
    assert careless == ["careless read", "careless write"]  # the control
    for name in ("read", "edit", "write", "make"):
        *moments, last = found[name]
        assert len(moments) >= 3 and last == (False, False, False), name
        assert {failed for _, _, failed in moments} == {False, True}, name


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
