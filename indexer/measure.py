"""How a model measures texts: what cuts passages asks it, and every encoder answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenizers import Tokenizer


class Tokens(NamedTuple):
    """The tokens of a text: their numbers, and where each stands, (0, 0) for special ones."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class Measure(Protocol):
    """What a model says of the length of texts."""

    @property
    def tokenizer(self) -> Tokenizer:
        """Its tokenizer, neither truncating nor padding."""
        ...

    @property
    def max_tokens(self) -> int:
        """Length of its window, special tokens included."""
        ...

    @property
    def passage_tokens(self) -> int:
        """How many tokens a passage has at most, where nobody chose another size."""
        ...

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of texts, special ones included, none cut off."""
        ...
