"""Counts the evaluations of a co-simulation step: compiles the sources of an FMU so that every call
of its law, its derivatives and its indicators from solver and FMI layer is counted."""

import ctypes

from build_cache import compiled
from fmi2 import CO_SIMULATION, FmiError, Instance, Library, integers, reals
from operating_points import Sampler

COUNTED = ("evaluate", "evaluate_slopes", "evaluate_state_slopes", "indicators")
SOLVER = '#include "solver/solver.inc"'
TOLERANCES = (1e-3, 1e-6, 1e-9)
# With events in the log a step would be taken twice.
WARNINGS = (ctypes.c_char_p * 1)(b"logStatusWarning")


def counting_library(fmu):
    """Compiles the FMU's sources with a counter, `evaluations`, to a library."""
    sources = fmu.folder / "sources"
    text = (sources / "fmu.c").read_text()
    assert SOLVER in text
    counters = "".join(
        f"#define {name}(...) (evaluations++, {name}(__VA_ARGS__))\n" for name in COUNTED
    )
    counted = fmu.folder / "counted"
    counted.mkdir(exist_ok=True)
    (counted / "counted.c").write_text(
        text.replace(SOLVER, f"long evaluations;\n{counters}{SOLVER}")
    )
    folder = compiled(
        "work",
        {"sources": sources, "counted": counted},
        (
            *("gcc", "-w", "-O0", "-fPIC", "-shared", "-I{sources}", "-I{sources}/headers"),
            *("-DFMI2_OVERRIDE_FUNCTION_PREFIX", "-o", "counted.so", "{counted}/counted.c", "-lm"),
        ),
    )
    library = Library(folder / "counted.so")
    library.evaluations = ctypes.c_long.in_dll(library.handle, "evaluations")
    return library


def legal_parameters(d, sampler):
    """Draws parameters up to six decades from the start values, within the declared limits; options
    and parameters of the host keep their defaults."""
    draw, values = sampler.random, sampler.parameters()
    for v in d.real_parameters:
        if v.name in sampler.kept or v.name.endswith("Start") or not v.start:
            continue
        if draw.random() < 0.5:
            values[v.name] = v.clipped(v.start * 10 ** draw.uniform(-3, 3))
    return values


def steps(fmu, library, count, seed="work"):
    """Takes random steps from random states, ramped and held; yields (evaluations, messages, all
    that it takes to repeat the step)."""
    d = fmu.description
    sampler = Sampler(d, seed)
    draw, made = sampler.random, 0
    inputs = [v.reference for v in d.inputs]
    while made < count:
        with Instance(fmu, CO_SIMULATION, library=library) as instance:
            instance.demand("fmi2SetDebugLogging", 1, 1, WARNINGS)
            parameters = legal_parameters(d, sampler)
            tolerance = draw.choice(TOLERANCES)
            here = sampler.inputs(parameters)
            try:
                instance.start({**parameters, **here}, tolerance=tolerance)
            except FmiError:
                continue
            for _ in range(4):
                size, target = 10 ** draw.uniform(-5, 1), sampler.inputs(parameters)
                rates = [0.0] * len(inputs)
                if draw.random() < 0.7:
                    rates = [
                        0.0 if v.unit in (None, "1") else (target[v.name] - here[v.name]) / size
                        for v in d.inputs
                    ]
                instance.set_reals(inputs, list(here.values()))
                instance.demand(
                    "fmi2SetRealInputDerivatives",
                    instance.reference_array(inputs),
                    len(inputs),
                    integers([1] * len(inputs)),
                    reals(rates),
                )
                library.evaluations.value = 0
                said = len(instance.messages)
                instance.step(size)
                messages = [m.text for m in instance.messages[said:]]
                made += 1
                yield (
                    library.evaluations.value,
                    messages,
                    (parameters, tolerance, here, rates, size),
                )
                here = {
                    name: value + size * rate for (name, value), rate in zip(here.items(), rates)
                }
                if draw.random() < 0.3:
                    here = sampler.inputs(parameters)
