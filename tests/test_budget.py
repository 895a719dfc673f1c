"""The budget of the house is read, counted and lowered as it is written."""

from tests.support import house

PROJECT = """
[tool.house]
"code" = { paths = ["code"], lines = [9, 2], modules = [3, 1] }
"beside" = { paths = ["code/*.py"], lines = [9, 2] }
"pages" = { paths = ["docs", "README.md"], words = [2, 1] }
"""


def test_rooms_are_counted_by_lines_modules_and_words(tmp_path):
    (tmp_path / "code/inner").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    for name, text in {
        "code/a.py": "1\n2\n",
        "code/inner/b.py": "3\n",
        "code/notes.md": "not counted\n",
        "docs/page.md": "two words",
        "README.md": "and three more",
    }.items():
        (tmp_path / name).write_text(text)
    sizes = {(room.name, room.unit): house.size(room, tmp_path) for room in house.rooms(PROJECT)}
    assert sizes == {
        ("code", "lines"): 3,
        ("code", "modules"): 2,
        ("beside", "lines"): 2,
        ("pages", "words"): 5,
    }
    lower = {
        (room.name, room.unit): room.ceiling for room in house.rooms(house.lowered(PROJECT, sizes))
    }
    assert lower == {**sizes, ("pages", "words"): 2}  # over its ceiling: that stays


def test_every_line_of_the_program_is_in_a_room_with_a_budget():
    every = house.rooms(house.PROJECT.read_text("utf-8"))
    lines = {room.name: house.size(room, house.ROOT) for room in every if room.unit == "lines"}
    parts = [room for room in every if room.unit == "lines" and "/" in room.paths[0]]
    for package in ("indexer", "corpus_agent"):
        counted = sum(lines[room.name] for room in parts if room.paths[0].startswith(f"{package}/"))
        faces = [*(house.ROOT / package).glob("__*__.py")] if package == "corpus_agent" else []
        assert counted + sum(p.read_text().count("\n") for p in faces) == lines[package]
