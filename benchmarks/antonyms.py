"""Writes corpus_agent/text/antonyms.txt: WordNet's antonyms that are common words.

A word is common if it is one token of the packaged model. WordNet's files are those of Debian's
package wordnet-base; their licence stands above the pairs.

    python benchmarks/antonyms.py DIR
"""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

from corpus_agent.text.antonyms import PAIRS
from indexer.embed import packaged_model


def pairs(folder: Path) -> Iterator[tuple[str, str]]:
    """Each two words that WordNet calls antonyms, in the order of the alphabet."""
    words: dict[tuple[str, str], list[str]] = {}
    pointers: list[tuple[str, tuple[str, str], str]] = []
    for part, name in (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")):
        for line in (folder / f"data.{name}").read_text("latin-1").splitlines():
            if line.startswith(" "):  # the licence
                continue
            fields = line.split("|")[0].split()
            count = int(fields[3], 16)
            own = [word.split("(")[0].lower() for word in fields[4 : 4 + 2 * count : 2]]
            words[part, fields[0]] = own
            rest = fields[5 + 2 * count :]
            for symbol, where, other, places in zip(*(rest[i::4] for i in range(4)), strict=False):
                if symbol == "!":
                    pointers.append((own[int(places[:2], 16) - 1], (other, where), places[2:]))
    for word, synset, place in pointers:
        one, other = sorted((word, words[synset][int(place, 16) - 1]))
        yield one, other


def licence(folder: Path) -> Iterator[str]:
    """The licence at the top of WordNet's files, without the numbers of its lines."""
    for line in (folder / "data.adj").read_text("latin-1").splitlines():
        if not line.startswith(" "):
            return
        yield f"# {line.strip().partition(' ')[2]}".strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="WordNet's files data.*")
    folder = parser.parse_args().folder
    tokens = json.loads((packaged_model() / "tokenizer.json").read_text("utf-8"))
    known = {word for word in tokens["model"]["vocab"] if word.isalpha() and len(word) > 2}
    found = ["/".join(pair) for pair in sorted(set(pairs(folder))) if known.issuperset(pair)]
    said = textwrap.wrap(" ".join(found), 96, break_on_hyphens=False, break_long_words=False)
    PAIRS.write_text("\n".join([*licence(folder), *said, ""]), "utf-8")
    print(f"{len(found)} pairs")


if __name__ == "__main__":
    main()
