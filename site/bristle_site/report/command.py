"""bristle_site report: runs all, writes the page and, on request, the pictures."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from bristle import BristleError
from bristle.cli.files import check_writable, write_text
from bristle.cli.progress import in_parallel
from bristle.format.archive import contents
from .papers import Case, cases, evaluate
from bristle.systems import System
from generator.description import Reference
from generator.playground import situations
from generator.reading import read_description
from rig.command import Rig
from ..twins import TWINS, without_twins
from . import ROOT
from .page import Model, Number, Report, page_text
from .pictures import model_pictures, readme_pictures, wanted, write_pictures
from .properties import Cell, Property, properties
from .rig import Experiment, Run, rig_of, run
from .sections import section_of, sections


def report(arguments: argparse.Namespace) -> None:
    if not arguments.only_pictures:
        check_writable(arguments.out)
    bench = Bench(rig_of(arguments.rig), arguments.fmus)
    if not arguments.only_pictures:
        _write_page(bench, arguments.out)
    if arguments.pictures or arguments.only_pictures:
        _draw(bench, arguments.pictures_root)


class Bench:
    """Runs models in experiments, each combination once, several at a time."""

    def __init__(self, rig: Rig, fmus: Path) -> None:
        self.rig, self.fmus = rig, fmus
        files = without_twins(sorted(fmus.glob("*.fmu")))
        if not files:
            raise BristleError(f"no FMU in {fmus}: run ./build.sh first.")
        self.models = [Model(file.stem, _title(file)) for file in files]
        self.known: dict[tuple[str, Experiment], Run] = {}

    def run(self, model: str, experiment: Experiment) -> Run:
        """Returns the model in an experiment; if only a twin fits, as in a joint, the twin under
        the name of the model."""
        key = (model, experiment)
        if key not in self.known:
            own = run(self.rig, self.fmus / f"{model}.fmu", experiment)
            twins = [self.fmus / f"{model}{twin}.fmu" for twin in TWINS] if own.misfit else []
            fitting = (run(self.rig, file, experiment) for file in twins if file.is_file())
            self.known[key] = next(
                (replace(twin, model=model) for twin in fitting if not twin.misfit), own
            )
        return self.known[key]

    def run_all(self, wanted: Iterable[tuple[str, Experiment]]) -> None:
        pairs = [pair for pair in dict.fromkeys(wanted) if pair not in self.known]
        in_parallel(
            lambda pair: self.run(*pair), pairs, lambda pair: f"{pair[1].system}  {pair[0]}"
        )

    def numbers(self, all_cases: list[Case]) -> list[Number]:
        return in_parallel(self.number, all_cases, lambda case: case.what)

    def number(self, case: Case) -> Number:
        for model in case.models:
            if not (self.fmus / f"{model}.fmu").is_file():
                return Number(case, None, f"{model}.fmu is not there.")
        try:
            return Number(case, evaluate(case, self.rig.results, self.fmus))
        except BristleError as error:
            return Number(case, None, str(error))


def _write_page(bench: Bench, out: Path) -> None:
    systems = bench.rig.systems
    chapters = sections(systems)
    names = [model.name for model in bench.models]
    described = {
        name: read_description(file)
        for name in names
        if (file := ROOT / "modelDescription" / f"{name}.toml").is_file()
    }
    columns = properties(_static_friction(systems), described)
    experiments = [section.experiment for section in chapters] + [
        one for column in columns for one in column.experiments
    ]
    bench.run_all((name, experiment) for experiment in experiments for name in names)
    cells = {name: [_cell(bench, name, column) for column in columns] for name in names}
    numbers: dict[str, list] = {section.id: [] for section in chapters}
    for number in bench.numbers(cases()):
        numbers[section_of(number.case, chapters).id].append(number)
    content = Report(
        models=bench.models,
        sections=chapters,
        runs={
            section.id: [bench.run(name, section.experiment) for name in names]
            for section in chapters
        },
        numbers=numbers,
        properties=columns,
        cells=cells,
        references=_references(),
        playground=_way_to_playground(out),
        situations={one["system"] for one in situations(ROOT / "playground")},
    )
    text = page_text(content)
    write_text(out, text)
    print(f"{out}  {len(text.encode()) / 1e6:.1f} MB")


def _cell(bench: Bench, model: str, column: Property) -> Cell | None:
    runs = [bench.run(model, experiment) for experiment in column.experiments]
    if any(run.misfit for run in runs):
        return None
    if any(run.failure for run in runs):
        return Cell("fails", "bad")
    return column.measure(runs)


def _draw(bench: Bench, root: Path) -> None:
    names = [model.name for model in bench.models]
    bench.run_all(wanted(names))
    for name in names:
        write_pictures(
            root / "modelDescription" / "pictures" / name, model_pictures(name, bench.run)
        )
    write_pictures(root / "docs", readme_pictures(names, bench.run), all_are_ours=False)
    print(f"{root / 'modelDescription' / 'pictures'}  {len(names)} models")


def _title(fmu: Path) -> str:
    return contents(fmu)[0].get("description", "")


def _static_friction(systems: Mapping[str, System]) -> dict[str, float]:
    """Returns the static friction of each system's first surface, from its parameter set."""
    values = {}
    for system in systems.values():
        file = ROOT / "resources" / f"{next(iter(system.contacts.values())).set}.toml"
        if file.is_file():
            found = tomllib.loads(file.read_text(encoding="utf-8"))["values"]
            if "staticFriction" in found:
                values[system.name] = found["staticFriction"]
    return values


def _way_to_playground(page: Path) -> str | None:
    """Returns the link to the playground beside the report, if it was built."""
    return (
        "../playground/index.html"
        if (page.parent.parent / "playground" / "index.html").is_file()
        else None
    )


def _references() -> dict[str, Reference]:
    file = ROOT / "modelDescription" / "shared" / "references.toml"
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["references"]
    return {
        key: Reference(key, entry["cite"], entry["entry"], entry.get("doi"))
        for key, entry in entries.items()
    }
