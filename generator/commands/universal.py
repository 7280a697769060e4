"""Join macOS libraries for several processors into one."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, help="the library to write")
    parser.add_argument("thin", type=Path, nargs="+", help="libraries for one processor each")


def run(arguments: argparse.Namespace) -> None:
    from bristle.format.universal import write_universal

    write_universal(arguments.out, arguments.thin)
