"""Draws the pictures of pictures.toml for the documentation pages and the README, from the runs of
the report."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bristle.pages.svg import Line, Panel, drawing
from generator.page import PICTURES
from . import motions, sections
from .rig import Experiment, Run
from .sections import AXES, Quantity, read_experiment, read_quantity

HEIGHTS = {1: 320, 2: 210, 3: 180, 4: 170}  # of a panel, by their number
EQUAL_HEIGHT = 400  # of one with the same scale along both axes

Runner = Callable[[str, Experiment], Run]
Named = tuple[str, Run]  # a run and its text in the key


@dataclass(frozen=True)
class Curves:
    """One panel: one or more columns over another."""

    x: Quantity
    ys: tuple[Quantity, ...]
    # of x, in its shown unit; anything outside is left out
    range: tuple[float, float] | None = None
    equal: bool = False  # the same scale along both axes

    def columns(self) -> set[str]:
        return {self.x.column} | {y.column for y in self.ys}

    def panel(self, runs: Sequence[Named]) -> Panel:
        lines = [self._line(y, label, run) for label, run in runs for y in self.ys]
        return Panel(lines, self.x.label, self._vector().label, self.equal)

    def _vector(self) -> Quantity:
        """Returns what the panel shows: a column, or the vector of the columns."""
        return (
            self.ys[0] if len(self.ys) == 1 else Quantity(self.ys[0].column[:-3], self.ys[0].unit)
        )

    def _line(self, y: Quantity, label: str, run: Run) -> Line:
        x = self.x.factor * run.columns[self.x.column]
        low, high = self.range or (-np.inf, np.inf)
        rows = (x >= low) & (x <= high)
        component = AXES[y.column[-3:]].strip() if len(self.ys) > 1 else ""
        return Line(
            x[rows],
            y.factor * run.columns[y.column][rows],
            label or component,
            run.columns["time"][rows],
        )


@dataclass(frozen=True)
class Picture:
    """Experiments, each with the label of its lines, and the panels that show them."""

    name: str
    experiments: tuple[tuple[str, Experiment], ...]
    curves: tuple[Curves, ...]
    models: tuple[str, ...] = ()  # side by side in the README

    def runs(self, model: str, run: Runner) -> Iterator[Named]:
        """Yields the runs that the model fits into."""
        for label, experiment in self.experiments:
            result = run(model, experiment)
            if result and all(one.columns() <= result.columns.keys() for one in self.curves):
                yield label, result

    @property
    def height(self) -> int:
        return EQUAL_HEIGHT if any(one.equal for one in self.curves) else HEIGHTS[len(self.curves)]

    def panels(self, runs: Sequence[Named]) -> list[Panel]:
        return [one.panel(runs) for one in self.curves]


def _curves(x: str, y: str | Sequence[str], options: Mapping[str, Any] | None = None) -> Curves:
    options = options or {}
    limits = options.get("range")
    ys = tuple(read_quantity(text) for text in ([y] if isinstance(y, str) else y))
    return Curves(
        read_quantity(x), ys, tuple(limits) if limits else None, options.get("equal", False)
    )


@cache
def _sections() -> dict[str, dict[str, Any]]:
    entries = tomllib.loads(sections.FILE.read_text(encoding="utf-8"))["section"]
    return {entry["system"]: entry for entry in entries}


def _picture(entry: Mapping[str, Any]) -> Picture:
    case = {**(_sections()[entry["section"]] if "section" in entry else {}), **entry}
    more = {"motion": getattr(motions, case["motion"])()} if "motion" in case else {}
    lines = case.get("lines", [{"label": "", "set": {}}])
    experiments = tuple(
        (line["label"], read_experiment(case | {"set": case.get("set", {}) | line["set"]}, **more))
        for line in lines
    )
    curves = tuple(_curves(*words) for words in case["plots"])
    return Picture(case["name"], experiments, curves, tuple(case.get("models", ())))


def _pictures(kind: str) -> dict[str, Picture]:
    entries = tomllib.loads(PICTURES.read_text(encoding="utf-8"))[kind]
    return {entry["name"]: _picture(entry) for entry in entries}


MODEL_PICTURES = _pictures("model")
README_PICTURES = _pictures("readme")


def wanted(models: Sequence[str]) -> list[tuple[str, Experiment]]:
    """Returns all runs that the pictures need."""
    pairs = [(model, picture) for model in models for picture in MODEL_PICTURES.values()]
    pairs += [
        (model, picture)
        for picture in README_PICTURES.values()
        for model in picture.models
        if model in models
    ]
    return [
        (model, experiment) for model, picture in pairs for _, experiment in picture.experiments
    ]


def model_pictures(model: str, run: Runner) -> dict[str, str]:
    """Draws the pictures of a model by their name, as SVG; only those whose system it fits into."""
    pictures = {}
    for picture in MODEL_PICTURES.values():
        runs = list(picture.runs(model, run))
        if runs:
            named = runs if len(runs) > 1 else [("", runs[0][1])]
            pictures[picture.name] = drawing(picture.panels(named), height=picture.height)
    return pictures


def readme_pictures(models: Sequence[str], run: Runner) -> dict[str, str]:
    """Draws the pictures of the README by their name, as SVG; only those with all models
    present."""
    pictures = {}
    for picture in README_PICTURES.values():
        if not set(picture.models) <= set(models):
            continue
        runs = [
            (model, result) for model in picture.models for _, result in picture.runs(model, run)
        ]
        panels = picture.panels(runs)
        pictures[picture.name] = drawing(panels, width=760, height=340 if len(panels) == 1 else 230)
    return pictures


def write_pictures(folder: Path, pictures: Mapping[str, str], all_are_ours: bool = True) -> None:
    """Writes the pictures of one folder and, if nothing else writes there, removes obsolete
    ones."""
    if pictures:
        folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg") if all_are_ours else ():
        if old.stem not in pictures:
            old.unlink()
    for name, text in pictures.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8", newline="\n")
