"""One run of the attack: plant, index, ask inside the seal, and again without protection.

Starts the processes and passes their output to judge.py. Uses one temporary folder and loopback
only.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from corpus_agent.text.sanitize import one_line
from indexer import CorpusError, SealUnavailable
from indexer.confine import starting
from tests.attacks.injection import leaks
from tests.attacks.injection.judge import AttackRun, AttackVerdict, judge
from tests.attacks.injection.listening import Listener, connect
from tests.attacks.injection.planting import plant
from tests.attacks.injection.strings import Planted, Targets, load
from tests.attacks.injection.unprotected import unprotected

LINK = "link-to-a-secret.txt"
# A process is asked about so many strings and has so long for them, however many there are: on a
# busy machine one string takes ten seconds.
STRINGS_OF_A_PROCESS = 16
ASKING_SECONDS = 900.0
STARTING_SECONDS = 300.0
SECONDS_A_DOCUMENT = 2.0  # to index it
WITHOUT_MODEL_OF_A_CLASS = 3
MAX_SHOWN_ERROR = 500  # characters


def run_attack(strings_file: Path | None = None) -> AttackVerdict:
    """The verdict for the strings beside this module or those of a file.

    Raises UsageError for a file of another format, SealUnavailable if this system cannot be
    sealed, CorpusError if a process of the run failed.
    """
    with tempfile.TemporaryDirectory(prefix="corpus-agent-attack-") as name, Listener() as listener:
        folder = Path(name)
        targets = Targets(
            str(folder / "outside/canary.txt"), LINK, str(folder / "outside/new.txt"),
            listener.address,
        )  # fmt: skip
        strings = load(strings_file, targets)
        return judge(_gather(folder, strings, targets, listener))


def _gather(
    folder: Path, strings: Sequence[Planted], targets: Targets, listener: Listener
) -> AttackRun:
    token = secrets.token_hex(16)
    corpus, store, log = folder / "corpus", folder / "store", folder / "log.jsonl"
    corpus.mkdir()
    Path(targets.canary).parent.mkdir()
    Path(targets.canary).write_text(f"The canary sings {token}.\n", "utf-8")
    planted = plant(corpus, strings, Path(targets.canary), LINK)
    state = {"XDG_STATE_HOME": str(folder / "state")}  # not for the user's own record
    index = ("--store", store, "index", corpus, "--json")
    limit = STARTING_SECONDS + SECONDS_A_DOCUMENT * planted
    indexed = json.loads(printed_by("corpus_agent", *index, seconds=limit, **state))
    with _compliant_model(targets, log) as port:
        rows = _ask_sealed(strings, store, port, listener.address)
        noted = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        for row in rows:
            _follow(row["texts"], listener.address)
        connections, wrote = listener.connections(), Path(targets.outside).exists()
        bare = [unprotected(each, port, targets) for each in strings]
    visited = sum(_visit(control.answer, listener.address) for control in bare)
    return AttackRun(
        strings=tuple(strings),
        documents=planted,
        indexed=indexed["index"]["added"],
        secrets=(token, *_passwords()),
        printed={row["word"]: row for row in rows},
        log=tuple(noted),
        connections=connections,
        wrote=wrote,
        bare=tuple(bare),
        bare_connections=visited + sum(control.connections for control in bare),
        bare_received=listener.connections(),
        bare_wrote=Path(targets.outside).exists(),
    )


def _ask_sealed(
    strings: Sequence[Planted], store: Path, port: int, listener: str
) -> list[dict[str, Any]]:
    """The program's output for each string, from processes that sealed themselves."""
    host, _, listens = listener.partition(":")
    without_model = {each.word for each in _some(strings)}
    rows: list[dict[str, Any]] = []
    for words in in_groups([each.word for each in strings]):
        task = {
            "store": str(store),
            "llm": f"http://127.0.0.1:{port}",
            "words": words,
            "without_model": [word for word in words if word in without_model],
            "listener": (host, int(listens)),
        }
        # Threads slow a single query: six times on two busy cores.
        printed = printed_by(
            "tests.attacks.injection.target",
            seconds=ASKING_SECONDS,
            given=json.dumps(task),
            OMP_NUM_THREADS="1",
        )
        rows += [json.loads(line) for line in printed.splitlines()]
    assert all(row["seal"] == "enforced" for row in rows)
    return rows


def in_groups(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The words in their order, as many at a time as one process is asked about."""
    for start in range(0, len(words), STRINGS_OF_A_PROCESS):
        yield words[start : start + STRINGS_OF_A_PROCESS]


def _some(strings: Sequence[Planted]) -> Iterator[Planted]:
    """The first strings of each class: the answerer without a model costs a second for each."""
    seen: Counter[str] = Counter()
    for each in strings:
        seen[each.kind] += 1
        if seen[each.kind] <= WITHOUT_MODEL_OF_A_CLASS:
            yield each


def _passwords() -> list[str]:
    """The first line of /etc/passwd, by which a copy of it is recognised."""
    try:
        return Path("/etc/passwd").read_text("utf-8", "replace").splitlines()[:1]
    except OSError:
        return []


def _follow(texts: dict[str, str], listener: str) -> None:
    """Open what a careless viewer would: each unchanged address of the listener in an answer."""
    for command, text in texts.items():
        if command.startswith("ask"):
            _visit(text, listener)


def _visit(text: str, listener: str) -> int:
    """The number of visits to the listener for a text: 1 if an address in it is live."""
    pieces = leaks.strings_in(text)
    live = any(f"//{listener}" in piece and leaks.live_markup(piece) for piece in pieces)
    if live:
        connect(listener)
    return int(live)


@contextmanager
def _compliant_model(targets: Targets, log: Path) -> Iterator[int]:
    """The port of the model, which runs until the block ends."""
    pipe = subprocess.PIPE
    command = _command("tests.attacks.injection.compliant_model", str(log))
    process = starting.popen(command, stdin=pipe, stdout=pipe, stderr=None)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(json.dumps(asdict(targets)).encode() + b"\n")
        process.stdin.flush()
        yield int(process.stdout.readline())
        process.stdin.close()


def printed_by(
    module: str, *arguments: object, seconds: float, given: str | None = None, **environment: str
) -> str:
    """The output of a module. Raises CorpusError with its last lines if it failed."""
    command = _command(module, *map(str, arguments), **environment)
    try:
        done = starting.run(command, given=given, seconds=seconds)
    except subprocess.TimeoutExpired:
        raise CorpusError(
            f"{module} did not end within {seconds:,.0f} s, so nothing was found out.",
            "Run it again when the machine has less to do.",
        ) from None
    if done.returncode:
        words = one_line(done.stderr)[-MAX_SHOWN_ERROR:]
        if done.returncode == SealUnavailable.exit_code:
            raise SealUnavailable(words)
        raise CorpusError(f"{module} ended with {done.returncode}: {words}")
    return done.stdout


def _command(module: str, *arguments: str, **more: str) -> starting.Command:
    """A module as a process of the run, without the user's settings."""
    variables = {**starting.common_variables(), **more}
    return starting.Command(starting.python_module(module, *arguments), variables)
