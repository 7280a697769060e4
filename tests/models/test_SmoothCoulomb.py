"""SmoothCoulomb: facts of tanh."""

import math

import pytest

from curves import friction_curve, refusal

ONLY = pytest.mark.fmus(lambda d: d.name == "SmoothCoulomb")


@ONLY
def test_fast_sliding_takes_the_dynamic_friction_exactly(fmu):
    with friction_curve(fmu, 30.0, dynamicFriction=0.4, dynamicVelocity=0.02) as curve:
        assert curve.forces((1.0, -1.0, 1e9)) == [12.0, -12.0, 12.0]


@ONLY
def test_slope_at_rest_is_the_limit_over_the_tolerance(fmu):
    with friction_curve(fmu, 30.0, dynamicFriction=0.4, dynamicVelocity=0.02) as curve:
        assert curve.slope(0.0) == pytest.approx(12.0 / 0.02, rel=1e-14)
        # tanh' = 1 - tanh^2
        assert curve.slope(0.015) == pytest.approx(600.0 * (1 - math.tanh(0.75) ** 2), rel=1e-12)


@ONLY
def test_a_load_below_the_limit_is_carried_at_the_creep_the_page_names(fmu):
    with friction_curve(fmu, 30.0, dynamicFriction=0.4, dynamicVelocity=0.02) as curve:
        for share in (0.1, 0.5, 0.9, 0.999):
            assert curve.force(0.02 * math.atanh(share)) == pytest.approx(share * 12.0, rel=1e-12)


@ONLY
def test_a_tolerance_of_zero_is_refused(fmu):
    assert "dynamicVelocity" in refusal(fmu, dynamicVelocity=0.0)
    assert "dynamicFriction" in refusal(fmu, dynamicFriction=0.0)
