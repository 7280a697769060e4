"""Karnopp: a band of velocities in which the load is held, and in which a force reduces the
velocity to zero."""

import math

import pytest

from body_on_element import run_exchange

NORMAL = 9.81
STICK, SLIP = 2, 3


def test_equation_6_holds_at_rest_and_outside_of_the_band(fmu):
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        band = instance.get("staticVelocity")
        static, dynamic = (
            instance.get(name) * NORMAL for name in ("staticFriction", "dynamicFriction")
        )
        for load in (0.0, 0.4 * static, -static, 1.7 * static, -50 * static):
            instance.set({"relativeVelocity": 0.0, "externalForce": load})
            instance.event()
            assert instance.get("mode") == STICK
            assert instance.get("frictionForce") == max(-static, min(load, static))
            for velocity in (1.001 * band, -5 * band):
                instance.set({"relativeVelocity": velocity})
                instance.event()
                assert instance.get("mode") == SLIP
                assert instance.get("frictionForce") == pytest.approx(
                    math.copysign(dynamic, velocity), rel=1e-15
                )


def test_a_body_that_enters_the_band_comes_to_rest(fmu):
    """The velocity is not set to zero, the force reduces it: v = v_s exp(-F_s t/(m v_s)) without
    load."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        band, static = instance.get("staticVelocity"), instance.get("staticFriction") * NORMAL
        course = run_exchange(instance, lambda t: 0.0, 10.0, velocity=0.1, tolerance=1e-9)
        assert len(course.events) == 1
        begin = course.events[0]
        for time, velocity in zip(course.time, course.velocity):
            if time > begin:
                assert velocity == pytest.approx(
                    band * math.exp(-(time - begin) * static / band), rel=1e-4, abs=1e-9
                )
        positions = course.position[course.time >= begin]
        assert positions[-1] - positions[0] == pytest.approx(band**2 / static, rel=1e-4)


def test_a_load_in_the_band_does_not_creep(fmu):
    """Equation 6 alone would let the body continue with its velocity on entry: 10 mm in 10 s."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        band, static = instance.get("staticVelocity"), instance.get("staticFriction") * NORMAL
        course = run_exchange(
            instance, lambda t: 0.6 * static, 10.0, velocity=0.99 * band, tolerance=1e-9
        )
        assert course.position[-1] < 1e-5
        assert course.velocity[-1] == pytest.approx(0.0, abs=1e-12)


def test_a_reversal_within_one_step_is_found(fmu):
    """From one side of the band to the other the velocity changes its sign, and an indicator with
    it."""
    with fmu.in_model_exchange({"normalForce": NORMAL, "relativeVelocity": 0.02}) as instance:
        before = instance.indicators
        instance.set({"relativeVelocity": -0.02})
        assert any(a * b < 0 for a, b in zip(before, instance.indicators))
