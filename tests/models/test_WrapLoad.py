"""WrapLoad: with its normal force a friction element holds what a wrapped rope holds."""

import math

import pytest

from fmus import FMUS

ELEMENT = next((fmu for fmu in FMUS if fmu.name == "Coulomb"), None)


@pytest.mark.skipif(ELEMENT is None, reason="Coulomb is not in the folder")
@pytest.mark.parametrize("mu", [1e-6, 0.1, 0.3, 0.9])
@pytest.mark.parametrize("turns", [0.01, 0.5, 3.0])
def test_a_friction_element_slides_at_the_limit_of_euler_in_both_directions(fmu, mu, turns):
    tension, angle = 7.0, 2 * math.pi * turns
    with fmu.model_exchange() as rope, ELEMENT.model_exchange() as friction:
        rope.start({"dynamicFriction": mu, "slackTension": tension, "wrapAngle": angle})
        ratio = rope.get("backwardTensionRatio")
        assert ratio == pytest.approx(math.exp(-mu * angle), rel=1e-14)
        taken = max(ratio, 1e-3)  # the smallest value that an element accepts
        friction.start(
            {
                "staticFriction": mu,
                "dynamicFriction": mu,
                "backwardFrictionRatio": taken,
                "normalForce": rope.get("normalForce"),
                "relativeVelocity": 1.0,
            }
        )
        assert friction.get("frictionForce") == pytest.approx(
            tension * math.expm1(mu * angle), rel=1e-12
        )
        friction.set({"relativeVelocity": -1.0})
        friction.event()
        if taken == ratio:
            assert -friction.get("frictionForce") == pytest.approx(
                -tension * math.expm1(-mu * angle), rel=1e-12
            )


def test_a_rope_that_is_slack_or_does_not_touch_has_no_normal_force(fmu):
    with fmu.in_model_exchange() as instance:
        assert instance.get("normalForce") > 0
        for wrong in (
            {"slackTension": -1.0},
            {"slackTension": 1.0, "wrapAngle": 0.0},
            {"wrapAngle": -1.0},
        ):
            instance.set(wrong)
            assert instance.get("normalForce") == 0


@pytest.mark.parametrize("turns, exponent", [(90.0, 90.0), (110.0, 100.0)])
def test_a_rope_holds_no_more_than_there_are_loads(fmu, turns, exponent):
    """e^100 times its tension, so that no force overflows."""
    with fmu.model_exchange() as instance:
        instance.start({"dynamicFriction": 0.5, "slackTension": 2.0, "wrapAngle": turns / 0.5})
        assert instance.get("normalForce") == pytest.approx(4.0 * math.exp(exponent), rel=1e-12)
