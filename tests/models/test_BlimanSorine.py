"""BlimanSorine: the peak, the sliding force and the stiffness are those of the parameters;
everything is linear in the displacement."""

import math

import pytest
from scipy.optimize import minimize_scalar

from fmi2 import CO_SIMULATION
from prescribed import BOUNDED, PRINTED, drive
from reference.BlimanSorine import constants

P = {
    "staticFriction": 0.6,
    "dynamicFriction": 0.5,
    "bristleStiffness": 98100.0,
    "lengthRatio": 0.2,
    "relaxationTime": 0.01,
}
SURFACES = [
    (0.6, 0.5, 0.2),
    (0.6, 0.3, 0.2),
    (0.6, 0.5, 0.02),
    (0.6, 0.5, 0.5),
    (0.9, 0.1, 0.7),
    (0.51, 0.5, 0.9),
    (0.6, 0.5, 0.999),
]


def parameters(static, dynamic, ratio):
    return {**P, "staticFriction": static, "dynamicFriction": dynamic, "lengthRatio": ratio}


def force_at(p, normal, path):
    """Returns the force of both bristles from rest, over the displacement."""
    f1, f2, length = constants(p, normal)
    return f1 * -math.expm1(-path / (p["lengthRatio"] * length)) - f2 * -math.expm1(-path / length)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("normal", [10.0, 196.2])
def test_the_peak_from_rest_is_static_friction(fmu, surface, normal):
    """At the displacement s_e = l eta/(1 - eta) ln((1 + b)/(eta b)), with b = f2/F_d; before and
    after it the force is smaller."""
    p = parameters(*surface)
    f1, f2, length = constants(p, normal)
    eta = p["lengthRatio"]
    path = length * eta / (1 - eta) * math.log(f1 / (eta * f2))
    speed = path  # so that the peak is reached after 1 s
    forces = [
        found["frictionForce"]
        for _, _, found in drive(fmu, CO_SIMULATION, p, [(normal, speed, 1.2)], 0.1)
    ]
    assert forces[9] == pytest.approx(surface[0] * normal, rel=1e-9)
    assert max(forces[:9] + forces[10:]) < forces[9]


@pytest.mark.parametrize("surface", SURFACES)
def test_the_force_is_that_of_two_dahl_models(fmu, kind, surface):
    p = parameters(*surface)
    length = constants(p, 196.2)[2]
    for _, time, found in drive(fmu, kind, p, [(196.2, length, 3.0)], 0.25):
        assert found["frictionForce"] == pytest.approx(force_at(p, 196.2, length * time), rel=1e-6)


@pytest.mark.parametrize("surface", SURFACES)
def test_far_from_rest_it_slides_with_dynamic_friction(fmu, surface):
    p = parameters(*surface)
    *_, (_, _, found) = drive(fmu, CO_SIMULATION, p, [(196.2, -0.1, 1000.0)], 250.0)
    assert found["frictionForce"] == pytest.approx(-surface[1] * 196.2, rel=1e-9)
    assert found["slidingVelocity"] == pytest.approx(-0.1, rel=1e-9)


@pytest.mark.parametrize("surface", SURFACES)
def test_the_stiffness_at_rest_is_the_bristle_stiffness(fmu, surface):
    p = parameters(*surface)
    with fmu.in_model_exchange({**p, "normalForce": 196.2, "relativeVelocity": 0.0}) as instance:
        assert instance.get("slidingVelocity") == 0
        instance.states = [1e-9, 1e-9]
        assert instance.get("frictionForce") == pytest.approx(98100.0e-9, rel=1e-9)


def test_after_a_reversal_the_overshoot_doubles(fmu):
    """Both bristles change from full deflection to full deflection: twice as far as from rest."""
    p = parameters(0.6, 0.5, 0.2)
    length = constants(p, 196.2)[2]
    rest = minimize_scalar(
        lambda path: -force_at(p, 196.2, path),
        bounds=(0, 3 * length),
        method="bounded",
        options={"xatol": 1e-12},
    ).x
    phases = [(196.2, -length, 50.0), (196.2, rest, 1.0)]
    *_, (_, _, found) = drive(fmu, CO_SIMULATION, p, phases, 0.5)
    assert found["frictionForce"] == pytest.approx(98.1 + 2 * (117.72 - 98.1), rel=1e-6)


def test_without_a_peak_it_is_dahl(fmu):
    p = parameters(0.5, 0.5, 0.2)
    for _, time, found in drive(fmu, CO_SIMULATION, p, [(196.2, 1e-3, 3.0)], 0.25):
        assert found["frictionForce"] == pytest.approx(
            98.1 * -math.expm1(-98100.0 * 1e-3 * time / 98.1), rel=1e-9
        )


def test_separated_both_bristles_relax(fmu, kind):
    p = {**P, "bristleDeflectionStart[1]": 1e-3, "bristleDeflectionStart[2]": -2e-3}
    for _, time, found in drive(fmu, kind, p, [(0.0, 0.3, 0.05)], 5e-3):
        assert found["frictionForce"] == 0
        assert found["bristleDeflection[1]"] == pytest.approx(
            1e-3 * math.exp(-time / 0.01), rel=1e-6
        )
        assert found["bristleDeflection[2]"] == pytest.approx(
            -2e-3 * math.exp(-time / 0.01), rel=1e-6
        )


@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.5])
def test_bounded_it_gives_the_peak_of_a_reversal_at_most(fmu, ratio):
    """After sliding in the other direction: F_d + (1 + ratio) (F_s - F_d) forward, with ratio F_d
    backward, whatever the deflections."""
    with fmu.model_exchange() as instance:
        instance.start({**P, **BOUNDED, "backwardFrictionRatio": ratio, "normalForce": 10.0})
        for side, sliding in ((1, 5.0), (-1, ratio * 5.0)):
            peak = sliding + (1 + ratio) * 1.0
            instance.states = [
                side * 1.0,
                -side * 1.0,
            ]  # the slow bristle is still bent the other way, more than any motion can leave it
            assert instance.get("frictionForce") == pytest.approx(side * peak, rel=1e-12)
            instance.states = [side * 1.0, 0.0]
            assert 0 < side * instance.get("frictionForce") <= peak * (1 + 1e-12)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.5])
@pytest.mark.endurance
def test_bounded_a_fall_of_the_normal_force_in_sliding_is_followed_at_once(fmu, kind, ratio):
    """To the sliding force of the new normal force, and with its sign; as printed the slow bristle
    drives the body."""
    for law in (PRINTED, BOUNDED):
        for velocity, sliding in ((0.05, 0.5), (-0.05, -0.5 * ratio)):
            p = {**P, "backwardFrictionRatio": ratio, **law}
            runs = drive(
                fmu,
                kind,
                p,
                [(196.0, velocity, 2.0), (20.0, velocity, 0.01)],
                1e-3 if kind else 1e-2,
                tolerance=1e-8,
            )
            after = [found["frictionForce"] for number, _, found in runs if number == 1]
            if law is BOUNDED:
                assert after == pytest.approx([sliding * 20.0] * len(after), rel=1e-5)
            else:
                assert after[-1] * velocity < 0


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_after_the_normal_force_has_fallen_the_short_bristle_is_as_exact_as_the_long_one(
    fmu, tolerance
):
    """To a ten-thousandth, sliding to and fro: compared with ten tight steps for each, within ten
    tolerances of what the contact carries then. The lengths of the bristles differ by a factor of
    500, and each has its own tolerance."""
    with fmu.co_simulation() as one, fmu.co_simulation() as tight:
        for instance, its in ((one, tolerance), (tight, 1e-10)):
            instance.start({**P, "lengthRatio": 0.002, "normalForce": 100.0}, tolerance=its)
        for n in range(14):
            normal, before, after = (
                100.0 if n < 6 else 0.01,
                0.1 * math.sin(0.7 * n),
                0.1 * math.sin(0.7 * (n + 1)),
            )
            for instance, parts in ((one, 1), (tight, 10)):
                instance.set({"normalForce": normal, "relativeVelocity": before})
                instance.set_input_derivative("relativeVelocity", (after - before) / 1e-2)
                for _ in range(parts):
                    instance.step(1e-2 / parts)
            assert one.get("frictionForce") == pytest.approx(
                tight.get("frictionForce"), abs=10 * tolerance * P["staticFriction"] * normal
            )


def test_without_a_peak_its_slopes_are_finite(fmu):
    """The slow part is zero there; its slope is unbounded, and zero is returned instead."""
    with fmu.model_exchange() as instance:
        same = {"staticFriction": 0.5, "dynamicFriction": 0.5}
        instance.start({**P, **same, "normalForce": 9.81, "relativeVelocity": 0.01})
        instance.states = [0.4 * 9.81 / 98100.0, 0.0]
        force = [fmu.description["frictionForce"].reference]
        for name in ("staticFriction", "lengthRatio"):
            known = [fmu.description[name].reference]
            assert all(map(math.isfinite, instance.slopes(force, known, [1.0])))
