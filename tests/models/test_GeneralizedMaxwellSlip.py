"""GeneralizedMaxwellSlip: the polygon of its first loading, loops that close, and its steady and
lagging forces in sliding."""

import math

import pytest

from convergence import at_once_and_in_parts
from fmi2 import CO_SIMULATION
from reference import integrate_me
from reference.stribeck import steady_force

NORMAL = 9.81
STICK, FORWARD, BACKWARD = 2, 3, 4
STIFFNESS, SHARE = [20000.0, 10000.0, 6000.0, 3000.0], [0.1, 0.2, 0.3, 0.4]
# One coefficient: the hysteresis does not depend on the velocity then.
RATELESS = {
    "normalForce": NORMAL,
    "staticFriction": 0.6,
    "dynamicFriction": 0.6,
    "bristleDamping": 0.0,
}
LIMIT = 0.6 * NORMAL


class Path:
    """An instance moved slowly along a displacement."""

    def __init__(self, instance, speed=1e-4):
        self.instance, self.speed, self.place = instance, speed, 0.0

    def to(self, place):
        instance = self.instance
        displacement = place - self.place
        if displacement:
            instance.set({"relativeVelocity": self.speed if displacement > 0 else -self.speed})
            if instance.kind == CO_SIMULATION:
                instance.step(abs(displacement) / self.speed)
            else:
                instance.event()
                integrate_me(
                    instance, instance.time, instance.time + abs(displacement) / self.speed, 1e-10
                )
        self.place = place
        return instance.get("frictionForce")


def first_loading(displacement):
    return sum(min(k * displacement, share * LIMIT) for k, share in zip(STIFFNESS, SHARE))


def test_the_first_loading_is_a_polygon(fmu, kind):
    with fmu.started(kind, RATELESS, tolerance=1e-9) as instance:
        path = Path(instance)
        for i in range(1, 60):
            assert path.to(i * 2e-5) == pytest.approx(first_loading(i * 2e-5), rel=1e-5)
        assert list(instance.modes().values()) == [FORWARD] * 4
        assert path.place > SHARE[3] * LIMIT / STIFFNESS[3]


def test_unloading_follows_masings_rule(fmu, kind):
    """A branch is the first loading, twice as large in both directions, from the point of
    reversal."""
    with fmu.started(kind, RATELESS, tolerance=1e-9) as instance:
        path = Path(instance)
        turn = path.to(4e-4)
        for i in range(1, 40):
            assert path.to(4e-4 - i * 2e-5) == pytest.approx(
                turn - 2 * first_loading(i * 1e-5), rel=1e-5, abs=1e-5
            )


def test_inner_loops_close_and_are_forgotten(fmu, kind):
    """Nonlocal memory: after an inner loop the outer branch continues as without it."""
    with fmu.instance(kind) as one, fmu.instance(kind) as two:
        for instance in (one, two):
            instance.start(RATELESS, tolerance=1e-9)
        with_loops, without = Path(one), Path(two)
        assert with_loops.to(3e-4) == pytest.approx(without.to(3e-4), rel=1e-9)
        left = with_loops.to(2e-4)
        with_loops.to(2.4e-4)
        with_loops.to(2.2e-4)
        with_loops.to(2.4e-4)
        assert with_loops.to(2e-4) == pytest.approx(left, rel=1e-5), "the inner loops close"
        assert left == pytest.approx(without.to(2e-4), rel=1e-5)
        for place in (1e-4, 0.0, -2e-4, 3e-4, 4e-4):
            assert with_loops.to(place) == pytest.approx(without.to(place), rel=1e-5, abs=1e-5), (
                place
            )
        names = [f"elementForce[{i}]" for i in (1, 2, 3, 4)]
        assert [one.get(name) for name in names] == pytest.approx(
            [two.get(name) for name in names], rel=1e-5, abs=1e-5
        )


def test_elements_share_the_force_of_steady_sliding(fmu):
    with fmu.co_simulation() as instance:
        for velocity in (1e-3, -0.01, 0.5):
            instance.start(
                {
                    "normalForce": NORMAL,
                    "relativeVelocity": velocity,
                    "viscousFriction": 0.2,
                    "viscousDamping": 3.0,
                    "bristleDamping": 100.0,
                },
                tolerance=1e-9,
            )
            instance.step(5.0)
            p = {v.name: instance.get(v.name) for v in fmu.description.parameters}
            assert instance.get("frictionForce") == pytest.approx(
                steady_force(p, NORMAL, velocity), rel=1e-7
            )
            whole = steady_force(
                {**p, "viscousFriction": 0.0, "viscousDamping": 0.0}, NORMAL, velocity
            )
            assert [instance.get(f"elementForce[{i}]") for i in (1, 2, 3, 4)] == pytest.approx(
                [share * whole for share in SHARE], rel=1e-6
            )
            assert instance.get("slidingVelocity") == pytest.approx(velocity, rel=1e-6)
            instance.demand("fmi2Reset")


def test_shares_are_relative_to_their_sum(fmu):
    forces = []
    for factor in (1.0, 7.0):
        with fmu.co_simulation() as instance:
            instance.start(
                {
                    "normalForce": NORMAL,
                    "relativeVelocity": 1e-3,
                    **{f"elementShare[{i + 1}]": factor * s for i, s in enumerate(SHARE)},
                }
            )
            instance.step(0.05)
            forces.append([instance.get(f"elementForce[{i}]") for i in (1, 2, 3, 4)])
    assert forces[0] == pytest.approx(forces[1], rel=1e-9)


def test_the_force_lags_behind_the_curve(fmu):
    """When the speed rises in sliding, the force of the printed law is above the curve; when it
    falls, below."""
    with fmu.co_simulation() as instance:
        instance.start(
            {
                "normalForce": NORMAL,
                "relativeVelocity": 1e-3,
                "stribeckExponent": 1.0,
                "bristleDamping": 0.0,
            },
            tolerance=1e-9,
        )
        instance.step(1.0)
        p = {v.name: instance.get(v.name) for v in fmu.description.parameters}
        instance.set_input_derivative("relativeVelocity", 1.0)
        instance.step(0.01)
        rising = instance.get("frictionForce")
        assert rising > steady_force(p, NORMAL, instance.get("relativeVelocity")) * 1.05
        instance.set({"relativeVelocity": 0.03})
        instance.step(1.0)
        instance.set_input_derivative("relativeVelocity", -1.0)
        instance.step(0.019)
        assert instance.get("relativeVelocity") == pytest.approx(0.011)
        assert instance.get("frictionForce") < steady_force(p, NORMAL, 0.011) * 0.95


def test_elements_reverse_with_the_motion(fmu):
    with fmu.model_exchange() as instance:
        instance.start(
            {
                "normalForce": NORMAL,
                "relativeVelocity": 1e-2,
                **{f"elementForceStart[{i}]": 10.0 for i in (1, 2, 3, 4)},
            }
        )
        assert set(instance.modes().values()) == {FORWARD}
        instance.set({"relativeVelocity": -1e-2})
        forces = instance.states
        _, info = instance.event()
        assert set(instance.modes().values()) == {STICK}
        assert instance.states == forces and not info.valuesOfContinuousStatesChanged, (
            "the forces are kept"
        )
        assert instance.derivatives == [k * -1e-2 for k in STIFFNESS]


def test_creeping_does_not_chatter(fmu):
    with fmu.co_simulation() as instance:
        for velocity in (1e-9, -1e-7, 1e-5):
            instance.start(
                {
                    "normalForce": NORMAL,
                    "relativeVelocity": velocity,
                    **{
                        f"elementForceStart[{i}]": 0.5 if velocity > 0 else -0.5
                        for i in (1, 2, 3, 4)
                    },
                }
            )
            modes = []
            for _ in range(300):
                instance.step(1.0)
                modes.append(tuple(instance.modes().values()))
            assert sum(a != b for a, b in zip(modes, modes[1:])) <= 4
            instance.demand("fmi2Reset")


@pytest.mark.endurance
def test_a_body_comes_to_rest_on_the_springs(fmu):
    """After a push that makes no element slip: 1 kg on 39 kN/m with a tenth of the critical
    damping, in closed form."""
    mass, stiffness, step = 1.0, sum(STIFFNESS), 1e-5
    decay = 40.0 / (2 * mass)
    frequency = math.sqrt(stiffness / mass - decay**2)
    with fmu.in_co_simulation({"normalForce": NORMAL, "bristleDamping": 40.0}) as instance:
        velocity = 1e-3
        for i in range(1, 30001):
            instance.set({"relativeVelocity": velocity})
            instance.step(step)
            velocity -= step * instance.get("frictionForce") / mass
            if i % 1000 == 0:
                time = i * step
                wave = math.cos(frequency * time) - decay / frequency * math.sin(frequency * time)
                # a host with held inputs lags by half a step: k h/(2 m) of the damping
                assert velocity == pytest.approx(1e-3 * math.exp(-decay * time) * wave, abs=3e-5)
        assert abs(velocity) < 5e-6


@pytest.mark.parametrize("velocity", [1e15, -1e80])
def test_no_speed_carries_an_element_beyond_its_limit(fmu, velocity):
    """The limit is passed within the rounding of the time, so the event cannot be located in time;
    it is located in the force, to the tolerance of the limit."""
    with fmu.co_simulation() as instance:
        instance.start(
            RATELESS
            | {
                "relativeVelocity": velocity,
                "viscousFriction": 0.0,
                "viscousDamping": 0.0,
            },
            tolerance=1e-6,
        )
        instance.step(1e-3)
        for i, share in enumerate(SHARE, 1):
            assert instance.get(f"elementForce[{i}]") == pytest.approx(
                math.copysign(share * LIMIT, velocity), rel=1e-5
            )
        assert set(instance.modes().values()) == {FORWARD if velocity > 0 else BACKWARD}


def test_a_light_contact_is_followed_within_a_microsecond(fmu):
    """The time constant of an element vanishes with the normal force, and ends at a nanosecond."""
    with fmu.in_co_simulation(RATELESS | {"relativeVelocity": 0.01}, tolerance=1e-9) as instance:
        instance.step(0.1)
        instance.set({"normalForce": 1e-9})
        instance.step(1e-6)
        for i, share in enumerate(SHARE, 1):
            assert instance.get(f"elementForce[{i}]") == pytest.approx(share * 0.6 * 1e-9, rel=1e-6)


def test_a_sliding_element_sticks_again_at_standstill_under_a_higher_limit(fmu):
    with fmu.in_co_simulation(RATELESS | {"relativeVelocity": 0.01}) as instance:
        instance.step(0.1)
        assert set(instance.modes().values()) == {FORWARD}
        instance.set({"normalForce": 2 * NORMAL, "relativeVelocity": 0.0})
        instance.step(1e-3)
        assert set(instance.modes().values()) == {STICK}


def test_an_element_that_slips_shortly_before_a_reversal_is_found_inside_a_long_step(fmu):
    """It reaches its limit and, shortly after, the velocity reverses: samples before and after are
    below its limit."""
    stiffness = {f"elementStiffness[{i}]": k for i, k in enumerate((2100.0, 100.0, 248e3, 99e3), 1)}
    values = {"normalForce": 22.7, "relativeVelocity": 7.66e-3, **stiffness}
    at_once, in_parts = at_once_and_in_parts(fmu, 7.3e-3, values, {"relativeVelocity": -1.77})
    assert at_once == pytest.approx(in_parts, rel=1e-5)


@pytest.fixture
def slipping(fmu):
    """Returns an instance with all elements in slip at 20 N."""
    with fmu.model_exchange() as instance:
        instance.initialize({"normalForce": 20.0, "relativeVelocity": 0.01})
        instance.states = [20.0] * 4
        instance.settle()
        yield instance


def test_a_slip_ends_where_the_motion_does(slipping):
    """Below 1e-9 of the Stribeck velocity; where the force is at the limit to a thousandth, as much
    beyond zero."""
    speed = 1e-9 * slipping.get("stribeckVelocity")
    for i, share in enumerate(SHARE):
        for at_limit, velocity, ends in (
            (0.9985, 1.1, False),
            (0.9985, 0.9, True),
            (0.9995, 0.0, False),
            (0.9995, -0.9, False),
            (0.9995, -1.1, True),
        ):
            slipping.states = [at_limit * share * 0.6 * 20.0] * 4
            slipping.set({"relativeVelocity": velocity * speed})
            assert (slipping.indicators[i] < 0) == ends, (i, at_limit, velocity)


def test_a_force_that_follows_a_falling_limit_at_rest_does_not_chatter(fmu):
    """At loose tolerances, over which the limit falls little in a step."""
    with fmu.in_co_simulation(RATELESS | {"relativeVelocity": 0.01}, tolerance=1e-4) as instance:
        instance.step(0.1)
        instance.set({"relativeVelocity": 0.0})
        instance.set_input_derivative("normalForce", -1e-3)
        modes = []
        for _ in range(2000):
            instance.step(0.1)
            modes.append(tuple(instance.modes().values()))
        assert sum(a != b for a, b in zip(modes, modes[1:])) <= 1
        assert instance.get("frictionForce") == pytest.approx(0.6 * (NORMAL - 0.2), rel=1e-3)


def test_under_an_almost_vanished_normal_force_an_element_follows_within_a_nanosecond(slipping):
    """No faster: its time constant, its share of the friction over the attraction, vanishes."""
    slipping.set({"normalForce": 1e-12})
    for rate in slipping.derivatives:
        assert rate == pytest.approx(-20.0 / 1e-9, rel=1e-9)
