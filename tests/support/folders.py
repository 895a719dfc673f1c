"""Seeded folders of documents, and what people do to them; for tests and benchmarks."""

from pathlib import Path
from random import Random

SYLLABLES = (
    *("ba", "de", "fi", "go", "lu", "ma", "ne", "pi", "ro", "su", "ta", "ve", "wi", "xo", "zu"),
    *("kar", "mel", "nor", "pon", "sil"),
)
FOLDERS = ("", "home", "home/garden", "work", "work/kestrel/2025", "letters")


def paragraph(random: Random, words: int = 60) -> str:
    """Sentences of made-up words, some of which come often."""
    count = max(1, words)
    made = [
        "".join(random.choices(SYLLABLES, k=min(4, 1 + int(random.expovariate(0.9)))))
        for _ in range(count)
    ]
    return " ".join(made).capitalize() + ".\n\n"


def make_folder(root: Path, files: int, random: Random, paragraphs: int = 6) -> None:
    """`files` documents of a few paragraphs each, every fiftieth twenty times as long."""
    for number in range(files):
        suffix = random.choice((".txt", ".md"))
        path = root / random.choice(FOLDERS) / f"note {number:05}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        length = random.randint(1, 2 * paragraphs) * (20 if number % 50 == 7 else 1)
        title = f"# Note {number}\n\n" if suffix == ".md" else ""
        path.write_text(title + "".join(paragraph(random) for _ in range(length)))


def change_folder(root: Path, share: float, random: Random) -> None:
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    for path in random.sample(paths, int(share * len(paths))):
        folder = root / random.choice(FOLDERS)
        folder.mkdir(parents=True, exist_ok=True)
        kind = random.choice(("edit", "edit", "append", "move", "copy", "remove", "add"))
        if kind == "edit":
            parts = path.read_text().split("\n\n")
            random.shuffle(parts)
            path.write_text("\n\n".join(parts) + paragraph(random))
        elif kind == "append":
            with path.open("a") as file:
                file.write(paragraph(random))
        elif kind == "move":
            path.rename(folder / f"moved {random.getrandbits(32):08x}{path.suffix}")
        elif kind == "copy":
            (folder / f"copy {random.getrandbits(32):08x}.txt").write_bytes(path.read_bytes())
        elif kind == "remove":
            path.unlink()
        else:
            new = folder / f"new {random.getrandbits(32):08x}.txt"
            new.write_text("".join(paragraph(random) for _ in range(random.randint(1, 9))))
