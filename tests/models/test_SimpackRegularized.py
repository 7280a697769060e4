"""SimpackRegularized: a quarter and half a wave."""

import math

import pytest

from friction_curves import check_peak_curve, check_peak_rules, friction_curve


def test_rises_to_static_and_falls_to_dynamic_friction_with_a_continuous_slope(fmu):
    check_peak_curve(fmu, slope_at_rest=math.pi / 2)


def test_a_load_below_the_limit_is_carried_at_the_creep_on_the_page(fmu):
    with friction_curve(fmu, 10.0, staticFriction=0.6, staticVelocity=1e-4) as curve:
        for share in (0.1, 0.5, 0.8, 0.99):
            assert curve.force(2 / math.pi * 1e-4 * math.asin(share)) == pytest.approx(
                share * 6.0, rel=1e-12
            )


def test_contradicting_parameters_are_refused(fmu):
    check_peak_rules(fmu)
