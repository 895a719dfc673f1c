"""The page where a text is pasted, and shown with marks that lead to what the documents say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from corpus_agent import render
from corpus_agent.text.sanitize import visible
from indexer import CorpusError

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.web.site import Site


def check_text(site: Site, request: Request) -> Response:
    """The form; of a text that was sent its pieces with their marks, and each passage."""
    text = request.state.form.get("text", "").replace("\r\n", "\n")
    problem, shown = "", {}
    if text.strip():
        try:
            checked = site.service.check(text, site.service.corpus())
        except CorpusError as error:
            problem = visible(str(error))
        else:
            found = render.checked_object(checked, site.launch.seal.state)["check"]
            shown = {
                "pieces": list(render.marked_pieces(checked)),
                "findings": found["findings"],
                "foot": list(render.checked_foot(checked)),
            }
    return site.show("check.html", text=visible(text), problem=problem, shown=shown)
