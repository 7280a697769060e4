"""Makes motions for the rig's system `prescribed`: the inputs of an element over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Motion:
    """Writes columns by name, the time first; linear between rows."""

    names: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    @property
    def columns(self) -> dict[str, np.ndarray]:
        return dict(zip(self.names, np.array(self.rows).T.copy(), strict=True))


def motion(columns: Mapping[str, np.ndarray]) -> Motion:
    return Motion(
        tuple(columns), tuple(zip(*(column.tolist() for column in columns.values()), strict=True))
    )


def _along_a_line(time: np.ndarray, velocity: np.ndarray) -> Motion:
    """Moves an element under the normal force of the papers' mass of 1 kg. One that needs the load
    gets one above any friction limit.
    """
    load = np.full(time.size, 9.81)
    push = 98.1 * np.sign(velocity)
    return motion(
        {"time": time, "normalForce": load, "relativeVelocity": velocity, "externalForce": push}
    )


def creep_and_jerk() -> Motion:
    """Returns slow creep, a short jerk, and the creep again."""
    time = np.array([0.0, 0.1, 3.0, 3.0002, 3.002, 3.0022, 5.0])
    return _along_a_line(time, np.array([0.0, 5e-4, 5e-4, 0.5, 0.5, 5e-4, 5e-4]))


def shaken() -> Motion:
    """Returns a motion to and fro, from 5 to 50 Hz."""
    step = 5e-4
    time = np.arange(0, 0.5, step)
    frequency = 5 * 10 ** (2 * time)
    return _along_a_line(time, 0.02 * np.sin(2 * np.pi * np.cumsum(frequency) * step))


def _in_space(time: np.ndarray, velocity: np.ndarray, normal: np.ndarray) -> Motion:
    """Moves an element under 5 N, the normal force of Colantonio's blades; vectors are rows of
    three."""
    columns = {"time": time, "normalForce": np.full(time.size, 5.0)}
    for name, vectors in {"relativeVelocity": velocity, "contactNormal": normal}.items():
        columns |= {f"{name}[{i}]": component for i, component in enumerate(vectors.T, 1)}
    return motion(columns)


def _upright(time: np.ndarray) -> np.ndarray:
    return np.tile([0.0, 0.0, 1.0], (time.size, 1))


def turn_of_direction() -> Motion:
    """Returns a motion from rest to 10 mm/s along x, then once round at this speed."""
    angle = np.linspace(0, 2 * np.pi, 181)
    time = np.concatenate([[0.0], 1 + angle / (2 * np.pi)])
    circle = 0.01 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    return _in_space(time, np.concatenate([np.zeros((1, 3)), circle]), _upright(time))


def push_across() -> Motion:
    """Returns a steady creep along y, with a motion to and fro along x."""
    time = np.array([0.0, 0.5, 1.0, 2.0, 2.5, 3.0])
    velocity = 1e-3 * np.array(
        [[0, 0, 0], [0, 1, 0], [10, 1, 0], [-10, 1, 0], [0, 1, 0], [0, 1, 0]]
    )
    return _in_space(time, velocity, _upright(time))


def turn_of_plane() -> Motion:
    """Returns a motion between x and y, a stop, and a quarter turn of the plane about y."""
    angle = np.linspace(0, np.pi / 2, 91)
    time = np.concatenate([[0.0, 0.2, 0.4, 0.6], 1 + angle / (np.pi / 2), [2.4]])
    speed = np.array([0.0, 0.01, 0.01, 0.0] + [0.0] * (angle.size + 1))
    tilt = np.concatenate([np.zeros(4), angle, angle[-1:]])
    normal = np.stack([np.sin(tilt), 0 * tilt, np.cos(tilt)], axis=1)
    return _in_space(time, np.outer(speed, [0.6, 0.8, 0]), normal)


def _reactions(
    time: np.ndarray, force: np.ndarray, moment: np.ndarray, **more: np.ndarray
) -> Motion:
    """Writes the loads of a joint; vectors are rows of three."""
    columns = {"time": time}
    for name, vectors in {"reactionForce": force, "reactionMoment": moment}.items():
        columns |= {f"{name}[{i}]": component for i, component in enumerate(vectors.T, 1)}
    return motion(columns | more)


def turn_of_force() -> Motion:
    """Returns 100 N that rotate once about axis 2, from across a pin to along it and back, in 1
    s."""
    time = np.linspace(0, 1, 181)
    angle = 2 * np.pi * time
    return _reactions(
        time,
        100 * np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1),
        np.zeros((time.size, 3)),
    )


def growing_moment() -> Motion:
    """Returns 50 N across a pin, and a bending moment that grows to 2 N.m."""
    return _reactions(
        np.array([0.0, 1.0]), np.array([[50, 0, 0]] * 2), np.array([[0, 0, 0], [2, 0, 0]])
    )


def moving_slide() -> Motion:
    """Returns a slide with 20 N and 2 N.m across its guide, from −80 mm to 80 mm."""
    time = np.linspace(0, 1, 161)
    position = 0.16 * time - 0.08
    return _reactions(
        time,
        np.tile([0, 0, 20], (time.size, 1)),
        np.tile([0, 2, 0], (time.size, 1)),
        slidePosition=position,
    )


def turn_of_moment() -> Motion:
    """Returns 1 N.m that rotates once about axis 3, from along a guide to across it and back, in 1
    s."""
    time = np.linspace(0, 1, 181)
    angle = 2 * np.pi * time
    moment = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    return _reactions(time, np.zeros((time.size, 3)), moment, slidePosition=0 * time)


def reversing_gear() -> Motion:
    """Returns 5 N.m on the load, with a speed from −0.02 to 0.02 rad/s."""
    time = np.linspace(0, 1, 201)
    return motion(
        {
            "time": time,
            "transmittedTorque": 0 * time + 5,
            "relativeAngularVelocity": 0.04 * time - 0.02,
        }
    )


def loaded_gear() -> Motion:
    """Returns a gear at 10 rad/s with a torque from −5 to 5 N.m."""
    time = np.array([0.0, 0.5, 1.0])
    return motion(
        {"time": time, "transmittedTorque": 10 * time - 5, "relativeAngularVelocity": 0 * time + 10}
    )


def winding_rope() -> Motion:
    """Returns 10 N at the slack end, and two turns around the drum."""
    time = np.linspace(0, 1, 101)
    return motion({"time": time, "slackTension": 0 * time + 10, "wrapAngle": 4 * np.pi * time})
