"""Pack one model into its FMUs: of FMI 2.0, and of 3.0 where there are libraries for it. Both share
reference results, made with the FMU of 2.0."""

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
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="the FMU to write; that of 3.0 goes to fmi3/ beside it",
    )
    for option in ("--libraries", "--libraries3"):
        parser.add_argument(
            option, type=Path, nargs="*", default=[], help="<platform>/<Model>.<suffix>"
        )
    parser.add_argument(
        "--no-references",
        action="store_true",
        help="without reference results, for FMUs that cannot run here",
    )


def run(arguments: argparse.Namespace) -> None:
    from bristle.format.archive import this_platform, write_zip
    from bristle.format.references import in_vectors, references
    from ..project import Project
    from ..package import content

    project = Project(arguments.description.parent.parent)
    given = (arguments.generated, project.source, arguments.fmi_include, project.license)
    first = content(*given, arguments.libraries)
    made = {} if arguments.no_references else references(first)
    write_zip(arguments.out, first | made)
    if arguments.libraries3:
        other = arguments.out.parent / "fmi3" / arguments.out.name
        other.parent.mkdir(exist_ok=True)
        write_zip(other, content(*given, arguments.libraries3, 3) | in_vectors(made))
    if not made and not arguments.no_references:
        print(
            f"{arguments.out.name}: has no reference results: it has no library for this machine,"
            f" {this_platform()}."
        )
