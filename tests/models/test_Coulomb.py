"""Coulomb's law with ideal stick: the textbook problems. Benson and QuasiStaticLuGre share its
stick and are tested here with it."""

import math

import pytest

from body_on_element import run_exchange, run_steps

IDEAL = pytest.mark.fmus(lambda d: d.name in ("Coulomb", "Benson", "QuasiStaticLuGre"))
NORMAL, GRAVITY = 9.81, 9.81
SEPARATED, STICK, FORWARD, BACKWARD = 1, 2, 3, 4


def place(instance, velocity, load, normal=NORMAL):
    instance.set({"normalForce": normal, "relativeVelocity": velocity, "externalForce": load})
    instance.event()
    return instance.get("mode"), instance.get("frictionForce")


@IDEAL
def test_a_body_at_rest_bears_a_load_up_to_the_static_limit(fmu):
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        limit = instance.get("staticFriction") * NORMAL
        for part in (0.0, 1e-9, 0.3, -0.999999, 1.0, -1.0):
            assert place(instance, 0.0, part * limit) == (STICK, part * limit)
        for sign, direction in ((1, FORWARD), (-1, BACKWARD)):
            assert place(instance, 0.0, 1.00001 * sign * limit)[0] == direction
            assert place(instance, 0.0, 0.0) == (STICK, 0.0)


@IDEAL
def test_a_slip_that_begins_at_rest_continues(fmu):
    """Its velocity is still zero, possibly of the wrong sign, which must not end it."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        limit = instance.get("staticFriction") * NORMAL
        for velocity in (0.0, 1e-15, -1e-15, -1e-9, 1e-7, 0.0):
            assert place(instance, velocity, 1.2 * limit)[0] == FORWARD
        assert place(instance, 1e-3, 0.5 * limit)[0] == FORWARD
        assert place(instance, 1e-9, 0.5 * limit)[0] == STICK


@IDEAL
def test_the_velocity_decides_if_the_load_does_not(fmu):
    """A prescribed motion: externalForce is not connected."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        band = instance.get("regularizationVelocity")
        for velocity, mode in [
            (1.01 * band, FORWARD),
            (-1.01 * band, BACKWARD),
            (-0.5 * band, BACKWARD),
            (0.0, STICK),
            (0.9 * band, STICK),
            (10.0, FORWARD),
            (-10.0, BACKWARD),
            (0.5 * band, STICK),
        ]:
            assert place(instance, velocity, 0.0)[0] == mode
        assert place(instance, 1.0, 0.0, normal=-1.0) == (SEPARATED, 0.0)
        assert place(instance, 1.0, 0.0)[0] == FORWARD


@IDEAL
def test_a_load_against_the_motion_reverses_it_without_stick(fmu):
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        limit = instance.get("staticFriction") * NORMAL
        assert place(instance, 0.1, -1.5 * limit)[0] == FORWARD
        assert place(instance, 1e-9, -1.5 * limit)[0] == BACKWARD
        assert place(instance, -0.1, -1.5 * limit)[0] == BACKWARD


@IDEAL
def test_the_remaining_velocity_decays_to_zero(fmu):
    """In stick v falls with the time constant m v_r/F_s, and the body stays at its place."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        band, limit = (
            instance.get("regularizationVelocity"),
            instance.get("staticFriction") * NORMAL,
        )
        constant = band / limit
        course = run_exchange(
            instance, lambda t: 0.3 * limit, 10.0, velocity=0.5 * band, tolerance=1e-9
        )
        assert set(course.modes()) == {STICK} and not course.events
        for time, velocity in zip(course.time, course.velocity):
            assert velocity == pytest.approx(
                0.5 * band * math.exp(-time / constant), rel=1e-5, abs=1e-9 * band
            )
        assert course.position[-1] == pytest.approx(0.5 * band * constant, rel=1e-6)
        assert course.force[-1] == pytest.approx(0.3 * limit, rel=1e-12)


def test_a_sliding_body_stops_as_in_the_textbook(fmu):
    """s = v²/(2 mu_d g), t = v/(mu_d g); then rest."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        braking = instance.get("dynamicFriction") * GRAVITY
        course = run_exchange(instance, lambda t: 0.0, 10.0, velocity=2.0)
        assert course.events == [pytest.approx(2.0 / braking, rel=1e-6)]
        assert course.position[-1] == pytest.approx(2.0**2 / (2 * braking), rel=1e-7)
        assert course.velocity[-1] == pytest.approx(0.0, abs=1e-12)


def test_a_body_breaks_away_at_the_static_limit(fmu):
    """A load that rises by 1 N/s: rest up to mu_s N, from then on the excess over mu_d N
    accelerates."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        static, dynamic = (
            instance.get(name) * NORMAL for name in ("staticFriction", "dynamicFriction")
        )
        course = run_exchange(instance, lambda t: t, static + 1.0)
        assert course.events == [pytest.approx(static, rel=2e-6)]
        # v' = t - F_d from t = F_s on, for 1 s
        assert course.velocity[-1] == pytest.approx(
            (static + 1 - dynamic) ** 2 / 2 - (static - dynamic) ** 2 / 2, rel=1e-5
        )


@IDEAL
def test_a_fixed_step_host_holds_the_body(fmu):
    """Steps longer than the time constant of stick, and a band as wide as the description advises:
    rest without jitter."""
    step, mass = 1e-3, 1.0
    with fmu.co_simulation() as instance:
        limit = instance.get("staticFriction") * NORMAL
        instance.start(
            {"normalForce": NORMAL, "regularizationVelocity": 1.01 * limit * step / mass}
        )
        load, velocity, modes = 0.4 * limit, 0.2, []
        for i in range(2000):
            instance.set({"relativeVelocity": velocity, "externalForce": load})
            instance.step(step)
            modes.append(instance.get("mode"))
            velocity += (
                step / mass * (load - instance.get("frictionForce"))
            )  # no slope, plain Euler
        assert sum(a != b for a, b in zip(modes, modes[1:])) == 1
        assert velocity == pytest.approx(0.0, abs=1e-12)
        assert instance.get("frictionForce") == pytest.approx(load, rel=1e-12)


@IDEAL
@pytest.mark.endurance
def test_steps_and_located_events_agree_on_the_stopping_distance(fmu):
    with fmu.model_exchange() as one, fmu.co_simulation() as two:
        for instance in (one, two):
            instance.start({"normalForce": NORMAL})
        exact = run_exchange(one, lambda t: 1.0, 2.0, velocity=0.5)
        stepped = run_steps(two, lambda t: 1.0, 2.0, 1e-4, velocity=0.5)
        assert stepped.position[-1] == pytest.approx(exact.position[-1], rel=1e-3)
        assert stepped.modes()[-1] == STICK
