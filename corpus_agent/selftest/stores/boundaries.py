"""Hostile indexes, and runs prepared by a run before: each is tried beside its control.

Every attack has homes of its own, copied from one that an honest run made: one in which the index
was found, one in which it was trusted before it turned hostile, and one for the control, where a
program without checks uses the same material and must be affected. Called by `selftest --attack`.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from corpus_agent.selftest.injection.judge import Tried
from corpus_agent.selftest.injection.listening import Listener
from corpus_agent.selftest.stores.home import (
    Home,
    Ran,
    State,
    check_readers_are_noticed,
    look,
    make_home,
    run,
    seen,
)
from corpus_agent.selftest.stores.hostile_stores import BESIDE, LIE, QUESTION, STORES, Store
from corpus_agent.selftest.stores.taken_over import LEGACIES, Legacy
from corpus_agent.text.sanitize import one_line
from indexer import CorpusError, SealUnavailable

AT_ONCE = 4
_TAKEN_OVER = "corpus_agent.selftest.stores.taken_over"
MAX_SHOWN_ERROR = 500  # characters


def try_boundaries(folder: Path) -> tuple[Tried, ...]:
    """One result per attack, in the order of the tables; works in `folder`, which is empty.

    Raises CorpusError if an honest step failed, SealUnavailable if nothing can be sealed.
    """
    check_readers_are_noticed(folder)
    honest = _honest(folder / "honest")
    usual = _usual(_copy(honest, folder / "usual"))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        stores = pool.map(lambda each: try_store(each, honest, folder / each.name), STORES)
        lasting = pool.map(
            lambda each: try_legacy(each, usual, honest, folder / f"left-{each.name}"),
            LEGACIES.values(),
        )
        return (*stores, *lasting)


def try_store(attack: Store, honest: Home, folder: Path) -> Tried:
    """An index that was found, one that was trusted before, and the control."""
    leaked = {
        f"{kind} ({how})"
        for how in ("found", "trusted")
        for kind in _attacked(attack, _copy(honest, folder / how), trusted=how == "trusted")
    }
    with Listener() as listener:
        home = _copy(honest, folder / "control")
        _alter(attack, home, listener.address)
        before = look(home)
        printed = attack.unchecked(home)
        got = _came_of(home, before, printed, listener)
    return Tried("store", attack.name, attack.what, got, tuple(sorted(leaked)))


def _attacked(attack: Store, home: Home, *, trusted: bool) -> tuple[str, ...]:
    """The effects of the user's command."""
    if trusted:
        root = home.home / attack.root
        _honestly(run(home, "corpus_agent", "trust", home.store, "--root", root.resolve()))
    with Listener() as listener:
        _alter(attack, home, listener.address)
        before = look(home)
        store = home.home / attack.over if attack.over else home.store
        more = (home.project,) if attack.command[0] == "index" else ()
        ran = run(home, "corpus_agent", "--store", store, *attack.command, *more)
        found = _came_of(home, before, ran.out + ran.err, listener)
    must = attack.refused or not trusted
    return (*found, *_ending(ran, must=must))


def _alter(attack: Store, home: Home, listener: str) -> None:
    if attack.lists is not None:
        listed = (home.store, home.home, attack.lists)
        _honestly(run(home, "corpus_agent.selftest.stores.forging", *listed))
    attack.alter(home, listener)


def _usual(home: Home) -> dict[str, object]:
    """The boundary of a run without leftovers, from which nothing outside is reached."""
    _honestly(run(home, "corpus_agent", "trust", home.store))
    found: dict[str, object] = json.loads(_honestly(_reached(home, "", "next")).out)
    return found


def try_legacy(legacy: Legacy, usual: Mapping[str, object], honest: Home, folder: Path) -> Tried:
    """The leftovers of a run that was taken over, the user's next run, and the control.

    `usual` is the boundary of a run without leftovers.
    """
    with Listener() as listener:
        home = _copy(honest, folder / "sealed")
        _honestly(run(home, "corpus_agent", "trust", home.store))
        _left(home, listener.address, legacy, "sealed")
        before = look(home)
        ran = run(home, "corpus_agent", "--store", home.store, "ask", QUESTION)
        leaked = list(_came_of(home, before, ran.out + ran.err, listener))
        leaked += _ending(ran, must=False)
        leaked += _moved(usual, _reached(home, listener.address, "next"), listener)
    with Listener() as listener:
        home = _copy(honest, folder / "control")
        if legacy.outside:
            _honestly(run(home, "corpus_agent", "trust", home.store))
        _left(home, listener.address, legacy, "control")
        mode = "next" if legacy.outside else "believing"
        got = _moved(usual, _reached(home, listener.address, mode), listener)
    return Tried("persistence", legacy.name, legacy.what, tuple(got), tuple(leaked))


def _moved(usual: Mapping[str, object], later: Ran, listener: Listener) -> list[str]:
    """How the boundary of a run differs from the usual one, and what was reached."""
    found = ["sent"] if listener.connections() else []
    if later.broke:
        return [*found, "broke"]
    if later.code:  # it was refused, so it reached nothing
        return [*found, *([] if later.refused else ["refused without a word"])]
    met = json.loads(later.out)
    if met["reached"]:
        found.append("read")
    if met["root"] != usual["root"]:
        found.append("another root")
    if met["server"] != usual["server"]:
        found.append("another server")
    return found


def _came_of(home: Home, before: State, printed: str, listener: Listener) -> tuple[str, ...]:
    found = [*seen(home, before, printed)]
    if listener.connections():
        found.append("sent")
    if LIE in printed:
        found.append("believed")
    return tuple(found)


def _ending(ran: Ran, *, must: bool) -> list[str]:
    """What is wrong with the end of a command; with `must`, it had to refuse."""
    if ran.broke:
        return ["broke"]
    if ran.code:
        return [] if ran.refused else ["refused without a word"]
    return ["obeyed"] if must else []


def _left(home: Home, listener: str, legacy: Legacy, mode: str) -> None:
    """Have code inside a run leave something, and verify that it could where it should."""
    words = ("leave", legacy.name, mode)
    errno = json.loads(_honestly(run(home, _TAKEN_OVER, *words, given=_around(home, listener))).out)
    if errno["errno"] is not None and not (legacy.outside and mode == "sealed"):
        raise CorpusError(f"What {legacy.name} leaves could not be written: {errno}.")


def _reached(home: Home, listener: str, mode: str) -> Ran:
    return run(home, _TAKEN_OVER, "reach", mode, given=_around(home, listener))


def _around(home: Home, listener: str) -> str:
    return json.dumps({"base": str(home.base), "listener": listener})


def _honest(base: Path) -> Home:
    """A home whose user made an index, and a second one of another folder."""
    home = Home(base, secrets.token_hex(16))
    make_home(home)
    another = home.home / BESIDE
    another.mkdir()
    (another / "lease.md").write_text(f"# Lease\n\n{LIE}\n", "utf-8")
    for folder in (home.project, another):
        store = folder / ".corpus-agent"
        _honestly(run(home, "corpus_agent", "--store", store, "index", folder))
    home.record.unlink()  # each copy is an index of its own, at another path
    return home


def _copy(honest: Home, base: Path) -> Home:
    shutil.copytree(honest.base, base, symlinks=True)
    return Home(base, honest.token)


def _honestly(ran: Ran) -> Ran:
    """A step that must succeed."""
    if ran.code == SealUnavailable.exit_code:
        raise SealUnavailable(one_line(ran.err)[-MAX_SHOWN_ERROR:])
    if ran.code:
        raise CorpusError(f"A step of the attack failed: {one_line(ran.err)[-MAX_SHOWN_ERROR:]}")
    return ran
