"""Pictures for the documentation pages and the README, from the runs of the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .rig import Experiment, Run, experiment
from .svg import Line, Panel, drawing

README_MODELS = ("SecondOrderBristle", "LuGre", "Dahl")
SWEEP = experiment("sweep")
LOOP = experiment("hysteresis", sets="rill2023_model1", param={"normalForce": 9.81, "amplitude": 4e-4})
PULSE = experiment("pulse", param={"load": 2.0})
BELT = experiment("belt")
SLOW_SWEEP = experiment("sweep", param={"speed": 0.02})


@dataclass(frozen=True)
class Curve:
    """One panel: the columns to draw, with factor and label for each."""

    x: tuple[str, float, str]
    y: tuple[str, float, str]

    def panel(self, runs: list[Run], named: bool) -> Panel:
        lines = [
            Line(
                self.x[1] * run.columns[self.x[0]],
                self.y[1] * run.columns[self.y[0]],
                run.model if named else "",
                run.columns["time"],
            )
            for run in runs
        ]
        return Panel(lines, self.x[2], self.y[2])

    def drawable(self, run: Run) -> bool:
        return self.x[0] in run.columns and self.y[0] in run.columns


FORCE = ("frictionForce", 1.0, "friction force in N")
FRICTION_CURVE = Curve(("relativeVelocity", 1e3, "relative velocity in mm/s"), FORCE)
POSITION = Curve(("time", 1.0, "time in s"), ("position", 1e3, "position in mm"))
FORCE_OVER_TIME = Curve(("time", 1.0, "time in s"), FORCE)

MODEL_PICTURES = {
    "friction_curve": (SWEEP, (FRICTION_CURVE,)),
    "hysteresis_loop": (LOOP, (Curve(("displacement", 1e3, "displacement in mm"), FORCE),)),
    "pulse_response": (PULSE, (POSITION, FORCE_OVER_TIME)),
}
README_PICTURES = {
    "friction-curve": (SLOW_SWEEP, (FRICTION_CURVE,)),
    "stick-slip": (BELT, (Curve(("time", 1.0, "time in s"), ("position", 1.0, "position in m")), FORCE_OVER_TIME)),
}

Runner = Callable[[str, Experiment], Run]


def model_pictures(model: str, run: Runner) -> dict[str, str]:
    """The pictures of a model by their name, as SVG; only those whose system it fits into."""
    pictures = {}
    for name, (case, curves) in MODEL_PICTURES.items():
        result = run(model, case)
        if result and all(curve.drawable(result) for curve in curves):
            height = 320 if len(curves) == 1 else 210
            pictures[name] = drawing([curve.panel([result], named=False) for curve in curves], height=height)
    return pictures


def readme_pictures(models: list[str], run: Runner) -> dict[str, str]:
    """The pictures of the README by their name, as SVG."""
    pictures = {}
    for name, (case, curves) in README_PICTURES.items():
        results = [run(model, case) for model in README_MODELS if model in models]
        panels = [curve.panel(results, named=True) for curve in curves]
        pictures[name] = drawing(panels, width=760, height=340 if len(panels) == 1 else 230)
    return pictures


def write_pictures(folder: Path, pictures: Mapping[str, str]) -> None:
    """Writes the pictures of one folder and removes those that are no longer made."""
    if pictures:
        folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        if old.stem not in pictures:
            old.unlink()
    for name, text in pictures.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8", newline="\n")
