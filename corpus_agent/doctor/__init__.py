"""`doctor`: checks the installation and the index, and names the commands that repair them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from corpus_agent import lazy_modules
from corpus_agent.render.common import advised
from corpus_agent.text.sanitize import one_line
from indexer import CorpusError

if TYPE_CHECKING:
    from corpus_agent.doctor import checks as checks
else:
    __getattr__ = lazy_modules(__name__, ("checks",))

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of a check, on one line, and the command that repairs it."""

    state: State
    found: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `look` may raise CorpusError, whose hint is then the repair."""

    name: str
    look: Callable[[], Diagnosis]

    @property
    def what(self) -> str:
        """What it looks at, as the function says that does."""
        looking = getattr(self.look, "func", self.look)
        return (looking.__doc__ or "").partition("\n")[0].rstrip(".")


def found_before(diagnosis: Diagnosis) -> Diagnosis:
    """What was found before, and is only reported."""
    return diagnosis


def examine(checks: Iterable[Check]) -> Iterator[tuple[Check, Diagnosis]]:
    """Each check with its finding, as soon as it is done."""
    for check in checks:
        try:
            finding = check.look()
        except CorpusError as error:
            finding = Diagnosis("fail", error.message, error.hint)
        yield check, finding


def lines(findings: Sequence[tuple[Check, Diagnosis]], *, verbose: bool) -> Iterator[str]:
    """A line for each check that is not fine and what mends it, then one for the rest; or all."""
    for check, finding in findings:
        if verbose or finding.state != "ok":
            yield f"{finding.state:<5}{check.name:<15} {one_line(finding.found)}"
        if finding.mend and finding.state != "ok":
            yield f"{'':<21}-> {advised(one_line(finding.mend))}"
    fine = sum(finding.state == "ok" for _, finding in findings)
    if not verbose:
        yield f"{fine} of {len(findings)} checks are fine."


def as_json(findings: Sequence[tuple[Check, Diagnosis]]) -> dict[str, Any]:
    """The JSON of `doctor`; `passed` is whether nothing is wrong."""
    rows = [{"name": one.name, "what": one.what, **asdict(found)} for one, found in findings]
    return {
        "passed": all(found.state != "fail" for _, found in findings),
        "checks": [{key: one_line(value) or None for key, value in row.items()} for row in rows],
    }
