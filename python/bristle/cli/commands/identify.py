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
from pathlib import Path

from ...identify.options import LOADS, add_reading, reading_options
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


def run(arguments: argparse.Namespace) -> None:
    from ...identify.command import identify

    identify(arguments, reading_options(arguments))
