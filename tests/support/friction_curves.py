"""Friction curves F(v) of an FMU under a constant normal force, and checks of those with a peak."""

from contextlib import contextmanager

import pytest

from fmi2 import ERROR, FmiError


class Curve:
    def __init__(self, instance):
        self.instance = instance

    def force(self, velocity):
        self.instance.set({"relativeVelocity": velocity})
        self.instance.event()
        return self.instance.get("frictionForce")

    def slope(self, velocity):
        """Returns the exact dF/dv."""
        self.force(velocity)
        d = self.instance.description
        return self.instance.slopes(
            [d["frictionForce"].reference], [d["relativeVelocity"].reference], [1.0]
        )[0]

    def forces(self, speeds):
        return [self.force(speed) for speed in speeds]


@contextmanager
def friction_curve(fmu, normal=10.0, **parameters):
    with fmu.in_model_exchange({"normalForce": normal, **parameters}) as instance:
        yield Curve(instance)


def refusal(fmu, **parameters):
    """Returns an FMU's message about parameters that break a rule."""
    with fmu.model_exchange() as instance:
        with pytest.raises(FmiError) as error:
            instance.start(parameters)
        assert error.value.status == ERROR
        return instance.messages[-1].text


def check_peak_curve(fmu, slope_at_rest):
    """Checks a curve that rises to mu_s at v_s, falls to mu_d at v_d and stays there, with a
    continuous slope.

    slope_at_rest: dF/dv at rest in units of mu_s N/v_s.
    """
    normal, static, dynamic, slow, fast = 20.0, 0.7, 0.4, 2e-3, 5e-3
    with friction_curve(
        fmu,
        normal,
        staticFriction=static,
        dynamicFriction=dynamic,
        staticVelocity=slow,
        dynamicVelocity=fast,
    ) as curve:
        unit = static * normal / slow
        assert curve.force(slow) == pytest.approx(static * normal, rel=1e-14)
        assert [curve.force(fast), curve.force(2 * fast), curve.force(1e3)] == [
            dynamic * normal
        ] * 3
        assert curve.slope(0.0) == pytest.approx(slope_at_rest * unit, rel=1e-12)
        for joint in (slow, fast):
            for side in (1 - 1e-7, 1, 1 + 1e-7):
                # the slope vanishes at the joint, so near it is the curvature, of order 10/v_s,
                # times the distance
                assert abs(curve.slope(side * joint)) <= 1e-5 * unit
                assert curve.force(side * joint) == pytest.approx(curve.force(joint), rel=1e-12)
        rise = curve.forces(slow * i / 100 for i in range(101))
        fall = curve.forces(slow + (fast - slow) * i / 100 for i in range(101))
        assert all(a < b for a, b in zip(rise, rise[1:]))
        assert all(a > b for a, b in zip(fall, fall[1:]))
        assert max(rise + fall) <= static * normal
        # the fall is odd about its middle
        assert curve.force((slow + fast) / 2) == pytest.approx(
            (static + dynamic) / 2 * normal, rel=1e-12
        )
        # tiny velocities keep their relative accuracy
        assert curve.force(1e-30) == pytest.approx(slope_at_rest * unit * 1e-30, rel=1e-12)


def check_peak_rules(fmu):
    """Checks that contradicting speeds and coefficients are refused by name."""
    assert "dynamicVelocity" in refusal(fmu, staticVelocity=0.02, dynamicVelocity=0.02)
    assert "dynamicVelocity" in refusal(fmu, staticVelocity=0.02, dynamicVelocity=0.01)
    assert "staticVelocity" in refusal(fmu, staticVelocity=0.0)
    assert "dynamicFriction" in refusal(fmu, staticFriction=0.2, dynamicFriction=0.3)
    assert "staticFriction" in refusal(fmu, staticFriction=-0.5)


def curvature(curve, velocity, step):
    """Returns d2F/dv2 from the exact slopes on one side of a velocity."""
    return (curve.slope(velocity + step) - curve.slope(velocity)) / step
