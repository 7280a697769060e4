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
from dataclasses import dataclass, replace

import numpy as np

from ... import BristleError
from .candidates import Candidate
from .estimate import Fit, Quality, fit, quality_of
from .problem import Problem
from ..record.reading import Record, averaged

PARTS = 10  # pieces of a record, cut at reversals
HELD = (2, 5, 8)  # those that are held out
SAMPLES = 1000  # of all records together at most; beyond, neighbours are averaged
FINALISTS = 8  # that are fitted again to all samples: means may hide how friction turns round
NEAR = 1.5  # times the least error on what was held out: up to there a model comes into the final
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
    aic: float = math.nan
    bic: float = math.nan


def shortened(records: Sequence[Record]) -> tuple[list[Record], list[str]]:
    """The records as the ranking takes them, coarser where they are long, and what was done."""
    notes: list[str] = []
    return [averaged(record, SAMPLES // len(records), notes) for record in records], [
        f"For the ranking, {note}" for note in notes
    ]


def finalists(places: Sequence[Place]) -> list[Place]:
    """The models that are near the best."""
    good = [one for one in places if one.held_out]
    return [one for one in good if one.held_out.rms <= NEAR * good[0].held_out.rms][:FINALISTS]


def after_final(places: Sequence[Place], final: Sequence[Place]) -> list[Place]:
    """The ranking with the order and the errors of the final; AIC and BIC stay those of the data
    that all models were fitted to."""
    before = {one.of.name: one for one in places}
    first = [
        replace(one, aic=before[one.of.name].aic, bic=before[one.of.name].bic)
        for one in final
        if one.held_out
    ]
    names = {one.of.name for one in first}
    return first + [one for one in places if one.of.name not in names]


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


def place(of: Candidate, records: Sequence[Record], fixed: Mapping[str, float], seed: int) -> Place:
    of = of.with_options(fixed)
    masks = [held_out(record) for record in records]
    weights = [
        np.where(mask, 0.0, record.weight) for mask, record in zip(masks, records, strict=True)
    ]
    known = {
        name: value for name, value in fixed.items() if name in (one.name for one in of.parameters)
    }
    try:
        result = fit(
            of, records, known, weights=weights, with_profiles=False, released=False, seed=seed
        )
    except BristleError as error:
        return Place(of, None, None, len(of.parameters), math.nan, str(error))
    counted = np.concatenate(
        [mask & (record.weight > 0) for mask, record in zip(masks, records, strict=True)]
    )
    measured = np.concatenate([record.force for record in records])
    modelled = np.concatenate(result.modelled)
    quality = quality_of(measured, modelled, result.linear.part(records), counted)
    return Place(of, result, quality, len(result.estimates), _seconds(result, records))


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
    of: Candidate, records: Sequence[Record], fixed: Mapping[str, float], seed: int
) -> Place:
    """The same in a process of its own, which ends when it takes too long."""
    code = (
        "import pickle, sys; f, *rest = pickle.load(sys.stdin.buffer); pickle.dump(f(*rest),"
        " sys.stdout.buffer)"
    )
    task = pickle.dumps((_place_in_time, PATIENCE, of, records, fixed, seed))
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
    from .candidates import Space

    of = result.of
    problem = Problem(of, records[:1], Space(of, [], result.values, {}))
    best = math.inf
    for _ in range(3):
        begin = time.process_time()
        problem.forces([np.empty(0)])
        best = min(best, time.process_time() - begin)
    return best / len(records[0].time) * 1e6


def ranked(places: Sequence[Place]) -> list[Place]:
    """By the error on what was held out; AIC and BIC with one number of independent samples for
    all, that of the best model."""
    good = sorted((one for one in places if one.held_out), key=lambda one: one.held_out.rms)
    bad = [one for one in places if not one.held_out]
    if not good:
        return bad
    n = good[0].fit.quality.independent
    result = []
    for one in good:
        count = (
            one.parameters
            + sum(2 for record in one.fit.records if record.has_offset)
            + (one.fit.linear.mass is not None)
            + len(one.fit.linear.load)
        )
        deviance = n * math.log(max(one.fit.quality.rms, 1e-300) ** 2)
        result.append(
            replace(one, aic=deviance + 2 * count, bic=deviance + count * math.log(max(n, 2.0)))
        )
    return result + bad


def verdicts(places: Sequence[Place]) -> list[str]:
    """Which models cannot express the data, in plain words."""
    good = [one for one in places if one.held_out]
    if not good:
        return ["No model could be fitted."]
    best, baseline = good[0].held_out.relative, good[0].fit.baseline
    poor = [
        one.of.name
        for one in good
        if one.held_out.relative > 3 * best and one.held_out.relative > 0.9 * baseline.relative
    ]
    lines = [
        f"Best on what was held out: {good[0].of.name} with {best:.2%}; Coulomb friction with one"
        f" coefficient has {baseline.relative:.1%}."
    ]
    if poor:
        lines.append(
            "No better than that one coefficient, so that these cannot express the data:"
            f" {', '.join(poor)}."
        )
    close = [one.of.name for one in good[1:] if one.held_out.relative < 1.1 * best]
    if close:
        lines.append(
            "Within a tenth of the best, so that the data do not tell them apart:"
            f" {', '.join(close)}."
        )
    return lines
