"""GKF: the jump between its two pieces, its modes and its events."""

import math

import pytest
from scipy.integrate import solve_ivp

from friction_curves import friction_curve, refusal

STICK, FORWARD, BACKWARD = 2, 3, 4
BAND, FALL = 1e-3, 0.2 * (1 - math.exp(-((1e-3 / 3e-3) ** 2)))
P = {
    "staticFriction": 0.5,
    "dynamicFriction": 0.3,
    "stribeckVelocity": 3e-3,
    "stribeckExponent": 2.0,
    "regularizationVelocity": BAND,
}
CREEP = {
    **P,
    "staticFriction": 0.3,
    "viscousFriction": 20.0,
}  # no fall, so viscous friction makes the jump upward


def test_the_law_jumps_by_the_fall_of_the_curve(fmu):
    with friction_curve(fmu, 10.0, **P) as curve:
        below, above = curve.force(BAND * (1 - 1e-5)), curve.force(BAND * (1 + 1e-5))
        assert below == pytest.approx(5.0, rel=2e-5)
        assert below - above == pytest.approx(10.0 * FALL, rel=1e-3)


def test_each_piece_has_its_mode(fmu):
    with friction_curve(fmu, 10.0, **P) as curve:
        for velocity, mode in (
            (0.0, STICK),
            (0.9e-3, STICK),
            (-0.9e-3, STICK),
            (1.1e-3, FORWARD),
            (0.5, FORWARD),
            (-0.5, BACKWARD),
            (-1.1e-3, BACKWARD),
            (1.1e-3, FORWARD),
            (0.0, STICK),
        ):
            curve.force(velocity)
            assert curve.instance.get("mode") == mode, velocity


def test_a_piece_goes_on_smoothly_until_its_event(fmu):
    """A solver that tries a step across the jump gets no jump before the event, and an indicator
    that has changed its sign."""
    with friction_curve(fmu, 10.0, **P) as curve:
        curve.force(0.9 * BAND)
        before = curve.instance.indicators
        curve.instance.set({"relativeVelocity": 1.1 * BAND})
        assert curve.instance.get("frictionForce") == pytest.approx(1.1 * 5.0, rel=1e-12)
        assert any(a * b < 0 for a, b in zip(before, curve.instance.indicators))
        # and from slip through the whole band at once, where it must not drive
        curve.force(0.1)
        before = curve.instance.indicators
        curve.instance.set({"relativeVelocity": -0.1})
        assert curve.instance.get("frictionForce") < 0
        assert any(a * b < 0 for a, b in zip(before, curve.instance.indicators))


def test_an_upward_jump_is_left_where_line_and_curve_meet(fmu):
    with friction_curve(fmu, 10.0, **CREEP) as curve:
        meeting = 0.3 / (0.3 / BAND - 20.0)
        curve.force(0.5 * BAND)
        assert curve.force(0.999 * meeting) == pytest.approx(
            3.0 * 0.999 * meeting / BAND, rel=1e-12
        )
        assert curve.force(1.001 * meeting) == pytest.approx(
            3.0 + 200.0 * 1.001 * meeting, rel=1e-12
        )
        assert curve.force(1.001 * BAND) == pytest.approx(3.0 + 200.0 * 1.001 * BAND, rel=1e-12)
        assert curve.force(0.999 * BAND) == pytest.approx(3.0 * 0.999, rel=1e-12)


def test_viscous_friction_steeper_than_the_rise_is_refused(fmu):
    sentence = refusal(fmu, **{**P, "viscousFriction": 501.0})
    assert all(
        name in sentence for name in ("viscousFriction", "regularizationVelocity", "staticFriction")
    )


def ride(fmu, parameters, load, duration, mass=1.0):
    """Moves a mass under load(t) on the element; returns velocities at the end of each piece and
    the number of its events."""
    with fmu.in_model_exchange({**parameters, "normalForce": 10.0}) as instance:
        time, velocity, events = 0.0, 0.0, 0

        def rate(t, x):
            instance.set({"relativeVelocity": x[0]})
            return [(load(t) - instance.get("frictionForce")) / mass]

        def crossing(t, x):
            instance.set({"relativeVelocity": x[0]})
            return instance.indicators[1]

        crossing.terminal = True

        while time < duration:
            piece = solve_ivp(
                rate,
                (time, duration),
                [velocity],
                method="Radau",
                rtol=1e-8,
                atol=1e-10,
                max_step=1e-2,
                events=crossing,
            )
            time, velocity = piece.t[-1], piece.y[0, -1]
            if piece.status == 1:
                events += 1
                assert events < 1000, "the element switches to and fro"
                # slightly further, so that the indicator has certainly changed its sign
                ahead = 1e-9
                velocity += ahead * rate(time, [velocity])[0]
                time += ahead
            instance.set({"relativeVelocity": velocity})
            instance.event()
        return velocity, events


@pytest.mark.parametrize("share", [0.0, 0.5, 0.97, 0.9999])
@pytest.mark.endurance
def test_a_constant_load_below_the_limit_makes_no_event(fmu, share):
    velocity, events = ride(fmu, P, lambda t: share * 5.0, 10.0)
    assert events == 0
    assert velocity == pytest.approx(share * BAND, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
@pytest.mark.endurance
def test_a_load_within_an_upward_jump_comes_to_rest(fmu, share):
    """Between mu_s N and mu_s N + nu v_r N: one steady creep on the extended line, without
    switching."""
    load = 3.0 + share * 0.2
    velocity, events = ride(fmu, CREEP, lambda t: load, 10.0)
    assert events == 0
    assert velocity == pytest.approx(load / 3.0 * BAND, rel=1e-6)


@pytest.mark.parametrize("parameters", [P, CREEP], ids=["downward", "upward"])
@pytest.mark.endurance
def test_a_sine_load_makes_at_most_four_events_per_period(fmu, parameters):
    _, events = ride(fmu, parameters, lambda t: 8.0 * math.sin(2 * math.pi * 20 * t), 0.5)
    assert 0 < events <= 4 * 10


@pytest.mark.parametrize("sign", [1, -1])
def test_slip_ends_by_an_event_in_either_direction(fmu, sign):
    """There is no force until the event of touch-down."""
    with fmu.model_exchange() as instance:
        instance.start({**P, "normalForce": -1.0, "relativeVelocity": sign * 2 * BAND})
        instance.set({"normalForce": 10.0})
        assert instance.get("frictionForce") == 0
        instance.event()
        assert (
            instance.get("mode") == (FORWARD if sign > 0 else BACKWARD)
            and min(instance.indicators) > 0
        )
        instance.set({"relativeVelocity": sign * 0.9 * BAND})
        assert min(instance.indicators) < 0
        instance.event()
        assert instance.get("mode") == STICK


def test_the_lines_have_to_meet_on_the_other_side_too(fmu):
    """Where friction is less backward, or the viscous part more."""
    for change in ({"backwardFrictionRatio": 0.1}, {"backwardViscousRatio": 10.0}):
        said = refusal(fmu, **P | {"viscousFriction": 100.0}, **change)
        assert said.startswith("backwardViscousRatio times viscousFriction"), said
