"""LuGre under prescribed motion: under held inputs its bristle equation is linear, so everything
has a closed form."""

import math
import re

import pytest

import c_host
from fmi2 import CO_SIMULATION
from body_on_element import run_exchange
from prescribed import CASES, MODEL_1, NORMAL, check_linear_bristle, drive, parameters_for
from reference import LuGre as law


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("velocity", [1e-6, 1e-4, -2e-3, 0.05, -1.0])
def test_constant_velocity(fmu, kind, case, velocity):
    check_linear_bristle(
        fmu, kind, law, parameters_for(fmu, CASES[case]), [(NORMAL, velocity, 0.2)], 0.01
    )


@pytest.mark.parametrize("case", CASES)
def test_reversal(fmu, kind, case):
    phases = [(NORMAL, 5e-3, 0.1), (NORMAL, -5e-3, 0.1), (NORMAL, 1e-3, 0.1)]
    check_linear_bristle(fmu, kind, law, parameters_for(fmu, CASES[case]), phases, 2e-3)


@pytest.mark.parametrize("case", CASES)
def test_lift_off_and_return(fmu, kind, case):
    phases = [(NORMAL, 5e-3, 0.1), (0.0, 5e-3, 0.02), (-2.0, 0.1, 0.02), (NORMAL, -5e-3, 0.1)]
    check_linear_bristle(fmu, kind, law, parameters_for(fmu, CASES[case]), phases, 1e-3)


def test_a_changed_normal_force_and_a_loaded_start(fmu, kind):
    p = {**parameters_for(fmu, MODEL_1), "bristleDeflectionStart": -2e-4}
    check_linear_bristle(
        fmu,
        kind,
        law,
        p,
        [(NORMAL, 2e-3, 0.05), (3 * NORMAL, 2e-3, 0.1), (0.1 * NORMAL, 2e-3, 0.05)],
        1e-3,
    )


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3, 1.0, 100.0])
def test_one_step_of_any_length_is_exact(fmu, size):
    p = parameters_for(fmu, MODEL_1)
    check_linear_bristle(
        fmu,
        CO_SIMULATION,
        law,
        {**p, "bristleDeflectionStart": 1e-4},
        [(NORMAL, -3e-3, size)],
        size,
    )


@pytest.mark.parametrize("fading", [2.0, 20.0, 2000.0])
def test_a_step_in_which_load_and_speed_rise_is_exact(fmu, fading):
    """Without a Stribeck effect, and with a speed in proportion to the normal force, the rate b of
    the bristle is constant and its end Z rises linearly: z = Z - Z'/b + (z0 - Z0 + Z'/b) exp(-b t).
    The tolerance is coarse, so only a step that follows Z itself is so accurate.
    """
    step = 1e-2
    p = parameters_for(fmu, {**MODEL_1, "staticFriction": 0.3})
    stiffness, rate = p["bristleStiffness"], fading / step
    per_normal = rate * p["dynamicFriction"] / stiffness  # velocity over normal force
    end = {t: p["dynamicFriction"] * NORMAL * (1 + 0.5 * t) / stiffness for t in (0, 1)}
    rise = (end[1] - end[0]) / step
    z = 0.3 * end[0]
    with fmu.co_simulation() as instance:
        instance.start(
            {
                **p,
                "bristleDeflectionStart": z,
                "normalForce": NORMAL,
                "relativeVelocity": per_normal * NORMAL,
            },
            tolerance=1e-3,
        )
        instance.set_input_derivative("normalForce", 0.5 * NORMAL / step)
        instance.set_input_derivative("relativeVelocity", 0.5 * NORMAL * per_normal / step)
        instance.step(step)
        exact = end[1] - rise / rate + (z - end[0] + rise / rate) * math.exp(-rate * step)
        assert instance.get("bristleDeflection") == pytest.approx(
            exact, rel=1e-12
        )  # rounding in a dozen differences


@pytest.mark.endurance
def test_a_million_steps_keep_the_time(fmu):
    """Creep so slow that the deflection is a clock: z = g/sigma0 (1 - exp(-sigma0 v T/g)) with an
    exponent near 1 after 16667 s."""
    d, seconds = fmu.description, 16667
    p = d.starts()
    g = law.curve(p, NORMAL, 0.0)
    velocity = g / (p["bristleStiffness"] * seconds)
    waves = {"normalForce": (NORMAL, 0.0, 0.0), "relativeVelocity": (velocity, 0.0, 0.0)}
    job = c_host.job(fmu, fmu.binary, 1, seconds * 60, 1 / 60, seconds * 60, waves)
    [(rows, _)] = c_host.run(c_host.build(), [job])
    g = law.curve(p, NORMAL, velocity)
    expected = (
        g / p["bristleStiffness"] * -math.expm1(-p["bristleStiffness"] * velocity * seconds / g)
    )
    assert rows[-1][d["bristleDeflection"].reference] == pytest.approx(expected, rel=1e-9)


def test_for_small_motion_it_is_a_spring(fmu):
    """Near zero deflection the force follows the displacement with the stiffness of the bristle."""
    p = parameters_for(fmu, MODEL_1)
    velocity, duration = 1e-6, 0.1
    *_, (_, _, found) = drive(fmu, CO_SIMULATION, p, [(NORMAL, velocity, duration)], 0.01)
    assert found["frictionForce"] == pytest.approx(
        p["bristleStiffness"] * velocity * duration + p["bristleDamping"] * velocity, rel=1e-3
    )


def test_forces_that_the_page_states(fmu):
    """Break-away of 1 kg under loads that rise at several rates, and the printed force right after
    a reversal."""
    page = (fmu.folder / "documentation" / "index.html").read_text(encoding="utf-8")
    stated = re.search(r"breaks away at ([^<]*?) N under a load that rises by ([^<]*?) N/s", page)
    peaks, rates = (
        [float(number) for number in re.findall(r"[\d.]+", text)] for text in stated.groups()
    )
    for peak, rate in zip(peaks, rates, strict=True):
        with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
            course = run_exchange(instance, lambda time: rate * time, 7 / rate, tolerance=1e-6)
        assert max(course.force) == pytest.approx(peak, abs=0.006), "two printed digits"
    assert peaks == sorted(peaks, reverse=True) and rates == sorted(rates)
    with fmu.in_model_exchange({"normalForce": NORMAL, "relativeVelocity": -1.0}) as instance:
        instance.states = [MODEL_1["dynamicFriction"] * NORMAL / MODEL_1["bristleStiffness"]]
        peak = abs(instance.get("frictionForce"))
    assert peak == pytest.approx(
        float(re.search(r"default parameters (\d+) N at 1 m/s", page)[1]), abs=0.5
    )
