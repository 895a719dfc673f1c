"""The live display of an answer in progress: searches and reads as lines, passages, the draft.

On stderr. At a terminal the passages that were found without the model stand there after about a
second, below them the time that has passed and the streamed draft, which is unchecked; both are dim
and erased when the answer is complete. Elsewhere one line says that a model is asked. Used by `ask`
and `chat`.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Self

from corpus_agent import render
from corpus_agent.service.cancel import Onlooker
from corpus_agent.text.sanitize import inert, one_line

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

    from corpus_agent.answering.records import Answer

DRAFT_LINES = 8  # of the draft's end
DRAFT_CHARACTERS = 2_000
READING = "Found so far, while the model reads:"
PER_SECOND = 8  # times that the draft is drawn


class Watching:
    """A context manager, reusable for each answer; outside of it, nothing is shown.

    `quiet`: without a terminal, not even the line that says that a model is asked. `verbose`:
    there, too, each step.
    """

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._verbose = verbose
        self._shows = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._quiet = quiet
        self._passages = ""
        self._began = 0.0
        self._live: Live | None = None
        self._draft = ""

    def __enter__(self) -> Self:
        if self._shows:
            from rich.console import Console
            from rich.live import Live

            self._draft = self._passages = ""
            self._began = time.monotonic()
            console = Console(stderr=True, highlight=False)
            self._live = Live(
                console=console,
                transient=True,
                refresh_per_second=PER_SECOND,
                get_renderable=self._tail,
            )
            self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    @property
    def onlooker(self) -> Onlooker:
        """The callbacks of a question that is shown here."""
        return Onlooker(self.event, self.draft, self.passages)

    def event(self, line: str) -> None:
        """Show one line on the current step."""
        if self._live is not None:
            from rich.text import Text

            self._draft = ""
            self._live.console.print(Text(f"· {one_line(inert(line))}", "dim"), soft_wrap=True)
        elif self._verbose:
            print(f"· {one_line(inert(line))}", file=sys.stderr)  # noqa: T201 - progress, as below

    def passages(self, found: Answer) -> None:
        """Show what was found without the model, which is asked now."""
        if self._live is not None:
            if found.passages:
                lines = render.citation_lines(found.passages)
                self._passages = "\n".join([READING, *lines])
        elif not self._quiet:
            line = "Asking the model, which can take minutes."
            print(line, file=sys.stderr, flush=True)  # noqa: T201 - progress is this module's job

    def draft(self, text: str) -> None:
        """Show the draft so far."""
        self._draft = text[-DRAFT_CHARACTERS:]

    def _tail(self) -> Text:
        from rich.text import Text

        lines = inert(self._draft).splitlines()[-DRAFT_LINES:]
        seconds = int(time.monotonic() - self._began)
        waiting = f"… {seconds} s"
        above = [self._passages, ""] if self._passages else []
        return Text("\n".join([*above, waiting, *lines]), "dim italic")
