"""ElastoPlastic: exactly elastic up to the break-away deflection, LuGre beyond."""

import math
import random
import re

import numpy as np
import pytest

from fmi2 import CO_SIMULATION
from body_on_element import run_exchange
from prescribed import drive
import reference.ElastoPlastic
from reference import LuGre

P = {
    "staticFriction": 0.6,
    "dynamicFriction": 0.5,
    "stribeckVelocity": 0.05,
    "stribeckExponent": 1.0,
    "viscousFriction": 0.0,
    "viscousDamping": 0.0,
    "bristleStiffness": 98100.0,
    "bristleDamping": 780.0,
    "breakawayDeflection": 1e-4,
}


def test_nothing_drifts_within_the_stiction_zone(fmu, kind):
    """z - x is constant for |z| < z_ba: after a thousand random moves, fast and slow, the
    deflection is the displacement."""
    draw = random.Random(1)
    position, phases, positions = 0.0, [], []
    for _ in range(1000 if kind == CO_SIMULATION else 100):
        target = draw.uniform(-0.99e-4, 0.99e-4)
        phases.append((196.2, (target - position) / 0.01, 0.01))
        position = target
        positions.append(position)
    for number, _, found in drive(fmu, kind, P, phases, 0.01):
        assert found["bristleDeflection"] == pytest.approx(
            positions[number], abs=1e-15 if kind == CO_SIMULATION else 1e-11
        )
        assert found["slidingVelocity"] == 0


def test_the_normal_force_does_not_matter_within_the_zone(fmu):
    """As long as the zone is below the friction force: sigma0 z_ba < mu_d N."""
    phases = [(196.2, 9e-3, 0.01), (30.0, -9e-3, 0.005), (100.0, 9e-3, 0.003)]
    *_, (_, _, found) = drive(fmu, CO_SIMULATION, P, phases, 1e-3)
    assert found["bristleDeflection"] == pytest.approx(7.2e-5, abs=1e-15)


def test_unloading_is_elastic_from_any_force(fmu, kind):
    """After sliding the force falls with the stiffness until the other end of the zone."""
    phases = [(196.2, 1e-3, 8.0), (196.2, -1e-3, 1.0)]
    begin = None
    for number, time, found in drive(fmu, kind, P, phases, 0.1):
        if number == 0:
            begin = found["bristleDeflection"]
        else:
            assert found["bristleDeflection"] == pytest.approx(begin - 1e-3 * time, abs=1e-12)
    assert begin == pytest.approx(LuGre.curve(P, 196.2, 1e-3) / 98100.0, rel=1e-3)


def test_a_rate_that_meets_its_tangent_at_the_end_of_a_step_is_not_taken_for_linear(fmu):
    """Within the zone the rate falls along half a sine wave. A tangent shortly before its steepest
    point meets it again; for a step along the tangent that ends there, only points in between show
    that the rate is not linear. Such a step is found here by bisection over its length.
    """
    normal, v = 196.2, 1e-3
    z_max = LuGre.curve(P, normal, v) / P["bristleStiffness"]

    def rate(z):
        return reference.ElastoPlastic.evaluate(
            P, {"normalForce": normal, "relativeVelocity": v}, {"bristleDeflection": z}
        )[0]["bristleDeflection"]

    begin = P["breakawayDeflection"] + 0.58 * (z_max - P["breakawayDeflection"])
    slope = (rate(begin + 1e-10) - rate(begin - 1e-10)) / 2e-10

    def tangent(h):
        return begin + rate(begin) * math.expm1(slope * h) / slope

    def above(h):
        return rate(tangent(h)) - (rate(begin) + slope * (tangent(h) - begin))

    short, long = 0.1 / -slope, 20 / -slope
    assert above(short) < 0 < above(long)
    for _ in range(60):
        middle = 0.5 * (short + long)
        short, long = (middle, long) if above(middle) < 0 else (short, middle)
    p = {**P, "bristleDeflectionStart": begin}
    ((_, _, once),) = drive(fmu, CO_SIMULATION, p, [(normal, v, long)], long, tolerance=1e-6)
    *_, (_, _, finely) = drive(
        fmu, CO_SIMULATION, p, [(normal, v, long)], long / 1000, tolerance=1e-12
    )
    assert abs(tangent(long) - finely["bristleDeflection"]) > 1e-3 * z_max, (
        "taken for linear it would be far off"
    )
    assert once["bristleDeflection"] == pytest.approx(
        finely["bristleDeflection"], abs=1e-5 * z_max
    ), "a few tolerances"


def test_beyond_the_limit_it_is_lugre(fmu):
    """|z| >= z_max and moving on: the same rate and, as printed, the same force."""
    with fmu.in_model_exchange({**P, "normalForce": 196.2}) as instance:
        for z in (1.3e-3, 5e-3):
            for velocity in (1e-3, 0.05, 2.0):
                for sign in (1, -1):
                    instance.states = [sign * z]
                    instance.set({"relativeVelocity": sign * velocity})
                    u = {"normalForce": 196.2, "relativeVelocity": sign * velocity}
                    rates, outputs = LuGre.evaluate(P, u, {"bristleDeflection": sign * z})
                    assert instance.derivatives[0] == pytest.approx(
                        rates["bristleDeflection"], rel=1e-12
                    )
                    assert instance.get("frictionForce") == pytest.approx(
                        outputs["frictionForce"], rel=1e-12
                    )


@pytest.mark.parametrize("normal, zone", [(19.62, 1e-4), (196.2, 1e-3), (1.0, 1e-4), (0.1, 1e-2)])
def test_a_zone_that_reaches_the_limit_divides_by_nothing(fmu, kind, normal, zone):
    """z_ba = F_d/sigma0 as in two printed cases, and beyond: at speed the force is the dynamic
    friction, reached from below."""
    p = {**P, "breakawayDeflection": zone}
    limit = 0.5 * normal
    for _, time, found in drive(fmu, kind, p, [(normal, 5.0, 0.02)], 1e-3):
        assert (
            0
            < found["frictionForce"]
            <= limit * (1 + 1e-9) + 780.0 * abs(found["der(bristleDeflection)"])
        )
    assert found["frictionForce"] == pytest.approx(limit, rel=1e-6)


@pytest.mark.parametrize("begin", [0.95, 0.999, 1.5])
def test_the_zone_is_at_least_a_hundredth_of_the_limit_wide(fmu, begin):
    """Half of the motion slides at its middle, whether it is that wide or is widened."""
    z_max = LuGre.curve(P, 196.2, 1e-9) / 98100.0
    middle = 0.5 * (min(begin, 0.99) + 1)
    with fmu.model_exchange() as instance:
        instance.start(
            {**P, "breakawayDeflection": begin * z_max, "normalForce": 196.2}
            | {"relativeVelocity": 1e-9}
        )
        instance.states = [middle * z_max]
        assert instance.derivatives[0] == pytest.approx((1 - 0.5 * middle) * 1e-9, rel=1e-9)


def test_without_a_zone_sliding_begins_at_once(fmu):
    """z_ba = 0: the share rises from the start, to half at z_max/2."""
    with fmu.model_exchange() as instance:
        instance.start(
            {**P, "breakawayDeflection": 0.0, "normalForce": 196.2, "relativeVelocity": 1e-9}
        )
        z_max = LuGre.curve(P, 196.2, 1e-9) / 98100.0
        instance.states = [0.5 * z_max]
        assert instance.derivatives[0] == pytest.approx(0.75e-9, rel=1e-9)


def test_a_load_that_pulsates_beyond_the_zone_moves_a_body_as_the_page_says(fmu):
    """0 to 100 N at 1 Hz on 20 kg: each pulse by as much as the second one."""
    page = (fmu.folder / "documentation" / "index.html").read_text(encoding="utf-8")
    stated = re.search(r"under 0 to 100 N at 1 Hz: ([\d.]+) mm against", page)
    with fmu.in_model_exchange({**P, "normalForce": 196.2}) as instance:
        course = run_exchange(
            instance,
            lambda time: 50 * (1 - math.cos(2 * math.pi * time)),
            2.0,
            mass=20.0,
            normal=196.2,
            tolerance=1e-7,
        )
    displacement = 1e3 * (course.position[-1] - np.interp(1.0, course.time, course.position))
    assert displacement == pytest.approx(float(stated[1]), abs=0.006), "two printed digits"
