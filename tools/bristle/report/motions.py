"""Motions for the rig's system `prescribed`: the inputs of an element over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Motion:
    """Columns by name, the time first; linear between rows."""

    names: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    def table(self) -> str:
        lines = [",".join(repr(value) for value in row) for row in self.rows]
        return "\n".join([",".join(self.names), *lines, ""])


def motion(columns: Mapping[str, np.ndarray]) -> Motion:
    return Motion(tuple(columns), tuple(zip(*(column.tolist() for column in columns.values()), strict=True)))


def _along_a_line(time: np.ndarray, velocity: np.ndarray) -> Motion:
    """Under the normal force of the papers' mass of 1 kg.

    An element that asks for the force behind the motion is told one that no friction withstands.
    """
    load = np.full(time.size, 9.81)
    push = 98.1 * np.sign(velocity)
    return motion({"time": time, "normalForce": load, "relativeVelocity": velocity, "externalForce": push})


def creep_and_jerk() -> Motion:
    """A slow creep, a short jerk, and the creep again."""
    time = np.array([0.0, 0.1, 3.0, 3.0002, 3.002, 3.0022, 5.0])
    return _along_a_line(time, np.array([0.0, 5e-4, 5e-4, 0.5, 0.5, 5e-4, 5e-4]))


def shaken() -> Motion:
    """To and fro, from 5 to 50 Hz."""
    step = 5e-4
    time = np.arange(0, 0.5, step)
    frequency = 5 * 10 ** (2 * time)
    return _along_a_line(time, 0.02 * np.sin(2 * np.pi * np.cumsum(frequency) * step))
