"""ContactPoint: HuntCrossley and ProjectedLuGre joined."""

import random

import numpy as np
import pytest

from body_on_element import run_point
from vectors import random_rotation, read, spread

CUBE = {
    "staticFriction": 0.15,
    "dynamicFriction": 0.1,
    "stribeckVelocity": 1e-3,
    "stribeckExponent": 2.0,
    "viscousFriction": 0.04,
    "bristleStiffness": 1e4,
    "bristleDamping": 31.6,
    "contactStiffness": 120.0,
    "contactDamping": 488.0,
    "referencePenetration": 1e-6,
    "stiffnessExponent": 2.0,
    "dampingExponent": 0.5,
}


def test_a_point_above_the_plane_has_no_force(fmu, kind):
    with fmu.instance(kind) as instance:
        instance.start(
            spread(
                pointPosition=(0.1, 0.2, 1e-9),
                relativeVelocity=(1, 2, -3),
                bristleDeflectionStart=(1e-5, 0, 0),
            )
        )
        assert list(read(instance, "contactForce")) == [0, 0, 0]
        assert instance.get("penetration") == -1e-9
        assert [
            instance.get(name) for name in ("normalForce", "frictionCoefficient", "dissipatedPower")
        ] == [0, 0, 0]


def test_the_force_pushes_the_point_out_and_brakes_it(fmu):
    with fmu.co_simulation() as instance:
        instance.start(
            CUBE
            | spread(
                pointPosition=(5, 6, -2e-7), planePoint=(-7, 8, 0), relativeVelocity=(2e-3, 0, 0)
            )
        )
        instance.step(0.1)
        force = read(instance, "contactForce")
        assert force[2] == instance.get("normalForce") > 0
        assert force[0] < 0 and force[1] == 0
        assert instance.get("slidingSpeed") == pytest.approx(2e-3, rel=1e-6)


def test_touch_down_and_lift_off_are_the_only_events(fmu):
    with fmu.in_model_exchange() as instance:
        assert len(instance.indicators) == 1
        for height, contact in (
            (-1e-7, True),
            (-1e-12, True),
            (0.0, False),
            (1e-12, False),
            (1.0, False),
        ):
            for velocity in ((0, 0, 0), (1e-6, 0, 0), (-3.0, 2.0, 0)):
                instance.set(spread(pointPosition=(0, 0, height), relativeVelocity=velocity))
                assert (instance.indicators[0] > 0) == contact and abs(instance.indicators[0]) >= 1
        # parting faster than the surfaces spring back
        instance.set(spread(pointPosition=(0, 0, -1e-8), relativeVelocity=(0, 0, 1.0)))
        assert instance.indicators[0] <= -1 and instance.get("normalForce") == 0


def test_a_point_that_bounces_in_co_simulation_keeps_its_friction_where_it_touches(fmu):
    """The bristle relaxes between two contacts and is loaded anew in each."""
    with fmu.co_simulation() as instance:
        instance.start(CUBE | spread(pointPosition=(0, 0, -1e-7), relativeVelocity=(1e-3, 0, 0)))
        instance.step(0.1)
        loaded = read(instance, "bristleDeflection")[0]
        instance.set(spread(pointPosition=(0, 0, 1e-7)))
        instance.step(0.1)
        assert (
            abs(read(instance, "bristleDeflection")[0]) < 1e-6 * loaded
        )  # the tolerance of the solver
        instance.set(spread(pointPosition=(0, 0, -1e-7)))
        instance.step(0.1)
        assert read(instance, "bristleDeflection")[0] == pytest.approx(loaded, rel=1e-6)


@pytest.mark.parametrize(
    ("part", "damping", "touches"), [(0.0, 2e4, 1), (0.5, 2e4, 1), (0.9, 2e4, 1), (0.5, 3e3, 3)]
)
@pytest.mark.endurance
def test_a_body_that_is_pushed_below_the_limit_comes_to_rest_and_makes_no_event_there(
    fmu, part, damping, touches
):
    """Dropped by a micrometre, on a plane of any orientation; with little damping it bounces. The
    push rises over half a second."""
    weight = 9.81
    along, across, normal = random_rotation(random.Random(f"plane {part} {damping}")).T
    with fmu.model_exchange() as instance:
        instance.start(
            {**CUBE, "contactDamping": damping, **spread(contactNormal=normal)}, tolerance=1e-8
        )
        push = part * instance.get("staticFriction") * weight

        def load(time):
            return push * min(time / 0.5, 1.0) * along - weight * normal

        course = run_point(instance, load, 10.0, 1e-6 * normal, longest=0.05)
        assert len(course.events) == 2 * touches - 1
        assert course.events[-1] < 0.02
        assert instance.get("normalForce") == pytest.approx(weight, rel=1e-6)
        assert course.force[-1] == pytest.approx(-load(10.0), rel=1e-6, abs=1e-9)
        late = course.time > 5.0
        # a millionth of the deflection and of the penetration, which are 1e-5 m and 3e-7 m
        assert np.ptp(course.position[late], axis=0) == pytest.approx(0, abs=1e-12)
        assert abs(course.velocity[late]).max() <= 1e-12
        assert course.position[-1] @ across == pytest.approx(0, abs=1e-12)
