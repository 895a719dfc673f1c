"""A whole text checked against a corpus: taken apart, then each piece found in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from corpus_agent.check.pieces import MAX_CHARACTERS, take_apart
from corpus_agent.check.quotations import QuotationFinder
from corpus_agent.check.records import Checked
from corpus_agent.check.statements import StatementFinder
from corpus_agent.text.naming import known
from corpus_agent.text.tokens import fold
from indexer import CorpusError, UnreadableDocument, parsed_lines

if TYPE_CHECKING:
    from indexer import Encoder, Index


def text_of(data: bytes, name: str) -> str:
    """The text of a file as its kind is read, the marks of pages empty lines; CorpusError."""
    name = "text.md" if name == "-" else name  # standard input
    try:
        lines, _ = parsed_lines(data, name, lambda _, n: n > MAX_CHARACTERS)
    except UnreadableDocument as error:
        raise CorpusError(
            f"The text cannot be read: {error.detail or error.reason}.",
            "Take text, Markdown, HTML, DOCX, PDF, or a receipt.",
        ) from None
    return "\n".join("" if line.is_mark else line.text for line in lines)


def check_text(
    text: str,
    corpus: Index,
    encoder: Encoder | None = None,
    on_piece: Callable[[int, int], object] = lambda *_: None,
) -> Checked:
    """What the documents say of each piece of a text; raises CorpusError for one beyond limits.

    `on_piece` is called with how many are done, and of how many; what it raises ends it.
    """
    names = document_names(row.source for row in corpus.files() if row.is_document)
    pieces, left_out = take_apart(text, lambda name: names.get(fold(name)))
    quotations, statements = QuotationFinder(corpus), StatementFinder(corpus, encoder)
    findings = []
    for number, piece in enumerate(pieces):
        on_piece(number, len(pieces))
        findings.append((quotations if piece.is_quotation else statements).find(piece))
    return Checked(text, findings, left_out, corpus.coverage(), corpus.version, corpus.notices)


def document_names(sources: Iterable[str]) -> dict[str, str]:
    """Each document by its names, without case: as it is shown, and its last part if alone."""
    whole = {fold(name): source for name, source in known(sources).items()}
    parts: dict[str, set[str]] = {}
    for source in whole.values():
        parts.setdefault(fold(source.rpartition("/")[2]), set()).add(source)
    return {name: next(iter(those)) for name, those in parts.items() if len(those) == 1} | whole
