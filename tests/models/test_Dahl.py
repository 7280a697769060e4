"""Dahl: the force is a function of the displacement alone, with closed forms for every exponent."""

import math

import pytest

from fmi2 import CO_SIMULATION
from prescribed import drive
from reference.Dahl import branch

EXPONENTS = [0.5, 0.8, 1.0, 1.3, 1.52, 2.0, 3.0]
P = {
    "dynamicFriction": 0.5,
    "bristleStiffness": 98100.0,
    "hysteresisExponent": 1.0,
    "relaxationTime": 0.01,
}
LIMIT, LENGTH = 98.1, 1e-3  # force and length at which the bristles saturate under 196.2 N


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("start", [-1.0, -0.6, 0.0, 0.7])
@pytest.mark.parametrize("direction", [1, -1])
def test_branches_have_their_closed_form(fmu, kind, exponent, start, direction):
    """From any force between the limits, in both directions. The tolerance is that of the
    integration, relative to the limit."""
    p = {**P, "hysteresisExponent": exponent, "bristleDeflectionStart": direction * start * LENGTH}
    speed = 2e-3
    for _, time, found in drive(fmu, kind, p, [(196.2, direction * speed, 2.0)], 0.05):
        expected = direction * branch(p, 196.2, start * LIMIT, speed * time)
        assert found["frictionForce"] == pytest.approx(expected, abs=1e-6 * LIMIT)


@pytest.mark.parametrize("start", [-1.0, 0.4])
@pytest.mark.parametrize("duration", [0.1, 1.0, 10.0])
def test_where_the_law_is_linear_one_step_under_held_inputs_is_exact(fmu, start, duration):
    """With the exponent 1, at any tolerance, up to a few roundings per step."""
    p = {**P, "bristleDeflectionStart": start * LENGTH}
    *_, (_, _, found) = drive(
        fmu, CO_SIMULATION, p, [(196.2, 2e-3, duration)], duration, tolerance=1e-2
    )
    assert found["frictionForce"] == pytest.approx(
        branch(p, 196.2, start * LIMIT, 2e-3 * duration), abs=1e-14 * LIMIT
    )


@pytest.mark.parametrize("exponent", [1.0, 1.52])
def test_the_speed_does_not_matter(fmu, exponent):
    """The same displacement at 1 µm/s and at 1 m/s."""
    forces = []
    for speed in (1e-6, 1e-3, 1.0):
        phases = [
            (196.2, speed, 8e-4 / speed),
            (196.2, -speed, 5e-4 / speed),
            (196.2, speed, 1.1e-3 / speed),
        ]
        runs = drive(
            fmu, CO_SIMULATION, {**P, "hysteresisExponent": exponent}, phases, 1e-4 / speed
        )
        forces.append([found["frictionForce"] for _, _, found in runs])
    assert forces[0] == pytest.approx(forces[1], abs=1e-7 * LIMIT)
    assert forces[0] == pytest.approx(forces[2], abs=1e-7 * LIMIT)


@pytest.mark.parametrize("amplitude", [1e-4, 5e-4, 2e-3])
def test_the_loop_has_the_area_of_the_closed_form(fmu, amplitude):
    """4 F_C (x_m - F_m/sigma0) for the exponent 1: dF/dx = sigma0 (1 - F/F_C) on the upper branch,
    integrated over x. Its tips are at F_m = F_C tanh(sigma0 x_m/F_C)."""
    speed, steps = 1e-3, 400
    tip, step = LIMIT * math.tanh(amplitude / LENGTH), 2 * amplitude / speed / steps
    phases = [(196.2, sign * speed, 2 * amplitude / speed) for sign in (1, -1)]
    p = {**P, "bristleDeflectionStart": -tip / 98100.0}
    loop = [
        (found["frictionForce"], phases[number][1])
        for number, _, found in drive(fmu, CO_SIMULATION, p, phases, step)
    ]
    assert loop[steps - 1][0] == pytest.approx(tip, rel=1e-7)
    assert loop[-1][0] == pytest.approx(-tip, rel=1e-7), "the loop closes"
    forces = [-tip] + [force for force, _ in loop]
    work = sum(
        0.5 * (a + b) * velocity * step for a, b, (_, velocity) in zip(forces, forces[1:], loop)
    )
    assert work == pytest.approx(4 * LIMIT * (amplitude - tip / 98100.0), rel=1e-3), (
        "the trapezoidal rule is that good"
    )


def test_below_one_the_limit_is_reached_after_a_finite_displacement(fmu, kind):
    """sigma0 x/F_C = 1/(1 - delta); from there on the force is the limit."""
    p = {**P, "hysteresisExponent": 0.5}
    for _, time, found in drive(fmu, kind, p, [(196.2, 1e-3, 4.0)], 0.25):
        if time > 2.01:
            assert found["frictionForce"] == pytest.approx(LIMIT, rel=1e-7)
            assert found["der(bristleDeflection)"] == pytest.approx(0, abs=1e-6)


def test_piatkowskis_point(fmu):
    """The closed loop between ±0.0891 mm with the printed stiffness and exponent has its tip at
    50.0 N: three printed digits."""
    p = {"dynamicFriction": 55.3 / 98.1, "bristleStiffness": 1592200.0, "hysteresisExponent": 1.52}
    speed = 4 * 0.891e-4 / 10
    phases = [(98.1, speed, 2.5)] + [(98.1, -speed, 5.0), (98.1, speed, 5.0)] * 4
    tips = [found["frictionForce"] for _, _, found in drive(fmu, CO_SIMULATION, p, phases, 2.5)]
    assert tips[-1] == pytest.approx(50.0, abs=0.05)


def test_a_falling_normal_force_lets_the_motion_take_the_deflection_back(fmu):
    """As printed, the force stays at rest; with motion in either direction it falls to the new
    limit."""
    for velocity in (1e-3, -1e-3):
        phases = [(196.2, 1e-3, 10.0), (19.62, 0.0, 1.0), (19.62, velocity, 3e-4 / 1e-3)]
        last = {
            number: found["frictionForce"]
            for number, _, found in drive(fmu, CO_SIMULATION, P, phases, 1e-2)
        }
        assert last[1] == pytest.approx(LIMIT, rel=1e-4), "ten lengths from rest"
        expected = 0.1 * LIMIT * math.copysign(1, velocity)
        start = LIMIT * math.copysign(1, velocity)
        assert last[2] == pytest.approx(
            math.copysign(branch(P, 19.62, start, 3e-4), velocity), rel=1e-3
        )
        assert abs(last[2] - expected) < 0.5 * abs(LIMIT - expected)


def test_separated_it_relaxes_with_its_time_constant(fmu, kind):
    p = {**P, "bristleDeflectionStart": 7e-4}
    for _, time, found in drive(fmu, kind, p, [(-1.0, 0.3, 0.05)], 5e-3):
        assert found["frictionForce"] == 0
        assert found["bristleDeflection"] == pytest.approx(7e-4 * math.exp(-time / 0.01), rel=1e-6)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_the_rate_and_its_slope_end_at_the_limit(fmu, exponent):
    """Up to a millionth before it the rate is the law's, but for exponents below 1, where it is a
    line from there on; at the limit itself the slope is that of the exponent 1, zero for exponents
    above, and that of the line below."""
    d, speed = fmu.description, 2e-3
    rate, state = d["der(bristleDeflection)"].reference, d["bristleDeflection"].reference
    with fmu.model_exchange() as instance:
        instance.start(
            {**P, "hysteresisExponent": exponent, "normalForce": 196.2, "relativeVelocity": speed}
        )
        length = 0.5 * 196.2 / P["bristleStiffness"]
        instance.states = [length * (1 - 5e-7)]
        expected = 5e-7 * 1e-6 ** (exponent - 1) if exponent < 1 else 5e-7**exponent
        assert instance.derivatives[0] == pytest.approx(
            speed * expected, rel=1e-8
        )  # 5e-7 up to rounding
        instance.states = [length]
        steepness = 1e-6 ** (exponent - 1) if exponent < 1 else float(exponent == 1)
        assert instance.slopes([rate], [state], [1.0])[0] == pytest.approx(
            -steepness * speed / length, rel=1e-12, abs=0
        )


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("velocity", [2e-3, -2e-3])
def test_far_beyond_the_limit_the_rate_continues_the_law(fmu, exponent, velocity):
    """If the normal force has nearly vanished: above a thousand times the limit the rate is a line
    through the law's value there, apart from the thousandth by which w = 1 - z/z_max and z/z_max
    differ, to the power of the exponent minus one.
    """
    with fmu.model_exchange() as instance:
        instance.start(
            {
                **P,
                "hysteresisExponent": exponent,
                "normalForce": 196.2e-6,
                "relativeVelocity": velocity,
            }
        )
        rates = []
        for part in (1 - 1e-9, 1 + 1e-9):
            instance.states = [part * 1e3 * LENGTH * 1e-6]
            rates.append(instance.derivatives[0])
    assert rates[1] == pytest.approx(rates[0], rel=1.1e-3 * abs(exponent - 1) + 1e-8)


@pytest.mark.parametrize("exponent", [0.5, 1.52, 3.0])
@pytest.mark.parametrize("direction", [1, -1])
def test_far_beyond_the_limit_the_rate_is_linear(fmu, exponent, direction):
    """As printed up to a thousand times the limit, and from there on on the line through zero:
    after the normal force has almost vanished no solver could follow a power of the deflection."""
    p = {**P, "hysteresisExponent": exponent}
    with fmu.model_exchange() as instance:
        instance.start({**p, "normalForce": 196.2, "relativeVelocity": direction * 2e-3})
        for times in (-900.0, 900.0, 1100.0, -1100.0, 1e6):
            instance.states = [direction * times * LENGTH]
            w = 1 - times
            power = abs(w) ** exponent if abs(times) < 1e3 else abs(w) * 1e3 ** (exponent - 1)
            assert instance.derivatives[0] == pytest.approx(
                direction * 2e-3 * math.copysign(power, w), rel=1e-12
            )
