"""The rig's command line: reads what is asked for, runs it by the library and shows the results."""

from __future__ import annotations

import ctypes
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from bristle import VERSION, BristleError, native
from bristle.cli.progress import Progress
from bristle.format.archive import opened
from bristle.library import Model, describe
from bristle.systems import (
    BROKE_OFF,
    COMPLETED,
    DOES_NOT_FIT,
    SystemResult,
    Library,
    System,
    element,
)
from bristle.tables import read_table

ROOT = Path(__file__).resolve().parent.parent
HELP = """\
Runs a benchmark system with friction elements from FMUs, once per FMU.

  rig SYSTEM A.fmu [B.fmu ...] [options]     a system with several contacts takes A.fmu for each
                                             of them, or one for each: A.fmu,B.fmu,C.fmu
  rig list [SYSTEM]                          the systems, or all about one
  rig --version                              the version; rig help is this text

  --set NAME=VALUE          parameter of every FMU that has it; CONTACT.NAME=VALUE: at one contact
  --sets NAME|FILE.ssv      parameter set of resources/ by its name, or from a file
  --param NAME=VALUE        parameter of the system
  --input FILE.csv          motion for a system that reads one
  -o FILE.csv               results of all models, a line per model and time; -: standard output
  --stop T                  end of the simulation in s
  --output-interval DT      time between two rows of results in s; 0: a row for every step
  --tolerance R             relative tolerance of the solver, 1e-8 if not given
  --stats                   steps, evaluations, events and time taken, per model
  --warnings                what the FMUs warn of, on the standard error

Exit code: 0 good, 1 a simulation failed, 2 something is wrong with the command or its files.
"""
Assignments = list[tuple[str, str]]


@dataclass
class Order:
    """What a command asks for."""

    system: System
    models: list[str] = field(default_factory=list)  # as given: files joined by commas
    set: Assignments = field(default_factory=list)
    param: Assignments = field(default_factory=list)
    sets: str | None = None  # the name of a set, or a file
    values: Assignments = field(default_factory=list)  # of that file
    input: str | None = None
    table: dict[str, np.ndarray] | None = None
    output: str | None = None
    stop: float | None = None
    interval: float | None = None
    tolerance: float = 1e-8
    statistics: bool = False
    warnings: bool = False

    @property
    def end(self) -> float:
        own = self.system.stop if self.table is None else float(self.table["time"][-1])
        return own if self.stop is None else self.stop


class Elements(NamedTuple):
    """The FMUs at the contacts, as they are described and as the library takes them."""

    label: str
    models: list[Model]
    structures: list[ctypes.Structure]


Results = dict[str, SystemResult]  # by the names of the elements


class Rig:
    """The library of the rig, which lies beside its program."""

    def __init__(self, program: Path) -> None:
        try:
            self.library = Library(ctypes.CDLL(str(program.with_name("librig.so"))))
        except OSError as error:
            raise BristleError(f"{program}: its library cannot be loaded: {error}.") from None

    @property
    def systems(self) -> dict[str, System]:
        return self.library.systems

    def listen(self, on_warning: Callable[[str], object]) -> None:
        self._heard = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(
            lambda text: on_warning(text.decode(errors="replace")) and None
        )
        self.library.library.rig_listen(self._heard)

    def system(self, name: str) -> System:
        if name not in self.systems:
            raise BristleError(
                f'there is no system "{name}"; there are {", ".join(sorted(self.systems))}.'
            )
        return self.systems[name]

    def results(self, words: Sequence[str]) -> dict[str, dict[str, np.ndarray]]:
        """The columns of each model that a command asks for."""
        results = self.run(self.read(words))
        for label, result in results.items():
            if result.outcome == BROKE_OFF:
                raise BristleError(f"{label}: {result.message}")
        return {label: result.columns for label, result in results.items()}

    def read(self, words: Iterable[str]) -> Order:
        """What the words of a command line ask for."""
        order: Order | None = None
        rest = iter(words)
        given: list[tuple[str, str]] = []
        for word in rest:
            if word in FLAGS or word in OPTIONS:
                value = "" if word in FLAGS else next(rest, None)
                if value is None:
                    raise BristleError(f"{word}: its value is missing.")
                given.append((word, value))
            elif word.startswith("-"):
                raise BristleError(f"there is no option {word}; rig --help lists them all.")
            elif order is None:
                order = Order(self.system(word))
            else:
                order.models.append(word)
        if order is None:
            raise BristleError("a system and an FMU are missing; rig --help says more.")
        for option, value in given:
            name = (FLAGS | OPTIONS)[option]
            if option in FLAGS:
                setattr(order, name, True)
            elif name in ("set", "param"):
                getattr(order, name).append(_assignment(option, value))
            else:
                above = LIMITS.get(name)
                setattr(order, name, value if above is None else _number(option, value, above))
        if not order.models:
            raise BristleError("an FMU is missing; rig --help says more.")
        if order.tolerance > 0.1:
            raise BristleError(f"--tolerance {order.tolerance:g}: this is too large.")
        _read_files(order)
        return order

    def run(
        self, order: Order, watch: Callable[[str], Callable[[float], int] | None] = lambda _: None
    ) -> Results:
        """Runs all models that fit; those that do not are named and left out where there are
        others. What is known to be wrong ends all."""
        system = order.system
        compared = [_elements(order, text) for text in order.models]
        for where, values in ((order.sets or "", order.values), ("--set", order.set)):
            _check_known(system, where, values, compared)
        param = {name: _finite(f"--param {name}={value}", value) for name, value in order.param}
        parameters = system.values(param, "--param ")
        results: Results = {}
        for label, models, structures in compared:
            if label in results:
                label += f"#{len(results) + 1}"
            result = self.library.run(
                system,
                structures,
                parameters,
                [
                    (name, _item(known, value))
                    for name, value in [*order.values, *order.set]
                    if (known := _owner(system, name, models))
                ],
                order.end,
                system.interval if order.interval is None else order.interval,
                order.tolerance,
                None if order.values else order.sets,
                order.table,
                watch(label),
            )
            if result.outcome == DOES_NOT_FIT and len(compared) > 1:
                print(f"rig: left out: {result.message}", file=sys.stderr)
            elif result.outcome in (COMPLETED, BROKE_OFF):
                results[label] = result
            else:
                raise BristleError(result.message)
        if not results:
            raise BristleError(f"none of the FMUs fits the system {system.name}.")
        return results


FLAGS = {"--stats": "statistics", "--warnings": "warnings"}
OPTIONS = {
    "--set": "set",
    "--param": "param",
    "--sets": "sets",
    "--input": "input",
    "-o": "output",
    "--stop": "stop",
    "--output-interval": "interval",
    "--tolerance": "tolerance",
}
LIMITS = {"stop": 0.0, "interval": -1e-300, "tolerance": 1e-14}  # to be above these


def _finite(what: str, text: str, meant: str = "a number") -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BristleError(f"{what}: this is not {meant}.")
    return value


def _number(option: str, text: str, above: float) -> float:
    value = _finite(f"{option} {text}", text)
    if value <= above:
        raise BristleError(f"{option} {text}: this is too small.")
    return value


def _assignment(option: str, text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not name or not value:
        raise BristleError(f"{option} {text}: this is not of the form name=value.")
    return name, value


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise BristleError(f"{file}: {error.strerror}.") from None


def _read_files(order: Order) -> None:
    name = order.system.name
    if order.system.reads_table and not order.input:
        raise BristleError(f"the system {name} needs --input with the motion.")
    if order.input and not order.system.reads_table:
        raise BristleError(f"the system {name} reads no motion; --input does not belong here.")
    if order.input:
        order.table = _motion(order.input)
    if order.sets and Path(order.sets).suffix == ".ssv":
        order.values = _set_of_file(order.sets)
    elif order.sets:
        known = sorted(file.stem for file in (ROOT / "resources").glob("*.toml"))
        if order.sets not in known:
            raise BristleError(
                f"--sets {order.sets}: there is no set of this name, and it is no .ssv file; there"
                f" are {', '.join(known)}."
            )


def _motion(file: str) -> dict[str, np.ndarray]:
    _content(file)
    columns = read_table(Path(file)).columns
    time = columns.get("time")
    if next(iter(columns)) != "time" or time is None:
        raise BristleError(f'{file}: the first column is not named "time".')
    if len(columns) < 2:
        raise BristleError(f'{file}: there is no column beside "time".')
    if len(time) < 2:
        raise BristleError(f"{file}: a motion needs at least two rows.")
    if (np.diff(time) < 0).any():
        raise BristleError(f"{file}: the time goes back.")
    if time[0] > 0:
        raise BristleError(f"{file}: the first row is later than time 0.")
    return columns


def _set_of_file(file: str) -> Assignments:
    """The parameters of a set (SSP), whose elements have a prefix for their namespace."""
    try:
        root = ElementTree.fromstring(_content(file))
    except ElementTree.ParseError as error:
        raise BristleError(f"{file}: not a parameter set: {error}.") from None
    values = [
        (parameter.get("name", ""), next((child.get("value", "") for child in parameter), ""))
        for parameter in root.iter()
        if parameter.tag.rpartition("}")[2] == "Parameter"
    ]
    if not values:
        raise BristleError(f"{file}: there is no parameter in it.")
    return values


def _elements(order: Order, text: str) -> Elements:
    """The FMUs of "A.fmu" or "A.fmu,B.fmu,…", one per contact."""
    system, files = order.system, text.split(",")
    count = len(system.contacts)
    if len(files) > count:
        raise BristleError(
            f"{text}: the system {system.name} has {count} contact{' only' if count == 1 else 's'}."
        )
    if 1 < len(files) < count:
        raise BristleError(
            f"{text}: the system {system.name} has {count} contacts, but these are"
            f" {len(files)} FMUs."
        )
    label = "+".join(Path(file).stem for file in files)
    if len(files) == 1:
        files = [_beside(files[0], pattern, system) for pattern in system.beside] or files * count
    found = [_opened(file, order.warnings) for file in files]
    return Elements(label, [about for about, _ in found], [one for _, one in found])


def _beside(given: str, pattern: str, system: System) -> str:
    """The FMU that a contact takes of the folder of the given one."""
    file = Path(given).with_name(f"{pattern.replace('%', Path(given).stem)}.fmu")
    if not file.is_file() and pattern != "%":
        raise BristleError(
            f"{given} does not fit: the system {system.name} needs {file.name} beside it."
        )
    return given if pattern == "%" else str(file)


def _opened(file: str, warns: bool) -> tuple[Model, ctypes.Structure]:
    """An FMU as it is described and as the library takes it, unpacked with its resources."""
    try:
        open(file, "rb").close()
    except OSError as error:
        raise BristleError(f"{file}: {error.strerror}.") from None
    about = describe(Path(file))
    folder = Path(native.library_of(about)._name).parents[2]
    with opened(about.file) as archive:
        members = [name for name in archive.namelist() if name.startswith("resources/")]
        archive.extractall(folder, members)
    return about, element(about, file, Path(file).stem, str(folder), warns)


def _owner(system: System, name: str, models: Sequence[Model]) -> Any:
    """The parameter that a setting NAME or CONTACT.NAME means, of the first that has it."""
    contact, _, inner = name.partition(".")
    if contact in system.contacts:
        name, models = inner, [models[list(system.contacts).index(contact)]]
    owners = (model.by_name.get(name) for model in models)
    return next((one for one in owners if one and one.causality == "parameter"), None)


def _item(parameter: Any, text: str) -> float:
    """A value, or the number of an item that is given by its name."""
    if text in parameter.items:
        return parameter.items.index(text) + 1
    meant = "one of its values" if parameter.items else "a number"
    return _finite(f"{parameter.name}={text}", text, meant)


def _check_known(
    system: System, where: str, values: Assignments, compared: Sequence[Elements]
) -> None:
    """Refuses a name that no FMU knows."""
    for name, value in values:
        if not any(_owner(system, name, one.models) for one in compared):
            known = ", ".join(one.name for one in compared[0].models[0].parameters)
            first = compared[0].label.partition("+")[0]
            raise BristleError(
                f"{where} {name}={value}: no FMU has this parameter; {first} has {known}."
            )


# ---- what is shown ----


def list_systems(rig: Rig, words: Sequence[str]) -> None:
    if words:
        _describe(rig.system(words[0]))
    else:
        for system in rig.systems.values():
            print(f"{system.name:<12} {system.title}")
        print("\nrig list SYSTEM lists the parameters of one.")


def _describe(system: System) -> None:
    print(f"{system.name}: {system.title}\n{system.source}")
    if system.reads_table:
        print(
            "\nNeeds --input FILE.csv: columns time and inputs of the FMU, linear between rows; a"
            " repeated time is a jump."
        )
    else:
        print(f"\nRuns for {system.stop:g} s, a row each {system.interval:g} s")
    if system.parameters:
        print("\nParameters (--param name=value)")
        for one in system.parameters.values():
            print(f"  {one.name:<20} {one.unit:<8} {one.value:<10g} {one.text}")
    for heading, quantities in (("States", system.states), ("Outputs", system.outputs)):
        if quantities:
            print(f"\n{heading}")
            for one in quantities:
                print(f"  {one.name:<20} {one.unit:<8} {one.text}")
    print("\nContacts")
    for contact in system.contacts.values():
        print(f"  {contact.name}, parameter set {contact.set or 'none'}")
        if not system.reads_table:
            print("    gives the FMU", *contact.inputs)
        if contact.outputs:
            print("    takes from it", *contact.outputs)


def write_results(results: Results, output: str) -> None:
    """One line per model and time, with empty cells where a model has no such variable."""
    names = list(dict.fromkeys(name for result in results.values() for name in result.names))
    try:
        with nullcontext(sys.stdout) if output == "-" else open(output, "w") as file:
            file.write(",".join(["model", *names]) + "\n")
            for label, result in results.items():
                places = [result.names.index(name) for name in names if name in result.names]
                cells = ["%.12g" if name in result.names else "" for name in names]
                pattern = ",".join([label.replace("%", "%%"), *cells]) + "\n"
                file.writelines(pattern % tuple(row) for row in result.rows[:, places].tolist())
    except OSError as error:
        raise BristleError(f"{output}: the results cannot be written: {error.strerror}.") from None


def print_summary(results: Results, order: Order) -> None:
    quantities = [*order.system.states, *order.system.outputs]
    print(f"{order.system.name} after {order.end:g} s")
    print(f"{'model':<24}" + "".join(f" {f'{q.name}/{q.unit}':>22}" for q in quantities))
    for label, result in results.items():
        if result.outcome == COMPLETED:
            last = result.rows[-1, 1 : len(quantities) + 1]
            print(f"{label:<24}" + "".join(f" {value:22.6g}" for value in last))


def print_statistics(results: Results) -> None:
    formats = ("9d", "11d", "9d", "7d", "12.4f", "32.1f")
    names = next(iter(results.values())).statistics
    heads = (f"{name:>{form.rstrip('df').partition('.')[0]}}" for name, form in zip(names, formats))
    print(f"{'model':<24}", *heads)
    for label, result in results.items():
        if result.outcome == COMPLETED:
            print(f"{label:<24}", *map(format, result.statistics.values(), formats))


class Watch:
    """Shows how far a run is, on a terminal, and ends it when it is interrupted."""

    def __init__(self) -> None:
        self.interrupted = False
        self.progress = Progress()
        self.shown = 0.0

    def interrupt(self, *_: object) -> None:
        self.interrupted = True

    def __call__(self, label: str) -> Callable[[float], int]:
        def on_progress(fraction: float) -> int:
            now = time.monotonic()
            if now > self.shown + 0.2:
                self.progress.show(f"{label} {100 * fraction:3.0f} %")
                self.shown = now
            return self.interrupted

        return on_progress


def main(program: Path, words: Sequence[str], watch: Watch | None = None) -> int:
    if not words or words[0] in ("help", "--help", "-h"):
        print(HELP, end="", file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    if words[0] == "--version":
        print(f"rig {VERSION}")
        return 0
    try:
        rig = Rig(program)
        if words[0] == "list":
            list_systems(rig, words[1:])
            return 0
        return _execute(rig, rig.read(words), watch or Watch())
    except BristleError as error:
        print(f"rig: {error}", file=sys.stderr)
        return 2


def _execute(rig: Rig, order: Order, watch: Watch) -> int:
    rig.listen(lambda text: print(f"rig: {text}", file=sys.stderr))
    if order.output not in (None, "-"):
        try:
            open(str(order.output), "w").close()
        except OSError as error:
            raise BristleError(f"{order.output}: {error.strerror}.") from None
    with watch.progress:
        results, code = rig.run(order, watch), 0
    for label, result in results.items():
        if result.outcome == BROKE_OFF:
            print(f"rig: {label}: {result.message}", file=sys.stderr)
            code = 1
    if order.output:
        write_results(results, order.output)
    if watch.interrupted:
        return 130
    if not order.output:
        print_summary(results, order)
    if order.statistics:
        print_statistics(results)
    return code
