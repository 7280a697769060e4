"""ProjectedGKF: GKF on every line."""

import math

import numpy as np
import pytest

from operating_points import Sampler
from vectors import random_rotation, read, spread

BLADES = {
    "staticFriction": 0.5,
    "dynamicFriction": 0.3,
    "stribeckVelocity": 3e-3,
    "stribeckExponent": 2.0,
    "viscousFriction": 0.0,
    "viscousDamping": 0.0,
    "regularizationVelocity": 3e-4,
}
STICK, SLIP = 2, 3


def test_force_in_stick_and_slip(fmu):
    draw = Sampler(fmu.description, "curve").random
    with fmu.in_model_exchange({**BLADES, "normalForce": 5.0}) as instance:
        for speed in (1e-9, 1e-4, 2.9e-4, 3.1e-4, 1e-3, 3e-3, 0.1, 10.0):
            rotation = random_rotation(draw)
            n, e = rotation[:, 2], rotation[:, 0]
            instance.set(spread(contactNormal=n, relativeVelocity=speed * e + 0.3 * n))
            instance.event()
            slip = 0.3 + 0.2 * math.exp(-((speed / 3e-3) ** 2))
            expected = 5 * (0.5 * speed / 3e-4 if speed < 3e-4 else slip)
            # rounding of the motion along the normal is 1e-16 of 0.3 m/s in the plane
            assert read(instance, "frictionForce") == pytest.approx(
                expected * e, rel=1e-9, abs=1e-12
            )
            assert instance.get("dissipatedPower") == pytest.approx(expected * speed, rel=1e-6)
            assert instance.get("mode") == (STICK if speed < 3e-4 else SLIP)


def test_the_mode_changes_by_an_event_only_and_late(fmu):
    with fmu.model_exchange() as instance:
        instance.start({**BLADES, "normalForce": 5.0, **spread(relativeVelocity=(1e-4, 0, 0))})
        assert instance.get("mode") == STICK
        instance.set(spread(relativeVelocity=(0, 3.2e-4, 0)))
        assert instance.get("mode") == STICK and instance.indicators[1] < 0
        assert read(instance, "frictionForce")[1] == pytest.approx(5 * 0.5 * 3.2 / 3)
        instance.event()
        assert instance.get("mode") == SLIP and instance.indicators[1] > 0
        instance.set(spread(relativeVelocity=(0, 3e-4 * (1 + 1e-7), 0)))
        assert instance.indicators[1] > 0, (
            "slip ends a millionth below the speed at which stick does"
        )
        instance.set(spread(relativeVelocity=(0, 2e-4, 0)))
        assert instance.indicators[1] < 0
        assert np.linalg.norm(read(instance, "frictionForce")) == pytest.approx(
            5 * (0.3 + 0.2 * math.exp(-((2 / 30) ** 2)))
        )
        instance.event()
        assert instance.get("mode") == STICK


def test_it_never_drives_the_motion(fmu):
    for instance, parameters in Sampler(fmu.description, "passive").points(fmu, 20, 20):
        assert instance.get("dissipatedPower") >= 0, parameters
