"""Self-convergence: random records through an FMU in co-simulation, with long steps at a tolerance,
against the same records in short steps at a tight one.

What is off by more than MOST tolerances of the static limit is a finding. Two cases are no error of
the solver: a step that used up its substeps, as logged; and motions that amplify errors, such as
swings between stick and slip. The reference reveals these: with inputs wrong by one tolerance,
constantly or from part to part, or with other communication points, it changes by a MOST-th part of
the error or more.
"""

import random
from dataclasses import dataclass

from fmi2 import integers, reals
from operating_points import Sampler

TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
MOST = 100  # tolerances
TIGHT = 1e-11  # of the reference; substeps are not limited in any run
CUTS, OTHER_CUTS = 64, 50  # parts of a step of the reference; the two share only the middle point


@dataclass
class RandomRecord:
    values: dict  # parameters and the first inputs
    steps: list  # (size, inputs at its start, their rates)


@dataclass
class Result:
    forces: list  # after each step
    skipped: list  # whether substeps were used up by then


@dataclass
class Finding:
    """A force with an error of more than MOST tolerances, excused or not."""

    number: int
    tolerance: float
    step: int
    error: float  # in tolerances
    amplified: float  # change of the reference, in tolerances

    @property
    def excused(self):
        return self.error <= MOST * self.amplified


def has_memory(description):
    return bool(description.states or description.modes)


def is_fixed(variable):
    """Checks for a component of a direction, which must stay a unit vector."""
    return variable.base is not None and variable.unit in (None, "1")


def random_record(fmu, number, length=4):
    """Draws steps of 0.1 ms to 1 s with ramps (most) and held inputs that jump now and then, from
    random states and with random parameters."""
    d = fmu.description
    sampler = Sampler(d, f"record {number}")
    draw = sampler.random
    with fmu.co_simulation() as instance:
        parameters = sampler.start(instance)
        here = {v.name: instance.get(v.name) for v in d.inputs}
    values, steps = {**parameters, **here}, []
    for _ in range(length):
        size = 10 ** draw.uniform(-4, 0)
        if draw.random() < 0.2:
            jumped = sampler.inputs(parameters)
            here = {v.name: here[v.name] if is_fixed(v) else jumped[v.name] for v in d.inputs}
        target = sampler.inputs(parameters)
        kept = draw.random() < 0.5  # the normal force
        rates = {}
        for v in d.inputs:
            still = is_fixed(v) or (kept and v.name == "normalForce") or draw.random() < 0.15
            rates[v.name] = 0.0 if still else (target[v.name] - here[v.name]) / size
        steps.append((size, list(here.values()), list(rates.values())))
        here = {name: value + rates[name] * size for name, value in here.items()}
    return RandomRecord(values, steps)


def run(fmu, record, tolerance, cuts=1, factors=None, noise=0.0, library=None, substeps=None):
    """Runs a record, each step cut evenly, with inputs multiplied by factors, and by 1 plus or
    minus the noise from part to part; with another library of the FMU if one is given, and with as
    many substeps as can be allowed, or so many."""
    draw = random.Random(1)
    d = fmu.description
    forces = [v.reference for v in d.outputs if v.unit == "N"]
    inputs = [v.reference for v in d.inputs]
    factors = factors or [1.0] * len(inputs)
    result = Result([], [])
    with fmu.co_simulation(library=library) as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        begin = {v.name: f * record.values[v.name] for v, f in zip(d.inputs, factors)}
        begin["maximumSubsteps"] = substeps or int(d["maximumSubsteps"].max)
        instance.start(record.values | begin, tolerance=tolerance)
        numbers, orders = instance.reference_array(inputs), integers([1] * len(inputs))
        time = 0.0
        for size, here, rates in record.steps:
            for cut in range(cuts):
                part = cut / cuts * size
                off = 1 + draw.choice((-noise, noise))
                now = [
                    x + part * r if is_fixed(v) else f * off * (x + part * r)
                    for v, f, x, r in zip(d.inputs, factors, here, rates)
                ]
                moving = reals([f * r for f, r in zip(factors, rates)])
                instance.set_reals(inputs, now)
                instance.demand("fmi2SetRealInputDerivatives", numbers, len(inputs), orders, moving)
                instance.step(size / cuts, time=time + part)
            time += size
            result.forces.append(instance.get_reals(forces))
            result.skipped.append(any("maximumSubsteps" in m.text for m in instance.messages))
    return result


def at_once_and_in_parts(fmu, size, values, rates, tolerance=1e-6):
    """Returns the friction force after a step with moving inputs, taken as a whole and in CUTS
    parts."""
    inputs = fmu.description.inputs
    here = [values.get(v.name, v.start) for v in inputs]
    record = RandomRecord(
        values | {v.name: x for v, x in zip(inputs, here)},
        [(size, here, [rates.get(v.name, 0.0) for v in inputs])],
    )
    return [run(fmu, record, tolerance, cuts).forces[0][0] for cuts in (1, CUTS)]


def scale_of(fmu, record, right, step):
    """Returns the scale of the force in a step: the static limit under the larger normal force of
    its ends, or the force itself."""
    p, names = record.values, [v.name for v in fmu.description.inputs]
    mu = max([p[name] for name in ("staticFriction", "dynamicFriction") if name in p], default=0.0)
    size, here, rates = record.steps[step]
    at = names.index("normalForce") if "normalForce" in names else None
    normal = 0.0 if at is None else max(here[at], here[at] + size * rates[at], 0.0)
    return max(mu * normal, *(abs(f) for f in right.forces[step]), 1e-300)


def distance(one, two, step):
    return max(abs(a - b) for a, b in zip(one.forces[step], two.forces[step]))


def amplification(fmu, record, right, step, tolerance):
    """Returns by how much the reference changes if its inputs are wrong by one tolerance, or with
    other communication points."""
    count = len(fmu.description.inputs)
    moved = distance(right, run(fmu, record, TIGHT, OTHER_CUTS), step)
    moved = max(moved, distance(right, run(fmu, record, TIGHT, CUTS, noise=tolerance), step))
    for place in range(count):
        for off in (tolerance, -tolerance):
            factors = [1.0] * count
            if not is_fixed(fmu.description.inputs[place]):
                factors[place] += off
                moved = max(moved, distance(right, run(fmu, record, TIGHT, CUTS, factors), step))
    return moved


def compare(fmu, number):
    """Returns the findings of a record, and how many of its steps could be compared."""
    record = random_record(fmu, number)
    right, findings, compared = run(fmu, record, TIGHT, CUTS), [], 0
    for tolerance in TOLERANCES:
        result = run(fmu, record, tolerance)
        for step in range(len(record.steps)):
            if result.skipped[step] or right.skipped[step]:
                break
            unit = tolerance * scale_of(fmu, record, right, step)
            error = distance(result, right, step) / unit
            if error > MOST:  # later steps start from other states
                moved = amplification(fmu, record, right, step, tolerance)
                findings.append(Finding(number, tolerance, step, error, moved / unit))
                break
            compared += 1
    return findings, compared
