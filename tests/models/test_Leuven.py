"""Leuven: a Maxwell-slip hysteresis in pre-sliding, the Stribeck curve in sliding."""

import pytest

from cvode import integrate_cvode
from fmi2 import CO_SIMULATION
from prescribed import BOUNDED, PRINTED, drive
from reference.Leuven import limits

STIFFNESS = [40000.0, 30000.0, 18100.0, 10000.0]
P = {
    "staticFriction": 0.6,
    "dynamicFriction": 0.5,
    "stribeckVelocity": 0.05,
    "stribeckExponent": 1.0,
    "viscousFriction": 0.0,
    "viscousDamping": 0.0,
    "bristleDamping": 780.0,
    "transitionExponent": 200.0,
    **{f"elementStiffness[{i}]": k for i, k in enumerate(STIFFNESS, 1)},
    **{f"elementShare[{i}]": share for i, share in enumerate((0.1, 0.2, 0.3, 0.4), 1)},
}
SPEED = 1e-5  # so slow that damping gives 0.0078 N
DAMPER = 780.0 * SPEED
SHARP = 1e-3 * 117.72  # an element comes to rest over the last thousandth of its displacement


def polygon(displacement):
    """Returns the first rise: every spring up to its limit."""
    return sum(
        min(k * displacement, limit) for k, limit in zip(STIFFNESS, limits(P, 196.2, {}).values())
    )


def path(*turns):
    """Returns phases of constant speed from 0 to the turning points, one after the other."""
    phases, here = [], 0.0
    for turn in turns:
        phases.append((196.2, SPEED if turn > here else -SPEED, abs(turn - here) / SPEED))
        here = turn
    return phases


def forces(fmu, kind, *turns):
    """Returns the hysteresis force, without the damper, at the end of every phase."""
    last = {}
    for number, _, found in drive(fmu, kind, P, path(*turns), 1e-5 / SPEED, 1e-8):
        last[number] = found["frictionForce"] - (DAMPER if path(*turns)[number][1] > 0 else -DAMPER)
    return list(last.values())


def test_the_first_rise_is_a_polygon(fmu, kind):
    """Up to four fifths of the static friction; from there on z lags behind the motion (0.8^200 is
    negligible)."""
    for _, time, found in drive(fmu, kind, P, path(2.4e-3), 1e-4 / SPEED, 1e-8):
        assert found["frictionForce"] - DAMPER == pytest.approx(polygon(SPEED * time), abs=SHARP)


@pytest.mark.endurance
def test_a_reversal_follows_the_first_rise_at_twice_the_scale(fmu, kind):
    """Masing's rule: F(x) = F_m - 2 f((x_m - x)/2)."""
    top = polygon(2e-3)
    for back in (1.9e-3, 1.5e-3, 8e-4, -6e-4, -2e-3):
        turned = forces(fmu, kind, 2e-3, back)[-1]
        assert turned == pytest.approx(top - 2 * polygon((2e-3 - back) / 2), abs=2 * SHARP)


@pytest.mark.endurance
def test_inner_loops_close_and_the_outer_one_continues_as_without_them(fmu, kind):
    """Nonlocal memory: loops within loops, each closed where it began."""
    outer, inner_low, inner_high, closed, beyond = forces(fmu, kind, 2e-3, 0.0, 8e-4, 0.0, -5e-4)
    assert closed == pytest.approx(inner_low, abs=SHARP)
    direct = forces(fmu, kind, 2e-3, 0.0, -5e-4)
    assert direct[1] == pytest.approx(inner_low, abs=1e-9)
    assert beyond == pytest.approx(direct[2], abs=SHARP)


@pytest.mark.endurance
def test_many_cycles_do_not_drift(fmu):
    """A hundred loops between the same turning points: the last is the second."""
    turns = [1.5e-3] + [-1e-3, 1.5e-3] * 100
    found = forces(fmu, CO_SIMULATION, *turns)
    assert found[-1] == pytest.approx(found[2], abs=SHARP)
    assert found[-2] == pytest.approx(found[1], abs=SHARP)


def test_no_element_carries_more_than_its_limit_when_the_normal_force_falls(fmu, kind):
    """Loaded under 196.2 N, then held under 19.62 N: a tenth of the limits, at once, and as printed
    at most a thousandth more."""
    phases = path(2e-3) + [(19.62, 0.0, 0.1), (19.62, SPEED, 0.1)]
    for law, more in ((PRINTED, 1e-3), (BOUNDED, 1e-9)):
        last = {
            number: found["frictionForce"]
            for number, _, found in drive(fmu, kind, {**P, **law}, phases, 0.1, 1e-8)
        }
        assert 11.772 * (1 - 1e-9) <= last[1] <= 11.772 * (1 + more)
        assert last[2] <= 11.772 + DAMPER


@pytest.mark.parametrize("exponent", [1.0, 2.0, 5.0])
@pytest.mark.parametrize("velocity", [0.01, -0.1])
def test_steady_sliding_takes_the_stribeck_curve(fmu, exponent, velocity):
    p = {**P, "transitionExponent": exponent, "viscousFriction": 0.2, "viscousDamping": 30.0}
    *_, (_, _, found) = drive(fmu, CO_SIMULATION, p, [(196.2, velocity, 60.0)], 20.0)
    curve = (
        0.5 + 0.1 * 2.718281828459045 ** (-abs(velocity) / 0.05) + 0.2 * abs(velocity)
    ) * 196.2 + 30.0 * abs(velocity)
    assert found["frictionForce"] == pytest.approx(curve * (1 if velocity > 0 else -1), rel=1e-6)
    assert found["slidingVelocity"] == pytest.approx(velocity, rel=1e-6)


def test_only_the_proportions_of_the_shares_count(fmu):
    one = [found for *_, found in drive(fmu, CO_SIMULATION, P, path(1e-3, 2e-4), 1e-4 / SPEED)]
    scaled = P | {f"elementShare[{i}]": 7 * P[f"elementShare[{i}]"] for i in (1, 2, 3, 4)}
    two = [found for *_, found in drive(fmu, CO_SIMULATION, scaled, path(1e-3, 2e-4), 1e-4 / SPEED)]
    assert [found["frictionForce"] for found in one] == pytest.approx(
        [found["frictionForce"] for found in two], rel=1e-9
    )


def test_a_spring_at_its_limit_is_held_without_a_jump(fmu):
    """In sliding, where the springs hardly move: their rate fades to zero where the smooth
    transition ends, at a thousandth of the velocity."""
    velocity, exponent = 0.01, 2.0
    p = {**P, "dynamicFriction": 0.6, "transitionExponent": exponent}
    with fmu.model_exchange() as instance:
        instance.start({**p, "normalForce": 196.2, "relativeVelocity": velocity})
        full = [limit / k for k, limit in zip(STIFFNESS, limits(p, 196.2, {}).values())]
        for part in (0.9, 0.95, 0.99, 1.01, 1.05):
            missing = (
                1 - (1 - part * 1e-3) ** (1 / exponent)
            ) / 0.4  # of the last spring, which carries that part of the force
            instance.states = [*full[:3], full[3] * (1 - missing)]
            assert abs(instance.derivatives[0]) <= 0.02 * part * 1e-3 * velocity


LAST_PART = 29.43e-9  # m, of the displacement of the first slider by default
RAMPS = [(-0.1, 9.0), (-0.1, 5.0), (0.1, -5.0), (0.05, 0.0)]  # m/s, m/s2


def evaluations(fmu, velocity, rate, tolerance, nominals):
    """Returns the evaluations that CVODE needs for 10 ms."""
    with fmu.in_model_exchange({"normalForce": 9.81, "relativeVelocity": velocity}) as instance:
        rates = {"relativeVelocity": rate}
        return integrate_cvode(instance, 0.0, 0.01, tolerance, rates, nominals)


@pytest.mark.parametrize("velocity, rate", RAMPS)
def test_cvode_needs_few_steps_if_it_resolves_how_a_slider_comes_to_rest(fmu, velocity, rate):
    """With the nominal values or, as OpenModelica does not import them, with a tolerance below the
    distance over which a slider comes to rest; OpenModelica ends after 1000 steps."""
    assert evaluations(fmu, velocity, rate, 1e-8, None) < 1000
    for tolerance in (1e-9, 1e-10):
        assert tolerance < LAST_PART / 10
        assert evaluations(fmu, velocity, rate, tolerance, [1.0] * 4) < 1000


def test_cvode_chatters_if_its_tolerance_is_as_wide_as_that_distance(fmu):
    most = max(evaluations(fmu, *RAMPS[0], 1e-8 * i, [1.0] * 4) for i in (0.5, 1, 2, 3))
    assert most > 1000


def test_overloaded_springs_slide_back_no_faster_than_a_power_may_grow(fmu):
    """1e9 times as fast as the surfaces: springs stretched to the static limit carry 1.2 times the
    force of fast sliding, and 1.2^200 is 7e15."""
    with fmu.in_model_exchange({**P, "normalForce": 196.2, "relativeVelocity": 5.0}) as instance:
        instance.states = [
            2 * limit / k for k, limit in zip(STIFFNESS, limits(P, 196.2, {}).values())
        ]
        assert instance.get("slidingVelocity") == pytest.approx(5e9, rel=1e-9)
