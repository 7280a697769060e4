"""One run of a sweep: a system of the rig or a record with one set of values, and its
quantities."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from .. import BristleError
from ..expressions import WrongExpression, quantity

Result = dict[str, float | str]  # quantities by name, and "failure" with the reason if it failed


@dataclass(frozen=True)
class Element:
    """An FMU that may run on another machine: its file if that exists there, otherwise its
    content."""

    file: str
    content: bytes

    def path(self) -> Path:
        return (
            Path(self.file)
            if Path(self.file).is_file()
            else _unpacked(Path(self.file).name, self.content)
        )


@lru_cache(maxsize=16)
def _unpacked(name: str, content: bytes) -> Path:
    folder = Path(tempfile.gettempdir()) / f"bristle-{hashlib.sha256(content).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    file = folder / name
    if not file.is_file():
        part = folder / f".{name}.{os.getpid()}"
        part.write_bytes(content)
        part.replace(file)
    return file


@dataclass(frozen=True)
class SystemRun:
    """A system of the rig with a model in all of its contacts."""

    system: str
    element: Element
    of_system: frozenset[str]  # names that are parameters of the system; others are the model's
    fixed: tuple[tuple[str, float], ...]
    quantities: tuple[tuple[str, str], ...]
    stop: float | None
    interval: float
    parameter_set: str | None

    def __call__(self, values: dict[str, float]) -> Result:
        from ..systems import run_system

        everything = dict(self.fixed) | values
        own = {name: value for name, value in everything.items() if name in self.of_system}
        others = {name: value for name, value in everything.items() if name not in self.of_system}
        try:
            columns = run_system(
                self.element.path(),
                self.system,
                own,
                others,
                self.stop,
                self.interval,
                self.parameter_set,
            )
        except BristleError as error:
            return {"failure": str(error)}
        return evaluated(self.quantities, columns)


@dataclass(frozen=True)
class RecordRun:
    """A measured record through a model."""

    element: Element
    time: np.ndarray
    inputs: tuple[tuple[str, np.ndarray], ...]
    measured: np.ndarray
    displacement: np.ndarray
    fixed: tuple[tuple[str, float], ...]
    quantities: tuple[tuple[str, str], ...]

    def __call__(self, values: dict[str, float]) -> Result:
        from ..running import run

        try:
            outputs = run(
                self.element.path(), self.time, dict(self.inputs), dict(self.fixed) | values
            )
        except BristleError as error:
            return {"failure": str(error)}
        scalars = {name: column for name, column in outputs.items() if column.ndim == 1}
        columns = {
            "time": self.time,
            **dict(self.inputs),
            **scalars,
            "measured": self.measured,
            "displacement": self.displacement,
        }
        return evaluated(self.quantities, columns)


def evaluated(quantities: tuple[tuple[str, str], ...], columns: dict[str, np.ndarray]) -> Result:
    """Evaluates the quantities of a run; one that does not exist in it (a level that is never
    crossed) is NaN."""
    result: Result = {}
    for name, expression in quantities:
        try:
            result[name] = quantity(expression, columns)
        except WrongExpression:
            raise
        except BristleError as error:
            result[name] = float("nan")
            result["failure"] = str(error)
    return result
