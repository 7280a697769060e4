"""VelocityBased: two cubic steps."""

from friction_curves import check_peak_curve, check_peak_rules


def test_rises_to_static_and_falls_to_dynamic_friction_with_a_continuous_slope(fmu):
    check_peak_curve(fmu, slope_at_rest=3 / 2)


def test_contradicting_parameters_are_refused(fmu):
    check_peak_rules(fmu)
