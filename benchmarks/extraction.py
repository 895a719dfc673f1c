"""What the extractors find in other people's test documents: strings that their own tests ask for.

White space is of one kind and letters of one case for the comparison. "plain" compares without
Markdown's signs: a peer's strings ask for that peer's mark-up. Most strings that should not be
there belong to a test of an option that leaves out what another test of the same file asks for;
"never asked for" counts the others. "of peers" are the strings that a peer found when the data was
made.

    python benchmarks/extraction.py
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from benchmarks.common import data, flat, print_table, read_jsonl
from indexer.errors import UnreadableDocument
from indexer.extract import open_document

_MARKUP = re.compile(r"\]\([^)\s]*(?: \"[^\"]*\")?\)|[][*_#|>`~\\!]|^\s*-\s|-{3}", re.MULTILINE)


@cache
def read(path: Path) -> str:
    """The text that `read` gives; "" where there is none."""
    try:
        return "\n".join(line.text for line in open_document(path.read_bytes(), path.name).lines)
    except UnreadableDocument:
        return ""


def plain(text: str) -> str:
    return flat(_MARKUP.sub(" ", text)).replace(" ", "")


def strings(folder: str) -> tuple[object, ...]:
    root, counts = data("extract", folder), Counter[str]()
    wanted = read_jsonl(root / "assertions.jsonl")
    asked: defaultdict[str, list[str]] = defaultdict(list)
    for entry in wanted:
        asked[entry["file"]] += map(flat, entry["must_include"])
    for entry in wanted:
        text = read(root / entry["file"])
        hits = entry.get("peer_hits") or [[]] * len(entry["must_include"])
        for string, peers in zip(entry["must_include"], hits, strict=True):
            there = flat(string) in flat(text)
            counts["found"] += there
            counts["plain"] += plain(string) in plain(text)
            counts["of peers"] += there and bool(peers)
            counts["peers"] += bool(peers)
            counts["all"] += 1
        unwanted = [flat(s) for s in entry["must_not_include"] if flat(s) in flat(text)]
        counts["unwanted"] += len(unwanted)
        counts["never"] += sum(string not in "\n".join(asked[entry["file"]]) for string in unwanted)
    of_peers = f"{counts['of peers']}/{counts['peers']}"
    figures = [counts[name] for name in ("all", "found", "plain", "unwanted", "never")]
    return (folder, *figures, of_peers)


def main() -> None:
    header = ("strings", "found", "plain", "unwanted", "never asked for", "of peers")
    print_table(("set", *header), [strings("tika"), strings("markitdown")])


if __name__ == "__main__":
    main()
