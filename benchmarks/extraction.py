"""What the extractors find in other people's test documents, beside MarkItDown and Kreuzberg.

Strings that the documents' own tests ask for, as often as listed; white space is of one kind and
letters of one case for the comparison, which reproduces the peers' figures in the data. "plain"
compares without Markdown's signs: a peer's strings ask for that peer's mark-up. Most strings that
should not be there belong to a test of an option that leaves out what another test of the same file
asks for; "never asked for" counts the others. Then how many files are read, and why others are not.

    python benchmarks/extraction.py [--missed]
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from common import data, print_table, read_jsonl

from indexer.errors import UnreadableDocument
from indexer.extract import open_document

Engine = Callable[[Path], str]
_MARKUP = re.compile(r"\]\([^)\s]*(?: \"[^\"]*\")?\)|[][*_#|>`~\\!]|^\s*-\s|-{3}", re.MULTILINE)


def ours(path: Path) -> str:
    """The text that `read` gives; "" where there is none."""
    try:
        return "\n".join(line.text for line in open_document(path.read_bytes(), path.name).lines)
    except UnreadableDocument:
        return ""


def peers() -> dict[str, Engine]:
    """The peers that are installed."""
    found: dict[str, Engine] = {}
    with suppress(ImportError):
        from markitdown import MarkItDown

        converter = MarkItDown()
        found["MarkItDown"] = lambda path: str(converter.convert(str(path)).markdown)
    with suppress(ImportError):
        import kreuzberg

        config = kreuzberg.ExtractionConfig(use_cache=False)
        found["Kreuzberg"] = lambda path: str(
            kreuzberg.extract_file_sync(str(path), config=config).content
        )
    return found


def text_by(engine: Engine, path: Path) -> str:
    """What an engine reads; "" where it fails, in whatever way."""
    try:
        return engine(path)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a peer may raise anything, Rust panics included
        return ""


def spaced(text: str) -> str:
    return " ".join(text.split()).casefold()


def plain(text: str) -> str:
    return spaced(_MARKUP.sub(" ", text)).replace(" ", "")


def strings(folder: str, engines: dict[str, Engine], show: bool) -> Iterator[tuple[object, ...]]:
    """Rows of the table of strings."""
    root = data("extract", folder)
    wanted = read_jsonl(root / "assertions.jsonl")
    total, forbidden = (
        sum(len(e[k]) for e in wanted) for k in ("must_include", "must_not_include")
    )
    found: dict[str, Counter[str]] = {name: Counter() for name in engines}
    asked: defaultdict[str, str] = defaultdict(str)
    for entry in wanted:
        asked[entry["file"]] += "\n".join(["", *map(spaced, entry["must_include"])])
    texts: dict[tuple[str, str], str] = {}
    for entry in wanted:
        for name, engine in engines.items():
            key = (name, entry["file"])
            if key not in texts:
                texts[key] = text_by(engine, root / entry["file"])
            count(entry, texts[key], found[name], asked[entry["file"]])
        if show:
            missed(entry, {name: texts[name, entry["file"]] for name in engines})
    for name, counts in found.items():
        due = f"{counts['due']}/{sum(map(is_due, wanted))}" if is_due(wanted[0]) else "-"
        yield (
            folder,
            name,
            f"{counts['spaced']}/{total}",
            f"{counts['plain']}/{total}",
            f"{counts['forbidden']}/{forbidden}",
            counts["never"],
            due,
        )


def is_due(entry: dict[str, Any]) -> int:
    """How many strings of an entry at least one peer found when it was made."""
    return sum(map(bool, entry.get("peer_hits", ())))


def count(entry: dict[str, Any], text: str, counts: Counter[str], asked: str) -> None:
    """Add up for one entry; `asked` is what all entries of its file ask for."""
    hits = entry.get("peer_hits", [[]] * len(entry["must_include"]))
    for string, peers_of in zip(entry["must_include"], hits, strict=True):
        counts["spaced"] += spaced(string) in spaced(text)
        counts["plain"] += plain(string) in plain(text)
        counts["due"] += bool(peers_of) and spaced(string) in spaced(text)
    unwanted = [spaced(s) for s in entry["must_not_include"] if spaced(s) in spaced(text)]
    counts["forbidden"] += len(unwanted)
    counts["never"] += sum(string not in asked for string in unwanted)


def missed(entry: dict[str, Any], texts: dict[str, str]) -> None:
    """Print the strings that a peer finds and we do not, and those that only we should not have."""
    own, others = texts["corpus-agent"], [t for n, t in texts.items() if n != "corpus-agent"]
    hits = entry.get("peer_hits", [[]] * len(entry["must_include"]))
    for string, peers_of in zip(entry["must_include"], hits, strict=True):
        by_peers = bool(peers_of) or any(spaced(string) in spaced(other) for other in others)
        if by_peers and spaced(string) not in spaced(own):
            also = "" if plain(string) in plain(own) else " (also without mark-up)"
            print(f"missed: {entry['file']}: {string!r}{also} {peers_of}")
    for string in entry["must_not_include"]:
        if spaced(string) in spaced(own) and not any(spaced(string) in spaced(o) for o in others):
            print(f"unwanted: {entry['file']}: {string!r}")


def files() -> list[Path]:
    """All test documents."""
    return sorted(
        path
        for folder in ("markitdown/test_files", "py-pdf-sample-files", "tika")
        for path in data("extract", *folder.split("/")).rglob("*")
        if path.is_file() and "expected_outputs" not in path.parts and path.suffix != ".jsonl"
    )


def outcomes(paths: list[Path]) -> Counter[str]:
    """How many files are read, and why the others are not."""
    found: Counter[str] = Counter()
    for path in paths:
        try:
            deque(open_document(path.read_bytes(), path.name).lines, 0)
            found["read"] += 1
        except UnreadableDocument as error:
            found[error.reason] += 1
            print(f"{path.name}: {error} {error.extractor or ''}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="print each string that is missed")
    arguments = parser.parse_args()
    found = peers()
    absent = {"MarkItDown", "Kreuzberg"} - set(found)
    engines: dict[str, Engine] = {"corpus-agent": ours, **found}
    rows = [row for f in ("tika", "markitdown") for row in strings(f, engines, arguments.missed)]
    print("files:", dict(outcomes(files())))
    if absent:
        print(f"not installed, so not compared: {', '.join(sorted(absent))}")
    print_table(
        ("set", "engine", "found", "plain", "unwanted", "never asked for", "of what a peer found"),
        rows,
    )


if __name__ == "__main__":
    main()
