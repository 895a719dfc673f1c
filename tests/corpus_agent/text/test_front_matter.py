"""Front matter is properties: no prose, one unit each; a ruler above prose is none."""

from corpus_agent.text.sentences import front_matter, units

PROSE = "The pear tree blossoms in April. It is old."


def said(text: str) -> list[tuple[str, str]]:
    return [(unit.kind, text[unit.start : unit.end]) for unit in units(text)]


def test_each_property_is_one_unit_and_the_prose_behind_is_cut_as_ever():
    for text, wanted in {
        "---\ntitle: Pears\nauthor: Ida Kolb\n---\n": ["title: Pears", "author: Ida Kolb"],
        "---\ntags:\n  - tree\n  - fruit\ndate: 2024-05-02\n...\n": [
            "tags:\n  - tree\n  - fruit",
            "date: 2024-05-02",
        ],
        "+++\ntitle = 'Birnen'\ndate = 2024-05-02\n+++\n": [
            "title = 'Birnen'",
            "date = 2024-05-02",
        ],
        "#+TITLE: Poires\n#+DATE: <2024-05-02>\n": ["#+TITLE: Poires", "#+DATE: <2024-05-02>"],
        "---\n# a comment\ndue date: 3 May\nsummary: >\n  Two\n  lines.\n---\n": [
            "due date: 3 May",
            "summary: >\n  Two\n  lines.",
        ],
    }.items():
        found = said(text + PROSE)
        assert [piece for kind, piece in found if kind == "property"] == wanted
        assert found[-2:] == [("text", "The pear tree blossoms in April."), ("text", "It is old.")]


def test_rulers_around_prose_and_labels_below_the_top_are_no_front_matter():
    for text in (
        f"---\n{PROSE}\n---\nMore.",
        "---\nNote: the tree\nand then prose\n---\n",
        "---\n\n---\nText.",
        "---",
        "",
        f"{PROSE}\n\n---\ntitle: Pears\n---\n",
        f"---\ntitle: {PROSE}\n",  # never closed
    ):
        assert front_matter(text) == ([], 0), text
