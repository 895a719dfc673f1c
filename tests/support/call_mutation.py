"""Every entry of every table of system calls, taken away or widened, and what the kernel then says.

`python -m tests.support.call_mutation mutants|answers [KIND…]` prints JSON: for each kind of
process how many entries there are, where the kernel's answers differ from what is written down, and
which mutants nobody would notice. A process of its own, since it forks for every mutant. What is
written down: docs/system-calls.md and tests/support/call_spec.py, neither of which the policy
reads.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from errno import ENOSYS, EPERM

from indexer.confine import one_peer, parser_calls, program_calls, raw, sealed_calls
from indexer.confine.rules import Arg, Calls
from indexer.confine.syscalls import names, number
from tests.support.call_oracle import THROUGH, Probe, answers
from tests.support.call_spec import PID, SPEC, starts, tried
from tests.support.places import REPOSITORY

PAGE = REPOSITORY / "docs" / "system-calls.md"
TABLES: dict[str, Calls] = {
    "program": sealed_calls(),
    "watch": sealed_calls(watching=True),
    "web": sealed_calls(serving=True),
    "parser": parser_calls(PID),
    "broker": one_peer(socket.AF_INET),
    "llama-server": one_peer(socket.AF_UNIX, serve=True),
    "ripgrep": program_calls(PID),
    "program+gpu": sealed_calls(gpu=True),
    "llama-server+gpu": one_peer(socket.AF_UNIX, serve=True, gpu=True),
}
WORDS = {"yes": THROUGH, "EPERM": EPERM, "–": ENOSYS}
WHOLE_WORD = 0xFFFFFFFF


def written() -> dict[str, dict[str, str]]:
    """docs/system-calls.md: for each kind of process a word for each call."""
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    heads = [cell.strip() for cell in lines[0].strip("|").split("|")][1:-1]
    page: dict[str, dict[str, str]] = {head: dict.fromkeys(names(), "–") for head in heads}
    for line in lines[2:]:
        name, *words = (cell.strip(" `") for cell in line.strip("|").split("|"))
        for head, word in zip(heads, words, strict=False):
            page[head][name] = word
    return page


def expected(page: dict[str, dict[str, str]], kind: str, probe: Probe) -> int:
    """What the kernel should say to a probe."""
    name, values = probe
    word = page[kind.removesuffix("+gpu")][name]
    if word != "when":
        return WORDS[word]
    return THROUGH if SPEC[name](kind, *values) else EPERM


def probes(name: str, *, every_bit: bool) -> list[Probe]:
    """What to ask about one call."""
    if name not in SPEC:
        return [(name, (0, 0, 0, 0, 0))]
    return [(name, values) for values in (tried(name) if every_bit else starts(name))]


def mutants(calls: Calls) -> Iterator[tuple[str, str, Calls]]:
    """Which call, what was done to it, and the table that it leaves."""
    for at, denial in enumerate(calls.denied):
        denied = (*calls.denied[:at], *calls.denied[at + 1 :])
        yield denial.syscall, "refusal removed", replace(calls, denied=denied)
    for at, allow in enumerate(calls.allowed):
        before, after = calls.allowed[:at], calls.allowed[at + 1 :]
        yield allow.syscall, f"{allow} removed", replace(calls, allowed=(*before, *after))
        for nth, test in enumerate(allow.when):
            for how, weaker in weakened(test):
                when = (*allow.when[:nth], *weaker, *allow.when[nth + 1 :])
                allowed = (*before, replace(allow, when=when), *after)
                yield allow.syscall, f"{allow} with {how}", replace(calls, allowed=allowed)


def weakened(test: Arg) -> Iterator[tuple[str, tuple[Arg, ...]]]:
    """The test left out, or less of the argument looked at."""
    yield f"{test} left out", ()
    if test.wide:
        yield "half of the pointer", (Arg(test.argument),)
    if test.mask not in (0, WHOLE_WORD) and test.mask & (test.mask - 1):
        for bit in (1 << n for n in range(32) if test.mask >> n & 1):
            smaller = replace(test, mask=test.mask & ~bit, value=test.value & ~bit)
            yield f"{bit:#x} not looked at", (smaller,)


def examined(
    kind: str, calls: Calls, page: dict[str, dict[str, str]], *, mutating: bool
) -> dict[str, object]:
    """One table: its entries, wrong answers, and the mutants that nobody would notice."""
    arch = raw.architecture()
    here = [name for name in names() if number(name, arch) is not None]
    asked = [probe for name in here for probe in probes(name, every_bit=True)]
    questions = len(asked)
    wrong = [
        f"{probe}: {answer}"
        for probe, answer in zip(asked, answers(calls, asked), strict=True)
        if answer != expected(page, kind, probe)
    ]
    count = 0
    unnoticed = []
    for name, what, mutant in mutants(calls) if mutating else ():
        if number(name, arch) is None:
            continue
        count += 1
        asked = probes(name, every_bit="not looked at" in what)
        met = answers(mutant, asked)
        if met == [expected(page, kind, probe) for probe in asked]:
            unnoticed.append(f"{name}: {what}")
    return {
        "entries": len(calls.allowed) + len(calls.denied),
        "mutants": count,
        "probes": questions,
        "wrong": wrong[:50],
        "unnoticed": unnoticed,
    }


if __name__ == "__main__":
    mode, *kinds = sys.argv[1:]
    page = written()
    seen = {
        kind: examined(kind, TABLES[kind], page, mutating=mode == "mutants")
        for kind in kinds or TABLES
    }
    print(json.dumps(seen, indent=1))
