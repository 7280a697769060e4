"""AdamsRegularized: two quintic steps."""

from friction_curves import check_peak_curve, check_peak_rules, curvature, friction_curve


def test_rises_to_static_and_falls_to_dynamic_friction_with_a_continuous_slope(fmu):
    check_peak_curve(fmu, slope_at_rest=15 / 8)


def test_the_curvature_vanishes_at_rest_and_at_the_joints(fmu):
    """A quintic step begins and ends without curvature; near the joint it grows with the distance,
    at most by 60 of the unit per width."""
    with friction_curve(
        fmu,
        10.0,
        staticFriction=0.6,
        dynamicFriction=0.3,
        staticVelocity=1e-3,
        dynamicVelocity=3e-3,
    ) as curve:
        unit = 6.0 / 1e-3**2
        for velocity in (0.0, 1e-3, 3e-3):
            for step in (1e-8, -1e-8):
                assert abs(curvature(curve, velocity, step)) <= 1e-3 * unit
        assert abs(curvature(curve, 0.5e-3, 1e-8)) > unit


def test_contradicting_parameters_are_refused(fmu):
    check_peak_rules(fmu)
