"""All models on the same records: fitted to a part of them and judged by the rest."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ... import BristleError
from ..record.reading import Record, averaged, whole_drive
from .candidates import Candidate, Space
from .estimate import Fit, fit
from .problem import Problem
from .validation import validated
from .statistics import CONFIDENCE, Quality, quality_of, student

PARTS = 10  # pieces of a record, cut at reversals
HELD = (2, 5, 8)  # those that are held out: nearly a third, spread over the record
BLOCKS = 10  # into which each of these is cut for the uncertainty of the error there
# of all records together at most, the same means for all models: beyond, neighbours are averaged,
# so that all models are fitted within minutes
SAMPLES = 2000
# s of processor time for one model: some laws take very long with some of the parameters that are
# tried
PATIENCE = 300
LONGEST = 10  # times as long it may take by a clock, on a machine that does much else
_GAVE_UP = 75  # exit code of a process that has used up its time


@dataclass(frozen=True)
class Place:
    """One model in the ranking."""

    of: Candidate
    fit: Fit | None
    held_out: Quality | None
    parameters: int
    seconds: float  # of one run over a million samples
    failure: str = ""
    # N2: means of the squared error over blocks of what was held out, the same for all models
    squares: np.ndarray = field(default_factory=lambda: np.empty(0))
    # half the width of the confidence interval of the relative error: of the best model of its own,
    # of the others of what they have more
    doubt: float = math.nan
    spent: float = math.nan  # s of processor time for the fit


def shortened(records: Sequence[Record]) -> tuple[list[Record], list[str]]:
    """The records as the ranking takes them, coarser where they are long, and what was done."""
    notes: list[str] = []
    return [averaged(record, SAMPLES // len(records), notes) for record in records], [
        f"For the ranking, {note}" for note in notes
    ]


def held_out(record: Record) -> np.ndarray:
    """Samples that are not fitted: every third piece of the record, cut where strokes begin."""
    count = len(record.time)
    edges = [round(count * i / PARTS) for i in range(PARTS + 1)]
    turns = record.reversals()
    if len(turns) >= PARTS:
        edges = [0, *(int(turns[np.argmin(np.abs(turns - edge))]) for edge in edges[1:-1]), count]
    mask = np.zeros(count, dtype=bool)
    for i in HELD:
        mask[edges[i] : edges[i + 1]] = True
    return mask


def place(
    of: Candidate,
    records: Sequence[Record],
    fixed: Mapping[str, float],
    seed: int,
    others: Sequence[Record] = (),
) -> Place:
    """A model fitted to a part of the records and judged by the rest of them; or fitted to all and
    judged by others. No lag is fitted: it would stand in for what a law lacks."""
    of = of.with_options(fixed)
    masks = [
        np.zeros(len(record.time), dtype=bool) if others else held_out(record) for record in records
    ]
    weights = [
        np.where(mask, 0.0, record.weight) for mask, record in zip(masks, records, strict=True)
    ]
    known = {
        name: value for name, value in fixed.items() if name in (one.name for one in of.parameters)
    }
    begin = time.process_time()
    try:
        result = fit(of, records, known, weights=weights, released=False, delay=0.0, seed=seed)
        tried = [validated(result, record) for record in others]
    except BristleError as error:
        return Place(of, None, None, len(of.parameters), math.nan, str(error))
    spent = time.process_time() - begin
    if others:
        quality = max((one for one, _ in tried), key=lambda one: one.relative)  # of the worst
        counted = np.concatenate([record.weight > 0 for record in others])
        measured = np.concatenate([record.force for record in others])
        modelled = np.concatenate([forces for _, forces in tried])
    else:
        counted = np.concatenate(
            [mask & (record.weight > 0) for mask, record in zip(masks, records, strict=True)]
        )
        measured = np.concatenate([record.force for record in records])
        modelled = np.concatenate(result.modelled)
        drive = whole_drive(records)
        quality = quality_of(measured, modelled, result.linear.part(records), counted, drive)
    return Place(
        of,
        result,
        quality,
        len(result.estimates),
        _seconds(result, records),
        squares=_block_means((measured - modelled) ** 2, counted),
        spent=spent,
    )


def _block_means(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Over blocks of the samples that count, in their order."""
    blocks = np.array_split(values[counted], BLOCKS * len(HELD))
    return np.array([block.mean() for block in blocks if len(block)])


def _place_in_time(patience: float, *task) -> Place:
    """The process ends itself after so many seconds of its own work: what else the machine does
    must not change the ranking."""
    threading.Thread(target=_give_up_after, args=(patience,), daemon=True).start()
    return place(*task)


def _give_up_after(seconds: float) -> None:
    while (left := seconds - time.process_time()) > 0:
        time.sleep(max(left / (os.cpu_count() or 1), 0.01))  # runs may use all processors
    os._exit(_GAVE_UP)


def place_apart(
    of: Candidate,
    records: Sequence[Record],
    fixed: Mapping[str, float],
    seed: int,
    others: Sequence[Record] = (),
) -> Place:
    """The same in a process of its own, which ends when it takes too long."""
    code = (
        "import pickle, sys; f, *rest = pickle.load(sys.stdin.buffer); pickle.dump(f(*rest),"
        " sys.stdout.buffer)"
    )
    task = pickle.dumps((_place_in_time, PATIENCE, of, records, fixed, seed, others))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=task,
            capture_output=True,
            timeout=LONGEST * PATIENCE,
            env=environment,
        )
        too_long = done.returncode == _GAVE_UP
    except subprocess.TimeoutExpired:
        too_long = True
    if too_long:
        return Place(
            of, None, None, len(of.parameters), math.nan, f"it took longer than {PATIENCE} s."
        )
    if done.returncode:
        last = (
            done.stderr.decode(errors="replace").strip().splitlines() or ["it ended without a word"]
        )[-1]
        return Place(of, None, None, len(of.parameters), math.nan, f"{last.rstrip('.')}.")
    return pickle.loads(done.stdout)


def _seconds(result: Fit, records: Sequence[Record]) -> float:
    """The time of a million samples of the first record: the least of three runs."""
    of = result.of
    problem = Problem(of, records[:1], Space(of, [], result.values, {}))
    best = math.inf
    for _ in range(3):
        begin = time.process_time()
        problem.forces([np.empty(0)])
        best = min(best, time.process_time() - begin)
    return best / len(records[0].time) * 1e6


def ranked(places: Sequence[Place]) -> list[Place]:
    """By the error on what was held out, with its uncertainty."""
    good = sorted((one for one in places if one.held_out), key=lambda one: one.held_out.rms)
    bad = [one for one in places if not one.held_out]
    return [replace(one, doubt=_doubt(one, good[0])) for one in good] + bad


def _doubt(one: Place, best: Place) -> float:
    """Half the interval of the relative error: of a mean square m it is that of m over 2 √m."""
    more = one.squares if one is best else one.squares - best.squares
    deviation = float(more.std(ddof=1)) / math.sqrt(len(more)) if len(more) > 1 else math.inf
    rms, relative = one.held_out.rms, one.held_out.share
    return student(max(len(more) - 1, 3)) * deviation / (2 * rms**2) * relative if rms else 0.0


def equals(places: Sequence[Place]) -> list[Place]:
    """The models that what was held out does not tell from the best."""
    good = [one for one in places if one.held_out]
    least = good[0].held_out.share if good else 0.0
    return [one for one in good if one.held_out.share - least <= one.doubt or one is good[0]]


def recommended(places: Sequence[Place]) -> Place:
    """The simplest of those that are as good as the best: the fewest parameters, then the least
    error."""
    return min(equals(places), key=lambda one: (one.parameters, one.held_out.rms))


def verdicts(places: Sequence[Place]) -> list[str]:
    """Which model to take, and which cannot express the data, in plain words."""
    good = [one for one in places if one.held_out]
    if not good:
        return ["No model could be fitted."]
    best, baseline = good[0], good[0].fit.baseline
    lines = [
        f"Best on what was held out: {best.of.name} with {best.held_out.share:.2%} ±"
        f" {best.doubt:.2%} ({CONFIDENCE:.0%} confidence); Coulomb friction with one coefficient"
        f" has {baseline.share:.1%}."
    ]
    alike, chosen = [one for one in equals(places) if one is not best], recommended(places)
    if alike:
        names = ", ".join(one.of.name for one in alike)
        lines.append(f"What was held out does not tell from it: {names}.")
    why = "" if chosen is best else ", the fewest of these"
    lines.append(f"Recommended: {chosen.of.name}, with {chosen.parameters} parameters{why}.")
    poor = [
        one.of.name
        for one in good
        if one not in alike and one.held_out.share > 0.9 * baseline.share
    ]
    if poor and best.held_out.share < 0.9 * baseline.share:
        lines.append(
            "No better than one coefficient, so that these cannot express the data:"
            f" {', '.join(poor)}."
        )
    return lines
