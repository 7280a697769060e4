"""Parameters from the command line and from .ssv files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from . import BristleError
from .format.parameter_set import NAMESPACE
from .library import Model

KINDS = {"Real": float, "Integer": int, "Enumeration": str}


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """The two arguments by which a command takes parameters."""
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
    """What the two arguments say."""
    values: dict[str, float | int | str] = {}
    for file in arguments.ssv:
        values |= read_ssv(file, model)
    return values | assignments(arguments.set)


def assignments(words: Sequence[str]) -> dict[str, float | int | str]:
    """NAME=VALUE; what is not a number is taken as the item of an option."""
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
    """The values of a parameter set (SSP), which have to be parameters of the model in its
    units."""
    try:
        root = ElementTree.fromstring(file.read_bytes())
    except ElementTree.ParseError as error:
        raise BristleError(f"{file}: not XML: {error}.") from None
    if root.tag != f"{{{NAMESPACE}}}ParameterSet":
        raise BristleError(f"{file}: not a parameter set of SSP.")
    known = {one.name: one for one in model.parameters}
    values: dict[str, float | int | str] = {}
    for parameter in root.iter(f"{{{NAMESPACE}}}Parameter"):
        name = parameter.get("name", "")
        if name not in known:
            raise BristleError(f"{file}: {model.name} has no parameter {name}.")
        values[name] = _value(file, name, parameter, known[name].unit)
    if not values:
        raise BristleError(f"{file}: has no parameters.")
    return values


def _value(
    file: Path, name: str, parameter: ElementTree.Element, unit: str | None
) -> float | int | str:
    for kind, convert in KINDS.items():
        element = parameter.find(f"{{{NAMESPACE}}}{kind}")
        if element is None:
            continue
        given = element.get("unit")
        if given is not None and given != unit:
            raise BristleError(
                f"{file}: {name} is given in {given}, but has the unit {unit or '1'}."
            )
        try:
            return convert(element.get("value", ""))
        except ValueError:
            raise BristleError(
                f'{file}: {name}: "{element.get("value")}" is not a number.'
            ) from None
    raise BristleError(f"{file}: {name}: has no value that is {', '.join(KINDS)}.")
