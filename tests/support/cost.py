"""What a test costs a processor, which is the same whatever else runs, and how much it may."""

import resource

import pytest

SLOW = 0.07  # processor seconds from which on a test is marked slow and left out of `make check`
# What fails, loosely: a busy machine takes twice as many, and a first import of an engine two.
TOO_MANY = 4.0

# Files of few tests that take long, or that wait for others' processes: begun first, since what
# comes last keeps one process alone. After them files with many slow tests.
LONG = (
    "tests/test_house.py",
    "tests/claims/test_patterns.py",
    "tests/corpus_agent/service/test_watching.py",
    "tests/indexer/sync/test_crash.py",
    "tests/corpus_agent/trust/test_trust.py",
    "tests/indexer/sync/test_sequences.py",
    "tests/corpus_agent/answering/test_generated_damage.py",
)


_elsewhere = 0.0  # of processes that others started for a test


def count_elsewhere(seconds: float) -> None:
    global _elsewhere
    _elsewhere += seconds


def processor_seconds() -> float:
    """What this process, its children that have ended and those elsewhere have taken so far."""
    own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime + _elsewhere


def hold(seconds: float, *, slow: bool) -> None:
    if seconds > TOO_MANY and not slow:
        pytest.fail(
            f"It took {seconds:.1f} s of a processor. Make it cheaper, or mark it slow: "
            f"`make check` has a minute for all, and {SLOW} s for one."
        )
