"""Reads a description from TOML, merges it with its shared parts and checks it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bristle.format.facts import IN_WORDS, MODEL_KINDS
from ..description import (
    Bound,
    Bounded,
    Choice,
    Coupling,
    Description,
    Equation,
    Reference,
    Table,
    Unit,
    Variable,
)
from .checks import check_bounds, check_names
from .files import DescriptionError, Sources
from .frames import frame_of
from .keys import (
    CHOICE_KEYS,
    COUPLING_LISTS,
    COUPLING_TABLES,
    EQUATION_KEYS,
    EXPERIMENT_KEYS,
    OPTIONAL_COUPLING,
    PAGE_TABLE_KEYS,
    TABLE_KEYS,
    TOP_KEYS,
    VECTORS,
    WHOLE_KEYS,
)
from .shared import rate_unit, read_references, read_units
from .twins import twin_of

__all__ = ["DescriptionError", "read_description"]

OBSERVED = ("observed_load",)
# of the default experiment: FMPy then has enough steps for two reversals between two outputs
# (docs/design.md)
TOLERANCE = 3e-5


def bound(relation: str, limit: float | str) -> Bound:
    return Bound(relation, limit if isinstance(limit, str) else float(limit))


def read_description(file: Path, twin: str | None = None) -> Description:
    """Reads and checks the description of the model in this file, or of its twin of this name."""
    return _Reader(file, twin).read()


class _Reader(Sources):
    """Reads one description."""

    def __init__(self, file: Path, twin: str | None = None) -> None:
        super().__init__(file)
        self.twin = twin

    def read(self) -> Description:
        if not self.file.is_file():
            raise DescriptionError(self.file, "", "there is no such file")
        self.units = read_units(self)
        self.literature = read_references(self)
        data = self.merge(self.file)
        law, unobserved = self.check_tables(data), self.observed(data)
        if self.twin:
            data = twin_of(self, self.twin, data, self.kind(data))
        tables = self.check_tables(data)
        states = tuple(self.state(name, entry) for name, entry in tables["states"].items())
        # the variables of the law come first
        own = sorted(
            tables["parameters"].items(), key=lambda item: self.is_of_the_interface(item[0])
        )
        parameters = [
            self.variable("parameters", name, entry)
            for name, entry in own
            if not {"items", "whole"} & entry.keys()
        ]
        parameters += [state.start_parameter for state in states if state.start_parameter]
        inputs, outputs = self.variables("inputs", tables), self.variables("outputs", tables)
        observed = self.observed(data)
        stop, step, tolerance = self.experiment(data)
        options = tuple(
            self.choice("parameters", name, entry) for name, entry in own if "items" in entry
        )
        options += tuple(
            self.whole_number(f"parameters.{name}", name, entry)
            for name, entry in own
            if "items" not in entry and "whole" in entry
        )
        named: dict[str, Iterable[Any]] = {
            "parameters": parameters,
            "options": options,
            "inputs": inputs,
            "outputs": outputs,
            "inputs or outputs": inputs + outputs,
        }
        description = Description(
            file=self.file,
            name=self.file.stem + (self.twin or ""),
            title=self.required(data, "", "title"),
            summary=self.required(data, "", "summary").strip(),
            sign_convention=self.required(data, "", "sign_convention").strip(),
            linear_states=data.get("linear_states", False),
            kind=self.kind(data),
            passive=data.get("passive", True),
            passive_with=self.passive_with(data),
            energy=self.energy(data),
            indicators=data.get("indicators", 1),
            stop=stop,
            step=step,
            tolerance=tolerance,
            parameters=tuple(parameters),
            options=options,
            inputs=inputs,
            states=states,
            outputs=tuple(output for output in outputs if output.name not in observed),
            modes=tuple(
                self.choice("modes", name, entry) for name, entry in tables["modes"].items()
            ),
            coupling=self.coupling(data, named),
            equations=self.equations(data),
            tables=tuple(
                self.page_table(f"tables[{i}]", entry)
                for i, entry in enumerate(data.get("tables", []), 1)
            ),
            choose=self.texts(data, "choose"),
            identify=self.texts(data, "identify"),
            not_modelled=self.texts(data, "not_modelled", required=True),
            errata=self.texts(data, "errata"),
            bounded=self.bounded(data),
            references=self.cited(data),
            files=tuple(self.files),
        )
        frame = frame_of(
            description,
            self.variables("inputs", law),
            tuple(one for one in self.variables("outputs", law) if one.name not in unobserved),
            tables,
        )
        description = replace(description, frame=frame)
        check_names(self, description)
        check_bounds(self, description)
        return description

    def is_of_the_interface(self, parameter: str) -> bool:
        """Checks whether a parameter comes with the inputs of a shared file, or with a twin."""
        return self.origin.get(f"parameters.{parameter}") in self.interfaces

    def check_tables(self, data: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Returns the tables of variables; refuses unknown keys."""
        self.check_keys("", data, TOP_KEYS)
        tables = {table: data.get(table, {}) for table in TABLE_KEYS}
        for table, keys in TABLE_KEYS.items():
            for name, entry in tables[table].items():
                self.check_entry(f"{table}.{name}", entry, keys)
        return tables

    # Single values

    def kind(self, data: dict[str, Any]) -> str:
        """Returns the kind of model for the table; unless given, it follows from inputs and
        states."""
        inputs = set(data.get("inputs", {})) - {"normalForce", "relativeVelocity"}
        load = inputs == {"externalForce"}
        found = (
            "ideal stick"
            if load
            else "spatial"
            if inputs
            else "bristle"
            if data.get("states")
            else "regularized"
        )
        kind = data.get("kind", found)
        if kind not in MODEL_KINDS:
            raise self.error("kind", f"has to be one of {', '.join(MODEL_KINDS)}")
        return kind

    def passive_with(self, data: dict[str, Any]) -> str:
        """Returns the item of an option that makes a model passive which by default is not."""
        item = data.get("passive_with", "")
        options = [entry for entry in data.get("parameters", {}).values() if entry.get("items")]
        others = [
            name
            for entry in options
            for i, (name, _) in enumerate(entry["items"], 1)
            if i != entry.get("start", 1)
        ]
        if item and (data.get("passive", True) or item not in others):
            raise self.error(
                "passive_with",
                "has to be an item, but not the default, of an option of a model that is not"
                " passive",
            )
        return item

    def energy(self, data: dict[str, Any]) -> str:
        """Returns the remark on the energy balance; a model that is not passive needs one."""
        return (
            data.get("energy", "")
            if data.get("passive", True)
            else self.required(data, "", "energy")
        ).strip()

    def bounded(self, data: dict[str, Any]) -> Bounded:
        entry = data.get("bounded", {})
        self.check_keys("bounded", entry, dict.fromkeys(("systems", "numbers"), "table"))
        return Bounded(**entry)

    def experiment(self, data: dict[str, Any]) -> tuple[float, float, float]:
        entry = self.required(data, "", "experiment")
        self.check_entry("experiment", entry, EXPERIMENT_KEYS)
        entry = {"tolerance": TOLERANCE} | entry
        for key in EXPERIMENT_KEYS:
            if self.required(entry, "experiment", key) <= 0:
                raise self.error(f"experiment.{key}", "has to be above 0")
        return float(entry["stop"]), float(entry["step"]), float(entry["tolerance"])

    # The loop over the body

    def observed(self, data: dict[str, Any]) -> list[str]:
        """Returns the outputs of the observer, which the law does not have."""
        return [data.get("coupling", {}).get(key, "") for key in OBSERVED]

    def coupling(
        self, data: dict[str, Any], variables: dict[str, Iterable[Any]]
    ) -> Coupling | None:
        entry = data.get("coupling", {})
        if "mass" not in entry:
            return None
        self.check_keys(
            "coupling",
            entry,
            dict.fromkeys(COUPLING_TABLES, "text") | dict.fromkeys(COUPLING_LISTS, "list"),
        )

        def named(key: str, table: str, name: Any) -> Any:
            for one in variables[table]:
                if one.name == name:
                    return one
            raise self.error(f"coupling.{key}", f'"{name}" is not one of the {table}')

        wanted = [key for key in COUPLING_TABLES if key in entry or key not in OPTIONAL_COUPLING]
        found = {
            key: named(key, COUPLING_TABLES[key], self.required(entry, "coupling", key))
            for key in wanted
        }
        sizes = {found[key].size for key in VECTORS if key in found}
        if len(sizes) > 1:
            raise self.error(
                "coupling", "velocity, force, load and normal have to have the same size"
            )
        known = {one.name: one for one in variables["parameters"]}
        for key in ("limit", "ratio", "preload", "lever"):
            # the first of the names that the model has
            having = [known[name] for name in entry.get(key, []) if name in known]
            if having:
                found[key] = having[0]
        return Coupling(
            **found,
            proportional=tuple(
                named("proportional", "outputs", name)
                for name in self.required(entry, "coupling", "proportional")
            ),
        )

    # Variables

    def unit(self, path: str, entry: dict[str, Any]) -> Unit:
        name = self.required(entry, path, "unit")
        if name not in self.units:
            raise self.error(
                f"{path}.unit", f'"{name}" is not a unit of {self.shared / "units.toml"}'
            )
        return self.units[name]

    def variables(self, table: str, tables: dict[str, dict[str, Any]]) -> tuple[Variable, ...]:
        return tuple(self.variable(table, name, entry) for name, entry in tables[table].items())

    def variable(self, table: str, name: str, entry: dict[str, Any]) -> Variable:
        path = f"{table}.{name}"
        symbol = self.required(entry, path, "symbol")
        unit = self.unit(path, entry)
        if entry.get("display") is not None and entry["display"] not in unit.displays:
            raise self.error(
                f"{path}.display", f'"{entry["display"]}" is not a display unit of {unit.name}'
            )
        if entry.get("nominal", 1) <= 0:
            raise self.error(f"{path}.nominal", "has to be above 0")
        size = self.size(path, entry)
        return Variable(
            name=name,
            symbol=symbol,
            latex=entry.get("latex", symbol),
            text=self.required(entry, path, "text"),
            unit=unit,
            display=entry.get("display"),
            size=size,
            starts=self.starts(path, entry, size) if table != "outputs" else (),
            nominal=entry.get("nominal"),
            bounds=tuple(bound(key, entry[key]) for key in IN_WORDS if key in entry),
        )

    def state(self, name: str, entry: dict[str, Any]) -> Variable:
        """Reads a state with its derivative and the parameter for its initial value."""
        value = self.variable("states", name, entry)
        rate = rate_unit(self, self.units, f"states.{name}", value.unit)
        derivative = Variable(
            name=f"der({name})",
            symbol=f"d{value.symbol}",
            latex=rf"\dot{{{value.latex}}}",
            text=f"Rate of {name}",
            unit=rate,
            size=value.size,
        )
        start = replace(
            value,
            name=f"{name}Start",
            symbol=f"{value.symbol}_start",
            latex=f"{value.latex}(0)",
            text=f"Initial value of {name}",
        )
        return replace(value, starts=(), bounds=(), derivative=derivative, start_parameter=start)

    def size(self, path: str, entry: dict[str, Any]) -> int | None:
        size = entry.get("size")
        if size is not None and size < 1:
            raise self.error(f"{path}.size", "has to be at least 1")
        return size

    def starts(self, path: str, entry: dict[str, Any], size: int | None) -> tuple[float, ...]:
        start = self.required(entry, path, "start")
        if not isinstance(start, list):
            return (float(start),) * (size or 1)
        if size is None or len(start) != size:
            raise self.error(f"{path}.start", "a list needs as many numbers as the size says")
        if not all(isinstance(value, (int, float)) and math.isfinite(value) for value in start):
            raise self.error(f"{path}.start", "has to be a list of finite numbers")
        return tuple(float(value) for value in start)

    def choice(self, table: str, name: str, entry: dict[str, Any]) -> Choice:
        path = f"{table}.{name}"
        for key in entry:
            if key not in CHOICE_KEYS and key not in ("output", "start"):
                raise self.error(f"{path}.{key}", "does not go with items")
        items = self.required(entry, path, "items")
        for item in items:
            if not (
                isinstance(item, list)
                and len(item) == 2
                and all(isinstance(part, str) for part in item)
            ):
                raise self.error(f"{path}.items", "each item has to be a name and a text")
            if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", item[0]):
                raise self.error(f"{path}.items", f'"{item[0]}" has to be a capitalised word')
        names = [item[0] for item in items]
        if len(set(names)) < len(names):
            raise self.error(f"{path}.items", "an item occurs twice")
        start = entry.get("start", 1)
        if not isinstance(start, int) or not 1 <= start <= len(items):
            raise self.error(f"{path}.start", f"has to be the number of an item, 1 to {len(items)}")
        return Choice(
            name=name,
            symbol=self.required(entry, path, "symbol"),
            text=self.required(entry, path, "text"),
            items=tuple((item[0], item[1]) for item in items),
            size=self.size(path, entry),
            output=entry.get("output", False),
            start=start,
        )

    def whole_number(self, path: str, name: str, entry: dict[str, Any]) -> Choice:
        for key in entry:
            if key not in WHOLE_KEYS:
                raise self.error(f"{path}.{key}", "does not go with whole")
        start, most = self.required(entry, path, "start"), self.required(entry, path, "at_most")
        if (
            entry["whole"] is not True
            or not all(isinstance(number, int) and 1 <= number < 2**31 for number in (start, most))
            or start > most
        ):
            raise self.error(
                path,
                "a whole number needs whole = true, and for start and at_most whole numbers from 1"
                " on, start being the smaller one",
            )
        return Choice(
            name,
            self.required(entry, path, "symbol"),
            self.required(entry, path, "text"),
            items=(),
            start=start,
            at_most=most,
        )

    # Texts and literature

    def equations(self, data: dict[str, Any]) -> tuple[Equation, ...]:
        """Reads the equations, those of the model first; without one of these a model has no
        law."""
        entries = self.required(data, "", "equations")
        found = tuple(self.equation(i, entry) for i, entry in enumerate(entries))
        if all(entry.get("last") for entry in entries):
            raise self.error("equations", "is missing")
        return found

    def equation(self, index: int, entry: Any) -> Equation:
        path = f"equations[{index + 1}]"
        self.check_entry(path, entry, EQUATION_KEYS)
        key, _, place = entry.get("source", "").partition(" ")
        return Equation(
            text=self.required(entry, path, "text"),
            latex=" ".join(
                self.required(entry, path, "latex").split()
            ),  # independent of line breaks
            reference=self.reference(f"{path}.source", key) if key else None,
            place=place,
        )

    def page_table(self, path: str, entry: Any) -> Table:
        self.check_entry(path, entry, PAGE_TABLE_KEYS)
        head, rows = (self.required(entry, path, key) for key in ("head", "rows"))
        for row in [head, *rows]:
            if (
                not isinstance(row, list)
                or len(row) != len(head)
                or not all(isinstance(cell, str) for cell in row)
            ):
                raise self.error(
                    f"{path}.rows",
                    "has to be a list of rows with a text for each column of the head",
                )
        return Table(self.required(entry, path, "title"), tuple(head), tuple(map(tuple, rows)))

    def reference(self, path: str, key: str) -> Reference:
        """Finds a reference by its key; the year may be left out where the key is unique without
        it."""
        if key in self.literature:
            return self.literature[key]
        matches = [
            entry for name, entry in self.literature.items() if name.rstrip("0123456789") == key
        ]
        if len(matches) != 1:
            raise self.error(
                path, f'"{key}" is not a reference of {self.shared / "references.toml"}'
            )
        return matches[0]

    def cited(self, data: dict[str, Any]) -> tuple[Reference, ...]:
        """Returns the references of the list and of the equations, each once."""
        found = [self.reference("references", key) for key in self.texts(data, "references")]
        for i, entry in enumerate(data.get("equations", [])):
            equation = self.equation(i, entry)
            if equation.reference:
                found.append(equation.reference)
        return tuple(sorted(set(found), key=lambda reference: reference.entry))
