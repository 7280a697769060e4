"""SmoothCoulomb: properties of its four smoothings, and the numbers on its page."""

import math

import pytest

from friction_curves import friction_curve, refusal

TANH, LINEAR, EXPONENTIAL, ARCTANGENT = range(1, 5)
# Of each smoothing: per cent of the dynamic friction at dynamicVelocity and at three times that,
# and the creep under a share of the friction.
FACTS = {
    TANH: (76, 99.5, math.atanh),
    LINEAR: (100, 100.0, lambda share: share),
    EXPONENTIAL: (63, 95.0, lambda share: -math.log(1 - share)),
    ARCTANGENT: (64, 86.7, lambda share: 2 / math.pi * math.tan(math.pi / 2 * share)),
}


def test_fast_sliding_has_exactly_the_dynamic_friction(fmu):
    with friction_curve(fmu, 30.0, dynamicFriction=0.4, dynamicVelocity=0.02) as curve:
        assert curve.forces((1.0, -1.0, 1e9)) == [12.0, -12.0, 12.0]


def test_tanh_is_the_default(fmu):
    """Equation 4 is the default, and its slope that of tanh: 1 - tanh^2."""
    with friction_curve(fmu, 30.0, dynamicFriction=0.4, dynamicVelocity=0.02) as curve:
        assert curve.instance.get("smoothing") == TANH
        assert curve.force(0.015) == 0.4 * math.tanh(0.75) * 30.0
        assert curve.slope(0.015) == pytest.approx(600.0 * (1 - math.tanh(0.75) ** 2), rel=1e-12)


@pytest.mark.parametrize("smoothing", FACTS)
def test_the_slope_at_rest_is_the_limit_over_the_tolerance_and_the_steepest(fmu, smoothing):
    """For all smoothings, from either side; the slope of the exponential has a kink there, but the
    same value."""
    with friction_curve(
        fmu, 30.0, dynamicFriction=0.4, dynamicVelocity=0.02, smoothing=smoothing
    ) as curve:
        for velocity in (0.0, -0.0, 1e-14, -1e-14):
            assert curve.slope(velocity) == pytest.approx(600.0, rel=1e-11)
        # tiny velocities keep their relative accuracy
        assert curve.force(1e-30) == pytest.approx(6e-28, rel=1e-14)
        assert all(
            0 <= curve.slope(0.02 * s) <= 600.0 * (1 + 1e-14) for s in (-5.0, -0.5, 0.3, 1.7, 40.0)
        )


@pytest.mark.parametrize("smoothing", FACTS)
def test_the_levels_on_the_page(fmu, smoothing):
    one, three, _ = FACTS[smoothing]
    with friction_curve(
        fmu, 30.0, dynamicFriction=0.4, dynamicVelocity=0.02, smoothing=smoothing
    ) as curve:
        assert [round(curve.force(0.02) / 0.12), round(curve.force(-0.06) / 0.012) / 10] == [
            one,
            -three,
        ]


@pytest.mark.parametrize("smoothing", FACTS)
def test_a_load_below_the_limit_is_carried_at_the_creep_on_the_page(fmu, smoothing):
    creep = FACTS[smoothing][2]
    with friction_curve(
        fmu, 30.0, dynamicFriction=0.4, dynamicVelocity=0.02, smoothing=smoothing
    ) as curve:
        for share in (0.1, 0.5, 0.9, 0.999):
            assert curve.force(0.02 * creep(share)) == pytest.approx(share * 12.0, rel=1e-12)
            assert curve.force(-0.02 * creep(share)) == pytest.approx(-share * 12.0, rel=1e-12)


def test_the_line_ends_at_the_tolerance_exactly(fmu):
    with friction_curve(
        fmu, 30.0, dynamicFriction=0.4, dynamicVelocity=0.02, smoothing=LINEAR
    ) as curve:
        assert curve.forces((0.01, 0.02, 0.0200001, 3.0, -0.01, -0.02, -3.0)) == [
            6.0,
            12.0,
            12.0,
            12.0,
            -6.0,
            -12.0,
            -12.0,
        ]
        assert [curve.slope(0.0199), curve.slope(0.0201)] == [pytest.approx(600.0, rel=1e-14), 0.0]


def test_a_tolerance_of_zero_is_refused(fmu):
    assert "dynamicVelocity" in refusal(fmu, dynamicVelocity=0.0)
    assert "dynamicFriction" in refusal(fmu, dynamicFriction=0.0)
