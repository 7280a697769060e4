"""Measures what each model can and cannot do, from runs of the rig."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from generator.description import Description

from .motions import creep_and_jerk, shaken
from .rig import Experiment, Run, experiment

SURFACE = "rill2023_model1"
GRIP = 9.0  # s: every body on the belt has broken away by then
REST_SPEED = 1e-6  # m/s
DRIFT_LIMIT = 1e-6  # m
ENERGY_LIMIT = 1e-6  # J


@dataclass(frozen=True)
class Cell:
    text: str
    verdict: str = "plain"  # good, bad or plain


@dataclass(frozen=True)
class Property:
    """A column of the table: its runs and the function that evaluates them."""

    title: str
    text: str
    experiments: tuple[Experiment, ...]
    measure: Callable[[list[Run]], Cell]


def properties(
    static_friction: Mapping[str, float], descriptions: Mapping[str, Description]
) -> list[Property]:
    """Returns all columns; `static_friction` has the coefficient in each system."""
    getting_energy_out = (creep_and_jerk(), shaken())  # of an element that is not passive
    motions = tuple(
        experiment("prescribed", sets=SURFACE, motion=one, interval=0.0)
        for one in getting_energy_out
    )
    hold = experiment("pulse", param={"load": 2.0, "duration": 2.0}, stop=1.0)
    cycle = experiment("pulse", param={"load": 2.0}, interval=0.0)
    belt = experiment("belt", interval=0.0)
    return [
        Property(
            "holds a load",
            "Speed of the body 1 s after a constant load of 2 N, a third of the static limit, was"
            " applied. Below 1 µm/s it counts as at rest.",
            (hold,),
            _holds,
        ),
        Property(
            "drift per cycle",
            "Displacement of the body caused by the second pulse of 2 N. Below 1 µm counts as"
            " none.",
            (cycle,),
            _drift,
        ),
        Property(
            "break-away",
            "Largest friction force before the first slip on the belt, relative to the static"
            " limit of the surface. 1 is the ideal; a model without static friction is not judged.",
            (belt,),
            lambda runs: _breakaway(runs, static_friction.get("belt"), descriptions),
        ),
        Property(
            "passive",
            "Energy that a relaxed element releases under a constant normal force: crept into"
            " tension and jerked, or shaken. “Yes” is a model that is passive under any motion, as"
            " stated on its page; “here only” is one that releases energy in other motions.",
            motions,
            lambda runs: _passive(runs, descriptions),
        ),
        Property(
            "events",
            "Events in 20 s on the belt. A model without them sticks and slips through its"
            " equations alone, which suits importers that handle events poorly.",
            (belt,),
            lambda runs: Cell(
                f"{runs[0].stats['events']:.0f}",
                "good" if runs[0].stats["events"] == 0 else "plain",
            ),
        ),
        Property(
            "evaluations/s",
            "Evaluations of the model per second of simulation on the belt, with CVODE at a"
            " tolerance of 10⁻⁸.",
            (belt,),
            lambda runs: Cell(f"{runs[0].stats['evaluations_per_simulated_second']:.0f}"),
        ),
    ]


def _holds(runs: list[Run]) -> Cell:
    speed = abs(float(runs[0].columns["velocity"][-1]))
    return Cell("yes", "good") if speed < REST_SPEED else Cell(f"creeps {_length(speed)}/s", "bad")


def _drift(runs: list[Run]) -> Cell:
    time, position = runs[0].columns["time"], runs[0].columns["position"]
    drift = float(position[-1] - np.interp(time[-1] / 2, time, position))
    return Cell("none", "good") if abs(drift) < DRIFT_LIMIT else Cell(_length(drift), "bad")


def _breakaway(
    runs: list[Run], static_friction: float | None, descriptions: Mapping[str, Description]
) -> Cell:
    columns = runs[0].columns
    early = columns["time"] < GRIP
    if static_friction is None or "normalForce" not in columns:
        return Cell("–")
    ratio = float(
        np.abs(columns["frictionForce"][early]).max()
        / (static_friction * columns["normalForce"][0])
    )
    if not _has_static_friction(descriptions.get(runs[0].model)):
        return Cell(f"{ratio:.3f}")
    return Cell(f"{ratio:.3f}", "good" if abs(ratio - 1) < 0.01 else "bad")


def _has_static_friction(description: Description | None) -> bool:
    return description is None or any(
        one.name == "staticFriction" for one in description.parameters
    )


def _passive(runs: list[Run], descriptions: Mapping[str, Description]) -> Cell:
    gained = max(-float(_work(run).min()) for run in runs)
    if gained >= ENERGY_LIMIT:
        return Cell(f"gives {1e3 * gained:.3g} mJ", "bad")
    known = descriptions.get(runs[0].model)
    return Cell("yes", "good") if known and known.passive else Cell("here only")


def _work(run: Run) -> np.ndarray:
    """Returns the energy that the element has taken up to each row; force and velocity are linear
    in between."""
    time, force, velocity = (
        run.columns[name] for name in ("time", "frictionForce", "relativeVelocity")
    )
    f0, f1, v0, v1 = force[:-1], force[1:], velocity[:-1], velocity[1:]
    parts = np.diff(time) * (2 * f0 * v0 + f0 * v1 + f1 * v0 + 2 * f1 * v1) / 6
    return np.concatenate([[0.0], np.cumsum(parts)])


def _length(value: float) -> str:
    return f"{1e3 * value:.3g} mm" if abs(value) >= 1e-4 else f"{1e6 * value:.3g} µm"
