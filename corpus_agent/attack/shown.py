"""A verdict as lines for a terminal and as JSON. Pure; leaks are described and never repeated."""

from __future__ import annotations

from dataclasses import asdict

from corpus_agent.attack.judge import Verdict


def table(verdict: Verdict) -> str:
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
    return "\n".join(lines)


def as_json(verdict: Verdict) -> dict[str, object]:
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
        "leaks": [asdict(leak) for leak in verdict.leaks],
        "seconds": round(verdict.seconds, 1),
    }
