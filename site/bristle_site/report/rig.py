"""Runs the rig, the C program that puts FMUs into the papers' benchmark systems."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bristle import BristleError
from bristle.papers import read_csv
from .motions import Motion

PACKAGES = "libsundials-dev libzip-dev libexpat1-dev"


@dataclass(frozen=True)
class Experiment:
    """A system with what is changed in it. Two equal experiments are run once."""

    system: str
    param: tuple[tuple[str, float], ...] = ()
    set: tuple[tuple[str, float], ...] = ()
    stop: float | None = None
    interval: float | None = None
    sets: str | None = None
    motion: Motion | None = None

    def arguments(self) -> list[str]:
        words = [word for name, value in self.param for word in ("--param", f"{name}={value!r}")]
        words += [word for name, value in self.set for word in ("--set", f"{name}={value!r}")]
        words += [] if self.stop is None else ["--stop", repr(self.stop)]
        words += [] if self.interval is None else ["--output-interval", repr(self.interval)]
        return words + ([] if self.sets is None else ["--sets", self.sets])


def experiment(system: str, **options: Any) -> Experiment:
    """An experiment whose tables may be written as dictionaries."""
    tables = {k: tuple(v.items()) for k, v in options.items() if isinstance(v, Mapping)}
    return Experiment(system, **(options | tables))


@dataclass(frozen=True)
class Run:
    """What one model did in one experiment: columns of numbers, or the sentence that says why there
    are none."""

    model: str
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    stats: dict[str, float] = field(default_factory=dict)
    misfit: str = ""
    failure: str = ""

    def __bool__(self) -> bool:
        return bool(self.columns)


class Rig:
    def __init__(self, program: Path) -> None:
        if not program.is_file():
            raise BristleError(
                f"there is no rig at {program}. It runs the systems and is built from a checkout of"
                " Bristle, not part of the wheel: install SUNDIALS, libzip and expat there (on"
                f" Debian: apt-get install {PACKAGES}), run ./report.sh, and give it with --rig or"
                " BRISTLE_RIG."
            )
        self.program = program

    def systems(self) -> list[dict[str, Any]]:
        return json.loads(self._call(["list", "--json"]).stdout)

    def run(self, fmu: Path, experiment: Experiment) -> Run:
        with tempfile.TemporaryDirectory() as folder:
            table, motion = Path(folder) / "run.csv", Path(folder) / "motion.csv"
            words = [
                experiment.system,
                str(fmu),
                *experiment.arguments(),
                "-o",
                str(table),
                "--stats",
            ]
            if experiment.motion:
                motion.write_text(experiment.motion.table(), encoding="utf-8")
                words += ["--input", str(motion)]
            call = self._call(words)
            reason = _reason(call.stderr, fmu)
            if call.returncode == 2:
                return Run(fmu.stem, misfit=reason)
            if call.returncode != 0:
                return Run(fmu.stem, failure=reason)
            columns = read_csv(table)[fmu.stem]
        return Run(fmu.stem, columns, _stats(call.stdout))

    def _call(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(self.program), *words], capture_output=True, text=True)


def _reason(text: str, fmu: Path) -> str:
    """The last line of what the rig says about a failure, without the names of the program and of
    the file."""
    lines = text.strip().splitlines()
    sentence = lines[-1].removeprefix("rig: ") if lines else "no reason given."
    return re.sub(rf"^({re.escape(str(fmu))}|{fmu.stem})(: | )", "", sentence)


def _stats(text: str) -> dict[str, float]:
    """The table that --stats prints: names, then one line of numbers."""
    lines = [line.split() for line in text.splitlines()]
    for names, values in zip(lines, lines[1:], strict=False):
        if names[:2] == ["model", "steps"]:
            return {name: float(value) for name, value in zip(names[1:], values[1:], strict=True)}
    raise BristleError("the rig printed no statistics.")
