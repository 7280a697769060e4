"""Finds the FMUs and describes them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path

from . import BristleError
from .format.archive import contents
from .format.facts import Facts, needs, read_facts
from .format.variables import Variable, token_name, variables_of, version_of

PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True, repr=False, eq=False)
class Model:
    """The description of an FMU; print() shows it."""

    file: Path
    name: str
    title: str
    guid: str
    identifier: str
    variables: tuple[Variable, ...]
    indicators: int = 0  # of events
    version: int = 2  # of FMI
    facts: Facts = field(default_factory=Facts)

    def _of(self, causality: str) -> tuple[Variable, ...]:
        return tuple(one for one in self.variables if one.causality == causality)

    @cached_property
    def parameters(self) -> tuple[Variable, ...]:
        return self._of("parameter")

    @cached_property
    def inputs(self) -> tuple[Variable, ...]:
        return self._of("input")

    @cached_property
    def outputs(self) -> tuple[Variable, ...]:
        return self._of("output")

    @cached_property
    def states(self) -> tuple[Variable, ...]:
        return tuple(self.variables[one.derivative - 1] for one in self.variables if one.derivative)

    @property
    def needs(self) -> list[str]:
        """What it needs from its host beside normal force and velocity."""
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
        if found := self.by_name.get(name):
            return found
        raise BristleError(f"{self.name} has no variable {name}{hint(name, list(self.by_name))}.")

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        return {one.name: one for one in self.variables}

    @cached_property
    def vectors(self) -> dict[str, list[str]]:
        """The names of its elements, by the name of each vector."""
        found: dict[str, list[str]] = {}
        for name in self.by_name:
            if "[" in name:
                found.setdefault(name.partition("[")[0], []).append(name)
        return found


def fmu_folders() -> list[Path]:
    """Lists the folders to search for FMUs: BRISTLE_FMUS, dist/ of a checkout, the data of the
    installed package."""
    given = os.environ.get("BRISTLE_FMUS")
    checkout = PACKAGE.parents[1]
    places = [Path(given)] if given else []
    if (checkout / "modelDescription").is_dir():
        places.append(checkout / "dist")
    return [*places, PACKAGE / "data"]


def fmu_folder(fmi: int = 2) -> Path:
    """Returns the first of these folders with FMUs, or its folder of FMI 3.0."""
    for folder in fmu_folders():
        if _names(folder):
            if fmi == 2:
                return folder
            if _names(folder / "fmi3"):
                return folder / "fmi3"
            raise BristleError(
                f"there are no FMUs of FMI 3.0 in {folder / 'fmi3'}: run ./build.sh."
            )
    raise BristleError(
        f"there are no FMUs in {' or '.join(map(str, fmu_folders()))}: run ./build.sh, or set"
        " BRISTLE_FMUS to their folder."
    )


def _names(folder: Path) -> list[str]:
    files = os.listdir(folder) if folder.is_dir() else []
    return [name.removesuffix(".fmu") for name in files if name.endswith(".fmu")]


def models() -> list[str]:
    """Lists the names of all models.

    >>> "LuGre" in bristle.models()
    True
    """
    return sorted(_names(fmu_folder()))


def fmu(name: str | Path, fmi: int = 2) -> Path:
    """Returns the path of a model's FMU, of FMI 2.0 or, with fmi=3, of 3.0. A path that ends in
    .fmu is returned as it is.

    >>> bristle.fmu("LuGre").name
    'LuGre.fmu'
    """
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(f"a model is given by its name or the path of an FMU, not by {name!r}.")
    if Path(name).suffix == ".fmu":
        if not Path(name).is_file():
            raise BristleError(f"{name}: there is no such file.")
        return Path(name)
    folder = fmu_folder(fmi)
    if str(name) not in _names(folder):  # a file system may take lugre for LuGre
        file = f"{name}.fmu"
        meant = hint(str(name), [file] if Path(file).is_file() else models())
        raise BristleError(f"there is no model {name}{meant}; bristle list shows all.")
    return folder / f"{name}.fmu"


def describe(name: str | Path, fmi: int = 2) -> Model:
    """Describes an FMU: inputs, outputs and parameters with their units, defaults and limits,
    parameter sets, equations, and the model's purpose. print() shows it all.

    >>> about = bristle.describe("LuGre")
    >>> about.title
    'LuGre friction: a bristle that saturates at the Stribeck curve'
    >>> about["staticFriction"].start, about["bristleStiffness"].unit
    (0.6, 'N/m')
    >>> bristle.describe("Coulomb").needs
    ['externalForce', 'state events']
    """
    file = fmu(name, fmi)
    status = file.stat()
    return _read(os.path.abspath(file), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _read(path: str, *_version: int) -> Model:
    file = Path(path).resolve()
    root, _ = contents(file)
    kind, version = root.find("CoSimulation"), version_of(root)
    if not version or kind is None:
        raise BristleError(f"{file}: not an FMU for co-simulation after FMI 2.0 or 3.0.")
    facts = read_facts(file)
    try:
        variables = variables_of(root, facts.options)
    except (ValueError, LookupError, OverflowError):
        raise BristleError(
            f"{file}: its modelDescription.xml has a variable of a type that no element has, or"
            " with numbers that are none."
        ) from None
    marked = len(root.findall("ModelStructure/EventIndicator"))
    title, indicators = (
        root.get("description", ""),
        root.get("numberOfEventIndicators", f"{marked}"),
    )
    if not indicators.isdecimal():
        raise BristleError(f"{file}: not an FMU, its number of event indicators is {indicators}.")
    name, guid = root.get("modelName", ""), root.get(token_name(root), "")
    identifier = kind.get("modelIdentifier", "")
    return Model(file, name, title, guid, identifier, variables, int(indicators), version, facts)


def hint(name: str, known: list[str]) -> str:
    """Suggests the name that may have been meant, in brackets."""
    small = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), list(small), n=1)
    return f" (did you mean {small[found[0]]}?)" if found else ""
