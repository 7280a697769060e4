"""The option `law`: as printed by default, bounded on request; where the two differ, and the
log."""

import math
import random
from ctypes import byref, c_int

import pytest

from fmi2 import CO_SIMULATION, MODEL_EXCHANGE
from straight_motion import Line
from prescribed import BOUNDED, PRINTED
from test_light_contact import decades, limit

WITH_LAW = pytest.mark.fmus(lambda d: "law" in d)
DAMPED = pytest.mark.fmus(
    lambda d: (
        d.has("law", "heatFlow", "bristleDamping", "bristleDeflection")
        and d.name != "LuGreModified"
    )
)
BOTH = pytest.mark.parametrize(
    "kind", [MODEL_EXCHANGE, CO_SIMULATION], ids=["model exchange", "co-simulation"]
)
DRY = {"viscousFriction": 0.0, "viscousDamping": 0.0}


@WITH_LAW
def test_the_printed_law_is_the_default(fmu):
    assert fmu.description["law"].start == PRINTED["law"]


@DAMPED
def test_bounded_is_the_printed_law_bit_for_bit_but_for_its_limit_and_a_push(fmu):
    """At any deflection and speed, within and beyond the static limit; wherever the printed law
    creates energy, it drives the body while the bristle springs back."""
    d, draw = fmu.description, random.Random(fmu.name)
    same = pushes = cold = 0
    with fmu.model_exchange() as one, fmu.model_exchange() as two:
        for instance, law in ((one, PRINTED), (two, BOUNDED)):
            instance.start({**DRY, **law})
        for _ in range(4000):
            normal, velocity = decades(draw, -1, 2), draw.choice([1, -1]) * decades(draw, -5, 1)
            most = limit(d, {}, normal, 0.0)
            stiffness = d["bristleStiffness"].start * (
                normal if d["bristleStiffness"].unit == "1/m" else 1.0
            )
            z = draw.uniform(-1.5, 1.5) * most / stiffness
            for instance in (one, two):
                instance.set({"normalForce": normal, "relativeVelocity": velocity})
                instance.states = [z]
            printed, bounded, rate = (
                one.get("frictionForce"),
                two.get("frictionForce"),
                one.derivatives[0],
            )
            assert two.derivatives[0] == rate
            push = rate * velocity < 0 and printed * velocity < 0
            if push:
                assert bounded == 0
            else:
                expected = max(-most, min(printed, most))
                assert bounded == (
                    printed
                    if abs(printed) < most * (1 - 1e-12)
                    else pytest.approx(expected, rel=1e-12)
                )
            heat = one.get("heatFlow")
            assert heat >= -1e-12 * abs(printed * velocity) or push
            assert two.get("heatFlow") >= -1e-12 * abs(printed * velocity)
            same, pushes, cold = same + (printed == bounded), pushes + push, cold + (heat < 0)
    assert min(same, pushes, cold) > 20, "points that show it"


@pytest.mark.fmus(lambda d: d.name in ("LuGre", "LuGreNormalized"))
@pytest.mark.parametrize("part, creates", [(3.99, False), (4.01, True)])
def test_as_printed_it_creates_energy_beyond_four_times_the_curve(fmu, part, creates):
    """σ1 |v| = 4 g: at twice the deflection of sliding the heat g |v| (r² + c (1 - r)) has a double
    root."""
    normal, velocity = 9.81, 1.0
    with fmu.model_exchange() as instance:
        instance.start(
            {
                **DRY,
                "staticFriction": 0.8,
                "dynamicFriction": 0.4,
                "normalForce": normal,
                "relativeVelocity": velocity,
            }
        )
        per_force = fmu.description["bristleStiffness"].unit == "1/m"
        g = 0.4 * (1.0 if per_force else normal)
        instance.set({"bristleDamping": part * g / velocity})
        heats = []
        for r in (1.0, 1.5, 1.9, 2.0, 2.1, 3.0, 5.0):
            instance.states = [r * g / instance.get("bristleStiffness")]
            heats.append(instance.get("heatFlow"))
    assert (min(heats) < 0) == creates


def advised(instance):
    return [
        m.text
        for m in instance.messages
        if m.category == "logStatusWarning" and "law = 2 (Bounded)" in m.text
    ]


def move(instance, line, normal, velocity, length, steps):
    """Sets inputs and holds them, in a host that calls CompletedIntegratorStep."""
    instance.set(line.inputs(normal, velocity))
    if instance.kind == CO_SIMULATION:
        for _ in range(steps):
            instance.step(length / steps)
        return
    instance.event()
    for _ in range(steps):
        instance.states = [
            x + length / steps * rate for x, rate in zip(instance.states, instance.derivatives)
        ]
        instance.demand("fmi2CompletedIntegratorStep", 1, byref(c_int()), byref(c_int()))


# a list of (normal force, velocity, duration, steps), by explicit Euler steps in model exchange
FALLS = [(9.81, 1e-4, 0.1, 500), (0.05, 0.0, 1e-3, 2)]
STICKS = [(9.81, 1e-4, 0.02, 100), (9.81, -1e-4, 0.02, 100), (9.81, 1e-3, 5e-3, 100)]


@pytest.fixture
def asked(fmu, kind):
    with fmu.instance(kind) as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        yield instance


# A spring per unit of normal force falls with it, and one on a slider slips.
KEEPING = pytest.mark.fmus(
    lambda d: (
        "law" in d
        and not d.family("elementDeflection")
        and all(v.unit != "1/m" for v in d.real_parameters)
    )
)


@KEEPING
@BOTH
@pytest.mark.parametrize("law", [PRINTED, BOUNDED], ids=["printed", "bounded"])
def test_a_spring_beyond_the_limit_of_a_fallen_normal_force_is_reported_once_with_the_remedy(
    asked, law
):
    line = Line(asked.description)
    for count in (1, 2):
        line.start(asked, 9.81, 0.0, law)
        for piece in (*FALLS, *FALLS[1:]):
            move(asked, line, *piece)
        assert len(advised(asked)) == (count if law is PRINTED else 0)
        asked.demand("fmi2Reset")
        asked.time = 0.0


@KEEPING
@BOTH
@pytest.mark.parametrize("part, count", [(5e-4, 0), (5e-3, 1)])
def test_a_thousandth_of_the_sliding_friction_warns(asked, part, count):
    """Beyond the limit of the bristles, after a fall of the normal force by this part."""
    line = Line(asked.description)
    line.start(
        asked,
        9.81,
        0.0,
        {name: 0.4 for name in ("staticFriction", "dynamicFriction") if name in asked.description},
    )
    for piece in ((9.81, 1e-3, 1.0, 5000), (9.81 * (1 - part), 0.0, 1e-3, 2)):
        move(asked, line, *piece)
    assert len(advised(asked)) == count


@pytest.mark.fmus(
    lambda d: (
        d.has("law", "bristleDamping") and d.name not in ("LuGreModified", "LuGreVelocityDamping")
    )
)
def test_energy_that_the_printed_law_creates_is_reported(fmu):
    """A jump of the speed out of slow sliding: the motion for which the page of LuGre gives the
    returned energy."""
    line = Line(fmu.description)
    for law in (PRINTED, BOUNDED):
        with fmu.co_simulation() as instance:
            instance.demand("fmi2SetDebugLogging", 1, 0, None)
            line.start(instance, 9.81, 0.0, law)
            move(instance, line, 9.81, 1e-4, 10.0, 10)
            assert not advised(instance), "slow sliding is passive"
            move(instance, line, 9.81, 0.5, 8e-4, 2)
            assert len(advised(instance)) == (law is PRINTED)


@WITH_LAW
@BOTH
def test_nothing_is_reported_where_the_printed_law_is_passive_and_within_its_limit(asked):
    line = Line(asked.description)
    line.start(asked, 9.81, 0.0)
    for piece in STICKS:
        move(asked, line, *piece)
    assert not advised(asked)


@WITH_LAW
def test_nothing_is_reported_unless_warnings_are_asked_for(fmu):
    line = Line(fmu.description)
    with fmu.co_simulation() as instance:
        line.start(instance, 9.81, 0.0)
        for piece in FALLS:
            move(instance, line, *piece)
        assert not advised(instance) and math.isfinite(line.along(instance, "frictionForce"))
