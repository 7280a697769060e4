"""Co-simulation converges to itself: long steps at any tolerance against short ones at a tight one;
see scripts/search_convergence.py, which searches for longer."""

import pytest

from convergence import TOLERANCES, compare, has_memory
from operating_points import some_of

RECORDS = 3

# Records that have been off by more: a slip that a falling speed or normal force brings down to its
# arrest ever more slowly, a lift-off or touch-down in sliding, a slip that nearly ends at a
# communication point, a limit or a window that is met just before or after a reversal, a law that
# is nearly linear over many small steps, a normal force that comes and goes within a step, what is
# left of a deflection at lift-off, and an estimate of the error that vanishes by chance.
FOUND = {
    "ImplicitBristle": (18, 67, 119, 560083),
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
