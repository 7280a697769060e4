"""Directional derivatives and dependencies compared with differences of the compiled model, in
every mode."""

import math
import random

import pytest

from fmi2 import DISCARD, ERROR, OK, FmiError, integers, reals
from operating_points import Sampler

SETS, STEPS = 12, 30  # 360 random points per FMU


def unknowns_of(description):
    return description.derivatives + description.outputs


def mode_key(instance):
    return tuple(sorted(instance.modes().items()))


class Probe:
    """Sets and gets a list of knowns and unknowns of an instance."""

    def __init__(self, instance, unknowns, knowns):
        self.instance = instance
        self.unknowns = [v.reference for v in unknowns]
        self.units = [v.unit for v in unknowns]
        self.knowns = knowns
        self.numbers = [v.reference for v in knowns]
        self.states = {v.name: i for i, v in enumerate(instance.description.states)}

    def values(self):
        return self.instance.get_reals(self.unknowns)

    def point(self):
        return self.instance.get_reals(self.numbers)

    def put(self, known, value):
        if known.name in self.states:
            states = self.instance.states
            states[self.states[known.name]] = value
            self.instance.states = states
        else:
            self.instance.set_reals([known.reference], [value])

    def samples(self, known, at, step):
        """Returns the unknowns at -2, -1, 1 and 2 steps from the point."""
        found = []
        for k in (-2, -1, 1, 2):
            self.put(known, at + k * step)
            found.append(self.values())
        self.put(known, at)
        return found


def central(samples, step):
    """Returns the central difference of fourth order."""
    return [(a - 8 * b + 8 * c - d) / (12 * step) for a, b, c, d in zip(*samples)]


def bend(samples, values, step):
    """Returns the slope to the right minus that to the left: it halves with the step if the unknown
    is smooth, and stays at a kink."""
    return [
        (right - 2 * value + left) / step
        for (_, left, right, _), value in zip(zip(*samples), values)
    ]


def largest_contribution(probe, i, value, parts, point):
    """Returns the largest contribution to an unknown: itself, its slopes times the knowns, and
    knowns of its own unit, of which it may be the difference."""
    alike = [at for known, at in zip(probe.knowns, point) if known.unit == probe.units[i]]
    return max(map(abs, [value, *parts, *alike]))


def compare(probe, scales, check):
    """Compares every partial derivative at one point; `check` gets (unknown, known, exact,
    difference, allowed, sharp)."""
    values, point = probe.values(), probe.point()
    exact = [
        probe.instance.slopes(probe.unknowns, [known.reference], [1.0]) for known in probe.knowns
    ]
    # terms that cancel inside an unknown are about as large as its largest contribution at most
    inner = [
        largest_contribution(probe, i, value, [row[i] * at for row, at in zip(exact, point)], point)
        for i, value in enumerate(values)
    ]
    for known, at, row, scale in zip(probe.knowns, point, exact, scales):
        step = 1e-3 * (abs(at) or scale)
        coarse, fine = probe.samples(known, at, step), probe.samples(known, at, step / 2)
        differences = zip(
            row,
            central(coarse, step),
            central(fine, step / 2),
            bend(coarse, values, step),
            bend(fine, values, step / 2),
        )
        for i, (slope, one, two, bent, less_bent) in enumerate(differences):
            allowed = (
                1e-7 * abs(two)
                + 4 * abs(one - two)
                + abs(bent - 2 * less_bent)
                + 3e-14 * inner[i] / step
            )
            sharp = allowed <= 1e-3 * abs(two) or allowed * (abs(at) or scale) <= 1e-6 * inner[i]
            check(i, known, slope, two, allowed, sharp)
    return exact


class Tally:
    """Collects comparisons: all must hold, and nearly all must be sharp (a kink near the point
    blurs a difference)."""

    def __init__(self):
        self.sharp = self.total = 0

    def __call__(self, unknown, known, slope, difference, allowed, sharp):
        assert math.isfinite(slope)
        assert abs(slope - difference) <= allowed, (
            f"unknown {unknown} along {known}: {slope} but differences say {difference} ± {allowed}"
        )
        self.total += 1
        self.sharp += sharp

    def verdict(self):
        assert self.sharp >= 0.95 * self.total, (
            f"only {self.sharp} of {self.total} comparisons are sharp"
        )


def test_slopes_of_derivatives_and_outputs_in_every_mode(fmu):
    d = fmu.description
    sampler, tally, seen = Sampler(d, "slopes"), Tally(), {}
    knowns = d.inputs + d.states
    for instance, parameters in sampler.points(fmu, SETS, STEPS):
        probe = Probe(instance, unknowns_of(d), knowns)
        scales = [min(sampler.sizes(known, parameters)) for known in knowns]
        compare(probe, scales, tally)
        for mode, item in instance.modes().items():
            seen.setdefault(mode, set()).add(item)
    tally.verdict()
    for mode in d.modes:
        assert seen[mode.name] == set(d.items[mode.attributes["declaredType"]]), (
            f"no point was in some item of {mode.name}"
        )


def test_slopes_along_parameters_in_initialization_mode(fmu):
    """Before the start, parameters and start values are the knowns."""
    d = fmu.description
    sampler, tally = Sampler(d, "initial"), Tally()
    knowns = d.inputs + d.real_parameters
    unknowns = d.states + unknowns_of(d)
    with fmu.model_exchange() as instance:
        for _ in range(40):
            sampler.start(instance)  # a set that keeps the rules, as do its neighbours
            parameters = {v.name: instance.get(v.name) for v in d.parameters}
            instance.demand("fmi2Reset")
            instance.demand("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
            instance.set({**parameters, **sampler.inputs(parameters)})
            instance.demand("fmi2EnterInitializationMode")
            probe = Probe(instance, unknowns, knowns)
            probe.states = {}
            scales = [min(sampler.sizes(known, parameters)) for known in knowns]

            def check(unknown, known, slope, difference, allowed, sharp):
                if known.min == parameters.get(known.name) or known.max == parameters.get(
                    known.name
                ):
                    return  # at the edge of its range a parameter has no neighbour on one side
                tally(unknown, known, slope, difference, allowed, sharp)

            compare(probe, scales, check)
            instance.demand("fmi2Reset")
    tally.verdict()


def test_slopes_combine_linearly(fmu):
    d = fmu.description
    sampler = Sampler(d, "linear")
    knowns = [v.reference for v in d.inputs + d.states]
    unknowns = [v.reference for v in unknowns_of(d)]
    draw = random.Random(1)
    for instance, _ in sampler.points(fmu, 6, 10):
        probe = Probe(instance, unknowns_of(d), d.inputs + d.states)
        rows = [instance.slopes(unknowns, [known], [1.0]) for known in knowns]
        point, values = instance.get_reals(knowns), instance.get_reals(unknowns)
        seed = [at * draw.uniform(-2, 2) for at in point]
        together = instance.slopes(unknowns, knowns, seed)
        for i, value in enumerate(together):
            parts = [s * row[i] for s, row in zip(seed, rows)]
            rounding = 1e-12 * largest_contribution(probe, i, values[i], parts, point)
            assert value == pytest.approx(sum(parts), rel=1e-12, abs=rounding)
            assert instance.slopes([unknowns[i]], knowns[::-1], seed[::-1])[0] == pytest.approx(
                value, rel=1e-12, abs=rounding
            )


def test_a_known_that_is_named_twice_counts_twice(fmu):
    d = fmu.description
    sampler = Sampler(d, "twice")
    unknowns, sharp = [v.reference for v in unknowns_of(d)], 0
    for instance, _ in sampler.points(fmu, 3, 4):
        for known in d.inputs + d.states:
            once = instance.slopes(unknowns, [known.reference], [3.0])
            assert instance.slopes(unknowns, [known.reference] * 2, [1.0, 2.0]) == pytest.approx(
                once, rel=1e-12
            )
            sharp += any(once)
    assert sharp


def test_asking_for_slopes_changes_nothing(fmu, kind):
    d = fmu.description
    with fmu.instance(kind) as instance:
        sampler = Sampler(d, "pure")
        parameters = sampler.start(instance)
        instance.set(sampler.inputs(parameters))
        before = instance.snapshot()
        instance.slopes(
            [v.reference for v in unknowns_of(d)],
            [v.reference for v in d.inputs],
            [1.0] * len(d.inputs),
        )
        assert instance.snapshot() == before


def test_both_kinds_give_the_same_slopes(fmu):
    d = fmu.description
    unknowns = [v.reference for v in unknowns_of(d)]
    sampler = Sampler(d, "kinds")
    with fmu.model_exchange() as one, fmu.co_simulation() as two:
        parameters = sampler.start(one)
        inputs = sampler.inputs(parameters)
        one.demand("fmi2Reset")
        one.start({**parameters, **inputs})
        two.start({**parameters, **inputs})
        for known in d.inputs:
            assert one.slopes(unknowns, [known.reference], [1.0]) == two.slopes(
                unknowns, [known.reference], [1.0]
            )


@pytest.mark.fmus(lambda d: d.takes("relativeVelocity") and not d.states and not d.modes)
def test_a_curve_rises_at_a_negative_zero_as_at_zero(fmu):
    """A host that negates a velocity of zero sets -0.0."""
    force, velocity = (
        fmu.description[name].reference for name in ("frictionForce", "relativeVelocity")
    )
    for instance, _ in Sampler(fmu.description, "zero").points(fmu, 10, 1):
        slopes = []
        for zero in (0.0, -0.0):
            instance.set({"relativeVelocity": zero})
            slopes += instance.slopes([force], [velocity], [1.0])
        assert slopes[0] == slopes[1]


@pytest.mark.parametrize("place", ["unknown", "known"])
def test_slopes_of_what_does_not_exist_are_an_error(fmu, kind, place):
    d = fmu.description
    wrong = max(v.reference for v in d.variables) + 1
    with fmu.started(kind) as instance:
        unknown, known = (
            (wrong, d.inputs[0].reference)
            if place == "unknown"
            else (d.outputs[0].reference, wrong)
        )
        before, result = instance.snapshot(), reals([7.0])
        status = instance.fmi2GetDirectionalDerivative(
            instance.reference_array([unknown]),
            1,
            instance.reference_array([known]),
            1,
            reals([1.0]),
            result,
        )
        assert status == ERROR and result[0] == 7.0
        assert str(wrong) in instance.messages[-1].text
        assert instance.snapshot() == before


def test_slopes_are_of_unknowns_along_knowns(fmu, kind):
    """Unknowns are derivatives and outputs, knowns are inputs and parameters. States are knowns in
    the run; during initialization they are unknowns, because they follow from parameters.
    Everything else is refused, by name."""
    d = fmu.description
    known, unknown = d.inputs[0], d.outputs[0]
    with fmu.instance(kind) as instance:
        instance.demand("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
        instance.demand("fmi2EnterInitializationMode")
        for running in (False, True):
            knowns = d.inputs + d.real_parameters + (d.states if running else [])
            unknowns = d.derivatives + d.outputs + ([] if running else d.states)
            for v in d.inputs + d.real_parameters + d.states + d.derivatives + d.outputs:
                for of, along, possible in ((v, known, v in unknowns), (unknown, v, v in knowns)):
                    status = instance.fmi2GetDirectionalDerivative(
                        instance.reference_array([of.reference]),
                        1,
                        instance.reference_array([along.reference]),
                        1,
                        reals([1.0]),
                        reals([7.0]),
                    )
                    assert status == (OK if possible else ERROR), (running, of.name, along.name)
                    assert possible or v.name in instance.messages[-1].text
            if not running:
                instance.demand("fmi2ExitInitializationMode")


def test_slopes_that_are_not_finite_are_refused(fmu, kind):
    """Along a direction as large as a number can be, some overflow: never without a message."""
    d = fmu.description
    unknowns, refused = [v.reference for v in unknowns_of(d)], 0
    with fmu.instance(kind) as instance:
        instance.start(
            {
                v.name: 10.0 if v.unit == "m/s" else 1e-3
                for v in d.inputs
                if v.unit == "m/s" or v.name == "penetration"
            }
        )
        for known in d.inputs + d.states + d.real_parameters:
            result = reals([0.0] * len(unknowns))
            status = instance.fmi2GetDirectionalDerivative(
                instance.reference_array(unknowns),
                len(unknowns),
                instance.reference_array([known.reference]),
                1,
                reals([1.7e308]),
                result,
            )
            assert status == DISCARD or status == OK and all(map(math.isfinite, result)), known.name
            refused += status == DISCARD
    assert refused > 0


# dependencies


def perturbed(value, scale, draw):
    """Draws a value far or near, of either sign, or zero."""
    return draw.choice(
        [
            0.0,
            -value,
            value * 1.001,
            value * 3,
            value / 7,
            scale,
            -scale,
            scale * draw.uniform(-5, 5),
        ]
    )


def named_effects(listed, knowns):
    """Returns for every known the unknowns that depend on it according to the XML."""
    return {
        known.index: {unknown.index for unknown in listed if known.index in unknown.dependencies}
        for known in knowns
    }


def effects(fmu, knowns, unknowns, points, listed, at_least):
    """Returns for every known the set of unknowns (by index) that a change of it alone has changed.
    Tries at least the given number of points, and more if a listed effect, being rare, has not
    occurred.
    """
    d = fmu.description
    draw = random.Random(d.name)
    found = {known.index: set() for known in knowns}
    numbers = [v.reference for v in unknowns]
    named = named_effects(listed, knowns)
    for number, (instance, put, scales) in enumerate(points):
        if number >= at_least and all(named[index] <= found[index] for index in found):
            break
        base = instance.get_reals(numbers)
        for known in knowns:
            at = instance.get(known.name)
            for _ in range(2):
                try:
                    put(known, perturbed(at, scales[known.name], draw))
                    changed = instance.get_reals(numbers)
                except FmiError:
                    continue  # a change that breaks a rule has no effect
                finally:
                    put(known, at)
                for unknown, one, two in zip(unknowns, base, changed):
                    if one != two:
                        found[known.index].add(unknown.index)
    return found


def compare_with_xml(listed, found, knowns, variables):
    for unknown in listed:
        named = set(unknown.dependencies) & {v.index for v in knowns}
        real = {known for known, reached in found.items() if unknown.index in reached}
        name = variables[unknown.index - 1].name
        assert not real - named, (
            f"{name} depends on {[variables[i - 1].name for i in real - named]}, which the XML does"
            " not say"
        )
        assert not named - real, (
            f"{name} does not depend on {[variables[i - 1].name for i in named - real]}, which the"
            " XML says"
        )


def test_dependencies_are_minimal_and_true(fmu):
    d = fmu.description
    knowns = d.inputs + d.states
    sampler = Sampler(d, "dependencies")

    def points():
        for instance, parameters in sampler.points(fmu, 100, 20):
            probe = Probe(instance, [], knowns)
            yield instance, probe.put, {v.name: max(sampler.sizes(v, parameters)) for v in knowns}

    listed = [
        u
        for u in d.structure["Outputs"] + d.structure["Derivatives"]
        if d.variables[u.index - 1].type == "Real"
    ]
    for unknown in listed:
        assert set(unknown.dependencies) <= {v.index for v in knowns}, (
            "only inputs and states are knowns of a running model"
        )
    found = effects(fmu, knowns, unknowns_of(d), points(), listed, at_least=400)
    compare_with_xml(listed, found, knowns, d.variables)


@pytest.mark.endurance
def test_initial_dependencies_are_minimal_and_true(fmu):
    d = fmu.description
    knowns = d.inputs + d.parameters
    unknowns = d.states + unknowns_of(d)
    sampler = Sampler(d, "initial dependencies")

    def points():
        with fmu.model_exchange() as instance:
            for _ in range(1500):
                parameters = sampler.parameters()
                instance.demand("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
                instance.set({**parameters, **sampler.inputs(parameters)})
                instance.demand("fmi2EnterInitializationMode")
                if instance.fmi2ExitInitializationMode() != OK:
                    instance.demand("fmi2Reset")
                    continue
                instance.demand("fmi2Reset")
                instance.demand("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
                instance.set({**parameters, **sampler.inputs(parameters)})
                instance.demand("fmi2EnterInitializationMode")

                def put(known, value):
                    if known.type == "Integer":
                        whole = int(value)  # values within a range are tried one by one
                        value = (
                            whole if whole in known.values else sampler.random.choice(known.values)
                        )
                    instance.set({known.name: value})

                yield (
                    instance,
                    put,
                    {v.name: sampler.size(v) if v.type == "Real" else 1 for v in knowns},
                )
                instance.demand("fmi2Reset")

    listed = [u for u in d.structure["InitialUnknowns"] if d.variables[u.index - 1].type == "Real"]
    found = effects(fmu, knowns, unknowns, points(), listed, at_least=150)
    compare_with_xml(listed, found, knowns, d.variables)


def test_output_derivatives_follow_from_slopes(fmu):
    """In co-simulation an output's time derivative is its slope along the states' derivatives and
    the inputs' derivatives."""
    d = fmu.description
    outputs = [v.reference for v in d.outputs]
    sampler = Sampler(d, "output derivatives")
    with fmu.co_simulation() as instance:
        for _ in range(5):
            parameters = sampler.start(instance)
            for _ in range(10):
                instance.set(sampler.inputs(parameters))
                rates = {v.name: sampler.value(v, parameters) for v in d.inputs}
                for name, rate in rates.items():
                    instance.set_input_derivative(name, rate)
                instance.step(1e-4)
                seed = [rates[v.name] for v in d.inputs] + [
                    instance.get(v.name) for v in d.derivatives
                ]
                result = reals([0.0] * len(outputs))
                status = instance.fmi2GetRealOutputDerivatives(
                    instance.reference_array(outputs),
                    len(outputs),
                    integers([1] * len(outputs)),
                    result,
                )
                assert status == OK
                knowns = [v.reference for v in d.inputs + d.states]
                expected = instance.slopes(outputs, knowns, seed)
                assert list(result) == pytest.approx(
                    expected, rel=1e-12, abs=1e-14 * max(map(abs, expected))
                )
            instance.demand("fmi2Reset")
