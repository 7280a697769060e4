"""The work of a co-simulation step is bounded by the substeps that are allowed, and what is given
up for that is told once."""

import pytest
from operating_points import some_of
from evaluation_counts import counting_library, steps

MOST = 20_000  # evaluations of the law, its derivatives or its indicators
STEPS = 60

pytestmark = pytest.mark.shipped  # compiles the sources itself


@pytest.mark.fmus(lambda d: bool(d.inputs))
def test_no_step_of_legal_parameters_takes_more_than_its_bound(fmu):
    """By default, with parameters up to six decades apart and steps of 0.01 ms to 10 s; see
    scripts/search_evaluations.py, which searches for longer."""
    most = 0
    for evaluations, told, case in steps(fmu, counting_library(fmu), some_of(STEPS)):
        assert evaluations <= MOST, case
        assert sum("maximumSubsteps" in text for text in told) <= 1, told
        most = max(most, evaluations)
    assert most > 0
