"""The experiments of an FMU's reference results: how its inputs move."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

STEP = 1e-3  # s
STEPS = 100
REVERSAL = "reversal"  # whether it uses the first parameter set

Motion = Callable[[int], float]  # of an input at the communication points


@dataclass(frozen=True)
class Input:
    start: float
    size: float  # nominal value


@dataclass(frozen=True)
class Experiment:
    name: str
    text: str
    motions: Mapping[str, Motion]  # other inputs keep their start values


def held(value: float) -> Motion:
    return lambda k: value


def _wave(size: float, mean: float = 0.0, turns: float = 1.0) -> Motion:
    """Makes a sine that begins at its mean and crosses zero between two points: at a point,
    rounding would decide the direction."""
    return lambda k: mean + (size * math.sin(2 * math.pi * turns * (k - 0.5) / STEPS) if k else 0)


def _ramp(first: int, last: int, size: float) -> Motion:
    return lambda k: size * min(max((k - first) / (last - first), 0.0), 1.0)


def experiments_of(inputs: Mapping[str, Input], starts: Mapping[str, float]) -> list[Experiment]:
    """Chooses the experiments of an element with these inputs."""
    velocity = next((name for name in inputs if name.startswith("relative")), "")
    if velocity == "relativeVelocity[1]":
        return _sliding_in_a_plane(inputs)
    if velocity and "normalForce" in inputs:
        return _sliding(velocity, inputs, starts)
    if "penetration" in inputs:
        depth = 5e-4
        press: dict[str, Motion] = {
            "penetration": lambda k: depth * (k / STEPS) ** 2,
            "penetrationRate": lambda k: 2 * depth * k / (STEPS**2 * STEP),
        }
        height, rate = _impact(depth)
        impact: dict[str, Motion] = {
            "penetration": lambda k: -height(k),
            "penetrationRate": lambda k: -rate(k),
        }
        return [
            Experiment("press", "The surfaces are pressed together", press),
            Experiment("impact", "Touch-down, rebound and lift-off", impact),
        ]
    return _sweeps(inputs)


def _sliding(
    velocity: str, inputs: Mapping[str, Input], starts: Mapping[str, float]
) -> list[Experiment]:
    load = next((name for name in inputs if name.startswith("external")), None)
    lever = starts.get("frictionRadius", 1.0)
    normal = inputs["normalForce"].start or inputs["normalForce"].size
    holds = starts.get("staticFriction", 0.5) * normal * lever
    slow, fast = 1e-3 / lever, 0.1 / lever  # amplitudes: 0.03 mm; ten Stribeck velocities
    stick: dict[str, Motion] = {velocity: _wave(slow)}
    apart: dict[str, Motion] = {velocity: lambda k: fast * _ramp(20, STEPS, 1.0)(k) ** 3}
    reversal: dict[str, Motion] = {
        velocity: _wave(fast),
        "normalForce": _wave(0.5 * normal, normal),
    }
    if load:  # for ideal stick
        stick = {velocity: held(0.0), load: _wave(0.5 * holds)}
        apart[load] = _ramp(0, 20, 1.5 * holds)
        reversal[load] = _wave(0.5 * holds)
    return [
        Experiment(
            "stick", "A small motion, or half of the load that stick bears, to and fro", stick
        ),
        Experiment("break_away", "From rest into sliding", apart),
        Experiment(REVERSAL, "Sliding to and fro under a normal force that varies", reversal),
    ]


def _sliding_in_a_plane(inputs: Mapping[str, Input]) -> list[Experiment]:
    x, y, z = (f"relativeVelocity[{i}]" for i in (1, 2, 3))
    turn: dict[str, Motion] = {
        x: lambda k: 0.1 * math.cos(0.5 * math.pi * k / STEPS),
        y: lambda k: 0.1 * math.sin(0.5 * math.pi * k / STEPS),
    }
    stick = Experiment("stick", "A small motion to and fro", {x: _wave(1e-3)})
    about = Experiment("turn", "Sliding that turns by a right angle", turn)
    if "normalForce" in inputs:
        normal = inputs["normalForce"].start or inputs["normalForce"].size
        reversal = {x: _wave(0.1), y: held(0.02), "normalForce": _wave(0.5 * normal, normal)}
        last = Experiment(REVERSAL, "To and fro under a normal force that varies", reversal)
    else:
        height, rate = _impact(5e-4)
        impact = {"pointPosition[3]": height, z: rate, x: held(0.05), y: held(0.0)}
        last = Experiment("impact", "Touch-down while sliding, rebound and lift-off", impact)
    return [stick, about, last]


def _impact(depth: float) -> tuple[Motion, Motion]:
    """Makes the height, and its rate, of a point that comes to a surface and leaves it again."""
    rate = 2 * depth * math.pi / (STEPS * STEP)
    return (
        lambda k: depth * (1 - 2 * math.sin(math.pi * k / STEPS)),
        lambda k: -rate * math.cos(math.pi * k / STEPS),
    )


def _sweeps(inputs: Mapping[str, Input]) -> list[Experiment]:
    alone: dict[str, Motion] = {}
    together: dict[str, Motion] = {}
    for i, (name, one) in enumerate(inputs.items()):
        size, mean = 0.5 * (abs(one.start) or one.size), one.start
        alone[name] = _turn_of(i, len(inputs), size, mean)
        together[name] = _wave(size, mean, 1 + 0.37 * i)
    return [
        Experiment("sweep", "One input after the other to and fro", alone),
        Experiment("together", "All inputs to and fro, each at its own frequency", together),
    ]


def _turn_of(i: int, count: int, size: float, mean: float) -> Motion:
    """Makes a wave in the i-th part of the time only, an even number of steps, so that it crosses
    zero between two points."""
    part = max(2 * (STEPS // (2 * count)), 2)
    wave = _wave(size, mean, STEPS / part)
    return lambda k: wave(k - i * part) if i * part < k <= (i + 1) * part else mean
