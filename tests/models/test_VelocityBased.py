"""VelocityBased: two cubic steps."""

import pytest

from friction_curves import check_peak_curve, check_peak_rules

ONLY = pytest.mark.fmus(lambda d: d.name == "VelocityBased")


@ONLY
def test_rises_to_static_and_falls_to_dynamic_friction_with_a_continuous_slope(fmu):
    check_peak_curve(fmu, slope_at_rest=3 / 2)


@ONLY
def test_contradicting_parameters_are_refused(fmu):
    check_peak_rules(fmu)
