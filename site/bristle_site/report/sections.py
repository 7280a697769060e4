"""The sections of the report: a benchmark system each, with its text, its plots and its printed
numbers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bristle import BristleError
from .papers import Case
from bristle.systems import System
from .rig import Experiment, experiment

FILE = Path(__file__).parent / "sections.toml"
OPTIONS = ("param", "set", "sets", "stop", "interval")  # of an experiment
FACTORS = {"ms": 1e3, "mm": 1e3, "um": 1e6, "mm/s": 1e3, "mJ": 1e3, "mrad": 1e3, "mrad/s": 1e3}
LARGER = {
    "um": "mm",
    "mm": "m",
    "ms": "s",
    "mm/s": "m/s",
    "mJ": "J",
    "mrad": "rad",
    "mrad/s": "rad/s",
}
COLUMN = re.compile(r"(\S+) \[(.+)\]")
AXES = {"[1]": " x", "[2]": " y", "[3]": " z"}


@dataclass(frozen=True)
class Quantity:
    """A column of the rig's table and its shown unit."""

    column: str
    unit: str

    @property
    def factor(self) -> float:
        return FACTORS.get(self.unit, 1.0)

    def readable(self, largest: float, limit: float) -> Quantity:
        """Returns the same in a larger unit, if numbers would reach the limit."""
        larger = LARGER.get(self.unit)
        return (
            Quantity(self.column, larger).readable(largest, limit)
            if larger and largest * self.factor >= limit
            else self
        )

    @property
    def words(self) -> str:
        return in_words(self.column)

    @property
    def label(self) -> str:
        return self.words if self.unit == "1" else f"{self.words} in {pretty_unit(self.unit)}"


def pretty_unit(unit: str) -> str:
    """Writes N.m as N·m, m/s2 as m/s², um as µm; a ratio has no unit."""
    if unit == "1":
        return ""
    return re.sub(r"(?<=[a-z])2$", "²", unit.replace(".", "·")).replace("um", "µm")


def in_words(name: str) -> str:
    """Writes trolley1.normalForce as trolley 1 normal force, frictionForce[2] as friction force
    y."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=\d)|\.", " ", name).lower()
    return re.sub(r"\[[123]\]", lambda index: AXES[index.group()], spaced)


@dataclass(frozen=True)
class Plot:
    x: Quantity
    y: Quantity
    reference: str | None = None  # column to compare with
    range: tuple[float, float] | None = None  # of x, in its shown unit; all of it if not given

    @property
    def title(self) -> str:
        return self.y.words.capitalize() + (
            "" if self.x.column == "time" else f" over {self.x.words}"
        )

    def columns(self) -> set[str]:
        return {self.x.column, self.y.column} | ({self.reference} if self.reference else set())


@dataclass(frozen=True)
class Section:
    id: str
    title: str
    text: str
    system: System
    experiment: Experiment
    plots: tuple[Plot, ...]


def sections(systems: Mapping[str, System]) -> list[Section]:
    """Returns the sections of sections.toml, then one for each other system that needs no file."""
    known = tomllib.loads(FILE.read_text(encoding="utf-8"))
    by_name = {name: system for name, system in systems.items() if not system.reads_table}
    entries = [entry for entry in known["section"] if entry["system"] in by_name]
    named = {entry["system"] for entry in entries}
    entries += [{"system": name} for name in by_name if name not in named]
    return [
        _section(entry, by_name[entry["system"]], known["default"]["plots"]) for entry in entries
    ]


def _section(entry: Mapping[str, Any], system: System, default: list[list[str]]) -> Section:
    changes = "".join(f"-{name}-{value}" for name, value in entry.get("param", {}).items())
    plots = tuple(_plot(*words) for words in entry.get("plots", default + _over_time(system)))
    return Section(
        id=re.sub(r"[^\w-]", "_", entry["system"] + changes),
        title=entry.get("title", system.title),
        text=" ".join(entry.get("text", "").split()),
        system=system,
        experiment=read_experiment(entry),
        plots=plots,
    )


def read_experiment(entry: Mapping[str, Any], **more: Any) -> Experiment:
    """Reads an experiment from the TOML files."""
    return experiment(
        entry["system"], **{key: entry[key] for key in OPTIONS if key in entry}, **more
    )


def _over_time(system: System) -> list[list[str]]:
    """Makes a plot for each state and output of a system."""
    return [["time [s]", f"{one.name} [{one.unit}]"] for one in (*system.states, *system.outputs)]


def _plot(x: str, y: str, options: Mapping[str, Any] | None = None) -> Plot:
    options = options or {}
    limits = options.get("range")
    return Plot(
        read_quantity(x),
        read_quantity(y),
        options.get("reference"),
        tuple(limits) if limits else None,
    )


def read_quantity(text: str) -> Quantity:
    """Reads a column with its unit, as in "position [mm]"."""
    match = COLUMN.fullmatch(text)
    if not match:
        raise BristleError(f'"{text}" is not "column [unit]".')
    return Quantity(*match.groups())


def section_of(case: Case, all_sections: Sequence[Section]) -> Section:
    """Finds the section that shows the system of a printed number, preferably with the same
    changes."""
    candidates = [section for section in all_sections if section.system.name == case.system]
    if not candidates:
        raise BristleError(f'{case.id}: "{case.system}" is not a system of the rig.')
    wanted = {name: float(value) for name, value in case.param.items()}
    for section in candidates:
        if wanted and {name: float(value) for name, value in section.experiment.param} == wanted:
            return section
    return candidates[0]
