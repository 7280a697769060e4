"""Co-simulation converges to itself: long steps at any tolerance against short ones at a tight one;
scripts/search_convergence.py searches longer."""

import pytest

from convergence import (
    MOST,
    TOLERANCES,
    RandomRecord,
    compare,
    distance,
    has_memory,
    random_record,
    run,
    scale_of,
)
from operating_points import some_of

RECORDS = 3

# Records that once had larger errors: a slip that a falling speed or normal force stops ever more
# slowly, a lift-off or touch-down in sliding, a slip that nearly ends at a communication point, a
# limit or a window reached just before or after a reversal, a law that is nearly linear over many
# small steps, a normal force that comes and goes within a step, the remaining deflection at
# lift-off, an error estimate that vanishes by chance, and the end of a slow slip while the normal
# force rises.
FOUND = {
    "ImplicitBristle": (18, 67, 119, 560083, 560260, 9100317),
    "BlimanSorine": (104, 161, 198, 771347, 771771, 7000006),
    "GeneralizedMaxwellSlip": (7000514,),
    "SimpackStickSlip": (150,),
    "Coulomb": (771550,),
    "AdamsStickSlip": (771310,),
    "ElastoPlastic": (771024,),
    "Gonthier": (771179,),
    "Dahl": (771542, 591031),
    "ContactPoint": (780056, 3000197),
    "LuGreVelocityDamping": (790058, 7000093),
}


@pytest.mark.fmus(lambda d: has_memory(d))
def test_no_force_is_off_by_a_hundred_tolerances(fmu):
    found = FOUND.get(fmu.name, ())
    compared, records = 0, [*range(some_of(RECORDS)), *found[: some_of(len(found))]]
    for number in records:
        findings, steps = compare(fmu, number)
        assert all(finding.excused for finding in findings), findings
        compared += steps
    assert compared >= 0.5 * 4 * len(TOLERANCES) * len(records), "most steps must be compared"


MOVED = pytest.mark.fmus(lambda d: has_memory(d) and d.takes("normalForce", "relativeVelocity"))


@MOVED
@pytest.mark.parametrize("speed", [0.01, 0.1, 1.0, 2.7])
@pytest.mark.parametrize("left", [0.0, 1e-4])
def test_a_motion_that_comes_to_rest_in_a_step_follows_its_whole_curve(fmu, speed, left):
    """The rise of friction before a motion stops lies in the last part of a long step, where the
    rates vanish at its end."""
    inputs = fmu.description.inputs
    values = {v.name: v.start for v in inputs} | {"relativeVelocity": speed}
    for size in (1e-3, 0.13, 0.7, 1.0):
        rates = [(left - speed) / size * (v.name == "relativeVelocity") for v in inputs]
        here = [values[v.name] for v in inputs]
        record = RandomRecord(values, [(0.05, here, [0.0] * len(here)), (size, here, rates)])
        whole, parts = (run(fmu, record, 1e-6, cuts) for cuts in (1, 64))
        assert distance(whole, parts, 1) <= MOST * 1e-6 * 0.6 * values["normalForce"], size


@MOVED
def test_the_state_after_a_dwell_does_not_depend_on_the_communication_steps(fmu):
    """A speed falls to exactly zero, stays there under a growing normal force and rises again:
    modes must not depend on whether there is a communication point at rest."""
    tolerance, steps, last = 1e-8, [], 0.0
    for size, speed, pressed in (
        (0.01, 0.05, 0.0),
        (0.05, 0.05, 0.0),
        (0.0025, 0.0, 0.0),
        (1.0, 0.0, 100.0),
        (0.01, 0.05, 0.0),
    ):
        rates = {"relativeVelocity": (speed - last) / size, "normalForce": pressed / size}
        here = {"relativeVelocity": last, "normalForce": 109.81 if len(steps) == 4 else 9.81}
        values = [
            [table.get(v.name, 0.0) for v in fmu.description.inputs] for table in (here, rates)
        ]
        steps.append((size, *values))
        last = speed
    record = RandomRecord({v.name: v.start for v in fmu.description.inputs}, steps)
    whole = run(fmu, record, tolerance)
    largest = max(abs(force) for forces in whole.forces for force in forces)
    for cuts in (2, 3, 7):
        parts = run(fmu, record, tolerance, cuts)
        for step in range(len(steps)):
            assert distance(whole, parts, step) <= MOST * tolerance * largest, step


@pytest.mark.fmus(lambda d: bool(d.states))
def test_steps_that_run_short_of_substeps_are_nearly_right(fmu):
    """Errors relative to the static limit, at most counted as 1: on average 0.14 in the worst
    model, a few hundredths in most."""
    errors = []
    for number in range(30):
        record = random_record(fmu, f"short {number}")
        right = run(fmu, record, 1e-6)
        for substeps in (1, 5, 30):
            result = run(fmu, record, 1e-6, substeps=substeps)
            short = next((s for s, left_out in enumerate(result.skipped) if left_out), None)
            if short is not None and not right.skipped[short]:
                error = distance(result, right, short) / scale_of(fmu, record, right, short)
                errors.append(min(error, 1.0))
    assert len(errors) >= 30 and sum(errors) <= 0.15 * len(errors), sum(errors) / len(errors)
