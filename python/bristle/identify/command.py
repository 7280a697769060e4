"""bristle identify: reads, fits, writes the page and the parameter set, and tells what came out."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from .. import BristleError
from ..cli.files import check_writable, write_text, writing
from ..cli.progress import Progress, in_parallel
from ..parameters import assignments
from ..library import describe
from ..showing import limits
from ..format.parameter_set import ParameterSet, ssv_text
from .fit.candidates import Candidate, all_candidates, candidate, check_values
from .fit.estimate import Fit, fit
from .fit.load import fitted_with_load, with_load
from .tell.page import fit_page, pictures_of
from .fit.ranking import Place, place_apart, ranked, recommended, shortened, verdicts
from .fit.statistics import Quality
from .fit.validation import validated
from .record.reading import Options, Record, read_record
from .tell.words import doubts, quality_text, rounded, summary

Validation = tuple[Record, Quality, np.ndarray]


def identify(arguments: argparse.Namespace, options: Options) -> None:
    fixed, start = assignments(arguments.fix), assignments(arguments.start)
    several = arguments.model == "all"
    if several and (arguments.fit or arguments.start):
        raise BristleError("--fit and --start are for one model, not for all.")
    of = None if several else candidate(arguments.model)
    check_values("--fix", [of] if of else all_candidates(), fixed)
    check_values("--start", [], start)
    delay = _delay(arguments.delay)
    if several and delay:
        raise BristleError("--delay is for one model: the ranking fits no lag.")
    options = _for_joints(of, options, fixed)
    if of:
        of = of.with_options(fixed)
        fixed = {name: value for name, value in fixed.items() if name not in of.chosen}
    for name in [*fixed, *start, *arguments.fit] if of else []:
        of[name]
    if of:
        _check_bounds(of, start | fixed)
    records = with_load(_read(arguments.records, options), arguments.load)
    if not arguments.validate and (
        arguments.validate_from is not None or arguments.validate_to is not None
    ):
        raise BristleError(
            "--validate-from and --validate-to are for a measurement given with --validate."
        )
    window = replace(options, start=arguments.validate_from, stop=arguments.validate_to)
    others = _read(arguments.validate, window)
    radius = records[0].radius
    of = replace(of, radius=radius) if of and radius else of
    out = arguments.out or Path(
        f"{arguments.records[0].stem}-{arguments.model if several else of.name}"
    )
    page, parameters = with_suffix(out, ".html"), with_suffix(out, ".ssv")
    check_writable(page)
    if arguments.pictures:
        check_writable(arguments.pictures / "picture.svg")
    places: list[Place] = []
    notes: list[str] = []
    if several:
        coarser, notes = shortened(records)
        turn = all(record.radius for record in records)
        places = rank(
            coarser,
            fixed,
            arguments.seed,
            [replace(one, radius=radius) for one in all_candidates(turns=True)] if turn else None,
        )
        if not places or places[0].fit is None:
            raise BristleError(f"{arguments.records[0]}: no model could be fitted.")
        of = recommended(places).of
        fixed = {
            name: value
            for name, value in fixed.items()
            if name in (one.name for one in of.parameters)
        }
    with Progress(4) as progress:
        result = fitted_with_load(
            lambda these: fit(
                of,
                these,
                fixed,
                arguments.fit or None,
                start,
                delay=delay,
                tell=lambda text: progress.step(f"{of.name}: {text}"),
                seed=arguments.seed,
            ),
            records,
            arguments.load,
        )
    validation = [(record, *validated(result, record)) for record in others]
    told = notes + verdicts(places) if places else []
    with writing(page) as first:
        first.write(fit_page(result, validation, places, told))
        first.flush()  # what the disk cannot hold is known before either of the two takes its name
        write_text(parameters, ssv_text(parameter_set(result, out.name)))
    if arguments.pictures:
        for record, modelled in zip(result.records, result.modelled, strict=True):
            for name, svg in pictures_of(record, modelled).items():
                write_text(arguments.pictures / f"{Path(record.name).stem}-{name}.svg", svg)
    for line in _told(result, validation, places, told):
        print(line)
    print(f"{page}\n{parameters}")


def _delay(word: str) -> float | None:
    """The lag that is given, or None where it is to be found."""
    if word == "auto":
        return None
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BristleError(f"--delay {word} has to be a number of seconds, or auto.")
    return value


def _read(files: Sequence[Path], options: Options) -> list[Record]:
    """The records, with how far their reading is on a terminal."""
    records = []
    with Progress(len(files)) as progress:
        for file in files:
            progress.step(file.name)
            records.append(
                read_record(file, options, lambda text: progress.tell(f"{file.name}: {text}"))
            )
    return records


def _for_joints(of: Candidate | None, options: Options, fixed: dict[str, float]) -> Options:
    """How records are read for an element that turns, or for the ranking, in which the records
    decide; a radius that is fixed is known."""
    twins = [one for one in ([of] if of else all_candidates(turns=True)) if one.form.turns]
    if not twins:
        return options
    name = twins[0].form.radius
    radius = fixed.pop(name, options.radius)
    if radius is not None and radius <= 0:
        raise BristleError(f"--fix {name}={radius:g} has to be above 0.")
    return replace(options, radius=radius, turns=of is not None, assumed_radius=twins[0].radius)


def with_suffix(out: Path, suffix: str) -> Path:
    return out.with_name(out.name + suffix)


def _check_bounds(of: Candidate, values: Mapping[str, float]) -> None:
    """Refuses a value that the model would refuse whatever the others are."""
    about = describe(of.file)
    for name, value in values.items():
        low, high = about[name].min, about[name].max
        if (low is not None and value < low) or (high is not None and value > high):
            raise BristleError(
                f"{of.name}: {name} = {value:g} must be {limits(about, about[name])}."
            )


def rank(
    records: Sequence[Record],
    fixed: Mapping[str, float],
    seed: int,
    models: Sequence[Candidate] | None = None,
) -> list[Place]:
    """All models, the best first."""
    models = all_candidates() if models is None else models
    places = in_parallel(
        lambda of: place_apart(of, records, fixed, seed), models, lambda of: of.name
    )
    return ranked(places)


def parameter_set(result: Fit, name: str) -> ParameterSet:
    """The result for an FMU, with the digits it has and one more; the rules between parameters are
    kept when rounding."""
    values = {
        one.name: (
            rounded(one.value, one.half_width / 10) if one.determined else float(f"{one.value:.2g}")
        )
        for one in result.estimates
    }
    values |= result.fixed | result.of.place
    for one in result.of.parameters:
        if one.limit and one.limit.other in values and one.name in values:
            other, mine = values[one.limit.other], values[one.name]
            if (one.limit.above and mine <= other) or (not one.limit.above and mine > other):
                values |= {
                    one.name: result.values[one.name],
                    one.limit.other: result.values[one.limit.other],
                }
    sources = ", ".join(record.name for record in result.records)
    return ParameterSet(
        name,
        f"{result.of.name} identified from {sources}",
        quality_text(result.quality, result.of),
        values,
    )


def _told(
    result: Fit, validation: Sequence[Validation], places: Sequence[Place], told: Sequence[str]
) -> list[str]:
    lines = [f"- {note}" for record in result.records for note in record.notes]
    if places:
        lines.append(
            f"{'model':24} {'held out':>9} {'±':>7} {'fitted':>9} {'parameters':>10}"
            f" {'µs/sample':>9}"
        )
        for one in places:
            if one.held_out:
                numbers = f"{one.held_out.share:9.2%} {one.doubt:7.2%} {one.fit.quality.share:9.2%}"
                lines.append(f"{one.of.name:24} {numbers} {one.parameters:10d} {one.seconds:9.2f}")
            else:
                lines.append(f"{one.of.name:24} failed: {one.failure}")
        lines += told
    lines += summary(result)
    lines += [
        f"Not used in the fit, {record.name}: {quality_text(quality, result.of)}."
        for record, quality, _ in validation
    ]
    return lines + [f"- {sentence}" for sentence in doubts(result)]
