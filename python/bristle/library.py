"""Where the FMUs are, and what they say about themselves."""

from __future__ import annotations

from typing import Any
import os
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from . import BristleError
from .format.archive import contents
from .format.facts import Facts, needs, read_facts

PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Variable:
    """One scalar variable of an FMU."""

    name: str
    reference: int
    causality: str  # parameter, input, output or local
    variability: str
    text: str
    unit: str | None
    start: Any  # a float, of an option an int; None where there is none
    min: float | None
    max: float | None
    nominal: float | None
    is_real: bool
    items: tuple[str, ...]  # of a mode or an option, whose values count from 1
    derivative: int | None  # the place of the state whose derivative this is

    @property
    def base(self) -> str:
        """The name of the vector that it is an element of, or its own."""
        return self.name.partition("[")[0]


@dataclass(frozen=True, repr=False)
class Model:
    """What an FMU says about itself; print() shows it."""

    file: Path
    name: str
    title: str
    guid: str
    identifier: str
    variables: tuple[Variable, ...]
    indicators: int = 0  # of events
    facts: Facts = field(default_factory=Facts, compare=False, repr=False)

    def _of(self, causality: str) -> tuple[Variable, ...]:
        return tuple(one for one in self.variables if one.causality == causality)

    @property
    def parameters(self) -> tuple[Variable, ...]:
        return self._of("parameter")

    @property
    def inputs(self) -> tuple[Variable, ...]:
        return self._of("input")

    @property
    def outputs(self) -> tuple[Variable, ...]:
        return self._of("output")

    @property
    def states(self) -> tuple[Variable, ...]:
        return tuple(self.variables[one.derivative - 1] for one in self.variables if one.derivative)

    @property
    def needs(self) -> list[str]:
        """What it asks of its host beside normal force and velocity."""
        has_modes = any(not one.is_real for one in self.variables if one.causality != "parameter")
        inputs = dict.fromkeys(one.base for one in self.inputs)
        return needs(inputs, self.facts.roles, has_modes)

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{len(dict.fromkeys(one.base for one in group))} {name}"
            for name, group in (
                ("inputs", self.inputs),
                ("outputs", self.outputs),
                ("parameters", self.parameters),
            )
        )
        return f"<Model {self.name}: {counts}; print() shows them>"

    def __str__(self) -> str:
        from .showing import text_of

        return text_of(self)

    def __getitem__(self, name: str) -> Variable:
        for one in self.variables:
            if one.name == name:
                return one
        raise BristleError(
            f"{self.name} has no variable {name}{hint(name, [one.name for one in self.variables])}."
        )


def fmu_folders() -> list[Path]:
    """Where FMUs are looked for: BRISTLE_FMUS, dist/ of a checkout, the data of the installed
    package."""
    given = os.environ.get("BRISTLE_FMUS")
    checkout = PACKAGE.parents[1]
    places = [Path(given)] if given else []
    if (checkout / "modelDescription").is_dir():
        places.append(checkout / "dist")
    return [*places, PACKAGE / "data"]


def fmu_folder() -> Path:
    """The first of these folders that has FMUs."""
    for folder in fmu_folders():
        if _names(folder):
            return folder
    raise BristleError(
        f"there are no FMUs in {' or '.join(map(str, fmu_folders()))}: run ./build.sh, or set"
        " BRISTLE_FMUS to their folder."
    )


def _names(folder: Path) -> list[str]:
    files = os.listdir(folder) if folder.is_dir() else []
    return [name.removesuffix(".fmu") for name in files if name.endswith(".fmu")]


def models() -> list[str]:
    """The names of all models.

    >>> "LuGre" in bristle.models()
    True
    """
    return sorted(_names(fmu_folder()))


def fmu(name: str | Path) -> Path:
    """The path of a model's FMU. What ends in .fmu is a path already.

    >>> bristle.fmu("LuGre").name
    'LuGre.fmu'
    """
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(f"a model is given by its name or the path of an FMU, not by {name!r}.")
    if Path(name).suffix == ".fmu":
        if not Path(name).is_file():
            raise BristleError(f"{name}: there is no such file.")
        return Path(name)
    folder = fmu_folder()
    if str(name) not in _names(folder):  # a file system may not tell lugre from LuGre
        raise BristleError(
            f"there is no model {name}{hint(str(name), models())}; bristle list shows all."
        )
    return folder / f"{name}.fmu"


def describe(name: str | Path) -> Model:
    """What an FMU says about itself: inputs, outputs and parameters with their units, defaults and
    limits, parameter sets, equations, and what the model is for. print() shows it all.

    >>> about = bristle.describe("LuGre")
    >>> about.title
    'LuGre friction: a bristle that saturates at the Stribeck curve'
    >>> about["staticFriction"].start, about["bristleStiffness"].unit
    (0.6, 'N/m')
    >>> bristle.describe("Coulomb").needs
    ['externalForce', 'state events']
    """
    file = fmu(name)
    status = file.stat()
    return _read(file.resolve(), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _read(file: Path, *_version: int) -> Model:
    root, _ = contents(file)
    kind = root.find("CoSimulation")
    if root.get("fmiVersion") != "2.0" or kind is None:
        raise BristleError(f"{file}: not an FMU for co-simulation after FMI 2.0.")
    facts = read_facts(file)
    types = {one.get("name"): one for one in root.iterfind("TypeDefinitions/SimpleType")}
    try:
        scalars = root.iterfind("ModelVariables/ScalarVariable")
        variables = tuple(_variable(one, types, facts) for one in scalars)
    except (ValueError, LookupError, OverflowError):
        raise BristleError(
            f"{file}: not an FMU, its modelDescription.xml has a variable without a type, or with"
            " numbers that are none."
        ) from None
    title, indicators = root.get("description", ""), root.get("numberOfEventIndicators", "0")
    if not indicators.isdecimal():
        raise BristleError(f"{file}: not an FMU, its number of event indicators is {indicators}.")
    name, guid = root.get("modelName", ""), root.get("guid", "")
    identifier = kind.get("modelIdentifier", "")
    return Model(file, name, title, guid, identifier, variables, int(indicators), facts)


def _variable(
    element: ElementTree.Element, types: dict[str | None, ElementTree.Element], facts: Facts
) -> Variable:
    kind = element[0]
    declared = types.get(kind.get("declaredType"))

    def number(key: str) -> float | None:
        return None if kind.get(key) is None else float(kind.get(key, ""))

    name, start, items = element.get("name", ""), number("start"), []
    if kind.tag != "Real":
        start = None if start is None else int(start)
        items = list(facts.options.get(name.partition("[")[0], {}))
        if declared is not None:
            items = [one.get("name", "") for one in declared.iterfind("Enumeration/Item")]
    return Variable(
        name=name,
        reference=int(element.get("valueReference", "")),
        causality=element.get("causality", "local"),
        variability=element.get("variability", "continuous"),
        text=element.get("description", ""),
        unit=kind.get("unit"),
        start=start,
        min=number("min"),
        max=number("max"),
        nominal=number("nominal"),
        is_real=kind.tag == "Real",
        items=tuple(items),
        derivative=int(kind.get("derivative", 0)) or None,
    )


def hint(name: str, known: list[str]) -> str:
    """Asks for the one that may have been meant, in brackets."""
    small = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), list(small), n=1)
    return f" (did you mean {small[found[0]]}?)" if found else ""
