"""Which files are documents; ignore files, which belong to whoever made the folder."""

import hashlib
import os
import socket
import stat
import time
import unicodedata
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from indexer.errors import CorpusError, Refused
from indexer.files.ignore import (
    MAX_IGNORE_BYTES,
    MAX_IGNORE_LINES,
    MAX_PATTERN_CHARS,
    deciding,
    rules_in,
)
from indexer.files.opening import hash_beneath, open_beneath
from indexer.files.walk import Excluded, excluded, walk
from tests.support.other_user import as_nobody


def make(root: Path, *names: str, text: str = "words") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def sources(root: Path) -> list[str]:
    return [seen.source for seen in walk(root).files if seen.problem is None]


def problems(root: Path) -> dict[str, str]:
    return {seen.source: seen.problem for seen in walk(root).files if seen.problem}


def test_plain_files_are_documents_and_dot_files_litter_and_denied_folders_are_not(tmp_path):
    make(tmp_path, "a.md", "b/c.txt", ".hidden", ".git/config", "node_modules/x.js")
    make(tmp_path, "b/~$c.docx", "b/c.txt~", "b/.env", "venv/lib.py", "b/__pycache__/c.pyc")
    result = walk(tmp_path)
    assert [seen.source for seen in result.files] == ["a.md", "b/c.txt"]
    assert result.ignored == 8


def test_ignore_files_are_honoured_with_negation_and_nesting(tmp_path):
    make(tmp_path, "keep.log", "drop.log", "sub/drop.log", "sub/special.log", "build/x.txt")
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\nbuild/\n")
    (tmp_path / "sub/.gitignore").write_text("!special.log\n")
    assert sources(tmp_path) == ["keep.log", "sub/special.log"]
    # Our own has the last word.
    (tmp_path / ".corpusignore").write_text("!/drop.log\nkeep.log\n")
    assert sources(tmp_path) == ["drop.log", "sub/special.log"]


def test_links_special_files_keys_and_large_files_are_listed_with_a_reason(tmp_path):
    make(tmp_path, "real.txt", "id_rsa", "server.pem")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    (tmp_path / "big.txt").write_bytes(b"x" * 101)
    (tmp_path / "fits.txt").write_bytes(b"x" * 100)
    found = {seen.source: seen.problem for seen in walk(tmp_path, max_bytes=100).files}
    assert found == {
        "real.txt": None,
        "fits.txt": None,
        "id_rsa": "secret",
        "server.pem": None,  # its bytes decide
        "link.txt": "symlink",
        "loop": "symlink",
        "pipe": "special",
        "socket": "special",
        "big.txt": "too_large",
    }


def test_a_device_is_never_opened(tmp_path):
    try:
        os.mknod(tmp_path / "zeros", stat.S_IFCHR | 0o666, os.makedev(1, 5))  # endless if read
    except PermissionError:
        pytest.skip("this process may not make device nodes")
    assert problems(tmp_path) == {"zeros": "special"}
    with pytest.raises(Refused, match="no longer a regular file"):
        open_beneath(tmp_path, "zeros")


def test_names_become_nfc_and_names_that_collide_or_are_not_text_are_listed(tmp_path):
    composed, decomposed = unicodedata.normalize("NFC", "é.txt"), "e\u0301.txt"
    make(tmp_path, decomposed)
    assert sources(tmp_path) == [composed]
    assert hash_beneath(tmp_path, composed) == hashlib.sha256(b"words").hexdigest()
    make(tmp_path, composed)
    assert len(sources(tmp_path)) == 1
    assert list(problems(tmp_path).values()) == ["name"]


def test_an_unreadable_folder_is_listed_and_the_rest_is_walked(open_folder):
    make(open_folder, "a.txt", "private/b.txt")
    (open_folder / "private").chmod(0)
    seen = as_nobody(lambda: [(s.source, s.problem) for s in walk(open_folder).files])
    (open_folder / "private").chmod(0o755)
    assert seen == [["a.txt", None], ["private/", "permission"]]
    assert sources(open_folder) == ["a.txt", "private/b.txt"]  # the control: with permission


def test_nothing_above_the_root_can_be_named(tmp_path):
    make(tmp_path, "secret", "root/a/b")
    for source in ("../secret", "/etc/passwd", "a/../../secret", "", ".", "a//b", "a\0b"):
        with pytest.raises(Refused, match="is not a path below the corpus root"):
            open_beneath(tmp_path / "root", source)


def test_a_link_anywhere_on_the_way_is_refused_and_a_plain_way_is_not(tmp_path):
    make(tmp_path, "outside/x.txt", "root/sub/x.txt")
    os.close(open_beneath(tmp_path / "root", "sub/x.txt"))  # the control
    (tmp_path / "root/linked").symlink_to(tmp_path / "outside")
    (tmp_path / "root/y.txt").symlink_to(tmp_path / "outside/x.txt")
    for source in ("linked/x.txt", "y.txt"):
        with pytest.raises(Refused, match="symbolic link"):
            open_beneath(tmp_path / "root", source)


def test_a_folder_or_a_pipe_in_the_place_of_a_file_is_refused_at_once(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for source in ("folder", "pipe"):
        with pytest.raises(Refused, match="no longer a regular file"):
            open_beneath(tmp_path, source)


CLOSED = (
    *(".ssh/id_rsa", "id_rsa", "ID_RSA", "sub/Server.P12", ".env", "a/.git/config", "a.kdbx"),
    *("node_modules/x.md", "venv/x.py", "~$report.docx"),
)


def test_keys_and_hidden_files_are_not_opened_whatever_an_index_says(tmp_path):
    make(tmp_path, *CLOSED, "sub/plain.txt")
    os.close(open_beneath(tmp_path, "sub/plain.txt"))  # the control
    for source in CLOSED:
        with pytest.raises(Refused, match="is never read"):
            open_beneath(tmp_path, source)
    assert sources(tmp_path) == ["sub/plain.txt"]


def test_what_a_rule_keeps_out_is_named_with_the_line_that_does(tmp_path):
    make(tmp_path, "keep.md", "a.txt", "sub/b.txt", "sub/kept.txt", "sub/build/x.md", ".hidden")
    (tmp_path / ".gitignore").write_text("# notes\n*.txt\n")
    (tmp_path / "sub" / ".corpusignore").write_text("!kept.txt\nbuild/\n")
    assert excluded(tmp_path) == [
        Excluded(".gitignore"),
        Excluded(".hidden"),
        Excluded("a.txt", ".gitignore:2", "*.txt"),
        Excluded("sub/.corpusignore"),
        Excluded("sub/b.txt", ".gitignore:2", "*.txt"),
        Excluded("sub/build/", "sub/.corpusignore:2", "build/"),
    ]
    assert [seen.source for seen in walk(tmp_path).files] == ["keep.md", "sub/kept.txt"]


def test_an_index_under_a_name_of_its_own_is_passed_over_as_one(tmp_path):
    make(tmp_path, "a/idx/corpus-agent.store", "a/idx/manifest.json", "a/idx/b.md")
    (tmp_path / "a/idx/.gitignore").write_text("*\n")
    assert excluded(tmp_path) == [Excluded("a/idx/", rule="an index of corpus-agent")]
    assert walk(tmp_path).kept_out == []
    # Its marker alone hides nothing: whoever may write it could not keep documents out by it.
    (tmp_path / "a/idx/.gitignore").unlink()
    assert {seen.source for seen in walk(tmp_path).files} == {
        "a/idx/b.md", "a/idx/corpus-agent.store", "a/idx/manifest.json"
    }  # fmt: skip


PATTERNS = [
    ["*.txt", "!keep.txt"],
    ["/a/b/", "a/**/c"],
    ["**/deep", "build/", "!build/keep"],
    ["[!a-c]?x", r"\#x", r"trailing\ ", "*.p[yo]"],
    ["*", "!*/", "!*.md"],
    ["foo/**", "!foo/bar"],
    ["# comment", "", "   ", "é*.md"],
]
PATHS = [
    *("a.txt", "keep.txt", "a/b/", "a/b", "a/x/y/c", "a/c", "deep", "x/deep", "x/deep/", "build/"),
    *("build/keep", "dxx", "axx", "#x", "trailing ", "m.py", "m.pyc", "foo/", "foo/bar", "x.md"),
    *("x/y.md", "été.md", "bad\udcff.txt", "new\nline.txt"),
]


# By git check-ignore: pathspec's verdicts are of files, and git enters these folders.
OF_FOLDERS = {
    "*": dict.fromkeys(("a/b/", "x/deep/", "build/", "foo/"), False),
    "foo/**": {"foo/": None},
}


def rules(folder: Path, text: str | bytes):
    (folder / ".gitignore").write_bytes(text.encode() if isinstance(text, str) else text)
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return rules_in(opened, str(folder))
    finally:
        os.close(opened)


def test_the_verdicts_are_those_of_pathspec(tmp_path):
    for patterns in PATTERNS:
        ours = rules(tmp_path, "\n".join(patterns))
        theirs = GitIgnoreSpec.from_lines(patterns, backend="simple")
        for path in PATHS:
            rule = deciding(ours, path)
            known = OF_FOLDERS.get(patterns[0], {})
            wanted = known[path] if path in known else theirs.check_file(path).include
            assert (rule and rule.excludes) == wanted, (patterns, path)


def test_a_pattern_without_end_ends(tmp_path):
    evil = ["*a" * 60 + "b", "**/" * 40 + "*a" * 40 + "b", "[a-z]*" * 300 + "!"]
    ours = rules(tmp_path, "\n".join(evil))
    started = time.process_time()
    assert deciding(ours, "a" * 250) is None
    assert deciding(ours, "/".join(["a" * 250] * 15)) is None
    assert time.process_time() - started < 10  # the control does not end: 2**40 ways


def test_an_ignore_file_that_is_no_file_stops_the_walk_and_hangs_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    path = tmp_path / ".corpusignore"
    ways = [lambda: os.mkfifo(path)]
    ways += [lambda to=to: path.symlink_to(to) for to in ("a.txt", "none", "/dev/zero")]
    for make in ways:
        make()
        with pytest.raises(CorpusError, match=r"cannot be used: it is (a link|not a)"):
            walk(tmp_path)
        path.unlink()


def test_limits_hold_at_the_limit_and_past_it(tmp_path):
    for at, past, why in (
        (b"x" * 4_000 + b"\n", b"#" * (MAX_IGNORE_BYTES + 1), "1,048,576 bytes"),
        (b"x\n" * MAX_IGNORE_LINES, b"x\n" * (MAX_IGNORE_LINES + 1), "10,001 lines"),
        (b"x" * MAX_PATTERN_CHARS, b"x" * (MAX_PATTERN_CHARS + 1), "line 1 has more than 4,096"),
    ):
        assert rules(tmp_path, at)
        with pytest.raises(CorpusError, match=why):
            rules(tmp_path, past)
