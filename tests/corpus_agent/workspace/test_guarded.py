"""Files that programs run or obey on sight: nobody changes one before a person said yes to it."""

import subprocess

import pytest

from corpus_agent.workspace import FileTools, Proposal, Workspace
from corpus_agent.workspace.roots import belongs_to_git, guards

PATHS = {
    guard.why: [
        pattern.replace("*", "x") + ("file" if pattern.endswith("/") else "")
        for pattern in guard.patterns
    ]
    for guard in guards()
}
EXAMPLES = {path: why for why, paths in PATHS.items() for path in paths}
# The same file to a file system that makes less of a difference.
DISGUISES = {
    "capitals": str.upper,
    "full width": lambda path: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and c != "/" else c
                                       for c in path),
    "invisible": lambda path: path[0] + "\u200d" + path[1:],
    "dots behind": lambda path: path.replace("/", "./") + ". .",
    "a stream": lambda path: path + "::$DATA",
}  # fmt: skip


@pytest.fixture
def asked():
    return []


def whose_person_says_no(folder, asked):
    """Tools whose person says no, and what that person was asked."""

    def confirm(proposal):
        asked.append(proposal)
        return False

    return FileTools(Workspace(folder), confirm=confirm)


@pytest.fixture
def careful(tmp_path, asked):
    return whose_person_says_no(tmp_path, asked)


def everything(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("why", PATHS)
def test_a_file_that_is_run_on_sight_is_asked_for_with_the_reason(tmp_path, careful, asked, why):
    for path in (below + path for path in PATHS[why] for below in ("", "deep/down/")):
        answer = careful.write(path, "content")
        assert answer == f"Error: Writing {path!r} was not allowed. Ask what to do instead."
        assert asked == [Proposal(tmp_path / path, "content", replaces=False, why=why)]
        assert str(asked.pop()) == f"make {str(tmp_path / path)!r}: {why}"
        assert everything(tmp_path) == []


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("path", [".envrc", ".git/config", "conftest.py"])
def test_no_spelling_hides_such_a_file(tmp_path, careful, asked, path, disguise):
    answer = careful.write(DISGUISES[disguise](path), "content")
    if path.startswith(".git/"):
        assert "belongs to git" in answer
    else:
        assert [proposal.why for proposal in asked] == [EXAMPLES[path]]


@pytest.mark.parametrize(
    "path",
    [
        "notes.md", "src/hooks/useCart.ts", "Makefile", "Dockerfile", "run.sh", "src/main.rs",
        "tests/test_a.py", "environment.txt", "docs/profile.md", "settings.json", "HEAD.txt",
        "git/notes.md", "agents/notes.md", "refs/a.md", "objects/a.md", "HEAD",
    ],
)  # fmt: skip
def test_an_ordinary_file_is_edited_without_a_question(tmp_path, path):
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("old words")
    file.chmod(0o755)  # executable or not: it runs when somebody types its name
    tools = FileTools(Workspace(tmp_path))
    tools.read(path)
    assert tools.edit(path, "old", "new").startswith("Edited")


def bare(folder, leave_out=""):
    """A bare repository as git makes it, or what is almost one."""
    subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
    for name in ("HEAD", "objects", "refs"):
        if name == leave_out:
            (folder / name).rename(folder.parent / f"away-{name}")
    return folder


@pytest.mark.parametrize("path", ["config", "hooks/post-checkout", "info/attributes", "new/deep/x"])
@pytest.mark.parametrize("depth", ["", "a/b/"])
def test_nothing_in_a_bare_repository_is_written_unasked(tmp_path, asked, careful, depth, path):
    bare(tmp_path / f"{depth}innocent")
    careful.write(f"{depth}innocent/{path}", "content")
    assert [bool(proposal.why) for proposal in asked] == [True]
    if path == "config":
        careful.read(f"{depth}innocent/config")
        assert "not allowed" in careful.edit(f"{depth}innocent/config", "bare", "rare")
        assert len(asked) == 2


@pytest.mark.parametrize("path", [".git", "sub/.git", "GIT~1/config", ".git./hooks/x", ".Git "])
def test_links_to_a_repository_and_other_spellings_belong_to_git(tmp_path, careful, asked, path):
    assert belongs_to_git(tmp_path / path)
    assert "belongs to git" in careful.write(path, "gitdir: elsewhere\n")
    assert asked == []
