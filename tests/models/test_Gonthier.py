"""Gonthier: both states are linear under held inputs, so everything has a closed form."""

import math

import pytest

from fmi2 import CO_SIMULATION
from prescribed import drive, saturating
from reference.Gonthier import sticking

P = {
    "staticFriction": 0.6,
    "dynamicFriction": 0.5,
    "stribeckVelocity": 0.05,
    "viscousFriction": 0.0,
    "viscousDamping": 0.0,
    "bristleStiffness": 98100.0,
    "bristleDamping": 780.0,
    "transitionVelocity": 5e-4,
    "dwellTime": 0.1,
}
TAU_BR = 780.0 / 98100.0
EXACT = {True: 1e-10, False: 1e-7}


def test_rest_builds_up_static_friction(fmu, kind):
    """s_dw = 1 - exp(-t/tau_dw) from the start."""
    for _, time, found in drive(fmu, kind, P, [(196.2, 0.0, 0.5)], 0.02):
        assert found["dwellState"] == pytest.approx(
            1 - math.exp(-time / 0.1), rel=EXACT[kind == CO_SIMULATION]
        )


@pytest.mark.parametrize("velocity", [0.02, -0.05, 0.3])
def test_motion_reduces_it_with_the_time_constant_of_the_bristle(fmu, kind, velocity):
    p = {**P, "dwellStateStart": 1.0}
    for _, time, found in drive(fmu, kind, p, [(196.2, velocity, 0.05)], 5e-3):
        expected = saturating(1.0, sticking(P, velocity), 1 / TAU_BR, time)
        assert found["dwellState"] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("velocity", [2e-4, -0.01, 0.06, -0.5])
def test_the_bristle_follows_its_closed_form(fmu, kind, velocity):
    """dz/dt = s v + (1 - s)(F_c/sigma0 - z)/tau_br."""
    s = sticking(P, velocity)
    ratio = min(abs(velocity) / 5e-4, 1.0)
    coulomb = math.copysign(98.1 * (1.5 * ratio - 0.5 * ratio**3), velocity)
    end = coulomb / 98100.0 + s * velocity * TAU_BR / (1 - s)
    for _, time, found in drive(fmu, kind, P, [(196.2, velocity, 0.2)], 0.02):
        z = saturating(0.0, end, (1 - s) / TAU_BR, time)
        assert found["bristleDeflection"] == pytest.approx(
            z, rel=EXACT[kind == CO_SIMULATION], abs=1e-12
        )


@pytest.mark.parametrize("velocity", [1e-3, 0.02, -0.05, 0.1, -1.0])
def test_steady_sliding(fmu, velocity):
    """sigma0 z of the steady bristle, limited by F_d + (F_s - F_d) s: the limit holds up to the
    Stribeck velocity and beyond."""
    s = sticking(P, velocity)
    *_, (_, _, found) = drive(
        fmu,
        CO_SIMULATION,
        {**P, "viscousFriction": 0.1, "viscousDamping": 7.0},
        [(196.2, velocity, 1000.0)],
        100.0,
    )
    free = 98.1 + 780.0 * abs(velocity) * s / (1 - s)
    limited = min(free, 98.1 + 19.62 * s) + (0.1 * 196.2 + 7.0) * abs(velocity)
    assert found["frictionForce"] == pytest.approx(math.copysign(limited, velocity), rel=1e-9)


def test_the_break_away_force_grows_with_the_time_of_rest(fmu):
    """A pull at 30 mm/s after times of rest: the force is that of the bristle until it reaches the
    limit, which was built up at rest and changes during the pull. Both have closed forms."""
    velocity, peaks = 0.03, []
    s = sticking(P, velocity)
    end = 98.1 / 98100.0 + s * velocity * TAU_BR / (1 - s)
    for rest in (0.02, 0.1, 0.3, 2.0):
        built, forces = 1 - math.exp(-rest / 0.1), []
        for number, time, found in drive(
            fmu, CO_SIMULATION, P, [(196.2, 0.0, rest), (196.2, velocity, 0.1)], 1e-3
        ):
            if number == 1:
                s_dw = saturating(built, s, 1 / (0.1 if s > built else TAU_BR), time)
                z = saturating(0.0, end, (1 - s) / TAU_BR, time)
                bristle = 98100.0 * z + 780.0 * (1 - s) / TAU_BR * (end - z)
                assert found["frictionForce"] == pytest.approx(
                    min(bristle, 98.1 + 19.62 * s_dw), rel=1e-8
                )
                forces.append(found["frictionForce"])
        peaks.append(max(forces))
    assert peaks == sorted(peaks) and peaks[-1] > peaks[0] + 3


def test_at_rest_the_bristle_is_a_plain_spring(fmu, kind):
    """No creep under a deflection at rest: dz/dt = 0 exactly."""
    p = {**P, "bristleDeflectionStart": 8e-4}
    for _, _, found in drive(fmu, kind, p, [(196.2, 0.0, 10.0)], 2.0):
        assert found["bristleDeflection"] == 8e-4
        assert found["frictionForce"] == pytest.approx(78.48, rel=1e-12)


def test_the_force_never_exceeds_the_limit_built_up_at_rest(fmu):
    """Also if the bristle has wound up: 0.6 mu_s N at most, in stick at 1 mm/s over 10 mm."""
    for _, _, found in drive(fmu, CO_SIMULATION, P, [(196.2, 1e-3, 10.0)], 0.1):
        assert found["frictionForce"] <= (98.1 + 19.62 * found["dwellState"]) * (1 + 1e-12)
    assert found["bristleDeflection"] > 2 * 117.72 / 98100.0


def test_separation_resets_deflection_and_dwell_time(fmu, kind):
    p = {**P, "bristleDeflectionStart": 8e-4, "dwellStateStart": 1.0}
    for _, time, found in drive(fmu, kind, p, [(-1.0, 0.1, 0.05)], 5e-3):
        assert found["frictionForce"] == 0
        assert found["bristleDeflection"] == pytest.approx(
            8e-4 * math.exp(-time / TAU_BR), rel=1e-6
        )
        assert found["dwellState"] == pytest.approx(math.exp(-time / TAU_BR), rel=1e-6)


def test_long_steps_find_that_rest_ends_within_them(fmu):
    """The motion overtakes a state that still grows: from then on it falls, at another rate. With
    inputs that move linearly over 0.1 s the force at a tolerance of 1e-6 is right to 1e-5 N, the
    tolerance of what the contact carries."""

    def force(tolerance):
        forces, held = [], None
        with fmu.co_simulation() as instance:
            for n in range(11):
                t = 0.1 * n
                inputs = {
                    "normalForce": 9.81 * (1 + 0.9 * math.sin(6 * math.pi * t)),
                    "relativeVelocity": (
                        2e-3
                        * math.sin(1.4 * math.pi * t)
                        * math.exp(2 * math.sin(2.6 * math.pi * t))
                    ),
                }
                if n == 0:
                    instance.start(inputs, tolerance=tolerance)
                else:
                    instance.set(held)
                    for name, value in inputs.items():
                        instance.set_input_derivative(name, (value - held[name]) / 0.1)
                    instance.step(0.1)
                    forces.append(instance.get("frictionForce"))
                held = inputs
        return forces

    assert force(1e-6) == pytest.approx(force(1e-9), rel=0, abs=1e-5)
