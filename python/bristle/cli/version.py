"""The choice between the FMUs of FMI 2.0 and 3.0."""

from __future__ import annotations

import argparse


def add_version(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fmi",
        type=int,
        choices=(2, 3),
        default=2,
        help="version of FMI that the FMU of a model is of (default: 2); an .fmu says it itself",
    )
