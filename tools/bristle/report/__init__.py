"""The report: every model in every benchmark system, measured by the rig, on one page that needs no network."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    program = os.environ.get("BRISTLE_RIG") or ROOT / "build" / "rig" / "rig"
    parser.add_argument("--fmus", type=Path, default=ROOT / "dist", help="folder with the FMUs (default: dist)")
    parser.add_argument(
        "--rig", type=Path, default=Path(program), help="the rig (default: BRISTLE_RIG or build/rig/rig)"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "report" / "index.html", help="the page to write")
    parser.add_argument(
        "--pictures", action="store_true", help="also draw the pictures of the models' pages and the README"
    )
    parser.add_argument("--only-pictures", action="store_true", help="draw the pictures and write no page")
    parser.add_argument("--pictures-root", type=Path, default=ROOT, help="where modelDescription/pictures and docs are")


def write_report(arguments: argparse.Namespace) -> None:
    from .command import report  # needs numpy, which the other commands do without

    report(arguments)
