"""Write the page for trying all models."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--descriptions", type=Path, required=True, help="modelDescription/")
    parser.add_argument(
        "--generated",
        type=Path,
        required=True,
        help="folder with the generated files of all models",
    )
    parser.add_argument("--module", type=Path, required=True, help="all models as WebAssembly")
    parser.add_argument("--out", type=Path, required=True, help="the page to write")
    parser.add_argument(
        "--elements", nargs="+", required=True, help="names of the models and twins in the module"
    )


def run(arguments: argparse.Namespace) -> None:
    from ..playground import write_playground
    from ..project import Project

    project = Project(arguments.descriptions.parent)
    write_playground(
        project.playground,
        arguments.descriptions,
        arguments.generated,
        arguments.module,
        arguments.out,
        arguments.elements,
    )
