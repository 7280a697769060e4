"""LuGre with fading damping: the deflection of LuGre, the force with its damping scaled by the Stribeck decay."""

import math

import pytest

from fmi2 import CO_SIMULATION
from prescribed import CASES, NORMAL, drive, parameters_for, saturating
from reference import LuGre, LuGreVelocityDamping

ONLY = pytest.mark.fmus(lambda d: d.name == "LuGreVelocityDamping")
PHASES = [(NORMAL, 5e-3, 0.1), (NORMAL, -2e-2, 0.1), (-1.0, 0.0, 0.02), (NORMAL, 1e-3, 0.1)]


@ONLY
@pytest.mark.parametrize("case", CASES)
def test_constant_velocity_reversal_lift_off_and_return(fmu, kind, case):
    p = parameters_for(fmu, CASES[case])
    exact = 1e-11 if kind == CO_SIMULATION else 1e-7
    z, last = 0.0, 0
    begin = z
    for number, time, found in drive(fmu, kind, p, PHASES, 2e-3):
        if number != last:
            begin, last = z, number
        normal, velocity, _ = PHASES[number]
        if normal > 0:
            g = LuGre.curve(p, normal, velocity)
            speed = p["bristleStiffness"] * abs(velocity) / g
            z = saturating(begin, math.copysign(g / p["bristleStiffness"], velocity), speed, time)
            force = (p["bristleStiffness"] * z + LuGreVelocityDamping.damping(p, velocity) * (velocity - speed * z)
                     + p["viscousFriction"] * normal * velocity)
        else:
            z = saturating(begin, 0.0, p["bristleStiffness"] / p["bristleDamping"], time)
            force = 0.0
        assert found["bristleDeflection"] == pytest.approx(z, rel=exact, abs=exact * 1e-4)
        assert found["frictionForce"] == pytest.approx(force, rel=10 * exact, abs=10 * exact)
