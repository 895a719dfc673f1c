"""A text that somebody wrote, checked against an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from corpus_agent.check.checking import check_text, text_of

if TYPE_CHECKING:
    from corpus_agent.check.records import Checked
    from corpus_agent.settings import Settings
    from corpus_agent.startup import Launch
    from indexer import Index


def check_file(
    data: bytes,
    name: str,
    corpus: Index,
    launch: Launch,
    settings: Settings,
    *,
    on_piece: Callable[[int, int], object] = lambda *_: None,
) -> Checked:
    """What the documents say of the text of a file; raises CorpusError."""
    corpus.check_root()
    text = text_of(data, name if name != "-" else "text.md")
    return check_text(text, corpus, corpus.encoder.encode_tokens, on_piece=on_piece)
