"""Pictures for the documentation pages and the README, from the runs of the report: those of pictures.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .rig import Experiment, Run, experiment
from .sections import Plot, read_plot
from .svg import Line, Panel, drawing

FILE = Path(__file__).parent / "pictures.toml"
OPTIONS = ("param", "set", "sets", "stop", "interval")

Runner = Callable[[str, Experiment], Run]


@dataclass(frozen=True)
class Picture:
    """One experiment and the panels that show it."""

    name: str
    experiment: Experiment
    plots: tuple[Plot, ...]
    models: tuple[str, ...] = ()  # side by side in the README

    def fits(self, run: Run) -> bool:
        return bool(run) and all(plot.columns() <= run.columns.keys() for plot in self.plots)

    def panels(self, runs: Sequence[Run], named: bool) -> list[Panel]:
        return [_panel(plot, runs, named) for plot in self.plots]


def _panel(plot: Plot, runs: Sequence[Run], named: bool) -> Panel:
    lines = [
        Line(
            plot.x.factor * run.columns[plot.x.column],
            plot.y.factor * run.columns[plot.y.column],
            run.model if named else "",
            run.columns["time"],
        )
        for run in runs
    ]
    return Panel(lines, plot.x.label, plot.y.label)


def _picture(entry: Mapping[str, Any]) -> Picture:
    options = {key: entry[key] for key in OPTIONS if key in entry}
    plots = tuple(read_plot(*words) for words in entry["plots"])
    return Picture(entry["name"], experiment(entry["system"], **options), plots, tuple(entry.get("models", ())))


def _pictures(kind: str) -> dict[str, Picture]:
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))[kind]
    return {entry["name"]: _picture(entry) for entry in entries}


MODEL_PICTURES = _pictures("model")
README_PICTURES = _pictures("readme")


def wanted(models: Sequence[str]) -> list[tuple[str, Experiment]]:
    """All runs that the pictures need."""
    pairs = [(model, picture.experiment) for model in models for picture in MODEL_PICTURES.values()]
    for picture in README_PICTURES.values():
        pairs += [(model, picture.experiment) for model in picture.models if model in models]
    return pairs


def model_pictures(model: str, run: Runner) -> dict[str, str]:
    """The pictures of a model by their name, as SVG; only those whose system it fits into."""
    pictures = {}
    for picture in MODEL_PICTURES.values():
        result = run(model, picture.experiment)
        if picture.fits(result):
            panels = picture.panels([result], named=False)
            pictures[picture.name] = drawing(panels, height=320 if len(panels) == 1 else 210)
    return pictures


def readme_pictures(models: Sequence[str], run: Runner) -> dict[str, str]:
    """The pictures of the README by their name, as SVG."""
    pictures = {}
    for picture in README_PICTURES.values():
        results = [run(model, picture.experiment) for model in picture.models if model in models]
        panels = picture.panels(results, named=True)
        pictures[picture.name] = drawing(panels, width=760, height=340 if len(panels) == 1 else 230)
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
