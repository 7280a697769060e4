"""The stick-slip elements of Adams and RecurDyn: displacement under load, return after a pulse,
reset of the displacement."""

import math

import pytest
from scipy.optimize import brentq

from body_on_element import run_exchange
from operating_points import Sampler
from reference.direction import dry

BOTH = pytest.mark.fmus(lambda d: d.name in ("AdamsStickSlip", "RecurDynStickSlip"))
NORMAL = 9.81
STICK, SLIP = 2, 3


def q(u):
    return (15 * u - 10 * u**3 + 3 * u**5) / 8


def inverse(part):
    return math.copysign(brentq(lambda u: q(u) - abs(part), 0, 1, xtol=1e-15), part)


@BOTH
@pytest.mark.parametrize("part", [0.1, -0.5, 0.8, 0.95])
def test_a_load_moves_the_body_by_its_inverse_step(fmu, part):
    """x_st = x_s q⁻¹(F/F_s), where it rests."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        limit = instance.get("staticFriction") * NORMAL
        course = run_exchange(instance, lambda t: part * limit, 10.0)
        expected = instance.get("stictionDisplacement") * inverse(part)
        assert course.position[-1] == pytest.approx(expected, rel=1e-6)
        assert instance.get("stictionDeflection") == pytest.approx(expected, rel=1e-6)
        assert not course.events


@BOTH
def test_the_force_stays_within_the_static_limit(fmu):
    """Everywhere: any displacement, any velocity, any mode."""
    for instance, parameters in Sampler(fmu.description, "limit").points(fmu, 20, 40):
        normal = max(instance.get("normalForce"), 0.0)
        force = instance.get("frictionForce")
        assert abs(force) <= dry(parameters, force) * parameters["staticFriction"] * normal * (
            1 + 1e-15
        )


@BOTH
@pytest.mark.endurance
def test_three_pulses_leave_no_drift(fmu):
    """Schuderer 2023, section 4: 5.0 µm under 0.8 F_s, and back within about half a second."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        load = 0.8 * instance.get("staticFriction") * NORMAL
        peaks, ends = [], []
        for cycle in range(3):
            up = run_exchange(instance, lambda t: load, 2 * cycle + 1.0, start=2.0 * cycle)
            peaks.append(instance.get("stictionDeflection"))
            down = run_exchange(instance, lambda t: 0.0, 2 * cycle + 2.0, start=2 * cycle + 1.0)
            ends.append(instance.get("stictionDeflection"))
            assert not up.events and not down.events
        assert peaks == pytest.approx([5.07e-6] * 3, rel=1e-2)
        assert max(map(abs, ends)) < 1e-3 * peaks[0]
        # displacement in half a second of the last return, from 5 µm to 0
        displacement = [
            -(p - down.position[-1]) for t, p in zip(down.time, down.position) if t <= 5.5
        ]
        assert abs(displacement[-1]) < 0.05 * peaks[0]


@BOTH
def test_slip_to_stick_sets_the_displacement_to_zero(fmu):
    with fmu.model_exchange() as instance:
        instance.start({"normalForce": NORMAL, "stictionDeflectionStart": 4e-6})
        assert instance.get("mode") == STICK
        instance.set({"relativeVelocity": 2e-4})
        _, info = instance.event()
        assert instance.get("mode") == SLIP and not info.valuesOfContinuousStatesChanged
        assert instance.states == [4e-6]
        instance.set({"relativeVelocity": 0.9e-4})
        before = instance.get("frictionForce")
        _, info = instance.event()
        assert instance.get("mode") == STICK and info.valuesOfContinuousStatesChanged
        assert instance.states == [0.0]
        assert before == pytest.approx(instance.get("staticFriction") * NORMAL)
        instance.set({"relativeVelocity": 0.0, "normalForce": 0.0})
        instance.states = [3e-6]
        _, info = instance.event()
        assert instance.states == [0.0] and info.valuesOfContinuousStatesChanged


@BOTH
def test_the_force_is_continuous_where_stick_and_slip_meet(fmu):
    with fmu.model_exchange() as instance:
        for deflection in (0.0, 5e-6, -1e-5):
            instance.start(
                {
                    "normalForce": NORMAL,
                    "stictionDeflectionStart": deflection,
                    "relativeVelocity": 1e-4,
                }
            )
            sticking = instance.get("frictionForce")
            instance.set({"relativeVelocity": 1.00001e-4})
            instance.event()
            assert instance.get("mode") == SLIP
            assert instance.get("frictionForce") == pytest.approx(sticking, rel=1e-9)
            instance.demand("fmi2Reset")


@BOTH
def test_a_reversal_at_the_limit_acts_at_once(fmu, kind):
    """The displacement stays at its limit, however far the body creeps, and decreases with the
    first motion back."""
    with fmu.co_simulation() as instance:
        instance.start({"normalForce": NORMAL, "relativeVelocity": 5e-5}, tolerance=1e-8)
        for _ in range(100):
            instance.step(0.1)
        limit = instance.get("stictionDisplacement")
        assert 0.999 * limit < instance.get("stictionDeflection") <= limit
        instance.set({"relativeVelocity": -5e-5})
        instance.step(0.02)
        assert instance.get("stictionDeflection") == pytest.approx(limit - 1e-6, rel=1e-3)


@BOTH
def test_slip_falls_to_dynamic_friction_at_one_and_a_half_times_the_speed(fmu):
    with fmu.model_exchange() as instance:
        for part, expected in [
            (1.25, 0.45),
            (1.5, 0.3),
            (10.0, 0.3),
            (1.1, 0.6 - 0.3 * 0.2**3 * (10 - 15 * 0.2 + 6 * 0.04)),
        ]:
            for sign in (1, -1):
                instance.start({"normalForce": NORMAL, "relativeVelocity": sign * part * 1e-4})
                assert instance.get("frictionCoefficient") == pytest.approx(
                    sign * expected, rel=1e-12
                )
                instance.demand("fmi2Reset")
