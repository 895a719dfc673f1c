"""A conversation at a terminal or through a pipe: questions, their sources, reading on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpus_agent import render
from corpus_agent.answering.records import Turn
from corpus_agent.text.naming import quoted
from corpus_agent.text.sanitize import visible
from corpus_agent.text.wording import searched
from indexer import CorpusError, UsageError

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Passage
    from indexer import Index

PROMPT = "> "
AROUND = 10  # lines that /read shows before and after a passage
HELP = """Type a question, or
  /sources   the passages that were shown, with their numbers
  /read N    passage N with the lines around it
  /quit      end (so does Ctrl-D); Ctrl-C stops an answer"""


@dataclass
class Chat:
    """One conversation; each question is answered from the newest version of the corpus.

    `ask` answers after the turns so far, `write` prints a line, `style` shows which are likely.
    """

    corpus: Index
    ask: Callable[[str, Index, Sequence[Turn]], Answer]
    write: Callable[[str], None]
    style: Callable[[str, bool], str] | None = None
    turns: list[Turn] = field(default_factory=list)

    def run(self) -> None:
        """Converse until /quit or the end of input."""
        interactive = sys.stdin.isatty()
        if interactive:
            import readline  # noqa: F401 - editing and history of what is typed

            self.write(f"{searched(self.corpus.coverage())}; /help lists the commands.")
        while True:
            try:
                line = input(PROMPT if interactive else "").strip()
            except EOFError:
                return
            except KeyboardInterrupt:
                self.write("")  # a new line: Ctrl-C while typing clears the input
                continue
            if line in ("/quit", "/exit", "quit", "exit"):
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
            self.write("Stopped.")
        except CorpusError as error:
            self.write(f"Error: {visible(str(error))}")

    def _ask(self, question: str) -> None:
        self.corpus = self.corpus.latest()
        answer = self.ask(question, self.corpus, self.turns)
        self.turns.append(Turn(question, answer))
        for line in render.answer_lines(answer, self.style):
            self.write(line)

    def _command(self, line: str) -> None:
        name, _, argument = line.partition(" ")
        if name == "/sources":
            self._sources()
        elif name == "/read":
            self._read(argument.strip())
        elif name == "/help":
            self.write(HELP)
        else:
            self.write(f"Unknown command {quoted(name)}.\n{HELP}")

    def _passages(self) -> dict[str, Passage]:
        """Every passage of the conversation by its number, in order."""
        every = (passage for turn in self.turns for passage in turn.answer.passages)
        numbered = {passage.citation.n: passage for passage in every}
        return {str(n): numbered[n] for n in sorted(numbered)}

    def _sources(self) -> None:
        passages = self._passages()
        if not passages:
            self.write("No passage was shown yet.")
        for n, passage in passages.items():
            self.write(f"[{n}] {render.headed(passage)}")

    def _read(self, number: str) -> None:
        """Print the passage with the lines around it."""
        passage = self._passages().get(number)
        if passage is None:
            raise UsageError("Which one?", "/sources lists the numbers, as in /read 1.")
        citation = passage.citation
        first = max(1, citation.line_start - AROUND)
        count = citation.line_end - first + 1 + AROUND
        window = self.corpus.read(citation.source, first, count)
        last = first + len(window.lines) - 1
        self.write(f"--- {render.place(citation.source, first, last, citation.page)} ---")
        if window.stale:
            self.write("This file changed after it was indexed.")
        for at, line in enumerate(window.lines, start=first):
            within = citation.line_start <= at <= citation.line_end
            self.write(f"{'>' if within else ' '} {visible(line.text)}".rstrip())
