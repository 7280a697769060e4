"""Reads a description from TOML, merges it with its shared parts and checks it."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bristle import BristleError
from bristle.format.names import mangled, taken_symbol, taken_variable
from .description import (
    IN_WORDS,
    MODEL_KINDS,
    Bound,
    Bounded,
    Choice,
    Coupling,
    Description,
    Equation,
    Frame,
    Reference,
    Table,
    Unit,
    Variable,
)


class DescriptionError(BristleError):
    """A mistake in a description: the file, the key and what is wrong with it."""

    def __init__(self, file: Path, key: str, sentence: str) -> None:
        super().__init__(f"{file}: {key}: {sentence}" if key else f"{file}: {sentence}")


HOLDS = {
    "at_least": lambda value, limit: value >= limit,
    "above": lambda value, limit: value > limit,
    "at_most": lambda value, limit: value <= limit,
    "below": lambda value, limit: value < limit,
}

KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "text": (str, "a text"),
    "number": ((int, float), "a number"),
    "flag": (bool, "true or false"),
    "count": (int, "a whole number"),
    "list": (list, "a list"),
    "table": (dict, "a table"),
    "limit": ((int, float, str), "a number or the name of a parameter"),
    "name": (
        str,
        "the name of a parameter; a number is at_least or at_most, as in modelDescription.xml",
    ),
    "start": ((int, float, list), "a number or a list of numbers"),
}

VARIABLE_KEYS = {
    "symbol": "text",
    "latex": "text",
    "unit": "text",
    "display": "text",
    "text": "text",
    "nominal": "number",
    "size": "count",
}
BOUND_KEYS = {"at_least": "limit", "above": "name", "at_most": "limit", "below": "name"}
CHOICE_KEYS = {"symbol": "text", "text": "text", "items": "list", "size": "count"}
WHOLE_KEYS = ("symbol", "text", "whole", "start", "at_most")
# Included by every description.
EVERYWHERE = "co_simulation"

TABLE_KEYS: dict[str, dict[str, str]] = {
    "parameters": VARIABLE_KEYS | BOUND_KEYS | {"start": "start", "items": "list", "whole": "flag"},
    "inputs": (
        VARIABLE_KEYS | {"law": "text", "start": "start", "at_least": "number", "at_most": "number"}
    ),
    "states": VARIABLE_KEYS | BOUND_KEYS | {"start": "start"},
    "outputs": VARIABLE_KEYS | {"law": "text", "at_least": "number", "at_most": "number"},
    "modes": CHOICE_KEYS | {"output": "flag"},
}
TOP_KEYS = dict.fromkeys(TABLE_KEYS, "table") | {
    "title": "text",
    "summary": "text",
    "sign_convention": "text",
    "include": "list",
    "linear_states": "flag",
    "kind": "text",
    "passive": "flag",
    "passive_with": "text",
    "energy": "text",
    "indicators": "count",
    "coupling": "table",
    "experiment": "table",
    "equations": "list",
    "tables": "list",
    "choose": "list",
    "identify": "list",
    "not_modelled": "list",
    "errata": "list",
    "references": "list",
    "bounded": "table",
}
COUPLING_TABLES = {
    "velocity": "inputs",
    "force": "outputs",
    "mass": "parameters",
    "timing": "options",
    "observed_load": "outputs",
    "pressing": "inputs or outputs",
    "load": "inputs",
    "normal": "inputs",
    "opposed": "outputs",
    "power": "outputs",
    "heat": "outputs",
}
COUPLING_LISTS = ("proportional", "limit", "ratio", "preload", "lever")
OBSERVED = ("observed_load",)
VECTORS = ("velocity", "force", "observed_load", "load", "normal", "opposed")
OPTIONAL_COUPLING = ("load", "normal", "opposed", "power", "heat")
EXPERIMENT_KEYS = {"stop": "number", "step": "number", "tolerance": "number"}
# of the default experiment: at it FMPy has steps for two reversals between two outputs
# (ARCHITECTURE.md)
TOLERANCE = 3e-5
PAGE_TABLE_KEYS = {"title": "text", "head": "list", "rows": "list"}
EQUATION_KEYS = {"text": "text", "latex": "text", "source": "text", "last": "flag"}
BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


def bound(relation: str, limit: float | str) -> Bound:
    return Bound(relation, limit if isinstance(limit, str) else float(limit))


def read_description(file: Path, twin: str | None = None) -> Description:
    """The checked description of the model in this file, or of its twin of this name."""
    return _Reader(file, twin).read()


class _Reader:
    """Reads one description. `origin` remembers which file gave a key, to blame the right one."""

    def __init__(self, file: Path, twin: str | None = None) -> None:
        self.file = file
        self.twin = twin
        self.shared = file.parent / "shared"
        self.files: list[Path] = []
        self.interfaces: set[Path] = set()  # shared files with inputs
        self.origin: dict[str, Path] = {}

    def error(self, key: str, sentence: str) -> DescriptionError:
        """Blames the file that gave the key or, where the key is missing, its table."""
        known = key
        while known not in self.origin and "." in known:
            known = known.rpartition(".")[0]
        return DescriptionError(self.origin.get(known, self.file), key, sentence)

    def read(self) -> Description:
        if not self.file.is_file():
            raise DescriptionError(self.file, "", "there is no such file")
        self.units = self.read_units()
        self.literature = self.read_references()
        data = self.merge(self.file)
        law, unobserved = self.check_tables(data), self.observed(data)
        if self.twin:
            data = self.twin_of(data)
        tables = self.check_tables(data)
        states = tuple(self.state(name, entry) for name, entry in tables["states"].items())
        own = sorted(
            tables["parameters"].items(), key=lambda item: self.is_of_the_interface(item[0])
        )  # what the law has comes first
        parameters = [
            self.variable("parameters", name, entry)
            for name, entry in own
            if not {"items", "whole"} & entry.keys()
        ]
        parameters += [state.start_parameter for state in states if state.start_parameter]
        inputs = tuple(
            self.variable("inputs", name, entry) for name, entry in tables["inputs"].items()
        )
        outputs = tuple(
            self.variable("outputs", name, entry) for name, entry in tables["outputs"].items()
        )
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
        description = replace(description, frame=self.frame(description, law, unobserved, tables))
        self.check_names(description)
        self.check_bounds(description)
        return description

    def is_of_the_interface(self, parameter: str) -> bool:
        """Whether a parameter comes with the inputs of a shared file, or with a twin."""
        return self.origin.get(f"parameters.{parameter}") in self.interfaces

    def check_tables(self, data: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """The tables of variables, with no key that is unknown."""
        self.check_keys("", data, TOP_KEYS)
        tables = {table: data.get(table, {}) for table in TABLE_KEYS}
        for table, keys in TABLE_KEYS.items():
            for name, entry in tables[table].items():
                self.check_entry(f"{table}.{name}", entry, keys)
        return tables

    # The frame, and twins

    def frame(
        self,
        description: Description,
        law: dict[str, dict[str, Any]],
        observed: list[str],
        tables: dict[str, dict[str, Any]],
    ) -> Frame | None:
        """What leads from the element's variables to those of the law; none where they are the
        same."""
        inputs = tuple(
            self.variable("inputs", name, entry) for name, entry in law["inputs"].items()
        )
        outputs = tuple(
            self.variable("outputs", name, entry)
            for name, entry in law["outputs"].items()
            if name not in observed
        )
        own = list(tables["inputs"].values())
        given = {
            entry.symbol: one.get("law", f"u->{entry.symbol}")
            for entry, one in zip(inputs, own, strict=True)
        }
        taken = {
            entry.symbol: one.get("law", f"law.{entry.symbol}")
            for entry, one in (
                (entry, tables["outputs"][entry.name]) for entry in description.outputs
            )
        }
        if not any(
            "law" in entry
            for entry in [*own, *(tables["outputs"][entry.name] for entry in description.outputs)]
        ):
            return None
        return Frame(inputs, outputs, given, taken)

    def twin_of(self, data: dict[str, Any]) -> dict[str, Any]:
        """The data of the twin: what the twin's file says over those of the model, with the
        variables that it replaces."""
        file = self.file.parent / "twins" / f"{self.twin}.toml"
        own = self.load(file)
        self.check_twin(file, own)
        twin = {key: value for key, value in data.items() if key not in TABLE_KEYS}
        own_parameters = own.get("parameters", {})
        scale = own_parameters[own["power_of"]]
        for table in TABLE_KEYS:
            twin[table] = {}
            for name, entry in data.get(table, {}).items():
                changed = own["replace"].get(name)
                if changed is None:
                    twin[table][name] = entry
                    continue
                twin[table][changed["name"]] = self.replaced(table, entry, changed, scale)
                self.origin[f"{table}.{changed['name']}"] = file
        for name, entry in own_parameters.items():
            twin["parameters"][name] = entry
            self.origin[f"parameters.{name}"] = file
            self.interfaces.add(file)
        for key in ("title", "summary"):
            twin[key] = (
                own[key]
                .format(title=data.get("title", ""), summary=data.get("summary", "").strip())
                .strip()
            )
        twin["sign_convention"] = own["sign_convention"]
        if "coupling" in data:
            twin["coupling"] = {
                key: self.renamed(value, own["replace"]) for key, value in data["coupling"].items()
            }
        twin["equations"] = own["equations"] + data.get("equations", [])
        twin["kind"] = self.kind(data)
        return twin

    def renamed(self, value: Any, replaced: dict[str, Any]) -> Any:
        """A name, or a list of them, as the twin has it."""
        if isinstance(value, list):
            return [self.renamed(name, replaced) for name in value]
        return replaced[value]["name"] if value in replaced else value

    def check_twin(self, file: Path, own: dict[str, Any]) -> None:
        for key in (
            "of",
            "title",
            "summary",
            "sign_convention",
            "power_of",
            "equations",
            "parameters",
            "replace",
        ):
            if key not in own:
                raise DescriptionError(file, key, "is missing")
        if own["power_of"] not in own["parameters"]:
            raise DescriptionError(
                file, "power_of", f'"{own["power_of"]}" is not a parameter of this file'
            )
        for name, entry in own["replace"].items():
            for key in ("name", "symbol", "unit", "power", "text"):
                if key not in entry:
                    raise DescriptionError(file, f"replace.{name}.{key}", "is missing")

    def replaced(
        self, table: str, entry: dict[str, Any], changed: dict[str, Any], scale: dict[str, Any]
    ) -> dict[str, Any]:
        """A variable that takes the place of another one, and the expression that leads to the law
        or from it."""
        power, factor = changed["power"], float(scale["start"]) ** changed["power"]
        result = {key: value for key, value in entry.items() if key not in ("display", "latex")}
        result |= {key: value for key, value in changed.items() if key not in ("name", "power")}
        outward = table == "outputs"  # an output is made from the law's, anything else makes it
        for key in ("start", "nominal"):
            if key in entry and not isinstance(entry[key], list):
                result[key] = float(f"{entry[key] * (factor if outward else 1 / factor):.12g}")
        source = f"law.{entry['symbol']}" if outward else f"u->{changed['symbol']}"
        radius = f"p->{scale['symbol']}"
        if table in ("inputs", "outputs"):
            result["law"] = {0: source, 1: f"{radius} * {source}", -1: f"{source} / {radius}"}[
                power
            ]
        return result

    # Files and their merging

    def load(self, file: Path) -> dict[str, Any]:
        self.files.append(file)
        try:
            return tomllib.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise DescriptionError(file, "", "there is no such file") from None
        except UnicodeDecodeError:
            raise DescriptionError(file, "", "not a text in UTF-8") from None
        except RecursionError:
            raise DescriptionError(file, "", "it is nested too deep") from None
        except tomllib.TOMLDecodeError as error:
            raise DescriptionError(file, "", f"not valid TOML: {error}") from None

    def merge(self, file: Path, within: tuple[Path, ...] = ()) -> dict[str, Any]:
        """The content of a file over that of its includes: tables key by key, lists one after the
        other."""
        own = self.load(file)
        merged: dict[str, Any] = {}
        includes = own.get("include", [])
        if not isinstance(includes, list) or not all(isinstance(name, str) for name in includes):
            raise DescriptionError(file, "include", "has to be a list of names")
        if not within:
            includes = [EVERYWHERE, *includes]
        for name in includes:
            part = self.shared / f"{name}.toml"
            if not part.is_file():
                raise DescriptionError(file, "include", f'"{name}" is not a file of {self.shared}')
            if part in within:
                raise DescriptionError(file, "include", f'"{name}" includes this file itself')
            below = self.merge(part, (*within, part))
            if "inputs" in below or "coupling" in below:
                self.interfaces.add(part)
            self.overlay(merged, below, part, "")
        self.overlay(merged, own, file, "")
        if not within and isinstance(merged.get("equations"), list):
            merged["equations"].sort(
                key=lambda entry: isinstance(entry, dict) and entry.get("last") is True
            )
        return merged

    def overlay(self, below: dict[str, Any], above: dict[str, Any], file: Path, path: str) -> None:
        for key, value in above.items():
            name = f"{path}{key}"
            if file == self.file or name not in self.origin:
                self.origin[name] = file
            if isinstance(value, dict) and isinstance(below.get(key), dict):
                self.overlay(below[key], value, file, f"{name}.")
            elif isinstance(value, list) and isinstance(below.get(key), list) and not path:
                below[key] = below[key] + [item for item in value if item not in below[key]]
            else:
                below[key] = {} if isinstance(value, dict) else value
                if isinstance(value, dict):
                    self.overlay(below[key], value, file, f"{name}.")

    # Single values

    def check_keys(self, path: str, entry: dict[str, Any], keys: dict[str, str]) -> None:
        for key, value in entry.items():
            where = f"{path}.{key}" if path else key
            if key not in keys:
                raise self.error(where, f"unknown key; known are {', '.join(sorted(keys))}")
            types, words = KINDS[keys[key]]
            if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
                raise self.error(where, f"has to be {words}")
            if isinstance(value, float) and not math.isfinite(value):
                raise self.error(where, "has to be finite")

    def check_entry(self, path: str, entry: Any, keys: dict[str, str]) -> None:
        if not isinstance(entry, dict):
            raise self.error(path, "has to be a table")
        self.check_keys(path, entry, keys)

    def required(self, entry: dict[str, Any], path: str, key: str) -> Any:
        if key not in entry or entry[key] in ("", []):
            raise self.error(f"{path}.{key}" if path else key, "is missing")
        return entry[key]

    def texts(self, data: dict[str, Any], key: str, required: bool = False) -> tuple[str, ...]:
        values = self.required(data, "", key) if required else data.get(key, [])
        if not all(isinstance(value, str) for value in values):
            raise self.error(key, "has to be a list of texts")
        return tuple(values)

    def kind(self, data: dict[str, Any]) -> str:
        """The kind of model that its table shows; unless it is said, inputs and states tell."""
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
        """The item of an option with which a model is passive that is not by default."""
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
        """A word on the energy balance; a model that is not passive has to explain itself."""
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
        """The outputs that the law does not have."""
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
        for key in (
            "limit",
            "ratio",
            "preload",
            "lever",
        ):  # the first of those named that the model has
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
        """A state with its derivative and the parameter for its initial value."""
        value = self.variable("states", name, entry)
        rate = self.rate_unit(f"states.{name}", value.unit)
        derivative = Variable(
            name=f"der({name})",
            symbol=f"d{value.symbol}",
            latex=rf"\dot{{{value.latex}}}",
            text=f"Rate of {name}",
            unit=rate,
            size=value.size,
            bounds=(),
            nominal=None,
        )
        start = Variable(
            name=f"{name}Start",
            symbol=f"{value.symbol}_start",
            latex=f"{value.latex}(0)",
            text=f"Initial value of {name}",
            unit=value.unit,
            display=value.display,
            size=value.size,
            starts=value.starts,
            nominal=value.nominal,
            bounds=value.bounds,
        )
        return Variable(
            name=name,
            symbol=value.symbol,
            latex=value.latex,
            text=value.text,
            unit=value.unit,
            display=value.display,
            size=value.size,
            nominal=value.nominal,
            derivative=derivative,
            start_parameter=start,
        )

    def rate_unit(self, path: str, unit: Unit) -> Unit:
        wanted = {base: unit.exponents.get(base, 0) - (base == "s") for base in BASE_UNITS}
        for candidate in self.units.values():
            if all(candidate.exponents.get(base, 0) == wanted[base] for base in BASE_UNITS):
                return candidate
        raise self.error(
            f"{path}.unit", f'no unit of {self.shared / "units.toml"} is "{unit.name}" per second'
        )

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
            raise self.error(f"{path}.items", "an item is there twice")
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
        """Those of the model first; without one of these a model has no law."""
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
            latex=" ".join(self.required(entry, path, "latex").split()),  # however it is wrapped
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
        """A reference by its key; the year may be left out where that says enough."""
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
        """The references of the list and of the equations, each once."""
        found = [self.reference("references", key) for key in self.texts(data, "references")]
        for i, entry in enumerate(data.get("equations", [])):
            equation = self.equation(i, entry)
            if equation.reference:
                found.append(equation.reference)
        return tuple(sorted(set(found), key=lambda reference: reference.entry))

    def read_units(self) -> dict[str, Unit]:
        keys = {"exponents": "table", "quantity": "text", "display": "table"}
        units = {}
        for name, entry in self.shared_table("units", keys):
            path = f"units.{name}"
            exponents = self.required(entry, path, "exponents")
            for base, exponent in exponents.items():
                if base not in BASE_UNITS or not isinstance(exponent, int):
                    raise self.error(
                        f"{path}.exponents", f"knows whole powers of {', '.join(BASE_UNITS)} only"
                    )
            displays = {shown: float(factor) for shown, factor in entry.get("display", {}).items()}
            units[name] = Unit(name, exponents, self.required(entry, path, "quantity"), displays)
        return units

    def read_references(self) -> dict[str, Reference]:
        keys = {"cite": "text", "entry": "text", "doi": "text"}
        return {
            key: Reference(
                key,
                self.required(entry, f"references.{key}", "cite"),
                self.required(entry, f"references.{key}", "entry"),
                entry.get("doi"),
            )
            for key, entry in self.shared_table("references", keys)
        }

    def shared_table(self, name: str, keys: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
        file = self.shared / f"{name}.toml"
        for key, entry in self.load(file).get(name, {}).items():
            self.origin[f"{name}.{key}"] = file
            self.check_entry(f"{name}.{key}", entry, keys)
            yield key, entry

    # Checks of the whole

    def check_names(self, description: Description) -> None:
        if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", description.name):
            raise self.error(
                "",
                "the name of the file has to be a capitalised word, it becomes the name of the"
                " model",
            )
        seen: dict[str, str] = {}
        symbols: dict[str, str] = {}
        for table, entry in self.named(description):
            path = f"{table}.{entry.name}"
            if reason := taken_variable(entry.name):
                raise self.error(path, reason)
            if reason := taken_symbol(entry.symbol):
                raise self.error(f"{path}.symbol", reason)
            if entry.symbol in symbols:
                raise self.error(
                    f"{path}.symbol",
                    f'"{entry.symbol}" is the symbol of {symbols[entry.symbol]} too',
                )
            symbols[entry.symbol] = entry.name
            generated = [entry]
            if isinstance(entry, Variable) and entry.derivative and entry.start_parameter:
                generated += [entry.derivative, entry.start_parameter]
            for scalar in (scalar for one in generated for scalar in one.scalar_names):
                if mangled(scalar) in seen:
                    raise self.error(path, self.collision(scalar, seen[mangled(scalar)]))
                seen[mangled(scalar)] = scalar

    def collision(self, name: str, other: str) -> str:
        if name == other:
            return f'"{name}" is there twice'
        return f'"{name}" and "{other}" become the same name in OpenModelica'

    def named(self, description: Description) -> Iterator[tuple[str, Variable | Choice]]:
        """What the description names itself, with its table; generated variables left out."""
        own_parameters = description.parameters[
            : len(description.parameters) - len(description.states)
        ]
        yield from (("parameters", entry) for entry in own_parameters)
        yield from (("parameters", entry) for entry in description.options)
        yield from (("inputs", entry) for entry in description.inputs)
        yield from (("states", entry) for entry in description.states)
        yield from (("outputs", entry) for entry in description.all_outputs)
        yield from (("modes", entry) for entry in description.modes)

    def check_bounds(self, description: Description) -> None:
        parameters = {entry.name: entry for entry in description.parameters}
        starts = {
            state.start_parameter.name: state.name
            for state in description.states
            if state.start_parameter
        }
        for entry in description.parameters + description.inputs:
            table = (
                "inputs"
                if entry in description.inputs
                else "states"
                if entry.name in starts
                else "parameters"
            )
            path = f"{table}.{starts.get(entry.name, entry.name)}"
            for rule in entry.bounds:
                limits = self.limits(path, entry, rule, parameters)
                for start, limit in zip(entry.starts, limits, strict=True):
                    if not HOLDS[rule.relation](start, limit):
                        words = rule.limit if isinstance(rule.limit, str) else f"{rule.limit:g}"
                        raise self.error(
                            f"{path}.start", f"{start:g} is not {IN_WORDS[rule.relation]} {words}"
                        )

    def limits(
        self, path: str, entry: Variable, bound: Bound, parameters: dict[str, Variable]
    ) -> tuple[float, ...]:
        """The limit for each scalar of a variable."""
        if not isinstance(bound.limit, str):
            return (bound.limit,) * entry.count
        key = f"{path}.{bound.relation}"
        if bound.limit not in parameters:
            raise self.error(key, f'"{bound.limit}" is not a parameter of this model')
        other = parameters[bound.limit]
        if other.unit.exponents != entry.unit.exponents:
            raise self.error(
                key, f"{entry.unit.name} cannot be compared with {other.unit.name} of {other.name}"
            )
        if other.size not in (None, entry.size):
            raise self.error(key, f"{other.name} has another size")
        return other.starts if other.size else other.starts * entry.count
