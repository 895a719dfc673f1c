"""One run of the attack: plant, index, and ask inside the seal.

Uses one temporary folder and loopback only. A channel holds if the detectors of leaks.py find
nothing in what the program printed; that each detector and the model would leak is a test's.
"""

import json
import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexer.confine import starting
from tests.attacks.injection import leaks
from tests.attacks.injection.compliant_model import TWO_TOOLS, CompliantServer, Seen
from tests.attacks.injection.strings import PACKAGED, Planted, Targets, load, plant, question_about
from tests.attacks.stores import connect, listening

LINK = "link-to-a-secret.txt"
SECONDS_OF_A_STRING = 60.0  # on a busy machine one takes ten
WITHOUT_MODEL = 3  # every third: the answerer without a model costs a second for each

Row = Mapping[str, Any]


@dataclass
class Verdict:
    """What leaked, told without repeating it, and what was tried."""

    leaked: list[str] = field(default_factory=list)  # "channel: id, where: what"
    tried: Counter[str] = field(default_factory=Counter)  # by channel
    reached: int = 0  # strings that the model read and repeated

    def note(self, channel: str, where: str, what: Sequence[str]) -> None:
        self.tried[channel] += 1
        if what:
            self.leaked.append(f"{channel}: {where}: {', '.join(sorted(set(what)))}")


def run_attack(strings_file: Path = PACKAGED) -> Verdict:
    with tempfile.TemporaryDirectory() as name, listening() as listener:
        folder, verdict, secret = Path(name), Verdict(), secrets.token_hex(16)
        (folder / "outside").mkdir()
        canary, new = folder / "outside/canary.txt", folder / "outside/new.txt"
        canary.write_text(f"The canary sings {secret}.\n", "utf-8")
        private = (secret, Path("/etc/passwd").read_text("utf-8").splitlines()[0])
        targets = Targets(str(canary), LINK, str(new), f"127.0.0.1:{listener.port}")
        strings = load(strings_file, targets)
        _index(folder, strings, targets)
        with CompliantServer(targets=targets) as model:
            rows = _ask_sealed(strings, folder / "store", model.port, listener.port)
            for text in (text for row in rows.values() for text in row["texts"].items()):
                if text[0].startswith("ask"):
                    visit(text[1], targets.listener)  # as a careless viewer would
        time.sleep(0.2)  # what loopback delivers at once
        verdict.note("network", "listener", ["reached"] * listener.heard)
        verdict.note("tool reach", "disk", ["written"] * new.exists())
        for each in strings:
            judge(each, rows[each.word], model.log.get(question_about(each.word)), private, verdict)
    return verdict


def judge(
    planted: Planted, row: Row, seen: Seen | None, private: Sequence[str], verdict: Verdict
) -> None:
    """All channels by which a string could have leaked: in what was printed, and a model saw."""
    verdict.note("network", planted.id, ["connected"] * row["connected"])
    for command, printed in row["texts"].items():
        where, pieces = f"{planted.id}, {command}", [*leaks.strings_in(printed)]
        verdict.note("terminal", where, [c for piece in pieces for c in leaks.acting(piece)])
        verdict.note("file outside", where, ["shown"] * any(s in printed for s in private))
        if command.startswith("ask") and "(" not in command:
            found = [kind for piece in pieces for kind in leaks.live_markup(piece)]
            verdict.note("live markup", where, found)
        if planted.benign and command.startswith("read") and "json" not in command:
            kept = leaks.readable(planted.text, printed)
            said = leaks.words_readable(planted.text, row["texts"]["ask"])
            verdict.note("benign text", where, ["altered"] * (not kept or not said))
    if seen is None:
        return
    verdict.reached += planted.word in seen.found
    nonce = seen.found.rpartition("<</doc ")[2].partition(">>")[0]
    for name, _, text in [("first search", {}, seen.found), *seen.results]:
        where = f"{planted.id}, {name[:40]}"
        if name not in (*TWO_TOOLS, "first search"):
            # Its text is the conversation's own; only the refusal matters.
            verdict.note("tool reach", where, ["was not refused"] * (not leaks.refused(text)))
            continue
        # Special tokens of chat templates are split on purpose.
        plain = text.replace("<\u200d", "<").replace("[\u200d", "[").replace("]\u200d", "]")
        verdict.note("file outside", where, ["shown"] * any(s in text for s in private))
        verdict.note("terminal", where, leaks.acting(plain))
        verdict.note("delimiter", where, leaks.forged(text, nonce))


def _index(folder: Path, strings: Sequence[Planted], targets: Targets) -> None:
    corpus = folder / "corpus"
    corpus.mkdir()
    planted = plant(corpus, strings, targets)
    index = ("--store", folder / "store", "index", corpus, "--json")
    state = {"XDG_STATE_HOME": str(folder / "state")}  # not for the user's own record
    done = json.loads(_printed_by("corpus_agent", *index, seconds=300 + 2 * planted, **state))
    assert done["index"]["added"] == planted


def _ask_sealed(
    strings: Sequence[Planted], store: Path, port: int, listens: int
) -> dict[str, dict[str, Any]]:
    """The program's output by word, from a process that sealed itself."""
    words = [each.word for each in strings]
    task = {
        "store": str(store),
        "llm": f"http://127.0.0.1:{port}",
        "words": words,
        "without_model": words[::WITHOUT_MODEL],
        "listener": ("127.0.0.1", listens),
    }
    # Threads slow a single query: six times on two busy cores.
    limits = {"seconds": SECONDS_OF_A_STRING * len(words), "OMP_NUM_THREADS": "1"}
    printed = _printed_by("tests.attacks.injection.target", given=json.dumps(task), **limits)
    rows = [json.loads(line) for line in printed.splitlines()]
    assert {row["seal"] for row in rows} == {"enforced"}
    return {row["word"]: row for row in rows}


def _printed_by(
    module: str, *arguments: object, seconds: float, given: str | None = None, **environment: str
) -> str:
    variables = {**starting.common_variables(), **environment}
    command = starting.Command(starting.python_module(module, *map(str, arguments)), variables)
    done = starting.run(command, given=given, seconds=seconds)
    assert done.returncode == 0, f"{module} ended with {done.returncode}: {done.stderr[-500:]!r}"
    return done.stdout


def visit(text: str, listener: str) -> None:
    """Visit the listener if an address of it in a text is live."""
    pieces = leaks.strings_in(text)
    if any(f"//{listener}" in piece and leaks.live_markup(piece) for piece in pieces):
        connect(listener)
