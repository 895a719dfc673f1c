"""edit and write, text by text; the replacement is exact whatever the file and its line ends."""

import os
import stat

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from corpus_agent.workspace import FileTools, Proposal, Workspace
from corpus_agent.workspace.writing import replaced
from tests.support.other_user import as_nobody
from tests.support.sealed_child import run


@pytest.fixture
def tools(tmp_path):
    return FileTools(Workspace(tmp_path), confirm=lambda _: True)


def put(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def edited(tools, path, *arguments):
    """The answer of an edit of a file that was read before."""
    tools.forget_windows()
    tools.read(path)
    return tools.edit(path, *arguments)


def test_line_ends_stay_as_the_file_has_them(tmp_path, tools):
    failing = []
    for before, old, new, after in (
        ("a\r\nb\r\nc\r\n", "b\nc", "B\nx\nC", "a\r\nB\r\nx\r\nC\r\n"),
        ("a\r\nb\r\nc", "c", "c\nd", "a\r\nb\r\nc\r\nd"),
        ("a\nb\n", "a", "x\r\ny", "x\ny\nb\n"),
        ("a\r\nb\nc\r\n", "b\nc", "b", "a\r\nb\r\n"),
        ("a\rb\r\nc", "a\rb", "x\ry", "x\ry\r\nc"),
        ("\ufeffa\r\nb", "a", "x", "\ufeffx\r\nb"),
    ):
        path = put(tmp_path, "a.txt", before)
        answer = edited(tools, "a.txt", old, new)
        if path.read_bytes() != after.encode():
            failing.append((before, answer, path.read_bytes()))
    assert failing == []
    put(tmp_path, "a.txt", "a\r\nb\nc\r\n")
    assert "was not found" in edited(tools, "a.txt", "a\nb", "x")  # of several kinds: as it stands


STALE = "Error: 'a.txt' has changed since it was read (stale read). Read it again."


def test_what_changed_since_it_was_read_must_be_read_again(tmp_path, tools):
    path = put(tmp_path, "a.txt", "one\n")
    tools.read("a.txt")
    times = path.stat()
    put(tmp_path, "a.txt", "ONE\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert tools.edit("a.txt", "ONE", "two") == STALE
    assert tools.edit("a.txt", "ONE", "two") == STALE
    tools.read("a.txt")
    assert tools.edit("a.txt", "ONE", "two").startswith("Edited")


def test_mode_and_owner_stay(tmp_path, tools):
    path = put(tmp_path, "run.sh", "one\n")
    path.chmod(0o4751)
    owner = (1234, 2345) if os.getuid() == 0 else (os.getuid(), os.getgid())
    os.chown(path, *owner)
    path.chmod(0o4751)
    assert edited(tools, "run.sh", "one", "two").startswith("Edited")
    info = path.stat()
    assert stat.S_IMODE(info.st_mode) == 0o4751
    assert (info.st_uid, info.st_gid) == owner


def test_what_may_not_be_written_is_not_replaced_either(open_folder):
    path = put(open_folder, "a.txt", "one\n")
    path.chmod(0o444)
    open_folder.chmod(0o777)
    tools = FileTools(Workspace(open_folder), confirm=lambda _: True)

    def work():
        tools.read("a.txt")
        return [tools.edit("a.txt", "one", "two"), tools.write("a.txt", "two")]

    text = "Error: 'a.txt': this user has no permission. Use another path."
    assert as_nobody(work) == [text, text]
    assert path.read_bytes() == b"one\n"


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=12)
RAW = st.binary(max_size=3)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(TEXT, RAW, st.text("ab\n ", min_size=1, max_size=4), TEXT, st.text("ab\n", max_size=4))
@example("a", b"", "b\n", "", "x\n")
def test_exactly_the_stretch_is_replaced_and_nothing_else(head, raw, old, tail, new):
    for ending in ("\n", "\r\n"):
        before, stretch, after = (part.replace("\n", ending).encode() for part in (head, old, tail))
        data = before + raw + stretch + b"." + after
        assume(old != new and data.count(stretch) == 1 and b"\r" not in raw and b"\n" not in raw)
        assume(data.find(stretch, data.find(stretch) + 1) < 0)
        assume(data.count(b"\n") == data.count(b"\r\n") > 0 or ending == "\n")
        result = replaced(data, old, new, everywhere=False)
        assert result.data == data.replace(stretch, new.replace("\n", ending).encode())


@pytest.fixture
def asked():
    return []


@pytest.fixture
def careful(tmp_path, asked):
    """Tools whose person says yes to all but secrets."""

    def confirm(proposal):
        asked.append(proposal)
        return "secret" not in proposal.content

    return FileTools(Workspace(tmp_path), confirm=confirm)


def test_a_new_file_is_written_once_a_person_allowed_it(tmp_path, careful, asked):
    assert careful.write("notes/new/todo.md", "# Tö do\r\n") == (
        "Wrote 10 bytes to 'notes/new/todo.md', a new file."
    )
    assert (tmp_path / "notes/new/todo.md").read_bytes() == "# Tö do\r\n".encode()
    path = tmp_path / "notes/new/todo.md"
    assert asked == [Proposal(path, "# Tö do\r\n", replaces=False)]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_a_person_who_says_no_is_obeyed(tmp_path, careful):
    put(tmp_path, "a.txt", "old")
    for path in ("a.txt", "new/b.txt"):
        assert careful.write(path, "secret") == (
            f"Error: Writing {path!r} was not allowed. Ask what to do instead."
        )
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_nothing_is_written_where_nobody_can_be_asked(tmp_path):
    tools = FileTools(Workspace(tmp_path))
    assert [tool.name for tool in tools.tools()] == ["read", "glob", "grep", "edit"]
    assert tools.write("a.txt", "x") == (
        "Error: Nobody can be asked, so nothing is written. Use edit."
    )
    assert not list(tmp_path.iterdir())


def test_a_file_that_changes_while_the_person_thinks_is_left_alone(tmp_path):
    def confirm(proposal):
        put(tmp_path, proposal.path.name, "somebody else's")
        return True

    put(tmp_path, "old.txt", "old")
    tools = FileTools(Workspace(tmp_path), confirm=confirm)
    for name in ("old.txt", "new.txt"):
        assert tools.write(name, "mine").code == "stale_read"
        assert (tmp_path / name).read_text() == "somebody else's"


RACING = """
import sys
from pathlib import Path
from corpus_agent.workspace import FileTools, Workspace
file = Path(sys.argv[1], "a.txt")
def meanwhile(event, arguments):  # once the new file is begun, after the last look at the old one
    if event == "open" and str(arguments[0]).startswith(".corpus-agent-"):
        file.write_text("theirs")
if sys.argv[2] == "raced":
    sys.addaudithook(meanwhile)
tools = FileTools(Workspace(file.parent), confirm=lambda _: True)
tools.read("a.txt")
edited = tools.edit("a.txt", "one", "two")
print(getattr(edited, "code", "done"), getattr(tools.write("a.txt", "mine"), "code", "done"))
"""


@pytest.mark.slow
def test_what_changes_while_it_is_replaced_is_left_alone(tmp_path):
    cases = (("raced", "stale_read stale_read\n", "theirs"), ("", "done done\n", "mine"))
    for how, said, left in cases:  # the second is the control
        path = put(tmp_path, "a.txt", "one\n")
        assert (run(RACING, tmp_path, how).stdout, path.read_text()) == (said, left), how
