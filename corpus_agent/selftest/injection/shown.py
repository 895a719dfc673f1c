"""A verdict as lines for a terminal and as JSON. Pure; leaks are described and never repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from corpus_agent.selftest.injection.judge import AttackVerdict, Group, Tried


def table(verdict: AttackVerdict) -> str:
    """The verdict as aligned lines for a terminal; leaks are described and never repeated."""
    rows = [("", "channel", "tried", "leaked", "control", "leak")]
    for each in verdict.channels:
        state = "ok" if each.passed else "FAIL"
        control = f"{each.caught} of {each.controls}"
        rows.append((state, each.name, str(each.tried), str(each.leaked), control, each.what))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = ["  ".join([*map(str.ljust, row, widths), row[5]]).rstrip() for row in rows]
    lines += [f"leak: {'; '.join(filter(None, asdict(leak).values()))}" for leak in verdict.leaks]
    lines.append(
        f"{verdict.strings} strings in {verdict.indexed} of {verdict.documents} documents; "
        f"the model read and repeated {verdict.reached}; {len(verdict.leaks)} leaks "
        f"in {verdict.seconds:.0f} s."
    )
    if verdict.boundaries:
        lines += ["", *boundary_lines(verdict.boundaries)]
    return "\n".join(lines)


def as_json(verdict: AttackVerdict) -> dict[str, object]:
    """The verdict for `--json`; the caller adds schema_version and prints."""
    channels = [
        {
            "name": each.name,
            "what": each.what,
            "tried": each.tried,
            "leaked": each.leaked,
            "control_caught": each.caught,
            "controls": each.controls,
            "passed": each.passed,
        }
        for each in verdict.channels
    ]
    return {
        "passed": verdict.passed,
        "strings": verdict.strings,
        "documents": verdict.documents,
        "indexed": verdict.indexed,
        "reached": verdict.reached,
        "channels": channels,
        "stores": _objects(verdict.boundaries, "store"),
        "persistence": _objects(verdict.boundaries, "persistence"),
        "leaks": [asdict(leak) for leak in verdict.leaks],
        "seconds": round(verdict.seconds, 1),
    }


def boundary_lines(results: Sequence[Tried]) -> list[str]:
    """The results as aligned lines for a terminal."""
    rows = [("", "boundary", "unguarded", "program", "attack")]
    for each in results:
        state = "ok" if each.passed else "FAIL"
        control, leaked = ", ".join(each.control), ", ".join(each.leaked)
        name = f"{each.group}: {each.name}"
        rows.append((state, name, control or "NOTHING", leaked or "nothing", each.what))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    held = sum(each.passed for each in results)
    shown = ["  ".join([*map(str.ljust, row, widths), row[4]]).rstrip() for row in rows]
    return [*shown, f"{held} of {len(results)} boundaries held."]


def _objects(results: Sequence[Tried], group: Group) -> list[dict[str, object]]:
    """The results of one group for `--json`."""
    return [
        {
            "name": each.name,
            "what": each.what,
            "control": list(each.control),
            "leaked": list(each.leaked),
            "passed": each.passed,
        }
        for each in results
        if each.group == group
    ]
