"""Measures the coverage of the intervals of identify: records from differential equations that are
written here, not from FMUs, with known parameters."""

import itertools
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

from bristle.identify.fit.candidates import candidate
from bristle.identify.fit.estimate import fit
from bristle.identify.record.reading import Options, read_record

SUBSTEPS = 20
INTERVAL = 0.004
TRUTH = {
    "LuGre": {
        "staticFriction": 20.0,
        "dynamicFriction": 15.0,
        "stribeckVelocity": 0.01,
        "viscousFriction": 60.0,
        "bristleStiffness": 4e5,
        "bristleDamping": 900.0,
    },
    "Dahl": {"dynamicFriction": 15.0, "bristleStiffness": 4e5},
    "SmoothCoulomb": {"dynamicFriction": 15.0, "dynamicVelocity": 0.002},
}
FIXED = {
    "LuGre": {"stribeckExponent": 2.0},
    "Dahl": {"hysteresisExponent": 1.0, "relaxationTime": 0.01},
    "SmoothCoulomb": {},
}


# noise, encoder's step and lag
SENSORS = ((0.003, 0.0, 0), (0.02, 0.0, 0), (0.005, 1e-6, 0), (0.004, 0.0, 1), (0.006, 1e-6, 2))


@dataclass(frozen=True)
class Case:
    law: str
    motion: str  # "sines" or "strokes"
    noise: float  # of the largest force
    step: float  # m: of the encoder; 0: the velocity is measured
    begin: int  # sample at which the record begins: in motion, unless 0
    seed: int
    lag: int = 0  # delay of the force in samples
    # s: of a low-pass filter of the force; without one the noise is that of the case without it
    time_constant: float = field(default=0.0, repr=False)


def velocity(motion, time):
    if motion == "sines":
        return 0.03 * np.sin(4.1 * time) * (1 + 0.6 * np.sin(1.1 * time)) + 0.003 * np.sin(
            13 * time
        )
    return 0.04 * np.tanh(4 * np.sin(2.3 * time)) * (0.25 + 0.75 * np.sin(0.37 * time + 0.5) ** 2)


def friction(law, speeds, step):
    """Returns the force of a law at finely sampled speeds, from an unloaded bristle:
    z' = v − a(v) z is linear in z, and solved exactly with the speed in the middle of a step."""
    p = TRUTH[law]
    if law == "SmoothCoulomb":
        return p["dynamicFriction"] * np.tanh(speeds / p["dynamicVelocity"])
    stiffness = p["bristleStiffness"]

    def level(v):
        if law == "Dahl":
            return np.full_like(v, p["dynamicFriction"])
        fall = np.exp(-((v / p["stribeckVelocity"]) ** 2))
        return p["dynamicFriction"] + (p["staticFriction"] - p["dynamicFriction"]) * fall

    middle = (speeds[1:] + speeds[:-1]) / 2
    rate = stiffness * np.abs(middle) / level(middle)
    kept = np.exp(-rate * step)
    gained = np.where(
        rate * step > 1e-9, middle * (1 - kept) / np.maximum(rate, 1e-300), middle * step
    )
    deflections = np.zeros(len(speeds))
    for i in range(len(middle)):
        deflections[i + 1] = kept[i] * deflections[i] + gained[i]
    force = stiffness * deflections
    if law == "LuGre":
        slip = speeds - stiffness * np.abs(speeds) / level(speeds) * deflections
        force = force + p["bristleDamping"] * slip + p["viscousFriction"] * speeds
    return force


def record_of(case, file, count=900):
    fine = np.arange((count + case.begin) * SUBSTEPS + 1) * INTERVAL / SUBSTEPS
    speeds = velocity(case.motion, fine)
    step = INTERVAL / SUBSTEPS
    positions = np.concatenate(([0.0], np.cumsum((speeds[1:] + speeds[:-1]) / 2) * step))
    force = friction(case.law, speeds, step)
    if case.time_constant:  # y' = (force - y)/T, exactly for steps of the force
        kept = np.exp(-step / case.time_constant)
        force = lfilter([1 - kept], [1, -kept], force)
    force = force[::SUBSTEPS]
    random = np.random.default_rng(zlib.crc32(repr(case).encode()))  # independent noise
    force = force + case.noise * np.abs(force).max() * random.standard_normal(len(force))
    force = np.concatenate((np.full(case.lag, force[0]), force))[: len(force)]
    rows = slice(case.begin, None)
    motion = (
        np.round(positions[::SUBSTEPS] / case.step) * case.step if case.step else speeds[::SUBSTEPS]
    )
    table = np.column_stack([fine[::SUBSTEPS], motion, force])[rows]
    title = "Position [m]" if case.step else "Velocity [m/s]"
    np.savetxt(file, table, "%.10g", ",", header=f"Time [s],{title},Friction [N]", comments="")
    return read_record(file, Options(normal=1.0))


def errors_of(case, file):
    """Returns, for each parameter found determined, the error in half widths of its interval."""
    result = fit(candidate(case.law), [record_of(case, file)], FIXED[case.law])
    truth = TRUTH[case.law]
    return {
        one.name: (one.value - truth[one.name]) / one.half_width
        if one.low <= truth[one.name] <= one.high
        else np.copysign(max(abs(one.value - truth[one.name]) / one.half_width, 1.001),
                         one.value - truth[one.name])
        for one in result.estimates
        if one.determined and one.name in truth
    }  # fmt: skip


def cases(seeds):
    return [
        Case(law, motion, noise, step, begin, seed, lag)
        for law, motion, (noise, step, lag), begin, seed in itertools.product(
            TRUTH, ("sines", "strokes"), SENSORS, (0, 137), seeds
        )
    ]


def run(chosen):
    """Returns the errors of cases, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        return [errors_of(case, Path(folder) / "record.csv") for case in chosen]


def covered(errors):
    """Returns the share of true values in their intervals, their number, and the mean error in half
    widths."""
    values = np.array([value for one in errors for value in one.values()])
    return float(np.mean(np.abs(values) <= 1)), len(values), float(values.mean())
