"""Compare all models in the papers' benchmark systems, on one page.

The systems are run by the rig, the C host of a checkout; ./report.sh builds it and calls this."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ..report import ROOT

EXAMPLES = """
  python site/bristle_site report --out report.html
  python site/bristle_site report --rig build/rig/rig --fmus my_fmus --out mine.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    program = os.environ.get("BRISTLE_RIG") or ROOT / "build" / "rig" / "rig"
    parser.add_argument(
        "--fmus", type=Path, help="folder with the FMUs (default: those of bristle list)"
    )
    parser.add_argument(
        "--rig",
        type=Path,
        default=Path(program),
        help="the rig (default: BRISTLE_RIG or build/rig/rig)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=ROOT / "dist" / "report" / "index.html",
        help="the page to write",
    )
    parser.add_argument(
        "--pictures",
        action="store_true",
        help="also draw the pictures of the models' pages and the README",
    )
    parser.add_argument(
        "--only-pictures", action="store_true", help="draw the pictures and write no page"
    )
    parser.add_argument(
        "--pictures-root",
        type=Path,
        default=ROOT,
        help="where modelDescription/pictures and docs are",
    )


def run(arguments: argparse.Namespace) -> None:
    from bristle.library import fmu_folder
    from ..report.command import report

    arguments.fmus = arguments.fmus or fmu_folder()
    report(arguments)
