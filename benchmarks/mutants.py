"""What the tests would miss of what guards a promise: seeded mutants, run against their tests.

    python benchmarks/mutants.py --tree A --tree B --out killed.json

A mutant is the program with one operator, constant, condition or statement changed. The same seed
makes the same 400 of the same sources, so that two states of the tests can be compared. Each TREE
is a checkout with a `.venv` of its own that nothing else uses: it is changed in place, one mutant
after the other, and put back. A mutant is run against the quick tests of its area first, then
against the slow ones; what fails, or hangs, has killed it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import signal
import subprocess
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SEED = 20261124
QUICK, SLOW = "not slow and not nightly", "slow and not nightly"
SECONDS = {QUICK: 900, SLOW: 2400}  # a run that hangs

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

    @property
    def name(self) -> str:
        """What it is called in the results: the same for the same sources."""
        return f"{self.area} {self.path}:{self.line} [{self.start}-{self.end}] {self.text[:60]}"


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


def mutants_of(area: str, path: Path, root: Path) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    tree = ast.parse(source)
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
        for text in changed(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            name = str(path.relative_to(root))
            found.append(Mutant(area, name, node.lineno, start, end, text))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.text))


def chosen(root: Path, seed: int = SEED) -> list[Mutant]:
    """The mutants of every area, the same for the same seed and sources."""
    every = []
    for area, told in AREAS.items():
        paths = [
            path
            for place in told["modules"]
            for path in (
                sorted((root / place).rglob("*.py")) if "." not in place else [root / place]
            )
        ]
        of_area = [mutant for path in paths for mutant in mutants_of(area, path, root)]
        every += random.Random(f"{seed} {area}").sample(of_area, min(told["count"], len(of_area)))
    return every


def fails(tree: Path, tests: list[str], marked: str) -> bool:
    """Whether a test of the tree fails, or does not end."""
    command = [str(tree / ".venv/bin/python"), "tests/support/offline.py", "-m", "pytest"]
    command += ["-x", "-q", "-p", "no:cacheprovider", "--timeout=300", "-m", marked]
    with subprocess.Popen(
        [*command, *(test for test in tests if (tree / test).exists())],
        cwd=tree,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    ) as run:
        try:
            code = run.wait(SECONDS[marked])
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            return True
    if code not in (0, 1, 2, 5):  # passed, failed, not to be collected, none so marked
        raise SystemExit(f"pytest ended with {code}: {tests} {marked!r}")
    return code in (1, 2)


def tried(tree: Path, mutant: Mutant, marked: str) -> bool:
    """Whether a test of the mutant's area that is so marked sees it."""
    path = tree / mutant.path
    source = path.read_bytes()
    try:
        path.write_bytes(source[: mutant.start] + mutant.text.encode() + source[mutant.end :])
        return fails(tree, AREAS[mutant.area]["tests"], marked)
    finally:
        path.write_bytes(source)


def run(
    trees: list[Path], left: list[Mutant], marked: str, done: Callable[[Mutant, bool], None]
) -> None:
    """Try each mutant against the tests that are so marked, one in each tree at a time."""
    lock = threading.Lock()

    def work(tree: Path) -> None:
        while True:
            with lock:
                if not left:
                    return
                mutant = left.pop()
            killed = tried(tree, mutant, marked)
            with lock:
                done(mutant, killed)

    workers = [threading.Thread(target=work, args=(tree,)) for tree in trees]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tree", action="append", type=Path, required=True, help="a checkout")
    parser.add_argument("--out", type=Path, required=True, help="JSON: what killed each mutant")
    parser.add_argument("--area", action="append", choices=AREAS, help="these alone")
    options = parser.parse_args()
    trees = [tree.resolve() for tree in options.tree]
    every = [one for one in chosen(trees[0]) if not options.area or one.area in options.area]
    known = json.loads(options.out.read_text()) if options.out.exists() else {}
    for area in {mutant.area for mutant in every}:  # the control: unchanged, every test passes
        if fails(trees[0], AREAS[area]["tests"], QUICK):
            raise SystemExit(f"{area}: a test fails without any mutant")

    for marked in (QUICK, SLOW):

        def done(mutant: Mutant, killed: bool, marked: str = marked) -> None:
            known.setdefault(mutant.name, {})[marked] = killed
            options.out.write_text(json.dumps(known, indent=0))
            print(f"{mutant.name}: {marked}: {'killed' if killed else 'SURVIVED'}", flush=True)

        alive = [one for one in every if not any(known.get(one.name, {}).values())]
        run(
            trees,
            [one for one in alive[::-1] if marked not in known.get(one.name, {})],
            marked,
            done,
        )
        dead = Counter(one.area for one in every if any(known[one.name].values()))
        for area, count in Counter(one.area for one in every).items():
            print(f"{area:12} {dead[area]:3} of {count:3} killed")
        print(f"{'all':12} {sum(dead.values()):3} of {len(every):3} killed", flush=True)


if __name__ == "__main__":
    main()
