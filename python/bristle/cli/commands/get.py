"""Copy FMUs to a folder, from where any tool that supports FMI 2.0 imports them.

With --sets the parameter sets of the papers come along, as .ssv files beside the FMU."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """
  bristle get LuGre
  bristle get LuGre LuGreRotational -o models
  bristle get LuGre --sets -o .
  bristle get --all -o models
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="*", help="names of models")
    parser.add_argument("--all", action="store_true", help="every model")
    parser.add_argument("--sets", action="store_true", help="also the parameter sets")
    parser.add_argument(
        *("-o", "--out"),
        dest="folder",
        metavar="FOLDER",
        type=Path,
        default=Path("."),
        help="where to (default: this folder)",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace files that differ")


def run(arguments: argparse.Namespace) -> None:
    from ... import BristleError
    from ..files import writing
    from ...format.archive import opened
    from ...library import fmu, models

    if bool(arguments.model) == arguments.all:
        raise BristleError("give names of models, or --all; bristle list shows them.")
    if arguments.folder.exists() and not arguments.folder.is_dir():
        raise BristleError(f"{arguments.folder}: is not a folder.")
    content: dict[Path, bytes] = {}
    for file in map(fmu, models() if arguments.all else arguments.model):
        content[arguments.folder / file.name] = file.read_bytes()
        if arguments.sets:
            with opened(file) as archive:
                for name in archive.namelist():
                    if name.startswith("resources/") and name.endswith(".ssv"):
                        target = arguments.folder / f"{file.stem}_{Path(name).name}"
                        content[target] = archive.read(name)
    for target, data in content.items():
        if target.exists() and target.read_bytes() != data and not arguments.overwrite:
            raise BristleError(f"{target}: is there already, with other content; give --overwrite.")
    for target, data in content.items():
        with writing(target, "wb") as handle:
            handle.write(data)
        print(target)
