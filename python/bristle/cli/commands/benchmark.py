"""Compare all laws on the records of a folder.

Every table in the folder (.csv, .tsv, .txt, .dat) is a record as bristle identify reads it. A side
file of the same name, NAME.toml, may say how it is read (normal, mass, constant, radius, rate,
from, to, sign, offset, load, [columns]), what is known of the models ([fix]), which other record
validates the fit (validate), which models are compared (models), and what others have published (a
[[published]] with law, fitted, held_out, in per cent, and source). The page has each law's error in
the fit and on what was held out, and its cost.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ..arguments import add_out

EXAMPLES = """
  bristle benchmark examples/tribometer
  bristle benchmark records --model LuGre --model Dahl -o records.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the records are")
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="compare only this model; may be repeated (default: those of the side file, or all)",
    )
    add_out(parser, "the page to write; an existing one is replaced", "benchmark.html")


def run(arguments: argparse.Namespace) -> None:
    from ... import BristleError
    from ...identify.benchmark import benchmark

    if arguments.out.suffix != ".html":  # what has another may be a record
        raise BristleError(f"{arguments.out}: the name of a page ends in .html.")
    benchmark(arguments.folder, arguments.out, arguments.model)
