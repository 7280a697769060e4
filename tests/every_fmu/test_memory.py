"""The stored state of an instance: its bytes hold all of it, events and resets renew it, and
nothing outdated stays."""

import math

import pytest

from fmi2 import CO_SIMULATION, DISCARD, ERROR, OK
from fmus import stored_modes, stored_of_impact
from held_force import pulses, run_loop
from operating_points import Sampler

STATES = pytest.mark.fmus(lambda d: bool(d.states))
MODES = pytest.mark.fmus(lambda d: bool(d.modes))
PRESSED = pytest.mark.fmus(lambda d: d.takes("normalForce") and d.indicators)
LOADED = pytest.mark.fmus(lambda d: d.takes("externalForce"))
ON_A_LINE = pytest.mark.fmus(lambda d: "couplingMass" in d and d.takes("relativeVelocity"))


def resumed(fmu, instance, **options):
    """Makes another instance from the bytes of this one."""
    other = fmu.instance(instance.kind, **options)
    other.resume(instance.snapshot())
    other.time = instance.time
    return other


def asking(instance):
    """Makes an instance with warnings enabled."""
    instance.demand("fmi2SetDebugLogging", 1, 0, None)
    return instance


def outputs(instance):
    return instance.get_reals([v.reference for v in instance.description.outputs])


# in its bytes


def test_the_bytes_hold_each_thing_once(fmu, kind):
    """Counted from the list of what is stored, so that nothing can be left out: see Memory in
    core/instance.h and Shadow in solver/shadow.c."""
    d = fmu.description
    parameters, inputs, states = len(d.real_parameters), len(d.inputs), len(d.states)
    modes = stored_modes(d)
    head, end = 3, 1  # mark, model, kind; checksum
    words = parameters + inputs + states  # now
    words += 2 * inputs  # rates, last ones
    words += (
        4 + 1 + inputs + states
    )  # time, tolerance, solver's step, skipped part; the point after a crossing
    words += 3 + 2 * inputs  # times of setting inputs and of evaluating indicators, now and before
    words += states  # nominal values as returned
    words += 8 + modes  # marks and counts
    words += stored_of_impact(d)
    if d.family("estimatedLoad"):
        words += 10 + 4 * len(
            d.family("relativeVelocity")
        )  # of chatter: acceleration, forces and their change; length, sums, peak; counts
        axes = len(d.family("relativeVelocity"))
        words += states + inputs + 2  # last step: start, length, the longest of late
        words += (3 + 2 + 1) * axes  # velocities and spring; forces; load
        words += 1 + states + axes + 1  # what is kept of a velocity, what a load does, if known
        words += modes
    with fmu.instance(kind) as instance:
        assert len(instance.snapshot()) == 8 * (head + words + end)


def test_bytes_of_an_instance_that_has_not_begun_are_accepted(fmu, kind):
    """Its modes are unknown yet. And a state read from bytes takes no more memory than one saved
    directly."""
    with fmu.instance(kind) as instance:
        kept = instance.save()
        before = instance.host.bytes
        state = instance.unpack(instance.pack(kept))
        assert instance.host.bytes - before == instance.host.live[kept.value]
        instance.restore(state)
        instance.drop(state)
        instance.drop(kept)
        instance.start()


@STATES
def test_bytes_hold_that_a_run_has_started(fmu, kind):
    """From then on initial values have no effect."""
    start = fmu.description.initial_values[0]
    with fmu.started(kind) as instance:
        if kind == CO_SIMULATION:
            instance.step(1e-3)
        with resumed(fmu, instance) as other:
            assert other.try_set(start.name, start.start + 1e-6) == ERROR


@STATES
def test_bytes_hold_that_the_importer_has_given_the_states(fmu):
    d = fmu.description
    given = [0.25 * v.nominal for v in d.states]
    parameter = next(v for v in d.real_parameters if v not in d.initial_values and v.start)
    with fmu.model_exchange() as instance:
        instance.initialize()
        instance.states = given
        with resumed(fmu, instance) as other:
            other.set({parameter.name: parameter.start * 1.0001})
            assert other.states == given


@LOADED
def test_bytes_hold_that_the_load_is_given(fmu, kind):
    with fmu.started(kind, {"externalForce": 0.0}) as instance:
        with asking(resumed(fmu, instance)) as other:
            other.set({"relativeVelocity": 0.1})
            other.step(1e-3) if kind == CO_SIMULATION else other.get("frictionForce")
            assert not [m for m in other.messages if "has never been set" in m.text]


@PRESSED
def test_bytes_hold_the_signs_of_the_indicators_and_the_crossing(fmu):
    """An importer has evaluated a point after a lift-off, stops one rounding before it, and
    continues elsewhere: the event is handled there."""
    time = 1e4
    with fmu.in_model_exchange({"normalForce": 10.0}, time=time) as instance:
        with resumed(fmu, instance) as other:  # the signs of continuous time have been kept
            for one in (instance, other):
                one.set_time(math.nextafter(time, math.inf))
                one.set({"normalForce": -1.0})
                assert min(one.indicators) < 0
                one.set_time(time)
                one.set({"normalForce": 10.0})
            assert other.snapshot() == instance.snapshot()
            with resumed(fmu, instance) as third:  # and so has the crossing
                for one in (instance, third):
                    one.event()
                    after = [value > 0 for value in one.indicators]
                    one.set_time(math.nextafter(time, math.inf))
                    one.set({"normalForce": -1.0})
                    assert [value > 0 for value in one.indicators] == after, (
                        "nothing is crossed any more"
                    )
                assert third.snapshot() == instance.snapshot()


@ON_A_LINE
def test_bytes_hold_what_is_observed_of_the_body(fmu):
    """A body whose force acts one step late: from bytes it continues unchanged, also while a
    parameter breaks its rule."""
    with fmu.co_simulation() as instance:
        instance.initialize({"couplingMass": 1.0, "normalForce": 9.81})
        run_loop(instance, lambda t, x: pulses(t, size=3.0), 0.3, 1e-3, late=True)
        observed = instance.get("estimatedLoad")
        assert observed != 0
        instance.set({"couplingMass": -1.0})
        with resumed(fmu, instance) as other:
            for one in (instance, other):
                one.set({"couplingMass": 1.0})
            assert other.get("estimatedLoad") == observed
            for n in range(30):
                for one in (instance, other):
                    one.set(
                        {
                            "relativeVelocity": 2e-3 * math.sin(n),
                            "normalForce": 9.81 + 3 * math.cos(n),
                        }
                    )
                    one.step(1e-3, time=0.3 + n * 1e-3)
                assert outputs(other) == outputs(instance), n


@LOADED
def test_bytes_hold_that_the_load_on_the_body_is_given(fmu):
    """A load that was given once stays a given one, also while it is zero: nothing is observed in
    its place."""
    with fmu.co_simulation() as instance:
        instance.initialize({"couplingMass": 1.0, "normalForce": 9.81, "externalForce": 1.0})
        for n in range(5):
            instance.step(1e-3, time=n * 1e-3)
        with resumed(fmu, instance) as other:
            for n in range(5, 20):
                for one in (instance, other):
                    one.set({"externalForce": 0.0, "relativeVelocity": 1e-3 * n})
                    one.step(1e-3, time=n * 1e-3)
                assert outputs(other) == outputs(instance), n


# in an event


@MODES
def test_an_event_renews_what_was_read_before_it(fmu):
    """Outputs and derivatives read before the mode changed are evaluated anew: as after setting the
    same inputs again."""
    d, changed = fmu.description, 0
    numbers = [v.reference for v in d.derivatives + d.outputs]
    sampler = Sampler(d, "renewed")
    with fmu.model_exchange() as instance:
        for _ in range(8):
            parameters = sampler.start(instance)
            for _ in range(15):
                inputs = sampler.inputs(parameters)
                instance.set(inputs)
                before, modes = instance.get_reals(numbers), instance.modes()
                instance.event()
                after = instance.get_reals(numbers)
                instance.set(inputs)
                assert instance.get_reals(numbers) == after
                changed += instance.modes() != modes and after != before
            instance.demand("fmi2Reset")
    assert changed >= 5


@MODES
def test_an_event_that_changes_nothing_logs_nothing(fmu):
    with fmu.model_exchange() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start()
        said = len(instance.messages)
        instance.event()
        assert not [m for m in instance.messages[said:] if m.category == "logEvents"]


@PRESSED
def test_a_later_trial_point_does_not_affect_an_event(fmu):
    """A solver has tried a point after a crossing, 0.1 ms ahead, and goes back; an event for
    another reason changes nothing."""
    with fmu.model_exchange() as instance, fmu.model_exchange() as other:
        for one in (instance, other):
            one.start({"normalForce": 10.0}, time=1.0)
        instance.set_time(1.0001)
        instance.set({"normalForce": -1.0})
        assert min(instance.indicators) < 0
        instance.set_time(1.0)
        instance.set({"normalForce": 10.0})
        instance.event()
        other.event()
        assert (instance.modes(), instance.indicators, outputs(instance)) == (
            other.modes(),
            other.indicators,
            outputs(other),
        )


# in a step that fails


@pytest.mark.fmus(lambda d: d.takes("relativeVelocity", "normalForce"))
@pytest.mark.parametrize("mass", [0.0, 1.0], ids=["alone", "coupled"])
def test_a_step_that_fails_at_its_end_leaves_no_trace(fmu, mass):
    """Velocity or normal force grow until the power overflows, which happens at the end of the step
    only."""
    with fmu.co_simulation() as instance:
        instance.start(
            {"normalForce": 1e3, "relativeVelocity": 0.01}
            | ({"couplingMass": mass} if mass else {})
        )
        for _ in range(3):
            instance.step(1e-3)
        instance.set({"relativeVelocity": 1e10 if mass else 0.01})
        instance.set_input_derivative("normalForce" if mass else "relativeVelocity", 1e307)
        before = instance.snapshot()
        status = instance.fmi2DoStep(instance.time, 1.0, 1)
        assert status == DISCARD or mass, "some models slow the body down before"
        assert status == OK or instance.snapshot() == before


# after it is over


def test_a_reset_forgets_what_was_reported_once(fmu, kind):
    """A call against the standard is logged once between resets."""
    parameter = next(v for v in fmu.description.tunable_parameters if v.start)
    with asking(fmu.instance(kind)) as instance:
        for count in (1, 2):
            instance.start()
            for factor in (1.0001, 1.0002):
                instance.set({parameter.name: parameter.start * factor})
            assert (
                len([m for m in instance.messages if "was set after initialization" in m.text])
                == count
            )
            instance.demand("fmi2Reset")
