"""A record through an FMU: one call of `bristle.run` against the same calls from Python through
FMPy."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi2 import FMU2Slave

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
import bristle

SAMPLES, SAMPLES_FMPY, ROUNDS, STEP = 50_000, 2_000, 7, 1e-3
MODELS = ("LuGre", "ImplicitBristle", "SecondOrderBristle", "StaticRegularized")


@dataclass(frozen=True)
class Row:
    """Time per sample in microseconds on the processor."""

    model: str
    inputs: str
    ours: float
    calls: float  # of FMPy's class for FMUs, as lean as Python can be
    simulate: float  # by simulate_fmu, as most people use FMPy; it moves the inputs linearly


def record(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Times and, sample by sample, normal force and velocity: slow reversals under a pulsating
    load."""
    moments = np.arange(count) * STEP
    normal, speed = (
        9.81 * (1 + 0.1 * np.sin(2 * np.pi * 3 * moments)),
        0.1 * np.sin(2 * np.pi * 2 * moments),
    )
    return moments, np.stack([normal, speed], axis=1)


def rows(folder: Path) -> Iterator[Row]:
    os.environ["BRISTLE_FMUS"] = str(folder.resolve())  # where the runner is, too
    for model in MODELS:
        file = folder / f"{model}.fmu"
        for how in ("hold", "linear"):
            if file.is_file():
                yield measure(file, how)


def measure(file: Path, how: str) -> Row:
    moments, inputs = record(SAMPLES)
    given = {"normalForce": inputs[:, 0], "relativeVelocity": inputs[:, 1]}

    def run_here() -> np.ndarray:
        return bristle.run(file, moments, given, outputs=["frictionForce"], interpolate=how)[
            "frictionForce"
        ]

    unpacked = extract(file)
    run_there = fmpy_run(file, unpacked, how)
    if not np.array_equal(run_there(), run_here()[:SAMPLES_FMPY]):
        raise SystemExit(f"bench: {file.stem}: the runner and FMPy do not give the same numbers.")
    row = Row(
        file.stem,
        how,
        least(run_here) / SAMPLES,
        least(run_there) / SAMPLES_FMPY,
        least(simulation(file, unpacked)) / SAMPLES_FMPY,
    )
    shutil.rmtree(unpacked, ignore_errors=True)
    return row


def fmpy_run(file: Path, unpacked: str, how: str) -> Callable[[], np.ndarray]:
    about = read_model_description(file)
    reference = {one.name: one.valueReference for one in about.modelVariables}
    signals, force = (
        [reference["normalForce"], reference["relativeVelocity"]],
        [reference["frictionForce"]],
    )
    moments, inputs = record(SAMPLES_FMPY)
    rows, lengths = inputs.tolist(), np.diff(moments).tolist()
    rates, held = [], inputs[0]  # moving inputs are not set anew, as in the runner
    for row, length in zip(inputs[1:], lengths, strict=True):
        rate = (row - held) / length
        held = held + length * rate
        rates.append(rate.tolist())

    def run_there() -> np.ndarray:
        slave = FMU2Slave(
            guid=about.guid,
            unzipDirectory=unpacked,
            modelIdentifier=about.coSimulation.modelIdentifier,
            instanceName="fmpy",
        )
        slave.instantiate()
        slave.setReal(signals, rows[0])
        slave.setupExperiment(startTime=0.0)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        forces = slave.getReal(force)
        for i, length in enumerate(lengths):
            if how == "linear":
                slave.setRealInputDerivatives(signals, [1, 1], rates[i])
            slave.doStep(moments[i], length)
            if how == "hold":
                slave.setReal(signals, rows[i + 1])
            forces += slave.getReal(force)
        slave.terminate()
        slave.freeInstance()
        return np.array(forces)

    return run_there


def simulation(file: Path, unpacked: str) -> Callable[[], object]:
    about = read_model_description(file)
    moments, inputs = record(SAMPLES_FMPY)
    kinds = [("time", float), ("normalForce", float), ("relativeVelocity", float)]
    signals = np.array(
        [(t, *row) for t, row in zip(moments.tolist(), inputs.tolist(), strict=True)], dtype=kinds
    )
    options = {
        "fmi_type": "CoSimulation",
        "input": signals,
        "output": ["frictionForce"],
        "output_interval": STEP,
        "stop_time": moments[-1],
    }
    return lambda: simulate_fmu(unpacked, model_description=about, **options)


def least(work: Callable[[], object]) -> float:
    """The least time on the processor of several rounds, in microseconds."""
    times = []
    for _ in range(ROUNDS):
        begun = time.thread_time()
        work()
        times.append(time.thread_time() - begun)
    return 1e6 * min(times)


def in_parallel(folder: Path) -> float:
    """How many times faster two records run at a time than one after the other, by the clock."""
    moments, inputs = record(SAMPLES)
    sets = [{"staticFriction": 0.6 + 0.01 * i} for i in range(8)]
    given = {"normalForce": inputs[:, 0], "relativeVelocity": inputs[:, 1]}

    def clock(workers: int) -> float:
        begun = time.perf_counter()
        bristle.run_many(
            folder / "LuGre.fmu", moments, given, sets, ["frictionForce"], workers=workers
        )
        return time.perf_counter() - begun

    return min(clock(1) for _ in range(3)) / min(
        clock(min(2, os.cpu_count() or 1)) for _ in range(3)
    )
