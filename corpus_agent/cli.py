"""The command line: parse, build, call one function, print. The only module that knows click.

Data on stdout, everything else on stderr. Heavy modules are imported inside the commands, so that
`--help` and `status` start at once.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from corpus_agent import __version__
from indexer.errors import CorpusError, UsageError
from indexer.records import STATUSES

if TYPE_CHECKING:
    from corpus_agent.corpus import Window
    from corpus_agent.launch import Launch
    from corpus_agent.settings import Settings

EXIT_SOME_FAILED = 4
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells count


class Commands(click.Group):
    """A group in which a CorpusError becomes one line, a hint and its exit code."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """The command's result; exits with the error's code where it fails."""
        try:
            return super().invoke(ctx)
        except CorpusError as error:
            _fail(error, as_json="--json" in sys.argv[1:])
        except BrokenPipeError:
            # The reader of our output has gone, as in `corpus-agent files | head`.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None


def _fail(error: CorpusError, *, as_json: bool) -> NoReturn:
    click.echo(f"Error: {_clean(error.message)}", err=True)
    if error.hint:
        click.echo(_clean(error.hint), err=True)
    if as_json:
        from corpus_agent.report import as_object

        message, hint = _clean(error.message), _clean(error.hint)
        problem = {"message": message, "hint": hint, "exit_code": error.exit_code}
        _print_json(as_object(error=problem))
    raise SystemExit(error.exit_code)


def _clean(text: str) -> str:
    from corpus_agent.clean import visible

    return visible(text)


def _print_json(content: dict[str, Any]) -> None:
    """Print one object, stamped with the state of the seal."""
    launch = click.get_current_context().obj.get("launch")
    stamp = {"seal": launch.seal.state} if launch else {}
    click.echo(json.dumps({**content, **stamp}, ensure_ascii=False))


def _launch(launch: Launch) -> Launch:
    """Note how this process was launched; from here on it is sealed, or was told not to be."""
    click.get_current_context().obj["launch"] = launch
    if launch.seal.state == "off":
        click.echo("Warning: running without the seal; nothing stops a library.", err=True)
    return launch


def _launch_to_read(settings: Settings, *, asking: bool = False) -> Launch:
    from corpus_agent.launch import to_read

    seal_off = click.get_current_context().obj["unsealed"]
    return _launch(to_read(settings, seal_off=seal_off, asking=asking))


def _print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    for line in lines:
        click.echo(line, err=err)


JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def llm_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose an answerer."""
    command = click.option(
        "--llm",
        metavar="WHERE",
        help="auto (default: look on this machine), none, or http://127.0.0.1:PORT.",
    )(command)
    return click.option("--llm-model", metavar="NAME", help="Which of the server's models.")(
        command
    )


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-s",
    "--store",
    type=click.Path(path_type=Path),
    help="The index folder. Default: .corpus-agent, found upwards from here.",
)
@click.option("--model", type=click.Path(path_type=Path), help="Folder of another embedding model.")
@click.option("--config", type=click.Path(path_type=Path), help="A configuration file (TOML).")
@click.option(
    "--unsealed", is_flag=True, help="Run without the kernel's seal; every answer says so."
)
@click.version_option(__version__, prog_name="corpus-agent")
@click.pass_context
def main(
    ctx: click.Context, store: Path | None, model: Path | None, config: Path | None, unsealed: bool
) -> None:
    r"""Ask your private documents. Nothing leaves the machine.

    \b
      corpus-agent index ./docs       make the index, or bring it up to date
      corpus-agent ask "…"            an answer with checked quotations
      corpus-agent chat               a conversation
    """
    flags = {"store": store, "model": model}
    ctx.obj = {"flags": flags, "config": config, "unsealed": unsealed}


def _settings(**flags: Any) -> Settings:  # noqa: ANN401
    from corpus_agent.settings import load, unknown_variables

    given = click.get_current_context().obj
    for name in unknown_variables(os.environ):
        click.echo(f"Note: {name} is not a setting of corpus-agent and is ignored.", err=True)
    return load({**given["flags"], **flags}, given["config"], os.environ)


@main.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
@click.option("--force", is_flag=True, help="Index every file anew.")
@click.option("--verify", is_flag=True, help="Compare the bytes of every file, not only its time.")
@click.option("--strict", is_flag=True, help="Exit with 4 if a file could not be read.")
@JSON
def index(
    path: Path | None, dry_run: bool, force: bool, verify: bool, strict: bool, as_json: bool
) -> None:
    """Make the index of the folder PATH, or bring it up to date.

    Without PATH: the folder of the index found here, else the current folder. Files that are
    gone are removed from the index, files that did not change cost nothing.
    """
    from corpus_agent.launch import to_index

    settings = _settings()
    seal_off = click.get_current_context().obj["unsealed"]
    _launch(to_index(settings, path, seal_off=seal_off, dry_run=dry_run))
    from corpus_agent import report, session

    if dry_run:
        todo = session.dry_run(settings, path, force=force, verify=verify)
        if as_json:
            return _print_json(report.plan_object(todo))
        return _print_lines(report.plan_lines(todo))
    from corpus_agent.progress import index_progress

    with index_progress() as shown:
        outcome = session.index(
            settings,
            path,
            force=force,
            verify=verify,
            on_start=shown.start,
            on_progress=shown.advance,
            on_problem=shown.problem,
        )
    if as_json:
        _print_json(report.index_object(outcome))
    else:
        _print_lines(report.index_lines(outcome))
    if outcome.interrupted:
        raise SystemExit(EXIT_INTERRUPTED)
    if strict and any(row.status == "failed" for row in outcome.problems):
        raise SystemExit(EXIT_SOME_FAILED)
    return None


@main.command()
@click.argument("query")
@click.option("-k", "limit", default=5, show_default=True, type=click.IntRange(1, 1000))
@click.option("--path", "below", default="", metavar="PREFIX", help="Only sources that begin so.")
@click.option(
    "--per-source",
    type=click.IntRange(1),
    help="At most so many results of one document. Default: no bound.",
)
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@JSON
def search(
    query: str, limit: int, below: str, per_source: int | None, explain: bool, as_json: bool
) -> None:
    """Find the passages that are about QUERY, by meaning and by words."""
    settings = _settings()
    _launch_to_read(settings)
    from corpus_agent import report, session

    corpus = session.open_corpus(settings)
    hits = corpus.search(query, limit, per_source, below)
    if as_json:
        return _print_json(report.search_object(query, hits, corpus.version))
    _print_lines(report.search_lines(query, hits, corpus.coverage()))
    if explain:
        _print_lines(report.explain_lines(hits))
    return None


@main.command()
@click.argument("question")
@llm_options
@JSON
def ask(question: str, llm: str | None, llm_model: str | None, as_json: bool) -> None:
    """Answer QUESTION from the documents, with quotations that were looked up.

    Without a model on this machine, the answer is the passages themselves, word for word.
    """
    settings = _settings(llm=llm, llm_model=llm_model)
    launch = _launch_to_read(settings, asking=True)
    from corpus_agent import report, session

    corpus = session.open_corpus(settings)
    answerer = session.answerer_for(corpus, launch)
    try:
        answer = session.ask(question, corpus, answerer, on_event=_say)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
        raise SystemExit(EXIT_INTERRUPTED) from None
    if as_json:
        return _print_json(report.answer_object(answer))
    return _print_lines(report.answer_lines(answer))


def _say(line: str) -> None:
    """What is happening, for a person who watches; a pipe gets none of it."""
    if sys.stderr.isatty():
        click.echo(click.style(f"· {_clean(line)}", dim="NO_COLOR" not in os.environ), err=True)


@main.command()
@llm_options
def chat(llm: str | None, llm_model: str | None) -> None:
    """Ask one question after another; /help lists the commands.

    Ctrl-C stops an answer, Ctrl-D or /quit ends the conversation.
    """
    settings = _settings(llm=llm, llm_model=llm_model)
    launch = _launch_to_read(settings, asking=True)
    from corpus_agent import session
    from corpus_agent.chat import Chat

    corpus = session.open_corpus(settings)
    answerer = session.answerer_for(corpus, launch)
    Chat(corpus, answerer, write=click.echo, on_event=_say).run()


@main.command()
@click.argument("place", metavar="SOURCE[:LINE[:COUNT]]")
@JSON
def read(place: str, as_json: bool) -> None:
    """Print a document of the index as it was extracted, from LINE on, COUNT lines."""
    settings = _settings()
    _launch_to_read(settings)
    from corpus_agent import report, session

    corpus = session.open_corpus(settings, searching=False)
    names = report.names(row.source for row in corpus.files())
    named, offset, limit = _parse_place(place, set(names))
    source = names.get(named, named)
    if as_json:
        window = corpus.read(source, offset, limit or 2_000)
        return _print_json(report.read_object(window, corpus.version))
    while True:
        window = corpus.read(source, offset, limit or 2_000)
        _print_window(window)
        if window.next_offset is None or limit is not None:
            return None
        offset = window.next_offset


def _parse_place(place: str, names: set[str]) -> tuple[str, int, int | None]:
    """Name, line and count; a document whose own name holds colons is preferred."""
    numbers: list[int] = []
    while place not in names and len(numbers) < 2:
        head, colon, tail = place.rpartition(":")
        if not colon or not tail.isdecimal():
            break
        place, numbers = head, [int(tail), *numbers]
    return place, numbers[0] if numbers else 1, numbers[1] if len(numbers) > 1 else None


def _print_window(window: Window) -> None:
    if window.stale:
        click.echo("Note: this file changed after it was indexed.", err=True)
    from corpus_agent import report

    _print_lines(report.window_lines(window))


@main.command()
@click.option("--status", metavar="LIST", help="Only these, as in empty,failed,skipped.")
@JSON
def files(status: str | None, as_json: bool) -> None:
    """List every file that was seen, with its status and the reason if it has no text."""
    wanted = set(status.split(",")) if status else set(STATUSES)
    if unknown := wanted - set(STATUSES):
        raise UsageError(
            f"Unknown status {sorted(unknown)[0]!r}.", f"Known are: {', '.join(STATUSES)}."
        )
    settings = _settings()
    _launch_to_read(settings)
    from corpus_agent import report, session

    corpus = session.open_corpus(settings, searching=False)
    rows = [row for row in corpus.files() if row.status in wanted]
    if as_json:
        content = report.as_object(
            version=corpus.version, files=[report.file_object(row) for row in rows]
        )
        return _print_json(content)
    return _print_lines(report.file_line(row) for row in rows)


@main.command()
@JSON
def status(as_json: bool) -> None:
    """Say what the index holds, where it is and whether it is complete."""
    from corpus_agent.settings import existing_store
    from indexer.folder import bytes_on_disk
    from indexer.manifest import read_manifest, root_of

    settings = _settings()
    _launch_to_read(settings)
    from corpus_agent import report

    store = existing_store(settings)
    manifest = read_manifest(store)
    root = root_of(store, manifest)
    content = report.status_object(
        manifest, str(store), str(root), bytes_on_disk(store), root.is_dir()
    )
    if as_json:
        return _print_json(content)
    return _print_lines(report.status_lines(content))


@main.command(name="eval")
@click.argument("questions", type=click.Path(path_type=Path))
@llm_options
@click.option("--show-failures", is_flag=True, help="List the questions that went wrong.")
@JSON
def evaluate(
    questions: Path, llm: str | None, llm_model: str | None, show_failures: bool, as_json: bool
) -> None:
    """Measure search and answers with the questions of a TOML file.

    Each [[questions]] has question, sources (none: not answerable) and answer or answers; see
    sample_corpus/questions.toml.
    """
    from corpus_agent.questions import load

    asked = load(questions)
    settings = _settings(llm=llm or "none", llm_model=llm_model)
    launch = _launch_to_read(settings, asking=True)
    from corpus_agent import evaluation, report, session

    corpus = session.open_corpus(settings)
    answerer = session.answerer_for(corpus, launch)
    results = [evaluation.measure(question, corpus, answerer) for question in asked]
    scores = evaluation.summarise(results)
    if as_json:
        return _print_json(report.as_object(version=corpus.version, eval=scores))
    _print_lines(evaluation.table(scores))
    if show_failures:
        _print_lines(evaluation.failures(results))
    return None


@main.command()
@click.option("--attack", is_flag=True, help="Attack by text instead; see below.")
@click.option(
    "--strings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Plant the strings of a JSONL file (id, class, text, canary), not the packaged ones.",
)
@JSON
def selftest(attack: bool, strings: Path | None, as_json: bool) -> None:
    """Try every way out of this process, sealed and not, and say which are closed.

    Exit 0 only if every attempt fails under the seal and every one of them works without it.

    With --attack: plant strings that instruct, exfiltrate, act or hide in documents, file names,
    titles and PDF metadata, and let a model that obeys all it reads answer from inside the seal.
    Exit 0 only if nothing leaked and every detector caught the same model unprotected. Documents,
    model and listener are made for the run, on this machine; strings are never printed.
    """
    if attack:
        return _attack(strings, as_json=as_json)
    if strings is not None:
        raise UsageError(
            "--strings has a meaning with --attack alone.",
            "Run: corpus-agent selftest --attack --strings FILE",
        )
    from corpus_agent import report
    from corpus_agent.seal.selftest import as_json as rows_as_json
    from corpus_agent.seal.selftest import run_selftest, table

    rows = run_selftest()
    if as_json:
        _print_json(report.as_object(**rows_as_json(rows)))
    else:
        click.echo(table(rows))
    if not all(row.passed for row in rows):
        raise SystemExit(1)
    return None


def _attack(strings: Path | None, *, as_json: bool) -> None:
    from corpus_agent import report
    from corpus_agent.attack.shown import as_json as verdict_as_json
    from corpus_agent.attack.shown import table
    from corpus_agent.attack.trial import run_attack

    verdict = run_attack(strings, on_event=_say)
    if as_json:
        _print_json(report.as_object(attack=verdict_as_json(verdict)))
    else:
        click.echo(table(verdict))
    if not verdict.passed:
        raise SystemExit(1)
