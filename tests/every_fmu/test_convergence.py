"""Co-simulation converges to itself: long steps at any tolerance against short ones at a tight one;
see support/convergence.py, which also searches for longer."""

import pytest

from convergence import TOLERANCES, compare, has_memory
from operating_points import some_of

RECORDS = 3


@pytest.mark.fmus(lambda d: has_memory(d))
def test_no_force_is_off_by_a_hundred_tolerances(fmu):
    compared, records = 0, range(some_of(RECORDS))
    for number in records:
        findings, steps = compare(fmu, number)
        assert all(finding.excused for finding in findings), findings
        compared += steps
    assert compared >= 0.5 * 4 * len(TOLERANCES) * len(records), "most steps must be compared"
