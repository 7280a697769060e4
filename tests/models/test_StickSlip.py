"""StickSlip: a stiction spring with a limit, Coulomb friction at speed."""

import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from fmi2 import CO_SIMULATION
from prescribed import drive

P = {
    "staticFriction": 0.6,
    "dynamicFriction": 0.5,
    "transitionVelocity": 0.05,
    "stictionDisplacement": 1e-4,
}


def q(u):
    return 1.0 if u >= 1 else -1.0 if u <= -1 else 0.5 * (3 * u - u**3)


@pytest.mark.parametrize("velocity", [0.05, -0.0501, 0.3, -20.0])
def test_sliding_has_dynamic_friction(fmu, kind, velocity):
    """At and above the transition velocity, with any deflection."""
    for start in (-1e-4, 0.0, 3e-5):
        p = {**P, "stictionDeflectionStart": start}
        for _, _, found in drive(fmu, kind, p, [(196.2, velocity, 1e-3)], 2.5e-4):
            assert found["frictionForce"] == pytest.approx(
                98.1 * (1 if velocity > 0 else -1), rel=1e-12
            )


def test_a_slow_motion_loads_the_stiction_spring(fmu, kind):
    """F_s q(x/x_s), to a millionth: the speed reduces it by beta = 3 v/(2 v_t) = 3e-8."""
    for _, time, found in drive(fmu, kind, P, [(196.2, 1e-9, 9e4)], 1e4):
        assert found["stictionDeflection"] == pytest.approx(1e-9 * time, rel=1e-9)
        assert found["frictionForce"] == pytest.approx(117.72 * q(1e-9 * time / 1e-4), rel=1e-6)


def test_the_deflection_is_held_and_a_motion_back_acts_at_once(fmu, kind):
    """After a long slide, 0.03 mm back reduce it by 0.03 mm; it is held within the last thousandth
    of the limit."""
    phases = [(196.2, 0.01, 1.0), (196.2, -0.01, 3e-3), (196.2, 0.2, 1.0), (196.2, -0.01, 5e-3)]
    last = {
        number: found["stictionDeflection"]
        for number, _, found in drive(fmu, kind, P, phases, 1e-3)
    }
    assert last[0] == pytest.approx(1e-4, rel=1e-6)
    assert last[1] == pytest.approx(0.7e-4, rel=1e-5)
    assert last[2] == pytest.approx(1e-4, rel=1e-6)
    assert last[3] == pytest.approx(0.5e-4, rel=1e-5)


def test_a_long_slide_does_not_move_the_held_deflection(fmu):
    """An hour at the limit and back."""
    phases = [(196.2, 0.3, 3600.0), (196.2, -0.3, 3600.0)]
    last = {
        number: found["stictionDeflection"]
        for number, _, found in drive(fmu, CO_SIMULATION, P, phases, 60.0, 1e-6)
    }
    assert last[0] == pytest.approx(1e-4, rel=1e-6)
    assert last[1] == pytest.approx(-1e-4, rel=1e-6)


@pytest.mark.parametrize("load", [10.0, 60.0, 95.0])
def test_a_load_below_dynamic_friction_is_held_without_drift(fmu, load):
    """A mass of 20 kg comes to rest where F_s q(x/x_s) equals the load, which rises over 1 s, and
    stays there."""
    with fmu.in_model_exchange({**P, "normalForce": 196.2}) as instance:

        def rates(t, state):
            position, velocity, deflection = state
            instance.set({"relativeVelocity": velocity})
            instance.states = [deflection]
            return [
                velocity,
                (load * min(t, 1.0) - instance.get("frictionForce")) / 20.0,
                instance.derivatives[0],
            ]

        run = solve_ivp(
            rates, (0, 20), [0.0, 0.0, 0.0], method="LSODA", rtol=1e-9, atol=1e-13, max_step=0.1
        )
        rest = brentq(lambda x: 117.72 * q(x / 1e-4) - load, 0, 1e-4)
        assert run.y[2, -1] == pytest.approx(rest, rel=1e-6)
        assert run.y[0, -1] == pytest.approx(rest, rel=1e-6)
        assert abs(run.y[1, -1]) < 1e-10


def test_separated_the_deflection_fades(fmu):
    """With the time x_s/v_t = 2 ms."""
    p = {**P, "stictionDeflectionStart": 1e-4}
    for _, time, found in drive(fmu, CO_SIMULATION, p, [(0.0, 0.3, 0.01)], 1e-3):
        assert found["frictionForce"] == 0
        assert found["stictionDeflection"] == pytest.approx(
            1e-4 * 2.718281828459045 ** (-time / 2e-3), rel=1e-6
        )


@pytest.mark.parametrize("limit, force", [(1, -0.8), (2, 0.8)])
def test_a_free_deflection_responds_to_a_motion_back_after_the_whole_distance(fmu, limit, force):
    """Half a stiction displacement back from three of them: a held deflection responds from the
    limit on, a free one does not."""
    with fmu.co_simulation() as instance:
        instance.start(
            {"deflectionLimit": limit, "normalForce": 196.2, "relativeVelocity": 1e-6},
            tolerance=1e-9,
        )
        x_s, static = instance.get("stictionDisplacement"), instance.get("staticFriction")
        instance.step(3 * x_s / 1e-6)
        assert instance.get("frictionForce") == pytest.approx(static * 196.2, rel=1e-4)
        instance.set({"relativeVelocity": -1e-6})
        instance.step(1.7 * x_s / 1e-6)
        q = -0.7 * (3 - 0.7**2) / 2 if limit == 1 else 1.0
        assert instance.get("frictionForce") == pytest.approx(q * static * 196.2, rel=2e-3)
        assert instance.get("frictionForce") * force > 0
