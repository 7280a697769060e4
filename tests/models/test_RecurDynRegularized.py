"""RecurDynRegularized: one quintic step, then constant."""

import pytest

from friction_curves import curvature, friction_curve, refusal


def test_constant_beyond_the_static_velocity(fmu):
    with friction_curve(fmu, 10.0, staticFriction=0.6, staticVelocity=1e-3) as curve:
        assert curve.forces((1e-3, 2e-3, -1e-3, -50.0)) == [6.0, 6.0, -6.0, -6.0]
        assert curve.slope(2e-3) == 0


def test_slope_at_rest_and_flat_end(fmu):
    with friction_curve(fmu, 10.0, staticFriction=0.6, staticVelocity=1e-3) as curve:
        assert curve.slope(0.0) == pytest.approx(15 / 8 * 6.0 / 1e-3, rel=1e-14)
        # near its end the step approaches the level with the third power of the distance
        assert curve.force(1e-3 * (1 - 1e-3)) == pytest.approx(6.0, rel=3e-9)
        for velocity in (0.0, 1e-3):
            for step in (1e-8, -1e-8):
                assert abs(curvature(curve, velocity, step)) <= 1e-3 * 6.0 / 1e-3**2
        assert curve.force(1e-30) == pytest.approx(15 / 8 * 6.0 * 1e-27, rel=1e-12)


def test_a_velocity_or_coefficient_of_zero_is_refused(fmu):
    assert "staticVelocity" in refusal(fmu, staticVelocity=0.0)
    assert "staticFriction" in refusal(fmu, staticFriction=0.0)
