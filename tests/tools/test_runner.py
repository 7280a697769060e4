"""Records through the C runner: in one call the numbers of a host that makes the calls one by
one."""

import numpy as np
import pytest
from fmpy import read_model_description
from fmpy.fmi2 import FMU2Slave

from fmus import need_all_fmus
from fmi2 import FmiError
from c_host import natural_record

import bristle
from bristle.identify.fit.candidates import candidate

need_all_fmus()


def by_fmpy(fmu, time, inputs, parameters, outputs, linear):
    """Makes the runner's calls: moving inputs stay at their final values."""
    about = read_model_description(fmu.path)
    reference = {one.name: one.valueReference for one in about.modelVariables}
    slave = FMU2Slave(
        guid=about.guid,
        unzipDirectory=fmu.folder,
        modelIdentifier=about.coSimulation.modelIdentifier,
        instanceName="fmpy",
    )
    slave.instantiate()
    slave.setReal([reference[name] for name in parameters], list(parameters.values()))
    signals = [reference[name] for name in inputs]
    rows = np.stack(list(inputs.values()), axis=1)
    slave.setReal(signals, rows[0].tolist())
    slave.setupExperiment(startTime=time[0])
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    results, held = [], rows[0]
    for i in range(len(time)):
        results.append(slave.getReal([reference[name] for name in outputs]))
        if i + 1 == len(time):
            break
        length = time[i + 1] - time[i]
        moves = linear and length > 0
        if moves:
            rates = (rows[i + 1] - held) / length
            slave.setRealInputDerivatives(signals, [1] * len(signals), rates.tolist())
        if length > 0:
            slave.doStep(time[i], length)
        held = held + length * rates if moves else rows[i + 1]
        if not moves:
            slave.setReal(signals, held.tolist())
    slave.terminate()
    slave.freeInstance()
    return dict(zip(outputs, np.array(results).T))


@pytest.mark.parametrize("interpolate", ["linear", "hold"])
def test_a_record_gives_the_numbers_of_fmpy_bit_for_bit(fmu, interpolate):
    time, inputs = natural_record(fmu)
    parameters = {v.name: v.start for v in fmu.description.real_parameters[:3]}
    outputs = [v.name for v in fmu.description.outputs + fmu.description.states]
    ours = bristle.run(fmu.name, time, inputs, parameters, outputs, interpolate)
    theirs = by_fmpy(fmu, time, inputs, parameters, outputs, interpolate == "linear")
    assert any(np.ptp(column) > 0 for column in ours.values())
    for name in outputs:
        assert np.array_equal(ours[name], theirs[name]), name


@pytest.mark.fmus(
    lambda d: (
        d.takes("normalForce", "relativeVelocity") and d.has("staticFriction", "dynamicFriction")
    )
)
def test_many_sets_in_parallel_are_the_single_runs(fmu):
    time, inputs = natural_record(fmu)
    start = fmu.description["staticFriction"].start
    sets = [{"staticFriction": start * factor} for factor in (1, 1.1, 1.3, 1.5, 2)]
    many = bristle.run_many(fmu.name, time, inputs, sets, ["frictionForce"], workers=3)[
        "frictionForce"
    ]
    assert many.shape == (5, len(time))
    none = bristle.run_many(fmu.name, time, inputs, [], ["frictionForce"])["frictionForce"]
    assert none.shape == (0, len(time))
    for row, one in zip(many, sets):
        assert np.array_equal(row, bristle.run(fmu.name, time, inputs, one)["frictionForce"])


@pytest.mark.fmus(lambda d: d.has("staticFriction", "dynamicFriction") and d.takes("normalForce"))
def test_a_set_that_breaks_a_rule_is_reported_in_the_words_of_the_fmu_or_left_out(fmu):
    time, inputs = natural_record(fmu, 10)
    bad = {"staticFriction": 0.01, "dynamicFriction": 0.3}
    with fmu.co_simulation() as instance:
        with pytest.raises(FmiError):
            instance.initialize(bad)
        sentence = instance.messages[-1].text
    with pytest.raises(bristle.BristleError) as raised:
        bristle.run(fmu.name, time, inputs, bad)
    assert str(raised.value) == f"{fmu.name}: {sentence}"
    many = bristle.run_many(fmu.name, time, inputs, [{}, bad], ["frictionForce"], failed="nan")[
        "frictionForce"
    ]
    assert np.isfinite(many[0]).all() and np.isnan(many[1]).all()


@pytest.mark.fmus(lambda d: d.name == "LuGre")
def test_a_run_that_takes_too_long_is_given_up(fmu):
    """No time is measured: a nanosecond is too short for any run, an hour is long enough."""
    time, inputs = natural_record(fmu)
    for seconds, made in ((1e-9, False), (3600.0, True), (None, True)):
        found = bristle.run_many(
            fmu.name, time, inputs, [{}, {}], ["frictionForce"], failed="nan", seconds=seconds
        )["frictionForce"]
        assert np.isfinite(found).all() == made and np.isnan(found).all() != made
    with pytest.raises(bristle.BristleError, match="LuGre: The run takes too long, at "):
        bristle.run_many(fmu.name, time, inputs, [{}], seconds=1e-9)


@pytest.mark.fmus(lambda d: d.takes("relativeVelocity", "normalForce"))
def test_points_are_evaluated_each_by_itself_with_exact_slopes(fmu):
    d = fmu.description
    speeds = [0.3, -0.02, 0.3]
    name = d.tunable_parameters[0].name
    found = bristle.evaluate(
        fmu.name,
        {"relativeVelocity": speeds, "normalForce": 20.0},
        ["frictionForce"],
        slopes=["normalForce", name],
    )
    assert found["frictionForce"][0] == found["frictionForce"][2], "no point remembers another"
    for i, speed in enumerate(speeds[:2]):
        with fmu.model_exchange() as instance:
            instance.set({"relativeVelocity": speed, "normalForce": 20.0})
            instance.demand("fmi2EnterInitializationMode")
            force = [d["frictionForce"].reference]
            for known in ("normalForce", name):
                assert (
                    found["frictionForce", known][i]
                    == instance.slopes(force, [d[known].reference], [1.0])[0]
                )
            assert found["frictionForce"][i] == instance.get_reals(force)[0]


def slopes_that_are_missed(name, time, inputs, parameters, interpolate, tolerance=None):
    """Returns by parameter the relative difference between the slopes of a run and central
    differences of whole runs; zero if both are negligible."""
    about = bristle.describe(name)
    names = [one.name for one in candidate(name).parameters if not one.is_extra]
    found = bristle.run(
        name, time, inputs, parameters, ["frictionForce"], interpolate, tolerance, slopes=names
    )
    # the run itself takes more steps with slopes than without, each to the FMU's tolerance
    plain = bristle.run(name, time, inputs, parameters, ["frictionForce"], interpolate, tolerance)[
        "frictionForce"
    ]
    np.testing.assert_allclose(found["frictionForce"], plain, atol=1e-4)
    missed = {}
    for one in names:
        value = parameters.get(one, about[one].start)
        # with 1e-4 one sample of BlimanSorine has the limit of a deflection between both runs; with
        # less, errors of the runs show in Gonthier
        step = (1e-5 if name == "BlimanSorine" else 1e-4) * (abs(value) or 1.0)
        sides = (
            [value, value + 2 * step]
            if value - step < (about[one].min or 0)
            else [value - step, value + step]
        )
        sets = [parameters | {one: side} for side in sides]
        runs = bristle.run_many(name, time, inputs, sets, ["frictionForce"], interpolate, 1e-10)[
            "frictionForce"
        ]
        differences = (runs[1] - runs[0]) / (2 * step)
        missing = np.linalg.norm(found["frictionForce", one] - differences)
        matters = np.linalg.norm(differences) + 1e-3 * np.linalg.norm(plain) / (abs(value) or 1.0)
        missed[one] = missing / matters
    return missed


@pytest.mark.fmus(lambda d: d.takes("relativeVelocity", "normalForce"))
def test_slopes_of_a_run_are_those_of_whole_runs(fmu):
    """To the tolerance of the sensitivities, 1e-3 per step; SecondOrderBristle has a root with
    infinite slope at the static limit, and ImplicitBristle is damped so much that it has none: with
    one, a slow motion alternates between stick and slip, and neighbouring runs diverge.
    """
    allowed = 5e-3 if fmu.name == "SecondOrderBristle" else 1e-3
    parameters = {"bristleDamping": 1500.0} if fmu.name == "ImplicitBristle" else {}
    time = np.linspace(0, 0.4, 401)
    inputs = {
        "relativeVelocity": 0.02 * np.sin(20 * time) + 0.005 * np.sin(50 * time),
        "normalForce": 20 + 3 * np.sin(15 * time),
    }
    missed = slopes_that_are_missed(fmu.name, time, inputs, parameters, "linear")
    assert max(missed.values()) <= allowed, missed


@pytest.mark.parametrize("interpolate", ["linear", "hold"])
@pytest.mark.fmus(lambda d: d.takes("relativeVelocity", "normalForce") and d.states and d.modes)
def test_slopes_hold_over_stick_slip_lift_off_and_touch_down(fmu, interpolate):
    """With states and modes, each of these events makes the sensitivities jump. At the folds of
    ImplicitBristle slopes are unbounded."""
    allowed = 5e-3 if fmu.name == "ImplicitBristle" else 1e-3
    time = np.linspace(0, 0.5, 251)
    inputs = {
        "relativeVelocity": 0.05 * np.sin(19 * time),
        "normalForce": 10 + 14 * np.cos(12.5 * time),
    }
    missed = slopes_that_are_missed(fmu.name, time, inputs, {}, interpolate, 1e-7)
    assert max(missed.values()) <= allowed, missed


@pytest.mark.parametrize("name", ["Dahl", "LuGre"])
def test_slopes_hold_over_the_end_of_a_contact_at_rest(name):
    """A deflection remains from a larger normal force: towards separation its rate grows without
    bound, as in the first second of the tribometer's record."""
    time = np.linspace(0, 1.5, 121)
    rests = time < 0.8
    inputs = {
        "relativeVelocity": np.where(rests, -1e-15, 0.01 * np.sin(30 * (time - 0.8))),
        "normalForce": np.where(rests, 1e-3 * (0.51 - time), 10 * (time - 0.8)),
    }
    given = {"law": "Bounded", "bristleDeflectionStart": -1e-4}
    missed = slopes_that_are_missed(name, time, inputs, given, "linear", 1e-7)
    assert max(missed.values()) <= 1e-3, missed


def test_slopes_of_initial_values_hold_over_events():
    """A deflection at the start has no effect once the surfaces stick anew."""
    time = np.linspace(0, 0.5, 251)
    inputs = {"relativeVelocity": 0.05 * np.sin(19 * time) * (time > 0.02), "normalForce": 20.0}
    name = "stictionDeflectionStart"
    found = bristle.run(
        "AdamsStickSlip", time, inputs, {name: 5e-6}, ["frictionForce"], slopes=[name]
    )["frictionForce", name]
    runs = bristle.run_many(
        "AdamsStickSlip",
        time,
        inputs,
        [{name: 5e-6 - 1e-9}, {name: 5e-6 + 1e-9}],
        ["frictionForce"],
        tolerance=1e-10,
    )["frictionForce"]
    differences = (runs[1] - runs[0]) / 2e-9
    np.testing.assert_allclose(found, differences, atol=1e-3 * np.abs(differences).max())
    assert found[5] > 0 and not found[-100:].any()


def test_vectors_go_by_name():
    """The same for inputs and outputs: a vector has one name and a column per element, also among
    all outputs, and so have its slopes; an element has its name in the FMU."""
    time = np.linspace(0, 0.01, 5)
    velocity = np.stack([np.full(5, 0.1), np.linspace(0, 0.2, 5), np.zeros(5)], axis=1)
    by_parts = {f"relativeVelocity[{i + 1}]": velocity[:, i] for i in range(3)}
    runs = [
        bristle.run("ProjectedLuGre", time, inputs, outputs=outputs)
        for inputs in ({"relativeVelocity": velocity}, by_parts)
        for outputs in (None, "frictionForce", ["frictionForce"])
    ]
    assert all(np.array_equal(run["frictionForce"], runs[0]["frictionForce"]) for run in runs)
    assert runs[0]["frictionForce"].shape == (5, 3) and not any("[" in name for name in runs[0])
    part = bristle.run("ProjectedLuGre", time, by_parts, outputs="frictionForce[2]")
    assert np.array_equal(part["frictionForce[2]"], runs[0]["frictionForce"][:, 1])
    slopes = bristle.run("ProjectedLuGre", time, by_parts, slopes="bristleStiffness")
    single = bristle.run(
        "ProjectedLuGre", time, by_parts, outputs="frictionForce[2]", slopes=["bristleStiffness"]
    )
    assert np.array_equal(
        slopes["frictionForce", "bristleStiffness"][:, 1],
        single["frictionForce[2]", "bristleStiffness"],
    )


@pytest.mark.parametrize(
    "call, sentence",
    [
        (
            lambda: bristle.run(3, [0], {}),
            "a model is given by its name or the path of an FMU, not by 3.",
        ),
        (
            lambda: bristle.run("LuGre", [0], [1]),
            "inputs must be a dictionary of names and values, not list.",
        ),
        (
            lambda: bristle.run("LuGre", [0], {}, "staticFriction"),
            "parameters must be a dictionary of names and values, not str.",
        ),
        (
            lambda: bristle.run("LuGre", [0], {}, outputs=3),
            "outputs must be a name or a list of names, not 3.",
        ),
        (lambda: bristle.run("LuGre", None, {}), "time must be a number or numbers, not None."),
        (
            lambda: bristle.run("LuGre", [0], {"normalForce": None}),
            "normalForce must be a number or numbers, not None.",
        ),
        (
            lambda: bristle.run("LuGre", [0], {"normalForce": [True]}),
            "normalForce must be a number or numbers, not [True].",
        ),
        (
            lambda: bristle.run_many("LuGre", [0], {}, {"staticFriction": 0.5}),
            "parameters must be a list of dictionaries, not dict.",
        ),
        (
            lambda: bristle.evaluate("LuGre", {1: 2}),
            "values must have names as keys, not 1.",
        ),
        (
            lambda: bristle.stamp("LuGre", {}, 3, "x.fmu"),
            "the name of an element is a string, not 3.",
        ),
    ],
)
def test_a_wrong_type_is_reported_in_one_sentence(call, sentence):
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == sentence


GOOD = {"relativeVelocity": [0.0, 0.1, 0.2]}


@pytest.mark.parametrize(
    "call, sentence",
    [
        (
            lambda: bristle.run("LuGree", [0, 1], {}),
            "there is no model LuGree (did you mean LuGre?); bristle list shows all.",
        ),
        (lambda: bristle.run("nowhere.fmu", [0, 1], {}), "nowhere.fmu: there is no such file."),
        (
            lambda: bristle.run("LuGre", [0, 2, 1], GOOD),
            "time goes back from 2 s to 1 s at sample 2.",
        ),
        (lambda: bristle.run("LuGre", [], {}), "time must be a list of at least one number."),
        (
            lambda: bristle.run("LuGre", [0, float("nan")], {}),
            "time must be finite, not nan at sample 1.",
        ),
        (lambda: bristle.run("LuGre", ["a", 1], {}), "time must be numbers."),
        (
            lambda: bristle.run("LuGre", [0, 1], GOOD),
            "LuGre: relativeVelocity has 3 values, but there are 2 samples.",
        ),
        (
            lambda: bristle.run("LuGre", [0, 1], {"relativeVelocity": [1, float("inf")]}),
            "relativeVelocity must be finite, not inf at sample 1.",
        ),
        (lambda: bristle.run("LuGre", [0, 1], {"speed": 1}), "LuGre has no variable speed."),
        (
            lambda: bristle.run("LuGre", [0, 1], {"staticFriction": 1}),
            "LuGre: staticFriction is not an input; these are normalForce, relativeVelocity.",
        ),
        (
            lambda: bristle.run(
                "ProjectedLuGre", [0], {"relativeVelocity": [0, 0, 1], "relativeVelocity[1]": 0}
            ),
            "ProjectedLuGre: relativeVelocity[1] is given twice.",
        ),
        (
            lambda: bristle.run("LuGre", [0, 1], {}, {"normalForce": 1}),
            "LuGre: normalForce is not a parameter.",
        ),
        (
            lambda: bristle.run("LuGre", [0, 1], {}, {"statcFriction": 1}),
            "LuGre has no variable statcFriction (did you mean staticFriction?).",
        ),
        (
            lambda: bristle.run("LuGre", [0, 1], {}, {"staticFriction": "much"}),
            "staticFriction = much must be a number.",
        ),
        (
            lambda: bristle.run("LuGre", [0, 1], {}, outputs=["colour"]),
            "LuGre has no variable colour.",
        ),
        (
            lambda: bristle.run("LuGre", [0, 1], {}, interpolate="cubic"),
            "interpolate = \"cubic\" must be 'linear' or 'hold'.",
        ),
        (
            lambda: bristle.run("LuGre", [0, 1], {}, slopes=["normalForce"]),
            "LuGre: normalForce is not a real parameter.",
        ),
        (
            lambda: bristle.run("LuGre", [0, 1], {}, tolerance=0),
            "the tolerance 0 must be greater than 0.",
        ),
        (
            lambda: bristle.evaluate(
                "LuGre", {"relativeVelocity": [1, 2], "normalForce": [1, 2, 3]}
            ),
            "LuGre: there are 2 values of relativeVelocity, 3 values of normalForce.",
        ),
        (
            lambda: bristle.evaluate("LuGre", {"dynamicFriction": [0.1, 9]}),
            "LuGre: dynamicFriction = 9 must be at most staticFriction = 0.6, at point 1.",
        ),
    ],
)
def test_wrong_values_are_reported_in_one_sentence(call, sentence):
    with pytest.raises(bristle.BristleError) as raised:
        call()
    assert str(raised.value) == sentence


def test_a_machine_without_libraries_is_named(monkeypatch):
    from bristle import native

    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(bristle.BristleError, match="this is linux on aarch64: neither FMUs nor"):
        native.beside_the_fmus("runner")
