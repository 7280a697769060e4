"""The implicit bristle: exact stick, break-away at the static limit, and the right one of several
roots."""

import numpy as np
import pytest
from scipy.optimize import brentq

from convergence import at_once_and_in_parts
from fmi2 import CO_SIMULATION
from fmus import published
from body_on_element import run_sine
from operating_points import Sampler
from prescribed import CASES, MODEL_1, MODEL_2, NORMAL, drive, parameters_for, pulled, saturating
from reference import ImplicitBristle as law
from reference import kikuuwe, stribeck
from reference.direction import seen_from

VALVE = published("kikuuwe2006_valve")
PRESLIDING = published("piatkowski2014_lugre")
del PRESLIDING["regularizationVelocity"]  # which this element lacks


def item(fmu, instance_or_values):
    """Returns the name of the mode."""
    mode = fmu.description["mode"]
    value = (
        instance_or_values["mode"]
        if isinstance(instance_or_values, dict)
        else instance_or_values.get("mode")
    )
    return fmu.description.items[mode.attributes["declaredType"]][value]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("direction", [1, -1])
def test_break_away_at_the_static_limit(fmu, kind, case, direction):
    """Pulled with a constant velocity v: stick with z = v t, F = sigma0 v t + sigma1 v exactly, up
    to F_s, then it slides."""
    for part, _, force, found in pulled(fmu, kind, case, direction):
        if part < 1 - 1e-6:
            assert item(fmu, found) == "Stick"
            assert found["frictionForce"] == pytest.approx(force, rel=1e-9)
            assert found["slidingVelocity"] == 0
        elif part > 1 + 1e-6:
            assert item(fmu, found) != "Stick"
            assert found["slidingVelocity"] * direction > 0


@pytest.mark.parametrize("case", CASES)
def test_the_force_never_passes_the_static_limit_and_balances_the_curve(fmu, kind, case):
    """Eq 5 holds at every moment of a run with reversal: friction at the tip = force of the
    bristle."""
    p = parameters_for(fmu, CASES[case])
    limit = p["staticFriction"] * NORMAL
    phases = [(NORMAL, 3e-3, 0.1), (NORMAL, -8e-3, 0.1), (NORMAL, 4e-4, 0.1)]
    for _, _, found in drive(fmu, kind, p, phases, 1e-3):
        force = (
            p["bristleStiffness"] * found["bristleDeflection"]
            + p["bristleDamping"] * found["der(bristleDeflection)"]
        )
        assert found["frictionForce"] == pytest.approx(force, rel=1e-9, abs=1e-9 * limit)
        sliding = found["slidingVelocity"]
        if sliding:
            assert found["frictionForce"] == pytest.approx(
                stribeck.steady_force(p, NORMAL, sliding), rel=1e-7
            )
        else:
            assert abs(force) <= limit * (1 + 1e-6)


def test_stick_does_not_drift(fmu, kind):
    """Held below the limit, nothing moves, bit for bit, in a thousand steps."""
    p = {**parameters_for(fmu, MODEL_1), "bristleDeflectionStart": 0.99 * 0.6 * NORMAL / 39000.0}
    for _, _, found in drive(fmu, kind, p, [(NORMAL, 0.0, 1.0)], 0.01):
        assert found["bristleDeflection"] == p["bristleDeflectionStart"]
        assert found["der(bristleDeflection)"] == 0 and found["slidingVelocity"] == 0


@pytest.mark.parametrize("case", CASES)
def test_lift_off_and_return(fmu, kind, case):
    p = parameters_for(fmu, CASES[case])
    constant = p["bristleDamping"] / p["bristleStiffness"]
    phases = [(NORMAL, 1e-4, 0.02), (0.0, 1e-4, 0.01), (-5.0, -0.1, 0.01), (NORMAL, 1e-6, 0.01)]
    loaded = returned = None
    for number, time, found in drive(fmu, kind, p, phases, 1e-3):
        if number == 0:
            loaded = found["bristleDeflection"]
            assert loaded == pytest.approx(1e-4 * time, rel=1e-9)
        elif number < 3:
            since = time + (0.01 if number == 2 else 0.0)
            returned = saturating(loaded, 0.0, 1 / constant, since)
            assert item(fmu, found) == "Separated"
            assert found["frictionForce"] == 0
            assert found["bristleDeflection"] == pytest.approx(returned, rel=1e-6, abs=1e-10)
        else:
            assert item(fmu, found) == "Stick"
            assert found["bristleDeflection"] == pytest.approx(
                returned + 1e-6 * time, rel=1e-6, abs=1e-10
            )


def test_model_2_has_its_two_folds(fmu):
    """Three roots for 1.4752 N < |F*| < 1.5258 N."""
    upper, lower = check_folds(fmu, parameters_for(fmu, MODEL_2))
    assert (upper, lower) == (pytest.approx(1.5258, abs=5e-5), pytest.approx(1.4752, abs=5e-5))


@pytest.mark.parametrize("exponent", [0.1, 0.5, 0.791, 0.999, 1.001])
def test_a_curve_that_falls_steeply_from_rest_has_one_fold(fmu, exponent):
    """Piatkowski measured the exponent 0.791. The slow branch is empty: the tip jumps from stick to
    the fast branch, and back at its end."""
    p = {**parameters_for(fmu, MODEL_1), "stribeckExponent": exponent, "bristleDamping": 20.0}
    upper, lower = check_folds(fmu, p)
    assert upper == p["staticFriction"] * NORMAL and lower < 0.99 * upper


def check_folds(fmu, p):
    """Raises the force, under which the tip slides slowly until the upper fold, then lowers it,
    under which it slides fast until the lower one; returns the forces at both."""
    low, high = law.folds(p, NORMAL)
    upper, lower = law.balance(p, NORMAL, low), law.balance(p, NORMAL, high)
    margin = 0.3 * (upper - lower)
    forces = np.linspace(lower - margin, upper + margin, 401)
    with fmu.in_model_exchange({**p, "normalForce": NORMAL, "relativeVelocity": 0.0}) as instance:

        def sliding(force):
            instance.states = [force / p["bristleStiffness"]]
            instance.event()
            return instance.get("slidingVelocity")

        limit = p["staticFriction"] * NORMAL
        for going, switch in ((forces, upper), (reversed(forces), lower)):
            for force in going:
                found = sliding(force)
                roots = ([0.0] if force <= limit else []) + law.sliding_speeds(p, NORMAL, force)
                expected = roots[-1] if force > switch else roots[0]
                if min(abs(force - edge) for edge in (upper, lower, limit)) > 1e-6:
                    assert found == pytest.approx(expected, rel=1e-9, abs=1e-15), force
    return upper, lower


def test_every_root_is_the_right_one(fmu):
    """At random points the sliding speed is a root on a rising piece: the slow one, the fast one,
    or none in stick. Every second point is between the folds, if there are any, and has several
    solutions there.
    """
    d = fmu.description
    seen = set()
    sampler = Sampler(d, "roots of the balance")
    for number, (instance, p) in enumerate(sampler.points(fmu, 25, 20)):
        normal, velocity = instance.get("normalForce"), instance.get("relativeVelocity")
        fold = law.folds(p, normal) if normal > 0 and number % 2 else None
        if fold:
            force = sampler.random.uniform(*(law.balance(p, normal, speed) for speed in fold))
            instance.states = [(force - p["bristleDamping"] * velocity) / p["bristleStiffness"]]
            instance.event()
        if normal <= 0:
            assert item(fmu, instance) == "Separated"
            continue
        force = (
            p["bristleStiffness"] * instance.get("bristleDeflection")
            + p["bristleDamping"] * velocity
        )
        sliding = instance.get("slidingVelocity")
        p = seen_from(p, force)
        if item(fmu, instance) == "Stick":
            assert abs(force) <= p["staticFriction"] * normal * (1 + 1e-6)
            assert sliding == 0
            continue
        assert sliding * force > 0
        roots = law.sliding_speeds(p, normal, abs(force))
        seen.add(len(roots))
        assert any(abs(sliding) == pytest.approx(root, rel=1e-6) for root in roots), (
            p,
            normal,
            force,
            sliding,
            roots,
        )
        assert law.balance(p, normal, abs(sliding)) == pytest.approx(abs(force), rel=1e-9)
        if not law.folds(p, normal):
            assert len(roots) == 1
    assert seen >= {1, 2}, "points with one and with several solutions"


def test_beyond_the_end_of_a_piece_the_speed_does_not_follow(fmu):
    """A solver searches the event there: SlowSlip continues at the speed of the fold, where a slope
    of the balance would be infinite."""
    p = parameters_for(fmu, MODEL_2)
    sliding, deflection = (
        fmu.description[name].reference for name in ("slidingVelocity", "bristleDeflection")
    )
    with fmu.in_model_exchange(p) as instance:
        for normal in np.linspace(0.9 * NORMAL, 1.1 * NORMAL, 50):
            low, _ = law.folds(p, normal)
            limit, upper = p["staticFriction"] * normal, law.balance(p, normal, low)
            instance.set({"normalForce": normal, "relativeVelocity": 0.0})
            for force in (0.0, (limit + upper) / 2):
                instance.states = [force / p["bristleStiffness"]]
                instance.event()
            assert item(fmu, instance) == "SlowSlip"
            for beyond in (1e-9, 5e-7, 1e-3):
                instance.states = [upper * (1 + beyond) / p["bristleStiffness"]]
                assert instance.get("slidingVelocity") == pytest.approx(
                    low, rel=1e-6
                )  # a fold is found to the root of rounding
                assert instance.slopes([sliding], [deflection], [1.0]) == [0.0]


def test_below_the_end_of_fast_slip_the_speed_does_not_follow(fmu):
    """Down to half of what slip needs, below which an outdated mode would drive a body; for weak
    dampers and strong ones, where the search for the root runs past the fold, to slow slip or
    beyond zero."""
    for damping in (10.0, 100.0, MODEL_2["bristleDamping"]):
        p = parameters_for(fmu, MODEL_2) | {"bristleDamping": damping}
        _, high = law.folds(p, NORMAL)
        lower = law.balance(p, NORMAL, high)
        with fmu.model_exchange() as instance:
            instance.start(p | {"normalForce": NORMAL, "relativeVelocity": 0.0})
            instance.states = [2 * p["staticFriction"] * NORMAL / p["bristleStiffness"]]
            instance.event()
            assert item(fmu, instance) == "Slip"
            for part in np.linspace(0.0, 0.999, 200):
                instance.states = [part * lower / p["bristleStiffness"]]
                expected = high if part * lower > 0.5 * p["dynamicFriction"] * NORMAL else 0.0
                assert instance.get("slidingVelocity") == pytest.approx(expected, rel=1e-6), (
                    part
                )  # a fold is found to the root of rounding


@pytest.mark.parametrize("case", CASES)
def test_events_are_the_same_after_a_day(fmu, case):
    """With fewer digits left for the time, an importer stops further before an event: a mode has to
    be found from there, too."""
    p = parameters_for(fmu, CASES[case])
    peak = 1.5 * p["staticFriction"] * NORMAL
    counts = []
    for begin in (0.0, 1e5):
        with fmu.in_model_exchange({**p, "normalForce": NORMAL}) as instance:
            course = run_sine(instance, peak, begin)
            counts.append((len(course.events), course.changes))
    assert counts[0] == counts[1] and counts[0][0] > 2


def test_the_slip_equation_is_not_stiff(fmu):
    """One co-simulation step of 1 s of sliding agrees with a thousand small ones."""
    p = {**parameters_for(fmu, MODEL_1), "relativeVelocity": 0.05, "normalForce": NORMAL}
    with fmu.co_simulation() as one, fmu.instance(CO_SIMULATION) as many:
        one.start(p)
        many.start(p)
        one.step(1.0)
        for _ in range(1000):
            many.step(1e-3)
        assert one.get("frictionForce") == pytest.approx(many.get("frictionForce"), rel=1e-6)
        assert one.get("frictionForce") == pytest.approx(
            stribeck.steady_force(MODEL_1, NORMAL, 0.05), rel=1e-9
        )


def test_with_one_coefficient_it_is_kikuuwes_friction(fmu):
    """F is the saturation of K e + B v, at random points: those in stick and those in slip, in both
    directions."""
    modes = set()
    for instance, p in Sampler(fmu.description, "one coefficient").points(fmu, 20, 20):
        p |= {
            "staticFriction": p["dynamicFriction"],
            "viscousFriction": 0.0,
            "viscousDamping": 0.0,
            "backwardFrictionRatio": 1.0,
        }
        normal, velocity, (deflection,) = (
            instance.get("normalForce"),
            instance.get("relativeVelocity"),
            instance.states,
        )
        if normal <= 0:
            continue
        with fmu.model_exchange() as other:
            other.start({**p, "normalForce": normal, "relativeVelocity": velocity})
            other.states = [deflection]
            other.event()
            normal += p["preloadForce"]
            known = (
                p["bristleStiffness"],
                p["bristleDamping"],
                p["dynamicFriction"] * normal,
                deflection,
            )
            force, rate = kikuuwe.law(*known, velocity)
            # the largest cancelling term determines the rounding; a mode lasts up to its hysteresis
            # of 1e-6 beyond the limit
            size = max(
                abs(p["bristleStiffness"] * deflection), abs(p["bristleDamping"] * velocity), force
            )
            assert other.get("frictionForce") == pytest.approx(force, rel=1e-6, abs=1e-14 * size)
            assert other.get("der(bristleDeflection)") == pytest.approx(
                rate, rel=1e-6, abs=1e-14 * size / p["bristleDamping"]
            )
            modes.add((item(fmu, other), force > 0))
    assert len(modes) >= 4


def test_kikuuwes_recursion_with_a_fixed_step_converges_to_it(fmu):
    """Through stick, slip and reversals: half the step, half the difference, as of an implicit
    Euler method; extrapolated, they agree."""
    p = parameters_for(fmu, VALVE)
    normal, dt = 10.0, 2e-3
    speeds = [
        0.3 * np.sin(2 * np.pi * i / 60) + 0.2 * np.sin(2 * np.pi * i / 11) for i in range(300)
    ]
    with fmu.in_co_simulation({**p, "normalForce": normal}, tolerance=1e-10) as instance:
        exact = []
        for speed in speeds:
            instance.set({"relativeVelocity": speed})
            instance.step(dt)
            exact.append(instance.get("frictionForce"))
    limit = p["dynamicFriction"] * normal
    assert max(exact) == pytest.approx(limit, rel=1e-9) and min(exact) == pytest.approx(
        -limit, rel=1e-9
    )

    def recursion(parts):
        forces, deflection = [], 0.0
        for speed in speeds:
            for _ in range(parts):
                force, deflection = kikuuwe.step(
                    p["bristleStiffness"], p["bristleDamping"], limit, deflection, speed, dt / parts
                )
            forces.append(force)
        return np.array(forces)

    fine, finer = (recursion(parts) - exact for parts in (512, 1024))
    assert np.abs(finer).max() == pytest.approx(np.abs(fine).max() / 2, rel=0.01)
    # the remainder is of second order: the square of the first, 7e-5 of the limit
    assert np.abs(2 * finer - fine).max() < 2e-8 * limit


def test_the_tip_is_arrested_at_the_fold_at_any_tolerance(fmu):
    """The force only touches its value at the fold, so that an error of it shifts the arrest by its
    square root; the speed of the tip, which the solver resolves, too, gives the time exactly."""
    values = {
        "staticFriction": 0.8058,
        "dynamicFriction": 0.1974,
        "stribeckVelocity": 5.831e-3,
        "viscousFriction": 0.7982,
        "viscousDamping": 0.3678,
        "stribeckExponent": 0.7866,
        "backwardViscousRatio": 0.5936,
        "backwardFrictionRatio": 0.8371,
        "bristleStiffness": 31150.0,
        "bristleDamping": 272.5,
        "normalForce": 4.919,
        "relativeVelocity": 5.113e-3,
    }
    coarse, fine = (
        at_once_and_in_parts(fmu, 0.3583, values, {"relativeVelocity": -0.01149}, tol)[0]
        for tol in (1e-4, 1e-9)
    )
    assert coarse == pytest.approx(fine, abs=100 * 1e-4 * 0.8058 * 4.919)


def test_in_slow_motion_with_little_damping_the_tip_sticks_and_slips_by_itself(fmu, kind):
    """The hysteresis loop of the rig (Piatkowski 2014, section 3): at 35.6 um/s the curve falls
    faster than the damping rises, so no branch has a steady slip. The spring is stretched to the
    static limit, the tip jumps to the speed given by 3076 N.s/m and the curve, and sticks again
    after the fold. 0.2 N is the rise of the force in the 0.1 ms between two samples."""
    p = parameters_for(fmu, PRESLIDING) | {"bristleDeflectionStart": 5.8e-5}
    limit, speed = PRESLIDING["staticFriction"] * 98.1, 4 * 0.0891e-3 / 10
    taken = brentq(
        lambda a: stribeck.steady_force(p, 98.1, a) + p["bristleDamping"] * a - limit,
        1e-3,
        1e-2,
    )  # on the fast branch
    lowest = limit - p["bristleDamping"] * taken
    force = [
        found["frictionForce"] for _, _, found in drive(fmu, kind, p, [(98.1, speed, 0.1)], 1e-4)
    ]
    assert lowest == pytest.approx(49.3, abs=0.05) and limit == pytest.approx(55.3)
    assert limit - 0.01 < max(force) < limit * (1 + 1e-6)
    assert lowest < min(force) < lowest + 0.2
    assert np.sum(np.diff(force) < -1) >= 2
