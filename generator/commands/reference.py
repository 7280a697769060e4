"""Write the reference of the Python package from its docstrings."""

from __future__ import annotations

import argparse
from pathlib import Path

from bristle.cli.files import write_text

EXAMPLES = """
  python -m generator reference docs/api.md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", type=Path, help="the Markdown file")


def run(arguments: argparse.Namespace) -> None:
    from ..reference import reference_text

    write_text(arguments.out, reference_text())
