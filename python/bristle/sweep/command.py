"""bristle sweep: plans the runs, makes those that are missing, writes the table and the page."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from .. import BristleError
from ..cli.files import write_text
from ..cli.progress import Progress
from ..forms import form_of
from ..library import Model, describe, hint
from ..parameters import given_parameters, read_ssv
from ..running import check_samples
from ..systems import systems
from ..identify.record.reading import Options, read_record
from ..expressions import WrongExpression, check_expression
from ..pages.sheet import figure, paragraph, sheet
from .execution import on_a_cluster, on_this_machine
from .journal import Journal
from .pictures import picture
from .plan import Axis, points, read_axis
from .runs import Element, RecordRun, Result, SystemRun
from .tables import SUFFIXES, write_results

# of a system's own end, in which a solver takes a hundred steps or more: a million in all
LONGEST = 10_000


def default_quantities(
    model: Model, is_record: bool, contacts: Sequence[str] = ()
) -> dict[str, str]:
    """Returns the default quantities of a run: of an element that turns the torque instead of the
    force, of several contacts each one's."""
    form = form_of(model)
    force = form.force if form else "frictionForce"
    words, unit = ("friction torque", "N.m") if form and form.turns else ("friction force", "N")
    found = (
        {f"RMS error [{unit}]": f"sqrt(mean((measured - {force})*(measured - {force})))"}
        if is_record
        else {}
    )
    for place, prefix in [(f"{name}: ", f"{name}_") for name in contacts if len(contacts) > 1] or [
        ("", "")
    ]:
        found[f"{place}largest {words} [{unit}]"] = f"largest(abs({prefix}{force}))"
        found[f"{place}mean dissipated power [W]"] = f"mean({prefix}dissipatedPower)"
    return found


def _contacts(arguments: argparse.Namespace) -> list[str]:
    """Lists the system's contacts; none for a record."""
    return list(systems()[arguments.target].contacts) if arguments.target in systems() else []


def sweep(arguments: argparse.Namespace, options: Options) -> None:
    axes = [read_axis(text) for text in arguments.over]
    places = points(axes, arguments.sample, arguments.count, arguments.seed)
    model = describe(arguments.model)
    given = given_parameters(arguments, model)
    for name, value in given.items():
        if not isinstance(value, (int, float)):
            raise BristleError(f"--set {name}={value}: this is not a number.")
    is_record = Path(arguments.target).suffix != "" or Path(arguments.target).is_file()
    out = arguments.out or Path(f"{Path(arguments.target).stem}-{model.name}.csv")
    if out.suffix not in SUFFIXES:
        raise BristleError(f"{out}: its name has to end in {' or '.join(SUFFIXES)}.")
    if arguments.workers is not None and arguments.workers < 1:
        raise BristleError(f"--workers {arguments.workers} has to be 1 or more.")
    if not 0 < (1.0 if arguments.stop is None else arguments.stop) < np.inf:
        raise BristleError(f"--stop {arguments.stop:g} has to be above 0 and finite.")
    if not 0 <= arguments.interval < np.inf:
        raise BristleError(f"--interval {arguments.interval:g} has to be 0 or more and finite.")
    quantities = _quantities(
        arguments.quantity,
        lambda: default_quantities(model, is_record, [] if is_record else _contacts(arguments)),
    )
    make = _record_run if is_record else _system_run
    one = make(arguments, options, model, axes, given, quantities)
    try:
        results, seconds, made = _results(arguments, out, one, places)
    except WrongExpression:
        Journal(_journal(out), "").remove()
        raise
    if all("failure" in result and not set(result) & set(quantities) for result in results):
        Journal(_journal(out), "").remove()
        raise BristleError(f"every run failed; the first: {results[0]['failure']}")
    write_results(out, [axis.name for axis in axes], list(quantities), places, results)
    page = out.with_suffix(".html")
    write_text(page, _page(arguments, model, axes, places, results, quantities))
    Journal(_journal(out), "").remove()
    failures = [str(result["failure"]) for result in results if "failure" in result]
    failed = f", {len(failures)} of them failed; the first: {failures[0]}" if failures else ""
    rate = f", {made} now in {seconds:.2f} s ({made / seconds:.0f} runs/s)" if made else ""
    print(f"{len(places)} runs{rate}{failed}\n{out}\n{page}")


def _journal(out: Path) -> Path:
    return out.with_name(f"{out.name}.part")


def _quantities(words: Sequence[str], default: Callable[[], dict[str, str]]) -> dict[str, str]:
    found = {}
    for word in words:
        name, _, expression = word.partition("=")
        if not name or not expression:
            raise BristleError(f"--quantity {word}: this is not NAME=EXPRESSION.")
        if name in ("run", "failure"):
            raise BristleError(f"--quantity {word}: {name} is already a column.")
        if name in found:
            raise BristleError(f"--quantity names {name} twice.")
        check_expression(expression)
        found[name] = expression
    return found or default()


def _known(
    name: str, model: Model, of_system: Iterable[str], contacts: Iterable[str], target: str
) -> None:
    bare = name.partition(".")[2] if name.partition(".")[0] in contacts else name
    parameters = [one.name for one in model.parameters]
    if bare not in parameters and name not in of_system:
        raise BristleError(
            f"neither {model.name} nor {target} has a parameter"
            f" {name}{hint(name, [*parameters, *of_system])}."
        )


def _system_run(
    arguments: argparse.Namespace,
    _: Options,
    model: Model,
    axes: Sequence[Axis],
    given: dict,
    quantities: dict[str, str],
) -> SystemRun:
    if arguments.target == "prescribed":
        raise BristleError(
            "the system prescribed needs a record of its motion; give that as the target."
        )
    if arguments.target not in systems():
        known = [name for name, one in systems().items() if not one.beside and name != "prescribed"]
        raise BristleError(
            f"{arguments.target} is neither a file nor a system{hint(arguments.target, known)};"
            f" there are {', '.join(known)}."
        )
    system = systems()[arguments.target]
    if arguments.stop is not None and arguments.stop > LONGEST * system.stop:
        raise BristleError(
            f"--stop {arguments.stop:g} is more than {LONGEST} times the {system.stop:g} s of"
            f" {arguments.target}."
        )
    if arguments.interval:
        check_samples(arguments.stop or system.stop, arguments.interval)
    named, fixed = arguments.sets, dict(given)
    if named and Path(named).suffix == ".ssv":
        fixed, named = read_ssv(Path(named), model) | fixed, None
    for name in [*(axis.name for axis in axes), *fixed]:
        _known(name, model, system.parameters, system.contacts, arguments.target)
    return SystemRun(
        system=arguments.target,
        element=Element(str(model.file), model.file.read_bytes()),
        of_system=frozenset(system.parameters),
        fixed=tuple(fixed.items()),
        quantities=tuple(quantities.items()),
        stop=arguments.stop,
        interval=arguments.interval,
        parameter_set=named,
    )


def _record_run(
    arguments: argparse.Namespace,
    options: Options,
    model: Model,
    axes: Sequence[Axis],
    given: dict,
    quantities: dict[str, str],
) -> RecordRun:
    form = form_of(model)
    if form is None:
        raise BristleError(f"{model.name} is not a scalar friction element, which a record needs.")
    if form.turns:
        assumed = given.get(form.radius, model[form.radius].start)
        options = replace(options, turns=True, assumed_radius=assumed)
    record = read_record(Path(arguments.target), options)
    radius = record.radius or 1.0
    given = {form.radius: radius} | given if form.turns else given
    for name in [*(axis.name for axis in axes), *given]:
        _known(name, model, [], [], arguments.target)
    inputs = form.inputs(record.normal, record.velocity, record.external, radius)
    return RecordRun(
        Element(str(model.file), model.file.read_bytes()),
        record.time,
        tuple(inputs.items()),
        record.force * radius**form.power,
        record.displacement,
        tuple(given.items()),
        tuple(quantities.items()),
    )


def _results(
    arguments: argparse.Namespace,
    out: Path,
    run: SystemRun | RecordRun,
    places: Sequence[dict[str, float]],
) -> tuple[list[Result], float, int]:
    """Returns all results in order, the time taken and the number of runs made now."""
    with Journal(_journal(out), _identity(run, places)) as journal:
        missing = [(i, values) for i, values in enumerate(places) if i not in journal.done]
        if journal.done:
            print(f"{len(journal.done)} of {len(places)} runs were done before.", flush=True)
        begin = time.perf_counter()
        stream = (
            on_a_cluster(run, missing, arguments.scheduler)
            if arguments.scheduler
            else on_this_machine(run, missing, arguments.workers)
        )
        with Progress(len(missing)) as progress:
            for index, result in stream:
                journal.add(index, result)
                progress.step()
        seconds = time.perf_counter() - begin
        return [journal.done[i] for i in range(len(places))], seconds, len(missing)


def _identity(run: SystemRun | RecordRun, places: Sequence[dict[str, float]]) -> str:
    """Identifies a sweep by model, settings, quantities and points, not by where it runs."""
    digest = hashlib.sha256(run.element.content)
    digest.update(json.dumps([places, run.fixed, run.quantities]).encode())
    if isinstance(run, SystemRun):
        digest.update(json.dumps([run.system, run.stop, run.interval, run.parameter_set]).encode())
    else:
        for values in (run.time, run.measured, *(values for _, values in run.inputs)):
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _page(
    arguments: argparse.Namespace,
    model: Model,
    axes: Sequence[Axis],
    places: Sequence[dict[str, float]],
    results: Sequence[Result],
    quantities: dict[str, str],
) -> str:
    how = (
        f"{arguments.sample} sample of {len(places)} with seed {arguments.seed}"
        if arguments.sample
        else f"grid of {len(places)}"
    )
    body = [
        paragraph(
            f"{model.title}. A {how} runs over {', '.join(axis.name for axis in axes)}.", "soft"
        )
    ]
    units = {one.name: one.unit or "" for one in model.variables}
    axes = [replace(axis, unit=units.get(axis.name, "")) for axis in axes]
    for name, expression in quantities.items():
        values = np.array([float(result.get(name, np.nan)) for result in results])
        svg, caption = picture(axes, places, values, name, arguments.sample is None)
        body.append(figure(svg, f"{caption} ({expression})"))
        if arguments.pictures and svg:
            write_text(
                arguments.pictures / f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')}.svg", svg
            )
    failures = sorted({str(result["failure"]) for result in results if "failure" in result})
    body += [paragraph(f"Failed: {text}") for text in failures[:10]]
    return sheet(f"{model.name} in {arguments.target}", body)
