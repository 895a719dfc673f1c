"""Commands that look at all there is: table, list, timeline; a whole text; many questions."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from corpus_agent import agent, answering, check, fields, render, selftest, service
from corpus_agent.cli.common import (
    JSON,
    Among,
    Llm,
    below,
    is_verbose,
    launch_to_read,
    llm_options,
    main,
    opened,
    settings_in_force,
)
from corpus_agent.cli.printing import (
    counted,
    opened_new,
    print_json,
    print_lines,
    print_notes,
    warn_of_index,
    write_text,
)
from corpus_agent.text.naming import PATH, called
from corpus_agent.text.sanitize import visible
from indexer import MAX_FILE_BYTES, UsageError, read_regular

_WIDTH = 100  # columns where there is no terminal
_LOOKING = "looking at documents"


@main.command()
@click.argument("words", nargs=-1, required=True, metavar="FIELD...")
@below
@click.option("--quotations", is_flag=True, help="Print the evidence below each document.")
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the table to a new FILE, for a spreadsheet.",
)
@JSON
def table(
    words: tuple[str, ...],
    among: Among,
    quotations: bool,
    csv_file: Path | None,
    as_json: bool,
) -> None:
    """Look at every document, and say what each says about every FIELD.

    A field is any label of the documents, and "end date, effective date, notice period, parties,
    landlord, supplier, liability cap, payment terms, total, rent, salary, net income, auditor" …

    Each value carries its sentence or row. Doubtful is one in a condition, a negation or a
    quotation, one of a part (a region), and one not said to be the field's ("not stated outright").

    A row of a sheet (CSV, XLSX) is an entry of its own where FIELD is the name of a column: of more
    than five the table says how many; --csv writes each, list finds those that fulfil a condition.

    Two documents side by side: table FIELD… --path A --path B
    """
    fields.lexicon.fields_of(words)  # what is no field is said before the seal
    if csv_file and csv_file.suffix.casefold() == ".xlsx":
        raise UsageError("--csv writes no workbook.", "Name a .csv: a spreadsheet opens it.")
    csv_to = opened_new(csv_file)
    served, corpus = opened(among)
    with counted(_LOOKING) as on_document:
        made = served.table(words, corpus, on_document)
    if csv_file is not None:
        write_text(csv_to, render.table_csv(made))
        click.echo(f"Written: {visible(str(csv_file))}", err=True)
        warn_of_index(csv_file, served.settings.root)
    if as_json:
        return print_json(render.table_object(made), corpus)
    print_notes(made.notices[len(corpus.notices) :])
    if csv_file:
        return print_lines(render.foot_lines(made))
    width = shutil.get_terminal_size((_WIDTH, 0)).columns
    return print_lines(render.table_lines(made, width, quotations=quotations))


@main.command(name="list")
@click.argument("words", metavar="CONDITION")
@below
@JSON
def list_documents(words: str, among: Among, as_json: bool) -> None:
    """List the documents that fulfil a CONDITION on a field: "governing law = Florida".

    A sign (=, !=, <, <=, >, >=, contains, before, after, in) stands between the field and a word, a
    date, an amount or a span of time: "rent > 1000 euros", "expiry before 2026". "without TERM"
    lists the documents that have none of these words. Of a sheet with a column of that name each
    row that fulfils it is a line: "category = food".
    """
    fields.condition.parse_condition(words)
    served, corpus = opened(among)
    with counted(_LOOKING) as on_document:
        listed = served.listed(words, corpus, on_document)
    if as_json:
        return print_json(render.table_object(listed), corpus)
    print_notes(listed.notices[len(corpus.notices) :])
    return print_lines(render.list_lines(listed, verbose=is_verbose()))


@main.command()
@below
@JSON
def timeline(among: Among, as_json: bool) -> None:
    """Print the dated statements of all documents in order, each with its quotation and place.

    Every document is looked at; those without a date and those that cannot be read are counted. A
    day without a year has that of the heading above it, or of the document, and says so.
    """
    served, corpus = opened(among)
    with counted(_LOOKING) as on_document:
        made = served.timeline(corpus, on_document)
    if as_json:
        return print_json(render.timeline_object(made), corpus)
    return print_lines(render.timeline_lines(made))


@main.command(name="check")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@llm_options
@below
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "md", "html"]),
    default="text",
    help="text (default), or the text itself with marks, as Markdown or as a page.",
)
@JSON
def check_file(file: Path, llm: Llm, among: Among, form: str, as_json: bool) -> None:
    """Check each quotation and statement of FILE against the documents; - is standard input.

    FILE is anybody's answer, memo or draft (text, Markdown, HTML, DOCX, PDF) of at most 1,000,000
    characters, or a receipt of ask --receipt. Exit 0 where everything is found as it is written, 1
    otherwise, also for a receipt that is edited or another's. A model takes part only with --llm:
    its word on statements that are not found is shown as a model's.
    """
    data = _read(file)  # it may lie anywhere, so it is read before the seal
    is_receipt = file.suffix in (".json", ".jsonl") or data.lstrip()[:1] == b"{"
    receipts = answering.receipt.receipts_in(data, str(file)) if is_receipt else []
    if receipts and form != "text":
        raise UsageError(f"--format {form} marks a text, and {str(file)!r} holds a receipt.")
    asking = llm["llm"] is not None
    if receipts and asking:
        raise UsageError(f"--llm judges the statements of a text, and {str(file)!r} is a receipt.")
    settings = settings_in_force(several=True, **(llm if asking else {}))
    launch = launch_to_read(settings, asking=asking, typed=asking)
    key = launch.receipt_key
    if receipts:
        verified, corpus = service.service.Service(launch, searching=False).check_receipts(receipts)
        shown = render.receipts_object(verified, corpus.version, key)
        lines = render.receipt_lines(verified, key)
        holds = shown["check"]["holds"]
    else:
        serving = service.service.Service(launch)
        corpus = serving.among(*among)
        text = check.checking.text_of(data, file.name)
        with counted("checking statements") as on_piece:
            checked = serving.check(text, corpus, on_piece)
        if asking:
            with counted("asking the model") as on_piece:
                checked = agent.numbered.judged(checked, corpus, launch, on_piece)
        shown, holds = render.checked_object(checked), checked.holds
        lines = render.checked_lines(checked)
        if form != "text":
            whole = render.checked_markdown if form == "md" else render.checked_html
            lines = iter([whole(checked)])
    if as_json:
        print_json(shown, corpus)
    else:
        print_lines(lines)
    if not holds:
        raise SystemExit(1)


def _read(file: Path) -> bytes:
    """The bytes of a file, of standard input for "-"; raises UsageError."""
    if str(file) != "-":
        try:
            return read_regular(file, MAX_FILE_BYTES)
        except OSError as error:
            gone = isinstance(error, FileNotFoundError)
            why = "there is no such file" if gone else error.strerror
            message = f"{called(str(file), kind=PATH)} cannot be read: {why}."
            raise UsageError(message, "Try: corpus-agent check --help") from None
    data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise UsageError(f"The text has more than {MAX_FILE_BYTES:,} bytes.")
    return data


@main.command(name="eval")
@click.argument("questions", type=click.Path(path_type=Path))
@llm_options
@JSON
def evaluate(questions: Path, llm: Llm, as_json: bool) -> None:
    """Measure search and answers with the questions of a TOML file.

    Each [[questions]] has question, sources (none: not answerable) and answer or answers; see
    sample_corpus/questions.toml.
    """
    asked = selftest.evaluation.load(questions)
    named = llm["llm"]
    settings = settings_in_force(several=True, **{**llm, "llm": named or "none"})
    launch = launch_to_read(settings, asking=True, typed=named is not None)
    served = service.service.Service(launch)
    corpus = served.corpus()
    answerer = served.answerer(corpus)
    results = [selftest.evaluation.measure(question, corpus, answerer) for question in asked]
    scores = selftest.evaluation.summarise(results)
    if as_json:
        return print_json(render.as_object(version=corpus.version, eval=scores), corpus)
    return print_lines(selftest.evaluation.table(scores))
