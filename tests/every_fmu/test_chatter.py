"""The warning that a host's step is too long for a law: every body that chatters, and no other
motion."""

import math
from functools import cache

import numpy as np
import pytest

from fixed_step import NORMAL, is_scalar, limit_of
from held_force import Element, run_loop
from operating_points import some_of

PARTS = (0.05, 0.2, 0.4, 0.6, 0.8, 0.95)
STEPS = (1e-3, 2e-3, 5e-3)

scalar = pytest.mark.fmus.with_args(is_scalar)


def warnings(instance):
    return [m for m in instance.messages if "is shaken" in m.text]


def element(fmu, **values):
    instance = fmu.co_simulation(logging=True)
    instance.initialize({name: value for name, value in values.items() if name in fmu.description})
    return instance


def force_deviation(rows, limit):
    """Returns the deviation of the force from the load over the second half of a run, as a part of
    the limit; 0 for a body that slides away."""
    half = rows[len(rows) // 2 :]
    return (
        0.0
        if abs(half[-20:, 2].mean()) > 0.02
        else float(np.sqrt(np.mean((half[:, 3] - half[:, 4]) ** 2)) / limit)
    )


def hold(fmu, part, step, late, stop):
    """Runs a body of 1 kg under a constant load; returns rows and whether chatter was reported."""
    with element(fmu) as instance:
        rows = run_loop(instance, lambda t, x: part * limit_of(fmu), stop, step, late=late)
        return rows, len(warnings(instance))


@cache
def deviation_of_law(fmu, part):
    """Returns the deviation of the law itself, with steps of 50 µs; 0 without states."""
    if not fmu.description.states:
        return 0.0
    return force_deviation(hold(fmu, part, 5e-5, False, 0.4)[0], limit_of(fmu))


@scalar
@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
def test_a_body_that_chatters_is_reported_and_one_that_rests_is_not(fmu, late):
    """Chatter is a deviation from the load by a fifth of the limit that the law itself does not
    have, rest one by less than a hundredth after the first tenth of the run. Runs take 0.2 s, but
    at least 80 steps: near the limit a body is thrown back once in 40."""
    limit = limit_of(fmu)
    for part in PARTS[: some_of(len(PARTS))]:
        for step in STEPS:
            rows, _ = hold(fmu, part, step, late, 0.4)
            reported = hold(fmu, part, step, late, max(0.2, 80 * step))[1]
            deviation = force_deviation(rows, limit)
            if deviation > 0.2 and deviation > 2 * deviation_of_law(fmu, part):
                assert reported == 1, (part, step, deviation)
            calm = rows[len(rows) // 10 :]
            if np.max(np.abs(calm[:, 3] - calm[:, 4])) < 0.01 * limit:
                assert not reported, (part, step)


def follow(fmu, velocity, step, steps):
    """Checks whether a prescribed velocity is reported."""
    with element(fmu) as instance:
        contact = Element(instance, NORMAL)
        for n in range(steps):
            contact.step(n * step, velocity(n), step)
        return warnings(instance)


@scalar
def test_motions_that_do_not_answer_to_the_force_are_not_reported(fmu):
    """Reversals, also with six and ten steps per period, noise and coarse encoders."""
    choice = np.random.default_rng(3)
    for step in (1e-3, 5e-3)[: some_of(2)]:
        for size in (1e-4, 1e-2, 0.3):
            for turns in (7, 19, 31):  # per second
                speeds = size * np.sin(2 * math.pi * turns * step * np.arange(400))
                assert not follow(fmu, lambda n: speeds[n], step, 400), (step, size, turns)
        for size in (1e-5, 1e-4, 1e-3, 1e-2):
            noise = size * choice.standard_normal(500)
            assert not follow(fmu, lambda n: noise[n], step, 500), size
            assert not follow(fmu, lambda n: 0.01 * math.sin(6 * n * step) + noise[n], step, 500), (
                size
            )
            assert not follow(
                fmu, lambda n: size * round(0.01 * math.sin(6 * n * step) / size), step, 500
            ), size


@pytest.mark.fmus(
    lambda d: (
        d.name
        in (
            "LuGre",
            "Dahl",
            "GKF",
            "StaticRegularized",
            "GeneralizedMaxwellSlip",
            "SimpackStickSlip",
        )
    )
)
def test_stick_slip_and_loads_that_the_steps_resolve_are_not_reported(fmu):
    limit, step = limit_of(fmu), 5e-5
    with element(fmu) as instance:
        run_loop(instance, lambda t, x: -100 * x, 1.0, step, counterpart=0.05)
        assert not warnings(instance), "belt"
    for part in (0.5, 1.5):
        with element(fmu) as instance:
            run_loop(instance, lambda t, x: part * limit * math.sin(60 * t), 0.3, step)
            assert not warnings(instance), part


@pytest.mark.fmus(lambda d: d.name in ("LuGre", "StaticRegularized", "GKF"))
def test_a_body_that_stops_is_not_reported(fmu):
    """It turns once and comes to rest, with a step at which the law is stable."""
    slow = {"regularizationVelocity": 0.05} if "regularizationVelocity" in fmu.description else {}
    for speed in (0.02, 0.1, 0.3):
        with element(fmu, **slow) as instance:
            rows = run_loop(instance, lambda t, x: 0.0, 0.3, 2e-4, velocity=speed)
            assert abs(rows[-1, 3]) < 0.01 * limit_of(fmu) and not warnings(instance), speed


@scalar
@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
def test_a_normal_force_that_pulsates_is_not_reported(fmu, late):
    """Through friction it shakes a sliding body, whose acceleration follows exactly."""
    for steps in (3, 5, 8, 20)[: some_of(4)]:
        with element(fmu) as instance:
            rows = run_loop(
                instance,
                lambda t, x: 0.6 * limit_of(fmu),
                0.2,
                1e-3,
                velocity=0.5,
                late=late,
                normal=lambda t, n=steps: NORMAL * (1 + 0.8 * math.sin(2e3 * math.pi * t / n)),
            )
            assert min(rows[:, 2]) > 0.01 and not warnings(instance), steps


@scalar
def test_a_few_steps_are_not_judged(fmu):
    """Three or four changes look proportional by chance."""
    choice = np.random.default_rng(4)
    for _ in range(60):
        noise = 0.01 * choice.standard_normal(9)
        assert not follow(fmu, lambda n: noise[n], 5e-3, 9)


@pytest.mark.fmus(lambda d: d.name == "Dahl")
def test_a_swing_of_twenty_steps_is_not_reported(fmu):
    """Its bristle has no damping: the body swings long, and steps of 1 ms resolve it."""
    for part in (0.3, 0.6):
        rows, reported = hold(fmu, part, 1e-3, False, 0.4)
        assert np.abs(rows[60:200, 3] - rows[60:200, 4]).max() > 0.1 * limit_of(fmu)
        assert not reported


@pytest.mark.fmus(lambda d: d.name == "BlimanSorine")
def test_a_swing_of_twelve_steps_is_not_reported(fmu):
    """At a reversal the acceleration is at most sin(2 pi/12) = 0.5 of its peak; that of a body
    thrown back is all of it."""
    step = 1e-3
    stiffness = 2 * (1 - math.cos(2 * math.pi / 12)) / step**2
    for part in (0.2, 0.4):
        with element(fmu, bristleStiffness=stiffness) as instance:
            run_loop(instance, lambda t, x: part * limit_of(fmu), 0.4, step)
            assert not warnings(instance), part


@scalar
def test_chatter_is_reported_once_and_not_with_the_mass(fmu):
    """A velocity that changes its sign at each step depends on no force but seems to. The detection
    is part of the stored state."""

    def shake(instance, steps):
        for n in steps:
            instance.set({"relativeVelocity": 0.1 * (-1) ** n, "normalForce": NORMAL})
            instance.step(1e-3, time=n * 1e-3)
            if warnings(instance):
                return n

    with (
        element(fmu) as instance,
        element(fmu) as other,
        element(fmu) as third,
        element(fmu, couplingMass=1.0) as coupled,
    ):
        found = shake(instance, range(60))
        shake(instance, range(found + 1, found + 40))
        assert len(warnings(instance)) == 1
        shake(other, range(found - 1))
        third.resume(other.snapshot())
        assert shake(third, range(found - 1, 60)) == found
        assert shake(coupled, range(60)) is None
