"""What the tests would miss of what guards a promise: seeded mutants, run against their tests.

    python benchmarks/mutants.py TREE --out killed.json [--share .3] [--area seal] [--slow]

A mutant is the program with one operator, constant, condition or statement changed. Which ones are
tried is drawn from the text of the line and the change, so that two states of the program are tried
with the same ones where they are alike. TREE is a checkout with a `.venv` that nothing else uses:
it is changed in place, one mutant after the other, and put back, and its Python runs this script. A
mutant is run against the tests of its module first, then against the others of its area, and with
`--slow`, if it is alive, against the slow ones, each in a fork that begins with the libraries
imported. What fails, or takes five times as long as the unchanged area, has killed it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import importlib
import json
import math
import os
import re
import select
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SEED = 20261124
QUICK, SLOW = "not (slow or nightly)", "slow and not nightly"
LONGEST = 2_400  # seconds, of the tests of an area unchanged
OWN = 3  # files of tests that are asked first
# What the tests and the program stand on, and that starts no thread which a seal would find.
LIBRARIES = """
asyncio click.testing email.message http.server hypothesis.internal.conjecture.engine lxml.html
multiprocessing numpy openpyxl PIL.ImageDraw pyarrow.compute pyarrow.dataset pydantic
pypdfium2 pytest_timeout regex reportlab.pdfgen.canvas rich.progress safetensors tokenizers
xdist.plugin _hypothesis_pytestplugin
"""

AREAS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)

COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
COMPUTED: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.Mult: ast.FloorDiv(), ast.BitOr: ast.BitAnd(),
    ast.BitAnd: ast.BitOr(), ast.FloorDiv: ast.Mult(), ast.LShift: ast.RShift(),
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one module: the bytes from `start` to `end` become `text`."""

    area: str
    path: str
    line: int
    start: int
    end: int
    text: str
    before: str  # the lines that it changes

    @property
    def name(self) -> str:
        """What it is called in the results: the same wherever the line stands."""
        return f"{self.area}: {self.before!r} [{self.start}:{self.end}] {self.text[:80]!r}"


def changed(node: ast.AST) -> Iterator[str]:
    """What a node is replaced by, in each way that an operator has for it."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield f"({left} {COMPARED[type(node.ops[0])]} {right})"
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"bool({ast.unparse(node.operand)})"
    elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        yield f"({ast.unparse(ast.BinOp(node.left, COMPUTED[type(node.op)], node.right))})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield str(node.value + 1)
    elif isinstance(node, ast.Raise) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield "pass"
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "return None"


def mutants_of(area: str, path: Path, root: Path) -> Iterator[Mutant]:
    """Every mutant of a module; where it starts and ends is counted from the start of its line."""
    tree, lines = ast.parse(path.read_bytes()), path.read_bytes().splitlines(keepends=True)
    annotations = {
        id(inner)
        for node in ast.walk(tree)
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if part is not None
        for inner in ast.walk(part)
    }
    for node in ast.walk(tree):
        if id(node) in annotations or not hasattr(node, "lineno"):
            continue
        own = lines[node.lineno - 1 : node.end_lineno]
        end = sum(map(len, own[:-1])) + node.end_col_offset
        before = b"".join(own).decode().strip()
        for text in changed(node):
            name = str(path.relative_to(root))
            yield Mutant(area, name, node.lineno, node.col_offset, end, text, before)


def drawn(mutant: Mutant) -> bytes:
    """The lowest are tried."""
    return hashlib.sha256(f"{SEED} {mutant.name}".encode()).digest()


def files_of(tree: Path, places: list[str], pattern: str) -> list[Path]:
    """The files that are named, and those of the folders that are; each has to be there."""
    if missing := [name for name in places if not (tree / name).exists()]:
        raise SystemExit(f"benchmarks/mutants.toml names what is gone: {', '.join(missing)}")
    found = (path for name in places for path in (tree / name, *(tree / name).rglob(pattern)))
    return sorted({path for path in found if path.is_file()})


def chosen(root: Path, area: str, share: float) -> list[Mutant]:
    """The mutants of an area, the same where the lines are the same."""
    paths = files_of(root, AREAS[area]["modules"], "*.py")
    every = {one.name: one for path in paths for one in mutants_of(area, path, root)}
    return sorted(every.values(), key=drawn)[: math.ceil(AREAS[area]["count"] * share)]


def tests_of(tree: Path, area: str, module: str = "") -> tuple[list[str], list[str]]:
    """The files of tests that name a module oftenest, and the others of its area."""
    files, stem = files_of(tree, AREAS[area]["tests"], "test_*.py"), Path(module).stem

    def named(path: Path) -> int:
        return 100 * (path.stem == f"test_{stem}") + path.read_text("utf-8").count(stem)

    own = sorted(filter(named, files), key=named, reverse=True)[:OWN] if module else []
    return [str(path) for path in own], [str(path) for path in files if path not in own]


def failing(
    tree: Path, tests: list[str], marked: str, seconds: float, *options: str
) -> list[str] | None:
    """The tests of these that fail; None where they do not end."""
    if not tests:
        return []
    options = ("-q", "-n", "0", "-p", "no:cacheprovider", "-o", "addopts=-rfE", *options)
    options += ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # of what is imported
    with tempfile.TemporaryFile("w+") as said:
        if not (pid := os.fork()):
            os.setsid()
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            code = pytest.main([*options, "-m", marked, *tests])
            sys.stdout.flush()
            os._exit(code)
        with os.fdopen(os.pidfd_open(pid)) as process:
            ended = bool(select.select([process], [], [], seconds)[0])
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # and what it has left behind
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        said.seek(0)
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", said.read(), re.MULTILINE)
    if not ended:
        return None
    return [] if code in (0, 5) else failed or ["collection"]  # 5: none is so marked


def tried(tree: Path, mutant: Mutant, marked: str, seconds: float, *options: str) -> bool:
    """Whether a test of the mutant's area that is so marked sees it."""
    path = tree / mutant.path
    source, times = path.read_bytes(), path.stat()
    at = sum(map(len, source.splitlines(keepends=True)[: mutant.line - 1]))
    try:
        path.write_bytes(
            source[: at + mutant.start] + mutant.text.encode() + source[at + mutant.end :]
        )
        return any(
            failing(tree, tests, marked, seconds, "-x", *options) != []
            for tests in tests_of(tree, mutant.area, mutant.path)
        )
    finally:
        path.write_bytes(source)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # what is compiled of it is right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tree", type=Path, help="a checkout with an environment of its own")
    parser.add_argument("--out", type=Path, required=True, help="JSON: what killed each mutant")
    parser.add_argument("--area", action="append", choices=AREAS, help="these alone")
    parser.add_argument("--share", type=float, default=1.0, help="of the mutants of each area")
    parser.add_argument("--slow", action="store_true", help="ask the slow tests as well")
    options = parser.parse_args()
    tree, options.out = options.tree.resolve(), options.out.resolve()
    if Path(sys.prefix) != tree / ".venv":
        raise SystemExit(f"Run it with the Python of the tree: {tree}/.venv/bin/python")
    os.chdir(tree)
    sys.path[0], sys.dont_write_bytecode = str(tree), True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    for name in LIBRARIES.split():
        importlib.import_module(name)
    known = json.loads(options.out.read_text()) if options.out.exists() else {}
    for area in options.area or AREAS:
        every = chosen(tree, area, options.share)
        for marked in (QUICK, SLOW) if options.slow else (QUICK,):
            alive = [one for one in every if not any(known.get(one.name, {}).values())]
            left = [one for one in alive if marked not in known.get(one.name, {})]
            if not left:
                continue
            started = time.monotonic()  # the control: what fails unchanged is left out, and said
            sick = failing(tree, tests_of(tree, area)[1], marked, LONGEST)
            if sick is None or "collection" in sick:
                raise SystemExit(f"{area}: the tests do not run without any mutant")
            for test in sick:
                print(f"{area}: left out: {test}", flush=True)
            left_out = [f"--deselect={test}" for test in sick]
            seconds = 5 * (time.monotonic() - started)
            for one in left:
                killed = known.setdefault(one.name, {})[marked] = tried(
                    tree, one, marked, seconds, *left_out
                )
                options.out.write_text(json.dumps(known, indent=0))
                said = "killed" if killed else "SURVIVED"
                print(f"{one.path}:{one.line} {one.name}: {marked}: {said}", flush=True)
        dead = sum(any(known[one.name].values()) for one in every)
        print(f"{area:12} {dead:3} of {len(every):3} killed", flush=True)


if __name__ == "__main__":
    main()
