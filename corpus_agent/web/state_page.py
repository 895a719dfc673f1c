"""The page of the state: what `status` says, and with `examine` what `doctor` finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from corpus_agent import doctor, render
from corpus_agent.doctor import Finding
from corpus_agent.settings import engine_of, stores_to_read
from corpus_agent.text.sanitize import one_line
from indexer import CorpusError, all_extensions, paths, recognition_state, storage

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.settings import NamedStore
    from corpus_agent.startup import Launch
    from corpus_agent.web.site import Site


def state(site: Site, request: Request) -> Response:
    """What the index holds, whether the process is sealed; what is wrong, if that is asked."""
    indexes = [(one.name, list(_lines(site, one))) for one in stores_to_read(site.settings)]
    findings = _findings(site) if request.query_params.get("examine") else None
    notices = [one_line(notice) for notice in site.launch.notices]
    return site.show("state.html", indexes=indexes, findings=findings, launch_notices=notices)


def _lines(site: Site, one: NamedStore) -> Iterator[list[str]]:
    """What `status` says of an index, as names and what they are."""
    assert one.root is not None, "the launch verified whose it is"
    status = render.status_object(
        storage.checked_manifest(one.store),
        one.store,
        one.root,
        storage.usage(one.store),
        site.launch.seal.state,
        root_exists=paths.is_folder(one.root),
        recognition=recognition_state(),
        engine=engine_of(site.settings),
        extensions=all_extensions(),
    )
    for line in render.status_lines(status):
        yield line.split(maxsplit=1)


def _findings(site: Site) -> dict[str, Any]:
    settings, launch = site.settings, site.launch
    stores = stores_to_read(settings)
    server = _model_server(launch)
    checks = list(doctor.environment.checks(settings, stores[0].store, launch.seal, server))
    for one in stores:
        alone = replace(settings, several=(), store=one.store, root=one.root)
        of = f"{one.name}: " if one.name else ""
        own = doctor.store.checks(alone, one.store, None)
        checks += [replace(check, name=f"{of}{check.name}") for check in own]
    return doctor.as_json(list(doctor.examine(checks)))


def _model_server(launch: Launch) -> Finding:
    """What was found when the server began: it cannot be asked again from inside the seal."""
    problem: CorpusError | None = launch.unavailable
    if problem is not None:
        return Finding("warn", problem.message, problem.hint)
    if launch.model is None:
        return Finding("ok", "none; answers are quotations")
    return Finding("ok", f"{launch.model.name} at {launch.model.server}")
