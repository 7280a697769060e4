"""The modified LuGre equation is linear in the deflection too: rate |v| sigma0/(mu N + |v| sigma1), end mu N/sigma0."""

import math

import pytest

from fmi2 import CO_SIMULATION
from prescribed import CASES, NORMAL, drive, parameters_for, saturating
from reference import stribeck

ONLY = pytest.mark.fmus(lambda d: d.name == "LuGreModified")
PHASES = [(NORMAL, 5e-3, 0.1), (NORMAL, -2e-2, 0.1), (-1.0, 0.0, 0.02), (NORMAL, 1e-3, 0.1)]


@ONLY
@pytest.mark.parametrize("case", CASES)
def test_constant_velocity_reversal_lift_off_and_return(fmu, kind, case):
    p = parameters_for(fmu, CASES[case])
    stiffness, damping = p["bristleStiffness"], p["bristleDamping"]
    exact = 1e-11 if kind == CO_SIMULATION else 1e-7
    z, last = 0.0, 0
    begin = z
    for number, time, found in drive(fmu, kind, p, PHASES, 2e-3):
        if number != last:
            begin, last = z, number
        normal, velocity, _ = PHASES[number]
        if normal > 0:
            curve = stribeck.coefficient(p, abs(velocity)) * normal
            z = saturating(begin, math.copysign(curve / stiffness, velocity), abs(velocity) * stiffness / (curve + abs(velocity) * damping), time)
            rate = (velocity * curve - abs(velocity) * stiffness * z) / (curve + abs(velocity) * damping)
            force = stiffness * z + damping * rate
        else:
            z = saturating(begin, 0.0, stiffness / damping, time)
            force = 0.0
        assert found["bristleDeflection"] == pytest.approx(z, rel=exact, abs=exact * 1e-4)
        assert found["frictionForce"] == pytest.approx(force, rel=10 * exact, abs=10 * exact)


@ONLY
def test_rest_without_load_is_no_division_by_zero(fmu):
    """Eq 18 is 0/0 for N = v = 0."""
    with fmu.model_exchange() as instance:
        instance.start({"normalForce": 0.0, "relativeVelocity": 0.0, "bristleDeflectionStart": 1e-4})
        p = fmu.description.starts()
        assert instance.derivatives == pytest.approx([-p["bristleStiffness"] * 1e-4 / p["bristleDamping"]], rel=1e-12)
