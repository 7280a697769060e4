"""Options for reading a measurement, of commands and side files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .. import BristleError

if TYPE_CHECKING:
    from .record.reading import Options

LOADS = ("auto", "none", "gravity", "spring")
SIGNS = ("auto", "+", "-")
OFFSETS = ("auto", "none")

ROLES = (  # those of identify/record/roles.py, which needs numpy
    "time, transmitted, normal, acceleration,"
    " velocity, displacement, current, drive, coefficient, friction"
)
COLUMN = f"which column is what, by its title or number; ROLE=none leaves it out. Roles: {ROLES}"


_MASS = (
    'mass for drive data, whose force contains both inertia and friction; or "identify" (of a twin'
    " in kg.m2)"
)
_CONSTANT = (
    "force per measured motor current, or per control voltage (N/V), gear included (N.m/A with"
    " --radius)"
)
_RADIUS = (
    "radius at which friction acts, for angles and torques (default for a rotational twin:"
    " frictionRadius)"
)
_NORMAL = "the normal force, if it is not measured; with 1, friction coefficients are forces in N"
_SIGN = "-: the force is that on the body, opposite to the motion"
_OFFSET = "none: the force has neither offset nor drift; what differs by direction is friction"
_SAMPLES = (
    "largest number of samples of a record; neighbours are averaged to reach it (default: 10000)"
)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Adds the options for reading a measurement."""
    data = parser.add_argument_group("the data")
    add = data.add_argument
    add("--column", action="append", default=[], metavar="ROLE=TITLE", help=COLUMN)
    add("--normal", type=float, metavar="N", help=_NORMAL)
    add("--mass", metavar="KG", help=_MASS)
    add("--constant", type=float, metavar="N/A", help=_CONSTANT)
    add("--radius", type=float, metavar="M", help=_RADIUS)
    rate = "samples per second, if there is no time column"
    add("--rate", type=float, metavar="HZ", help=rate)
    add("--from", dest="begin", type=float, metavar="S", help="ignore data before this time")
    add("--to", dest="end", type=float, metavar="S", help="ignore data after this time")
    add("--sign", choices=SIGNS, default="auto", help=_SIGN)
    add("--offset", choices=OFFSETS, default="auto", help=_OFFSET)
    add("--samples", type=int, default=10_000, help=_SAMPLES)


def reading_options(arguments: argparse.Namespace) -> Options:
    """Returns the values of the options of add_reading."""
    from .record.reading import FEWEST, Options
    from .record.roles import BY_NAME

    for name in ("normal", "constant", "radius", "rate"):
        value = getattr(arguments, name)
        if (
            value is not None
            and not 0 < abs(value) < float("inf")
            or (name != "constant" and value is not None and value < 0)
        ):
            raise BristleError(f"--{name} {value:g} has to be above 0.")
    if arguments.samples < FEWEST:
        raise BristleError(
            f"--samples {arguments.samples} is too few, at least {FEWEST} are needed."
        )
    mass = arguments.mass
    if mass is not None and mass != "identify":
        try:
            mass = float(mass)
        except ValueError:
            mass = -1.0
        if not 0 < mass < float("inf"):
            raise BristleError(f"--mass {arguments.mass} has to be a number above 0, or identify.")
    columns = {}
    for word in arguments.column:
        role, sign, title = word.partition("=")
        if not sign or not title:
            raise BristleError(f"--column {word}: this is not ROLE=TITLE.")
        if role not in BY_NAME:
            raise BristleError(
                f"--column {word}: there is no such role; there are {', '.join(BY_NAME)}."
            )
        columns[role] = title
    return Options(
        columns=columns,
        normal=arguments.normal,
        mass=mass,
        constant=arguments.constant,
        radius=arguments.radius,
        rate=arguments.rate,
        start=arguments.begin,
        stop=arguments.end,
        sign=arguments.sign,
        offset=arguments.offset,
        samples=arguments.samples,
    )
