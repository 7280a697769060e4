"""Reads what all descriptions share: units and literature."""

from __future__ import annotations

from ..description import Reference, Unit
from .files import Sources

BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


def read_units(sources: Sources) -> dict[str, Unit]:
    keys = {"exponents": "table", "quantity": "text", "display": "table"}
    units = {}
    for name, entry in sources.shared_table("units", keys):
        path = f"units.{name}"
        exponents = sources.required(entry, path, "exponents")
        for base, exponent in exponents.items():
            if base not in BASE_UNITS or not isinstance(exponent, int):
                raise sources.error(
                    f"{path}.exponents", f"knows whole powers of {', '.join(BASE_UNITS)} only"
                )
        displays = {shown: float(factor) for shown, factor in entry.get("display", {}).items()}
        units[name] = Unit(name, exponents, sources.required(entry, path, "quantity"), displays)
    return units


def read_references(sources: Sources) -> dict[str, Reference]:
    keys = {"cite": "text", "entry": "text", "doi": "text"}
    return {
        key: Reference(
            key,
            sources.required(entry, f"references.{key}", "cite"),
            sources.required(entry, f"references.{key}", "entry"),
            entry.get("doi"),
        )
        for key, entry in sources.shared_table("references", keys)
    }


def rate_unit(sources: Sources, units: dict[str, Unit], path: str, unit: Unit) -> Unit:
    wanted = {base: unit.exponents.get(base, 0) - (base == "s") for base in BASE_UNITS}
    for candidate in units.values():
        if all(candidate.exponents.get(base, 0) == wanted[base] for base in BASE_UNITS):
            return candidate
    raise sources.error(
        f"{path}.unit", f'no unit of {sources.shared / "units.toml"} is "{unit.name}" per second'
    )
