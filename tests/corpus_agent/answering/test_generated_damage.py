"""Generated damage to quotations, and answers that contradict their own: benchmarks/."""

import random
import re

import pytest

from benchmarks.answers import KINDS, answered, shown
from benchmarks.quotations import GOOD, HABITS, NUMBER_DAMAGE, SENSE_DAMAGE, damaged, verdict

MARKS = re.compile(r"\[unsupported\]|\[differs: ")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("which", ["dev", "held"])
def test_no_damaged_quotation_is_verified_and_right_ones_are(which):
    made = damaged(which, random.Random(31))
    cases = [next(made) for _ in range(600)]
    assert {case.kind for case in cases} >= {*NUMBER_DAMAGE, *SENSE_DAMAGE}
    assert {case.habit for case in cases} == set(HABITS)
    verdicts = [verdict(case) for case in cases]
    good = [verdict in GOOD for verdict in verdicts]
    wrong = [c for c, g in zip(cases, good, strict=True) if g and not c.right]
    # Chinese numerals in two lines: what is shown is the document's own line.
    known = ("number over a line end", HABITS[-1])
    assert [case for case in wrong if (case.kind, case.habit) != known] == []
    kept = [verdict in (*GOOD, "widened") for verdict in verdicts]
    right = [k for case, k in zip(cases, kept, strict=True) if case.right]
    assert sum(right) >= 0.99 * len(right) > 150


@pytest.mark.parametrize("which", ["dev", "held"])
def test_an_answer_that_contradicts_its_own_quotation_is_marked(which):
    made = answered(which, random.Random(32))
    cases = [next(made) for _ in range(300)]
    marked = {case: bool(MARKS.search(shown(case))) for case in cases}
    assert [case for case in cases if case.kind in KINDS and not marked[case]] == []
    honest = [marked[case] for case in cases if case.kind == "honest"]
    assert sum(honest) <= 0.1 * len(honest)  # with the encoder half as many
