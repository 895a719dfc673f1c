"""The page of the state: what `status` says, and with `examine` what `doctor` finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from corpus_agent import doctor, render
from corpus_agent.doctor import Diagnosis
from corpus_agent.settings import one_by_one
from corpus_agent.text.sanitize import one_line

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.web.site import Site

SAID = ("unread", "scans", "language")  # by the page itself


def state(site: Site, request: Request) -> Response:
    """What the index holds, whether the process is sealed; what is wrong, if that is asked."""
    indexes = []
    for name, one in site.service.status():
        status = render.status_object(one, site.launch.seal.state)
        lines = [line.split(maxsplit=1) for line in render.status_lines(status, verbose=True)]
        lines = [each for each in lines[1:] if each[0] not in SAID]
        indexes.append((name, status, render.local_time(status["updated"]), lines))
    findings = _findings(site) if request.query_params.get("examine") else None
    notices = [one_line(notice) for notice in site.launch.notices]
    return site.show("state.html", indexes=indexes, findings=findings, launch_notices=notices)


def _findings(site: Site) -> dict[str, Any]:
    """What doctor finds; the model's server cannot be asked again from inside the seal."""
    launch = site.launch
    server = Diagnosis("ok", "none; answers are quotations")
    if launch.unavailable is not None:
        server = Diagnosis("warn", launch.unavailable.message, launch.unavailable.hint)
    elif launch.model is not None:
        server = Diagnosis("ok", f"{launch.model.name} at {launch.model.server}")
    indexes = [(name, alone, None) for name, alone in one_by_one(site.settings)]
    return doctor.as_json(
        list(doctor.examine(doctor.store.every_check(indexes, launch.seal, server)))
    )
