"""Runs the systems with the rig."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bristle import BristleError
from bristle.systems import BROKE_OFF
from rig.command import Order, Rig
from .motions import Motion


@dataclass(frozen=True)
class Experiment:
    """A system with its changes. Equal experiments are run once."""

    system: str
    param: tuple[tuple[str, float], ...] = ()
    set: tuple[tuple[str, float], ...] = ()
    stop: float | None = None
    interval: float | None = None
    sets: str | None = None
    motion: Motion | None = None


def experiment(system: str, **options: Any) -> Experiment:
    """Makes an experiment whose tables may be given as dictionaries."""
    tables = {k: tuple(v.items()) for k, v in options.items() if isinstance(v, Mapping)}
    return Experiment(system, **(options | tables))


@dataclass(frozen=True)
class Run:
    """The result of one model in one experiment: columns of numbers, or the reason why there are
    none."""

    model: str
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    stats: dict[str, float] = field(default_factory=dict)
    misfit: str = ""
    failure: str = ""

    def __bool__(self) -> bool:
        return bool(self.columns)


@cache
def rig_of(program: Path) -> Rig:
    if not program.is_file():
        raise BristleError(
            f"there is no rig at {program}. It runs the systems and is built from a checkout of"
            " Bristle, not part of the wheel: install SUNDIALS there (on Debian: apt-get install"
            " libsundials-dev), run ./report.sh, and give it with --rig or BRISTLE_RIG."
        )
    return Rig(program)


def run(rig: Rig, fmu: Path, experiment: Experiment) -> Run:
    order = Order(
        rig.system(experiment.system),
        [str(fmu)],
        set=[(name, repr(value)) for name, value in experiment.set],
        param=[(name, repr(value)) for name, value in experiment.param],
        sets=experiment.sets,
        table=experiment.motion.columns if experiment.motion else None,
        stop=experiment.stop,
        interval=experiment.interval,
    )
    try:
        (course,) = rig.run(order).values()
    except BristleError as error:
        return Run(fmu.stem, misfit=_reason(str(error), fmu))
    if course.outcome == BROKE_OFF:
        return Run(fmu.stem, failure=_reason(course.message, fmu))
    return Run(fmu.stem, course.columns, course.statistics)


def _reason(sentence: str, fmu: Path) -> str:
    """Returns the sentence without the name of the file."""
    return re.sub(rf"^({re.escape(str(fmu))}|{fmu.stem})(: | )", "", sentence)
