"""Calls at the edge of what is allowed: no variables, all at once, null pointers, NaN."""

import itertools
from ctypes import byref, c_char_p, c_double, c_size_t, c_void_p, cast, create_string_buffer

import pytest

from fmi2 import DISCARD, ERROR, OK, integers, reals
from fmus import FMUS
from operating_points import Sampler


def test_rates_of_all_inputs_at_once_are_those_of_each(fmu):
    d = fmu.description
    references, rates = (
        [v.reference for v in d.inputs],
        [1e-3 * (1 + i) for i in range(len(d.inputs))],
    )
    ends = []
    for at_once in (True, False):
        with fmu.co_simulation() as instance:
            Sampler(d, "rates").start(instance)
            if at_once:
                instance.demand(
                    "fmi2SetRealInputDerivatives",
                    instance.reference_array(references),
                    len(rates),
                    integers([1] * len(rates)),
                    reals(rates),
                )
            else:
                for v, rate in zip(d.inputs, rates):
                    instance.set_input_derivative(v.name, rate)
            instance.step(1e-3)
            ends.append([instance.get(v.name) for v in d.states + d.outputs])
    assert ends[0] == ends[1]


def test_rates_of_all_inputs_are_refused_as_those_of_one(fmu):
    """Nothing is set if one of them is invalid: a second derivative, or NaN."""
    references = [v.reference for v in fmu.description.inputs]
    count = len(references)
    with fmu.in_co_simulation() as instance:
        for orders, rates, status in (
            ([1] * (count - 1) + [2], [1.0] * count, ERROR),
            ([1] * count, [1.0] * (count - 1) + [float("inf")], DISCARD),
        ):
            given = instance.reference_array(references), count, integers(orders), reals(rates)
            assert instance.fmi2SetRealInputDerivatives(*given) == status
        found, beyond = (c_double * 1)(), instance.reference_array([len(fmu.description.variables)])
        assert instance.fmi2GetRealOutputDerivatives(None, 0, None, None) == OK, (
            "nothing was asked for"
        )
        assert instance.fmi2GetRealOutputDerivatives(beyond, 1, integers([1]), found) == ERROR
        assert instance.fmi2SetInteger(None, 0, None) == OK


def test_a_category_that_is_no_text_is_refused(fmu, kind):
    with fmu.instance(kind) as instance:
        for name, shown in ((None, "(null)"), (b"nonsense", "nonsense")):
            categories = (c_char_p * 1)(name)
            assert instance.fmi2SetDebugLogging(1, 1, cast(categories, c_void_p)) == ERROR
            assert instance.messages[-1].text == f"There is no log category {shown}."


@pytest.mark.parametrize("tolerance", [float("inf"), float("nan"), -1.0])
def test_an_invalid_tolerance_is_refused(fmu, kind, tolerance):
    with fmu.instance(kind) as instance:
        assert instance.fmi2SetupExperiment(1, tolerance, 0.0, 0, 0.0) == ERROR
        assert instance.messages[-1].text == f"The tolerance {tolerance:g} must be greater than 0."


def test_arrays_of_length_zero_are_accepted(fmu):
    """By a model without states or indicators, with a pointer or without; others refuse them."""
    with fmu.model_exchange() as instance:
        for started in (False, True):
            if started:
                instance.start()
            for function, count in (
                ("Nominals", len(fmu.description.states)),
                ("indicators", fmu.description.indicators),
            ):
                call = (
                    instance.fmi2GetNominalsOfContinuousStates
                    if function == "Nominals"
                    else instance.fmi2GetEventIndicators
                )
                assert (call(None, 0) == OK) == (count == 0)
                assert call((c_double * max(count, 1))(), count) == OK


@pytest.mark.skipif(len(FMUS) < 2, reason="takes two models")
def test_a_state_of_another_model_is_refused(fmu, kind):
    other = FMUS[FMUS.index(fmu) - 1]
    with fmu.instance(kind) as instance, other.instance(kind) as stranger:
        instance.start()
        stranger.start()
        state = stranger.save()
        assert instance.fmi2SetFMUstate(state) == ERROR
        assert instance.messages[-1].text == f"The stored state does not belong to this {fmu.name}."
        stranger.drop(state)


@pytest.mark.fmus(lambda d: d.takes("normalForce", "relativeVelocity"))
def test_a_step_that_cannot_be_halved_ends(fmu):
    """In steps too short to be divided in floating point, an event is at their end."""
    for length, sign in itertools.product((1e-310, 1e-320), (1, -1)):
        with fmu.in_co_simulation({"normalForce": sign * 1e-13}) as instance:
            instance.set_input_derivative("normalForce", -sign * 2e-13 / 1e-310)
            assert instance.fmi2DoStep(0.0, length, 1) in (OK, DISCARD)


@pytest.mark.fmus(lambda d: d.takes("relativeVelocity", "normalForce"))
def test_a_step_that_fails_leaves_nothing_behind(fmu):
    """If new inputs overflow before a value was read, or moving inputs after it, the run continues
    as if it never had them."""
    with fmu.co_simulation() as one, fmu.co_simulation() as other:
        film = {"viscousDamping": 10.0} if "viscousDamping" in fmu.description else {}
        for instance in (one, other):
            instance.start({"normalForce": 20.0, "relativeVelocity": 1e-3, **film})
            instance.step(1e-3)
        for moving in (False, True):
            if moving:
                one.get("frictionForce")
                one.set_input_derivative("relativeVelocity", 1.7e308)
            else:
                one.set({"normalForce": 1.7e308, "relativeVelocity": 1.7e308})
            assert one.fmi2DoStep(one.time, 0.9, 1) == DISCARD
            if moving:
                for output in fmu.description.outputs:
                    assert one.get(output.name) == other.get(output.name)
                one.set_input_derivative("relativeVelocity", 0.0)
            for instance in (one, other):
                instance.set({"normalForce": 25.0, "relativeVelocity": 2e-3})
                instance.step(1e-3)
            assert one.snapshot() == other.snapshot()


def test_a_state_of_the_other_kind_is_not_written(fmu):
    with fmu.model_exchange() as instance, fmu.co_simulation() as other:
        instance.start()
        other.start()
        state, size = instance.save(), c_size_t()
        instance.demand("fmi2SerializedFMUstateSize", state, byref(size))
        content = create_string_buffer(size.value)
        assert other.fmi2SerializeFMUstate(state, content, size.value) == ERROR
        assert "belongs to a model exchange instance" in other.messages[-1].text
        instance.drop(state)


@pytest.mark.fmus(lambda d: d.states)
def test_a_state_that_is_set_by_itself_is_reported_only_on_request(fmu):
    name = fmu.description.states[0].name
    for categories in ((), (b"logStatusWarning",)):
        with fmu.model_exchange() as instance:
            array = (c_char_p * len(categories))(*categories)
            instance.demand("fmi2SetDebugLogging", int(bool(categories)), len(categories), array)
            instance.start()
            instance.set({name: 2 * instance.get(name)})
            reported = [
                message.text for message in instance.messages if "was set by" in message.text
            ]
            assert reported == [
                f"The state {name} was set by fmi2SetReal; the new value is used."
            ] * (len(categories))


@pytest.mark.fmus(lambda d: d.name == "LuGre")
def test_output_derivatives_that_overflow_are_refused(fmu):
    """The slope of the force, 395 N.s/m, times a rate near the largest number; in a step of length
    zero the input stays."""
    with fmu.in_co_simulation({"relativeVelocity": 1e-3, "normalForce": 20.0}) as instance:
        instance.set_input_derivative("relativeVelocity", 1.7e308)
        instance.step(0.0)
        force = instance.reference_array([fmu.description["frictionForce"].reference])
        value = reals([0.0])
        assert instance.fmi2GetRealOutputDerivatives(force, 1, integers([1]), value) == DISCARD
        assert "a directional derivative is not finite" in instance.messages[-1].text
