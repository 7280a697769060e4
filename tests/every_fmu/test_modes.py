"""Discrete modes: they change in events only, settle in one call, and a body at rest has no
events."""

import math

import numpy as np
import pytest

from fmi2 import MODEL_EXCHANGE
from body_on_element import run_exchange, run_sine, run_steps
from operating_points import Sampler

MODES = pytest.mark.fmus(lambda d: bool(d.modes))
ON_A_BODY = pytest.mark.fmus(
    lambda d: (
        bool(d.modes)
        and d.has("normalForce", "relativeVelocity", "frictionForce", "staticFriction")
    )
)
NORMAL = 9.81


def static_limit(instance):
    return instance.get("staticFriction") * NORMAL


def start(instance, **inputs):
    instance.start({"normalForce": NORMAL, **inputs}, tolerance=1e-8)


# life of a mode


@MODES
def test_modes_change_in_events_only(fmu):
    """Inputs and states tried between events do not change them."""
    d = fmu.description
    sampler = Sampler(d, "held modes")
    changed = 0
    for instance, parameters in sampler.points(fmu, 8, 10):
        modes = instance.modes()
        for _ in range(10):
            instance.set(sampler.inputs(parameters))
            instance.states = sampler.states(parameters)
            instance.derivatives, instance.indicators, [instance.get(v.name) for v in d.outputs]
            assert instance.modes() == modes
        instance.event()
        changed += instance.modes() != modes
    assert changed > 10


@pytest.mark.fmus(lambda d: bool(d.states))
def test_the_description_says_which_states_an_event_may_set(fmu):
    """`reinit` marks exactly these, and the importer is told whenever one is set."""
    d = fmu.description
    sampler, changed = Sampler(d, "reset states"), set()
    for instance, parameters in sampler.points(fmu, 10, 20):
        instance.set(sampler.inputs(parameters))
        instance.states = before = sampler.states(parameters)
        _, info = instance.event()
        now = {v.name for v, old, new in zip(d.states, before, instance.states) if old != new}
        assert bool(info.valuesOfContinuousStatesChanged) == bool(now)
        changed |= now
    assert changed == {v.name for v in d.states if v.attributes.get("reinit") == "true"}


@MODES
def test_one_call_settles_everything(fmu):
    """For any input: a second call finds nothing to do, and no indicator stays at zero."""
    d = fmu.description
    sampler = Sampler(d, "one call")
    sizes = [0.0, 1e-300, 1e-30, 1e-12, 1e-6, 1e-3, 1.0, 1e3, 1e12, 1e30]
    for instance, parameters in sampler.points(fmu, 10, 10):
        for strange in (False, False, True):
            if strange:
                instance.set(
                    {
                        v.name: sampler.random.choice((-1, 1)) * sampler.random.choice(sizes)
                        for v in d.inputs
                    }
                )
            else:
                instance.set(sampler.inputs(parameters))
                instance.states = sampler.states(parameters)
            instance.event()
            modes, states, indicators = instance.modes(), instance.states, instance.indicators
            assert all(abs(value) > 1e-8 for value in indicators), indicators
            _, info = instance.event()
            assert (instance.modes(), instance.states, instance.indicators) == (
                modes,
                states,
                indicators,
            )
            assert not info.valuesOfContinuousStatesChanged


@MODES
@pytest.mark.fmus(lambda d: bool(d.states))
def test_resets_of_states_are_reported(fmu):
    """An event that changes a state reports so; one that changes no mode does not."""
    d = fmu.description
    sampler = Sampler(d, "resets")
    for instance, parameters in sampler.points(fmu, 10, 20):
        instance.set(sampler.inputs(parameters))
        if sampler.random.random() < 0.5:
            instance.set({"relativeVelocity": 0.0})
        instance.states = sampler.states(parameters)
        modes, states = instance.modes(), instance.states
        _, info = instance.event()
        if instance.states != states:
            assert info.valuesOfContinuousStatesChanged
        if info.valuesOfContinuousStatesChanged:
            assert instance.modes() != modes


@ON_A_BODY
def test_exactly_at_a_limit_there_is_no_chatter(fmu):
    """With an input exactly at a limit of the law, indicators stay away from zero."""
    d = fmu.description
    with fmu.model_exchange() as instance:
        start(instance)
        speeds = [instance.get(v.name) for v in d.real_parameters if v.unit == "m/s"] + [0.0]
        loads = [
            static_limit(instance),
            instance.get("dynamicFriction") * NORMAL if "dynamicFriction" in d else 0.0,
            0.0,
        ]
        for speed in speeds:
            for load in loads if "externalForce" in d else [0.0]:
                for sign in (1, -1):
                    instance.set(
                        {"relativeVelocity": sign * speed}
                        | ({"externalForce": sign * load} if load else {})
                    )
                    instance.event()
                    assert all(abs(value) > 1e-7 for value in instance.indicators)


# a body on the element


@ON_A_BODY
@pytest.mark.endurance
@pytest.mark.parametrize("part", [0.0, -0.5, 0.75])
def test_a_sticking_body_makes_no_event_in_ten_seconds(fmu, kind, part):
    """Under a constant load below the static limit, after its rise; and it stays at its place. An
    element with neither a state nor the load as input cannot bear one at rest: there the body
    creeps, steadily.
    """
    with fmu.instance(kind) as instance:
        start(instance)
        load = part * static_limit(instance)

        def rising(time):
            return load * min(time / 0.5, 1.0)

        if kind == MODEL_EXCHANGE:
            course = run_exchange(instance, rising, 11.0, longest=0.05)
            assert not [time for time in course.events if time > 1.0]
        else:
            course = run_steps(instance, rising, 11.0, 1e-3)
        settled = course.time > 1.0
        late = [row[4] for row in course.rows if row[0] > 1.0]
        assert all(modes == late[0] for modes in late)
        assert course.force[-1] == pytest.approx(load, rel=1e-6, abs=1e-9)
        if not fmu.description.states and "externalForce" not in fmu.description:
            assert np.ptp(course.velocity[-10:]) <= 1e-9
            return
        assert max(abs(course.velocity[-10:])) <= 1e-9
        # motion after the first second is the slow return of a spring, never a drift
        positions = course.position[settled]
        assert abs(positions[-1] - positions[len(positions) // 2]) <= 1e-9


@ON_A_BODY
@pytest.mark.endurance
@pytest.mark.parametrize("part", [0.6, 1.5, 3.0])
def test_a_sine_load_makes_four_events_per_period_at_most(fmu, kind, part):
    """At 20 Hz, below and above the static limit: stick to slip and back, in each direction."""
    periods, frequency = 3, 20.0
    with fmu.instance(kind) as instance:
        start(instance)
        load = part * static_limit(instance)

        def sine(time):
            return load * math.sin(2 * math.pi * frequency * time)

        if kind == MODEL_EXCHANGE:
            course = run_exchange(instance, sine, periods / frequency, tolerance=1e-6, longest=2e-3)
            assert len(course.events) <= 4 * periods * (
                1 if "mode" in fmu.description else len(fmu.description.modes)
            )
        else:
            course = run_steps(instance, sine, periods / frequency, 2e-5)
        assert course.changes and all(count <= 4 * periods for count in course.changes.values()), (
            course.changes
        )
        if part > 1:
            assert all(count > 0 for count in course.changes.values())


@ON_A_BODY
@pytest.mark.endurance
def test_both_kinds_move_a_body_alike(fmu):
    """Stick, break-away, slip and stick again under a pulse of load."""
    results = []
    for run, options in ((run_exchange, {"tolerance": 1e-8}), (run_steps, {"step": 4e-6})):
        with fmu.model_exchange() if run is run_exchange else fmu.co_simulation() as instance:
            start(instance)
            peak = 1.8 * static_limit(instance)
            course = run(
                instance,
                lambda t: peak * math.sin(math.pi * t / 0.02) if t < 0.02 else 0.0,
                0.06,
                **({"longest": 1e-3} if run is run_exchange else {}),
                **options,
            )
            modes = [course.rows[0][4]] + [
                b[4] for a, b in zip(course.rows, course.rows[1:]) if a[4] != b[4]
            ]
            results.append((course.position[-1], max(course.velocity), modes))
    (positions, speed, modes), (positions_in_steps, speed_in_steps, modes_in_steps) = results
    assert modes_in_steps == modes
    assert positions_in_steps == pytest.approx(positions, rel=2e-3)
    assert speed_in_steps == pytest.approx(speed, rel=2e-3)


@ON_A_BODY
@pytest.mark.filterwarnings(
    "ignore:divide by zero"
)  # scipy's Radau if the shortest possible step has no error
@pytest.mark.endurance
def test_events_late_in_a_run_are_those_of_its_beginning(fmu):
    """With fewer digits left for the time, an importer stops further before a crossing: the mode
    has to be found from there, too."""
    courses = []
    for begin in (0.0, 1e4, 1e7):  # the last one after four months
        with fmu.model_exchange() as instance:
            start(instance)
            peak = 1.5 * static_limit(instance)
            courses.append(run_sine(instance, peak, begin))
    first = courses[0]
    assert len(first.events) >= 2
    for late in courses[1:]:
        assert late.changes == first.changes
        assert (
            abs(len(late.events) - len(first.events)) <= 2
        )  # a speed that crosses zero in slip marks an event without a change


@MODES
@pytest.mark.parametrize("time", [1e4, 1e7])
@pytest.mark.parametrize("short", [1, 12])
def test_a_host_that_stops_some_roundings_short_of_a_crossing_meets_it_once(fmu, time, short):
    """From random points inputs and states move with their rates; where an indicator crosses zero
    between two neighbouring times, the host stops at the first of them, or `short` roundings before
    it. After the event there is no further crossing."""
    d = fmu.description
    sampler, met = Sampler(d, "short"), 0
    for instance, parameters in sampler.points(fmu, 8, 12):
        inputs, states, rates = (
            {v.name: instance.get(v.name) for v in d.inputs},
            instance.states,
            instance.derivatives,
        )
        target, length = sampler.inputs(parameters), 10 ** sampler.random.uniform(-3, 0)

        def place(t):
            part = t - time
            instance.set_time(t)
            instance.set(
                {
                    name: value + (target[name] - value) * part / length
                    for name, value in inputs.items()
                }
            )
            instance.states = [x + rate * part for x, rate in zip(states, rates)]
            return [value > 0 for value in instance.indicators]

        instance.set_time(time)
        instance.set(inputs)
        instance.event()
        before = place(time)
        left = time
        right = next(
            (
                time + length * part
                for part in (0.01, 0.1, 0.3, 0.6, 1.0)
                if place(time + length * part) != before
            ),
            None,
        )
        if right is None:
            continue
        while math.nextafter(left, math.inf) < right:
            middle = (left + right) / 2
            left, right = (middle, right) if place(middle) == before else (left, middle)
        for _ in range(short - 1):
            left = math.nextafter(left, -math.inf)
        place(right)
        place(left)
        stopped = instance.states
        _, info = instance.event()
        after = instance.indicators
        assert bool(info.valuesOfContinuousStatesChanged) == (instance.states != stopped) or (
            stopped and not any(stopped)
        ), "a reset from zero to zero may be reported"
        if instance.states != stopped:  # the event has set them
            states, rates = instance.states, [0.0] * len(states)
        assert place(right) == [value > 0 for value in after], (left, instance.modes())
        met += 1
    assert met >= 5


@MODES
def test_no_mode_changes_without_an_indicator(fmu):
    """Two hosts at random points, far apart or with speeds and forces of any size: one makes an
    event at each, the other where an indicator has changed its sign since its last one, or is in
    the gap before zero, where either will do. They never differ, so that what is remembered and
    shown by no output agrees, too."""
    d, changes = fmu.description, 0
    sampler = Sampler(d, "announced")
    draw = sampler.random
    with fmu.model_exchange() as always, fmu.model_exchange() as seldom:
        for _ in range(30):
            parameters = sampler.start(always)
            seldom.start(parameters | {v.name: always.get(v.name) for v in d.inputs})
            signs = []
            for _ in range(40):
                inputs, states = sampler.inputs(parameters), sampler.states(parameters)
                for v in d.inputs:
                    if v.unit in ("m/s", "N") and draw.random() < 0.3:
                        inputs[v.name] *= 10 ** draw.uniform(-9, 0)
                for host in (always, seldom):
                    host.set(inputs)
                    host.states = states
                modes = always.modes()
                always.event()
                shown = seldom.indicators
                if [value > 0 for value in shown] != signs or min(shown) < 1:
                    seldom.event()
                    signs = [value > 0 for value in seldom.indicators]
                assert (seldom.modes(), seldom.states) == (always.modes(), always.states)
                changes += always.modes() != modes
            always.demand("fmi2Reset")
            seldom.demand("fmi2Reset")
    assert changes >= 50


@pytest.mark.fmus(lambda d: d.name == "Coulomb")
@pytest.mark.parametrize("part, mode", [(0.9e-12, 2), (1.1e-12, 3)], ids=["rounding", "a jump"])
def test_between_steps_a_mode_ends_only_where_inputs_jump(fmu, part, mode):
    """A load at which stick may end, but need not (common/hysteresis.h), is set again: with another
    rounding, or changed by more than that."""
    limit = 0.5 * NORMAL
    with fmu.co_simulation() as instance:
        instance.start({"staticFriction": 0.5, "normalForce": NORMAL, "externalForce": 0.5 * limit})
        loaded = limit * (1 + 0.9e-6)
        instance.set_input_derivative("externalForce", (loaded - 0.5 * limit) / 1e-3)
        instance.step(1e-3)
        assert instance.get("mode") == 2  # sticks
        instance.set({"externalForce": instance.get("externalForce") * (1 + part)})
        instance.step(1e-3)
        assert instance.get("mode") == mode


@pytest.mark.fmus(lambda d: not d.modes and d.indicators == 3)
def test_a_speed_that_counts_as_rest_lies_between_the_events_of_a_reversal(fmu):
    """1e-6 m/s, a ten-thousandth of the nominal velocity, on either side."""
    with fmu.in_model_exchange() as instance:
        for speed, signs in ((1.1e-6, 2), (0.9e-6, 1), (-0.9e-6, 1), (-1.1e-6, 0)):
            instance.set({"relativeVelocity": speed})
            assert sum(value > 0 for value in instance.indicators[1:]) == signs


@pytest.mark.fmus(lambda d: d.name == "Coulomb")
def test_all_events_of_a_step_are_logged_in_order(fmu):
    """A motion that comes to rest in the middle of a step and reverses, until it is faster than
    what counts as rest (regularizationVelocity, 1e-3 m/s)."""
    with fmu.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start({"normalForce": NORMAL, "relativeVelocity": 0.1})
        instance.set_input_derivative("relativeVelocity", -0.2)
        instance.step(1.0)
        changes = [m.text.split() for m in instance.messages if " goes from " in m.text]
        assert [words[-3:] for words in changes] == [
            ["SlipForward", "to", "Stick."],
            ["Stick", "to", "SlipBackward."],
        ]
        assert [float(words[2]) for words in changes] == pytest.approx([0.5, 0.505], abs=1e-3)
