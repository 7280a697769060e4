"""Copy FMUs to a folder, from where any tool that supports FMI imports them.

With --sets the parameter sets of the papers come along, as .ssv files beside the FMU."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..arguments import add_version

EXAMPLES = """
  bristle get LuGre
  bristle get LuGre LuGreRotational -o models
  bristle get LuGre --sets -o .
  bristle get --all -o models
  bristle get LuGre --fmi 3 -o .
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
        help="target folder (default: this one)",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace files that differ")
    add_version(parser)


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
    for name in models() if arguments.all else arguments.model:
        file = fmu(name, arguments.fmi)
        content[arguments.folder / file.name] = file.read_bytes()
        if arguments.sets:
            with opened(file) as archive:
                for one in archive.namelist():
                    if one.startswith("resources/") and one.endswith(".ssv"):
                        target = arguments.folder / f"{file.stem}_{Path(one).name}"
                        content[target] = archive.read(one)
    for target, data in content.items():
        if target.exists() and target.read_bytes() != data and not arguments.overwrite:
            raise BristleError(f"{target}: already exists with other content; give --overwrite.")
    for target, data in content.items():
        with writing(target, "wb") as handle:
            handle.write(data)
        print(target)
