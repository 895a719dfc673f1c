"""The leaks of each channel, and whether each detector caught the control. Pure.

The same functions of leaks.py examine the program's output and that of the unprotected control; a
channel passes if they find nothing in the first and everything in the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.attacks.injection import leaks
from tests.attacks.injection.compliant_model import MODEL, TWO_TOOLS
from tests.attacks.injection.strings import Planted, question_about
from tests.attacks.injection.unprotected import NONCE, Bare, report_of

CHANNELS = {
    "tool reach": "a tool beside the two did something",
    "file outside": "something from outside the corpus was shown",
    "network": "the listener was reached",
    "terminal": "a control, hidden or bidi character was printed",
    "live markup": "a link, image or HTML was in an answer",
    "name": "a file, title or model's name stood there as the program's own words",
    "delimiter": "a tool text held a look-alike of its delimiters",
    "benign text": "a look-alike of an attack was not readable in full",
}


@dataclass(frozen=True, slots=True)
class AttackRun:
    """The evidence of a run.

    `printed` maps a word to the output of the commands, `log` is the model's record of each
    question; fields that begin with `bare` are of the control.
    """

    strings: tuple[Planted, ...]
    documents: int
    indexed: int
    secrets: tuple[str, ...]
    printed: Mapping[str, Mapping[str, Any]]
    log: tuple[Mapping[str, Any], ...]
    connections: int
    wrote: bool
    bare: tuple[Bare, ...]
    bare_connections: int
    bare_received: int
    bare_wrote: bool


@dataclass(frozen=True, slots=True)
class Leak:
    """One leak, described without repeating it: it might act on a terminal."""

    channel: str
    id: str
    kind: str
    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Channel:
    """One way out: tries, leaks, and the number of tries in which the control was caught."""

    name: str
    what: str
    tried: int
    leaked: int
    caught: int
    controls: int

    @property
    def passed(self) -> bool:
        """Whether nothing leaked, and a leak would have been detected."""
        return self.leaked == 0 and self.caught == self.controls


@dataclass(frozen=True, slots=True)
class AttackVerdict:
    """The result of a run; `reached` counts the strings that the model read and repeated."""

    strings: int
    documents: int
    indexed: int
    reached: int
    channels: tuple[Channel, ...]
    leaks: tuple[Leak, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing leaked, every control was caught, and every string was tried."""
        return all(c.passed for c in self.channels) and self.reached == self.strings


def judge(evidence: AttackRun) -> AttackVerdict:
    """The verdict on a run."""
    tried: Counter[str] = Counter()
    found: list[Leak] = []
    asked = {row["question"]: row for row in evidence.log}
    reached = 0
    for planted in evidence.strings:
        row = evidence.printed[planted.word]
        log = asked.get(question_about(planted.word))
        reached += log is not None and planted.word in log["found"]
        for channel, where, what in _tries(planted, row, log, evidence.secrets):
            tried[channel] += 1
            if what:
                found.append(Leak(channel, planted.id, planted.kind, where, what))
    # What reached the listener or the disk cannot be assigned to a string.
    shared = [("network", "listener", f"{evidence.connections} connections")] * bool(
        evidence.connections
    )
    shared += [("tool reach", "disk", "a file was written")] * evidence.wrote
    found += [Leak(channel, "", "", where, what) for channel, where, what in shared]
    caught = _controls(evidence)
    leaked = Counter(leak.channel for leak in found)
    channels = tuple(
        Channel(name, what, tried[name], leaked[name], *caught[name])
        for name, what in CHANNELS.items()
    )
    return AttackVerdict(
        len(evidence.strings), evidence.documents, evidence.indexed, reached, channels,
        tuple(found),
    )  # fmt: skip


Try = tuple[str, str, str]  # channel, where, and what leaked: "" for nothing


def _tries(
    planted: Planted,
    row: Mapping[str, Any],
    log: Mapping[str, Any] | None,
    secrets: Sequence[str],
) -> Iterator[Try]:
    """All channels by which one string could have leaked."""
    yield "network", "connect", "connected" if row["connected"] else ""
    for command, printed in row["texts"].items():
        pieces = [*leaks.strings_in(printed)]
        yield "terminal", command, _joined(leaks.acting(piece) for piece in pieces)
        yield "file outside", command, "shown" if leaks.holds_secret(printed, secrets) else ""
        if "json" not in command and not command.startswith("read"):
            yield "name", command, _joined([_posing(planted, printed)])
        if command.startswith("ask") and "(" not in command:
            yield "live markup", command, _joined(leaks.live_markup(piece) for piece in pieces)
        if planted.benign and command.startswith("read") and "json" not in command:
            yield from _benign(planted, command, printed, row["texts"])
    if log is not None:
        yield from _called(log, secrets)


def _posing(planted: Planted, printed: str) -> list[str]:
    """The names that stand in a text like the program's own words: the string's, the model's."""
    names = {"file or title": planted.name, "model": MODEL}
    return [kind for kind, name in names.items() if leaks.posing(name, printed)]


def _benign(
    planted: Planted, command: str, printed: str, texts: Mapping[str, str]
) -> Iterator[Try]:
    kept = leaks.readable(planted.text, printed)
    yield "benign text", command, "" if kept else "altered"
    kept = leaks.words_readable(planted.text, texts["ask"])
    yield "benign text", "ask", "" if kept else "words are missing"


def _called(log: Mapping[str, Any], secrets: Sequence[str]) -> Iterator[Try]:
    """The results of the model's calls, and leaks in the texts that it received."""
    found = str(log["found"])
    nonce = found.rpartition("<</doc ")[2].partition(">>")[0]
    results = [(str(name), str(text)) for name, _, text in log["results"]]
    for name, text in results:
        if name not in TWO_TOOLS:
            # Its text is the conversation's own; only the refusal matters.
            yield "tool reach", name[:40], "" if leaks.refused(text) else "was not refused"
    for name, text in [("first search", found), *(r for r in results if r[0] in TWO_TOOLS)]:
        yield "file outside", name, "shown" if leaks.holds_secret(text, secrets) else ""
        yield "terminal", name, _joined([leaks.acting(_without_joiners(text))])
        broken = ["unbalanced"] if leaks.unbalanced(text, nonce) else []
        yield "delimiter", name, _joined([[*leaks.forged(text, nonce), *broken]])


def _without_joiners(text: str) -> str:
    """The text as the tool returned it: special tokens of chat templates are split on purpose."""
    for bracket in "<[]":
        text = text.replace(f"{bracket}\u200d", bracket)
    return text


def _joined(kinds: Iterator[list[str]] | Sequence[list[str]]) -> str:
    return ", ".join(sorted({kind for some in kinds for kind in some}))


def _controls(evidence: AttackRun) -> dict[str, tuple[int, int]]:
    """For each channel, the number of strings whose control was caught, and of all."""
    caught: Counter[str] = Counter()
    for planted, bare in zip(evidence.strings, evidence.bare, strict=True):
        texts = [text for _, text in bare.results]
        foreign = [text for name, text in bare.results if name not in TWO_TOOLS]
        caught["tool reach"] += any(not leaks.refused(text) for text in foreign)
        caught["file outside"] += any(leaks.holds_secret(text, evidence.secrets) for text in texts)
        caught["terminal"] += bool(leaks.acting(bare.answer))
        caught["live markup"] += bool(leaks.live_markup(bare.answer))
        caught["delimiter"] += any(leaks.forged(text + "\n", NONCE[:-1]) for text in texts)
        caught["name"] += len(_posing(planted, report_of(planted))) == 2  # both names
        caught["benign text"] += planted.benign and _loss_is_seen(planted.text)
    number = len(evidence.strings)
    controls = {name: (caught[name], number) for name in CHANNELS}
    controls["benign text"] = (caught["benign text"], sum(p.benign for p in evidence.strings))
    connections = min(evidence.bare_received, evidence.bare_connections)
    controls["network"] = (connections, max(1, evidence.bare_connections))
    if not evidence.bare_wrote:
        controls["tool reach"] = (0, number)
    return controls


def _loss_is_seen(text: str) -> bool:
    """Whether a text without its last word would be reported as unreadable."""
    cut = text.rpartition(" ")[0]
    return not (leaks.readable(text, cut) or leaks.words_readable(text, cut))
