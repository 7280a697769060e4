"""Twins: a second element from a model, in other variables of the interface."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .files import DescriptionError, Sources
from .keys import TABLE_KEYS


def twin_of(sources: Sources, name: str, data: dict[str, Any], kind: str) -> dict[str, Any]:
    """Returns the data of the twin: those of its file merged over the model's, with the variables
    that it replaces."""
    file = sources.file.parent / "twins" / f"{name}.toml"
    own = sources.load(file)
    _check(file, own)
    twin = {key: value for key, value in data.items() if key not in TABLE_KEYS}
    own_parameters = own.get("parameters", {})
    scale = own_parameters[own["power_of"]]
    for table in TABLE_KEYS:
        twin[table] = {}
        for law_name, entry in data.get(table, {}).items():
            changed = own["replace"].get(law_name)
            if changed is None:
                twin[table][law_name] = entry
                continue
            twin[table][changed["name"]] = _replaced(table, entry, changed, scale)
            sources.origin[f"{table}.{changed['name']}"] = file
    for own_name, entry in own_parameters.items():
        twin["parameters"][own_name] = entry
        sources.origin[f"parameters.{own_name}"] = file
        sources.interfaces.add(file)
    for key in ("title", "summary"):
        twin[key] = (
            own[key]
            .format(title=data.get("title", ""), summary=data.get("summary", "").strip())
            .strip()
        )
    twin["sign_convention"] = own["sign_convention"]
    if "coupling" in data:
        twin["coupling"] = {
            key: _renamed(value, own["replace"]) for key, value in data["coupling"].items()
        }
    twin["equations"] = own["equations"] + data.get("equations", [])
    twin["kind"] = kind
    return twin


def _renamed(value: Any, replaced: dict[str, Any]) -> Any:
    """Returns a name, or a list of them, as the twin has it."""
    if isinstance(value, list):
        return [_renamed(name, replaced) for name in value]
    return replaced[value]["name"] if value in replaced else value


def _check(file: Path, own: dict[str, Any]) -> None:
    for key in "of title summary sign_convention power_of equations parameters replace".split():
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


def _replaced(
    table: str, entry: dict[str, Any], changed: dict[str, Any], scale: dict[str, Any]
) -> dict[str, Any]:
    """Returns a variable that replaces another one, and the expression that converts to the law's
    or back."""
    power, factor = changed["power"], float(scale["start"]) ** changed["power"]
    result = {key: value for key, value in entry.items() if key not in ("display", "latex")}
    result |= {key: value for key, value in changed.items() if key not in ("name", "power")}
    outward = table == "outputs"  # outputs are computed from the law's, others the other way round
    for key in ("start", "nominal"):
        if key in entry and not isinstance(entry[key], list):
            result[key] = float(f"{entry[key] * (factor if outward else 1 / factor):.12g}")
    source = f"law.{entry['symbol']}" if outward else f"u->{changed['symbol']}"
    radius = f"p->{scale['symbol']}"
    if table in ("inputs", "outputs"):
        result["law"] = {0: source, 1: f"{radius} * {source}", -1: f"{source} / {radius}"}[power]
    return result
