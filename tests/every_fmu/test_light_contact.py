"""Contacts that unload: normal forces that fall, vanish, oscillate through zero and return, and
stiff parameter sets. A force is compared with what the contact can carry, its static limit and
viscous part; the laws that need `externalForce` stick or slip at once and are steady wherever the
others are.
"""

import math
import random
import re

import pytest

from convergence import at_once_and_in_parts
from cvode import integrate_cvode
from fmi2 import MODEL_EXCHANGE, OK
from straight_motion import Line, is_friction
from operating_points import some_of
from prescribed import BOUNDED, PRINTED
from reference import integrate_me

FRICTION = pytest.mark.fmus(lambda d: is_friction(d))
STATES = pytest.mark.fmus(lambda d: is_friction(d) and bool(d.states))
WITH_LAW = pytest.mark.fmus(lambda d: "law" in d)

# Only the spring is compared with the limit, as stated on its page: the damper of Simpack's stick
# is added to it.
DAMPED_STICK = {"stictionDamping"}

# Accuracy in light contacts may take more substeps than the default.
AT_MOST = {"maximumSubsteps": 60000}


def limit(description, values, normal, velocity):
    """Returns what the contact can carry: the peak of Bliman and Sorine after a reversal is twice
    as far above the dynamic friction as the first."""

    def value(name):
        return values.get(name, description[name].start) if name in description else 0.0

    static = max(value("staticFriction"), value("dynamicFriction"), value("peakFriction"))
    if "lengthRatio" in description:
        static = 2 * static - value("dynamicFriction")
    viscous = (value("viscousFriction") * normal + value("viscousDamping")) * abs(velocity)
    return static * max(normal, 0.0) + viscous


def bounded(description):
    """Returns the option Bounded of a law that has it."""
    return BOUNDED if "law" in description else {}


def laws(description):
    """Returns the options of a law: as printed and bounded."""
    return [PRINTED, BOUNDED] if "law" in description else [{}]


def parts(description, normal, speed):
    """Returns the size of the terms whose difference is the force up to a speed: what the contact
    can carry, and the damper of a bristle against its spring."""
    damper = (
        description["bristleDamping"].start * speed
        if description.has("law", "bristleDamping")
        else 0.0
    )
    per_force = "bristleStiffness" in description and description["bristleStiffness"].unit == "1/m"
    return limit(description, {}, normal, speed) + damper * (normal if per_force else 1.0)


def decades(draw, low, high):
    return 10 ** draw.uniform(low, high)


# steady sliding


def settling_time(description, values, normal, velocity):
    """Returns fifty times the settling time of the law: the displacement over which its springs
    take up the friction force, and its time constants."""

    def value(name):
        return values.get(name, description[name].start)

    friction = max(
        value(name) for name in ("staticFriction", "dynamicFriction") if name in description
    )
    stiffness = [
        value(v.name) * (normal if v.unit == "1/m" else 1.0)
        for v in description.real_parameters
        if v.unit in ("N/m", "1/m")
    ]
    lengths = [
        value(v.name)
        for v in description.real_parameters
        if v.unit == "m" and "Start" not in v.name
    ]
    times = [value(v.name) for v in description.real_parameters if v.unit == "s"]
    times += (
        [value("bristleDamping") / value("bristleStiffness")]
        if description.has("bristleDamping", "bristleStiffness")
        else []
    )
    if description.family("elementStiffness") and "bristleDamping" in description:
        # in contact the springs settle in a millionth of their relaxation time
        times.append(
            1e-4
            * value("bristleDamping")
            / sum(value(v.name) for v in description.family("elementStiffness"))
        )
    times += [normal / value("attractionRate")] if "attractionRate" in description else []
    return 50 * (
        max([friction * normal / k for k in stiffness] + lengths, default=0.0) / abs(velocity)
        + max(times, default=0.0)
    )


@pytest.mark.fmus(lambda d: is_friction(d) and "dynamicFriction" in d)
def test_steady_sliding_has_the_dynamic_friction_with_any_parameters(fmu):
    """Far above all its own speeds a law slides with μd N, over twelve decades of stiffness,
    damping, speed and normal force; model exchange agrees at the states reached by co-simulation,
    and is steady there."""
    d, line, draw = fmu.description, Line(fmu.description), random.Random(fmu.name)
    with fmu.co_simulation() as instance, fmu.model_exchange() as other:
        for _ in range(40):
            values = {
                v.name: max(v.start * decades(draw, -6, 6), v.min)
                for v in d.real_parameters
                if v.name.partition("[")[0]
                in ("bristleStiffness", "bristleDamping", "relaxationTime", "stictionStiffness")
            }
            values |= {name: 0.0 for name in ("viscousFriction", "viscousDamping") if name in d}
            normal, velocity = decades(draw, -6, 6), draw.choice([1, -1]) * decades(draw, -3, 3)
            values |= {
                v.name: 1e-6 * abs(velocity)
                for v in d.real_parameters
                if v.unit == "m/s" and "Start" not in v.name
            }
            values |= {
                name: value
                for name, value in (
                    ("dynamicVelocity", 2e-6 * abs(velocity)),
                    ("decayConstant", 1e6 / abs(velocity)),
                )
                if name in d
            }
            line.start(instance, normal, velocity, values, tolerance=1e-7)
            for _ in range(3):
                instance.step(settling_time(d, values, normal, velocity))
            expected = math.copysign(d["dynamicFriction"].start * normal, velocity)
            # rounding of the force of a damper balanced by another, and the tolerance if the states
            # are not linear
            rounding = (
                (1e-7 if d.name == "Leuven" else 1e-15)
                * values.get("bristleDamping", 0.0)
                * abs(velocity)
            )
            assert line.along(instance, "frictionForce") == pytest.approx(
                expected, rel=1e-4, abs=rounding
            ), (values, normal, velocity)
            line.start(other, normal, velocity, values)
            other.states = [instance.get(v.name) for v in d.states]
            other.event()
            if any(
                name.startswith("mode") and value != instance.get(name)
                for name, value in other.modes().items()
            ):
                other.demand(
                    "fmi2Reset"
                )  # an element exactly at its limit counts as sticking until it is past it
                instance.demand("fmi2Reset")
                instance.time = other.time = 0.0
                continue
            assert line.along(other, "frictionForce") == pytest.approx(
                expected, rel=1e-4, abs=rounding
            ), (values, normal, velocity)
            # a rate that changes the force by less than the tolerance is also steady
            unfelt = (
                1e-7 * abs(expected) / values["bristleDamping"]
                if "bristleDamping" in values
                else 0.0
            )
            for state, rate in zip(d.states, other.derivatives):
                if state.unit == "m":
                    assert abs(rate) <= 1e-4 * abs(velocity) + unfelt, (values, normal, velocity)
            for one in (instance, other):
                one.demand("fmi2Reset")
                one.time = 0.0


# the normal force falls


@WITH_LAW
@pytest.mark.parametrize("ratio", [0.7, 1e-1, 1e-4])
def test_at_rest_the_force_falls_with_the_limit(fmu, kind, ratio):
    """Loaded to nearly the static limit, then held at rest while the normal force falls; as printed
    the force of a bristle stays, unless its stiffness is given per unit of normal force."""
    d, line, normal = fmu.description, Line(fmu.description), 9.81
    follows = any(v.unit == "1/m" for v in d.real_parameters)
    for law in (PRINTED, BOUNDED):
        with fmu.instance(kind) as instance:
            line.start(instance, normal, 1e-4, law, tolerance=1e-8)
            if kind == MODEL_EXCHANGE:
                integrate_me(instance, 0.0, 100.0, 1e-8)
            else:
                instance.step(100.0)
            before = line.along(instance, "frictionForce")
            instance.set(line.inputs(ratio * normal, 0.0))
            if kind == MODEL_EXCHANGE:
                instance.event()
                integrate_me(instance, 100.0, 101.0, 1e-8)
            else:
                instance.step(1.0)
            force, most = line.along(instance, "frictionForce"), limit(d, {}, ratio * normal, 0.0)
            if law is BOUNDED or follows:
                assert 0 < force <= most * (1 + 1e-12)
            elif not d.family("elementDeflection"):  # a spring on a slider never carries more
                assert force == pytest.approx(before, rel=1e-3)


RABINOWICZ = {
    "dynamicFriction": 0.5,
    "stribeckVelocity": 0.05,
    "bristleDamping": 780.0,
    **{f"elementStiffness[{i}]": value for i, value in enumerate((40e3, 30e3, 18.1e3, 10e3), 1)},
}


@pytest.mark.fmus(lambda d: d.name == "Leuven")
def test_springs_follow_the_limits_of_their_sliders(fmu, kind):
    """Sliding at 50 mm/s while the normal force falls to a tenth: the force is soon that of steady
    sliding and never reverses, with the static friction of the Rabinowicz case, a fifth above the
    dynamic one."""
    d = fmu.description
    with fmu.instance(kind) as instance:
        instance.start(
            {**RABINOWICZ, **BOUNDED, "normalForce": 196.2, "relativeVelocity": 0.05},
            tolerance=1e-8,
        )

        def advance(length):
            if kind == MODEL_EXCHANGE:
                integrate_me(instance, instance.time, instance.time + length, 1e-8)
            else:
                instance.step(length)
            return instance.get("frictionForce")

        heavy = advance(2.0)
        instance.set({"normalForce": 19.62})
        if kind == MODEL_EXCHANGE:
            instance.event()
        forces = [advance(1e-3) for _ in range(100)]
        assert min(forces) > 0 and max(forces) <= limit(d, {}, 19.62, 0.05) * (1 + 1e-9)
        assert forces[-1] == pytest.approx(heavy / 10, rel=2e-2)


def advance(instance, kind, line, normal, velocity, length, pieces):
    """Sets normal force and velocity and holds them; yields the force along the motion after each
    of the pieces."""
    instance.set(line.inputs(normal, velocity))
    if kind == MODEL_EXCHANGE:
        instance.event()
    for _ in range(pieces):
        if kind == MODEL_EXCHANGE:
            integrate_me(instance, instance.time, instance.time + length / pieces, 1e-7)
        else:
            instance.step(length / pieces)
        yield math.copysign(1.0, velocity) * line.along(instance, "frictionForce")


@FRICTION
def test_a_fall_of_the_normal_force_leaves_no_force_for_as_long_as_the_page_says(
    fmu,
):
    """At 50 mm/s, from 196 to 20 N at once, bounded; to the millisecond to which the page rounds, 0
    ms if the page gives none."""
    line = Line(fmu.description)
    page = (fmu.folder / "documentation" / "index.html").read_text(encoding="utf-8")
    stated = re.search(r"no force for (\d+) ms after a jump from 196 to 20 N at 50 mm/s", page)
    with fmu.co_simulation() as instance:
        line.start(instance, 196.0, 0.05, bounded(fmu.description), tolerance=1e-8)
        list(advance(instance, instance.kind, line, 196.0, 0.05, 2.0, 20))
        forces = list(advance(instance, instance.kind, line, 20.0, 0.05, 0.15, 1500))
    assert min(forces) >= 0 and forces[-1] > 0
    assert 0.1 * sum(force == 0 for force in forces) == pytest.approx(
        int(stated[1]) if stated else 0, abs=0.6
    )


@FRICTION
@pytest.mark.parametrize("ratio", [0.4, 1.0, 2.5])
@pytest.mark.endurance
def test_friction_never_drives_a_sliding_body(fmu, kind, ratio):
    """After a fall of the normal force, to a tenth or less, and after a jump of the speed, to
    either side, from slow or fast sliding; laws with the option are bounded."""
    d, line = fmu.description, Line(fmu.description)
    if ratio != 1 and "backwardFrictionRatio" not in d:
        return
    values = bounded(d) | ({"backwardFrictionRatio": ratio} if "backwardFrictionRatio" in d else {})
    with fmu.instance(kind) as instance:
        for side in (1, -1):
            for before, after in (
                ((196.0, 0.05), (20.0, 0.05)),
                ((196.0, 1.0), (1.0, 1.0)),
                ((9.81, 1e-4), (9.81, 0.5)),
            ):
                line.start(instance, before[0], side * before[1], values, tolerance=1e-7)
                list(
                    advance(
                        instance, kind, line, before[0], side * before[1], 2e-3 / before[1] + 0.1, 4
                    )
                )
                # a damper as large as its spring leaves rounding in the plane
                pushes = [
                    force
                    for force in advance(instance, kind, line, after[0], side * after[1], 4e-3, 40)
                    if force < -1e-12 * after[0]
                ]
                assert not pushes, (side, before, after)
                instance.demand("fmi2Reset")
                instance.time = 0.0


# the normal force swings through zero


def swing(fmu, kind, step, stop=0.03, values=None):
    """Pulls a mass of 1 kg with 2 N under 9.81 N (1 + 1.5 sin 2π 100 t); yields (normal force,
    velocity, force) after each piece. The host holds the velocity over a piece; the normal force is
    linear in it."""
    line = Line(fmu.description)
    load = {"externalForce": 2.0} if "externalForce" in fmu.description else {}
    with fmu.instance(kind) as instance:
        velocity, normal = 0.0, 9.81
        line.start(instance, normal, velocity, {**(values or {}), **load}, tolerance=1e-6)
        for i in range(round(stop / step)):
            after = 9.81 * (1 + 1.5 * math.sin(200 * math.pi * (i + 1) * step))
            instance.set({**line.inputs(normal, velocity), **load})
            rate = (after - normal) / step
            if kind == MODEL_EXCHANGE:
                instance.event()
                integrate_me(instance, i * step, (i + 1) * step, 1e-7, line.inputs(rate, 0.0))
            else:
                line.set_rates(instance, rate, 0.0)
                instance.step(step, time=i * step)
            normal = after
            force = line.along(instance, "frictionForce")
            yield normal, velocity, force
            # implicit in the damping, so that the host adds no energy of its own
            velocity += (2.0 - force) / (1.0 / step + max(line.slope(instance), 0.0))


@pytest.mark.fmus(lambda d: is_friction(d) and not DAMPED_STICK & set(d.by_name))
def test_no_force_beyond_what_the_contact_can_carry(fmu, kind):
    d = fmu.description
    for normal, velocity, force in swing(fmu, kind, 2e-4, values=bounded(d)):
        most = limit(d, {}, 9.81 * 2.5, velocity)
        assert abs(force) <= most * (1 + 1e-3), (normal, velocity)
        if "law" in d:
            assert abs(force) <= limit(d, {}, normal, velocity) * (1 + 1e-9), "of the moment"


@WITH_LAW
@pytest.mark.endurance
def test_bounded_no_energy_is_created(fmu):
    """Random pieces of constant velocity under any normal force, from creep to speeds at which the
    printed laws create energy. Heat, if it is an output, is never negative; otherwise the energy
    taken so far."""
    d, line, draw = fmu.description, Line(fmu.description), random.Random(fmu.name)
    with fmu.co_simulation() as instance:
        for _ in range(40):
            line.start(instance, 9.81, 0.0, BOUNDED, tolerance=1e-8)
            taken = moved = 0.0
            for _ in range(8):
                normal, velocity = (
                    decades(draw, -3, 2.3),
                    draw.choice([1, -1]) * decades(draw, -4, 1.3),
                )
                length = decades(draw, -5, -2.5) / abs(velocity) / 40
                instance.set(line.inputs(normal, velocity))
                instance.step(0.0)
                powers = [instance.get("dissipatedPower")]
                for _ in range(40):
                    instance.step(length)
                    powers.append(instance.get("dissipatedPower"))
                    if "heatFlow" in d:
                        assert instance.get("heatFlow") >= -1e-9 * abs(powers[-1]), (
                            normal,
                            velocity,
                        )
                taken += (
                    length
                    / 3
                    * (powers[0] + powers[-1] + 4 * sum(powers[1:-1:2]) + 2 * sum(powers[2:-1:2]))
                )
                moved += length * sum(map(abs, powers))
                assert "heatFlow" in d or taken >= -1e-2 * moved - 1e-12, (
                    "Simpson's rule over a first fall that may take less than a piece"
                )
            instance.demand("fmi2Reset")
            instance.time = 0.0


@FRICTION
@pytest.mark.endurance
def test_co_simulation_tends_to_model_exchange_as_the_step_falls(fmu):
    """The same host, which holds the velocity over a step: both kinds agree at every step size, not
    only in the limit."""
    for step in (4e-4, 1e-4):
        for one, two in zip(swing(fmu, 0, step, 0.02), swing(fmu, 1, step, 0.02)):
            assert two[2] == pytest.approx(
                one[2], abs=2e-4 * limit(fmu.description, {}, 9.81 * 2.5, 0.0)
            ), step


# ramps and floors


def pieces(draw):
    """Draws pieces (normal force, its rate, length): down to zero, through it, up from it, or down
    to a floor and up again."""
    normal, length, rest = decades(draw, -4, 2), decades(draw, -4, 0), decades(draw, -3, -1)
    floor = 10 ** draw.choice([-6, -9, -12, -30, -300, draw.uniform(-300, -3)])
    return draw.choice(
        [
            [(normal, 0, rest), (normal, -normal / length, length), (0.0, 0, rest)],
            [
                (normal, 0, rest),
                (normal, -2 * normal / length, length),
                (-normal, 2 * normal / length, length),
                (normal, 0, rest),
            ],
            [(0.0, 0, rest), (0.0, normal / length, length), (normal, 0, rest)],
            [
                (normal, 0, rest),
                (normal, (floor - normal) / length, length),
                (floor, 0, rest),
                (floor, (normal - floor) / length, length),
            ],
        ]
    )


@FRICTION
def test_no_ramp_is_refused_and_none_gives_a_kick(fmu):
    """150 random ramps for each model, at random and changing speeds, in one step each: all are
    accepted, and at the end of each the force is one that the contact can carry."""
    d, line, draw = fmu.description, Line(fmu.description), random.Random(fmu.name)
    strict = "law" in d
    with fmu.co_simulation() as instance:
        for _ in range(150):
            parts, velocity = pieces(draw), draw.choice([1, -1]) * decades(draw, -4, 1)
            line.start(
                instance,
                parts[0][0],
                velocity,
                bounded(d),
                tolerance=10 ** draw.choice([-4, -6, -8]),
            )
            for normal, rate, length in parts:
                change = draw.choice([0, 0, velocity * draw.uniform(-2, 2) / length])
                instance.set(line.inputs(normal, velocity))
                line.set_rates(instance, rate, change)
                assert instance.fmi2DoStep(instance.time, length, 1) == OK, (
                    parts,
                    velocity,
                    change,
                    instance.messages[-1:],
                )
                instance.time += length
                velocity, now = (
                    line.along(instance, "relativeVelocity"),
                    instance.get("normalForce"),
                )
                if strict:
                    rounding = (
                        1e-12 * d["bristleDamping"].start * abs(velocity)
                        if "bristleDamping" in d
                        else 0.0
                    )
                    assert (
                        abs(line.along(instance, "frictionForce"))
                        <= limit(d, {}, now, velocity) * (1 + 1e-9) + rounding
                    ), (parts, velocity)
            instance.demand("fmi2Reset")
            instance.time = 0.0


def side_by_side(fmu, cases, tolerance):
    """Slides to and fro in 12 pieces of 10 ms, for each (normal force, speed, values), in
    co-simulation and in a tight one with small steps, which other tests compare with model
    exchange; yields (case, number of the piece, velocity, force, tight force).
    """
    line = Line(fmu.description)
    with fmu.co_simulation() as one, fmu.co_simulation() as two:
        for case in cases:
            normal, speed, values = case
            line.start(one, normal, 0.0, values | AT_MOST, tolerance=tolerance)
            line.start(two, normal, 0.0, values | AT_MOST, tolerance=1e-10)
            velocity = 0.0
            for i in range(12):
                after = speed * math.sin(0.7 * (i + 1))
                for instance in (one, two):
                    instance.set(line.inputs(normal, velocity))
                    line.set_rates(instance, 0.0, (after - velocity) / 1e-2)
                one.step(1e-2)
                for _ in range(10):
                    two.step(1e-3)
                velocity = after
                yield (
                    case,
                    i,
                    velocity,
                    line.along(one, "frictionForce"),
                    line.along(two, "frictionForce"),
                )
            for instance in (one, two):
                instance.demand("fmi2Reset")
                instance.time = 0.0


@STATES
@pytest.mark.endurance
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-6, 1e-9])
def test_the_force_is_right_to_the_tolerance_of_what_the_contact_carries(fmu, tolerance):
    """Under any normal force, relative to the terms whose difference is the force: fifty
    tolerances, and five with a damper (0.9 measured). In light and fast contact a damper balances
    the bristle, and relative to what the contact carries the error is larger by the ratio of the
    damper. As printed a step of ElastoPlastic at 1e-9 may use up its trials and end coarsely.
    """
    d, draw = fmu.description, random.Random(f"{fmu.name} {tolerance}")
    cases = [
        (decades(draw, -6, 4), decades(draw, -3, 0), law)
        for law in laws(d)
        for _ in range(12)
        if not (law == PRINTED and d.name == "ElastoPlastic" and tolerance == 1e-9)
    ]
    for case, i, velocity, force, tight in side_by_side(fmu, cases, tolerance):
        # four elements slip one after the other in GeneralizedMaxwellSlip: 15 measured
        several = d.name == "GeneralizedMaxwellSlip"
        tolerances = 5 if "bristleDamping" in d and not several else 50
        allowed = tolerances * tolerance * parts(d, case[0], case[1])
        rounding = (
            1e-13 * abs(velocity) * (d["bristleDamping"].start if "bristleDamping" in d else 0.0)
        )
        assert force == pytest.approx(tight, abs=allowed + rounding), (case, i)


@pytest.mark.fmus(
    lambda d: (
        is_friction(d)
        and d.has("law", "bristleDamping", "bristleStiffness")
        and d["bristleStiffness"].unit == "1/m"
    )
)
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
@pytest.mark.endurance
def test_a_printed_damper_leaves_the_force_right_to_the_tolerance_at_any_speed(fmu, tolerance):
    """At 100 m/s the damper amplifies an error of the deflection up to 80 000 times as much as the
    spring, which the solver has to consider: ten tolerances of what the contact carries are
    allowed, however slippery it is, and the rounding of a balanced damper.
    """
    d = fmu.description
    cases = [
        (9.81, speed, {"staticFriction": friction, "dynamicFriction": 0.8 * friction})
        for friction in (0.05, 0.6)
        for speed in (10.0, 100.0)
    ]
    for case, i, velocity, force, tight in side_by_side(fmu, cases, tolerance):
        allowed = 10 * tolerance * limit(d, case[2], case[0], velocity)
        rounding = 1e-13 * case[0] * d["bristleDamping"].start * abs(velocity)
        assert force == pytest.approx(tight, abs=allowed + rounding), (case, i)


@pytest.mark.fmus(lambda d: is_friction(d) and d.has("law", "bristleDamping"))
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("law", [PRINTED, BOUNDED], ids=["printed", "bounded"])
def test_behind_a_damper_the_force_is_right_to_the_tolerance_in_light_contact_too(
    fmu, tolerance, law
):
    """Under 10 mN and more. A damper amplifies an error of the deflection by the speed over the
    normal force, 20 000 times at 0.3 m/s here, of which the solver considers a hundred: 400
    tolerances are allowed (260 measured), for ElastoPlastic 40 (16 measured, and 1700 if the solver
    ignored the damper)."""
    d, draw = fmu.description, random.Random(f"{fmu.name} {tolerance} printed")
    cases = [(decades(draw, -2, 3), decades(draw, -3, 0), law) for _ in range(some_of(8))] + [
        (0.01, 0.3, law)
    ]
    for case, i, velocity, force, tight in side_by_side(fmu, cases, tolerance):
        allowed = (
            (40 if d.name == "ElastoPlastic" else 400) * tolerance * limit(d, {}, case[0], velocity)
        )
        rounding = 1e-13 * abs(velocity) * d["bristleDamping"].start * max(case[0], 1.0)
        assert force == pytest.approx(tight, abs=allowed + rounding), (case, i)


# model exchange: nominal values that follow the normal force

# Laws whose states are displacements of a given length, or deflections with a stiffness per unit of
# normal force, have the same resolution under any normal force.
UNLOADED = {
    "AdamsStickSlip",
    "ContactPoint",
    "LuGreNormalized",
    "ProjectedLuGre",
    "RecurDynStickSlip",
    "SimpackStickSlip",
    "StickSlip",
}


@STATES
def test_nominal_values_fall_with_the_normal_force(fmu):
    """In proportion to it, from the declared values down to 1e-7 of them; without contact they are
    the declared ones."""
    d, line = fmu.description, Line(fmu.description)
    declared, found = [state.nominal for state in d.states], {}
    for normal in (0.0, -1.0, 1e-300, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e4):
        with fmu.model_exchange() as instance:
            line.start(instance, normal, 0.0)
            found[normal] = instance.nominals
            assert all(
                1e-7 * most <= given * (1 + 1e-15) and given <= most
                for given, most in zip(found[normal], declared)
            ), normal
    if fmu.name not in ("BlimanSorine", "SecondOrderBristle"):
        assert found[1e4] == declared
    assert found[0.0] == found[-1.0] == declared
    if fmu.name in UNLOADED:
        assert found[1e-6] == found[1e4]
        return
    assert found[1e-300][0] == pytest.approx(1e-7 * declared[0])
    lowest, highest = 2e-7 * declared[0], 0.5 * declared[0]
    loads = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    pairs = [
        (found[more][0], found[less][0])
        for less, more in zip(loads, loads[1:])
        if lowest < found[less][0] and found[more][0] < highest
    ]
    assert pairs and all(more / less == pytest.approx(10, rel=1e-6) for more, less in pairs)


@STATES
def test_nominal_values_change_at_events_only_and_are_reported(fmu):
    """By more than a factor of two, or not at all; a stored state restores them."""
    line = Line(fmu.description)
    with fmu.model_exchange() as instance:
        line.start(instance, 1e-2, 0.0)
        light = instance.nominals
        instance.set(line.inputs(1e-4, 0.0))
        assert instance.nominals == light, "there was no event"
        stored = instance.save()
        _, info = instance.event()
        lighter = instance.nominals
        assert (
            bool(info.nominalsOfContinuousStatesChanged)
            == (lighter != light)
            == (fmu.name not in UNLOADED)
        )
        assert all(less <= more for less, more in zip(lighter, light))
        instance.set(line.inputs(1.5e-4, 0.0))
        _, info = instance.event()
        assert not info.nominalsOfContinuousStatesChanged and instance.nominals == lighter
        instance.restore(stored)
        assert instance.nominals == light
        instance.drop(stored)
        instance.demand("fmi2Reset")
        assert instance.nominals == [state.nominal for state in fmu.description.states]


@STATES
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.endurance
def test_in_model_exchange_the_force_is_right_to_the_tolerance_of_what_the_contact_carries(
    fmu, tolerance
):
    """With CVODE and the element's nominal values, under any normal force, sliding to and fro:
    fifty tolerances of the terms whose difference is the force."""
    d, line, draw = (
        fmu.description,
        Line(fmu.description),
        random.Random(f"{fmu.name} {tolerance} nominal"),
    )
    with fmu.model_exchange() as one, fmu.co_simulation() as two:
        for law in 3 * laws(d):
            normal, speed = decades(draw, -6, 4), decades(draw, -3, 0)
            line.start(one, normal, 0.0, law)
            line.start(two, normal, 0.0, law | AT_MOST, tolerance=1e-10)
            velocity = 0.0
            for i in range(8):
                after = speed * math.sin(0.7 * (i + 1))
                rate = (after - velocity) / 1e-2
                integrate_cvode(one, i * 1e-2, (i + 1) * 1e-2, tolerance, line.inputs(0.0, rate))
                two.set(line.inputs(normal, velocity))
                line.set_rates(two, 0.0, rate)
                for _ in range(10):
                    two.step(1e-3)
                velocity = after
                allowed = 50 * tolerance * parts(d, normal, speed)
                rounding = (
                    1e-13
                    * abs(velocity)
                    * (d["bristleDamping"].start if "bristleDamping" in d else 0.0)
                )
                assert line.along(one, "frictionForce") == pytest.approx(
                    line.along(two, "frictionForce"), abs=allowed + rounding
                ), (normal, speed, i)
            for instance in (one, two):
                instance.demand("fmi2Reset")
                instance.time = 0.0


@pytest.mark.fmus(lambda d: d.has("bristleDeflectionStart", "relativeVelocity", "normalForce"))
def test_touch_down_in_a_long_step_is_found_to_rounding(fmu):
    """A loaded bristle touches down: its remaining deflection depends on the first moments of
    contact, so one long step agrees with many short ones only if its touch-down is exact."""
    values = {"bristleDeflectionStart": -8e-4, "normalForce": -32.0, "relativeVelocity": -8e-5}
    rates = {"normalForce": 2300.0, "relativeVelocity": -0.07}
    at_once, in_parts = at_once_and_in_parts(fmu, 14e-3, values, rates)
    assert at_once == pytest.approx(in_parts, abs=1e-4 * limit(fmu.description, {}, 0.2, 0.0))
