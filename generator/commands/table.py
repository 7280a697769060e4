"""Renew the table of models in a README.

The table is made from the descriptions in the folder modelDescription beside the file, and takes
the place of the one between the two marks.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bristle.cli.files import write_text

EXAMPLES = """
  python -m generator table README.md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("readme", type=Path, help="README.md, with modelDescription/ beside it")


def run(arguments: argparse.Namespace) -> None:
    from ..table import renewed

    write_text(
        arguments.readme, renewed(arguments.readme, arguments.readme.parent / "modelDescription")
    )
