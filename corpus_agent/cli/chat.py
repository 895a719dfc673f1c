"""A conversation at a terminal or through a pipe: history, sources, reading on, keeping it.

Keeps the turns and the current model; answering and printing are passed in as callbacks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent import render
from corpus_agent.answering.records import Answer, Answerer, Citation, Passage, Turn
from corpus_agent.models.discovery import Model
from corpus_agent.startup import Launch
from corpus_agent.text.naming import answerer, called_model, called_path, quoted
from corpus_agent.text.sanitize import visible
from corpus_agent.text.wording import searched
from indexer import CorpusError, Index, UsageError

if TYPE_CHECKING:
    from types import ModuleType

PROMPT = "> "
AROUND = 10  # lines that /open shows before and after a quotation
SAVED_FOLDER = "saved"  # in the store: the only place that the seal leaves open for writing
NO_MODEL = "none"
HELP = """Type a question, or
  /sources      the passages that were quoted, with their numbers
  /read N       passage N with the lines around it
  /save [NAME]  keep the conversation as Markdown, in the folder of the index
  /model        which model answers and which there are; /model NAME takes another, or none
  /quit         end (so does Ctrl-D); Ctrl-C stops an answer"""
COMMANDS = ("/sources", "/read", "/save", "/model", "/help", "/quit", "/exit")

Ask = Callable[[str, Index, Answerer, Launch, Sequence[Turn]], Answer]


@dataclass(frozen=True, slots=True)
class Doing:
    """Callbacks that the chat calls.

    `ask` answers, `make` returns the answerer of a launch, `models` the names at its server;
    `write` prints a line. `link` makes links of places, `style` shows which lines of a passage are
    likely.
    """

    ask: Ask
    make: Callable[[Launch], Answerer]
    models: Callable[[Launch], list[str]]
    write: Callable[[str], None]
    link: render.Link = render.no_link
    style: Callable[[str, bool], str] | None = None


class Chat:
    """One conversation; each question is answered from the newest version of the corpus."""

    def __init__(
        self,
        corpus: Index,
        launch: Launch,
        store: Path | None,
        doing: Doing,
        turns: Iterable[Turn] = (),
    ) -> None:
        """`turns` are those of a conversation that goes on; `store` is None for several."""
        self._corpus = corpus
        self._launch = launch
        self._store = store
        self._doing = doing
        self._write = doing.write
        self._answerer = doing.make(launch)
        self._turns = list(turns)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What was asked and answered so far."""
        return tuple(self._turns)

    def run(self) -> None:
        """Converse until /quit or the end of input."""
        interactive = sys.stdin.isatty()
        if interactive:
            import readline

            _complete_with(readline, self._completions)
            self._write(f"{searched(self._corpus.coverage())}; /help lists the commands.")
        while True:
            try:
                line = input(PROMPT if interactive else "").strip()
            except EOFError:
                return
            except KeyboardInterrupt:
                self._write("")  # a new line: Ctrl-C while typing clears the input
                continue
            if line in ("/quit", "/exit"):
                return
            if line:
                self._respond(line)

    def _respond(self, line: str) -> None:
        try:
            if line.startswith("/"):
                self._command(line)
            else:
                self._ask(line)
        except KeyboardInterrupt:
            self._write("Stopped.")
        except CorpusError as error:
            self._write(f"Error: {visible(str(error))}")

    def _ask(self, question: str) -> None:
        self._corpus = self._corpus.latest()
        answer = self._doing.ask(question, self._corpus, self._answerer, self._launch, self._turns)
        self._turns.append(Turn(question, answer))
        for line in render.answer_lines(answer, self._doing.link, self._doing.style):
            self._write(line)

    def _command(self, line: str) -> None:
        name, _, argument = line.partition(" ")
        argument = argument.strip()
        commands: dict[str, Callable[[str], None]] = {
            "/sources": lambda _: self._sources(),
            "/read": self._read,
            "/save": self._save,
            "/model": self._model,
            "/help": lambda _: self._write(HELP),
        }
        if name in commands:
            commands[name](argument)
        else:
            self._write(f"Unknown command {quoted(name)}.\n{HELP}")

    def _passages(self) -> dict[int, Passage]:
        """Every passage of the conversation by its number."""
        return {p.citation.n: p for turn in self._turns for p in turn.answer.passages}

    def _sources(self) -> None:
        passages = self._passages()
        if not passages:
            self._write("Nothing was quoted yet." if self._turns else "Nothing asked yet.")
        shown = (passages[n] for n in sorted(passages))
        for line in render.citation_lines(shown, self._doing.link):
            self._write(line)

    def _cited(self, number: str) -> Citation:
        numbered = {str(n): passage.citation for n, passage in self._passages().items()}
        citation = numbered.get(number)
        if citation is None:
            raise UsageError("Which one?", "/sources lists the numbers, as in /read 1.")
        return citation

    def _read(self, number: str) -> None:
        """Print the passage with the lines around it."""
        citation = self._cited(number)
        first = max(1, citation.line_start - AROUND)
        count = citation.line_end - first + 1 + AROUND
        window = self._corpus.read(citation.source, first, count)
        last = first + len(window.lines) - 1
        self._write(f"--- {render.place(citation.source, first, last, citation.page)} ---")
        if window.stale:
            self._write("This file changed after it was indexed.")
        for at, line in enumerate(window.lines, start=first):
            quoted = citation.line_start <= at <= citation.line_end
            self._write(f"{'>' if quoted else ' '} {visible(line.text)}".rstrip())

    def _save(self, name: str) -> None:
        """Write the conversation into the store, under the last part of a name."""
        if not self._turns:
            raise UsageError("There is nothing to save yet.")
        if self._store is None:
            raise UsageError(
                "Several indexes are read, and none of them is written.",
                "Name a file when you start: chat --export FILE",
            )
        path = save(self._store, name, self._turns)
        self._write(f"Saved as {called_path(path)} (the seal lets it be written nowhere else).")

    def _model(self, name: str) -> None:
        """Print the current model, or switch to another one of the same server."""
        names = self._doing.models(self._launch)
        if not name:
            others = ", ".join(called_model(other) for other in names) or "none"
            self._write(f"{answerer(self._answerer.name)} answers; the server has: {others}")
            return
        if name == NO_MODEL:
            launch = replace(self._launch, model=None)
            self._answerer = self._doing.make(launch)
        elif self._launch.model is None:
            raise UsageError("There is no model server.", "Start one, then chat --llm ADDRESS.")
        elif name not in names:
            raise UsageError(
                f"The server has no model {quoted(name)}.", "/model lists what it has."
            )
        else:
            self._launch = replace(self._launch, model=Model(self._launch.model.server, name))
            self._answerer = self._doing.make(self._launch)
        self._write(f"{answerer(self._answerer.name)} answers from here on.")

    def _completions(self, line: str) -> list[str]:
        """The completions of the last word of a line."""
        command, space, _ = line.partition(" ")
        if not space:
            return [f"{name} " for name in COMMANDS if name.startswith(line)]
        words = {
            "/read": [str(n) for n in sorted(self._passages())],
            "/model": [NO_MODEL, *self._doing.models(self._launch)],
        }.get(command, [])
        return [word for word in words if word.startswith(line[len(command) + 1 :])]


def _complete_with(readline: ModuleType, completions: Callable[[str], list[str]]) -> None:
    """Make the Tab key complete commands and their arguments."""
    found: list[str] = []

    def complete(_: str, state: int) -> str | None:
        if state == 0:
            found[:] = completions(readline.get_line_buffer()) if _at_command(readline) else []
        return found[state] if state < len(found) else None

    readline.set_completer_delims(" ")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")


def _at_command(readline: ModuleType) -> bool:
    return str(readline.get_line_buffer()).startswith("/")


# ---- Keeping


def save(store: Path, name: str, turns: Sequence[Turn]) -> Path:
    """The file that a conversation was written to: in the store, for its owner alone, never over
    another one. Raises UsageError, and CorpusError where the store cannot be written.
    """
    now = datetime.now().astimezone()
    stem = Path(name).name if name else f"conversation-{now:%Y%m%d-%H%M%S}"
    path = store / SAVED_FOLDER / (stem if stem.endswith(".md") else f"{stem}.md")
    text = render.export_markdown([render.exported_answer(turn.answer) for turn in turns])
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{str(path)!r} exists already.", "Choose another name.") from None
    except (OSError, ValueError) as error:
        raise CorpusError(f"{str(path)!r} cannot be written ({error}).") from None
    return path
