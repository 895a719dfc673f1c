"""A note-taker with an Obsidian vault: the index is made from elsewhere, and found again."""

import stat

import pytest

from tests.support.command import Cli

NOTES = {
    "Garden/Compost.md": "---\ntags: [garden]\n---\n# Compost\n\n"
    "Turn the heap every three weeks. ^turn\n\n"
    "Keep citrus peel out of the heap, the worms dislike it.\n",
    "Garden/Roses.md": "# Roses\n\nPrune in March, above an outward bud. See [[Compost]].\n",
    "Cellar.md": "# Cellar\n\nThe fuse of the cellar light is number 14.\n\nfuse light cellar of\n",
    "Templates/daily.md": "# {{date}}\n",
    "private/diary.md": "Dear diary.\n",
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.slow
def test_a_vault_is_indexed_asked_and_opened(cli: Cli, tmp_path):
    for name, text in NOTES.items():
        (tmp_path / "vault" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / name).write_text(text)
    (tmp_path / "vault/.obsidian").mkdir()
    (tmp_path / "vault/.obsidian/app.json").write_text("{}")
    (tmp_path / "vault/icon.png").write_bytes(b"\x89PNG\r\n\x1a\n0000")
    (tmp_path / "vault/.corpusignore").write_text("Templates/\nprivate/\n")

    made = cli("index", "vault", "--ocr", "off", "--verbose")
    assert made.returncode == 0, made.stderr
    assert "Ask with: corpus-agent ask" in made.stdout
    assert "could not be read" not in made.stdout  # an icon is nothing that could be
    assert "Garden/Roses.md" in made.stderr  # a line for each file

    ignored = cli("files", "--ignored", cwd=tmp_path / "vault/Garden").stdout
    assert "private/ ('.corpusignore:2': private/)" in ignored
    assert "of the ignored 2 by ignore files" in cli("status").stdout

    phrase = cli("search", '"fuse of the cellar light"', "-k", "2").stdout.splitlines()
    assert phrase[2].startswith("1. Cellar.md:")
    assert float(phrase[2].rpartition(" · ")[2]) >= 0.9
    nonsense = cli("search", "zebra quantum tariff of Uruguay", "-k", "1").stdout.splitlines()
    assert float(nonsense[2].rpartition(" · ")[2]) < 0.2  # .62 once stood here

    said, editor = tmp_path / "said", tmp_path / "ed"
    editor.write_text(f'#!/bin/sh\necho "$@" > {said}\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    opened = cli("open", "vault/Cellar.md:3", env={"EDITOR": str(editor), "VISUAL": ""})
    assert opened.returncode == 0, opened.stderr
    assert said.read_text() == f"+3 {tmp_path}/vault/Cellar.md\n"

    told = cli("chat", "--llm", "none", "--export", "talk.md",
               input="When should the heap be turned?\n/read 1\n")  # fmt: skip
    assert "> Turn the heap every three weeks." in told.stdout
    assert "# When should the heap be turned?" in (tmp_path / "talk.md").read_text()
    again = cli("chat", "--llm", "none", "--resume", input="/sources\n")
    assert "1. When should the heap be turned?" in again.stderr
    assert "Garden/Compost.md" in again.stdout
