"""HuntCrossley: a power law that only pushes."""

import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fmi2 import ERROR, FmiError
from operating_points import Sampler

RESOURCES = Path(__file__).parents[2] / "resources"


def test_the_law_and_its_cut_off(fmu):
    for instance, p in Sampler(fmu.description, "law").points(fmu, 20, 20):
        depth, rate = instance.get("penetration"), instance.get("penetrationRate")
        expected = 0.0
        if depth > 0:
            s = depth / p["referencePenetration"]
            expected = max(
                p["contactStiffness"] * s ** p["stiffnessExponent"]
                + p["contactDamping"] * s ** p["dampingExponent"] * rate,
                0.0,
            )
        assert instance.get("normalForce") == pytest.approx(expected, rel=1e-12, abs=0)
        assert instance.get("dissipatedPower") == pytest.approx(expected * rate, rel=1e-12, abs=0)
        assert (instance.indicators[0] > 0) == (expected > 0), "touch-down and lift-off are events"
        assert abs(instance.indicators[0]) >= 1


def test_numbers_of_the_paper(fmu):
    """K = A/s^2 for a sixth of the hexagon, D = 4.88e5, in metres, as in the set."""
    area = 1.5 * math.sqrt(3) * 0.05**2 / 6
    values = tomllib.loads((RESOURCES / "colantonio2022_cube.toml").read_text())["values"]
    cube = {name: value for name, value in values.items() if name in fmu.description}
    assert cube["contactStiffness"] == pytest.approx(area / 3e-9**2, rel=1e-9)
    with fmu.in_model_exchange({**cube, "penetration": 1e-7, "penetrationRate": 1e-3}) as instance:
        assert instance.get("normalForce") == pytest.approx(
            area / 3e-9**2 * 1e-14 + 4.88e5 * 1e-7**0.5 * 1e-3, rel=1e-9
        )


def test_the_force_rises_from_zero_without_a_jump(fmu):
    with fmu.in_model_exchange({"penetrationRate": 1.0}) as instance:
        forces = []
        for depth in (-1.0, -1e-12, 0.0, 1e-18, 1e-15, 1e-12):
            instance.set({"penetration": depth})
            forces.append(instance.get("normalForce"))
        assert forces[:3] == [0, 0, 0]
        assert forces[3] <= 1e-3 and forces[3] < forces[4] < forces[5]


@pytest.mark.parametrize("restitution", [0.95, 0.9])
def test_an_impact_comes_back_as_the_page_says(fmu, restitution):
    """m x'' = -N from the speed v: it rebounds with about e v if contactDamping = 3/2 (1 - e)/v
    contactStiffness, to second order in 1 - e."""
    mass, speed, stiffness = 0.1, 0.2, 50.0
    with fmu.model_exchange() as instance:
        instance.start(
            {
                "contactStiffness": stiffness,
                "contactDamping": 1.5 * (1 - restitution) / speed * stiffness,
                "referencePenetration": 1e-5,
                "stiffnessExponent": 1.5,
                "dampingExponent": 1.5,
            }
        )

        def rates(_, x):
            instance.set({"penetration": x[0], "penetrationRate": x[1]})
            return [x[1], -instance.get("normalForce") / mass]

        def parted(_, x):
            return x[0] + 1e-9

        parted.terminal, parted.direction = True, -1
        run = solve_ivp(
            rates, (0, 1), [0.0, speed], rtol=1e-9, atol=1e-12, events=parted, max_step=1e-5
        )
    assert run.t_events[0].size
    assert -run.y[1, -1] / speed == pytest.approx(restitution, abs=(1 - restitution) ** 2)


def test_a_loaded_point_at_rest_does_not_chatter(fmu):
    with fmu.in_model_exchange({"penetration": 1e-7}) as instance:
        for noise in np.linspace(-1e-12, 1e-12, 9):
            instance.set({"penetration": 1e-7 + noise, "penetrationRate": noise})
            assert instance.indicators[0] > 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"contactStiffness": 0.0},
        {"contactDamping": -1.0},
        {"stiffnessExponent": 0.5},
        {"dampingExponent": -0.1},
        {"referencePenetration": 0.0},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_wrong_parameters_are_refused_by_name(fmu, wrong):
    with fmu.model_exchange() as instance:
        with pytest.raises(FmiError) as refusal:
            instance.start(wrong)
        assert refusal.value.status == ERROR and next(iter(wrong)) in instance.messages[-1].text
