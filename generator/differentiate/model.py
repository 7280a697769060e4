"""What the generator needs from a model's C file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ..contract import CONTRACT
from .contract import check_contract, check_indicators, members_used
from .dependencies import Dependencies, model_dependencies
from .mistakes import check_mistakes
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
    used: frozenset[str]  # members of structs that are read
    includes: list[str]


@dataclass(frozen=True)
class Surroundings:
    """C around a model: its types, its functions, and the new names of the model's own ones."""

    types: str
    functions: str
    renames: dict[str, str]


def read_model(
    model_file: Path,
    include_dir: Path,
    header_types: str,
    options: Iterable[str] = (),
    indicators: int | None = None,
    frame: Callable[[frozenset[str]], Surroundings] | None = None,
) -> ModelCode:
    """Reads the code of a model. `options` are the members of Modes that the user chooses,
    `indicators` is their number. With a frame, which is made for the functions of the model, slopes
    and dependencies are those of the whole.
    """
    source = Source(model_file, include_dir, header_types)
    unit = Unit(source)
    check_contract(unit)
    check_mistakes(unit)
    if indicators is not None:
        check_indicators(unit, indicators)
    functions = frozenset(CONTRACT.keys() & unit.definitions.keys())
    whole = unit
    if frame:
        around = frame(functions)
        whole = Unit(
            Source(model_file, include_dir, around.types, around.functions, around.renames)
        )
    return ModelCode(
        functions=functions,
        slopes=slopes_text(whole, model_file.name),
        dependencies=model_dependencies(whole, frozenset(options), indicators),
        resets=reset_states(unit),
        used=members_used(unit) | members_used(whole),
        includes=source.includes,
    )
