"""Pack one model into an FMU."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("description", type=Path, help="modelDescription/<Model>.toml")
    parser.add_argument(
        "--generated", type=Path, required=True, help="folder with the generated files"
    )
    parser.add_argument(
        "--fmi-include", type=Path, required=True, help="folder with fmi2Functions.h"
    )
    parser.add_argument("--out", type=Path, required=True, help="the FMU to write")
    parser.add_argument(
        "--libraries", type=Path, nargs="*", default=[], help="<platform>/<Model>.<suffix>"
    )
    parser.add_argument(
        "--no-references", action="store_true", help="without reference results: it cannot run here"
    )


def run(arguments: argparse.Namespace) -> None:
    from bristle.format.archive import this_platform
    from ..project import Project
    from ..package import write_package

    project = Project(arguments.description.parent.parent)
    made = write_package(
        arguments.out,
        arguments.generated,
        project.source,
        arguments.fmi_include,
        project.license,
        arguments.libraries,
        not arguments.no_references,
    )
    if not made and not arguments.no_references:
        print(
            f"{arguments.out.name}: has no reference results: it has no library for this machine,"
            f" {this_platform()}."
        )
