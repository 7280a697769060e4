"""Saved states, serialized states, reset, and independent instances."""

import json
import os
import math
import struct
import subprocess
import sys
import threading
from ctypes import byref, c_char, c_void_p
from pathlib import Path

import pytest

from fmi2 import CO_SIMULATION, ERROR, OK, FmiError
from fmus import stored_modes, stored_of_impact
from operating_points import Sampler


class Course:
    """A reproducible run of an instance: random inputs, steps (co-simulation) or states and events
    (model exchange)."""

    def __init__(self, fmu, seed):
        self.description = fmu.description
        self.sampler = Sampler(fmu.description, seed)
        self.parameters = None

    def begin(self, instance):
        self.parameters = self.sampler.start(instance, tolerance=1e-6)
        return self

    def begin_with(self, instance):
        """Begins with a started instance and its parameters."""
        self.parameters = {v.name: instance.get(v.name) for v in self.description.parameters}
        return self

    def plan(self, count):
        """Draws the next moves, so that several instances can make the same ones."""
        sampler, moves = self.sampler, []
        for _ in range(count):
            moves.append(
                (
                    sampler.inputs(self.parameters),
                    {v.name: sampler.value(v, self.parameters) for v in self.description.inputs},
                    sampler.states(self.parameters),
                    10 ** sampler.random.uniform(-6, -1),
                )
            )
        return moves


def make(instance, move):
    """Makes a move; returns all numbers afterwards."""
    inputs, rates, states, size = move
    instance.set(inputs)
    if instance.kind == CO_SIMULATION:
        for name, rate in rates.items():
            instance.set_input_derivative(name, rate)
        instance.step(size)
    else:
        instance.set_time(instance.time + size)
        instance.states = states
        instance.event()
    return numbers(instance)


def numbers(instance):
    d = instance.description
    values = instance.get_reals([v.reference for v in d.reals]) + list(instance.modes().values())
    return values if instance.kind == CO_SIMULATION else values + instance.indicators


def test_a_repeated_step_is_the_same_bit_for_bit(fmu, kind):
    """Also in co-simulation, where the solver's own state (step size) has to be restored with the
    states."""
    with fmu.instance(kind) as instance:
        course = Course(fmu, "rollback").begin(instance)
        for move in course.plan(8):
            make(instance, move)
        time, here, state = instance.time, numbers(instance), instance.save()
        moves = course.plan(12)
        first = [make(instance, move) for move in moves]
        instance.restore(state)
        instance.time = time
        assert numbers(instance) == here
        assert [make(instance, move) for move in moves] == first
        instance.restore(state)
        instance.time = time
        for move in course.plan(3):
            make(instance, move)
        instance.restore(state)
        instance.time = time
        assert [make(instance, move) for move in moves] == first
        instance.drop(state)


def test_a_step_after_going_back_needs_no_inputs_anew(fmu):
    """A host that holds its inputs sets them once. Cached values of the start of a later step must
    not be used for the restored one."""
    with fmu.co_simulation() as instance, fmu.co_simulation() as straight:
        for one in (instance, straight):
            course = Course(fmu, "hold").begin(one)
            here, elsewhere = (inputs for inputs, _, _, _ in course.plan(2))
            one.set(here)
            one.step(1e-4)
            one.set(here)
            numbers(one)
        time, state = instance.time, instance.save()
        instance.set(elsewhere)
        numbers(instance)
        instance.restore(state)
        instance.time = time
        for one in (instance, straight):
            one.step(1e-3)
        assert numbers(instance) == numbers(straight)
        instance.drop(state)


def test_a_state_moves_into_another_instance(fmu, kind):
    with fmu.instance(kind) as one, fmu.instance(kind, name="other") as two:
        course = Course(fmu, "move").begin(one)
        for move in course.plan(8):
            make(one, move)
        two.start()
        two.resume(one.snapshot())
        two.time = one.time
        assert numbers(two) == numbers(one)
        for move in course.plan(8):
            assert make(two, move) == make(one, move)


def test_a_state_also_holds_the_phase_of_the_life_cycle(fmu):
    with fmu.model_exchange() as instance:
        instance.initialize()
        in_event_mode = instance.save()
        instance.settle()
        instance.demand("fmi2EnterContinuousTimeMode")
        in_continuous_time = instance.save()
        instance.restore(in_event_mode)
        instance.settle()  # refused outside event mode
        instance.demand("fmi2EnterContinuousTimeMode")
        instance.demand("fmi2Terminate")
        instance.restore(in_continuous_time)
        instance.event()
        for state in (in_event_mode, in_continuous_time):
            instance.drop(state)


@pytest.fixture(scope="module")
def another_process():
    """Starts a process that continues the states it receives, line by line."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    yield process
    process.stdin.close()
    assert process.wait(timeout=60) == 0


def test_a_state_moves_into_another_process(fmu, kind, another_process):
    with fmu.instance(kind) as instance:
        course = Course(fmu, "process").begin(instance)
        for move in course.plan(8):
            make(instance, move)
        content, moves = instance.snapshot(), course.plan(8)
        print(
            json.dumps([str(fmu.path), kind, content.hex(), instance.time, moves]),
            file=another_process.stdin,
            flush=True,
        )
        expected = [numbers(instance)] + [make(instance, move) for move in moves]
    assert json.loads(another_process.stdout.readline()) == expected


def continue_elsewhere(path, kind, content, time, moves):
    """Continues a state, in the other process."""
    from fmus import Fmu

    with Fmu(Path(path)).instance(kind) as instance:
        instance.resume(bytes.fromhex(content))
        instance.time = time
        print(
            json.dumps([numbers(instance)] + [make(instance, move) for move in moves]), flush=True
        )


# invalid bytes


def refused(instance, content):
    before, said, state = instance.snapshot(), len(instance.messages), c_void_p()
    status = instance.fmi2DeSerializeFMUstate(
        (c_char * max(len(content), 1)).from_buffer_copy(content or b"\0"),
        len(content),
        byref(state),
    )
    assert status == ERROR
    assert state.value is None
    assert len(instance.messages) > said and instance.messages[-1].text
    assert instance.snapshot() == before


def test_corrupt_bytes_are_refused(fmu, kind):
    """Every single wrong bit is detected."""
    with fmu.instance(kind) as instance:
        Course(fmu, "corrupt").begin(instance)
        content = instance.snapshot()
        for position in range(len(content)):
            wrong = bytearray(content)
            wrong[position] ^= 1 << (position % 8)
            refused(instance, bytes(wrong))


def words_of(content):
    return list(struct.unpack(f"<{len(content) // 8}q", content))


def sealed(words):
    """Returns bytes with a valid checksum (FNV-1a), as anyone may write them."""
    body = struct.pack(f"<{len(words) - 1}q", *words[:-1])
    checksum = 0xCBF29CE484222325
    for byte in body:
        checksum = (checksum ^ byte) * 0x100000001B3 % 2**64
    return body + struct.pack("<Q", checksum)


def as_word(value):
    return struct.unpack("<q", struct.pack("<d", value))[0]


def test_bytes_that_no_instance_has_written_are_refused_though_their_checksum_is_right(fmu, kind):
    """NaN in any place, parameters beyond their limits, nominal values above the declared ones,
    modes and phases that do not exist."""
    d = fmu.description
    with fmu.started(kind) as instance:
        words = words_of(instance.snapshot())
        assert sealed(words) == instance.snapshot()
        first = 3  # after magic, identity and kind
        numbers = len(d.real_parameters) + 6 * len(d.inputs) + 3 * len(d.states) + 8
        for place in range(first, first + numbers):
            for wrong in (math.nan, math.inf):
                refused(instance, sealed(words[:place] + [as_word(wrong)] + words[place + 1 :]))
        for place, v in enumerate(
            d.states, first + numbers - len(d.states)
        ):  # nominal values come last
            for wrong in (0.0, -v.nominal, 2 * v.nominal):
                refused(instance, sealed(words[:place] + [as_word(wrong)] + words[place + 1 :]))
        for i, v in enumerate(d.real_parameters):
            if v.min is not None:
                refused(
                    instance,
                    sealed(
                        words[: first + i]
                        + [as_word(math.nextafter(v.min, -math.inf))]
                        + words[first + i + 1 :]
                    ),
                )
        marks = range(first + numbers, first + numbers + 8)
        modes = range(
            len(words) - 1 - len(d.modes) - len(d.select("parameter", "Integer")), len(words) - 1
        )
        for place in [*marks, *modes]:
            for wrong in (-1, 3 * 2**20, words[place] + 2**32):
                refused(instance, sealed(words[:place] + [wrong] + words[place + 1 :]))


def test_numbers_that_do_not_fit_together_are_refused(fmu, kind):
    """Each within its own bounds: a tolerance of zero, a negative step of the solver, two phases at
    once and those of the other kind."""
    d = fmu.description
    with fmu.started(kind) as instance:
        words = words_of(instance.snapshot())
        tolerance = 3 + len(d.real_parameters) + 3 * len(d.inputs) + len(d.states) + 1
        phase = 3 + len(d.real_parameters) + 6 * len(d.inputs) + 3 * len(d.states) + 8 + 2
        assert words[phase] == (16 if kind == CO_SIMULATION else 8)
        wrong = [(tolerance, as_word(0.0)), (tolerance, as_word(-1e-4))]
        wrong += [(tolerance + 1, as_word(-1e-300)), (phase, words[phase] | 1)]
        wrong += [(phase, 8 if kind == CO_SIMULATION else 16)]
        for place, value in wrong:
            refused(instance, sealed(words[:place] + [value] + words[place + 1 :]))
        assert instance.snapshot() == sealed(words)


def first_of_body(d):
    """Returns the place of the first stored number of a body, after those of every instance and of
    chatter."""
    return first_of_chatter(d) + 10 + 4 * (3 if "frictionForce[1]" in d else 1)


def first_of_chatter(d):
    return (
        3
        + len(d.real_parameters)
        + 6 * len(d.inputs)
        + 3 * len(d.states)
        + 8
        + 8
        + stored_of_impact(d)
    )


@pytest.mark.fmus(lambda d: d.family("estimatedLoad"))
def test_bytes_of_chatter_that_no_instance_has_written_are_refused(fmu):
    d = fmu.description
    with fmu.in_co_simulation() as instance:
        instance.step(1e-3)
        words = words_of(instance.snapshot())
        counts = first_of_body(d) - 3
        wrong = [
            (place, as_word(value))
            for place in range(first_of_chatter(d), counts)
            for value in (math.nan, math.inf)
        ]
        wrong += [(counts, 2), (counts + 1, 3), *((counts + i, -1) for i in range(3))]
        for place, value in wrong:
            refused(instance, sealed(words[:place] + [value] + words[place + 1 :]))


@pytest.mark.fmus(lambda d: d.family("estimatedLoad"))
def test_bytes_of_a_body_that_no_instance_has_written_are_refused(fmu):
    """NaN among the observations, counts and flags beyond their range."""
    d = fmu.description
    with fmu.in_co_simulation({"couplingMass": 1.0}) as instance:
        instance.step(1e-3)
        words = words_of(instance.snapshot())
        modes = len(words) - 1 - 2 * stored_modes(d)  # of the shadow, then of the instance
        wrong = [
            (place, as_word(value))
            for place in range(first_of_body(d), modes)
            for value in (math.nan, -math.inf)
        ]
        wrong += [
            (place, value) for place in range(modes, modes + len(d.modes)) for value in (-1, 100)
        ]
        for place, value in wrong:
            refused(instance, sealed(words[:place] + [value] + words[place + 1 :]))


@pytest.mark.fmus(lambda d: d.family("estimatedLoad"))
def test_a_body_in_the_bytes_of_model_exchange_is_refused(fmu):
    """Model exchange has no body in the loop, and no memory for one: it would be lost silently."""
    with fmu.in_model_exchange() as instance:
        words = words_of(instance.snapshot())
        modes = len(words) - 1 - stored_modes(fmu.description)
        for place in (first_of_body(fmu.description), modes - 1):
            refused(instance, sealed(words[:place] + [1] + words[place + 1 :]))


def test_everything_that_an_instance_stores_is_in_its_bytes(fmu):
    """Instances that differ in one thing only: their bytes differ, and transfer it."""
    d = fmu.description
    names = [v.name for v in d.inputs if not (v.base and v.unit in (None, "1"))]
    name, parameter = (
        names[0],
        next(
            v
            for v in d.real_parameters
            if v.variability == "tunable" or not v.name.partition("[")[0].endswith("Start")
        ),
    )

    def started(instance):
        instance.start(tolerance=1e-6)
        instance.step(0.0)

    def last_inputs(instance, other):
        started(instance)
        if other:
            instance.set({name: 2.0})
            instance.step(0.0)
        instance.set({name: 2.0})

    def tolerance(instance, other):
        instance.start(tolerance=1e-4 if other else 1e-6)

    def pending_rates(instance, other):
        started(instance)
        instance.set_input_derivative(name, 2.0)
        if other:
            instance.step(0.0)

    def unchecked(instance, other):
        instance.demand("fmi2SetupExperiment", 1, 1e-6, 0.0, 0, 0.0)
        instance.demand("fmi2EnterInitializationMode")
        instance.demand("fmi2ExitInitializationMode")
        if other:
            instance.try_set(parameter.name, parameter.start * 1.01)
            instance.try_set(parameter.name, parameter.start)

    for differ in (last_inputs, tolerance, pending_rates, unchecked):
        with fmu.co_simulation() as one, fmu.co_simulation() as two, fmu.co_simulation() as three:
            differ(one, False)
            differ(two, True)
            assert one.snapshot() != two.snapshot(), differ.__name__
            three.resume(two.snapshot())
            assert three.snapshot() == two.snapshot(), differ.__name__


def test_truncated_and_extended_bytes_are_refused(fmu, kind):
    with fmu.instance(kind) as instance:
        Course(fmu, "truncated").begin(instance)
        content = instance.snapshot()
        for size in [0, 1, 4, 8, 15, len(content) // 2, len(content) - 8, len(content) - 1]:
            refused(instance, content[:size])
        refused(instance, content + b"\0" * 8)
        refused(instance, b"\0" * len(content))
        refused(instance, b"\xff" * len(content))


def test_the_state_of_another_model_or_kind_is_refused(fmu, kind, all_fmus):
    with fmu.started(kind) as instance:
        for other in all_fmus:
            for other_kind in (0, 1):
                if other is not fmu or other_kind != kind:
                    with other.started(other_kind) as stranger:
                        refused(instance, stranger.snapshot())
                        if other is fmu:  # the message names the kind that the state is of
                            assert (
                                "co-simulation" if other_kind else "model exchange"
                            ) in instance.messages[-1].text


def test_bytes_are_portable(fmu, kind):
    """No address and nothing random: two fresh instances at different addresses give the same
    bytes."""
    with fmu.instance(kind, name="a") as one, fmu.instance(kind, name="a longer name") as two:
        one.start()
        two.start()
        assert one.snapshot() == two.snapshot()


def test_a_buffer_of_the_wrong_size_is_refused(fmu, kind):
    with fmu.started(kind) as instance:
        state = instance.save()
        size = len(instance.pack(state))
        small = (c_char * size)()
        assert instance.fmi2SerializeFMUstate(state, small, size - 1) == ERROR
        assert small.raw == b"\0" * size
        instance.drop(state)


def test_no_state_is_no_crash(fmu, kind):
    with fmu.started(kind) as instance:
        nothing = c_void_p()
        assert instance.fmi2SetFMUstate(None) == ERROR
        assert instance.fmi2FreeFMUstate(byref(nothing)) == OK
        assert instance.fmi2FreeFMUstate(None) in (OK, ERROR)
        assert instance.fmi2GetFMUstate(None) == ERROR
        size = (c_char * 8)()
        assert instance.fmi2SerializedFMUstateSize(None, size) == ERROR
        assert instance.fmi2SerializeFMUstate(None, size, 8) == ERROR
        assert instance.fmi2DeSerializeFMUstate(None, 8, byref(nothing)) == ERROR
        assert nothing.value is None
        make(instance, Course(fmu, "alive").begin_with(instance).plan(1)[0])


def test_getting_a_state_again_reuses_its_memory(fmu, kind):
    with fmu.instance(kind) as instance:
        course = Course(fmu, "memory").begin(instance)
        state = instance.save()
        address, before, held = state.value, instance.host.allocations, instance.host.bytes
        for move in course.plan(20):
            make(instance, move)
            instance.demand("fmi2GetFMUstate", byref(state))
            assert state.value == address
            instance.restore(state)
        assert (instance.host.allocations, instance.host.bytes) == (before, held)
        instance.drop(state)
        assert state.value is None
        assert instance.host.bytes < held


def test_saving_changes_nothing(fmu, kind):
    with fmu.instance(kind) as one, fmu.instance(kind) as two:
        course = Course(fmu, "pure").begin(one)
        two.start(
            {**course.parameters, **{v.name: one.get(v.name) for v in fmu.description.inputs}},
            tolerance=1e-6,
        )
        for move in course.plan(10):
            one.drop(one.save())
            assert make(one, move) == make(two, move)


# reset


@pytest.mark.parametrize(
    "stage", ["instantiated", "initialization", "initialized", "running", "terminated"]
)
def test_reset_is_fresh(fmu, kind, stage):
    with fmu.instance(kind) as used, fmu.instance(kind) as fresh:
        course = Course(fmu, "reset")
        if stage == "initialization":
            used.set(course.sampler.inputs(fmu.description.starts()))
            used.demand("fmi2SetupExperiment", 1, 1e-3, 2.0, 1, 5.0)
            used.demand("fmi2EnterInitializationMode")
        elif stage != "instantiated":
            course.begin(used)
            if stage in ("running", "terminated"):
                for move in course.plan(6):
                    make(used, move)
            if stage == "terminated":
                used.demand("fmi2Terminate")
        used.demand("fmi2Reset")
        used.time = 0.0
        assert used.snapshot() == fresh.snapshot()
        course = Course(fmu, "after reset").begin(fresh)
        used.start(
            {
                v.name: fresh.get(v.name)
                for v in fmu.description.parameters + fmu.description.inputs
            },
            tolerance=1e-6,
        )
        for move in course.plan(6):
            assert make(used, move) == make(fresh, move)


# several instances


def test_two_interleaved_instances_are_as_two_alone(fmu, kind):
    alone = []
    for seed in ("one", "two"):
        with fmu.instance(kind) as instance:
            course = Course(fmu, seed).begin(instance)
            alone.append([make(instance, move) for move in course.plan(15)])
    with fmu.instance(kind) as one, fmu.instance(kind) as two:
        courses = Course(fmu, "one").begin(one), Course(fmu, "two").begin(two)
        plans = courses[0].plan(15), courses[1].plan(15)
        together = [(make(one, a), make(two, b)) for a, b in zip(*plans)]
    assert [pair[0] for pair in together] == alone[0]
    assert [pair[1] for pair in together] == alone[1]


def test_both_kinds_live_in_one_process(fmu):
    with fmu.instance(0) as one, fmu.instance(1) as two:
        one.start()
        two.start()
        for move in Course(fmu, "kinds").begin_with(one).plan(5):
            make(one, move)
            make(two, move)


def test_threads_do_not_disturb_each_other(fmu, kind):
    def run(seed):
        with fmu.instance(kind) as instance:
            course = Course(fmu, seed).begin(instance)
            return [make(instance, move) for move in course.plan(25)]

    expected = {seed: run(seed) for seed in range(4)}
    found = {}
    threads = [
        threading.Thread(target=lambda seed=seed: found.update({seed: run(seed)}))
        for seed in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_a_discarded_state_is_not_taken_for_another(fmu, kind):
    """A refused call does not invalidate a deserialized state."""
    with fmu.instance(kind) as instance:
        course = Course(fmu, "kept").begin(instance)
        state = instance.save()
        with pytest.raises(FmiError):
            instance.unpack(b"nothing")
        for move in course.plan(2):
            make(instance, move)
        instance.restore(state)
        instance.drop(state)


if __name__ == "__main__":
    for line in sys.stdin:
        continue_elsewhere(*json.loads(line))
