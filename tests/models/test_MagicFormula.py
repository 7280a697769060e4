"""MagicFormula: peak, limit and slope of the one expression."""

import math

import pytest

from friction_curves import friction_curve, refusal


def test_the_peak_is_the_static_friction_where_the_page_says(fmu):
    for shape in (1.2, 1.5, 1.9):
        with friction_curve(
            fmu, 10.0, staticFriction=0.6, stiffnessFactor=300.0, shapeFactor=shape
        ) as curve:
            peak = math.tan(math.pi / (2 * shape)) / 300.0
            assert curve.force(peak) == pytest.approx(6.0, rel=1e-14)
            assert curve.slope(peak) == pytest.approx(0, abs=1e-12 * curve.slope(0.0))
            assert curve.force(0.9 * peak) < 6.0 > curve.force(1.1 * peak)


@pytest.mark.parametrize("curvature", [-3.0, 0.0, 0.7])
def test_fast_sliding_has_its_share_of_the_peak(fmu, curvature):
    with friction_curve(
        fmu,
        10.0,
        staticFriction=0.6,
        stiffnessFactor=300.0,
        shapeFactor=1.5,
        curvatureFactor=curvature,
    ) as curve:
        assert curve.force(1e12) == pytest.approx(6.0 * math.sin(0.75 * math.pi), rel=1e-10)


def test_full_curvature_keeps_its_own_limit_at_any_speed(fmu):
    """With E = 1 the argument of the outer arc tangent ends at pi/2; written as printed it would
    cancel to zero."""
    with friction_curve(
        fmu, 10.0, staticFriction=0.6, stiffnessFactor=300.0, shapeFactor=1.5, curvatureFactor=1.0
    ) as curve:
        limit = 6.0 * math.sin(1.5 * math.atan(math.pi / 2))
        assert curve.forces((1e15, 1e30, 1e100)) == pytest.approx([limit] * 3, rel=1e-12)


def test_slope_at_rest_is_the_product_of_the_factors(fmu):
    with friction_curve(
        fmu, 10.0, staticFriction=0.6, stiffnessFactor=300.0, shapeFactor=1.5, curvatureFactor=-2.0
    ) as curve:
        assert curve.slope(0.0) == pytest.approx(6.0 * 300.0 * 1.5, rel=1e-14)


def test_factors_that_would_drive_the_motion_are_refused(fmu):
    """Beyond these bounds the force changes its sign at some speed."""
    assert "shapeFactor" in refusal(fmu, shapeFactor=2.0)
    assert "shapeFactor" in refusal(fmu, shapeFactor=0.0)
    assert "curvatureFactor" in refusal(fmu, curvatureFactor=1.01)
    assert "stiffnessFactor" in refusal(fmu, stiffnessFactor=-1.0)
