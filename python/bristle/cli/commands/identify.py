"""Find the parameters of a model from measured data.

A record is any text table: columns are found by name or unit (time; velocity or displacement;
friction force; normal force), in any usual unit, with commas, semicolons, tabs or blanks between
them, and a decimal comma if need be. Times may be clock times; lines with a missing number are left
out. The output first says how the columns were read, then gives the result and what the data do not
determine. A page with pictures (NAME.html) and a parameter set (NAME.ssv) are written. Angles and
torques (rad, deg, rpm, N.m, Nmm) are for a rotational twin such as LuGreRotational; "--model all"
then compares the twins."""

from __future__ import annotations

import argparse
from typing import Any
from pathlib import Path

from ...identify import LOADS, OFFSETS, SIGNS
from ..arguments import add_out, add_pictures

EXAMPLES = """
  bristle identify loop.csv --model LuGre
  bristle identify slow.csv fast.csv --model Dahl --normal 98.1 --validate other.csv -o guideway
  bristle identify long.csv --model Dahl --to 110 --validate long.csv --validate-from 110
  bristle identify loop.csv --model LuGre --fix staticFriction=0.5637 --fix viscousFriction=0
  bristle identify drive.csv --model LuGre --normal 1 --mass identify \\
      --column drive="Motor force [N]"
  bristle identify joint.csv --model LuGreRotational --normal 100 --radius 0.02
  bristle identify arm.csv --model LuGreRotational --normal 100 --radius 0.02 \\
      --constant 0.9 --mass identify --load gravity
  bristle identify axis.csv --model all --normal 1 --constant 12.5 --mass 3.2
"""


ROLES = (  # those of identify/record/roles.py, which takes numpy
    "time, transmitted, normal, acceleration,"
    " velocity, displacement, current, drive, coefficient, friction"
)
COLUMN = f"which column is what, by its title or number; ROLE=none leaves it out. Roles: {ROLES}"

LOAD = (
    "a load beside friction that is fitted with it: gravity (cosine and sine of the angle of a"
    " joint, a constant force on an axis), or a spring; auto (the default) takes gravity on a joint"
    " and a spring on an axis, where the force of a drive clearly shows it; none: never"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "records",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="a measurement; several are fitted together",
    )
    parser.add_argument(
        "--model", required=True, help="name of a model, an .fmu, or all to compare all of them"
    )
    text = "name of the results, without suffix (default: record and model, in this folder);"
    add_out(parser, f"{text} replaced if they are there")
    parser.add_argument(
        "--validate",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a measurement on which to validate the result",
    )
    parser.add_argument(
        "--validate-from",
        type=float,
        metavar="S",
        help="start of the validation data (--from and --to limit the fitted data)",
    )
    parser.add_argument("--validate-to", type=float, metavar="S", help="end of the validation data")
    add_pictures(parser)
    what = parser.add_argument_group("the fit")
    what.add_argument(
        "--fix",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter or an option with a known value",
    )
    what.add_argument(
        "--fit",
        action="append",
        default=[],
        metavar="NAME",
        help="fit only this parameter; may be repeated (default: all)",
    )
    what.add_argument(
        "--start", action="append", default=[], metavar="NAME=VALUE", help="a start value"
    )
    what.add_argument("--load", choices=LOADS, default="auto", help=LOAD)
    what.add_argument(
        "--delay",
        default="auto",
        metavar="S",
        help=(
            "by how many seconds the force lags behind the motion; auto (the default) fits it where"
            " the data show one, 0: none"
        ),
    )
    what.add_argument(
        "--seed",
        type=int,
        default=1,
        help="another seed (default: 1) adds starts to the usual ones; it changes the result only"
        " where they lead to a better one",
    )
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How a measurement is read."""
    data = parser.add_argument_group("the data")
    data.add_argument("--column", action="append", default=[], metavar="ROLE=TITLE", help=COLUMN)
    data.add_argument(
        "--normal",
        type=float,
        metavar="N",
        help=(
            "the normal force, if it is not measured; with 1, friction coefficients are forces in N"
        ),
    )
    data.add_argument(
        "--mass",
        metavar="KG",
        help=(
            'mass for drive data, whose force contains both inertia and friction; or "identify" (of'
            " a twin in kg.m2)"
        ),
    )
    data.add_argument(
        "--constant",
        type=float,
        metavar="N/A",
        help=(
            "force per measured motor current, or per control voltage (N/V), gear included (N.m/A"
            " with --radius)"
        ),
    )
    data.add_argument(
        "--radius",
        type=float,
        metavar="M",
        help=(
            "radius at which friction acts, for angles and torques (default for a rotational twin:"
            " frictionRadius)"
        ),
    )
    data.add_argument(
        "--rate", type=float, metavar="HZ", help="samples per second, if there is no time column"
    )
    data.add_argument(
        "--from", dest="begin", type=float, metavar="S", help="ignore data before this time"
    )
    data.add_argument(
        "--to", dest="end", type=float, metavar="S", help="ignore data after this time"
    )
    data.add_argument(
        "--sign",
        choices=SIGNS,
        default="auto",
        help="-: the force is that on the body, opposite to the motion",
    )
    data.add_argument(
        "--offset",
        choices=OFFSETS,
        default="auto",
        help="none: the force has neither offset nor drift; what differs by direction is friction",
    )
    data.add_argument(
        "--samples",
        type=int,
        default=10_000,
        help=(
            "largest number of samples of a record; neighbours are averaged to reach it (default:"
            " 10000)"
        ),
    )


def reading_options(arguments: argparse.Namespace) -> Any:
    """What add_reading was given."""
    from ... import BristleError
    from ...identify.record.reading import FEWEST, Options
    from ...identify.record.roles import BY_NAME

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


def run(arguments: argparse.Namespace) -> None:
    from ...identify.command import identify

    identify(arguments, reading_options(arguments))
