"""SimpackStickSlip: a linear stick with closed forms, a break-away above the static limit, and the
option for the restart of stick."""

import math

import pytest

from fmi2 import ERROR, MODEL_EXCHANGE, OK
from body_on_element import run_exchange

NORMAL = 9.81
SEPARATED, STICK, FORWARD, BACKWARD = 1, 2, 3, 4
UNLOADED, PRELOADED = 1, 2
STIFFNESS, DAMPING = 1e8, 1e4


@pytest.mark.parametrize("part", [0.1, -0.5, 0.8])
def test_a_load_moves_the_body_by_force_over_stiffness(fmu, part):
    """x = F/c_f, after a damped oscillation with the damping ratio 0.5 (1 kg): x = x_st (1 -
    e^(-Dwt) (cos w_d t + D/sqrt(1-D²) sin w_d t))."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        load = part * instance.get("staticFriction") * NORMAL
        course = run_exchange(instance, lambda t: load, 10.0)
        assert not course.events
        w, D = math.sqrt(STIFFNESS), 0.5
        wd = w * math.sqrt(1 - D * D)
        for time, position in zip(course.time, course.position):
            decay = math.exp(-min(D * w * time, 700)) * (
                math.cos(wd * time) + D / math.sqrt(1 - D * D) * math.sin(wd * time)
            )
            assert position == pytest.approx(
                load / STIFFNESS * (1 - decay), rel=1e-4, abs=1e-5 * abs(load) / STIFFNESS
            )
        assert course.position[-1] == pytest.approx(load / STIFFNESS, rel=1e-9)


@pytest.mark.endurance
def test_three_pulses_leave_no_drift(fmu):
    """Schuderer 2023, section 4: 0.047 µm under 0.8 F_s."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        load = 0.8 * instance.get("staticFriction") * NORMAL
        for cycle in range(3):
            run_exchange(instance, lambda t: load, 2 * cycle + 1.0, start=2.0 * cycle)
            assert instance.get("stictionDeflection") == pytest.approx(0.0471e-6, rel=1e-3)
            run_exchange(instance, lambda t: 0.0, 2 * cycle + 2.0, start=2 * cycle + 1.0)
            assert instance.get("stictionDeflection") == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("velocity", [1e-6, -1e-5, 3e-4])
def test_break_away_exceeds_the_static_limit_by_the_damper(fmu, velocity):
    """Only the spring is compared with the limit: mu = mu_s + d_f v/N there, mu_d after it."""
    with fmu.in_model_exchange({"normalForce": NORMAL}) as instance:
        static, dynamic = instance.get("staticFriction"), instance.get("dynamicFriction")
        instance.set({"relativeVelocity": velocity})
        instance.states = [math.copysign(static * NORMAL / STIFFNESS, velocity)]
        instance.event()
        assert instance.get("mode") == STICK
        overshoot = static + DAMPING * abs(velocity) / NORMAL
        assert instance.get("frictionCoefficient") == pytest.approx(
            math.copysign(overshoot, velocity), rel=1e-12
        )
        instance.states = [instance.states[0] * (1 + 1e-5)]
        assert min(instance.indicators) < 0
        instance.event()
        assert instance.get("mode") == (FORWARD if velocity > 0 else BACKWARD)
        assert instance.get("frictionCoefficient") == pytest.approx(
            math.copysign(dynamic, velocity), rel=1e-15
        )


@pytest.mark.parametrize("sign", [1, -1])
def test_after_a_drop_of_the_normal_force_a_body_at_rest_slips_along_its_spring(fmu, sign):
    with fmu.model_exchange() as instance:
        instance.start({"normalForce": NORMAL, "stictionDeflectionStart": sign * 4e-8})
        assert instance.get("mode") == STICK
        instance.set({"normalForce": 5.0})
        for _ in range(3):
            instance.event()
            assert instance.get("mode") == (FORWARD if sign > 0 else BACKWARD)
            assert instance.get("frictionForce") == pytest.approx(sign * 0.3 * 5.0, rel=1e-15)
        # moving now, and coming to rest later
        instance.set({"relativeVelocity": sign * 1e-3})
        instance.event()
        instance.set({"relativeVelocity": 0.0})
        _, info = instance.event()
        assert (
            instance.get("mode") == STICK
            and instance.states == [0.0]
            and info.valuesOfContinuousStatesChanged
        )


@pytest.mark.parametrize("option, part", [(UNLOADED, 0.0), (PRELOADED, 1.0)])
@pytest.mark.parametrize("sign", [1, -1])
def test_stick_restarts_by_the_option(fmu, option, part, sign):
    with fmu.model_exchange() as instance:
        instance.start({"normalForce": NORMAL, "relativeVelocity": sign * 0.1, "restart": option})
        assert instance.get("restart") == option
        assert instance.get("mode") == (FORWARD if sign > 0 else BACKWARD)
        instance.set({"relativeVelocity": 0.0})
        _, info = instance.event()
        assert instance.get("mode") == STICK and info.valuesOfContinuousStatesChanged
        assert instance.states == [
            pytest.approx(sign * part * 0.3 * NORMAL / STIFFNESS, rel=1e-15, abs=0)
        ]
        assert instance.get("frictionForce") == pytest.approx(sign * part * 0.3 * NORMAL, rel=1e-14)


def test_the_option_is_an_integer_that_holds_during_a_run(fmu, kind):
    d = fmu.description
    option = d["restart"]
    assert option.type == "Integer" and option.variability == "fixed" and option.start == UNLOADED
    assert (
        list(option.values) == [UNLOADED, PRELOADED]
        and f"{UNLOADED} = Unloaded: " in option.text
        and f"{PRELOADED} = Preloaded: " in option.text
    )
    with fmu.instance(kind) as instance:
        assert instance.get("restart") == UNLOADED
        for wrong in (0, 3, -1, 1000):
            assert instance.try_set("restart", wrong) == ERROR
            assert "restart" in instance.messages[-1].text
        assert instance.try_set("restart", PRELOADED) == OK
        instance.start()
        if kind:
            instance.step(1e-3)
        assert (
            instance.try_set("restart", UNLOADED) == ERROR and instance.get("restart") == PRELOADED
        )
        stored = instance.snapshot()
        instance.demand("fmi2Reset")
        assert instance.get("restart") == UNLOADED
        instance.resume(stored)
        assert instance.get("restart") == PRELOADED


def test_creeping_does_not_chatter(fmu):
    """Prescribed motion slower than the speed at which slips end: the spring breaks once, and the
    slip continues."""
    with fmu.co_simulation() as instance:
        for velocity in (1e-9, -1e-8, 1e-7):
            instance.start({"normalForce": NORMAL, "relativeVelocity": velocity}, tolerance=1e-8)
            modes = []
            for _ in range(200):
                instance.step(1.0)
                modes.append(instance.get("mode"))
            assert sum(a != b for a, b in zip(modes, modes[1:])) <= 1
            assert instance.get("frictionForce") == pytest.approx(
                math.copysign(0.3 * NORMAL, velocity)
            )
            instance.demand("fmi2Reset")


@pytest.mark.parametrize("sign", [1, -1])
def test_a_slip_that_reverses_right_after_its_start_ends_by_an_event(fmu, sign):
    """After break-away it is still at rest: a motion against it leads back to stick."""
    with fmu.model_exchange() as instance:
        limit = instance.get("staticFriction") * NORMAL / STIFFNESS
        instance.start(
            {"normalForce": NORMAL, "stictionStiffness": STIFFNESS}
            if "stictionStiffness" in fmu.description
            else {"normalForce": NORMAL}
        )
        instance.states = [sign * 2 * limit]
        instance.event()
        assert (
            instance.get("mode") == (FORWARD if sign > 0 else BACKWARD)
            and min(instance.indicators) > 0
        )
        instance.set({"relativeVelocity": -sign * 0.1})
        assert instance.indicators[1] < 0
        instance.event()
        assert instance.get("mode") != (FORWARD if sign > 0 else BACKWARD)


@pytest.mark.parametrize("sign", [1, -1])
def test_lift_off_from_slip_resets_the_deflection(fmu, sign):
    with fmu.in_model_exchange({"normalForce": NORMAL, "relativeVelocity": sign * 0.5}) as instance:
        assert instance.get("mode") == (FORWARD if sign > 0 else BACKWARD)
        instance.states = [sign * 1e-9]
        instance.set({"normalForce": -1.0})
        _, info = instance.event()
        assert (
            instance.get("mode") == SEPARATED
            and instance.states == [0.0]
            and info.valuesOfContinuousStatesChanged
        )


def test_the_damper_is_limited_when_the_normal_force_falls(fmu, kind):
    """Spring and damper are limited to the static limit each, so |F| <= 2 μs N, however stiff the
    damper is: here N falls a thousandfold while the element sticks and moves."""
    values = {"normalForce": 100.0, "relativeVelocity": 1e-6, "stictionDamping": 1e7}
    with fmu.started(kind, values) as instance:
        assert instance.get("mode") == STICK
        most = 2 * instance.get("staticFriction")
        for normal in (100.0, 10.0, 1.0, 0.1):
            instance.set({"normalForce": normal})
            instance.event() if kind == MODEL_EXCHANGE else instance.step(1e-9)
            assert abs(instance.get("frictionForce")) <= most * normal * (1 + 1e-9)
