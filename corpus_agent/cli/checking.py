"""The command that checks a text that somebody wrote, or a receipt, against the documents."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_agent import answering, render, service
from corpus_agent.check.checking import check_text, text_of
from corpus_agent.cli.common import (
    JSON,
    Among,
    Llm,
    below,
    launch_to_read,
    llm_options,
    main,
    settings_in_force,
)
from corpus_agent.cli.printing import link_to, print_json, print_lines
from corpus_agent.cli.progress import counted
from indexer import MAX_FILE_BYTES, UsageError, read_regular

if TYPE_CHECKING:
    from corpus_agent.startup import Launch

_RECEIPTS = (".json", ".jsonl")


@main.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@llm_options
@below
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "md", "html"]),
    default="text",
    help="text (default), or the text itself with its marks as Markdown or as a page.",
)
@JSON
def check(file: Path, llm: Llm, among: Among, form: str, as_json: bool) -> None:
    """Check each quotation and statement of FILE against the documents; - reads standard input.

    FILE is anybody's answer, memo or draft (text, Markdown, HTML, DOCX, PDF), or a receipt that
    ask --receipt wrote, whose quotations are looked up in today's files. Without --llm no model
    takes part. Exit 0 when everything is found as it is written, 1 otherwise.
    """
    data = _read(file)  # it may lie anywhere, so it is read before the seal
    receipts = None
    if file.suffix in _RECEIPTS or data.lstrip()[:1] == b"{":
        receipts = answering.receipt.receipts_in(data, str(file))
    named = llm["llm"]
    settings = settings_in_force(several=True, **{**llm, "llm": named or "none"})
    launch = launch_to_read(settings, asking=named is not None, typed=named is not None)
    if receipts is not None:
        return _check_receipts(receipts, launch, as_json=as_json)
    settings = launch.settings

    corpus = service.loading.open_to_search(settings)
    corpus = service.places.bounded(corpus, *among)
    text = text_of(data, "text.md" if str(file) == "-" else file.name)
    with counted("checking statements") as on_piece:
        checked = check_text(text, corpus, corpus.encoder.encode_tokens, on_piece=on_piece)
    if as_json:
        print_json(render.checked_object(checked, launch.seal.state), corpus)
    else:
        lines = partial(render.checked_lines, link=link_to(settings.root))
        whole = {"md": render.checked_markdown, "html": render.checked_html}
        print_lines(lines(checked) if form == "text" else [whole[form](checked)])
    if not checked.holds:
        raise SystemExit(1)
    return None


def _read(file: Path) -> bytes:
    """The bytes of a file or of standard input; raises UsageError."""
    if str(file) == "-":
        data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise UsageError(f"The text has more than {MAX_FILE_BYTES:,} bytes.")
        return data
    try:
        return read_regular(file, MAX_FILE_BYTES)
    except OSError as error:
        raise UsageError(f"{str(file)!r} cannot be read: {error.strerror}.") from None


def _check_receipts(receipts: list[dict[str, Any]], launch: Launch, *, as_json: bool) -> None:
    key = launch.receipt_key
    # A run that a document took over may have written what the store keeps of a text.
    corpus = service.session.open_corpus(launch.settings, searching=False, anew=True)
    checked = answering.receipt.check_all(receipts, corpus)
    if as_json:
        print_json(render.receipts_object(checked, corpus.version, launch.seal.state, key), corpus)
    else:
        print_lines(render.receipt_lines(checked, key))
    if not all(found.holds for _, rows in checked for found in rows):
        raise SystemExit(1)
