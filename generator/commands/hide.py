"""Write an object once per version of FMI, exporting only the functions of that version."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("object", type=Path, help="<name>.o; written are <name>2.o and <name>3.o")


def run(arguments: argparse.Namespace) -> None:
    from ..hiding import without_exports

    binary = arguments.object.read_bytes()
    for version, other in ((2, 3), (3, 2)):
        target = arguments.object.with_stem(f"{arguments.object.stem}{version}")
        target.write_bytes(without_exports(binary, f"fmi{other}"))
