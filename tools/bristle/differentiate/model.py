"""All that the generator has to know of a model's C file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .contract import CONTRACT, check_contract, check_indicators, members_used
from .dependencies import Dependencies, model_dependencies
from .resets import reset_states
from .slopes import slopes_text
from .source import Source
from .unit import Unit

@dataclass
class ModelCode:
    functions: frozenset[str]
    slopes: str
    dependencies: Dependencies
    resets: frozenset[str]  # states that an event may set
    used: frozenset[str]  # members of structs that are looked at
    includes: list[str]


def read_model(
    model_file: Path, include_dir: Path, header_types: str, options: Iterable[str] = (), indicators: int | None = None
) -> ModelCode:
    """The code of a model. `options` are the members of Modes that the user chooses, `indicators` is how many there are."""
    source = Source(model_file, include_dir, header_types)
    unit = Unit(source)
    check_contract(unit)
    if indicators is not None:
        check_indicators(unit, indicators)
    dependencies = model_dependencies(unit, frozenset(options))
    return ModelCode(
        functions=frozenset(CONTRACT.keys() & unit.definitions.keys()),
        slopes=slopes_text(unit, model_file.name),
        dependencies=dependencies,
        resets=reset_states(unit),
        used=members_used(unit),
        includes=source.includes,
    )
