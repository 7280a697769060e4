"""Ranks all models on the same records: fitted to a part of them and validated on the remainder."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ... import BristleError
from ...cli.progress import in_parallel
from ..record.reading import Record, averaged, whole_drive
from .candidates import Candidate, Space
from .estimate import fit
from .problem import Problem
from .result import PATIENCE, SAMPLES, Fit, Wanted
from .statistics import CONFIDENCE, Quality, quality_of, student
from .validation import validated

PARTS = 10  # pieces of a record, cut at reversals
HELD = (2, 5, 8)  # held-out pieces: nearly a third, spread over the record
BLOCKS = 10  # blocks of each piece, for the uncertainty of the error


@dataclass(frozen=True)
class Place:
    """One model in the ranking."""

    of: Candidate
    fit: Fit
    held_out: Quality
    seconds: float  # of one run over a million samples
    # N2: means of the squared error over blocks of the held-out data, the same for all models
    squares: np.ndarray
    # half the width of the confidence interval of the relative error: of the best model of its own,
    # of the others of the difference
    doubt: float = math.nan
    spent: float = math.nan  # s of processor time for the fit

    @property
    def parameters(self) -> int:
        return len(self.fit.estimates)


@dataclass(frozen=True)
class Failed:
    """A model that could not be fitted, and the reason."""

    of: Candidate
    why: str


@dataclass(frozen=True)
class Ranking:
    """The models by their error on the held-out data, the best first."""

    places: Sequence[Place]
    failed: Sequence[Failed] = field(default_factory=list)

    @property
    def equals(self) -> list[Place]:
        """Returns the models that the held-out data do not distinguish from the best."""
        best = self.places[0]
        least = best.held_out.share
        return [
            one for one in self.places if one is best or one.held_out.share - least <= one.doubt
        ]

    @property
    def recommended(self) -> Place:
        """Returns the simplest of those as good as the best: the fewest parameters, then the least
        error."""
        return min(self.equals, key=lambda one: (one.parameters, one.held_out.rms))


def shortened(records: Sequence[Record]) -> tuple[list[Record], list[str]]:
    """Returns the records for the ranking, averaged if they are long, with notes."""
    notes: list[str] = []
    return [averaged(record, SAMPLES // len(records), notes) for record in records], [
        f"For the ranking, {note}" for note in notes
    ]


def held_out(record: Record) -> np.ndarray:
    """Returns the samples that are not fitted: every third piece of the record, cut where strokes
    begin."""
    count = len(record.time)
    edges = [round(count * i / PARTS) for i in range(PARTS + 1)]
    turns = record.reversals()
    if len(turns) >= PARTS:
        edges = [0, *(int(turns[np.argmin(np.abs(turns - edge))]) for edge in edges[1:-1]), count]
    mask = np.zeros(count, dtype=bool)
    for i in HELD:
        mask[edges[i] : edges[i + 1]] = True
    return mask


@dataclass(frozen=True)
class Trial:
    """The data for all models: some records, with held-out pieces or another record for validation;
    and known values."""

    records: Sequence[Record]
    fixed: Mapping[str, Any]
    seed: int = 1
    other: Record | None = None
    patience: float = PATIENCE

    @property
    def masks(self) -> list[np.ndarray]:
        """Returns the held-out samples of each record."""
        if self.other:
            return [np.zeros(len(record.time), dtype=bool) for record in self.records]
        return [held_out(record) for record in self.records]


def rank(models: Sequence[Candidate], trial: Trial) -> Ranking:
    """Ranks all models, the best first."""
    return ranked(in_parallel(lambda of: place_apart(of, trial), models, lambda of: of.name))


def place(of: Candidate, trial: Trial) -> Place | Failed:
    """Fits a model to a part of the records and validates it on the remainder; or fits it to all
    and validates on others. No lag is fitted: it would compensate for defects of a law."""
    of = of.with_options(trial.fixed)
    names = {one.name for one in of.parameters}
    known = {name: value for name, value in trial.fixed.items() if name in names}
    weights = [
        np.where(mask, 0.0, record.weight)
        for mask, record in zip(trial.masks, trial.records, strict=True)
    ]
    wanted = Wanted(released=False, delay=0.0, seed=trial.seed, patience=trial.patience)
    begin = time.process_time()
    try:
        result = fit(of, trial.records, known, wanted, weights)
        if result.hurried:
            return Failed(of, f"it took longer than {trial.patience:g} s.")
        quality, squares = _judgement(result, trial)
    except BristleError as error:
        return Failed(of, str(error))
    spent = time.process_time() - begin
    return Place(of, result, quality, _seconds(result, trial.records), squares, spent=spent)


def _judgement(result: Fit, trial: Trial) -> tuple[Quality, np.ndarray]:
    """Returns the error on the held-out data, and its squares by blocks."""
    if trial.other:
        quality, modelled = validated(result, trial.other)
        measured, counted = trial.other.force, trial.other.weight > 0
    else:
        records = trial.records
        pairs = zip(trial.masks, records, strict=True)
        counted = np.concatenate([mask & (record.weight > 0) for mask, record in pairs])
        measured = np.concatenate([record.force for record in records])
        modelled = np.concatenate(result.modelled)
        part, drive = result.linear.part(records), whole_drive(records)
        quality = quality_of(measured, modelled, part, counted, drive)
    blocks = np.array_split((measured - modelled)[counted] ** 2, BLOCKS * len(HELD))
    return quality, np.array([block.mean() for block in blocks if len(block)])


def place_apart(of: Candidate, trial: Trial) -> Place | Failed:
    """Does the same in a process of its own, so that several models are fitted at a time."""
    code = (
        "import pickle, sys; f, *rest = pickle.load(sys.stdin.buffer); pickle.dump(f(*rest),"
        " sys.stdout.buffer)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps((place, of, trial)),
        capture_output=True,
        env=environment,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or "it ended without a message"
        return Failed(of, f"{said.splitlines()[-1].rstrip('.')}.")
    found: Place | Failed = pickle.loads(done.stdout)
    return found


def _seconds(result: Fit, records: Sequence[Record]) -> float:
    """Returns the time of a million samples of the first record: the least of three runs."""
    problem = Problem(result.of, records[:1], Space(result.of, [], result.values, {}))
    best = math.inf
    for _ in range(3):
        begin = time.process_time()
        problem.forces([np.empty(0)])
        best = min(best, time.process_time() - begin)
    return best / len(records[0].time) * 1e6


def ranked(tried: Sequence[Place | Failed]) -> Ranking:
    """Sorts by the error on the held-out data, with its uncertainty. All are relative to one
    friction force, that of the best: it depends on the offset, load and mass that a law leaves."""
    places = sorted(
        (one for one in tried if isinstance(one, Place)), key=lambda one: one.held_out.rms
    )
    failed = [one for one in tried if isinstance(one, Failed)]
    for i, one in enumerate(places):
        held_out = one.held_out.compared_with(places[0].held_out)
        one = replace(one, held_out=held_out)
        places[i] = replace(one, doubt=_doubt(one, places[0]))
    return Ranking(places, failed)


def _doubt(one: Place, best: Place) -> float:
    """Returns half the interval of the relative error: of a mean square m it is that of m over 2
    √m."""
    more = one.squares if one.of is best.of else one.squares - best.squares
    deviation = float(more.std(ddof=1)) / math.sqrt(len(more)) if len(more) > 1 else math.inf
    rms, relative = one.held_out.rms, one.held_out.share
    return student(max(len(more) - 1, 3)) * deviation / (2 * rms**2) * relative if rms else 0.0


def verdicts(ranking: Ranking) -> list[str]:
    """States in plain words which model to take, and which cannot express the data."""
    if not ranking.places:
        return ["No model could be fitted."]
    best, alike, chosen = ranking.places[0], ranking.equals[1:], ranking.recommended
    baseline = best.fit.baseline
    lines = [
        f"Best on the held-out data: {best.of.name} with {best.held_out.share:.2%} ±"
        f" {best.doubt:.2%} ({CONFIDENCE:.0%} confidence); Coulomb friction with one coefficient"
        f" has {baseline.share:.1%}."
    ]
    if alike:
        names = ", ".join(one.of.name for one in alike)
        lines.append(f"The held-out data do not distinguish these from it: {names}.")
    why = "" if chosen is best else ", the fewest of these"
    lines.append(f"Recommended: {chosen.of.name}, with {chosen.parameters} parameters{why}.")
    good = {one.of.name for one in (best, *alike)}
    poor = [
        one.of.name
        for one in ranking.places
        if one.of.name not in good and one.held_out.share >= baseline.share
    ]
    if poor and best.held_out.share < baseline.share:
        lines.append(
            "No better than one coefficient, so that these cannot express the data:"
            f" {', '.join(poor)}."
        )
    return lines
