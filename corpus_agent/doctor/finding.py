"""A check, what it found, and both as lines and JSON. Looks at nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from corpus_agent.text.sanitize import one_line
from indexer import CorpusError

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, on one line, and the command that mends it.

    `warn` is what works and is worth knowing; `fail` is what is wrong.
    """

    state: State
    found: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at. `look` may raise CorpusError, whose hint then says how to mend it."""

    name: str
    what: str
    look: Callable[[], Finding]


def examine(checks: Iterable[Check]) -> Iterator[tuple[Check, Finding]]:
    """Each check with what it finds, as soon as it has."""
    for check in checks:
        try:
            finding = check.look()
        except CorpusError as error:
            finding = Finding("fail", error.message, error.hint)
        yield check, finding


def lines(check: Check, finding: Finding) -> Iterator[str]:
    """One line for a person, and the command that mends it below."""
    yield f"{finding.state:<5}{check.name:<16}{one_line(finding.found)}"
    if finding.mend and finding.state != "ok":
        yield f"{'':<21}-> {one_line(finding.mend)}"


def as_json(findings: Sequence[tuple[Check, Finding]]) -> dict[str, Any]:
    """The JSON of `doctor`; `passed` says that nothing is wrong."""
    return {
        "passed": all(finding.state != "fail" for _, finding in findings),
        "checks": [
            {
                "name": check.name,
                "what": check.what,
                "state": finding.state,
                "found": one_line(finding.found),
                "mend": one_line(finding.mend) or None,
            }
            for check, finding in findings
        ],
    }
