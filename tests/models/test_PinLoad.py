"""PinLoad: reactions of a pin or a ball, each part at its arm."""

import math

import pytest

from fmi2 import ERROR, FmiError

REACTIONS = {
    "reactionForce[1]": 3.0,
    "reactionForce[2]": -4.0,
    "reactionForce[3]": -12.0,
    "reactionMoment[1]": 0.6,
    "reactionMoment[2]": 0.8,
    "reactionMoment[3]": 7.0,
}
ARMS = {"pinRadius": 0.02, "frictionArm": 0.03, "bendingArm": 0.05}


def parts(fmu, **settings):
    with fmu.in_model_exchange(REACTIONS | ARMS | settings) as instance:
        return tuple(
            instance.get(name) for name in ("normalForce", "radialLoad", "axialLoad", "bendingLoad")
        )


def test_each_part_acts_at_its_arm(fmu):
    """5 N across the pin, 12 N along it at 3/2 of its radius, 1 N.m over 0.05 m; the moment about
    the pin drives its motion."""
    assert parts(fmu) == pytest.approx((5 + 18 + 20, 5, 18, 20), rel=1e-15)


def test_a_ball_is_pressed_by_the_whole_force(fmu):
    assert parts(fmu, joint=2) == pytest.approx((13, 13, 0, 0), rel=1e-15)


@pytest.mark.parametrize(
    "off, left", [("reactionForceEffect", (20, 0, 0, 20)), ("bendingEffect", (23, 5, 18, 0))]
)
def test_each_effect_can_be_switched_off(fmu, off, left):
    assert parts(fmu, **{off: 2}) == pytest.approx(left, rel=1e-15)


def test_rounded_magnitudes_have_slopes_at_zero_and_are_low_by_less_than_the_width(fmu):
    with fmu.in_model_exchange({"smoothingForce": 0.5}) as instance:
        assert instance.get("normalForce") == 0
        steep = []
        for force in (1e-6, 2e-6, 1.0, 1e6):
            instance.set({"reactionForce[1]": force})
            normal = instance.get("normalForce")
            assert force - 0.5 <= normal <= force
            steep.append(normal / force)
        assert steep[1] / steep[0] == pytest.approx(2, rel=1e-3), "a parabola through zero"


def test_the_size_of_the_reactions_does_not_matter(fmu):
    """No square overflows or vanishes."""
    with fmu.in_model_exchange() as instance:
        for size in (1e-200, 1e-3, 1e200):
            instance.set({"reactionForce[1]": 3 * size, "reactionForce[2]": 4 * size})
            assert instance.get("normalForce") == pytest.approx(5 * size, rel=1e-14)


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_arms_are_positive(fmu, arm, value):
    with fmu.model_exchange() as instance:
        with pytest.raises(FmiError) as refusal:
            instance.start({arm: value})
        assert refusal.value.status >= ERROR - 1 and arm in instance.messages[-1].text
