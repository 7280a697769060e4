"""LuGreNormalized: closed forms under constant velocity, and the effect of the normal force."""

import math

import pytest

P = {
    "staticFriction": 0.5,
    "dynamicFriction": 0.3,
    "stribeckVelocity": 3e-3,
    "stribeckExponent": 2.0,
    "viscousFriction": 0.05,
    "viscousDamping": 0.0,
    "bristleStiffness": 4e4,
    "bristleDamping": 60.0,
}


def level(velocity):
    return 0.3 + 0.2 * math.exp(-((velocity / 3e-3) ** 2))


def test_the_bristle_saturates_exponentially_at_constant_velocity(fmu):
    """z = g/sigma0 (1 - exp(-sigma0 v t/g)), under any normal force."""
    velocity = 2e-3
    with fmu.in_co_simulation({**P, "normalForce": 5.0, "relativeVelocity": velocity}) as instance:
        for i in range(1, 11):
            instance.set({"normalForce": 1.0 + 3.0 * (i % 4)})
            instance.step(1e-3)
            expected = (
                level(velocity) / 4e4 * (1 - math.exp(-4e4 * velocity * i * 1e-3 / level(velocity)))
            )
            assert instance.get("bristleDeflection") == pytest.approx(expected, rel=1e-12)


def test_separated_it_relaxes_with_its_own_time_constant(fmu):
    with fmu.co_simulation() as instance:
        instance.start(
            {**P, "bristleDeflectionStart": 7e-6, "normalForce": -1.0, "relativeVelocity": 0.5}
        )
        for i in range(1, 6):
            instance.step(1e-3)
            assert instance.get("frictionForce") == 0
            assert instance.get("bristleDeflection") == pytest.approx(
                7e-6 * math.exp(-i * 1e-3 * 4e4 / 60), rel=1e-12
            )


def test_a_rising_normal_force_lets_it_give_back_more_than_it_took(fmu):
    """Why it is not passive: the deflection stays, the spring stiffens. It stores N sigma0 z^2/2
    under a small normal force and returns it under a large one; far below the limit slip takes up
    to sigma0 z/g = 4 % of the motion in each direction."""
    speed, time, steps = 1e-5, 0.05, 500
    with fmu.co_simulation() as instance:
        instance.start({**P, "bristleDamping": 1e-3, "normalForce": 1.0, "relativeVelocity": speed})
        work = []
        for normal, velocity in ((1.0, speed), (10.0, -speed)):
            instance.set({"normalForce": normal, "relativeVelocity": velocity})
            powers = [instance.get("dissipatedPower")]
            for _ in range(steps):
                instance.step(time / steps)
                powers.append(instance.get("dissipatedPower"))
            work.append(sum((a + b) / 2 for a, b in zip(powers, powers[1:])) * time / steps)
    spring = 4e4 * (speed * time) ** 2 / 2
    assert work[0] == pytest.approx(spring, rel=0.1)
    assert work[1] == pytest.approx(-10 * spring, rel=0.1)
