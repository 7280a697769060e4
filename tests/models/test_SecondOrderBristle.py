"""The second-order bristle: aperiodic relaxation, exact stick under constant velocity, break-away
at the static limit."""

import math

import pytest

from convergence import at_once_and_in_parts
from prescribed import CASES, MODEL_1, NORMAL, drive, parameters_for, pulled


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("direction", [1, -1])
def test_break_away_at_the_static_limit(fmu, kind, case, direction):
    """A bristle that moves with the body (dz/dt = v) sticks: F = sigma0 v t + sigma1 v up to F_s,
    where the shift ends."""
    for part, velocity, force, found in pulled(fmu, kind, case, direction):
        if part < 1 - 1e-6:
            assert found["frictionForce"] == pytest.approx(force, rel=1e-6)
            assert abs(found["slidingVelocity"]) <= 1e-6 * abs(velocity)
        elif part > 1.2:
            assert found["slidingVelocity"] * direction > 1e-3 * abs(velocity)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9, 0.99])
def test_a_body_in_stick_under_load_is_at_rest(fmu, kind, load):
    """The bristle holds any load below the limit without motion; rounding may move it by a few
    bits."""
    p = parameters_for(fmu, MODEL_1)
    start = load * p["staticFriction"] * NORMAL / p["bristleStiffness"]
    p["bristleDeflectionStart"] = start
    for _, _, found in drive(fmu, kind, p, [(NORMAL, 0.0, 0.2)], 0.01):
        assert found["bristleDeflection"] == pytest.approx(start, rel=1e-9)
        assert found["frictionForce"] == pytest.approx(
            load * p["staticFriction"] * NORMAL, rel=1e-9
        )


@pytest.mark.parametrize("case", CASES)
def test_lift_off_relaxes_aperiodically(fmu, kind, case):
    """z = (z0 + (w0 + k z0) t) exp(-k t) with k = 2 sigma0/sigma1, after sliding; then contact
    returns."""
    p = parameters_for(fmu, CASES[case])
    k = 2 * p["bristleStiffness"] / p["bristleDamping"]
    phases = [(NORMAL, 5e-3, 0.5), (-1.0, 5e-3, 0.02), (NORMAL, 5e-3, 0.5)]
    start = speed = before = None
    for number, time, found in drive(fmu, kind, p, phases, 1e-3):
        if number == 0:
            start, speed, before = (
                found["bristleDeflection"],
                found["bristleVelocity"],
                found["frictionForce"],
            )
        elif number == 1:
            z = (start + (speed + k * start) * time) * math.exp(-k * time)
            assert found["bristleDeflection"] == pytest.approx(z, rel=1e-6, abs=1e-6 * abs(start))
            assert found["frictionForce"] == 0
            assert found["bristleDeflection"] * start > 0, "no overshoot"
    assert found["frictionForce"] == pytest.approx(before, rel=1e-3)


@pytest.mark.parametrize("case", CASES)
def test_a_reversal_reverses_the_force(fmu, kind, case):
    p = parameters_for(fmu, CASES[case])
    results = {}
    for number, _, found in drive(fmu, kind, p, [(NORMAL, 8e-3, 0.3), (NORMAL, -8e-3, 0.3)], 5e-3):
        results[number] = found
    for name in ("frictionForce", "bristleDeflection", "slidingVelocity"):
        assert results[1][name] == pytest.approx(-results[0][name], rel=1e-6)


@pytest.mark.parametrize("speed", [-0.02, -0.005, 0.005, 0.02])
@pytest.mark.parametrize("deflection", [0.0, 2e-5])
def test_the_deflection_that_stays_after_a_stop_is_found_in_a_long_step(fmu, speed, deflection):
    """The bristle moves on for some milliseconds when the body has stopped, and in stick any
    deflection may stay."""
    values = {
        "normalForce": 1.0,
        "bristleVelocityStart": speed,
        "bristleDeflectionStart": deflection,
    }
    at_once, in_parts = at_once_and_in_parts(fmu, 0.2, values, {})
    assert at_once == pytest.approx(in_parts, abs=1e-4 * 0.6)
