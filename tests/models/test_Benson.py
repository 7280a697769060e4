"""Benson: an exponential fall from static to dynamic friction. Its stick is tested with
Coulomb's."""

import math

import pytest

from convergence import at_once_and_in_parts
from body_on_element import run_exchange

NORMAL = 9.81


def test_sliding_friction_falls_exponentially(fmu, kind):
    with fmu.instance(kind) as instance:
        for velocity in (2e-3, -0.01, 0.05, -0.2, 3.0):
            instance.start({"normalForce": NORMAL, "relativeVelocity": velocity})
            static, dynamic = instance.get("staticFriction"), instance.get("dynamicFriction")
            expected = dynamic + (static - dynamic) * math.exp(
                -instance.get("decayConstant") * abs(velocity)
            )
            assert instance.get("frictionForce") == pytest.approx(
                math.copysign(expected * NORMAL, velocity), rel=1e-14
            )
            instance.demand("fmi2Reset")


def test_break_away_starts_without_a_jump(fmu):
    """From the static limit on the body accelerates exponentially: v'= (F_s - F_d) c v/m at first,
    under the static load."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        static, dynamic = (
            instance.get(name) * NORMAL for name in ("staticFriction", "dynamicFriction")
        )
        course = run_exchange(
            instance, lambda t: static * (1 + 1e-3), 0.5, velocity=0.0, tolerance=1e-10
        )
        growth = instance.get("decayConstant") * (static - dynamic)
        for time, velocity in zip(course.time, course.velocity):
            if 0 < velocity < 1e-4:
                assert velocity == pytest.approx(
                    1e-3 * static / growth * math.expm1(growth * time), rel=5e-3
                )


def test_a_short_stick_inside_a_long_step_is_found(fmu):
    """At the reversal the load is within what stick can carry for a twentieth of the step: the
    element sticks that long and then yields to the load."""
    values = {"normalForce": 0.64, "relativeVelocity": -2.2e-4, "externalForce": 5.6}
    rates = {"relativeVelocity": 7.5e-4, "externalForce": -20.0}
    at_once, in_parts = at_once_and_in_parts(fmu, 0.8, values, rates)
    assert at_once == pytest.approx(in_parts, rel=1e-4)
