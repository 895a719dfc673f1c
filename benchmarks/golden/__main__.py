"""Record what the program does, or compare it with the record; see the package.

    python -m benchmarks.golden take [PART...] [--quick]
    python -m benchmarks.golden check [PART...] [--quick]

`check` prints each difference and ends with 1 if there is any. A rewrite that means to change
something takes that part again in the same commit, whose message says what a reader loses; the
difference of the data names the files and pages. `--quick` leaves out what takes long. The
evaluation data is looked for in ../shared/eval, or where GOLDEN_EVAL says.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
import time
from types import ModuleType

from benchmarks import golden
from benchmarks.golden import compare


def parts() -> dict[str, ModuleType]:
    """The modules of this package that are parts, by name."""
    found = {}
    for module in pkgutil.iter_modules(golden.__path__):
        if module.name != "__main__":
            part = importlib.import_module(f"{golden.__name__}.{module.name}")
            if hasattr(part, "NAME"):
                found[part.NAME] = part
    return found


def run(part: ModuleType, names: set[str] | None, *, writes: bool) -> int:
    """Take a part, and write or compare it; how many differences were printed."""
    started, worked = time.monotonic(), sum(os.times()[:4])  # with children that ended
    new = part.take(names, lambda line: print(f"{part.NAME}: {line}", file=sys.stderr, flush=True))
    skipped = new.pop("skipped", {})
    for name, reason in skipped.items():
        print(f"{part.NAME}: {name} is skipped: {reason}")
    whole = compare.load(part.NAME)
    left_out = compare.below(whole, skipped)
    old = {k: v for k, v in compare.below(whole, names).items() if k not in left_out}
    found = getattr(part, "differences", compare.differences)(old, new)
    if writes:
        compare.save(part.NAME, {k: v for k, v in whole.items() if k not in old} | new)
    else:
        print(*found, sep="\n", end="\n" if found else "")
    seconds, processor = time.monotonic() - started, sum(os.times()[:4]) - worked
    print(
        f"{part.NAME}: {len(new):,} entries, {len(found):,} differences"
        f"{', written' if writes else ''}, {seconds:.0f} s ({processor:.0f} s of processors)",
        flush=True,
    )
    return 0 if writes else len(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", choices=("take", "check"))
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--quick", action="store_true", help="leave out what takes long")
    options = parser.parse_args()
    known, found = parts(), 0
    if unknown := {*options.parts} - known.keys():
        parser.error(f"there is no {', '.join(unknown)}; there are: {', '.join(known)}")
    for name in options.parts or known:
        names = set(getattr(known[name], "QUICK", ())) if options.quick else None
        found += run(known[name], names or None, writes=options.action == "take")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
