"""List what the build makes: models and twins, situations of the playground, version."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser  # there are none


def run(arguments: argparse.Namespace) -> None:
    """Prints a line for each, its kind first, for CMake."""
    del arguments
    from bristle import VERSION
    from ..playground import situations
    from ..project import Project

    project = Project(Path(__file__).resolve().parents[2])
    for model in project.models:
        print("model", model, *project.twins_of(model))
    if project.playground.is_dir():
        for situation in situations(project.playground):
            print("situation", situation["system"])
    print("version", VERSION)
