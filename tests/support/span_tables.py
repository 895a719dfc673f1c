"""Sixty tables with merged cells, and the grid that Chromium made of each.

A cell of the truth is [row, first column, last column + 1, rows, text, header cell, number of the
table].
"""

from __future__ import annotations

import json

from tests.support.places import SNAPSHOTS

_KEPT = json.loads((SNAPSHOTS / "span_tables.json").read_text("utf-8"))


def tables() -> list[str]:
    """The tables, as HTML."""
    return list(_KEPT["tables"])


def page(table: str) -> str:
    return f"<!doctype html><html><head></head><body>{table}</body></html>"


def truth() -> list[list[list[list[object]]]]:
    """Of each of the sixty its own grid, then those of tables within it."""
    return list(_KEPT["grids"])
