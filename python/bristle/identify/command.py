"""bristle identify: reads, fits, writes the page and the parameter set, and prints the result."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import BristleError
from ..cli.files import check_writable, write_text, writing
from ..cli.progress import Progress
from ..format.parameter_set import ParameterSet, ssv_text
from ..library import describe
from ..parameters import assignments
from ..showing import limits
from .fit.candidates import Candidate, all_candidates, candidate, check_values, for_joints, suited
from .fit.estimate import fit
from .fit.load import fitted_with_load, with_load
from .fit.ranking import Ranking, Trial, rank, shortened, verdicts
from .fit.result import Fit, Wanted
from .fit.statistics import Quality
from .fit.validation import validated
from .record.reading import Options, Record, read_record
from .report.page import fit_page, pictures_of
from .report.words import doubts, quality_text, ranking_lines, ranking_rows, rounded, summary

Validation = tuple[Record, Quality, np.ndarray]


def identify(arguments: argparse.Namespace, options: Options) -> None:
    several = arguments.model == "all"
    of = None if several else candidate(arguments.model)
    fixed, wanted = _asked(arguments, of)
    options = for_joints(of, options, fixed)
    if of:
        of = of.with_options(fixed)
        fixed = {name: value for name, value in fixed.items() if name not in of.chosen}
        for name in [*fixed, *arguments.fit]:
            of[name]
        _check_bounds(of, fixed)
    records = with_load(_read(arguments.records, options), arguments.load)
    others = _validating(arguments, options)
    out = arguments.out or Path(f"{arguments.records[0].stem}-{of.name if of else 'all'}")
    check_writable(with_suffix(out, ".html"))
    if arguments.pictures:
        check_writable(arguments.pictures / "picture.svg")
    ranking: Ranking | None = None
    verdicts: list[str] = []
    if of is None:
        ranking, verdicts = _ranking(records, fixed, arguments.seed)
        of = ranking.recommended.of
        names = {one.name for one in of.parameters}
        fixed = {name: value for name, value in fixed.items() if name in names}
        wanted = replace(wanted, begin=ranking.recommended.fit)
    of = replace(of, radius=records[0].radius or of.radius)
    result = _fitted(of, records, fixed, wanted, arguments.load)
    validation = [(record, *validated(result, record)) for record in others]
    _write(out, fit_page(result, validation, ranking, verdicts), result)
    if arguments.pictures:
        for record, modelled in zip(result.records, result.modelled, strict=True):
            for name, svg in pictures_of(record, modelled).items():
                write_text(arguments.pictures / f"{Path(record.name).stem}-{name}.svg", svg)
    for line in _lines(result, validation, ranking, verdicts):
        print(line)
    print(f"{with_suffix(out, '.html')}\n{with_suffix(out, '.ssv')}")


def _asked(arguments: argparse.Namespace, of: Candidate | None) -> tuple[dict[str, Any], Wanted]:
    """Returns the fixed values, and how the others are fitted."""
    fixed = assignments(arguments.fix)
    if of is None and arguments.fit:
        raise BristleError("--fit is for one model, not for all.")
    check_values("--fix", [of] if of else all_candidates(), fixed)
    delay = _delay(arguments.delay)
    if of is None and delay:
        raise BristleError("--delay is for one model: the ranking fits no lag.")
    return dict(fixed), Wanted({}, arguments.fit or None, delay=delay, seed=arguments.seed)


def _validating(arguments: argparse.Namespace, options: Options) -> list[Record]:
    """Reads the records for validation."""
    begin, end = arguments.validate_from, arguments.validate_to
    if not arguments.validate and (begin is not None or end is not None):
        raise BristleError(
            "--validate-from and --validate-to are for a measurement given with --validate."
        )
    return _read(arguments.validate, replace(options, start=begin, stop=end))


def _ranking(
    records: Sequence[Record], fixed: Mapping[str, Any], seed: int
) -> tuple[Ranking, list[str]]:
    """Ranks all models that suit the records, and writes the page."""
    coarser, notes = shortened(records)
    ranking = rank(suited(all_candidates(), records), Trial(coarser, fixed, seed))
    if not ranking.places:
        raise BristleError(f"{records[0].name}: no model could be fitted.")
    return ranking, notes + verdicts(ranking)


def _fitted(
    of: Candidate, records: Sequence[Record], fixed: Mapping[str, float], wanted: Wanted, load: str
) -> Fit:
    with Progress() as progress:
        return fitted_with_load(
            lambda these: fit(
                of, these, fixed, wanted, report=lambda text: progress.show(f"{of.name}: {text}")
            ),
            records,
            load,
        )


def _write(out: Path, page: str, result: Fit) -> None:
    """Writes the page and the parameter set, both or none."""
    with writing(with_suffix(out, ".html")) as first:
        first.write(page)
        first.flush()  # a full disk is noticed before either of the two gets its name
        write_text(with_suffix(out, ".ssv"), ssv_text(parameter_set(result, out.name)))


def _delay(word: str) -> float | None:
    """Returns the given lag, or None if it is to be fitted."""
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
    """Reads the records, showing the progress on a terminal."""
    records = []
    with Progress(len(files)) as progress:
        for file in files:
            progress.step(file.name)
            records.append(
                read_record(file, options, lambda text: progress.show(f"{file.name}: {text}"))
            )
    return records


def with_suffix(out: Path, suffix: str) -> Path:
    return out.with_name(out.name + suffix)


def _check_bounds(of: Candidate, values: Mapping[str, float]) -> None:
    """Refuses a value that the model would refuse with any others."""
    about = describe(of.file)
    for name, value in values.items():
        low, high = about[name].min, about[name].max
        if (low is not None and value < low) or (high is not None and value > high):
            raise BristleError(
                f"{of.name}: {name} = {value:g} must be {limits(about, about[name])}."
            )


def parameter_set(result: Fit, name: str) -> ParameterSet:
    """Returns the result for an FMU, with its significant digits and one more; rounding keeps the
    rules between parameters."""
    values = {
        one.name: (
            rounded(one.value, one.half_width / 10) if one.determined else float(f"{one.value:.2g}")
        )
        for one in result.estimates
    }
    values |= {**result.fixed, **result.of.place}
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


def _lines(
    result: Fit, validation: Sequence[Validation], ranking: Ranking | None, verdicts: Sequence[str]
) -> list[str]:
    lines = [f"- {note}" for record in result.records for note in record.notes]
    if ranking:
        lines += ranking_lines(ranking_rows(ranking))
        lines += verdicts
    lines += summary(result)
    lines += [
        f"Not used in the fit, {record.name}: {quality_text(quality, result.of)}."
        for record, quality, _ in validation
    ]
    return lines + [f"- {sentence}" for sentence in doubts(result)]
