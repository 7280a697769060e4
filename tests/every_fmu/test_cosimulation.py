"""Co-simulation against references: the same equations integrated tightly in model exchange, by
another solver.

The tolerance is relative to a state's value plus its nominal value. Friction states saturate or
relax, so errors of steps do not add up: FACTOR times the tolerance is allowed at any communication
point, whatever the step sizes before it.
"""

import math

import numpy as np
import pytest
from fmpy import simulate_fmu

import c_host
from fmi2 import DISCARD, ERROR, OK, integers, reals
from operating_points import Sampler, some_of
from reference import TooManyEvents, integrate_me

FACTOR = 10
SIZES = (1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
STATES = pytest.mark.fmus(lambda d: bool(d.states))


def start_point(fmu, sampler, one, two, tolerance):
    """Starts a CS and an ME instance with the same random parameters, states and inputs; the former
    may take as many substeps as its tolerance needs."""
    d = fmu.description
    parameters = sampler.start(one, tolerance=tolerance) | {"maximumSubsteps": 60000}
    values = {**parameters, **{v.name: one.get(v.name) for v in d.inputs}}
    one.demand("fmi2Reset")
    one.start(values, tolerance=tolerance)
    two.start(values)
    assert two.states == [one.get(v.name) for v in d.states] and two.modes() == one.modes()
    return parameters


def error_of(instance, expected, tolerance, doubt=None):
    """Returns the error of the states in units of the tolerance, beyond the uncertainty of the
    reference."""
    worst = 0.0
    doubt = doubt or [0.0] * len(expected)
    for state, right, unsure in zip(instance.description.states, expected, doubt):
        wrong = max(0.0, abs(instance.get(state.name) - right) - unsure)
        worst = max(worst, wrong / (tolerance * (state.nominal + abs(right))))
    return worst


def reference_of(two, begin, rates, start, size, tolerance):
    """Returns the states after a step with ramps of the inputs, and by how much any solver with
    this tolerance may miss them.

    Two things are not the solver's fault. Where a bristle jumps to and fro on a falling curve, a
    small error early in the step grows: a second reference from states that are wrong by the
    tolerance shows by how much. And where the normal force crosses zero some laws are singular (the
    rate of LuGre's bristle is sigma0 |v|/(mu N)), so that the remaining deflection depends on how
    closely that point is approached: references with other distances show by how much.

    The instance is left at the end of the step, in the modes reached there.
    """
    d = two.description
    zero = -begin["normalForce"] / rates["normalForce"] if rates.get("normalForce") else -1.0
    passing = 0 < zero < size
    saved, exact = two.save(), min(1e-9, 1e-2 * tolerance)
    ended = saved

    def run(wrong, hop):
        two.restore(saved)
        if wrong:
            two.states = [
                x + tolerance * (v.nominal + abs(x)) for x, v in zip(two.states, d.states)
            ]
            two.event()
        return integrate_me(two, start, start + size, exact, rates, hop=hop)

    try:
        right = run(False, 1e-11 if passing else 0.0)
        ended = two.save()
        doubt = []
        for x, off, v in zip(right, run(True, 1e-11 if passing else 0.0), d.states):
            doubt.append(10 * max(0.0, abs(off - x) - tolerance * (v.nominal + abs(x))))
        if passing:
            doubt = [known + 10 * abs(x - y) for known, x, y in zip(doubt, right, run(False, 1e-6))]
        return right, doubt
    finally:
        two.restore(ended)
        for state in {id(saved): saved, id(ended): ended}.values():
            two.drop(state)


@STATES
@pytest.mark.parametrize("moving", [False, True], ids=["held", "moving"])
def test_one_step_of_any_size_meets_the_tolerance(fmu, moving):
    """From 1 ns to 1 s, from random states, with held inputs and with inputs that move by their
    derivatives (also through lift-off)."""
    d = fmu.description
    sampler, restless = Sampler(d, "one step"), 0
    for size in SIZES:
        for _ in range(some_of(3)):
            with fmu.co_simulation() as one, fmu.model_exchange() as two:
                parameters = start_point(fmu, sampler, one, two, 1e-6)
                if parameters.get("stribeckExponent", 1.0) < 1 and "bristleVelocity" in d:
                    # its slope at rest is unbounded, which no error estimate detects: see its page
                    continue
                begin = {v.name: one.get(v.name) for v in d.inputs}
                rates = {}
                if moving:
                    target = sampler.inputs(parameters)
                    rates = {
                        v.name: (target[v.name] - begin[v.name]) / size
                        for v in d.inputs
                        if not fixed_length(v)
                    }
                    for name, rate in rates.items():
                        one.set_input_derivative(name, rate)
                one.step(size)
                try:
                    expected, doubt = reference_of(two, begin, rates, 0.0, size, 1e-6)
                except TooManyEvents:
                    restless += 1
                    continue
                assert error_of(one, expected, 1e-6, doubt) <= FACTOR, (
                    f"step {size}, {parameters}, {begin}, {rates}"
                )
                for name, rate in rates.items():
                    assert one.get(name) == pytest.approx(
                        begin[name] + rate * size, rel=1e-12, abs=1e-300
                    )
    assert restless <= some_of(6), "nearly all steps must be compared"


def fixed_length(variable):
    """Checks for a component of a direction, which must stay a unit vector."""
    return variable.base is not None and variable.unit in (None, "1")


@STATES
@pytest.mark.endurance
@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-7, 1e-9])
def test_a_run_meets_its_tolerance(fmu, tolerance):
    """Random ramps of the inputs over 30 steps of mixed sizes; each step is compared from the end
    of the last one."""
    d = fmu.description
    sampler = Sampler(d, "run")
    with fmu.co_simulation() as one, fmu.model_exchange() as two:
        parameters = start_point(fmu, sampler, one, two, tolerance)
        here = {v.name: one.get(v.name) for v in d.inputs}
        time, restless = 0.0, 0
        for _ in range(30):
            size = 10 ** sampler.random.uniform(-5, -1.5)
            target = sampler.inputs(parameters)
            rates = {
                v.name: 0.0 if fixed_length(v) else (target[v.name] - here[v.name]) / size
                for v in d.inputs
            }
            for name, rate in rates.items():
                one.set_input_derivative(name, rate)
            one.step(size)
            try:
                expected, doubt = reference_of(two, here, rates, time, size, tolerance)
                most = (
                    3 if fmu.name == "Gonthier" else 1
                ) * FACTOR  # Gonthier reached 24 at a touch-down
                assert error_of(one, expected, tolerance, doubt) <= most, f"at {time}"
            except TooManyEvents:
                restless += 1
            time += size
            here = {v.name: one.get(v.name) for v in d.inputs}
            two.set_time(time)
            two.set(here)
            two.event()
            two.states = [one.get(v.name) for v in d.states]
        assert restless <= 5, "nearly all steps must be compared"


@STATES
def test_small_steps_are_not_skipped(fmu):
    """A step of a nanosecond moves the states by a nanosecond of their rate."""
    d = fmu.description
    sampler = Sampler(d, "nanosecond")
    with fmu.co_simulation() as instance:
        for _ in range(10):
            sampler.start(instance)
            before, rates = (
                [instance.get(v.name) for v in names] for names in (d.states, d.derivatives)
            )
            instance.step(1e-9)
            for state, derivative, x, rate in zip(d.states, d.derivatives, before, rates):
                moved, end = instance.get(state.name) - x, instance.get(derivative.name)
                allowed = 4e-16 * (abs(x) + state.nominal) + 1e-2 * 1e-9 * max(abs(rate), abs(end))
                assert moved == pytest.approx(1e-9 * (rate + end) / 2, abs=allowed), state.name
            for _ in range(999):
                instance.step(1e-9)
            many = [instance.get(v.name) for v in d.states]
            assert instance.last_time == pytest.approx(1e-6, rel=1e-12)
            parameters = {v.name: instance.get(v.name) for v in d.parameters + d.inputs}
            instance.demand("fmi2Reset")
            instance.start(parameters)
            instance.step(1e-6)
            for state, value in zip(d.states, many):
                assert instance.get(state.name) == pytest.approx(
                    value, rel=1e-6, abs=1e-6 * state.nominal
                )
            instance.demand("fmi2Reset")


@pytest.mark.endurance
def test_a_million_steps_do_not_drift(fmu, all_fmus):
    """1e6 steps of 1/60 s end at the master's time, in the state that steps of 1 s reach. Half of
    the models run with a master that counts its steps, half with one that adds them up: how an
    instance follows the time does not depend on the law.
    """
    kind = 1 + all_fmus.index(fmu) % 2
    seconds, rate = 16667, 60
    steps = seconds * rate
    assert steps >= 1_000_000
    d = fmu.description
    sampler = Sampler(d, "million")
    waves = {
        name: (offset or amplitude * 1e-5, 0.0, 0.0)
        for name, (offset, amplitude, _) in c_host.natural_waves(sampler, d.starts()).items()
    }
    jobs = [
        c_host.job(fmu, fmu.binary, kind, steps, 1 / rate, steps, waves),
        c_host.job(fmu, fmu.binary, 1, seconds, 1.0, seconds, waves),
    ]
    (rows, ended), (reference, _) = c_host.run(c_host.build(), jobs)
    if kind == 1:
        assert ended == (steps - 1) * (1 / rate) + 1 / rate
    else:
        assert ended == float(np.cumsum(np.full(steps, 1 / rate))[-1])
    for v in d.states + d.outputs:
        allowed = 1e-5 * (abs(reference[-1][v.reference]) + (v.nominal or 1.0))
        assert abs(rows[-1][v.reference] - reference[-1][v.reference]) <= allowed, v.name


# inputs


def test_inputs_are_held_unless_they_have_a_derivative(fmu):
    d = fmu.description
    sampler = Sampler(d, "held")
    with fmu.co_simulation() as instance:
        parameters = sampler.start(instance)
        inputs = sampler.inputs(parameters)
        instance.set(inputs)
        instance.step(0.25)
        assert {name: instance.get(name) for name in inputs} == inputs
        name = next(v.name for v in d.inputs if not fixed_length(v))
        instance.set_input_derivative(name, 2.0)
        instance.step(0.25)
        assert instance.get(name) == inputs[name] + 0.5
        instance.step(0.25)
        assert instance.get(name) == inputs[name] + 0.5 + 0.5, (
            "a derivative lasts until it is changed"
        )
        instance.set({name: inputs[name]})
        instance.step(0.25)
        assert instance.get(name) == inputs[name], "setting the input sets its derivative to zero"


def test_wrong_input_derivatives_are_refused(fmu):
    d = fmu.description
    with fmu.in_co_simulation() as instance:
        good = instance.reference_array([d.inputs[0].reference])
        before = instance.snapshot()
        for order in (0, 2, -1, 1000):
            assert (
                instance.fmi2SetRealInputDerivatives(good, 1, integers([order]), reals([1.0]))
                == ERROR
            )
        for v in d.parameters + d.states + d.outputs:
            number = instance.reference_array([v.reference])
            assert (
                instance.fmi2SetRealInputDerivatives(number, 1, integers([1]), reals([1.0]))
                == ERROR
            )
        assert instance.fmi2SetRealInputDerivatives(None, 0, None, None) == OK
        assert instance.snapshot() == before


def test_output_derivatives_are_those_of_the_motion(fmu):
    """Compared with the difference of the outputs over a short step, with moving inputs."""
    d = fmu.description
    sampler = Sampler(d, "output derivatives")
    numbers = [v.reference for v in d.outputs]
    sharp = 0
    with fmu.co_simulation() as instance:
        for _ in range(12):
            parameters = sampler.start(instance, tolerance=1e-10)
            rates = {v.name: sampler.value(v, parameters) for v in d.inputs if not fixed_length(v)}
            instance.step(1e-4)
            for name, rate in rates.items():
                instance.set_input_derivative(name, rate)
            result = reals([0.0] * len(numbers))
            samples, derivatives, modes = [], [], []
            for _ in range(3):
                samples.append(instance.get_reals(numbers))
                assert (
                    instance.fmi2GetRealOutputDerivatives(
                        instance.reference_array(numbers),
                        len(numbers),
                        integers([1] * len(numbers)),
                        result,
                    )
                    == OK
                )
                derivatives.append(list(result))
                modes.append(instance.modes())
                instance.step(1e-7)
            if modes[0] == modes[1] == modes[2]:
                for v, a, b, low, middle, high in zip(
                    d.outputs, samples[0], samples[2], *derivatives
                ):
                    allowed = (
                        1e-2 * abs(middle)
                        + abs(high - low)
                        + 1e-9 / 1e-7 * (abs(a) * 1e-6 + 1e-6 * (v.nominal or 1.0))
                    )
                    difference = (b - a) / 2e-7
                    assert abs(difference - middle) <= allowed, v.name
                    sharp += allowed < 0.1 * abs(middle)
            instance.demand("fmi2Reset")
    assert sharp >= 10


def test_wrong_output_derivatives_are_refused(fmu):
    d = fmu.description
    with fmu.in_co_simulation() as instance:
        instance.step(1e-3)
        value = reals([7.0])
        for v, order in [
            (d.outputs[0], 0),
            (d.outputs[0], 2),
            (d.inputs[0], 1),
            (d.parameters[0], 1),
        ]:
            number = instance.reference_array([v.reference])
            assert (
                instance.fmi2GetRealOutputDerivatives(number, 1, integers([order]), value) == ERROR
            )
            assert value[0] == 7.0 and instance.messages[-1].text


# communication points


def test_a_step_of_length_zero_is_an_event(fmu):
    """States stay, but new inputs take effect."""
    with fmu.in_co_simulation() as instance:
        instance.step(1e-3)
        states = [instance.get(v.name) for v in fmu.description.states]
        instance.step(0.0)
        assert [instance.get(v.name) for v in fmu.description.states] == states
        assert instance.last_time == 1e-3


@pytest.mark.parametrize(
    "point, size",
    [
        (0.1, -1e-3),
        (0.1, -1e-300),
        (0.2, 1e-3),
        (0.0, 1e-3),
        (0.1005, 1e-3),
        (0.0995, 1e-3),
        (0.1004, 1e-3),
        (0.0996, 1e-3),
        (0.10006, 1e-3),
        (-0.1, 1e-3),
    ],
)
def test_steps_that_leave_a_gap_or_go_back_are_refused(fmu, point, size):
    with fmu.in_co_simulation() as instance:
        for _ in range(100):
            instance.step(1e-3)
        before, said = instance.snapshot(), len(instance.messages)
        assert instance.fmi2DoStep(point, size, 1) in (ERROR, DISCARD)
        assert len(instance.messages) == said + 1
        assert instance.snapshot() == before
        instance.step(1e-3, time=0.1)
        assert instance.last_time == pytest.approx(0.101, rel=1e-12)


@pytest.mark.parametrize("late", [45e-6, -45e-6])
def test_gaps_are_reported_once_and_do_not_add_up(fmu, late):
    """A start point that is off by less than a twentieth of a step is accepted; a master that is
    late again and again is refused."""
    with fmu.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start()
        made = 0
        while made < 9 and instance.fmi2DoStep(instance.last_time + late, 1e-3, 1) == OK:
            made += 1
        assert made == 2
        assert [m.category for m in instance.messages if "gap" in m.text] == ["logStatusWarning"]
        assert (
            "leave out" in instance.messages[-1].text
            and f"{late * 3:.3g}" in instance.messages[-1].text
        )
        instance.step(1e-3, time=instance.last_time)  # it can continue from its own time


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("part, count", [(0.9e-9, 0), (1.1e-9, 1)])
def test_a_gap_warns_by_its_part_of_the_step(fmu, size, part, count):
    """A gap beyond rounding, 1e-9 of the step, however short it is. The first step starts at 0,
    where points can be arbitrarily close."""
    with fmu.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start()
        assert instance.fmi2DoStep(part * size, size, 1) == OK
        assert len([m for m in instance.messages if "gap" in m.text]) == count


@pytest.mark.parametrize("gap, count", [(0.9e-8, 0), (1.1e-8, 1)])
def test_late_in_a_run_points_are_rounded(fmu, gap, count):
    """To 1e-12 of their value, thousands of roundings of a double."""
    with fmu.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start(time=1e4)
        assert instance.fmi2DoStep(1e4 + gap, 1e-6, 1) == OK
        assert len([m for m in instance.messages if "gap" in m.text]) == count


def test_a_master_that_rounds_its_points_loses_nothing(fmu):
    """In single precision every point is off by up to 4 µs late in this run; none is refused."""
    with fmu.in_co_simulation(time=64.0) as instance:
        for i in range(300):
            instance.step(1e-3, time=float(np.float32(64 + i * 1e-3)))


def test_a_rate_by_which_an_input_overflows_is_refused(fmu):
    d = fmu.description
    for v in d.inputs:
        with fmu.in_co_simulation() as instance:
            instance.set({v.name: -1e308})
            instance.set_input_derivative(v.name, -1e308)
            before = instance.snapshot()
            assert instance.fmi2DoStep(0.0, 10.0, 1) == DISCARD
            assert instance.snapshot() == before


def test_a_run_may_start_anywhere(fmu):
    """The law does not depend on time: a run from 1e6 s, or from -5 s, equals the run from 0 s."""
    d = fmu.description
    results = []
    for start in (0.0, -5.0, 1e6):
        sampler = Sampler(d, "shift")
        with fmu.co_simulation() as instance:
            parameters = sampler.start(instance, time=start)
            for i in range(20):
                instance.set(sampler.inputs(parameters))
                instance.step(2.0**-10)
            results.append([instance.get(v.name) for v in d.states + d.outputs])
    assert results[0] == results[1] == results[2]


def test_steps_past_the_stop_time_are_accepted(fmu):
    with fmu.in_co_simulation(stop=1e-2) as instance:
        for _ in range(12):
            instance.step(1e-3)


def test_no_tolerance_is_tighter_than_rounding_allows(fmu):
    """1e-13, some hundred roundings of the compared values; it is part of the stored state."""
    stored = []
    for tolerance in (1e-30, 1e-13, 2e-13):
        with fmu.in_co_simulation(tolerance=tolerance) as instance:
            stored.append(instance.snapshot())
    assert stored[0] == stored[1] != stored[2]


def test_a_tighter_tolerance_is_heeded(fmu):
    """Also one below rounding: it counts as the tightest possible."""
    for tolerance in (1e-2, 1e-6, 1e-12, 1e-30):
        with fmu.co_simulation() as instance:
            sampler = Sampler(fmu.description, "tolerance")
            parameters = sampler.start(instance, tolerance=tolerance)
            for _ in range(5):
                instance.set(sampler.inputs(parameters))
                instance.step(1e-3)


@pytest.mark.fmus(lambda d: d.takes("normalForce") and bool(d.states))
def test_lift_off_inside_a_step_is_located(fmu):
    """A normal force that falls through zero in the middle of a long step: as if the master had
    stopped there. Some laws are singular there, so that the remaining deflection depends on how
    closely the point is approached: a master that stops a 1e-12 part before it shows by how much.
    """
    d = fmu.description
    names = [v.name for v in d.inputs if v.name.startswith("relativeVelocity")]
    for crossing in (0.1, 0.5, 0.93):
        ends = []
        with fmu.co_simulation() as one:
            size = 2e-2
            for stops in ([crossing * size], [crossing * size * (1 - 1e-12)], []):
                one.start({"normalForce": 10.0, **{name: 5e-3 for name in names}}, tolerance=1e-8)
                for _ in range(100):
                    one.step(1e-3)
                one.set_input_derivative("normalForce", -10.0 / (crossing * size))
                for stop in stops:
                    one.step(stop)
                one.step(size - sum(stops))
                assert one.get("normalForce") < 0
                ends.append([one.get(v.name) for v in d.states])
                if stops:
                    one.demand("fmi2Reset")
            doubt = [10 * abs(x - y) for x, y in zip(*ends[:2])]
            assert error_of(one, ends[0], 1e-8, doubt) <= 2 * FACTOR


# FMPy, both kinds


def staircase(fmu, duration, pieces):
    """Makes inputs that jump between random values at multiples of duration/pieces, as FMPy takes
    them."""
    d = fmu.description
    sampler = Sampler(d, "staircase")
    parameters = d.starts()
    dtype = [("time", np.float64)] + [(v.name, np.float64) for v in d.inputs]
    rows = []
    for i in range(pieces):
        values = sampler.inputs(parameters)
        if d.takes("normalForce") and i % 4 != 2:
            values["normalForce"] = abs(values["normalForce"])
        for t in (duration * i / pieces, duration * (i + 1) / pieces):
            rows.append((t, *[values[v.name] for v in d.inputs]))
    return np.array(rows, dtype=dtype)


@pytest.mark.endurance
def test_cvode_on_model_exchange_and_co_simulation_agree(fmu):
    """The same staircase of inputs through FMPy in both kinds."""
    d = fmu.description
    duration, pieces = 0.4, 8
    inputs = staircase(fmu, duration, pieces)
    names = [v.name for v in d.states + d.outputs]
    results = {}
    for kind in ("ModelExchange", "CoSimulation"):
        results[kind] = simulate_fmu(
            str(fmu.path),
            fmi_type=kind,
            stop_time=duration,
            output_interval=duration / 200,
            input=inputs,
            output=names,
            relative_tolerance=1e-8,
            solver="CVode",
            record_events=False,
        )
    exchange, co = results["ModelExchange"], results["CoSimulation"]
    # between the jumps of the input, where both have had the same
    interior = [
        t
        for t in co["time"]
        if min(abs(t - duration * i / pieces) for i in range(pieces + 1)) > duration / 400
    ]
    assert len(interior) > 150
    for name in names:
        size = max(np.max(np.abs(co[name])), d[name].nominal or 0.0)
        ours = np.interp(interior, co["time"], co[name])
        theirs = np.interp(interior, exchange["time"], exchange[name])
        assert np.max(np.abs(ours - theirs)) <= 1e-4 * size, name


def test_steps_of_a_second_are_made_from_any_state(fmu):
    """None is discarded for lack of trials: a long step does not proceed in the smallest time
    constant."""
    d = fmu.description
    sampler = Sampler(d, "speed")
    with fmu.co_simulation() as instance:
        parameters = sampler.start(instance)
        for _ in range(50):
            instance.set(sampler.inputs(parameters))
            instance.step(1.0)
        assert all(math.isfinite(instance.get(v.name)) for v in d.reals)
