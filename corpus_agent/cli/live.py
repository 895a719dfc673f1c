"""The live display of an answer in progress: searches and reads as lines, the streamed draft.

On stderr, and only if that is a terminal. The draft is unchecked, so it is dim and erased when the
answer is complete. Used by `ask` and `chat`.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from corpus_agent.text.sanitize import inert, one_line

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

DRAFT_LINES = 8  # of the draft's end
DRAFT_CHARACTERS = 2_000
PER_SECOND = 8  # times that the draft is drawn


class Watching:
    """A context manager, reusable for each answer; outside of it, nothing is shown."""

    def __init__(self) -> None:
        self._shows = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._live: Live | None = None
        self._draft = ""

    def __enter__(self) -> Self:
        if self._shows:
            from rich.console import Console
            from rich.live import Live

            self._draft = ""
            console = Console(stderr=True, highlight=False)
            self._live = Live(
                console=console,
                transient=True,
                refresh_per_second=PER_SECOND,
                get_renderable=self._tail,
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def event(self, line: str) -> None:
        """Show one line on the current step."""
        if self._live is not None:
            from rich.text import Text

            self._draft = ""
            self._live.console.print(Text(f"· {one_line(inert(line))}", "dim"), soft_wrap=True)

    def draft(self, text: str) -> None:
        """Show the draft so far."""
        self._draft = text[-DRAFT_CHARACTERS:]

    def _tail(self) -> Text:
        from rich.text import Text

        lines = inert(self._draft).splitlines()[-DRAFT_LINES:]
        return Text("\n".join(["…", *lines]), "dim italic")
