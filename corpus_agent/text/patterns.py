"""Patterns that are compiled when they are first used.

Compiling one of them takes longer than most searches with it, and a command uses few of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import cast

import regex


class Lazy:
    """Stands for a pattern, and has all that a compiled one has."""

    def __init__(self, written: str, flags: int) -> None:
        self._written = written, flags

    @cached_property
    def compiled(self) -> regex.Pattern[str]:
        """The pattern itself."""
        return regex.compile(*self._written)

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self.compiled, name)
        setattr(self, name, found)  # the next use finds it without this function
        return found


def lazy(written: str, flags: int = 0) -> regex.Pattern[str]:
    """A pattern that is compiled when it is first used."""
    return cast(regex.Pattern[str], Lazy(written, flags))
