"""A user without English: names, words and questions in German and Japanese."""

import json

import pytest

from tests.support.command import Cli

MIETE = (
    "# Mietvertrag\n\nDie Miete ist jeweils am dritten Werktag eines Monats fällig.\n\n"
    "Die Kündigungsfrist beträgt drei Monate zum Monatsende.\n"
)
IE = "# 家\n\n灯油は物置の左の棚に置いてある。\n\n冬の夜は水抜きをする。\n"


@pytest.mark.nightly
@pytest.mark.slow
def test_questions_and_names_in_other_languages(cli: Cli, tmp_path):
    docs = tmp_path / "Dokumente"
    docs.mkdir()
    (docs / "Übergabe – Vertrag.md").write_text(MIETE)
    (docs / "松本の家.md").write_text(IE)
    (docs / "Rezept.md").write_text("# Rezept\n\nDer Teig ruht über Nacht im Kühlschrank.\n")
    assert cli("index", "Dokumente").returncode == 0

    def first(query: str) -> tuple[str, float]:
        hits = json.loads(cli("search", query, "-k", "2", "--json").stdout)["results"]
        return hits[0]["source"], hits[0]["score"]

    assert first("Kündigungsfrist Monate")[0] == "Übergabe – Vertrag.md"
    assert first("Kündigungsfrist Monate")[1] > 0.6
    assert first("灯油はどこに置いてある")[0] == "松本の家.md"
    assert first("灯油はどこに置いてある")[1] > 0.5
    assert first("Wechselkurs Raumfahrt Giraffe")[1] < 0.2

    asked = cli(
        "ask", "Wann ist die Miete fällig?", "--llm", "none", "--path", "Dokumente/Übergabe*"
    )
    assert "dritten Werktag" in asked.stdout
    read = cli("read", "Dokumente/松本の家.md:3:1")
    assert read.stdout == "灯油は物置の左の棚に置いてある。\n"
