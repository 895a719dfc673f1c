"""Everyday edits: a watch that names what was renamed, other indexes, a broken one in the way."""

import pytest

from tests.support.command import Cli

POEM = "".join(f"Verse number {number} of the long poem.\n" for number in range(12))


@pytest.mark.slow
def test_edits_are_told_as_what_they_were(cli: Cli, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "poem.md").write_text(POEM)
    (docs / "other.md").write_text("The boiler pressure is 1.4 bar.\n")
    assert cli("index", "docs").returncode == 0

    (docs / "poem.md").rename(docs / "ode.md")
    (docs / "ode.md").write_text(POEM.replace("number 4", "the fourth"))
    (docs / "other.md").rename(docs / "boiler.md")
    done = cli("index")
    assert "1 moved, 1 renamed and changed, in" in done.stdout

    # A second index under a name of its own, within the documents.
    assert cli("-s", "docs/second", "index", "docs").returncode == 0
    again = cli("index").stdout
    assert "2 documents, " in again and "nothing changed" in again
    assert cli("files", "--ignored").stdout == "second/ (an index of corpus-agent)\n"

    (docs / "below/.corpus-agent").mkdir(parents=True)  # of a run that was killed at once
    status = cli("status", cwd=docs / "below")
    assert status.returncode == 0
    assert f"Note: {docs}/below/.corpus-agent holds no index and is passed over." in status.stderr
