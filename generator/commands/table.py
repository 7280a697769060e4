"""Renew the tables of models in README.md and docs/models.md.

Each is made from the descriptions in the folder modelDescription beside the file or above it, and
replaces the table between the two marks.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bristle.cli.files import write_text

EXAMPLES = """
  python -m generator table README.md docs/models.md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", type=Path, nargs="+", help="Markdown files with the marks")


def run(arguments: argparse.Namespace) -> None:
    from ..table import renewed

    for file in arguments.files:
        folders = [folder / "modelDescription" for folder in file.resolve().parents[:2]]
        write_text(file, renewed(file, next((one for one in folders if one.is_dir()), folders[0])))
