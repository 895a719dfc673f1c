"""Rebuilds the page tree and cross-reference table of a damaged PDF file.

For files that no engine opens although their pages are intact. Pure; called by pages.py.
"""

from __future__ import annotations

import re

_OBJECT = re.compile(rb"(?<!\d)(\d{1,8})[ \t\r\n]+(\d{1,5})[ \t\r\n]+obj\b")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_END = re.compile(rb"endobj|\bstream\b")
MAX_DICTIONARY_BYTES = 20_000  # of a page: a longer one is something else
MAX_OBJECTS = 1_000_000


def mended(data: bytes) -> bytes | None:
    """The file with a new page tree and cross-reference table at its end; None: no pages, or cut.

    A truncated file would be read in part without notice.
    """
    if b"%%EOF" not in data[-1024:]:
        return None
    places: dict[int, tuple[int, int]] = {}
    pages: dict[int, int] = {}
    for match in _OBJECT.finditer(data):
        number, generation = int(match[1]), int(match[2])
        if number >= MAX_OBJECTS:
            continue
        places[number] = (match.start(), generation)
        body = data[match.end() : match.end() + MAX_DICTIONARY_BYTES]
        end = _END.search(body)
        pages.pop(number, None)
        if _PAGE.search(body, 0, end.start() if end else len(body)):
            pages[number] = generation
    if not pages:
        return None
    tree, catalogue = max(places) + 1, max(places) + 2
    # Pages stand in the file in their order; their numbers may not, where a file is linearised.
    order = sorted(pages, key=lambda number: places[number][0])
    kids = " ".join(f"{number} {pages[number]} R" for number in order)
    added = bytearray(b"\n")
    for number, content in (
        (tree, f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>"),
        (catalogue, f"<</Type/Catalog/Pages {tree} 0 R>>"),
    ):
        places[number] = (len(data) + len(added), 0)
        added += f"{number} 0 obj\n{content}\nendobj\n".encode()
    start = len(data) + len(added)
    added += b"xref\n0 1\n0000000000 65535 f \n"
    for number, (place, generation) in sorted(places.items()):
        if number:
            added += f"{number} 1\n{place:010} {generation:05} n \n".encode()
    added += f"trailer\n<</Size {catalogue + 1}/Root {catalogue} 0 R>>\n".encode()
    added += f"startxref\n{start}\n%%EOF\n".encode()
    return data + bytes(added)
