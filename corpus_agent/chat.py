"""A conversation at a terminal or through a pipe: history, sources, reading on.

Holds the turns; answering is the answerer's business and printing the caller's `write`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from corpus_agent import report, session
from corpus_agent.answer import Answerer, Citation, OnEvent, Turn
from corpus_agent.clean import visible
from corpus_agent.local import LocalCorpus
from indexer.errors import CorpusError

PROMPT = "> "
AROUND = 10  # lines that /read shows before and after a quotation
HELP = """Type a question, or
  /sources   the passages that the last answer quotes
  /read N    source N with the lines around it
  /quit      end (so does Ctrl-D); Ctrl-C stops an answer"""


class Chat:
    """One conversation over one version of the corpus."""

    def __init__(
        self,
        corpus: LocalCorpus,
        answerer: Answerer,
        write: Callable[[str], None],
        on_event: OnEvent,
    ) -> None:
        self._corpus = corpus
        self._answerer = answerer
        self._write = write
        self._on_event = on_event
        self._turns: list[Turn] = []

    def run(self) -> None:
        """Converse until /quit or the end of input."""
        interactive = sys.stdin.isatty()
        if interactive:
            import readline  # noqa: F401 - importing it gives input() line editing and recall

            self._write(f"{report.searched(self._corpus.coverage())}; /help lists the commands.")
        while True:
            try:
                line = input(PROMPT if interactive else "").strip()
            except EOFError:
                return
            except KeyboardInterrupt:
                self._write("")  # a fresh line: Ctrl-C while typing clears what was typed
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
        answer = session.ask(question, self._corpus, self._answerer, self._turns, self._on_event)
        self._turns.append(Turn(question, answer))
        for line in report.answer_lines(answer):
            self._write(line)

    def _command(self, line: str) -> None:
        name, _, argument = line.partition(" ")
        if name == "/sources":
            self._sources()
        elif name == "/read":
            self._read(argument.strip())
        elif name == "/help":
            self._write(HELP)
        else:
            self._write(f"Unknown command {visible(name)}.\n{HELP}")

    def _citations(self) -> tuple[Citation, ...]:
        return self._turns[-1].answer.citations if self._turns else ()

    def _sources(self) -> None:
        citations = self._citations()
        if not citations:
            self._write("The last answer quotes nothing." if self._turns else "Nothing asked yet.")
        for line in report.citation_lines(citations):
            self._write(line)

    def _read(self, number: str) -> None:
        chosen = [citation for citation in self._citations() if str(citation.n) == number]
        if not chosen:
            self._write("Which one? /sources lists the numbers, as in /read 1.")
            return
        citation = chosen[0]
        first = max(1, citation.line_start - AROUND)
        count = citation.line_end - first + 1 + AROUND
        window = self._corpus.read(citation.source, first, count)
        last = first + len(window.lines) - 1
        self._write(f"--- {report.place(citation.source, first, last, citation.page)} ---")
        if window.stale:
            self._write("This file changed after it was indexed.")
        for line in window.lines:
            self._write(visible(line.text))
