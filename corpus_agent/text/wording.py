"""Counts in the program's own sentences. Pure."""

from __future__ import annotations


def number_of(number: int, one: str, more: str = "") -> str:
    """A number with its noun or verb, as in "1 page", "1,200 pages" and, with `more`, "1 has"."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"
