"""Parameter sets: written once per case in resources/, shipped in the FMU of every model that they
name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from bristle import BristleError
from bristle.format.parameter_set import ParameterSet
from .description import Choice, Description

KEYS = {"title": str, "source": str, "models": list, "values": dict}
OPTIONAL_KEYS = {
    "values_of": dict,  # values of one model in place of the shared ones
    "notes": dict,  # on values, by the names of parameters: shown if the model has one of them
}


def parameter_sets(description: Description, folder: Path) -> list[ParameterSet]:
    """Returns the cases in a folder that name the model."""
    sets = []
    for file in set_files(folder):
        data = _read(file)
        if description.model in data["models"]:
            values = data["values"] | _own_values(description, file, data)
            own = _values(description, file, values)
            source = "; ".join([data["source"], *_notes(file, data, own)])
            sets.append(ParameterSet(file.stem, data["title"], source, own))
    return sets


def _notes(file: Path, data: dict[str, Any], values: dict[str, float | int]) -> list[str]:
    """Returns the notes on parameters of the model."""
    shown = []
    for names, text in data.get("notes", {}).items():
        listed = names.split(", ")
        if unknown := [name for name in listed if name not in data["values"]]:
            raise BristleError(f"{file}: notes: {unknown[0]} is not among the values.")
        had = [name for name in listed if {name, f"{name}[1]"} & values.keys()]
        shown += [f"{', '.join(had)}: {text}"] if had else []
    return shown


def set_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.toml"))


def _read(file: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BristleError(f"{file}: not valid TOML: {error}.") from None
    for key, kind in KEYS.items():
        if not isinstance(data.get(key), kind):
            raise BristleError(f"{file}: {key} is missing or of the wrong kind.")
    for key in data:
        if key not in KEYS | OPTIONAL_KEYS:
            raise BristleError(
                f"{file}: {key}: unknown key; known are {', '.join(KEYS | OPTIONAL_KEYS)}."
            )
    for model, values in data.get("values_of", {}).items():
        if model not in data["models"] or not isinstance(values, dict):
            raise BristleError(
                f"{file}: values_of.{model}: has to be a table of values of one of the models of"
                " the set."
            )
    return data


def _own_values(description: Description, file: Path, data: dict[str, Any]) -> dict[str, Any]:
    values = data.get("values_of", {}).get(description.model, {})
    known = {entry.name for entry in description.parameters + description.options}
    for name in values:
        if name not in known:
            raise BristleError(
                f"{file}: values_of.{description.model}.{name}: {description.name} has no such"
                " parameter."
            )
    return values


def _values(description: Description, file: Path, values: dict[str, Any]) -> dict[str, float | int]:
    """Returns the values: a list gives the elements of an array, a word or its number the item of
    an option. Names that the model lacks belong to other models."""
    known = {entry.name: entry for entry in description.parameters + description.options}
    result: dict[str, float | int] = {}
    for name, value in values.items():
        if name not in known:
            continue
        entry = known[name]
        elements = value if isinstance(value, list) else [value] * entry.count
        if len(elements) != entry.count:
            raise BristleError(
                f"{file}: values.{name}: {description.name} has {entry.count} of them."
            )
        for scalar, element in zip(entry.scalar_names, elements):
            result[scalar] = (
                _item(entry, file, element)
                if isinstance(entry, Choice)
                else _number(file, name, element)
            )
    if not result:
        raise BristleError(f"{file}: models: {description.name} has none of these parameters.")
    return result


def _number(file: Path, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BristleError(f"{file}: values.{name}: has to be a number.")
    return float(value)


def _item(option: Choice, file: Path, value: Any) -> int:
    items = [name for name, _ in option.items]
    if isinstance(value, int) and 1 <= value <= option.largest:
        return value
    if not items:
        raise BristleError(
            f"{file}: values.{option.name}: has to be a whole number from 1 to {option.largest}."
        )
    if value not in items:
        raise BristleError(
            f"{file}: values.{option.name}: has to be one of {', '.join(items)}, or its number."
        )
    return items.index(value) + 1
