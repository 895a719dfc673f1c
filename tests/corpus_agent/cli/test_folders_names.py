"""Folders whose names read as the program's own words, or as another name: shown as names."""

import re
import subprocess
from functools import partial
from pathlib import Path

import pytest

from tests.support.command import Cli

pytestmark = pytest.mark.slow

QUOTED = re.compile(r"""'[^'\n]*'|"[^"\n]*\"""")
# A reader could take these for the program's words, a terminal the second one for an order.
HOSTILE = ["notes, version 9 of 2030", "a\u202eb  (MISSING)"]


def said(done) -> str:
    return done.stdout + done.stderr


@pytest.mark.nightly
def test_a_folders_name_is_shown_as_a_name_by_each_command_about_indexes(cli: Cli, tmp_path: Path):
    cli = partial(cli, env={"XDG_STATE_HOME": str(tmp_path / "state")})  # no index of others
    (tmp_path / "own").mkdir()
    plain = tmp_path / "own" / "notes"
    for folder in (plain, *(tmp_path / name for name in HOSTILE)):
        folder.mkdir()
        (folder / "a.md").write_text("# Rent\n\nThe rent is due.\n")
        made = cli("index", ".", cwd=folder)
        (folder / ".corpus-agent").chmod(0o750)
        shown = [said(made), said(cli("stores"))]
        shown += [
            said(cli(*words, cwd=folder))
            for words in (
                ("status",),
                ("doctor", "-v"),
                ("history",),
                ("trust", ".corpus-agent", "--dry-run"),
                ("forget", "a.md"),
            )
        ]
        for text in shown:
            assert "\u202e" not in text
            assert not re.search(r"\(MISSING\)|version 9", QUOTED.sub("", text)), text
        if folder == plain:  # the control: nothing is in the way of a name that cannot be mistaken
            assert f"corpus   {folder}\n" in shown[2]
            assert f"{folder}\n" in shown[1]
            assert f"corpus          {folder}\n" in shown[3]
        elif folder.name.isascii():
            assert f"corpus   '{folder}'\n" in shown[2]


def test_what_mends_permissions_names_the_folder_to_a_shell(cli: Cli, tmp_path: Path):
    folder = tmp_path / "it's $(touch taken)"
    folder.mkdir()
    (folder / "a.md").write_text("The rent is due.\n")
    cli("index", ".", cwd=folder)
    (folder / ".corpus-agent").chmod(0o750)
    [line] = [line for line in said(cli("doctor", cwd=folder)).splitlines() if "chmod" in line]
    command = line.partition("-> ")[2].removeprefix("chmod 700")
    done = subprocess.run(
        ["/bin/sh", "-c", f"printf %s {command}"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == str(folder / ".corpus-agent")
    assert not (tmp_path / "taken").exists()
