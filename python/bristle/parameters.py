"""Parameters from the command line and from .ssv files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from . import BristleError
from .format.parameter_set import values_of
from .library import Model


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """Adds the two arguments for parameters."""
    parser.add_argument(
        "--ssv",
        type=Path,
        action="append",
        default=[],
        help="a parameter set; a later one overrides an earlier one",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one value; overrides the sets",
    )


def given_parameters(arguments: argparse.Namespace, model: Model) -> dict[str, float | int | str]:
    """Reads the parameters from the two arguments."""
    values: dict[str, float | int | str] = {}
    for file in arguments.ssv:
        values |= read_ssv(file, model)
    return values | assignments(arguments.set)


def assignments(words: Sequence[str]) -> dict[str, float | int | str]:
    """Reads NAME=VALUE; a value that is not a number is the item of an option."""
    values: dict[str, float | int | str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name or not value:
            raise BristleError(f'"{word}" is not NAME=VALUE.')
        try:
            values[name] = float(value)
        except ValueError:
            values[name] = value
    return values


def read_ssv(file: Path, model: Model) -> dict[str, float | int | str]:
    """Reads a parameter set (SSP); its values must be parameters of the model in the model's
    units."""
    known = {one.name: one for one in model.parameters}
    values: dict[str, float | int | str] = {}
    for name, (value, unit) in values_of(file.read_bytes(), file).items():
        if name not in known:
            raise BristleError(f"{file}: {model.name} has no parameter {name}.")
        if unit is not None and unit != known[name].unit:
            raise BristleError(
                f"{file}: {name} is given in {unit}, but has the unit {known[name].unit or '1'}."
            )
        values[name] = value
    if not values:
        raise BristleError(f"{file}: has no parameters.")
    return values
