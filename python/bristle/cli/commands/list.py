"""List the FMUs: kinds, platforms and size of each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

EXAMPLES = """
  bristle list              the FMUs that came with bristle, or those in dist/ of a checkout
  bristle list my_fmus      those of a folder
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, nargs="?", help="folder with FMUs")


def run(arguments: argparse.Namespace) -> None:
    from ...library import fmu_folder
    from ...format.archive import summaries

    folder = arguments.folder or fmu_folder()
    for line in summaries(folder):
        print(line)
    if not arguments.folder:
        print(f"They are in {folder}.", file=sys.stderr)
